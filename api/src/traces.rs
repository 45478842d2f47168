//! What was committed, as spans: one trace from upload to ready.
//!
//! A transaction notes them beside what is counted, and its commit hands them over. Their times are those of the rows and of
//! the clock, so they are right whichever instance did the first half. Names and attributes are told in `docs/traces.md`.

use chrono::{DateTime, Utc};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::state::{AttemptOutcome, JobStatus};
use framefarm_shared::trace::{SpanId, TraceId, TraceParent};
use framefarm_traces::{Collector, OtlpEndpoint, Span, Traces};

use crate::db::effects::AttemptEnding;
use crate::db::job::JobRow;
use crate::db::job::attempts::AttemptRow;
use crate::db::job::loss::Loss;

const SERVICE: &str = "framefarm-api";

/// To be called inside the runtime.
pub fn start(endpoint: &OtlpEndpoint, instance: impl std::fmt::Display) -> anyhow::Result<Traces> {
    let started = Collector::open(endpoint).and_then(|way| way.service(SERVICE, &instance.to_string()));
    started.map_err(|error| anyhow::anyhow!("otlp_endpoint = {endpoint}: {error}"))
}

/// Jobs that make no generation are on no video's way to being ready.
fn trace_of(job: &JobRow) -> Option<TraceId> {
    let JobRow { video_id, generation, requeue_count, .. } = *job;
    job.queue_type.makes_generation().then(|| TraceId::of(video_id, generation, requeue_count))
}

/// What the worker's spans hang under. It is told in any case: a worker may trace where the API does not.
pub fn parent_for_worker(job: &JobRow, sampled: bool) -> Option<TraceParent> {
    let trace = trace_of(job)?;
    Some(TraceParent { trace, span: SpanId::attempt(trace, job.id, job.fence), sampled })
}

fn about(span: Span, job: &JobRow) -> Span {
    span.with("framefarm.video.id", job.video_id.to_string())
        .with("framefarm.generation", i64::from(job.generation))
        .with("framefarm.job.id", job.id.to_string())
        .with("framefarm.job.number", job.number)
}

/// From the first byte to the job that it became.
pub fn upload(job: &JobRow, since: DateTime<Utc>, bytes: i64) -> Option<Span> {
    let trace = trace_of(job)?;
    let span = Span::new("upload", trace, SpanId::upload(trace), since, job.enqueued_at);
    Some(about(span.under(SpanId::video(trace)), job).with("framefarm.source.bytes", bytes))
}

/// From the moment it could be claimed to the claim.
pub fn queued(job: &JobRow) -> Option<Span> {
    let trace = trace_of(job)?;
    let id = SpanId::queued(trace, job.id, job.fence);
    let span = Span::new("queued", trace, id, job.claimable_at, job.claimed_at?);
    let span =
        about(span.under(SpanId::video(trace)), job).with("framefarm.priority", i64::from(job.priority));
    Some(span.with("framefarm.fence", job.fence))
}

/// From a claim to its end. `job` is the row as it stands afterwards.
pub fn attempt(job: &JobRow, ending: &AttemptEnding) -> Option<Span> {
    let name = job.processed_by_worker_name.as_deref().unwrap_or_default();
    let worker = job.processed_by_worker_id.map(|id| id.to_string()).unwrap_or_default();
    attempt_of(job, job.fence, (&worker, name), job.attempt_started_at?, ending)
}

/// The attempt whose lease ran out before its holder came back for a new one.
pub fn lapsed(job: &JobRow, old: &AttemptRow, at: DateTime<Utc>) -> Option<Span> {
    let error =
        Some((Loss::ClaimExpired.as_str(), "The lease expired before the worker returned.".to_owned()));
    let ending = AttemptEnding { at, outcome: AttemptOutcome::Lost, number: old.number, error };
    attempt_of(job, old.fence, (&old.worker_id.to_string(), &old.worker_name), old.started_at, &ending)
}

fn attempt_of(
    job: &JobRow,
    fence: i64,
    worker: (&str, &str),
    since: DateTime<Utc>,
    ending: &AttemptEnding,
) -> Option<Span> {
    let trace = trace_of(job)?;
    let span = Span::new("attempt", trace, SpanId::attempt(trace, job.id, fence), since, ending.at);
    let span = about(span.under(SpanId::video(trace)), job)
        .with("framefarm.fence", fence)
        .with("framefarm.attempt", i64::from(ending.number))
        .with("framefarm.worker.id", worker.0.to_owned())
        .with("framefarm.worker.name", worker.1.to_owned())
        .with("framefarm.outcome", ending.outcome.as_str());
    Some(match &ending.error {
        Some((class, message)) => span.failed(*class, message.as_str()),
        None => span,
    })
}

/// The whole way, once its job has ended.
pub fn video(job: &JobRow, since: DateTime<Utc>, at: DateTime<Utc>) -> Option<Span> {
    let trace = trace_of(job)?;
    let outcome = match job.status {
        JobStatus::Completed => "ready",
        JobStatus::Failed => "failed",
        JobStatus::Cancelled => "cancelled",
        JobStatus::Pending | JobStatus::Running => return None,
    };
    let span = about(Span::new("video", trace, SpanId::video(trace), since, at), job)
        .with("framefarm.outcome", outcome)
        .with("framefarm.failures", i64::from(job.failure_count))
        .with("framefarm.losses", i64::from(job.lost_count));
    let failed = (job.status == JobStatus::Failed).then(|| job.error.as_deref().unwrap_or_default());
    Some(match failed {
        Some(error) => span.failed(job.error_class.map_or("_OTHER", ErrorClass::as_str), error),
        None => span,
    })
}
