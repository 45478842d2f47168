//! Starts the thread that looks, and says when it is silent.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::choice::Choice;
use super::own_processes::sees_the_machines_processes;
use super::sampler::Sampler;
use super::snapshot::View;

const SILENT: &str =
    "the NVIDIA driver does not respond; check `dmesg`, and restart the machine if it stays like this";

/// What to look at, and how often.
#[derive(Clone, Debug)]
pub struct Options {
    /// In place of the NVML library that the system finds by its name.
    pub nvml_library: Option<PathBuf>,
    pub choice: Choice,
    /// From one look to the next.
    pub every: Duration,
    /// A driver that was silent for so many looks does not answer.
    pub patience: u32,
    /// The processes that a driver names can be told apart; not so in a container.
    pub sees_all_processes: bool,
    /// Where `dev`, `sys` and `usr` are.
    pub root: PathBuf,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            nvml_library: None,
            choice: Choice::All,
            every: Duration::from_secs(2),
            patience: 5,
            sees_all_processes: sees_the_machines_processes(),
            root: PathBuf::from("/"),
        }
    }
}

/// The GPUs of this machine, looked at again and again until it is dropped.
#[derive(Debug)]
pub struct Inventory {
    looks: watch::Receiver<Arc<View>>,
    /// Ends the thread by going away.
    _thread: mpsc::Sender<()>,
    watchdog: JoinHandle<()>,
}

impl Inventory {
    /// Returns after the first look, or when the driver does not answer.
    pub async fn open(options: Options) -> Self {
        let (sender, mut looks) = watch::channel(Arc::new(View::empty(Instant::now())));
        let (sender, (thread, ended)) = (Arc::new(sender), mpsc::channel());
        let (every, patience) = (options.every, options.every.saturating_mul(options.patience.max(1)));
        if options.choice == Choice::None {
            sender.send_modify(|view| tell(view, "disabled by FRAMEFARM_GPUS=none"));
        } else {
            let to_thread = Arc::clone(&sender);
            let work = move || keep_looking(options, &to_thread, &ended);
            match thread::Builder::new().name("gpus".to_owned()).spawn(work) {
                Ok(_) if timeout(patience, looks.changed()).await.is_ok() => {}
                Ok(_) => sender.send_modify(|view| tell(view, SILENT)),
                Err(error) => {
                    sender.send_modify(|view| tell(view, &format!("cannot look for GPUs: {error}")));
                }
            }
            looks.mark_unchanged();
        }
        Self { looks, _thread: thread, watchdog: tokio::spawn(watch_over(sender, every, patience)) }
    }

    /// The newest look.
    pub fn now(&self) -> Arc<View> {
        Arc::clone(&self.looks.borrow())
    }

    /// One value a look.
    pub fn looks(&self) -> watch::Receiver<Arc<View>> {
        self.looks.clone()
    }
}

impl Drop for Inventory {
    fn drop(&mut self) {
        self.watchdog.abort();
    }
}

fn keep_looking(options: Options, sender: &watch::Sender<Arc<View>>, ended: &mpsc::Receiver<()>) {
    let every = options.every;
    let mut sampler = Sampler::new(options);
    loop {
        sender.send_replace(Arc::new(sampler.look()));
        if !sampler.has_more() || ended.recv_timeout(every) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

/// Tells what the thread cannot tell: that it hangs.
async fn watch_over(sender: Arc<watch::Sender<Arc<View>>>, every: Duration, patience: Duration) {
    let mut ticks = interval(every.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        sender.send_if_modified(|view| {
            let is_silent = view.at.elapsed() > patience
                && view
                    .gpus
                    .iter()
                    .any(|seen| seen.gpu.is_nvidia() && seen.reason.as_deref() != Some(SILENT));
            if is_silent {
                *view = Arc::new(view.unanswered(SILENT));
            }
            is_silent
        });
    }
}

/// Unless the thread told something in the meantime.
fn tell(view: &mut Arc<View>, reason: &str) {
    if view.gpus.is_empty() && view.missing.is_empty() {
        Arc::make_mut(view).missing.push(reason.to_owned());
    }
}
