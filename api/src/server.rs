//! Connections in, answers out, and an orderly end.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::app::App;
use crate::http::router::router;

/// How long running requests may take to end once the server stops.
const DRAIN: Duration = Duration::from_secs(10);

/// Serves until the app's shutdown token is cancelled, then lets running requests end.
pub async fn serve(app: App, listener: TcpListener) -> anyhow::Result<()> {
    let shutdown = app.shutdown.clone();
    let service = router(app).into_make_service_with_connect_info::<SocketAddr>();
    let serving = axum::serve(listener, service).with_graceful_shutdown(shutdown.clone().cancelled_owned());
    let too_long = async {
        shutdown.cancelled().await;
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        ended = serving.into_future() => ended?,
        () = too_long => tracing::warn!("requests were still running after {DRAIN:?}; they are cut off"),
    }
    Ok(())
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
