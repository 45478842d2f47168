//! How much disk space an encoder may use: its sandbox limits each file, but not their number.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::plan::Plan;
use tokio::time::sleep;

use super::error::AttemptError;
use super::scratch::used;
use crate::encoder::protocol::QualityTask;

const LOOK_EVERY: Duration = Duration::from_millis(500);
const MIB: u64 = 1024 * 1024;
/// Images, subtitles, init segments, and segments that are still being written.
const BESIDES: u64 = 256 * MIB;
/// An encoder keeps the ladder's cap on average, not in every segment.
const TIMES_THE_CAP: u64 = 4;

#[derive(Clone, Debug)]
pub(super) struct Quota {
    output: PathBuf,
    bytes: u64,
}

impl Quota {
    /// All that could be made of the plan, and never more than `most`.
    pub(super) fn of(output: PathBuf, plan: &Plan, tasks: &[QualityTask], most: u64) -> Self {
        let kbps: u64 = tasks.iter().map(|task| u64::from(task.quality.bitrate_kbps)).sum();
        let seconds = plan.source.duration_us / 1_000_000 + 1;
        let made = kbps.saturating_mul(1000 / 8).saturating_mul(seconds).saturating_mul(TIMES_THE_CAP);
        Self { output, bytes: made.saturating_add(BESIDES).min(most) }
    }

    /// Returns once the encoder of this number keeps more than that.
    pub(super) async fn exceeded(self, encoder: i32) -> AttemptError {
        loop {
            sleep(LOOK_EVERY).await;
            let output = self.output.clone();
            let look =
                tokio::task::spawn_blocking(move || used(&output).saturating_add(hidden(encoder, &output)));
            let kept = look.await.unwrap_or(0);
            if kept > self.bytes {
                return too_much(kept, self.bytes);
            }
        }
    }
}

fn too_much(kept: u64, allowed: u64) -> AttemptError {
    let words = format!(
        "the encoder was killed: it kept {} MiB in the scratch directory, the limit for this job is {} MiB \
         (--job-scratch-mib of the worker)",
        kept / MIB,
        allowed / MIB
    );
    AttemptError::failed(ErrorClass::Encoder, words)
}

/// Bytes of files that a process holds open and that are in no directory any more.
fn hidden(process: i32, beside: &Path) -> u64 {
    let Ok(disk) = fs::metadata(beside).map(|found| found.dev()) else { return 0 };
    let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let is_hidden = |found: &Metadata| found.is_file() && found.nlink() == 0 && found.dev() == disk;
    let found = open.filter_map(|entry| fs::metadata(entry.path()).ok()).filter(is_hidden);
    // Opened twice, it is still one file.
    let files: BTreeSet<(u64, u64)> = found.map(|found| (found.ino(), found.blocks())).collect();
    files.into_iter().map(|(_, blocks)| blocks * 512).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_file_that_was_removed_while_it_is_open_counts() {
        let directory = tempfile::tempdir().unwrap();
        let mut file = tempfile::tempfile_in(directory.path()).unwrap();
        let before = hidden(std::process::id().cast_signed(), directory.path());
        file.write_all(&vec![1; 3 << 20]).unwrap();
        file.sync_all().unwrap();
        let _again = file.try_clone().unwrap();
        let after = hidden(std::process::id().cast_signed(), directory.path());
        assert!((3 << 20..4 << 20).contains(&(after - before)), "{before} {after}");
    }

    #[test]
    fn a_short_video_may_keep_less_than_a_long_one_and_no_number_overflows() {
        let plan = |duration_us: u64| -> Plan {
            let source = serde_json::json!({"duration_us": duration_us, "audio": []});
            serde_json::from_value(serde_json::json!({"source": source, "boundaries_us": []})).unwrap()
        };
        let quality = serde_json::json!({"name": "1080p", "kind": "video", "width": 1920, "height": 1080,
            "bitrate_kbps": 5000, "skipped": false});
        let task =
            serde_json::json!({"quality": quality, "missing": [], "known_init": null, "coder": "software"});
        let task: QualityTask = serde_json::from_value(task).unwrap();
        let bytes = |seconds: u64, most| {
            let plan = plan(seconds.saturating_mul(1_000_000));
            Quota::of(PathBuf::new(), &plan, std::slice::from_ref(&task), most).bytes
        };
        assert_eq!(bytes(9, u64::MAX), BESIDES + 4 * 10 * 625_000);
        assert_eq!(bytes(86_400, 8192 * MIB), 8192 * MIB);
        assert_eq!(bytes(u64::MAX, u64::MAX), bytes(u64::MAX, u64::MAX));
    }
}
