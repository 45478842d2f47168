//! A worker's key, in `Authorization: Bearer …`; a cookie never speaks for a worker.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use framefarm_shared::id::WorkerId;
use framefarm_shared::state::WorkerStatus;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::caller::bearer;
use crate::app::App;
use crate::db::worker_keys::{self, Candidate};
use crate::error::{ApiError, Result};
use crate::lifecycle::workers::{HASH_VERSION, KEY_PREFIX, hash_secret};

/// A registered, enabled worker.
pub struct Worker {
    pub id: WorkerId,
    pub name: String,
    key: Uuid,
}

impl Worker {
    /// Whether its key still counts; a call that waits outlasts it.
    pub async fn is_still_known(&self, app: &App) -> Result<bool> {
        Ok(worker_keys::is_live(&app.db, self.key).await?)
    }
}

impl FromRequestParts<App> for Worker {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let Some(key) = bearer(&parts.headers) else {
            return Err(ApiError::unauthorized("Send the worker key: `Authorization: Bearer …`."));
        };
        let Some(found) = owner(app, key).await? else {
            return Err(ApiError::unauthorized(
                "The worker key is invalid or revoked; register the worker again.",
            ));
        };
        if found.status == WorkerStatus::Disabled {
            return Err(ApiError::unauthorized("This worker is disabled."));
        }
        Ok(Self { id: found.key.worker_id, name: found.name, key: found.key.id })
    }
}

/// Tries every key that begins alike.
async fn owner(app: &App, key: &str) -> Result<Option<Candidate>> {
    let Some(prefix) = key.get(..KEY_PREFIX) else { return Ok(None) };
    let hash = hash_secret(key);
    let mut found = None;
    for candidate in worker_keys::candidates(&app.db, prefix).await? {
        let known_way = candidate.key.hash_version == HASH_VERSION;
        if known_way && bool::from(candidate.key.key_hash.as_slice().ct_eq(&hash)) {
            found = Some(candidate);
        }
    }
    Ok(found)
}
