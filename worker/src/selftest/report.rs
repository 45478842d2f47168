//! What came of it, fit for an issue.

use std::fmt;
use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;

use crate::doctor::trial::Answer;
use crate::sandbox;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed(String),
    Failed(String),
    /// Not possible here, which is no failure.
    LeftOut(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub gpu: String,
    pub what: String,
    pub outcome: Outcome,
}

impl Row {
    pub(super) fn new(gpu: &str, what: &str, outcome: Outcome) -> Self {
        Self { gpu: gpu.to_owned(), what: what.to_owned(), outcome }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Report {
    head: Vec<String>,
    pub rows: Vec<Row>,
}

impl Report {
    pub(super) async fn begin(program: &Path, missing: &[String]) -> Self {
        let mut head = vec![format!("framefarm-worker {}", env!("CARGO_PKG_VERSION"))];
        head.push(libraries(program).await);
        let first_line = |path: &str| {
            let text = std::fs::read_to_string(path).ok()?;
            text.lines().next().map(|line| line.trim().to_owned())
        };
        head.push(format!("Linux {}", first_line("/proc/sys/kernel/osrelease").unwrap_or_default()));
        head.extend(first_line("/proc/driver/nvidia/version"));
        head.push(match sandbox::probe_sandbox(program).await {
            Ok(raised) if raised.missing().next().is_none() => "sandbox: all layers enforced".to_owned(),
            Ok(raised) => format!("sandbox layers missing: {raised}"),
            Err(error) => format!("sandbox: {error}"),
        });
        head.extend(missing.iter().cloned());
        Self { head, rows: Vec::new() }
    }

    pub(super) fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Whether everything passed that should; a machine without GPUs has nothing to pass.
    pub fn passed(&self) -> bool {
        !self.rows.is_empty() && self.failed().next().is_none()
    }

    pub fn failed(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| matches!(row.outcome, Outcome::Failed(_)))
    }
}

async fn libraries(program: &Path) -> String {
    let mut command = Command::new(program);
    command.args(["try-encoder", "libx264"]).stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.map(|output| output.stdout).unwrap_or_default();
    let last = output.trim_ascii().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let answer = serde_json::from_slice::<Answer>(last);
    answer.map_or_else(|_| "ffmpeg: unknown version".to_owned(), |answer| answer.libraries.join(", "))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.head {
            writeln!(f, "{line}")?;
        }
        let mut gpu = "";
        for row in &self.rows {
            if row.gpu != gpu {
                gpu = &row.gpu;
                writeln!(f, "\n{gpu}")?;
            }
            let (sign, words) = match &row.outcome {
                Outcome::Passed(words) => ("pass", words),
                Outcome::Failed(words) => ("FAIL", words),
                Outcome::LeftOut(words) => ("  - ", words),
            };
            writeln!(f, "  {sign}  {}: {words}", row.what)?;
        }
        let (all, failed) = (self.rows.len(), self.failed().count());
        match (all, failed) {
            (0, _) => writeln!(f, "\nno GPU found: nothing was tested"),
            (_, 0) => writeln!(f, "\nall passed"),
            _ => writeln!(f, "\n{failed} of {all} failed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_reads_in_an_issue() {
        let mut report = Report { head: vec!["framefarm-worker 0.1.0".to_owned()], rows: vec![] };
        assert!(!report.passed());
        let gpu = "A GPU (GPU-1, nvenc)";
        report.add(Row::new(gpu, "h264_nvenc: test encode", Outcome::Passed("400 frames".to_owned())));
        report.add(Row::new(gpu, "av1_nvenc", Outcome::LeftOut("not in this ffmpeg".to_owned())));
        assert!(report.passed());
        report.add(Row::new(gpu, "h264_nvenc: resumed", Outcome::Failed("no device".to_owned())));
        assert!(!report.passed());
        let expected = "framefarm-worker 0.1.0\n\nA GPU (GPU-1, nvenc)\n  pass  h264_nvenc: test encode: 400 frames\n    -   \
                        av1_nvenc: not in this ffmpeg\n  FAIL  h264_nvenc: resumed: no device\n\n1 of 3 failed\n";
        assert_eq!(report.to_string(), expected);
    }
}
