//! Workers come, go, and are switched by an admin.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use framefarm_shared::id::{BootId, WorkerId};
use framefarm_shared::wire::event::{EventData, EventKind};
use framefarm_shared::wire::worker_api::{MAX_WORKER_JSON, RegisterReply, RegisterRequest, WorkerType};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::enqueue::check_text;
use super::{gpus, reclaim};
use crate::app::App;
use crate::db::events::Event;
use crate::db::job::loss::Loss;
use crate::db::worker_keys::KeyRow;
use crate::db::workers::{NewWorker, WorkerRow};
use crate::db::{self, Tx, events, worker_keys};
use crate::error::{ApiError, Result};

/// How keys are hashed; a key of an unknown version matches nothing.
pub const HASH_VERSION: i32 = 1;
pub const KEY_PREFIX: usize = 8;

/// 256 random bits need no slow hash.
pub fn hash_secret(secret: &str) -> Vec<u8> {
    Sha256::digest(secret.as_bytes()).to_vec()
}

/// 256 random bits as 43 URL-safe characters. The first is no dash: on a command line that would be an option.
pub fn random_secret() -> String {
    loop {
        let secret = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>());
        if !secret.starts_with('-') {
            return secret;
        }
    }
}

pub async fn register(app: &App, request: RegisterRequest) -> Result<RegisterReply> {
    check_registration(&request)?;
    let mut tx = app.db.begin().await?;
    let reply = register_in(app, &mut tx, request).await?;
    tx.commit().await?;
    Ok(reply)
}

pub(super) fn check_registration(request: &RegisterRequest) -> Result<()> {
    check_text("name", request.name.as_deref(), 100)?;
    check_json("capabilities", request.capabilities.as_ref())?;
    check_json("metadata", request.metadata.as_ref())
}

pub(super) async fn register_in(app: &App, tx: &mut Tx, request: RegisterRequest) -> Result<RegisterReply> {
    let id = WorkerId::new(&app.clock);
    let capabilities = request.capabilities.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    let tail = id.0.simple().to_string();
    let new = NewWorker {
        id,
        name: request.name.unwrap_or_else(|| format!("worker-{}", &tail[tail.len() - 6..])),
        worker_type: request.worker_type.unwrap_or(WorkerType::Remote),
        gpus: gpus::claimed(&capabilities),
        capabilities,
        metadata: request.metadata.unwrap_or_else(|| Value::Object(serde_json::Map::new())),
    };
    let now = app.clock.now();
    let worker = db::workers::insert(tx, new, now).await?;
    let api_key = add_key(app, tx, id).await?;
    events::append(tx, Event::by_worker_itself(EventKind::WorkerRegistered, &worker.name, id), now).await?;
    let (lease_seconds, heartbeat_seconds) = (app.settings.lease_seconds(), app.settings.heartbeat_seconds());
    Ok(RegisterReply { worker_id: id, api_key, heartbeat_seconds, lease_seconds })
}

/// The worker that a server starts beside itself. It is the same one after each start, known by its name and the data
/// directory it works for, and each start gives it a new key.
pub async fn register_local(app: &App, name: &str) -> Result<String> {
    let directory = std::path::absolute(&app.settings.data_dir)?.display().to_string();
    let metadata = serde_json::json!({ "data_dir": directory });
    let known = db::workers::all(&app.db).await?.into_iter().find(|worker| {
        worker.worker_type == WorkerType::Local && worker.name == name && worker.metadata.0 == metadata
    });
    if let Some(worker) = known {
        return rotate_key(app, worker.id, "farm").await;
    }
    let request = RegisterRequest {
        name: Some(name.to_owned()),
        worker_type: Some(WorkerType::Local),
        capabilities: None,
        metadata: Some(metadata),
    };
    Ok(register(app, request).await?.api_key)
}

async fn add_key(app: &App, tx: &mut Tx, worker_id: WorkerId) -> Result<String> {
    let api_key = random_secret();
    let key = KeyRow {
        id: WorkerId::new(&app.clock).0,
        worker_id,
        key_hash: hash_secret(&api_key),
        key_prefix: api_key[..KEY_PREFIX].to_owned(),
        hash_version: HASH_VERSION,
        created_at: app.clock.now(),
        revoked_at: None,
    };
    worker_keys::insert(tx, &key).await?;
    Ok(api_key)
}

/// Reads the worker and takes a new boot id as proof that its old process is gone: what that one held is released
/// at once. A boot id older than the known one comes from a process that was replaced.
pub(super) async fn known_boot(app: &App, tx: &mut Tx, id: WorkerId, boot: BootId) -> Result<WorkerRow> {
    let Some(worker) = db::workers::get_in(tx, id).await? else {
        return Err(ApiError::unauthorized("This worker is not registered."));
    };
    same_boot(app, tx, &worker, boot).await?;
    Ok(worker)
}

/// The same for a worker that was read already.
pub(super) async fn same_boot(app: &App, tx: &mut Tx, worker: &WorkerRow, boot: BootId) -> Result<()> {
    let Some(known) = worker.boot_id.filter(|known| *known != boot) else {
        return Ok(());
    };
    let heard_lately =
        worker.last_heartbeat.is_some_and(|at| at > app.clock.now() - app.settings.offline_after());
    if boot < known && heard_lately {
        let detail =
            "A newer process uses this worker's key; stop this process, or register it with its own key.";
        return Err(ApiError::conflict("superseded", detail));
    }
    reclaim::release_all(app, tx, worker, Loss::WorkerRestarted).await?;
    let event = Event::by_worker_itself(EventKind::WorkerRestarted, &worker.name, worker.id);
    Ok(events::append(tx, event.because("new boot id"), app.clock.now()).await?)
}

/// A process that is heard under this key for the first time; later ones are restarts.
pub(super) async fn note_first_start(tx: &mut Tx, worker: &WorkerRow, now: DateTime<Utc>) -> Result<()> {
    let event = Event::by_worker_itself(EventKind::WorkerStarted, &worker.name, worker.id);
    Ok(events::append(tx, event, now).await?)
}

/// It said that it ends: nobody has to wait for its silence. Whatever it still holds is taken back in the usual way.
pub(super) async fn stop(tx: &mut Tx, worker: WorkerRow, now: DateTime<Utc>) -> Result<WorkerRow> {
    let Some(stopped) = db::workers::offline_unless_disabled(tx, worker.id).await? else { return Ok(worker) };
    tracing::info!(worker.id = %worker.id, worker.name = worker.name, "worker stopped");
    events::append(tx, Event::by_worker_itself(EventKind::WorkerStopped, &worker.name, worker.id), now)
        .await?;
    Ok(stopped)
}

pub fn check_json(what: &str, value: Option<&Value>) -> Result<()> {
    let length = value.map_or(0, |value| value.to_string().len());
    if length > MAX_WORKER_JSON {
        let detail = format!("`{what}` has {length} bytes of JSON; the maximum is {MAX_WORKER_JSON}.");
        return Err(ApiError::bad_request("json_too_large", detail));
    }
    if value.is_some_and(has_zero_byte) {
        return Err(ApiError::zero_byte());
    }
    Ok(())
}

fn has_zero_byte(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(list) => list.iter().any(has_zero_byte),
        Value::Object(map) => map.iter().any(|(key, value)| key.contains('\0') || has_zero_byte(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

pub async fn disable(app: &App, id: WorkerId, actor: &str) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let worker = find(&mut tx, id).await?;
    reclaim::release_all(app, &mut tx, &worker, Loss::WorkerDisabled).await?;
    if db::workers::disable(&mut tx, id).await? {
        let event = Event::of_worker(EventKind::WorkerDisabled, actor, id);
        events::append(&mut tx, event, app.clock.now()).await?;
    }
    tx.commit().await?;
    app.waiters.switched();
    release_late(app, id, Loss::WorkerDisabled).await
}

/// What was being granted to a worker while it was shut out.
async fn release_late(app: &App, id: WorkerId, why: Loss) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let worker = find(&mut tx, id).await?;
    reclaim::release_all(app, &mut tx, &worker, why).await?;
    Ok(tx.commit().await?)
}

pub async fn enable(app: &App, id: WorkerId, actor: &str) -> Result<()> {
    let mut tx = app.db.begin().await?;
    find(&mut tx, id).await?;
    if db::workers::enable_if_disabled(&mut tx, id).await? {
        events::append(&mut tx, Event::of_worker(EventKind::WorkerEnabled, actor, id), app.clock.now())
            .await?;
    }
    tx.commit().await?;
    Ok(())
}

pub async fn drain(app: &App, id: WorkerId, draining: bool, actor: &str) -> Result<()> {
    let mut tx = app.db.begin().await?;
    if !db::workers::set_draining(&mut tx, id, draining).await? {
        return Err(ApiError::no_such("worker"));
    }
    let event = Event::of_worker(EventKind::WorkerDraining, actor, id);
    let reason = if draining { "accepts no new jobs" } else { "accepts jobs again" };
    let data = EventData { draining: Some(draining), ..EventData::default() };
    events::append(&mut tx, event.because(reason).and(data), app.clock.now()).await?;
    tx.commit().await?;
    Ok(())
}

/// Ends every key and every claim of a worker.
pub async fn revoke_key(app: &App, id: WorkerId, actor: &str) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let worker = find(&mut tx, id).await?;
    reclaim::release_all(app, &mut tx, &worker, Loss::KeyRevoked).await?;
    worker_keys::revoke_all(&mut tx, id, app.clock.now()).await?;
    events::append(&mut tx, Event::of_worker(EventKind::WorkerKeyRevoked, actor, id), app.clock.now())
        .await?;
    tx.commit().await?;
    app.waiters.switched();
    release_late(app, id, Loss::KeyRevoked).await
}

/// A new key; the old ones end at once, the claims stay.
pub async fn rotate_key(app: &App, id: WorkerId, actor: &str) -> Result<String> {
    let mut tx = app.db.begin().await?;
    find(&mut tx, id).await?;
    worker_keys::revoke_all(&mut tx, id, app.clock.now()).await?;
    let api_key = add_key(app, &mut tx, id).await?;
    events::append(&mut tx, Event::of_worker(EventKind::WorkerKeyRotated, actor, id), app.clock.now())
        .await?;
    tx.commit().await?;
    Ok(api_key)
}

/// Forgets a worker; what it held goes back to the queue, what it did stays in the history.
pub async fn delete(app: &App, id: WorkerId, actor: &str) -> Result<()> {
    // Once that is committed nothing is granted to it any more, and no job can be left behind without a worker.
    let mut tx = app.db.begin().await?;
    find(&mut tx, id).await?;
    db::workers::disable(&mut tx, id).await?;
    tx.commit().await?;
    let mut tx = app.db.begin().await?;
    let worker = find(&mut tx, id).await?;
    reclaim::release_all(app, &mut tx, &worker, Loss::WorkerRemoved).await?;
    db::workers::delete(&mut tx, id).await?;
    let event = Event::of_worker(EventKind::WorkerDeleted, actor, id).because(worker.name);
    events::append(&mut tx, event, app.clock.now()).await?;
    tx.commit().await?;
    app.waiters.switched();
    Ok(())
}

async fn find(tx: &mut Tx, id: WorkerId) -> Result<WorkerRow> {
    db::workers::get_in(tx, id).await?.ok_or_else(|| ApiError::no_such("worker"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_of_ten_thousand_bytes_is_kept_and_one_more_is_refused() {
        let text = |length: usize| Value::String("x".repeat(length - 2));
        assert!(check_json("metadata", Some(&text(10_000))).is_ok());
        assert!(check_json("metadata", Some(&text(10_001))).is_err());
    }

    #[test]
    fn json_with_a_zero_byte_anywhere_is_refused() {
        for value in [json!("a\0"), json!([1, { "a": ["\0"] }]), json!({ "a\0": 1 })] {
            assert_eq!(check_json("metadata", Some(&value)).unwrap_err().code, "bad_text", "{value}");
        }
        assert!(check_json("metadata", Some(&json!("a\\u0000"))).is_ok());
    }

    #[test]
    fn keys_are_256_random_bits_and_begin_with_no_dash() {
        let keys: Vec<String> = (0..1000).map(|_| random_secret()).collect();
        assert!(keys.iter().all(|key| key.len() == 43 && !key.starts_with('-')));
        assert_ne!(keys[0], keys[1]);
    }
}
