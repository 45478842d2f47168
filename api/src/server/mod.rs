//! Connections in, answers out, and an orderly end.

mod admission;
mod exchange;
mod timed_stream;
mod tls;

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;
use tower_http::timeout::RequestBodyTimeoutLayer;

use self::admission::{Admission, Place};
use self::exchange::{Exchange, LastOf};
use self::timed_stream::TimedStream;
pub use self::tls::Tls;
use crate::app::App;
use crate::http::router::router;
use crate::proxy::ServedAt;

/// How long running requests may take to end once the server stops.
const DRAIN: Duration = Duration::from_secs(10);
/// After a failed accept: out of file descriptors, most likely. They come back one by one.
const PAUSE: Duration = Duration::from_millis(100);
/// Between two lines in the log about connections that were refused or failed.
const QUIET: Duration = Duration::from_mins(1);

/// How long a client may keep us waiting. Answers may take as long as they do.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the next request on a connection that is kept. Longer than the 60 to 90 seconds for which proxies and our own
    /// workers keep one: who uses it again must not find it closed.
    pub idle: Duration,
    /// For the whole head of a request: from the first byte, or from the beginning of the connection.
    pub head: Duration,
    /// Between two pieces of a body. Longer than uploads have, which answer in their own words.
    pub body: Duration,
    /// For a client that takes nothing of its answer.
    pub write: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            idle: Duration::from_mins(2),
            head: Duration::from_secs(15),
            body: Duration::from_secs(90),
            write: Duration::from_mins(1),
        }
    }
}

/// Serves until the app's shutdown token is cancelled, then lets running requests end.
pub async fn serve(app: App, listener: TcpListener) {
    serve_with(app, listener, None, Patience::default()).await;
}

pub async fn serve_with(app: App, listener: TcpListener, tls: Option<Tls>, patience: Patience) {
    let shutdown = app.shutdown.clone();
    let acceptor = tls.as_ref().map(|tls| tls.acceptor.clone());
    let fresh = tls.map(|tls| tokio::spawn(async move { tls.keep_fresh().await }));
    let admission = Admission::new(&app.settings);
    let router = router(app).layer(RequestBodyTimeoutLayer::new(patience.body));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(patience.idle);
    let serving = Serving { builder, router, patience, acceptor };
    let open = GracefulShutdown::new();
    let mut complaints = Complaints::default();
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => match admission.admit(peer.ip()) {
                Some(place) => {
                    tokio::spawn(serving.clone().welcome(stream, peer, place, open.watcher()));
                }
                None => complaints.refused(peer),
            },
            // Its client is gone already, which must not keep others waiting.
            Err(error)
                if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) => {}
            Err(error) => {
                complaints.failed(&error);
                tokio::select! { () = shutdown.cancelled() => break, () = tokio::time::sleep(PAUSE) => {} }
            }
        }
    }
    drop(listener);
    if let Some(fresh) = fresh {
        fresh.abort();
    }
    if tokio::time::timeout(DRAIN, open.shutdown()).await.is_err() {
        tracing::warn!("requests still running after {DRAIN:?}; aborting them");
    }
}

/// What every connection needs.
#[derive(Clone)]
struct Serving {
    builder: http1::Builder,
    router: Router,
    patience: Patience,
    acceptor: Option<TlsAcceptor>,
}

impl Serving {
    /// One connection, to its end.
    async fn welcome(self, stream: TcpStream, peer: SocketAddr, _place: Place, open: Watcher) {
        // An event must not wait until the one before it was acknowledged.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, %peer, "could not set TCP_NODELAY");
        }
        let own = stream.local_addr().ok();
        let served_at = |tls| own.map(|address| ServedAt { address, tls });
        let Some(acceptor) = self.acceptor.clone() else {
            return self.converse(stream, peer, served_at(false), open).await;
        };
        match tokio::time::timeout(self.patience.head, tls::accept(&acceptor, stream)).await {
            Ok(Ok(stream)) => self.converse(stream, peer, served_at(true), open).await,
            Ok(Err(error)) => tracing::debug!(%error, %peer, "TLS handshake failed"),
            Err(_) => tracing::debug!(%peer, "TLS handshake timed out"),
        }
    }

    async fn converse<S>(self, stream: S, peer: SocketAddr, served_at: Option<ServedAt>, open: Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let exchange = Exchange::default();
        let stream = TimedStream::new(stream, exchange.clone(), self.patience.head, self.patience.write);
        let answering = exchange.clone();
        let service = self
            .router
            .map_request(move |request: Request<Incoming>| {
                answering.answering();
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(ConnectInfo(peer));
                if let Some(served_at) = served_at {
                    request.extensions_mut().insert(served_at);
                }
                request
            })
            .map_response(move |response: Response| response.map(|body| LastOf::new(body, exchange.clone())));
        let connection =
            self.builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        if let Err(error) = open.watch(connection).await {
            tracing::debug!(%error, %peer, "connection ended early");
        }
    }
}

/// One line in the log for many connections.
#[derive(Default)]
struct Complaints(Option<Instant>);

impl Complaints {
    fn is_due(&mut self) -> bool {
        let due = self.0.is_none_or(|last| last.elapsed() >= QUIET);
        if due {
            self.0 = Some(Instant::now());
        }
        due
    }

    fn refused(&mut self, peer: SocketAddr) {
        if self.is_due() {
            tracing::warn!(%peer, "too many connections (`connections`): closing new ones from this client");
        }
    }

    fn failed(&mut self, error: &std::io::Error) {
        if self.is_due() {
            tracing::warn!(%error, "could not accept a connection; retrying");
        }
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
