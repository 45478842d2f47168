//! A heartbeat: renews every claim the worker holds, tells it which ones it lost, and releases those whose claim
//! reply never reached it.

use framefarm_shared::id::WorkerId;
use framefarm_shared::state::WorkerStatus;
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::{HeartbeatReply, HeartbeatRequest, HeldJob, LostJob};

use super::refusal::why_refused;
use super::{gpus, lost_reply, sandbox, workers};
use crate::app::App;
use crate::db::events::Event;
use crate::db::job;
use crate::db::job::renew::{Claim, Holder};
use crate::db::workers::{Beat, WorkerRow};
use crate::db::{self, events};
use crate::error::{ApiError, Result};
use crate::events::{GpuSign, WorkerSign};

const MAX_HELD: usize = 256;

pub async fn heartbeat(app: &App, worker: WorkerId, request: &HeartbeatRequest) -> Result<HeartbeatReply> {
    if request.held.len() > MAX_HELD {
        return Err(ApiError::bad_request(
            "too_many_jobs",
            format!("At most {MAX_HELD} held jobs per heartbeat."),
        ));
    }
    workers::check_json("capabilities", request.capabilities.as_ref())?;
    workers::check_json("metadata", request.metadata.as_ref())?;
    gpus::check(request.gpus.as_deref().unwrap_or_default())?;
    let mut tx = app.db.begin().await?;
    let before = workers::known_boot(app, &mut tx, worker, request.boot_id).await?;
    let now = app.clock.now();
    let expires = now + app.settings.lease();
    let claims = job::renew::claims_of(&mut tx, worker).await?;
    let renewed = job::renew::renew_if_held(&mut tx, worker, &request.held, now, expires).await?;
    let is_named = |claim: &Claim| request.held.contains(&HeldJob { job_id: claim.id, fence: claim.fence });
    for claim in claims.into_iter().filter(|claim| !is_named(claim)) {
        lost_reply::release_if_unknown(app, &mut tx, claim, worker).await?;
    }
    let mut lost = Vec::new();
    for held in request.held.iter().filter(|held| !renewed.contains(held)) {
        let by = Holder { worker, job: held.job_id, fence: held.fence, now };
        let code = why_refused(app, &mut tx, by).await?;
        lost.push(LostJob { job_id: held.job_id, fence: held.fence, code });
    }
    let beat = Beat {
        worker,
        boot_id: request.boot_id,
        now,
        capabilities: request.capabilities.as_ref(),
        gpus: match (&request.gpus, &request.capabilities) {
            (Some(gpus), _) => Some(gpus::ready(gpus)),
            (None, capabilities) => capabilities.as_ref().map(gpus::claimed),
        },
        metadata: request.metadata.as_ref(),
    };
    db::workers::lock(&mut tx, worker).await?;
    let Some(row) = db::workers::beat_unless_disabled(&mut tx, &beat).await? else {
        return Err(ApiError::unauthorized("This worker is disabled."));
    };
    if let Some(gpus) = &request.gpus {
        gpus::keep(app, &mut tx, &row, gpus).await?;
    }
    // A ping is nobody's process.
    if !request.boot_id.0.is_nil() {
        sandbox::note(app, &mut tx, &before, &row).await?;
        if before.boot_id.is_none() {
            workers::note_first_start(&mut tx, &row, now).await?;
        }
    }
    if before.status == WorkerStatus::Offline {
        tracing::info!(worker.id = %worker, worker.name = row.name, "worker is back");
        let event = Event::by_worker_itself(EventKind::WorkerRecovered, &row.name, worker);
        events::append(&mut tx, event.because("heartbeats resumed"), now).await?;
    }
    let row = if request.stopping { workers::stop(&mut tx, row, now).await? } else { row };
    tx.commit().await?;
    let WorkerRow { id, status, draining, last_heartbeat, .. } = row;
    let gpus = request.gpus.iter().flatten().map(GpuSign::from).collect();
    app.events.worker(WorkerSign { id, status, draining, last_heartbeat, gpus });
    Ok(HeartbeatReply {
        renewed,
        lost,
        draining,
        lease_seconds: app.settings.lease_seconds(),
        heartbeat_seconds: app.settings.heartbeat_seconds(),
    })
}
