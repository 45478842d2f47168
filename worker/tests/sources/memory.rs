//! What the encoder uses up: its memory does not grow with the video, and its CPU time has an end.

use framefarm_worker::encoder::protocol::Report;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::clip::Clip;
use crate::driver::Running;
use crate::made::{qualities, task};

/// A third of the source below.
const LITTLE_KIB: u64 = 16 * 1024;

#[test]
fn a_long_clip_takes_no_more_memory_than_a_short_one() {
    // 47 MB of uncompressed pictures.
    let clip =
        Clip::empty().picture("192x108", "25", 60.0).with("-c:v rawvideo -pix_fmt yuv420p").save("clip.avi");
    let plan = clip.plan(false);
    let mut encoder = Running::start("encode", &task(&clip, &plan, &qualities(&plan, "108p:500")));
    let mut peaks = Vec::new();
    while let Some(report) = encoder.next() {
        if matches!(report, Report::Segment { .. }) {
            // Stopped, it cannot end before a busy machine lets us look.
            let process = Pid::from_raw(encoder.child.id().try_into().unwrap());
            kill(process, Signal::SIGSTOP).unwrap();
            peaks.extend(peak_kib(encoder.child.id()));
            kill(process, Signal::SIGCONT).unwrap();
        }
    }
    let ended = encoder.finish();
    assert!(ended.status.success(), "{}", ended.stderr);
    let (early, last) = (peaks[1], peaks[peaks.len() - 1]);
    assert!(peaks.len() > 5 && last < early + LITTLE_KIB, "grows: {peaks:?} KiB");
}

#[test]
fn an_encoder_has_a_limit_of_cpu_time() {
    let clip = Clip::silent().with("-c:v rawvideo -pix_fmt yuv420p").save("clip.avi");
    let plan = clip.plan(false);
    let mut encoder = Running::start("encode", &task(&clip, &plan, &qualities(&plan, "108p:500")));
    assert!(encoder.next().is_some(), "it is inside its sandbox");
    // Until it is waited for, its number is its own.
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", encoder.child.id())).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max cpu time")).unwrap();
    assert!(!line.contains("unlimited"), "{line}");
    assert!(encoder.finish().status.success());
}

/// The most memory that a process has had; none if it is gone.
fn peak_kib(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
