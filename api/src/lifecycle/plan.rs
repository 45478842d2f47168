//! The first worker to probe a source decides where its segments begin; all later attempts follow that plan.

use framefarm_shared::extra_file::{ExtraKind, ImageName};
use framefarm_shared::id::{JobId, WorkerId};
use framefarm_shared::ladder::{needs_of, with_surround};
use framefarm_shared::plan::SourceInfo;
use framefarm_shared::wire::event::{EventData, EventKind};
use framefarm_shared::wire::worker_api::{PlanReply, PlanRequest};

use super::collections::own_ladder;
use super::refusal::refuse;
use super::report;
use crate::app::App;
use crate::config::Surround;
use crate::db::events::Event;
use crate::db::job::renew::Holder;
use crate::db::qualities::GenerationKey;
use crate::db::{collections, events, extra_files, generations, job, qualities, videos};
use crate::error::{ApiError, Result};

pub async fn plan(app: &App, worker: WorkerId, job: JobId, request: PlanRequest) -> Result<PlanReply> {
    request.plan.check().map_err(|detail| ApiError::unprocessable("bad_plan", detail))?;
    let now = app.clock.now();
    let by = Holder { worker, job, fence: request.fence, now };
    let mut tx = app.db.begin().await?;
    let Some(job) = job::renew::touch_if_held(&mut tx, by, now + app.settings.lease()).await? else {
        return refuse(app, &mut tx, by).await;
    };
    if !job.queue_type.makes_generation() {
        return Err(ApiError::unprocessable("bad_plan", format!("A {} job has no plan.", job.queue_type)));
    }
    let key = GenerationKey { video: job.video_id, number: job.generation };
    if generations::set_plan_if_none(&mut tx, key.video, key.number, &request.plan).await? {
        let video = videos::get_in(&mut tx, job.video_id).await?;
        let wanted = video.as_ref().and_then(|video| video.wanted.clone()).map(|json| json.0);
        let segments = i32::try_from(request.plan.segment_count()).unwrap_or(i32::MAX);
        let collection = match video.as_ref().and_then(|video| video.collection_id) {
            Some(id) => collections::get_in(&mut tx, id).await?,
            None => None,
        };
        let own = own_ladder(app, collection.as_ref());
        let ladder = own.as_ref().unwrap_or(&app.settings.ladder);
        let planned = ladder.qualities_for(request.plan.shape(), wanted.as_deref());
        let planned = match app.settings.surround {
            Surround::Off => planned,
            Surround::On => with_surround(planned, &request.plan.source.audio),
        };
        for (position, quality) in (0..).zip(&planned) {
            qualities::insert(&mut tx, key, position, quality, segments).await?;
        }
        job::set_gpu_needs(&mut tx, job.id, needs_of(&planned)).await?;
        let event = Event::of_job(EventKind::JobPlanned, "worker", &job).by_worker(worker);
        let event = event.because(format!("{segments} segments"));
        let data = EventData { segments: Some(segments), ..EventData::default() };
        events::append(&mut tx, event.and(data), now).await?;
    }
    let plan = generations::plan_in(&mut tx, key.video, key.number).await?.unwrap_or(request.plan);
    let qualities = report::qualities_of(&mut tx, key).await?;
    let sidecars = extra_files::names(&mut tx, key).await?;
    tx.commit().await?;
    let subtitles = sidecars.iter().filter(|(kind, _)| *kind == ExtraKind::Subtitle).count();
    Ok(PlanReply {
        has_images: has_images(&plan.source, &sidecars),
        has_subtitles: subtitles >= plan.source.subtitles.len(),
        plan,
        qualities,
        lease_seconds: app.settings.lease_seconds(),
    })
}

/// Whether no image is missing. The storyboard of a video comes last; an audio file has nothing but its cover, if that.
fn has_images(source: &SourceInfo, sidecars: &[(ExtraKind, String)]) -> bool {
    let has = |image: ImageName| sidecars.contains(&(ExtraKind::Image, image.to_string()));
    match (&source.video, source.has_cover) {
        (Some(_), _) => has(ImageName::Storyboard),
        (None, Some(false)) => true,
        (None, Some(true) | None) => has(ImageName::Poster),
    }
}
