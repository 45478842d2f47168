//! Since when an encoder, and the GPU that it uses, made no progress. A report alone is no progress.

use std::collections::BTreeSet;

use tokio::time::Instant;

use crate::encoder::protocol::{BytesRead, Coder, QualityTask};

#[derive(Debug)]
pub(super) struct Watchdog {
    /// Since when nothing moved.
    moved_at: Instant,
    /// Since when nothing moved on the GPU, nor on the way to it.
    gpu_moved_at: Instant,
    on_gpu: BTreeSet<String>,
    read: BytesRead,
}

impl Watchdog {
    pub(super) fn start(tasks: &[QualityTask]) -> Self {
        let on_gpu = tasks.iter().filter(|task| task.coder == Coder::Gpu);
        let on_gpu = on_gpu.map(|task| task.quality.name.clone()).collect();
        let now = Instant::now();
        Self { moved_at: now, gpu_moved_at: now, on_gpu, read: BytesRead::default() }
    }

    pub(super) fn moved_at(&self) -> Instant {
        self.moved_at
    }

    pub(super) fn gpu_moved_at(&self) -> Instant {
        self.gpu_moved_at
    }

    pub(super) fn is_on_gpu(&self, quality: &str) -> bool {
        self.on_gpu.contains(quality)
    }

    /// Something was made that is no quality's: an image, subtitles, a verdict.
    pub(super) fn moved(&mut self) {
        self.moved_at = Instant::now();
    }

    /// A quality came further.
    pub(super) fn advanced(&mut self, quality: &str) {
        self.moved();
        if self.is_on_gpu(quality) {
            self.gpu_moved_at = self.moved_at;
        }
    }

    /// A picture that is still decoded for is none that the GPU keeps waiting.
    pub(super) fn has_read(&mut self, read: BytesRead) {
        if read.total > self.read.total {
            self.moved();
        }
        if read.video > self.read.video {
            self.restart();
        }
        self.read = read;
    }

    /// Everything moves, or nobody looked whether it does.
    pub(super) fn restart(&mut self) {
        self.moved();
        self.gpu_moved_at = self.moved_at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use framefarm_shared::ladder::{MediaKind, PlannedQuality, VideoCodec};
    use std::time::Duration;

    fn task(name: &str, coder: Coder) -> QualityTask {
        let quality = PlannedQuality {
            name: name.to_owned(),
            kind: MediaKind::Video,
            width: 640,
            height: 360,
            bitrate_kbps: 600,
            codec: VideoCodec::H264,
            skipped: false,
        };
        QualityTask { quality, missing: vec![], known_init: None, coder }
    }

    fn read(total: u64, video: u64) -> BytesRead {
        BytesRead { total, video }
    }

    /// For how long nothing moved, and for how long nothing on the GPU or on the way to it, after `said` came a minute
    /// after the start.
    async fn idle(said: impl FnOnce(&mut Watchdog)) -> (u64, u64) {
        let tasks = [task("720p", Coder::Gpu), task("360p", Coder::Software)];
        let mut watchdog = Watchdog::start(&tasks);
        watchdog.has_read(read(100, 50));
        tokio::time::advance(Duration::from_mins(1)).await;
        said(&mut watchdog);
        (watchdog.moved_at().elapsed().as_secs(), watchdog.gpu_moved_at().elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_gpu_is_not_blamed_while_the_decoder_is_still_on_its_way() {
        assert_eq!(idle(|watchdog| watchdog.has_read(read(101, 51))).await, (0, 0));
        // Audio is read and coded beside it, whatever the GPU does.
        assert_eq!(idle(|watchdog| watchdog.has_read(read(101, 50))).await, (0, 60));
        assert_eq!(idle(|watchdog| watchdog.advanced("audio0")).await, (0, 60));
        assert_eq!(idle(|watchdog| watchdog.advanced("360p")).await, (0, 60));
        assert_eq!(idle(|watchdog| watchdog.advanced("720p")).await, (0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_report_in_which_nothing_moved_is_no_progress() {
        assert_eq!(idle(|watchdog| watchdog.has_read(read(100, 50))).await, (60, 60));
    }
}
