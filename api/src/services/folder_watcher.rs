//! Looks at the watch folder: when something changed in it, when a file may be at rest, and regularly.

use std::time::Duration;

use super::tell;
use crate::app::App;
use crate::intake::watch;

/// Changes come in crowds; a file that is being copied tells of each piece.
const CROWD: Duration = Duration::from_secs(1);

pub(super) async fn run(app: App) {
    let _listening = watch::listen(&app);
    let settings = &app.settings.watch;
    loop {
        tell("folder watcher", watch::run_once(app.clone()).await);
        let pause = if app.watch.expects() {
            settings.watch_stable_seconds.min(settings.watch_rescan_seconds)
        } else {
            settings.watch_rescan_seconds
        };
        tokio::select! {
            () = app.shutdown.cancelled() => return,
            () = tokio::time::sleep(Duration::from_secs(pause.into())) => continue,
            () = app.watch.woken() => {}
        }
        tokio::select! {
            () = app.shutdown.cancelled() => return,
            () = tokio::time::sleep(CROWD) => {}
        }
    }
}
