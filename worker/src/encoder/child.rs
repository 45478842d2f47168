//! The child's `main`: reads its task, does it, tells how it went.

use std::io::BufRead as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use super::encode::encode;
use super::failure::{Failure, Result};
use super::ff;
use super::limits;
use super::probe::probe;
use super::protocol::{EncodeTask, ProbeTask, Report};
use super::report::{Orders, Reporter};
use crate::sandbox::{self, Rules};

/// `framefarm-worker probe`.
pub fn run_probe() -> ExitCode {
    run(|reporter, orders| {
        let task: ProbeTask = task()?;
        let size = std::fs::metadata(&task.source).map_or(0, |found| found.len());
        confine(&Rules::new(&task.source, None, limits::of_probe(size)))?;
        listen(orders);
        let began = Instant::now();
        let plan = while_telling(reporter, &task.source, || probe(&task))?;
        let spent = Some(reporter.spent(began, Instant::now()));
        reporter.say(&Report::Probed { plan, spent });
        Ok(())
    })
}

/// Tells about once a second how much of the source was read, until the work is done.
fn while_telling<T>(reporter: &Reporter, source: &Path, work: impl FnOnce() -> T) -> T {
    const EVERY: Duration = Duration::from_secs(1);
    let size = std::fs::metadata(source).map_or(0, |found| found.len());
    let before = reporter.bytes_read().total;
    let (over, tells) = channel::<()>();
    thread::scope(move |scope| {
        scope.spawn(move || {
            while tells.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                let read = reporter.bytes_read().total.saturating_sub(before);
                reporter.say(&Report::Probing { read, size });
            }
        });
        let done = work();
        drop(over);
        done
    })
}

/// `framefarm-worker encode`.
pub fn run_encode() -> ExitCode {
    run(|reporter, orders| {
        let task: EncodeTask = task()?;
        let rules = Rules::new(&task.source, Some(&task.output), limits::of_encode(&task));
        confine(&if task.gpu.is_some() { rules.with_gpus() } else { rules })?;
        listen(orders);
        let stopped = encode(&task, reporter, orders)?;
        let (warnings, software_decoded) = (reporter.warnings(), reporter.software_decoded());
        reporter.say(&Report::Done { stopped, warnings, software_decoded });
        Ok(())
    })
}

fn run(work: impl FnOnce(&Arc<Reporter>, &Arc<Orders>) -> Result<()>) -> ExitCode {
    let (reporter, orders) = (Arc::<Reporter>::default(), Arc::<Orders>::default());
    let started = ffmpeg_next::init().map_err(|error| Failure::internal("ffmpeg", error));
    ffmpeg_next::log::set_level(ffmpeg_next::log::Level::Error);
    ff::remember();
    match started.and_then(|()| work(&reporter, &orders)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { class, message, gpu }) => {
            reporter.say(&match gpu {
                Some((stage, code)) => Report::GpuFailed { stage, code, message },
                None => Report::Failed { class, message },
            });
            ExitCode::FAILURE
        }
    }
}

/// Before anything of the source is read.
fn confine(rules: &Rules) -> Result<()> {
    let raised = sandbox::enter(rules).map_err(|refused| Failure::internal("sandbox", refused))?;
    if !raised.is_complete() {
        eprintln!("framefarm-worker: sandbox layers missing: {raised}");
    }
    Ok(())
}

/// Inside the sandbox, which is in place before there is a second thread.
fn listen(orders: &Arc<Orders>) {
    let listener = Arc::clone(orders);
    thread::spawn(move || listener.listen());
}

fn task<T: DeserializeOwned>() -> Result<T> {
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Failure::internal("cannot read the task", error))?;
    serde_json::from_str(&line).map_err(|error| Failure::internal("cannot read the task", error))
}
