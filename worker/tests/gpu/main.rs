//! GPUs that are not there: the real NVML wrapper and the real ffmpeg on the stand-ins of `tests/gpu_stubs`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod error;
mod inventory;
mod standin;

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use framefarm_gpu_stubs::FakeGpus;
use framefarm_worker::gpu::{Inventory, Options, View};

/// Nothing that the tests wait for takes longer.
const LIMIT: Duration = Duration::from_secs(30);

fn options(fake_gpus: &FakeGpus) -> Options {
    Options {
        nvml_library: Some(fake_gpus.nvml_library()),
        every: Duration::from_millis(20),
        patience: 10,
        sees_all_processes: true,
        root: fake_gpus.path().join("no-render-nodes"),
        ..Options::default()
    }
}

/// The first look that is as wanted.
async fn wait_for(inventory: &Inventory, wanted: impl FnMut(&Arc<View>) -> bool) -> Arc<View> {
    let mut looks = inventory.looks();
    let Ok(seen) = tokio::time::timeout(LIMIT, looks.wait_for(wanted)).await else {
        panic!("the last look was {:#?}", inventory.now());
    };
    Arc::clone(&seen.unwrap())
}

/// For what tells nobody when it happens, as a lock that another process takes.
fn until(mut happened: impl FnMut() -> bool) {
    let limit = Instant::now() + LIMIT;
    while !happened() {
        assert!(Instant::now() < limit);
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Debian's ffmpeg on the fake GPUs; ends with the test.
struct Ffmpeg(Child);

impl Ffmpeg {
    fn start(fake_gpus: &FakeGpus, arguments: &[&str]) -> Self {
        let mut command = Command::new("ffmpeg");
        command.args(["-nostdin", "-nostats", "-hide_banner", "-loglevel", "verbose"]).args(arguments);
        command.env("LD_LIBRARY_PATH", fake_gpus.library_path()).env_remove("CUDA_VISIBLE_DEVICES");
        Self(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// Pictures until the end of the test.
    fn endless(fake_gpus: &FakeGpus) -> Self {
        Self::start(
            fake_gpus,
            &["-re", "-f", "lavfi", "-i", "testsrc2=s=320x180", "-c:v", "h264_nvenc", "-f", "null", "-"],
        )
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        let _ended_already = self.0.kill();
        let _reaped = self.0.wait();
    }
}
