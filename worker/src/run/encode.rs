//! The encoder at work: what it finishes is delivered while it goes on.

use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::state::Step;
use framefarm_shared::wire::worker_api::{LeftOut, PlanReply};
use tokio::time::{Instant, sleep_until};

use super::deliver::Deliveries;
use super::encoder::{Encoder, Kind};
use super::error::AttemptError;
use super::job::Attempt;
use super::place::Moves;
use super::progress::{self, Progress};
use super::quota::Quota;
use super::sidecars::{self, Sidecar};
use super::trace::Running;
use super::watchdog::Watchdog;
use super::{Phase, place, plan, report};
use crate::encoder::protocol::{EncodeTask, EncoderSettings, QualityTask, Report};
use crate::gpu::{GpuError, Reservation};

/// With more than so many undelivered segments the encoder's words are left in its pipe, until it waits.
const MOST_UNDELIVERED: usize = 64;

/// As long as GPUs fail or are wanted back, what is missing by then is encoded elsewhere: it is one attempt. Gives back
/// what the source does not let be made.
pub(super) async fn encode(
    attempt: &Attempt<'_>,
    source: &Path,
    mut agreed: PlanReply,
) -> Result<Vec<LeftOut>, AttemptError> {
    let mut left_out = Vec::new();
    let (supervisor, mut moves) = (attempt.supervisor, Moves::default());
    loop {
        let mut tasks = plan::tasks(&agreed);
        if tasks.is_empty() && !plan::lacks_images(&agreed) && !plan::lacks_subtitles(&agreed) {
            break;
        }
        let gpu = place::reserve(supervisor, attempt.claimed.cpu_only, &moves, &mut tasks)?;
        let ran = run(attempt, source, &agreed, tasks, gpu.as_ref(), &mut left_out).await?;
        match (ran, &gpu) {
            (Ran::ToTheEnd, _) | (_, None) => break,
            (Ran::UntilTheGpuFailed(error), Some(gpu)) => {
                tracing::warn!(
                    gpu = gpu.gpu().id,
                    why = error.words(),
                    "GPU failed; continuing on another GPU or the CPU"
                );
                gpu.failed(error);
                moves.failed(gpu, error);
            }
            (Ran::UntilTheGpuWasWanted, Some(gpu)) => {
                tracing::info!(gpu = gpu.gpu().id, "GPU released; continuing on another GPU or the CPU");
            }
        }
        drop(gpu);
        agreed = plan::ask_again(attempt, &agreed).await?;
    }
    progress::tell_step(attempt, Step::Finalize, 100.0).await;
    Ok(left_out)
}

/// How far an encoder came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ran {
    ToTheEnd,
    UntilTheGpuFailed(GpuError),
    UntilTheGpuWasWanted,
}

async fn run(
    attempt: &Attempt<'_>,
    source: &Path,
    agreed: &PlanReply,
    qualities: Vec<QualityTask>,
    gpu: Option<&Reservation>,
    left_out: &mut Vec<LeftOut>,
) -> Result<Ran, AttemptError> {
    let own = attempt.supervisor.options.settings.clone();
    // The plan's preset is in the init segments that are there already.
    let preset = agreed.plan.preset.clone().unwrap_or(own.preset);
    let task = EncodeTask {
        source: source.to_owned(),
        output: attempt.directory.output(),
        plan: agreed.plan.clone(),
        qualities,
        images: plan::lacks_images(agreed),
        subtitles: plan::lacks_subtitles(agreed),
        settings: EncoderSettings { preset, ..own },
        gpu: gpu.map(|gpu| gpu.gpu().clone()),
    };
    let mut span = attempt.spans.begin("encode");
    span.note("framefarm.qualities", i64::try_from(task.qualities.len()).unwrap_or(i64::MAX));
    if let Some(gpu) = &task.gpu {
        span.note("framefarm.gpu.id", gpu.id.clone());
        // Its earlier name: attributes of spans are stable.
        span.note("framefarm.card.id", gpu.id.clone());
    }
    let started = Encoder::start(attempt, Kind::Encode, &task, task.gpu.as_ref());
    let encoder = started.inspect_err(|error| span.failed(error))?;
    let most = attempt.supervisor.options.job_scratch;
    let encoding = Encoding {
        attempt,
        encoder,
        span: Some(span),
        gpu,
        watchdog: Watchdog::start(&task.qualities),
        quota: Quota::of(task.output, &agreed.plan, &task.qualities, most),
        tasks: task.qualities,
        sidecars: Vec::new(),
        deliveries: Deliveries::new(attempt, &agreed.plan),
        progress: Progress::start(attempt, agreed),
        stop_by: None,
        leave_by: None,
    };
    encoding.finish(left_out).await
}

struct Encoding<'a> {
    attempt: &'a Attempt<'a>,
    encoder: Encoder,
    /// Until the encoder has ended.
    span: Option<Running>,
    gpu: Option<&'a Reservation>,
    tasks: Vec<QualityTask>,
    sidecars: Vec<Sidecar>,
    deliveries: Deliveries,
    progress: Progress,
    watchdog: Watchdog,
    quota: Quota,
    /// Set once the GPU is wanted back: until when a boundary has to be reached.
    leave_by: Option<Instant>,
    /// Set once the process is to stop.
    stop_by: Option<Deadlines>,
}

/// Until when an encoder may come to a boundary, and until when what it made is delivered.
#[derive(Clone, Copy)]
struct Deadlines {
    boundary: Instant,
    delivered: Instant,
}

/// The encoder's last word.
enum LastReport {
    Done {
        stopped: bool,
    },
    /// It came to no boundary in time.
    None,
    GpuFailed(GpuError),
    /// The GPU is wanted back, and no boundary came in time.
    GpuGivenUp,
}

impl Encoding<'_> {
    async fn finish(mut self, left_out: &mut Vec<LeftOut>) -> Result<Ran, AttemptError> {
        let ended = match self.listen().await {
            Ok(LastReport::Done { stopped }) => {
                self.encoder.finish().await?;
                self.gpu.inspect(|gpu| gpu.succeeded());
                match (stopped, self.leave_by) {
                    (false, _) => Ok(Ran::ToTheEnd),
                    (true, Some(_)) if self.stop_by.is_none() => Ok(Ran::UntilTheGpuWasWanted),
                    (true, _) => Err(AttemptError::Stopping),
                }
            }
            Ok(LastReport::None) => Err(self.encoder.end_for(AttemptError::Stopping).await),
            Ok(LastReport::GpuFailed(error)) => {
                self.encoder.end().await;
                Ok(Ran::UntilTheGpuFailed(error))
            }
            Ok(LastReport::GpuGivenUp) => {
                self.encoder.end().await;
                Ok(Ran::UntilTheGpuWasWanted)
            }
            Err(error) => Err(self.encoder.end_for(error).await),
        };
        if let Some(mut span) = self.span.take() {
            match &ended {
                Ok(Ran::UntilTheGpuFailed(error)) => span.failed(error),
                Ok(Ran::ToTheEnd | Ran::UntilTheGpuWasWanted) => {}
                Err(error) => span.failed(error),
            }
        }
        // Whatever happened, finished segments are work that nobody has to do again.
        let delivered = self.deliver_the_rest(ended.as_ref().err()).await;
        let ran = ended?;
        delivered?;
        left_out.extend(self.progress.left_out());
        if ran != Ran::ToTheEnd {
            return Ok(ran);
        }
        if !self.sidecars.is_empty() {
            let mut span = self.attempt.spans.begin("deliver").calling();
            span.note("framefarm.extras", i64::try_from(self.sidecars.len()).unwrap_or(i64::MAX));
            span.ended(sidecars::deliver(self.attempt, &self.sidecars).await)?;
        }
        let Some((class, failures)) = self.progress.failures() else {
            return Ok(Ran::ToTheEnd);
        };
        self.progress.tell_now().await;
        Err(AttemptError::failed(class, format!("some qualities failed: {failures}")))
    }

    async fn listen(&mut self) -> Result<LastReport, AttemptError> {
        let (hold, supervisor) = (&self.attempt.hold, self.attempt.supervisor);
        let (stop, options) = (&supervisor.stop, &supervisor.options);
        // Outside the loop: a chatty encoder must not put off the next look.
        let mut over_quota = pin!(self.quota.clone().exceeded(self.encoder.id()));
        loop {
            let is_full = self.deliveries.undelivered() > MOST_UNDELIVERED;
            let boundary = self.stop_by.map_or_else(Instant::now, |by| by.boundary);
            let leave_by = self.leave_by.unwrap_or_else(Instant::now);
            let gpu = self.gpu;
            let wanted_back = async {
                match gpu {
                    Some(gpu) => gpu.wanted_back().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = hold.lost().cancelled() => return Err(AttemptError::Lost),
                () = stop.reached(Phase::Leaving) => return Err(AttemptError::Stopping),
                () = stop.reached(Phase::Draining), if self.stop_by.is_none() => {
                    self.encoder.stop();
                    self.stop_by = Some(Deadlines::within(options.drain));
                }
                error = &mut over_quota => return Err(error),
                () = sleep_until(boundary), if self.stop_by.is_some() => return Ok(LastReport::None),
                () = wanted_back, if self.leave_by.is_none() && self.stop_by.is_none() => {
                    self.encoder.stop();
                    self.leave_by = Some(Instant::now() + options.gpu_stall());
                }
                () = sleep_until(leave_by), if self.leave_by.is_some() => return Ok(LastReport::GpuGivenUp),
                () = sleep_until(self.watchdog.gpu_moved_at() + options.gpu_stall()),
                    if gpu.is_some() && !is_full && !self.gpu_is_done() =>
                {
                    return Ok(LastReport::GpuFailed(GpuError::Timeout));
                }
                delivered = self.deliveries.next(), if self.deliveries.are_under_way() => delivered?,
                heard = self.encoder.report(), if !is_full => {
                    let Some(said) = heard? else { return self.crashed().await };
                    if let Some(last) = self.heard(said)? {
                        return Ok(last);
                    }
                }
                () = sleep_until(self.watchdog.moved_at() + options.stall), if !is_full => {
                    return Err(report::stalled(options.stall));
                }
            }
            if is_full {
                // We did not listen: its silence is ours.
                self.watchdog.restart();
            }
        }
    }

    /// What is left is not the GPU's: software qualities, images, subtitles.
    fn gpu_is_done(&self) -> bool {
        self.progress.is_coded(|quality| self.watchdog.is_on_gpu(quality))
    }

    /// A crash in a driver is not the video's fault. If it was the video after all, the CPU will tell.
    async fn crashed(&mut self) -> Result<LastReport, AttemptError> {
        let error = self.encoder.crashed().await;
        if self.gpu.is_none() {
            return Err(error);
        }
        tracing::warn!(why = %error, "the encoder crashed while using a GPU");
        Ok(LastReport::GpuFailed(GpuError::Unknown))
    }

    fn heard(&mut self, said: Report) -> Result<Option<LastReport>, AttemptError> {
        match said {
            Report::Segment { quality, index, bytes } => {
                self.check_asked_for(&quality, index)?;
                self.watchdog.advanced(&quality);
                if let Some(span) = &mut self.span {
                    span.segment(&quality);
                }
                self.deliveries.add(&quality, index, bytes);
            }
            Report::Progress { qualities, read } => {
                self.watchdog.has_read(read);
                for quality in self.progress.paces(&qualities, self.encoder.log()) {
                    self.watchdog.advanced(&quality);
                }
            }
            Report::Coded { quality, encoder, spent } => {
                let asked_for = self.tasks.iter().any(|task| task.quality.name == quality);
                if let Some(span) = self.span.as_mut().filter(|_| asked_for) {
                    span.coded(&quality, &encoder, spent);
                }
            }
            Report::QualityFailed { quality, class, message } => {
                tracing::error!(quality, class = class.as_str(), why = message, "a quality failed");
                self.watchdog.advanced(&quality);
                self.progress.quality_failed(&quality, class, &message);
            }
            Report::Image { name } => {
                let image = name.parse().map_err(|_| unexpected(&format!("an image {name:?}")))?;
                self.watchdog.moved();
                self.sidecars.push(Sidecar::Image(image));
            }
            Report::Subtitle { track } => {
                self.watchdog.moved();
                self.sidecars.push(Sidecar::Subtitle(track));
            }
            Report::GpuFailed { stage, code, message } => {
                let log = self.encoder.log().unwrap_or_default();
                let error = GpuError::of(stage, code, &format!("{log}\n{message}"));
                tracing::warn!(why = message, "the encoder reported a GPU failure");
                return Ok(Some(LastReport::GpuFailed(error)));
            }
            Report::Failed { class, message } => return Err(AttemptError::failed(class, message)),
            Report::Done { stopped, warnings, .. } => {
                for warning in warnings {
                    tracing::warn!("{warning}");
                }
                return Ok(Some(LastReport::Done { stopped }));
            }
            Report::Probing { .. } | Report::Probed { .. } => return Err(unexpected("a plan")),
        }
        Ok(None)
    }

    /// The names in a report become paths: only those are taken that we gave out ourselves.
    fn check_asked_for(&self, quality: &str, index: u32) -> Result<(), AttemptError> {
        let index = i32::try_from(index).unwrap_or(-1);
        let task = self.tasks.iter().find(|task| task.quality.name == quality);
        let missing = task.map(|task| task.missing.as_slice()).unwrap_or_default();
        if missing.iter().any(|range| (range.first..=range.last).contains(&index)) {
            return Ok(());
        }
        Err(unexpected(&format!("segment {index} of {quality:?}")))
    }

    async fn deliver_the_rest(&mut self, error: Option<&AttemptError>) -> Result<(), AttemptError> {
        let stop = &self.attempt.supervisor.stop;
        if error == Some(&AttemptError::Lost) || stop.phase() == Phase::Leaving {
            return Ok(());
        }
        let drain = self.attempt.supervisor.options.drain;
        let delivered_by = self.stop_by.map(|by| by.delivered);
        let too_long = async {
            stop.reached(Phase::Draining).await;
            let deadline = delivered_by.unwrap_or_else(|| Instant::now() + drain);
            tokio::select! { () = sleep_until(deadline) => {}, () = stop.reached(Phase::Leaving) => {} }
        };
        tokio::select! {
            biased;
            () = self.attempt.hold.lost().cancelled() => Err(AttemptError::Lost),
            delivered = self.deliveries.finish() => delivered,
            () = too_long => Err(AttemptError::Stopping),
        }
    }
}

impl Deadlines {
    /// A quarter of the time is for the deliveries.
    fn within(drain: Duration) -> Self {
        let now = Instant::now();
        Self { boundary: now + drain.mul_f64(0.75), delivered: now + drain }
    }
}

fn unexpected(what: &str) -> AttemptError {
    AttemptError::failed(
        ErrorClass::Internal,
        format!("the encoder reported {what}, which was not requested"),
    )
}
