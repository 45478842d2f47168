//! Strangers that come in crowds, over real connections from several addresses of this machine.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use framefarm_api::auth::{Scope, password, token};
use framefarm_api::server;
use framefarm_api::testing::{Farm, TestDatabase};
use reqwest::{Client, StatusCode};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

use super::{PASSWORD, Site};

/// More than enough for anything that is going to come.
const AT_MOST: Duration = Duration::from_secs(30);

async fn served(connections: usize) -> (Farm, SocketAddr) {
    let farm = Farm::on(TestDatabase::sqlite(), |settings| {
        PASSWORD.clone_into(&mut settings.admin_password);
        settings.connections.connections = connections;
    })
    .await;
    password::prepare(&farm.app).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve(farm.app.clone(), listener));
    (farm, address)
}

fn this_machine(host: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(127, 0, 0, host))
}

fn client(host: u8) -> Client {
    Client::builder().local_address(this_machine(host)).timeout(AT_MOST).build().unwrap()
}

async fn connect(host: u8, address: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(this_machine(host), 0))?;
    socket.connect(address).await
}

async fn log_in(client: &Client, address: SocketAddr, password: &str) -> StatusCode {
    let call = client.post(format!("http://{address}/api/login")).json(&json!({ "password": password }));
    call.send().await.map_or(StatusCode::IM_A_TEAPOT, |answer| answer.status())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_of_idle_connections_and_guesses_stops_neither_the_admin_nor_uploads() {
    const ROOM: usize = 600;
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let enough = maximum.unwrap_or(4096).min(4096);
    setrlimit(Resource::Nofile, Rlimit { current: Some(enough), maximum }).unwrap();
    let (farm, address) = served(ROOM).await;
    let mut crowd = Vec::new();
    for number in 0..1_200 {
        let mut stream = connect(2, address).await.unwrap();
        if number % 6 == 0 {
            // Closed already, for most of them.
            let _ = stream.write_all(b"GET /api/videos HTTP/1.1\r\nhost:").await;
        }
        crowd.push(stream);
    }
    let guessing = Arc::new(AtomicBool::new(true));
    let mut guessers = JoinSet::new();
    for host in 3..9 {
        let guessing = guessing.clone();
        guessers.spawn(async move {
            let client = client(host);
            // Six addresses: fifty guesses a second.
            let mut pace = tokio::time::interval(Duration::from_millis(120));
            let mut refused = 0;
            while guessing.load(Ordering::Relaxed) || refused == 0 {
                pace.tick().await;
                refused +=
                    usize::from(log_in(&client, address, "guess").await == StatusCode::TOO_MANY_REQUESTS);
            }
            refused
        });
    }
    let token = token::create(&farm.app, "uploader", Scope::Upload, "admin").await.unwrap().1;
    let (admin, uploader) = (client(1), client(10));
    for _ in 0..3 {
        assert_eq!(log_in(&admin, address, PASSWORD).await, 200);
        let made = uploader
            .post(format!("http://{address}/api/uploads"))
            .bearer_auth(&token)
            .header("tus-resumable", "1.0.0")
            .header("upload-length", "5")
            .header("upload-metadata", "filename YS5tcDQ=")
            .header("content-type", "application/offset+octet-stream")
            .body("bytes")
            .send()
            .await
            .unwrap();
        assert_eq!(made.status(), 201);
    }
    guessing.store(false, Ordering::Relaxed);
    assert!(guessers.join_all().await.into_iter().all(|refused| refused > 0));
    // The crowd has half of the room at most.
    assert!(connect(2, address).await.unwrap().read(&mut [0]).await.is_ok_and(|read| read == 0));
    drop(crowd);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_accepted_again_when_files_are_free_again() {
    let (_farm, address) = served(1_000).await;
    let before = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(256), maximum: before.maximum }).unwrap();
    let socket = TcpSocket::new_v4().unwrap();
    let files: Vec<_> = std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
    assert!(!files.is_empty());
    let mut stream = socket.connect(address).await.unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
    drop(files);
    let mut answer = String::new();
    tokio::time::timeout(AT_MOST, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn strangers_do_not_take_the_writer() {
    let site = Site::open().await;
    let _writer = site.farm.app.db.begin().await.unwrap();
    let calls = async {
        let out = site.call("POST /api/logout", &[("cookie", "framefarm_session=guess")], None).await;
        assert_eq!(out.status, StatusCode::NO_CONTENT);
        let headers = [("x-invitation", "ffj_guess")];
        let register = site.call("POST /api/worker/register", &headers, Some(json!({ "name": "one" }))).await;
        assert_eq!(register.problem(), (403, "invitation_unknown"));
    };
    tokio::time::timeout(AT_MOST, calls).await.expect("a stranger waits for the writer");
}

#[tokio::test]
async fn health_is_looked_at_once_a_second() {
    let site = Site::open().await;
    let pending = async || site.call("GET /health", &[], None).await.ok()["pending_jobs"].clone();
    let jobs =
        async || site.call("GET /api/health", &[], None).await.ok()["processing"]["jobs"]["pending"].clone();
    assert_eq!((pending().await, jobs().await), (json!(0), json!(0)));
    site.farm.upload("a.mp4").await;
    assert_eq!((pending().await, jobs().await), (json!(0), json!(0)));
    site.farm.wait(chrono::Duration::seconds(1));
    assert_eq!((pending().await, jobs().await), (json!(1), json!(1)));
}
