//! Connections in, answers out, and an orderly end.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tower::ServiceExt as _;
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::app::App;
use crate::http::router::router;

/// How long running requests may take to end once the server stops.
const DRAIN: Duration = Duration::from_secs(10);
/// After a failed accept: out of file descriptors, most likely.
const PAUSE: Duration = Duration::from_secs(1);

/// How long a client may keep us waiting for what it wants to say. Answers may take as long as they do.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the whole head of a request, and so for the next one on a connection that is kept. Longer than the 60 to 90
    /// seconds for which proxies and our own workers keep one: who uses it again must not find it closed.
    pub head: Duration,
    /// Between two pieces of a body. Longer than uploads have, which answer in their own words.
    pub body: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { head: Duration::from_mins(2), body: Duration::from_secs(90) }
    }
}

/// Serves until the app's shutdown token is cancelled, then lets running requests end.
pub async fn serve(app: App, listener: TcpListener) {
    serve_with(app, listener, Patience::default()).await;
}

pub async fn serve_with(app: App, listener: TcpListener, patience: Patience) {
    let shutdown = app.shutdown.clone();
    let router = router(app).layer(RequestBodyTimeoutLayer::new(patience.body));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(patience.head);
    let open = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                tokio::spawn(converse(builder.clone(), router.clone(), stream, peer, open.watcher()));
            }
            // Its client is gone already, which must not keep others waiting.
            Err(error)
                if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) => {}
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted; trying again");
                tokio::select! { () = shutdown.cancelled() => break, () = tokio::time::sleep(PAUSE) => {} }
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(DRAIN, open.shutdown()).await.is_err() {
        tracing::warn!("requests were still running after {DRAIN:?}; they are cut off");
    }
}

/// One connection, to its end.
async fn converse(
    builder: http1::Builder,
    router: Router,
    stream: TcpStream,
    peer: SocketAddr,
    open: Watcher,
) {
    // An event must not wait until the one before it was acknowledged.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, %peer, "TCP_NODELAY was not set");
    }
    let service = router.map_request(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    });
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    if let Err(error) = open.watch(connection).await {
        tracing::debug!(%error, %peer, "a connection ended early");
    }
}

/// SIGINT and SIGTERM. From its making on they no longer end the process by themselves.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub fn listen() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// The next of them.
    pub async fn received(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
