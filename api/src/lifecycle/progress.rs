//! A worker tells how far it is; that renews its lease.

use chrono::{DateTime, Utc};
use framefarm_shared::failure::{LOG_LIMIT, error_text, truncate};
use framefarm_shared::id::WorkerId;
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::{LeaseReply, ProgressRequest};

use super::left_out::quality_failed;
use super::refusal::refuse;
use crate::app::App;
use crate::db::events::Event;
use crate::db::job;
use crate::db::job::JobRow;
use crate::db::job::renew::{Holder, Reached};
use crate::db::qualities::{GenerationKey, Pace};
use crate::db::{events, qualities};
use crate::error::{ApiError, Result};
use crate::estimate::running_eta;
use crate::events::{Progress, QualityPace};

const MAX_QUALITIES: usize = 64;

pub async fn progress(app: &App, worker: WorkerId, request: &ProgressRequest) -> Result<LeaseReply> {
    check(request)?;
    let now = app.clock.now();
    let by = Holder { worker, job: request.job_id, fence: request.fence, now };
    let mut tx = app.db.begin().await?;
    let expires = now + app.settings.lease();
    let ProgressRequest { step, percent, eta_seconds, .. } = *request;
    let reached = Reached { step, percent, eta_seconds };
    let Some(job) = job::renew::progress_if_held(&mut tx, by, expires, reached).await? else {
        return refuse(app, &mut tx, by).await;
    };
    let key = GenerationKey { video: job.video_id, number: job.generation };
    let mut paces = Vec::new();
    for quality in &request.qualities {
        if let Some(error) = &quality.error {
            let error = error_text(error);
            if qualities::fail_if_open(&mut tx, key, &quality.name, &error).await? {
                let event = Event::of_job(EventKind::QualityFailed, "worker", &job).by_worker(worker);
                events::append(&mut tx, quality_failed(event, &quality.name, error), now).await?;
            }
        } else {
            let pace = Pace { percent: quality.percent, fps: quality.fps, speed: quality.speed };
            let open = qualities::progress_if_open(&mut tx, key, &quality.name, pace, now).await?;
            paces.extend(quality.speed.filter(|speed| open && *speed > 0.0).map(|speed| (quality, speed)));
        }
    }
    tx.commit().await?;
    for (quality, speed) in paces {
        app.metrics.deliveries.speed(&quality.name, quality.encoder.as_deref(), speed);
    }
    app.events.progress(progress_of(&job, request, now));
    Ok(LeaseReply { lease_seconds: app.settings.lease_seconds() })
}

fn progress_of(job: &JobRow, request: &ProgressRequest, now: DateTime<Utc>) -> Progress {
    let started = job.attempt_started_at.unwrap_or(now);
    let told = request.qualities.iter().filter(|quality| quality.error.is_none());
    Progress {
        job_id: job.id,
        video_id: job.video_id,
        fence: job.fence,
        step: request.step,
        percent: job.progress_percent,
        eta: running_eta(job.eta_seconds, job.progress_percent, started, now),
        qualities: told
            .map(|quality| QualityPace {
                name: quality.name.clone(),
                percent: quality.percent,
                fps: quality.fps,
                speed: quality.speed,
            })
            .collect(),
        log: request.log.as_deref().map(|log| truncate(log, LOG_LIMIT).to_owned()),
    }
}

fn check(request: &ProgressRequest) -> Result<()> {
    let percents = request.qualities.iter().map(|quality| quality.percent);
    for percent in percents.chain([request.percent]) {
        if !(0.0..=100.0).contains(&percent) {
            return Err(ApiError::bad_request(
                "bad_percent",
                format!("`percent` is {percent}; it must be from 0 to 100."),
            ));
        }
    }
    let paces = request.qualities.iter().flat_map(|quality| [quality.fps, quality.speed]);
    for number in paces.chain([request.eta_seconds]).flatten() {
        if !(number.is_finite() && number >= 0.0) {
            let detail = format!("`fps`, `speed` and `eta_seconds` must be 0 or more, not {number}.");
            return Err(ApiError::unprocessable("bad_pace", detail));
        }
    }
    if request.qualities.len() > MAX_QUALITIES {
        return Err(ApiError::bad_request(
            "too_many_qualities",
            format!("At most {MAX_QUALITIES} qualities per request."),
        ));
    }
    if request.qualities.iter().flat_map(|quality| &quality.encoder).any(|name| name.chars().count() > 40) {
        return Err(ApiError::bad_request("bad_text", "`encoder` must have at most 40 characters."));
    }
    if request.qualities.iter().any(|quality| quality.error.as_deref() == Some("")) {
        return Err(ApiError::bad_request("bad_text", "`error` of a quality must not be empty."));
    }
    Ok(())
}
