//! One task from end to end: which thread does what.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::ladder::{AudioName, MediaKind};

use super::audio::Track;
use super::copy::{Copied, Copy, is_copy};
use super::cutter::{Cutter, Shared};
use super::decode_pass::{DecodePass, Decoding, Ended};
use super::failure::{Failure, Result};
use super::gpu_decode;
use super::hardware::Hardware;
use super::images::{Images, write_cover};
use super::input::{Source, SourceVideo};
use super::meter::{self, Meter};
use super::protocol::{Coder, EncodeTask, QualityTask, Report};
use super::report::{Orders, Reporter};
use super::rung::{PlacedFrame, QUEUE, Rung};
use super::scan::Scan;
use super::subtitles;
use super::time::{SAMPLES, TICKS, audio_starts, clock_words, video_starts};
use super::timeline::Timeline;
use super::video_encoder::{VideoSettings, library};
use super::wanted::Wanted;

/// Encodes what is missing. True if it was stopped before the end.
pub(super) fn encode(task: &EncodeTask, reporter: &Arc<Reporter>, orders: &Orders) -> Result<bool> {
    task.plan.check().map_err(|error| Failure::internal("invalid plan", error))?;
    let timeline = timeline(task)?;
    let source = open(task, &timeline)?;
    let mut work = Work::sort(task, timeline, source.video.as_ref(), reporter);
    work.open_gpu()?;
    let (over, tells) = channel::<()>();
    let result = thread::scope(|scope| {
        let meters = work.meters();
        scope.spawn(move || meter::tell(&meters, reporter, &tells));
        let result = work.run(source, orders, reporter);
        drop(over);
        result
    });
    meter::sum_up(&work.meters(), reporter);
    result.map(|ended| ended == Ended::Stopped)
}

fn timeline(task: &EncodeTask) -> Result<Timeline> {
    if task.plan.restamp && task.plan.joins.is_empty() {
        return Ok(Scan::run(&mut Source::open(&task.source)?)?.timeline);
    }
    Ok(Timeline::of(&task.plan))
}

fn open(task: &EncodeTask, timeline: &Timeline) -> Result<Source> {
    let mut source = Source::open(&task.source)?;
    source.follow(timeline.clone());
    Ok(source)
}

/// The task, sorted by how each quality is made.
struct Work<'a> {
    task: &'a EncodeTask,
    timeline: Timeline,
    shared: Shared,
    video_starts: Arc<[i64]>,
    audio_starts: Arc<[i64]>,
    /// The largest first, so that each is scaled from the one before.
    coded: Vec<One<'a>>,
    copied: Vec<One<'a>>,
    audio: Vec<One<'a>>,
    /// Opened, if one of `coded` needs it.
    hardware: Option<Arc<Hardware>>,
}

/// One quality and what is missing of it.
struct One<'a> {
    task: &'a QualityTask,
    wanted: Wanted,
    meter: Arc<Meter>,
}

/// How a quality is made.
enum Group {
    Audio,
    Copied,
    Coded,
}

impl<'a> Work<'a> {
    fn sort(
        task: &'a EncodeTask,
        timeline: Timeline,
        video: Option<&SourceVideo>,
        reporter: &Arc<Reporter>,
    ) -> Self {
        let shared = Shared { output: task.output.clone(), reporter: Arc::clone(reporter) };
        let (video_starts, audio_starts) = (video_starts(&task.plan).into(), audio_starts(&task.plan).into());
        let (coded, copied, audio) = (vec![], vec![], vec![]);
        let mut work =
            Self { task, timeline, shared, video_starts, audio_starts, coded, copied, audio, hardware: None };
        for quality in &task.qualities {
            let copied = video.is_some_and(|p| is_copy(&task.plan, &quality.quality, p));
            let gpu = task.gpu.as_ref().filter(|_| quality.coder == Coder::Gpu).map(|gpu| gpu.kind);
            let (encoder, group) = match quality.quality.kind {
                MediaKind::Audio => ("aac".to_owned(), Group::Audio),
                MediaKind::Video if copied => ("copy".to_owned(), Group::Copied),
                MediaKind::Video => (library(gpu, quality.quality.codec), Group::Coded),
            };
            let one = work.one(quality, encoder);
            if one.wanted.is_empty() {
                continue;
            }
            match group {
                Group::Audio => work.audio.push(one),
                Group::Copied => work.copied.push(one),
                Group::Coded => work.coded.push(one),
            }
        }
        let pixels = |one: &One<'_>| std::cmp::Reverse(one.task.quality.width * one.task.quality.height);
        work.coded.sort_by_key(pixels);
        work
    }

    fn one(&self, task: &'a QualityTask, encoder: String) -> One<'a> {
        let (starts, units) = match task.quality.kind {
            MediaKind::Video => (&self.video_starts, TICKS),
            MediaKind::Audio => (&self.audio_starts, SAMPLES),
        };
        let wanted = Wanted::new(&task.missing, starts.len() - 1);
        let total = starts.last().copied().unwrap_or(0);
        #[expect(clippy::cast_precision_loss, reason = "a day of ticks fits in 52 bits")]
        let seconds = |ticks: i64| ticks as f64 / units as f64;
        let had = seconds(total - wanted.length(starts));
        let meter = Arc::new(Meter::new(&task.quality.name, encoder, units, seconds(total), had));
        One { task, wanted, meter }
    }

    fn open_gpu(&mut self) -> Result<()> {
        if self.coded.iter().any(|one| one.task.coder == Coder::Gpu) {
            let gpu = self.task.gpu.as_ref();
            let gpu = gpu.ok_or_else(|| Failure::internal("invalid task", "it names no GPU"))?;
            self.hardware = Some(Arc::new(Hardware::open(gpu)?));
        }
        Ok(())
    }

    fn meters(&self) -> Vec<Arc<Meter>> {
        let all = self.coded.iter().chain(&self.copied).chain(&self.audio);
        all.map(|one| Arc::clone(&one.meter)).collect()
    }

    /// The picture on this thread and those of its qualities, everything else beside it.
    fn run(&self, source: Source, orders: &Orders, reporter: &Reporter) -> Result<Ended> {
        thread::scope(|scope| {
            let beside = scope.spawn(move || guarded(orders, || self.beside(orders)));
            let copying = scope.spawn(move || guarded(orders, || self.copy(orders, reporter)));
            let decode_pass = guarded(orders, || self.decode_pass(source, orders, reporter));
            let ended = worst_first(vec![decode_pass, joined(beside), joined(copying)])?;
            Ok(if ended.contains(&Ended::Stopped) { Ended::Stopped } else { Ended::Whole })
        })
    }

    fn open(&self) -> Result<Source> {
        open(self.task, &self.timeline)
    }

    fn decode_pass(&self, source: Source, orders: &Orders, reporter: &Reporter) -> Result<Ended> {
        let Some(video) = source.video.clone() else {
            return if self.task.images {
                write_cover(source, &self.shared, orders)
            } else {
                Ok(Ended::Whole)
            };
        };
        let mut images = self.task.images.then(|| Images::new(&self.shared, &video, &self.task.plan));
        let Some(largest) = self.coded.first().map(|one| &one.task.quality) else {
            return images.map_or(Ok(Ended::Whole), |images| images.finish(|| self.open(), orders));
        };
        let wanted = Wanted::all(self.coded.iter().map(|one| &one.wanted));
        let size = (largest.width, largest.height);
        let mut decode_pass = DecodePass::open(
            source,
            size,
            self.decoding(&video),
            Arc::clone(&self.video_starts),
            orders,
            reporter,
        )?;
        let ended = thread::scope(|scope| {
            let mut rungs = Vec::new();
            let (first, mut from) = sync_channel::<PlacedFrame>(QUEUE);
            for (position, one) in self.coded.iter().enumerate() {
                let rung = self.rung(one, &video);
                let (below, next) = sync_channel::<PlacedFrame>(QUEUE);
                let is_last = position + 1 == self.coded.len();
                let queues =
                    Queues { above: std::mem::replace(&mut from, next), below: (!is_last).then_some(below) };
                rungs.push(scope.spawn(move || {
                    queues.between(orders, |above, below| {
                        let result = rung.run(above, below, orders);
                        if result.is_ok() && !orders.abort() && !orders.stop() {
                            one.meter.complete();
                        }
                        one.meter.end();
                        result
                    })
                }));
            }
            let mut sink = (first, images.as_mut());
            let guard = orders.give_up_on_panic();
            let ended = decode_pass.run(&wanted, &mut sink);
            drop(guard);
            // Before the queue ends, so that no quality takes its last segment for whole.
            if ended.is_err() {
                orders.give_up();
            }
            drop(sink);
            let coded = worst_first(rungs.into_iter().map(joined).collect());
            coded.and(ended)
        })?;
        match images {
            Some(images) if ended == Ended::Whole => images.finish(|| self.open(), orders),
            _ => Ok(ended),
        }
    }

    /// Encoders leave little of the processor to the decoder, unless GPUs do their work. Until they have enough to begin
    /// with, they wait for it; with large pictures that is long.
    fn decoding(&self, video: &SourceVideo) -> Decoding<'_> {
        let all = self.task.settings.threads;
        let by_gpus = self.coded.iter().all(|one| one.task.coder == Coder::Gpu);
        let least = if video.is_large() { all.min(2) } else { 1 };
        let threads = if by_gpus { all } else { (all / 4).max(least) }.clamp(1, 8);
        let hardware = self.hardware.as_ref().filter(|hardware| hardware.gpu.on_gpu);
        let gpu = hardware.filter(|_| gpu_decode::suits(video)).map(|hardware| &hardware.device);
        Decoding { threads, gpu }
    }

    fn rung(&self, one: &One<'_>, video: &SourceVideo) -> Rung {
        let hardware = self.hardware.clone().filter(|_| one.task.coder == Coder::Gpu);
        let quality = one.task.quality.clone();
        let starts = Arc::clone(&self.video_starts);
        Rung {
            cutter: Cutter::new(&self.shared, &quality.name, starts, true),
            settings: VideoSettings {
                preset: self.task.settings.preset.clone(),
                threads: self.threads_for(one),
                rate: video.rate,
                colors: video.colors,
                quality,
                hardware,
            },
            mixed: one.task.known_init.is_some() || one.task.coder == Coder::Gpu,
            wanted: one.wanted.clone(),
            meter: Arc::clone(&one.meter),
            reporter: Arc::clone(&self.shared.reporter),
        }
    }

    /// By its share of the pixels: the largest quality is the longest way, and the small ones only lose by threads.
    fn threads_for(&self, one: &One<'_>) -> u32 {
        let pixels = |one: &One<'_>| u64::from(one.task.quality.width) * u64::from(one.task.quality.height);
        let by_us = self.coded.iter().filter(|one| one.task.coder == Coder::Software);
        let total: u64 = by_us.map(pixels).sum();
        let threads = u64::from(self.task.settings.threads);
        let share = (pixels(one) * threads * 3).div_ceil(total.max(1) * 2);
        u32::try_from(share.clamp(1, 16)).unwrap_or(1)
    }

    fn copy(&self, orders: &Orders, reporter: &Reporter) -> Result<Ended> {
        for one in &self.copied {
            let source = self.open()?;
            let Some(video) = source.video.clone() else { return Ok(Ended::Whole) };
            let (starts, meter) = (Arc::clone(&self.video_starts), Arc::clone(&one.meter));
            let name = &one.task.quality.name;
            let cutter = Cutter::new(&self.shared, name, Arc::clone(&starts), true);
            let copy = Copy { source, video, starts, cutter, meter, orders };
            let ended = match copy.run(&one.wanted) {
                Ok(Copied::Ended(ended)) => Ok(ended),
                Ok(Copied::UnfitFrom(segment, cutter)) => {
                    self.encode_rest(one, segment, cutter, orders, reporter)
                }
                Err(failure) => Err(failure),
            };
            one.meter.end();
            if ended? == Ended::Stopped {
                return Ok(Ended::Stopped);
            }
        }
        Ok(Ended::Whole)
    }

    /// A source that turns out unfit to be copied is encoded from that segment on.
    fn encode_rest(
        &self,
        one: &One<'_>,
        segment: usize,
        cutter: Cutter,
        orders: &Orders,
        reporter: &Reporter,
    ) -> Result<Ended> {
        let at = clock_words(self.video_starts[segment]);
        let quality = &one.task.quality;
        reporter.warn(format!(
            "{} is encoded instead of copied from {at} on: the source is damaged there",
            quality.name
        ));
        let source = self.open()?;
        let Some(video) = source.video.clone() else { return Ok(Ended::Whole) };
        let (threads, size) = (self.task.settings.threads, (quality.width, quality.height));
        let decoding = Decoding { threads: 1, gpu: None };
        let starts = Arc::clone(&self.video_starts);
        let mut decode_pass = DecodePass::open(source, size, decoding, starts, orders, reporter)?;
        let wanted = one.wanted.behind(segment);
        let mut rung = self.rung(one, &video);
        (rung.cutter, rung.wanted, rung.mixed) = (cutter, wanted.clone(), true);
        (rung.settings.hardware, rung.settings.threads) = (None, threads);
        thread::scope(|scope| {
            let (mut first, from) = sync_channel::<PlacedFrame>(QUEUE);
            let coded = scope.spawn(move || rung.run(&from, None, orders).map(|()| Ended::Whole));
            let guard = orders.give_up_on_panic();
            let ended = decode_pass.run(&wanted, &mut first);
            drop(guard);
            if ended.is_err() {
                orders.give_up();
            }
            drop(first);
            joined(coded).and(ended)
        })
    }

    /// Sound and subtitles, one after the other: together they are a small part of the work.
    fn beside(&self, orders: &Orders) -> Result<Ended> {
        for one in &self.audio {
            let source = self.open()?;
            let name = &one.task.quality.name;
            let of_track = |name: AudioName| Some((name, source.audio.get(name.track)?.clone()));
            let Some((audio_name, audio)) = AudioName::parse(name).and_then(of_track) else {
                return Err(Failure::internal(name, "the source has no such track"));
            };
            let channels = audio_name.channels(audio.channels) as usize;
            let (starts, meter) = (Arc::clone(&self.audio_starts), Arc::clone(&one.meter));
            let cutter = Cutter::new(&self.shared, name, Arc::clone(&starts), false);
            let quality = one.task.quality.clone();
            let reporter = &*self.shared.reporter;
            let track = Track { source, audio, quality, channels, starts, cutter, meter, orders, reporter };
            let ended = track.run(&one.wanted);
            one.meter.end();
            match ended {
                Ok(Ended::Whole) => {}
                // One bad track is no reason to lose the others.
                Err(failure) if matches!(failure.class, ErrorClass::InputInvalid | ErrorClass::Encoder) => {
                    let (quality, class, message) = (name.clone(), failure.class, failure.message);
                    self.shared.reporter.say(&Report::QualityFailed { quality, class, message });
                }
                ended => return ended,
            }
        }
        if self.task.subtitles && !self.task.plan.source.subtitles.is_empty() {
            let end = self.video_starts.last().copied().unwrap_or(i64::MAX);
            return subtitles::write_all(&mut self.open()?, &self.shared, orders, end);
        }
        Ok(Ended::Whole)
    }
}

/// Whoever fails gives up for all.
fn guarded<T>(orders: &Orders, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let _guard = orders.give_up_on_panic();
    work().inspect_err(|_| orders.give_up())
}

/// Between which queues a quality works.
struct Queues {
    above: Receiver<PlacedFrame>,
    below: Option<SyncSender<PlacedFrame>>,
}

impl Queues {
    /// The queues end after it was given up, if it was: nobody below may take its last segment for whole.
    fn between(
        self,
        orders: &Orders,
        work: impl FnOnce(&Receiver<PlacedFrame>, Option<&SyncSender<PlacedFrame>>) -> Result<()>,
    ) -> Result<Ended> {
        guarded(orders, || work(&self.above, self.below.as_ref())).map(|()| Ended::Whole)
    }
}

/// A GPU that failed is the reason of whatever failed with it.
fn worst_first(ended: Vec<Result<Ended>>) -> Result<Vec<Ended>> {
    let by_gpu = |ended: &Result<Ended>| ended.as_ref().is_err_and(|failure| failure.gpu.is_some());
    match ended.iter().position(by_gpu) {
        Some(worst) => ended.into_iter().nth(worst).into_iter().collect(),
        None => ended.into_iter().collect(),
    }
}

/// A thread that panicked is a defect of ours, told like any other.
fn joined(thread: thread::ScopedJoinHandle<'_, Result<Ended>>) -> Result<Ended> {
    thread.join().unwrap_or_else(|_| Err(Failure::internal("encoder", "a thread panicked")))
}

#[cfg(test)]
mod tests;
