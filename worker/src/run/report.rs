//! The final report of an attempt to the farm.

use std::time::Duration;

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::wire::worker_api::{CompleteRequest, FailRequest, HeldJob, LeftOut, ReleaseRequest};
use tokio::time::sleep;

use super::error::AttemptError;
use super::trace::Spans;
use super::{Phase, Supervisor};
use crate::client::{Backoff, CallError, retry};
use crate::heartbeat::LeaseGuard;

/// How long a last word may take while the process stops, and when it ends at once.
const DRAINING_GRACE: Duration = Duration::from_secs(10);
const LEAVING_GRACE: Duration = Duration::from_secs(3);

pub(super) fn stalled(limit: Duration) -> AttemptError {
    let words = format!("the encoder made no progress for {} s and was killed", limit.as_secs());
    AttemptError::failed(ErrorClass::Timeout, words)
}

/// `log` is what the encoder wrote last; it is of interest when the attempt failed.
pub(super) async fn report(
    supervisor: &Supervisor,
    hold: &LeaseGuard,
    result: Result<Vec<LeftOut>, AttemptError>,
    log: Option<String>,
    spans: &Spans,
) {
    let mut span = spans.begin("finish").calling();
    span.note("framefarm.outcome", outcome(&result));
    let told = match result {
        Ok(left_out) => complete(supervisor, hold, left_out, log).await,
        Err(AttemptError::Stopping) => release(supervisor, hold).await,
        Err(AttemptError::Failed { class, message }) => fail(supervisor, hold, class, message, log).await,
        Err(AttemptError::Lost) => Err(CallError::lock_lost()),
    };
    match span.ended(told) {
        Ok(()) => {}
        Err(error) if error.ends_the_claim().is_some() => tracing::warn!("stopped: the claim was lost"),
        Err(error) => {
            tracing::error!(error = %error, "outcome not reported; the farm recovers the job when its lease expires");
        }
    }
}

/// What it means to say; the words are those of the attempt.
fn outcome(result: &Result<Vec<LeftOut>, AttemptError>) -> &'static str {
    match result {
        Ok(_) => "completed",
        Err(AttemptError::Stopping) => "released",
        Err(AttemptError::Failed { .. }) => "failed",
        Err(AttemptError::Lost) => "lost",
    }
}

async fn complete(
    supervisor: &Supervisor,
    hold: &LeaseGuard,
    left_out: Vec<LeftOut>,
    log: Option<String>,
) -> Result<(), CallError> {
    let HeldJob { job_id, fence } = hold.job();
    let request = CompleteRequest { job_id, fence, results: None, left_out };
    match last_word(supervisor, hold, || supervisor.client.complete(&request)).await {
        Ok(reply) => {
            tracing::info!(generation = reply.generation, "completed");
            Ok(())
        }
        // The farm misses something that we believe to have delivered.
        Err(CallError::Refused { code, detail }) => {
            let words = format!("the farm rejected the completed job: {detail} ({code})");
            fail(supervisor, hold, ErrorClass::Internal, words, log).await
        }
        Err(error) => Err(error),
    }
}

async fn fail(
    supervisor: &Supervisor,
    hold: &LeaseGuard,
    class: ErrorClass,
    message: String,
    log: Option<String>,
) -> Result<(), CallError> {
    tracing::error!(class = class.as_str(), why = message, "failed");
    let HeldJob { job_id, fence } = hold.job();
    let request = FailRequest { job_id, fence, class, message, log };
    last_word(supervisor, hold, || supervisor.client.fail(&request)).await.map(drop)
}

async fn release(supervisor: &Supervisor, hold: &LeaseGuard) -> Result<(), CallError> {
    tracing::info!("returned to the queue: this worker is stopping");
    let HeldJob { job_id, fence } = hold.job();
    let request = ReleaseRequest { job_id, fence, reason: Some(AttemptError::Stopping.to_string()) };
    last_word(supervisor, hold, || supervisor.client.release(&request)).await
}

/// Tries until the farm has heard it; a process that is to stop does not try for long.
async fn last_word<T, F>(
    supervisor: &Supervisor,
    hold: &LeaseGuard,
    call: impl FnMut() -> F,
) -> Result<T, CallError>
where
    F: Future<Output = Result<T, CallError>>,
{
    let stop = &supervisor.stop;
    let too_long = async {
        tokio::select! {
            () = async { stop.reached(Phase::Draining).await; sleep(DRAINING_GRACE).await } => {}
            () = async { stop.reached(Phase::Leaving).await; sleep(LEAVING_GRACE).await } => {}
        }
    };
    tokio::select! {
        told = hold.unless_lost(retry(Backoff::default(), call)) => told,
        () = too_long => Err(CallError::TryAgain { detail: "this worker is stopping".to_owned(), after: None }),
    }
}
