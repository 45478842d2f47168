//! The SSRF guard: whatever a URL looks like, no connection goes to a forbidden address.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::HeaderMap;
use framefarm_api::alerts::http::{self, Shipment};
use framefarm_api::alerts::schedule::Outcome;
use framefarm_api::egress::{Egress, Names};
use framefarm_shared::alert::EndpointKind;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use super::Receiver;

/// A port of this machine that counts who connects.
struct Trap {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    _task: AbortOnDropHandle<()>,
}

impl Trap {
    async fn on(address: &str) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = connections.clone();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { address, connections, _task: AbortOnDropHandle::new(task) }
    }

    fn count(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Answers each look-up of a name with the next list of addresses; the last one stays.
struct Scripted {
    answers: Vec<Vec<IpAddr>>,
    asked: Arc<AtomicUsize>,
}

impl Names for Scripted {
    fn look_up(&self, _: &str) -> std::pin::Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
        let answer = self.answers[turn].clone();
        Box::pin(async move { Ok(answer) })
    }
}

fn scripted(answers: &[&[&str]]) -> (Scripted, Arc<AtomicUsize>) {
    let read = |list: &&[&str]| list.iter().map(|text| text.parse().unwrap()).collect();
    let asked = Arc::new(AtomicUsize::new(0));
    (Scripted { answers: answers.iter().map(read).collect(), asked: asked.clone() }, asked)
}

async fn try_to_send(egress: &Egress, url: &str) -> Outcome {
    let shipment = Shipment {
        kind: EndpointKind::Generic,
        url: url.to_owned(),
        headers: HeaderMap::new(),
        body: b"{}".to_vec(),
    };
    let now = framefarm_api::testing::the_beginning();
    http::send(egress, shipment, Duration::from_secs(5), now).await
}

fn is_refused(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Unanswered { words } if !words.starts_with("Connection failed") && !words.starts_with("No response"))
}

/// Every way to write this machine, its neighbours and what a cloud hides; `PORT` is where the trap is.
const FORMS: &[&str] = &[
    // The plain ones.
    "http://127.0.0.1:PORT/",
    "http://localhost:PORT/",
    "http://LOCALHOST:PORT/",
    "http://localhost.:PORT/",
    "https://127.0.0.1:PORT/",
    "http://127.0.0.2:PORT/",
    "http://127.255.255.254:PORT/",
    "http://0.0.0.0:PORT/",
    "http://0:PORT/",
    "http://[::1]:PORT/",
    "http://[::]:PORT/",
    // Decimal, octal, hexadecimal, short, mixed.
    "http://2130706433:PORT/",
    "http://017700000001:PORT/",
    "http://0x7f000001:PORT/",
    "http://0x7F000001:PORT/",
    "http://0x7f.0x0.0x0.0x1:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://0177.0000.0000.0001:PORT/",
    "http://00000177.0.0.1:PORT/",
    "http://127.1:PORT/",
    "http://127.0.1:PORT/",
    "http://0x7f.1:PORT/",
    "http://0177.1:PORT/",
    "http://127.0x1:PORT/",
    "http://127.0.0.1.:PORT/",
    "http://2130706433.:PORT/",
    "http://0x7f.0.0.0x1:PORT/",
    // Other scripts and encodings that mean the same.
    "http://１２７.０.０.１:PORT/",
    "http://127。0。0。1:PORT/",
    "http://①②⑦.⓪.⓪.①:PORT/",
    "http://%31%32%37.0.0.1:PORT/",
    "http://%6c%6f%63%61%6c%68%6f%73%74:PORT/",
    "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/",
    "http://ｌｏｃａｌｈｏｓｔ:PORT/",
    "http://local\u{ad}host:PORT/",
    // IPv4 inside IPv6.
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://[::ffff:7f00:1]:PORT/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/",
    "http://[0000:0000:0000:0000:0000:ffff:7f00:0001]:PORT/",
    "http://[::ffff:0:127.0.0.1]:PORT/",
    "http://[::127.0.0.1]:PORT/",
    "http://[::7f00:1]:PORT/",
    "http://[64:ff9b::127.0.0.1]:PORT/",
    "http://[64:ff9b:1::7f00:1]:PORT/",
    "http://[2002:7f00:1::]:PORT/",
    "http://[2002:7f00:0001::1]:PORT/",
    "http://[2001:0:7f00:1::]:PORT/",
    "http://[2001:0:53aa:64c:0:fbff:80ff:fffe]:PORT/",
    "http://[::ffff:a00:1]:PORT/",
    "http://[::ffff:169.254.169.254]:PORT/",
    // Other private and special networks.
    "http://10.0.0.1:PORT/",
    "http://10.255.255.255:PORT/",
    "http://172.16.0.1:PORT/",
    "http://172.31.255.255:PORT/",
    "http://192.168.0.1:PORT/",
    "http://100.64.0.1:PORT/",
    "http://100.100.100.200/latest/meta-data/",
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.170.2/v2/credentials",
    "http://2852039166/latest/meta-data/",
    "http://0xa9fea9fe/latest/meta-data/",
    "http://0251.0376.0251.0376/",
    "http://168.63.129.16/machine",
    "http://192.0.0.192/",
    "http://192.0.2.1/",
    "http://198.18.0.1/",
    "http://198.51.100.1/",
    "http://203.0.113.1/",
    "http://192.88.99.1/",
    "http://224.0.0.1/",
    "http://239.255.255.250/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://[fe80::1]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[100::1]/",
    "http://[2001:db8::1]/",
    "http://[3fff::1]/",
    "http://[2001:10::1]/",
    "http://[5f00::1]/",
    // Users, other schemes, and what is no URL at all.
    "http://example.org@127.0.0.1:PORT/",
    "http://example.org:80@127.0.0.1:PORT/",
    "http://127.0.0.1:PORT@example.org/",
    "http://user:password@example.org/",
    "http://example.org\\@127.0.0.1:PORT/",
    "http:\\\\127.0.0.1:PORT\\",
    "http:/127.0.0.1:PORT/",
    "http:127.0.0.1:PORT/",
    "http:///127.0.0.1:PORT/",
    "//127.0.0.1:PORT/",
    "127.0.0.1:PORT",
    "ftp://127.0.0.1:PORT/",
    "gopher://127.0.0.1:PORT/_GET",
    "file:///etc/passwd",
    "dict://127.0.0.1:PORT/info",
    "ldap://127.0.0.1:PORT/",
    "ws://127.0.0.1:PORT/",
    "unix:///var/run/docker.sock",
    "data:text/plain,x",
    "jar:http://127.0.0.1:PORT/!/",
    " http://127.0.0.1:PORT/",
    "http://127.0.0.1\t:PORT/",
    "http://127.0.0.1:PORT/\r\nX-Evil: 1",
    "http://[::1%25lo]:PORT/",
    "http://[::1%lo]:PORT/",
    "http://256.256.256.256/",
    "http://4294967297/",
    "http://",
    "",
    // Ports of other protocols.
    "http://example.org:0/",
    "http://example.org:22/",
    "http://example.org:25/",
    "http://example.org:53/",
    "http://example.org:445/",
    "http://example.org:1023/",
    "http://example.org:2375/",
    "http://example.org:3306/",
    "http://example.org:5432/",
    "http://example.org:6379/",
    "http://example.org:9200/",
    "http://example.org:11211/",
    "http://example.org:65536/",
    "http://example.org:-1/",
];

#[tokio::test]
async fn no_form_of_a_url_leads_to_a_forbidden_address() {
    let v4 = Trap::on("0.0.0.0:0").await;
    let port = v4.address.port();
    let v6 = match TcpListener::bind(("::1", port)).await {
        Ok(listener) => {
            drop(listener);
            Some(Trap::on(&format!("[::1]:{port}")).await)
        }
        // A machine without IPv6.
        Err(_) => None,
    };
    let egress = Egress::new("".parse().unwrap());
    assert!(FORMS.len() >= 80, "{}", FORMS.len());
    for form in FORMS {
        let url = form.replace("PORT", &port.to_string());
        let outcome = try_to_send(&egress, &url).await;
        assert!(is_refused(&outcome), "{form}: {outcome:?}");
    }
    // The trap works: what is allowed does connect.
    let open = Egress::new("127.0.0.0/8".parse().unwrap());
    let url = format!("http://127.1:{port}/");
    let _no_answer = tokio::time::timeout(Duration::from_millis(500), try_to_send(&open, &url)).await;
    assert_eq!(v4.count(), 1);
    assert_eq!(v6.map_or(0, |trap| trap.count()), 0);
}

#[tokio::test]
async fn a_name_with_one_forbidden_address_is_refused_whatever_the_others_are() {
    let trap = Trap::on("127.0.0.1:0").await;
    let lists: &[&[&str]] = &[
        &["127.0.0.1"],
        &["1.1.1.1", "127.0.0.1"],
        &["127.0.0.1", "1.1.1.1"],
        &["2606:4700::1111", "::1"],
        &["1.1.1.1", "::ffff:127.0.0.1"],
        &["1.1.1.1", "10.0.0.1"],
        &["1.1.1.1", "169.254.169.254"],
        &["fe80::1"],
        &["64:ff9b::7f00:1"],
        &[],
    ];
    for list in lists {
        let (names, asked) = scripted(&[list]);
        let egress = Egress::new("".parse().unwrap()).with_names(names);
        let outcome = try_to_send(&egress, &format!("http://rebind.example:{}/", trap.address.port())).await;
        assert!(is_refused(&outcome), "{list:?}: {outcome:?}");
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    }
    assert_eq!(trap.count(), 0);
}

/// The checked address is the one that is connected to: a name that changes its mind in between changes nothing.
#[tokio::test]
async fn a_name_is_looked_up_once_and_the_connection_goes_where_that_led() {
    let trap = Trap::on("127.0.0.1:0").await;
    let port = trap.address.port();
    let welcome = Trap::on(&format!("127.0.0.2:{port}")).await;
    for round in 1..=3 {
        let (names, asked) = scripted(&[&["127.0.0.2"], &["127.0.0.1"]]);
        let egress = Egress::new("127.0.0.2".parse().unwrap()).with_names(names);
        let url = format!("http://rebind.example:{port}/");
        let _no_answer = tokio::time::timeout(Duration::from_millis(300), try_to_send(&egress, &url)).await;
        assert_eq!((asked.load(Ordering::SeqCst), welcome.count()), (1, round));
        assert!(is_refused(&try_to_send(&egress, &url).await), "the next try looks again");
    }
    assert_eq!(trap.count(), 0);
}

#[tokio::test]
async fn a_redirect_to_a_forbidden_address_is_not_followed() {
    use axum::response::IntoResponse as _;
    let trap = Trap::on("127.0.0.1:0").await;
    for status in [301, 302, 303, 307, 308] {
        let target = format!("http://{}/", trap.address);
        let receiver = Receiver::start(move |_| {
            let status = axum::http::StatusCode::from_u16(status).unwrap();
            (status, [(axum::http::header::LOCATION, target.clone())]).into_response()
        })
        .await;
        let place = receiver.url.split('/').nth(2).unwrap();
        let egress = Egress::new(place.parse().unwrap());
        let outcome = try_to_send(&egress, &receiver.url).await;
        assert!(matches!(&outcome, Outcome::Answered { code, .. } if *code == status), "{outcome:?}");
        assert_eq!(receiver.heard().len(), 1);
    }
    assert_eq!(trap.count(), 0);
}

#[tokio::test]
async fn an_allowed_place_is_that_host_on_that_port_alone() {
    let receiver = Receiver::content().await;
    let port: u16 = receiver.url.split(['/', ':']).nth(4).unwrap().parse().unwrap();
    let other = Trap::on("127.0.0.1:0").await;
    let egress = Egress::new(format!("localhost:{port}").parse().unwrap());
    assert_eq!(
        try_to_send(&egress, &format!("http://localhost:{port}/")).await,
        Outcome::Delivered { code: 204 }
    );
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{}/", other.address.port()),
        format!("http://localhost.evil.localhost:{port}/"),
    ] {
        assert!(is_refused(&try_to_send(&egress, &url).await), "{url}");
    }
    assert_eq!((receiver.heard().len(), other.count()), (1, 0));
}
