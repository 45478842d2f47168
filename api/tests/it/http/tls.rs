//! Connections that are encrypted by the service itself.

use std::net::SocketAddr;
use std::time::Duration;

use framefarm_api::auth::password;
use framefarm_api::config::{Settings, TlsSettings};
use framefarm_api::server::{self, Patience, Tls};
use framefarm_api::testing::{Farm, TestDatabase};
use reqwest::{Client, Response};
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::PASSWORD;
use crate::certificates::{self, NAME};

const FOR_EVER: Duration = Duration::from_mins(10);
const PATIENT: Patience = Patience { idle: FOR_EVER, head: FOR_EVER, body: FOR_EVER, write: FOR_EVER };
/// More than enough for anything that is going to come.
const AT_MOST: Duration = Duration::from_secs(30);

struct Encrypted {
    _farm: Farm,
    _files: TempDir,
    address: SocketAddr,
    client: Client,
}

impl Encrypted {
    async fn start(patience: Patience) -> Self {
        Self::start_with(patience, |_| {}).await
    }

    async fn start_with(patience: Patience, change: impl FnOnce(&mut Settings)) -> Self {
        let files = tempfile::tempdir().unwrap();
        let (settings, authority) = certificates::write(files.path());
        let tls = Tls::load(&settings).unwrap();
        let farm = Farm::on(TestDatabase::sqlite(), |settings| {
            PASSWORD.clone_into(&mut settings.admin_password);
            change(settings);
        })
        .await;
        password::prepare(&farm.app).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(server::serve_with(farm.app.clone(), listener, tls, patience));
        let client = Client::builder().tls_certs_only([authority]).resolve(NAME, address).timeout(AT_MOST);
        Self { _farm: farm, _files: files, address, client: client.build().unwrap() }
    }

    async fn log_in(&self, host: &str) -> Response {
        let url = format!("https://{host}:{}/api/login", self.address.port());
        self.client.post(url).json(&json!({ "password": PASSWORD })).send().await.unwrap()
    }
}

fn header<'a>(answer: &'a Response, name: &str) -> Option<&'a str> {
    answer.headers().get(name).map(|value| value.to_str().unwrap())
}

#[tokio::test]
async fn who_logs_in_over_tls_stays_with_https() {
    let farm = Encrypted::start(PATIENT).await;
    let answer = farm.log_in("127.0.0.1").await;
    assert_eq!(answer.status(), 200);
    assert!(header(&answer, "set-cookie").unwrap().ends_with("; Secure"));
    assert_eq!(header(&answer, "strict-transport-security"), None, "others on this machine may speak http");
}

#[tokio::test]
async fn a_name_that_is_reached_by_https_is_reached_by_nothing_else_for_a_year() {
    let farm =
        Encrypted::start_with(PATIENT, |settings| settings.allowed_hosts = NAME.parse().unwrap()).await;
    let answer = farm.log_in(NAME).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(header(&answer, "strict-transport-security"), Some("max-age=31536000"));
}

#[tokio::test]
async fn who_speaks_plain_http_to_it_is_told_in_plain_http() {
    let farm = Encrypted::start(PATIENT).await;
    let mut stream = TcpStream::connect(farm.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: farm\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    // It may be closed before all of the request was read.
    let _reset = tokio::time::timeout(AT_MOST, stream.read_to_string(&mut answer)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("https://"), "{answer}");
}

#[tokio::test]
async fn who_begins_tls_and_does_not_go_on_is_let_go() {
    let little = Duration::from_millis(200);
    let farm = Encrypted::start(Patience { head: little, ..PATIENT }).await;
    for words in [&b""[..], b"\x16\x03\x01"] {
        let mut stream = TcpStream::connect(farm.address).await.unwrap();
        stream.write_all(words).await.unwrap();
        let closed = tokio::time::timeout(AT_MOST, stream.read(&mut [0])).await;
        assert!(closed.expect("the server waits for ever").map_or(true, |read| read == 0));
    }
}

#[test]
fn what_is_wrong_with_the_files_is_said_at_the_start() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let ((one, _), (other, _)) = (certificates::write(one.path()), certificates::write(other.path()));
    let mixed = TlsSettings { tls_key: other.tls_key.clone(), ..one.clone() };
    let swapped = TlsSettings { tls_cert: one.tls_key.clone(), tls_key: one.tls_cert.clone() };
    let missing = TlsSettings { tls_cert: Some("/nowhere/cert.pem".into()), ..one };
    for (settings, words) in [
        (mixed, "do not match"),
        (swapped, "contains no PEM certificate"),
        (missing, "tls_cert: cannot read /nowhere/cert.pem"),
    ] {
        let error = format!("{:#}", Tls::load(&settings).err().unwrap());
        assert!(error.contains(words), "{error}");
    }
    let half = TlsSettings { tls_key: None, ..other };
    assert!(half.check().unwrap_err().to_string().contains("set both or neither"));
}
