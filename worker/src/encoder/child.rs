//! The child's `main`: reads its task, does it, tells how it went.

use std::io::BufRead as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use serde::de::DeserializeOwned;

use super::encode::encode;
use super::failure::{Failure, Result};
use super::probe::probe;
use super::protocol::Report;
use super::report::{Orders, Reporter};

/// `framefarm-worker probe`.
pub fn run_probe() -> ExitCode {
    run(|reporter, _| {
        let plan = probe(&task()?)?;
        reporter.say(&Report::Probed { plan });
        Ok(())
    })
}

/// `framefarm-worker encode`.
pub fn run_encode() -> ExitCode {
    run(|reporter, orders| {
        let task = task()?;
        let listener = Arc::clone(orders);
        thread::spawn(move || listener.listen());
        let stopped = encode(&task, reporter, orders)?;
        reporter.say(&Report::Done { stopped, warnings: reporter.warnings() });
        Ok(())
    })
}

fn run(work: impl FnOnce(&Arc<Reporter>, &Arc<Orders>) -> Result<()>) -> ExitCode {
    let (reporter, orders) = (Arc::<Reporter>::default(), Arc::<Orders>::default());
    let started = ffmpeg_next::init().map_err(|error| Failure::internal("ffmpeg", error));
    ffmpeg_next::log::set_level(ffmpeg_next::log::Level::Error);
    match started.and_then(|()| work(&reporter, &orders)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { class, message }) => {
            reporter.say(&Report::Failed { class, message });
            ExitCode::FAILURE
        }
    }
}

fn task<T: DeserializeOwned>() -> Result<T> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(|error| Failure::internal("the task", error))?;
    serde_json::from_str(&line).map_err(|error| Failure::internal("the task", error))
}
