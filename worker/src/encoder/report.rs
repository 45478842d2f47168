//! The child's side of its pipes: lines out, and whether to go on.

use std::io::{BufRead as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::activity::Activity;
use super::protocol::{BytesRead, Report, STOP, Spent};

/// Exit code of a child whose supervisor is gone.
const ORPHANED: i32 = 3;

/// Writes reports to stdout, a line each. All threads share it.
#[derive(Debug)]
pub(super) struct Reporter {
    started: Instant,
    activity: Activity,
    turn: Mutex<()>,
    warnings: Mutex<Vec<String>>,
    software_decoded: AtomicBool,
}

impl Default for Reporter {
    fn default() -> Self {
        let (started, activity) = (Instant::now(), Activity::open());
        let (turn, warnings, software_decoded) = (Mutex::default(), Mutex::default(), AtomicBool::default());
        Self { started, activity, turn, warnings, software_decoded }
    }
}

impl Reporter {
    /// The time that a child tells begins with it.
    pub(super) fn spent(&self, began: Instant, ended: Instant) -> Spent {
        let us = |span: Duration| u64::try_from(span.as_micros()).unwrap_or(u64::MAX);
        let began_us = us(began.saturating_duration_since(self.started));
        Spent { began_us, lasted_us: us(ended.saturating_duration_since(began)), ..Spent::default() }
    }

    /// What the process has read so far.
    pub(super) fn bytes_read(&self) -> BytesRead {
        self.activity.so_far()
    }

    pub(super) fn say(&self, report: &Report) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut line = serde_json::to_vec(report).unwrap_or_default();
        line.push(b'\n');
        let mut out = std::io::stdout().lock();
        if out.write_all(&line).and_then(|()| out.flush()).is_err() {
            std::process::exit(ORPHANED);
        }
    }

    /// Damage that was worked around, told at the end. A broken file has thousands of reasons; some suffice.
    pub(super) fn warn(&self, warning: String) {
        const ENOUGH: usize = 20;
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if warnings.len() < ENOUGH {
            warnings.push(warning);
        }
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Software decodes what a GPU was to decode.
    pub(super) fn decodes_in_software(&self) {
        self.software_decoded.store(true, Ordering::Relaxed);
    }

    pub(super) fn software_decoded(&self) -> bool {
        self.software_decoded.load(Ordering::Relaxed)
    }
}

/// Whether to go on, for every thread to look at.
#[derive(Debug, Default)]
pub(super) struct Orders {
    stop: AtomicBool,
    abort: AtomicBool,
}

impl Orders {
    /// End at the next boundary.
    pub(super) fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Another thread failed: nothing more is wanted.
    pub(super) fn abort(&self) -> bool {
        self.abort.load(Ordering::Relaxed)
    }

    pub(super) fn give_up(&self) {
        self.abort.store(true, Ordering::Relaxed);
    }

    /// For the thread that holds it: whoever panics gives up for all, before its queues end and what is behind them looks
    /// whole.
    pub(super) fn give_up_on_panic(&self) -> GiveUpOnPanic<'_> {
        GiveUpOnPanic(self)
    }

    /// Follows what the supervisor says, in a thread of its own. The end of stdin means that it is gone.
    pub(super) fn listen(self: std::sync::Arc<Self>) {
        for line in std::io::stdin().lock().lines() {
            match line {
                Ok(line) if line.trim() == STOP => self.stop.store(true, Ordering::Relaxed),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        std::process::exit(ORPHANED);
    }
}

/// Has to be dropped before the queues of its thread are.
#[must_use]
pub(super) struct GiveUpOnPanic<'a>(&'a Orders);

impl Drop for GiveUpOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.give_up();
        }
    }
}
