//! A person manages the queue: many jobs at once, jobs that are stuck, queues that leave and come back.

mod bulk;
mod filters;
mod lists;
mod one_job;
mod queue_transfer;
mod stuck;
mod ten_thousand;

use framefarm_api::db::job::lists::JobFilter;
use framefarm_api::lifecycle::bulk::Choice;
use framefarm_api::queue_transfer::document::Export;
use framefarm_api::queue_transfer::export::export;
use framefarm_api::testing::Farm;
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::JobId;

pub(crate) fn all() -> Choice {
    Choice::Matching(JobFilter::default())
}

/// Uploads and lets it fail for good.
async fn a_failed_job(farm: &Farm, name: &str) -> JobId {
    let job = farm.upload(name).await.job.id;
    fails(farm, job, ErrorClass::InputInvalid).await;
    job
}

async fn fails(farm: &Farm, job: JobId, class: ErrorClass) {
    let worker = farm.worker("w1").await;
    let claimed = worker.claim_this(job).await.expect("not to be had");
    worker.fail(&claimed, class, "it does not work").await.unwrap();
}

async fn exported(farm: &Farm) -> Export {
    serde_json::from_reader(std::io::BufReader::new(export(&farm.app).await.unwrap())).unwrap()
}

/// An export as it is written, without its first line, which has the time.
async fn written(farm: &Farm) -> String {
    let text = std::io::read_to_string(export(&farm.app).await.unwrap()).unwrap();
    text.split_once('\n').unwrap().1.to_owned()
}

/// Everything of an export but its time, to be compared.
fn told(export: &Export) -> serde_json::Value {
    let mut value = serde_json::to_value(export).unwrap();
    value.as_object_mut().unwrap().remove("exported_at");
    value
}

fn copy(export: &Export) -> Export {
    Export {
        schema: export.schema.clone(),
        exported_at: export.exported_at,
        videos: export.videos.clone(),
        pending: export.pending.clone(),
        running: export.running.clone(),
        completed: export.completed.clone(),
        errors: export.errors.clone(),
    }
}

/// Another farm on an empty database of the same kind and at the same time.
async fn an_empty_farm(farm: &Farm) -> Farm {
    let other = if farm.app.db.is_sqlite() { Farm::sqlite().await } else { Farm::postgres().await };
    other.wait(farm.now() - other.now());
    other
}
