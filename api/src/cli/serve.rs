//! `framefarm serve`.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use framefarm_shared::clock::Clock;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpSocket};
use tokio_util::sync::CancellationToken;

use super::local_worker::{self, LocalWorker};
use super::{Failure, block_on, logging, scratch, settings, single};
use crate::app::App;
use crate::auth::password;
use crate::config::Settings;
use crate::instance_lock::InstanceLock;
use crate::lifecycle::startup;
use crate::server::{Patience, Tls};
use crate::{server, services};

/// Run the server: API, web page and a local worker
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm serve
  framefarm serve --listen 0.0.0.0:8080 --data-dir /var/lib/framefarm
  framefarm serve --config framefarm.toml --timing fast
  FRAMEFARM_DATABASE_URL_FILE=/run/secrets/database framefarm serve
  framefarm serve --listen 0.0.0.0:443 --tls-cert fullchain.pem --tls-key privkey.pem
  framefarm serve --no-worker                    with workers on other machines only

The server starts one worker on its machine; configure it with FRAMEFARM_WORKER_* variables
(`framefarm-worker run --help`). Every flag is also an environment variable and a key in the TOML file; see
`framefarm config --reference`. If no password is set, the first start generates one and prints it once.")]
pub(super) struct Serve {
    #[command(flatten)]
    settings: Settings,
}

impl Serve {
    pub(super) fn run(self) -> Result<(), Failure> {
        let settings = settings::checked(self.settings)?;
        logging::start(&settings).map_err(Failure::usage)?;
        block_on(serve(settings))
    }
}

/// Everybody comes back at once after a restart. Whoever finds no place in the line tries again after one second, then
/// three, then seven; the kernel has its own limit, `net.core.somaxconn`.
const LINE: u32 = 16_384;

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(LINE)
}

/// Each connection is an open file, and most systems let a process have few until it asks for more.
fn raise_open_files() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::debug!(%error, "cannot raise the open-file limit");
    }
}

async fn serve(settings: Settings) -> anyhow::Result<()> {
    for short in settings.short_secrets() {
        tracing::warn!("{short} Accepted because only this machine can reach the farm.");
    }
    if settings.is_in_the_clear() {
        tracing::warn!(
            "passwords, tokens and worker keys cross the network unencrypted: set --tls-cert and --tls-key, \
             or put a TLS proxy in front and list it in --trusted-proxies (docs/security.md)"
        );
    }
    raise_open_files();
    let clock = Clock::system();
    // Before anything else touches the directory.
    let lock = single::lock(&settings, &clock)?;
    let listener =
        listen(settings.listen).with_context(|| format!("cannot listen on {}", settings.listen))?;
    let tls = Tls::load(&settings.tls)?;
    let app = App::start(settings, clock).await?;
    // The lock outlives the requests: it is given back when nothing writes any more.
    let released = CancellationToken::new();
    let keeper = tokio::spawn(keep(lock, app.clone(), released.clone()));
    let served = run(&app, listener, tls).await;
    app.shutdown.cancel();
    app.db.close().await;
    released.cancel();
    let kept = keeper.await;
    app.traces.end().await;
    kept??;
    served
}

async fn run(app: &App, listener: TcpListener, tls: Option<Tls>) -> anyhow::Result<()> {
    let outage = startup::recover(app).await?;
    if let Some(lasted) = outage.lasted.filter(|_| outage.leases_extended > 0) {
        tracing::info!(
            count = outage.leases_extended,
            "extended leases after an outage of {} s",
            lasted.num_seconds()
        );
    }
    let leftovers = scratch::sweep(app).context("cannot clean up the directory for unfinished files")?;
    if leftovers > 0 {
        tracing::info!(count = leftovers, "removed unfinished files of an earlier process");
    }
    if let Some(password) = password::prepare(app).await? {
        show_once(&password);
    }
    let mut running = services::start(app);
    // Before anyone is told that we are here: whoever starts us may stop us at once.
    let signals = server::Signals::listen()?;
    // The worker beside us does not know the name in the certificate, and needs no encryption.
    let inner = if tls.is_some() { Some(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?) } else { None };
    let worker = local_worker::start(app, inner.as_ref().unwrap_or(&listener).local_addr()?).await?;
    let stopping = tokio::spawn(stop_in_order(signals, app.clone(), worker));
    let scheme = if tls.is_some() { "https" } else { "http" };
    println!("listening on {scheme}://{}", listener.local_addr()?);
    tracing::info!(database = app.db.name(), "serving");
    let inner = inner.map(|inner| tokio::spawn(server::serve(app.clone(), inner)));
    server::serve_with(app.clone(), listener, tls, Patience::default()).await;
    if let Some(inner) = inner {
        inner.await?;
    }
    app.shutdown.cancel();
    stopping.await?;
    while running.join_next().await.is_some() {}
    if let Err(error) = services::leader::resign(app).await {
        tracing::debug!(%error, "cannot resign as leader; leadership will expire");
    }
    Ok(())
}

/// The worker first, while it can still deliver and hand back, and meanwhile whoever looks at `/readyz` stops sending
/// requests here. A second signal waits for neither.
async fn stop_in_order(mut signals: server::Signals, app: App, worker: Option<LocalWorker>) {
    tokio::select! {
        () = signals.received() => tracing::info!("stopping: no new work; letting running requests finish"),
        () = app.shutdown.cancelled() => {}
    }
    app.draining.cancel();
    let told = Duration::from_secs(app.settings.stopping.drain_seconds.into());
    let notice = if app.shutdown.is_cancelled() { Duration::ZERO } else { told };
    let stopped = async {
        let worker = async {
            if let Some(worker) = worker {
                worker.stop().await;
            }
        };
        tokio::join!(tokio::time::sleep(notice), worker);
    };
    tokio::select! { () = stopped => {}, () = signals.received() => {} }
    app.shutdown.cancel();
}

/// Without its lock this process must not write any more.
async fn keep(lock: Option<InstanceLock>, app: App, released: CancellationToken) -> anyhow::Result<()> {
    let Some(lock) = lock else { return Ok(()) };
    let kept = single::keep(lock, app.clock.clone(), released).await;
    app.shutdown.cancel();
    kept
}

fn show_once(password: &str) {
    let line = "─".repeat(64);
    println!(
        "┌{line}┐\n\
         │ {:62} │\n│ {:62} │\n│ {:62} │\n│ {:62} │\n\
         └{line}┘",
        "Admin password, shown only this once:",
        "",
        format!("    {password}"),
        "Write it down, or set FRAMEFARM_ADMIN_PASSWORD to your own.",
    );
}
