//! One encoder child, from its task to its last report.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use framefarm_shared::gpu::GpuKind;
use serde::Serialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::time::timeout;

use super::Tested;
use crate::encoder::protocol::Report;
use crate::ffmpeg_message::cleaned;

const PATIENCE: Duration = Duration::from_mins(3);

pub(super) struct Said {
    pub(super) reports: Vec<Report>,
    /// What it wrote beside, ffmpeg's words included.
    pub(super) beside: String,
    pub(super) took: Duration,
}

pub(super) async fn run(
    program: &Path,
    what: &str,
    task: &impl Serialize,
    gpu: Option<&Tested>,
) -> Result<Said, String> {
    let began = Instant::now();
    let mut command = Command::new(program);
    command.arg(what).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    if let Some(gpu) = gpu.filter(|gpu| gpu.kind == GpuKind::Nvenc) {
        command.env("CUDA_VISIBLE_DEVICES", &gpu.id);
    }
    let mut child = command.spawn().map_err(|error| format!("cannot start {what}: {error}"))?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut stdin), Some(mut stdout), Some(mut stderr)) = pipes else {
        return Err(format!("{what} has no pipes"));
    };
    let mut line = serde_json::to_vec(task).map_err(|error| error.to_string())?;
    line.push(b'\n');
    let (mut said, mut beside) = (Vec::new(), Vec::new());
    // Its stdin stays open: the end of it would tell the child that we are gone.
    let conversation = async {
        stdin.write_all(&line).await?;
        let read = tokio::join!(stdout.read_to_end(&mut said), stderr.read_to_end(&mut beside));
        read.0.and(read.1)?;
        child.wait().await
    };
    let ended = timeout(PATIENCE, conversation).await.map_err(|_| format!("{what} timed out"))?;
    ended.map_err(|error| format!("{what}: {error}"))?;
    let text = String::from_utf8_lossy(&said);
    let reports = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    Ok(Said { reports, beside: cleaned(&String::from_utf8_lossy(&beside)), took: began.elapsed() })
}

impl Said {
    /// Whether it did everything, without a warning about damage.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.reports.last() {
            Some(Report::Done { stopped: false, warnings, .. }) if warnings.is_empty() => Ok(()),
            Some(Report::Done { warnings, .. }) => Err(format!("incomplete: {}", warnings.join("; "))),
            Some(Report::GpuFailed { message, .. } | Report::Failed { message, .. }) => Err(message.clone()),
            _ => Err(format!("the encoder ended without a result: {}", self.beside)),
        }?;
        let failed = self.reports.iter().find_map(|report| match report {
            Report::QualityFailed { message, .. } => Some(message.clone()),
            _ => None,
        });
        failed.map_or(Ok(()), Err)
    }

    /// Whether software decoded anything that the GPU was to decode.
    pub(super) fn software_decoded(&self) -> bool {
        matches!(self.reports.last(), Some(Report::Done { software_decoded: true, .. }))
    }
}
