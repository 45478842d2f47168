//! Agrees with the farm on the plan, and finds what is missing of it.

use std::path::Path;

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::plan::Plan;
use framefarm_shared::state::{QualityStatus, Step};
use framefarm_shared::wire::worker_api::{PlanReply, PlanRequest, QualityReport, SegmentRange};
use tokio::time::{Instant, sleep_until};

use super::encoder::{Encoder, Kind};
use super::error::AttemptError;
use super::job::Attempt;
use super::progress::{self, StepProgress};
use super::report;
use super::trace::Running;
use crate::client::{Backoff, retry};
use crate::encoder::protocol::{Coder, ProbeTask, QualityTask, Report};

/// The plan in force and where each quality stands. A source that was probed before is not probed again.
pub(super) async fn agree(
    attempt: &Attempt<'_>,
    source: &Path,
    span: &mut Running,
) -> Result<PlanReply, AttemptError> {
    let plan = if let Some(plan) = &attempt.claimed.plan {
        plan.clone()
    } else {
        progress::tell_step(attempt, Step::Probe, 0.0).await;
        let preset = Some(attempt.supervisor.options.settings.preset.clone());
        Plan { preset, ..probe(attempt, source, span).await? }
    };
    send(attempt, plan).await
}

/// Where each quality stands by now.
pub(super) async fn ask_again(attempt: &Attempt<'_>, agreed: &PlanReply) -> Result<PlanReply, AttemptError> {
    send(attempt, agreed.plan.clone()).await
}

async fn send(attempt: &Attempt<'_>, plan: Plan) -> Result<PlanReply, AttemptError> {
    let request = PlanRequest { fence: attempt.claimed.fence, plan };
    let client = &attempt.supervisor.client;
    let call = retry(Backoff::default(), || client.plan(attempt.claimed.job_id, &request));
    let sent = attempt.hold.unless_lost(call).await?;
    attempt.hold.renewed(sent.sent_at, sent.reply.lease_seconds);
    Ok(sent.reply)
}

async fn probe(attempt: &Attempt<'_>, source: &Path, span: &mut Running) -> Result<Plan, AttemptError> {
    let began = span.now();
    let options = &attempt.supervisor.options;
    let task = ProbeTask { source: source.to_owned(), copy: options.copy };
    let mut encoder = Encoder::start(attempt, Kind::Probe, &task, None)?;
    match last_word(attempt, &mut encoder).await {
        Ok(Some(Report::Probed { plan, spent })) => {
            encoder.finish().await?;
            span.probed(began, spent);
            Ok(plan)
        }
        Ok(Some(Report::Failed { class, message })) => {
            encoder.finish().await?;
            Err(AttemptError::failed(class, message))
        }
        Ok(Some(_)) => {
            let words = "the encoder was asked for a plan and reported something else";
            Err(encoder.end_for(AttemptError::failed(ErrorClass::Internal, words)).await)
        }
        Ok(None) => Err(encoder.crashed().await),
        Err(error) => Err(encoder.end_for(error).await),
    }
}

/// What the probe says in the end. It may take as long as it takes to read the source, but not stand still.
async fn last_word(attempt: &Attempt<'_>, encoder: &mut Encoder) -> Result<Option<Report>, AttemptError> {
    let stall = attempt.supervisor.options.stall;
    let progress = StepProgress::start(attempt, Step::Probe);
    let (mut moved_at, mut latest) = (Instant::now(), 0);
    loop {
        let heard = tokio::select! {
            biased;
            () = attempt.hold.lost().cancelled() => return Err(AttemptError::Lost),
            heard = encoder.report() => heard?,
            () = sleep_until(moved_at + stall) => return Err(report::stalled(stall)),
        };
        let Some(Report::Probing { read, size }) = heard else { return Ok(heard) };
        if read > latest {
            (moved_at, latest) = (Instant::now(), read);
            progress.reached(read, size);
        }
    }
}

/// What is to be encoded: every quality that is neither left out nor whole, and of it what the farm does not have.
pub(super) fn tasks(agreed: &PlanReply) -> Vec<QualityTask> {
    let wanted = agreed.qualities.iter().filter(|report| is_wanted(report));
    wanted
        .map(|report| QualityTask {
            quality: report.quality.clone(),
            missing: missing(&report.have, report.segments_total),
            known_init: report.init_sha256.clone(),
            coder: Coder::Software,
        })
        .filter(|task| !task.missing.is_empty())
        .collect()
}

/// Poster, thumbnails and storyboard are to be made; of audio the poster, if it has a cover.
pub(super) fn lacks_images(agreed: &PlanReply) -> bool {
    !agreed.has_images
}

pub(super) fn lacks_subtitles(agreed: &PlanReply) -> bool {
    !agreed.plan.source.subtitles.is_empty() && !agreed.has_subtitles
}

pub(super) fn is_wanted(report: &QualityReport) -> bool {
    !report.quality.skipped && !matches!(report.status, QualityStatus::Skipped | QualityStatus::Failed)
}

/// The gaps of `have` from 0 to `total`.
fn missing(have: &[SegmentRange], total: i32) -> Vec<SegmentRange> {
    let mut gaps = Vec::new();
    let mut next = 0;
    for range in have {
        if range.first > next {
            gaps.push(SegmentRange { first: next, last: range.first - 1 });
        }
        next = next.max(range.last + 1);
    }
    if next < total {
        gaps.push(SegmentRange { first: next, last: total - 1 });
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(have: &[(i32, i32)], total: i32) -> Vec<(i32, i32)> {
        let have: Vec<_> = have.iter().map(|&(first, last)| SegmentRange { first, last }).collect();
        missing(&have, total).iter().map(|range| (range.first, range.last)).collect()
    }

    #[test]
    fn what_is_missing_is_exactly_the_gaps() {
        assert_eq!(gaps(&[], 3), [(0, 2)]);
        assert_eq!(gaps(&[(0, 2)], 3), []);
        assert_eq!(gaps(&[(1, 1), (4, 5)], 8), [(0, 0), (2, 3), (6, 7)]);
        assert_eq!(gaps(&[(0, 6)], 8), [(7, 7)]);
        assert_eq!(gaps(&[], 0), []);
    }
}
