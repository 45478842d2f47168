//! `framefarm-worker gpu-selftest`: every path to every encoder of every GPU, through the real encoder child, as a
//! report that a person pastes into an issue.

mod bench;
mod child;
mod find;
mod matrix;
mod report;

use std::path::{Path, PathBuf};

use framefarm_shared::gpu::GpuKind;

pub use find::find;
pub use report::{Outcome, Report, Row};

use crate::doctor::{Problem, try_gpu};
use bench::Bench;

/// A GPU that is to be tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    pub kind: GpuKind,
    /// The driver's id, or a render node.
    pub id: String,
    pub name: String,
}

/// What is tested, and with what.
#[derive(Debug)]
pub struct Selftest {
    /// The `framefarm-worker` to start as a child.
    pub program: PathBuf,
    /// An empty directory for clips and segments.
    pub scratch: PathBuf,
    pub gpus: Vec<Tested>,
    /// Why there are no more GPUs, in words.
    pub missing: Vec<String>,
}

impl Selftest {
    /// Takes some seconds for each encoder. Whatever fails is a row.
    pub async fn run(&self) -> Report {
        let mut report = Report::begin(&self.program, &self.missing).await;
        if self.gpus.is_empty() {
            return report;
        }
        match Bench::set_up(&self.program, &self.scratch).await {
            Ok(bench) => {
                for gpu in &self.gpus {
                    self.gpu(gpu, &bench, &mut report).await;
                }
            }
            Err(why) => report.add(Row::new("this machine", "test clip", Outcome::Failed(why))),
        }
        report
    }

    async fn gpu(&self, gpu: &Tested, bench: &Bench, report: &mut Report) {
        let title = format!("{} ({}, {})", gpu.name, gpu.id, gpu.kind);
        let trial = try_gpu(&self.program, gpu.kind, &gpu.id).await;
        for encoder in &trial.encoders {
            let words =
                format!("{:.0} fps at 1080p, up to {} pixels wide or high", encoder.fps, encoder.max_side);
            report.add(Row::new(&title, &format!("{}: test encode", encoder.name), Outcome::Passed(words)));
            matrix::run(bench, gpu, encoder, &mut |what, outcome| {
                report.add(Row::new(&title, &format!("{}: {what}", encoder.name), outcome));
            })
            .await;
        }
        for Problem { what, why, is_fault } in trial.problems {
            let outcome = if is_fault { Outcome::Failed(why) } else { Outcome::LeftOut(why) };
            report.add(Row::new(&title, &what, outcome));
        }
        if let Some(limit) = trial.session_limit {
            let words = format!("{limit} concurrent; one more is refused");
            report.add(Row::new(&title, "sessions", Outcome::Passed(words)));
        }
    }
}

fn in_directory(path: &Path) -> Result<(), String> {
    std::fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))
}
