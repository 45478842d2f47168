//! Ended jobs whose time is over.

use framefarm_api::db::collections::{self, Rules};
use framefarm_api::db::job;
use framefarm_api::db::job::retention::Due;
use framefarm_api::db::sources::Whose;
use framefarm_shared::id::CollectionId;
use framefarm_shared::state::JobStatus;

use super::world::{INSTANT, a_job, a_running_job, an_ended_job};

framefarm_api::on_both_engines! {
    async fn a_job_may_go_from_its_instant_and_is_counted_when_it_did(farm: Farm) {
        a_job(&farm, "waiting").await;
        a_running_job(&farm, "running").await;
        for status in [JobStatus::Completed, JobStatus::Failed, JobStatus::Failed, JobStatus::Cancelled] {
            an_ended_job(&farm, "ended", status).await;
        }
        let db = &farm.app.db;
        let early = Due { statuses: &[JobStatus::Failed], whose: None, finished_by: farm.now() - INSTANT };
        assert_eq!(job::retention::count_due(db, early).await.unwrap(), 0);
        assert_eq!(unchanged!(farm, |tx| job::retention::delete_due(tx, early, 10)), 0);
        let due = Due { statuses: &[JobStatus::Failed, JobStatus::Cancelled], finished_by: farm.now(), whose: None };
        assert_eq!(job::retention::count_due(db, due).await.unwrap(), 3);
        assert_eq!(commit!(farm, |tx| job::retention::delete_due(tx, due, 2)), 2);
        assert_eq!(job::retention::count_due(db, due).await.unwrap(), 1);
        assert_eq!(commit!(farm, |tx| job::retention::delete_due(tx, due, 2)), 1);
        assert_eq!(unchanged!(farm, |tx| job::retention::delete_due(tx, due, 2)), 0);
        let totals = job::lists::removed_totals(db).await.unwrap();
        let totals: Vec<_> = totals.iter().map(|total| (total.status, total.count)).collect();
        assert_eq!(totals, [(JobStatus::Cancelled, 1), (JobStatus::Failed, 2)]);
    }

    async fn a_rule_of_a_collection_is_about_its_jobs_alone(farm: Farm) {
        let mut collections_ids = Vec::new();
        for (name, days) in [("own", Some(7)), ("none", None)] {
            let id = CollectionId::new(&farm.clock);
            let rules = Rules { completed_retention_days: days, ..Rules::default() };
            commit!(farm, |tx| collections::insert_if_free(tx, id, name, &rules, farm.now()));
            collections_ids.push(id);
        }
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(an_ended_job(&farm, "clip", JobStatus::Completed).await.id);
        }
        for (job, collection) in ids.iter().zip(&collections_ids) {
            let text = |id: uuid::Uuid| if farm.app.db.is_sqlite() {
                format!("x'{}'", id.simple())
            } else {
                format!("'{id}'")
            };
            farm.sql(&format!("UPDATE job SET collection_id = {} WHERE id = {}", text(collection.0), text(job.0))).await;
        }
        let due = |whose| Due { statuses: &[JobStatus::Completed], whose: Some(whose), finished_by: farm.now() };
        assert_eq!(job::retention::count_due(&farm.app.db, due(Whose::Collection(collections_ids[0]))).await.unwrap(), 1);
        assert_eq!(commit!(farm, |tx| job::retention::delete_due(tx, due(Whose::Others), 10)), 2);
        assert!(job::get(&farm.app.db, ids[0]).await.unwrap().is_some());
        assert_eq!(commit!(farm, |tx| job::retention::delete_due(tx, due(Whose::Collection(collections_ids[0])), 10)), 1);
    }
}
