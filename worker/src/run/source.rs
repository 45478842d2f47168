//! The source of a job as a file on this machine.

use std::path::{Path, PathBuf};

use framefarm_shared::failure::ErrorClass;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::wire::worker_api::ClaimedJob;

use super::error::AttemptError;
use super::job::Attempt;
use super::trace::Running;
use crate::client::{Backoff, CallError};

/// The farm's own file where it can be reached, a checked copy otherwise.
pub(super) async fn fetch(attempt: &Attempt<'_>, span: &mut Running) -> Result<PathBuf, AttemptError> {
    span.note("framefarm.source.bytes", attempt.claimed.source.size);
    if let Some(storage) = &attempt.supervisor.options.storage
        && let Some(path) = stored(storage, attempt.claimed).await
    {
        span.note("framefarm.source.from", "storage");
        attempt.directory.reserve_space(0)?;
        return Ok(path);
    }
    span.note("framefarm.source.from", "download");
    let source = &attempt.claimed.source;
    attempt.directory.reserve_space(u64::try_from(source.size).unwrap_or(0))?;
    let target = attempt.directory.path().join("source");
    let client = &attempt.supervisor.client;
    let download = client.download_source(attempt.hold.job(), source, &target, Backoff::default());
    attempt.hold.unless_lost(download).await.map_err(not_fetched)?;
    Ok(target)
}

async fn stored(storage: &Path, claimed: &ClaimedJob) -> Option<PathBuf> {
    let path = storage.join(ObjectKey::Source { video: claimed.video_id }.path());
    let found = tokio::fs::metadata(&path).await.ok()?;
    let is_it = found.is_file() && i64::try_from(found.len()) == Ok(claimed.source.size);
    is_it.then(|| std::path::absolute(&path).ok()).flatten()
}

/// Under a claim that holds, only a missing source is answered like this.
fn not_fetched(error: CallError) -> AttemptError {
    match error {
        CallError::Stop { ref detail, .. } if error.ends_the_claim().is_none() => AttemptError::failed(
            ErrorClass::InputMissing,
            format!("the farm does not have the source: {detail}"),
        ),
        other => other.into(),
    }
}
