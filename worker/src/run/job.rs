//! One job, from its claim to the final report.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::wire::worker_api::{ClaimedJob, HeldJob, LeftOut};
use futures::FutureExt as _;
use tracing::Instrument as _;

use super::encoder::LogTail;
use super::error::AttemptError;
use super::scratch::JobDirectory;
use super::trace::Spans;
use super::{Phase, Supervisor, encode, plan, report, source};
use crate::heartbeat::LeaseGuard;

/// What the steps of a job share.
pub(super) struct Attempt<'a> {
    pub(super) supervisor: &'a Supervisor,
    pub(super) claimed: &'a ClaimedJob,
    pub(super) hold: Arc<LeaseGuard>,
    pub(super) directory: JobDirectory,
    pub(super) log_tail: LogTail,
    pub(super) spans: Spans,
}

pub(super) async fn work(supervisor: &Supervisor, claimed: ClaimedJob) {
    let ClaimedJob { job_id, fence, .. } = claimed;
    let span = tracing::info_span!("job", job.id = %job_id, fence);
    let lease = Duration::from_secs(claimed.lease_seconds);
    let hold = Arc::new(supervisor.heartbeat.hold(HeldJob { job_id, fence }, lease));
    async {
        tracing::info!(attempt = claimed.attempt_number, source = claimed.source.name, "claimed");
        let (words, spans) = (LogTail::default(), Spans::of(&supervisor.options.spans, &claimed));
        let steps = AssertUnwindSafe(attempt(supervisor, &claimed, &hold, &words, &spans)).catch_unwind();
        let result = steps.await.unwrap_or_else(|panic| Err(of_panic(panic.as_ref())));
        report::report(supervisor, &hold, result, words.take(), &spans).await;
    }
    .instrument(span)
    .await;
}

async fn attempt(
    supervisor: &Supervisor,
    claimed: &ClaimedJob,
    hold: &Arc<LeaseGuard>,
    words: &LogTail,
    spans: &Spans,
) -> Result<Vec<LeftOut>, AttemptError> {
    let directory = supervisor.scratch.directory_for(hold.job())?;
    let (hold, log_tail, spans) = (Arc::clone(hold), words.clone(), spans.clone());
    let attempt = Attempt { supervisor, claimed, hold, directory, log_tail, spans };
    let prepare = async {
        let mut span = attempt.spans.begin("fetch");
        let fetched = source::fetch(&attempt, &mut span).await;
        let source = span.ended(fetched)?;
        let mut span = attempt.spans.begin("plan");
        let agreed = plan::agree(&attempt, &source, &mut span).await;
        Ok::<_, AttemptError>((source, span.ended(agreed)?))
    };
    // Until the encoder runs there is nothing to bring to a boundary.
    let (source, agreed) = tokio::select! {
        biased;
        () = supervisor.stop.reached(Phase::Draining) => return Err(AttemptError::Stopping),
        prepared = prepare => prepared?,
    };
    encode::encode(&attempt, &source, agreed).await
}

fn of_panic(panic: &(dyn std::any::Any + Send)) -> AttemptError {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    AttemptError::failed(
        ErrorClass::Internal,
        format!("the worker panicked: {}", text.unwrap_or("no message")),
    )
}
