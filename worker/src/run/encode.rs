//! The encoder at work: what it finishes is delivered while it goes on.

use std::path::Path;
use std::time::Duration;

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::state::Step;
use framefarm_shared::wire::worker_api::PlanReply;
use tokio::time::{Instant, sleep_until};

use super::deliver::Deliveries;
use super::encoder::{Encoder, Kind};
use super::extras::{self, Extra};
use super::job::Attempt;
use super::progress::{self, Progress};
use super::trouble::Trouble;
use super::{Phase, plan, report};
use crate::encoder::protocol::{EncodeTask, EncoderSettings, QualityTask, Report};

/// With more than so many undelivered segments the encoder's words are left in its pipe, until it waits.
const MOST_UNDELIVERED: usize = 64;

pub(super) async fn encode(attempt: &Attempt<'_>, source: &Path, agreed: &PlanReply) -> Result<(), Trouble> {
    let tasks = plan::tasks(agreed);
    if !tasks.is_empty() {
        run(attempt, source, agreed, tasks).await?;
    }
    progress::tell_step(attempt, Step::Finalize, 100.0).await;
    Ok(())
}

async fn run(
    attempt: &Attempt<'_>,
    source: &Path,
    agreed: &PlanReply,
    qualities: Vec<QualityTask>,
) -> Result<(), Trouble> {
    let own = attempt.supervisor.options.settings.clone();
    // The plan's preset is in the init segments that are there already.
    let preset = agreed.plan.preset.clone().unwrap_or(own.preset);
    let task = EncodeTask {
        source: source.to_owned(),
        output: attempt.room.output(),
        plan: agreed.plan.clone(),
        qualities,
        images: agreed.plan.source.video.is_some(),
        subtitles: !agreed.plan.source.subtitles.is_empty(),
        settings: EncoderSettings { preset, ..own },
    };
    let encoder = Encoder::start(attempt, Kind::Encode, &task)?;
    let encoding = Encoding {
        attempt,
        encoder,
        tasks: task.qualities,
        extras: Vec::new(),
        deliveries: Deliveries::new(attempt, &agreed.plan),
        progress: Progress::start(attempt, agreed),
        heard_at: Instant::now(),
        stop_by: None,
    };
    encoding.finish().await
}

struct Encoding<'a> {
    attempt: &'a Attempt<'a>,
    encoder: Encoder,
    tasks: Vec<QualityTask>,
    extras: Vec<Extra>,
    deliveries: Deliveries,
    progress: Progress,
    heard_at: Instant,
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
enum LastWord {
    Done {
        stopped: bool,
    },
    /// It came to no boundary in time.
    None,
}

impl Encoding<'_> {
    async fn finish(mut self) -> Result<(), Trouble> {
        let ended = match self.listen().await {
            Ok(LastWord::Done { stopped }) => {
                self.encoder.finish().await?;
                if stopped { Err(Trouble::Stopping) } else { Ok(()) }
            }
            Ok(LastWord::None) => Err(self.encoder.end_for(Trouble::Stopping).await),
            Err(trouble) => Err(self.encoder.end_for(trouble).await),
        };
        // Whatever happened, finished segments are work that nobody has to do again.
        let delivered = self.deliver_the_rest(&ended).await;
        ended.and(delivered)?;
        extras::deliver(self.attempt, &self.extras).await?;
        let failures = self.progress.failures();
        if failures.is_empty() {
            return Ok(());
        }
        self.progress.tell_now().await;
        Err(Trouble::failed(ErrorClass::Encoder, format!("not every quality was made: {failures}")))
    }

    async fn listen(&mut self) -> Result<LastWord, Trouble> {
        let (hold, supervisor) = (&self.attempt.hold, self.attempt.supervisor);
        let (stop, options) = (&supervisor.stop, &supervisor.options);
        loop {
            let is_full = self.deliveries.undelivered() > MOST_UNDELIVERED;
            let boundary = self.stop_by.map_or_else(Instant::now, |by| by.boundary);
            tokio::select! {
                biased;
                () = hold.lost().cancelled() => return Err(Trouble::Lost),
                () = stop.reached(Phase::Leaving) => return Err(Trouble::Stopping),
                () = stop.reached(Phase::Draining), if self.stop_by.is_none() => {
                    self.encoder.stop();
                    self.stop_by = Some(Deadlines::within(options.drain));
                }
                () = sleep_until(boundary), if self.stop_by.is_some() => return Ok(LastWord::None),
                delivered = self.deliveries.next(), if self.deliveries.are_under_way() => delivered?,
                heard = self.encoder.report(), if !is_full => {
                    self.heard_at = Instant::now();
                    let Some(said) = heard? else { return Err(self.encoder.crashed().await) };
                    if let Some(last) = self.heard(said)? {
                        return Ok(last);
                    }
                }
                () = sleep_until(self.heard_at + options.stall), if !is_full => {
                    return Err(report::silence(options.stall));
                }
            }
            if is_full {
                // We did not listen: its silence is ours.
                self.heard_at = Instant::now();
            }
        }
    }

    fn heard(&mut self, said: Report) -> Result<Option<LastWord>, Trouble> {
        match said {
            Report::Segment { quality, index, bytes } => {
                self.check_asked_for(&quality, index)?;
                self.deliveries.add(&quality, index, bytes);
            }
            Report::Progress { qualities } => self.progress.paces(&qualities, self.encoder.log()),
            Report::QualityFailed { quality, message } => {
                tracing::error!(quality, why = message, "a quality cannot be made");
                self.progress.quality_failed(&quality, &message);
            }
            Report::Image { name } => {
                let image = name.parse().map_err(|_| unexpected(&format!("an image {name:?}")))?;
                self.extras.push(Extra::Image(image));
            }
            Report::Subtitle { track } => self.extras.push(Extra::Subtitle(track)),
            Report::Failed { class, message } => return Err(Trouble::failed(class, message)),
            Report::Done { stopped, warnings } => {
                for warning in warnings {
                    tracing::warn!("{warning}");
                }
                return Ok(Some(LastWord::Done { stopped }));
            }
            Report::Probed { .. } => return Err(unexpected("a plan")),
        }
        Ok(None)
    }

    /// The names in a report become paths: only those are taken that we gave out ourselves.
    fn check_asked_for(&self, quality: &str, index: u32) -> Result<(), Trouble> {
        let index = i32::try_from(index).unwrap_or(-1);
        let task = self.tasks.iter().find(|task| task.quality.name == quality);
        let missing = task.map(|task| task.missing.as_slice()).unwrap_or_default();
        if missing.iter().any(|range| (range.first..=range.last).contains(&index)) {
            return Ok(());
        }
        Err(unexpected(&format!("segment {index} of {quality:?}")))
    }

    async fn deliver_the_rest(&mut self, ended: &Result<(), Trouble>) -> Result<(), Trouble> {
        let stop = &self.attempt.supervisor.stop;
        if *ended == Err(Trouble::Lost) || stop.phase() == Phase::Leaving {
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
            () = self.attempt.hold.lost().cancelled() => Err(Trouble::Lost),
            delivered = self.deliveries.finish() => delivered,
            () = too_long => Err(Trouble::Stopping),
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

fn unexpected(what: &str) -> Trouble {
    Trouble::failed(ErrorClass::Internal, format!("the encoder reported {what}, which nobody asked for"))
}
