//! Whole rows, out and in.

use std::slice::from_ref;

use framefarm_api::db::job::JobRow;
use framefarm_api::db::job::attempts::AttemptRow;
use framefarm_api::db::{generations, job, videos};
use framefarm_shared::id::{JobId, VideoId};
use framefarm_shared::state::{AttemptOutcome, JobStatus, VideoStatus};

use super::world::{a_job, a_running_job, a_video, an_ended_job, left};
use super::{count, dump};

framefarm_api::on_both_engines! {
    async fn pages_have_every_job_and_video_once_but_none_that_was_deleted(farm: Farm) {
        let waiting = a_job(&farm, "waiting").await;
        let failed = an_ended_job(&farm, "failed", JobStatus::Failed).await;
        let deleted = an_ended_job(&farm, "deleted", JobStatus::Failed).await;
        commit!(farm, |tx| videos::delete_softly(tx, deleted.video_id, farm.now()));
        a_video(&farm, "without a job").await;
        let mut tx = farm.app.db.begin_reading().await.unwrap();
        let (mut seen, mut after) = (Vec::new(), VideoId(uuid::Uuid::nil()));
        loop {
            let page = job::import::videos_page(&mut tx, after, 1).await.unwrap();
            let Some(last) = page.last() else { break };
            after = last.id;
            seen.push(last.id);
        }
        seen.sort_unstable();
        let mut expected = [waiting.video_id, failed.video_id];
        expected.sort_unstable();
        assert_eq!(seen, expected);
        let both = [JobStatus::Pending, JobStatus::Failed];
        let first = job::import::jobs_page(&mut tx, &both, 0, 1).await.unwrap();
        let rest = job::import::jobs_page(&mut tx, &both, first[0].number, 9).await.unwrap();
        assert_eq!((first[0].id, rest.len(), rest[0].id), (waiting.id, 1, failed.id));
        tx.rollback().await.unwrap();
    }

    async fn a_reading_transaction_sees_one_instant(farm: Farm) {
        a_job(&farm, "before").await;
        let mut tx = farm.app.db.begin_reading().await.unwrap();
        let count = async |tx: &mut framefarm_api::db::Tx| {
            job::import::jobs_page(tx, &[JobStatus::Pending], 0, 9).await.unwrap().len()
        };
        assert_eq!(count(&mut tx).await, 1);
        a_job(&farm, "meanwhile").await;
        assert_eq!(count(&mut tx).await, 1);
        tx.rollback().await.unwrap();
    }

    async fn what_was_taken_out_is_put_back_as_it_was(farm: Farm) {
        let (running, worker) = a_running_job(&farm, "clip").await;
        commit!(farm, |tx| job::attempts::begin(tx, &running, worker.id, &worker.name, farm.now()));
        let job = left(&farm, &running, JobStatus::Failed).await;
        commit!(farm, |tx| job::attempts::end(tx, job.id, job.fence, AttemptOutcome::Failed, None, farm.now()));
        commit!(farm, |tx| job::attempts::keep_log(tx, job.id, job.fence, "the last words"));
        let mut before = dump(&farm).await;
        let mut tx = farm.app.db.begin_reading().await.unwrap();
        let videos = job::import::videos_page(&mut tx, VideoId(uuid::Uuid::nil()), 9).await.unwrap();
        let jobs = job::import::jobs_page(&mut tx, JobStatus::ALL, 0, 9).await.unwrap();
        let attempts = job::import::attempts_of(&mut tx, &[job.id]).await.unwrap();
        assert!(job::import::attempts_of(&mut tx, &[]).await.unwrap().is_empty());
        tx.rollback().await.unwrap();
        assert_eq!(attempts[0].log.as_deref(), Some("the last words"));
        farm.sql("DELETE FROM video").await;
        let ids = commit!(farm, |tx| job::import::insert_videos_unless_taken(tx, &videos));
        assert_eq!(ids, [job.video_id]);
        commit!(farm, |tx| job::import::insert_generations_unless_known(tx, &[(job.video_id, 1)], farm.now()));
        let added = commit!(farm, |tx| job::import::insert_jobs_unless_taken(tx, &jobs, true));
        assert_eq!(added, [(job.id, job.number)]);
        commit!(farm, |tx| job::import::insert_attempts_unless_known(tx, &attempts));
        // What is known only while a job runs stays behind.
        let mut after = dump(&farm).await;
        for rows in [&mut before, &mut after] {
            rows.retain(|row| !row.starts_with("job: "));
        }
        assert_eq!(after, before);
        let stays_behind = ["progressed_at", "last_checkpoint", "eta_seconds", "absent_since"];
        let kept = |row: &JobRow| {
            let mut row = serde_json::to_value(row).unwrap();
            row.as_object_mut().unwrap().retain(|column, _| !stays_behind.contains(&column.as_str()));
            row
        };
        let back = farm.job(job.id).await;
        assert_eq!(kept(&back), kept(&jobs[0]), "a column is missing in the statement that puts jobs back");
        assert_eq!(back.progressed_at, None);

        // A second time there is nothing to add.
        unchanged!(farm, |tx| job::import::insert_videos_unless_taken(tx, &videos));
        unchanged!(farm, |tx| job::import::insert_generations_unless_known(tx, &[(job.video_id, 1)], farm.now()));
        unchanged!(farm, |tx| job::import::insert_jobs_unless_taken(tx, &jobs, true));
        unchanged!(farm, |tx| job::import::insert_jobs_unless_taken(tx, &jobs, false));
        unchanged!(farm, |tx| job::import::insert_attempts_unless_known(tx, &attempts));
        unchanged!(farm, |tx| job::import::insert_videos_unless_taken(tx, &[]));
        unchanged!(farm, |tx| job::import::insert_generations_unless_known(tx, &[], farm.now()));
        unchanged!(farm, |tx| job::import::insert_jobs_unless_taken(tx, &[], true));
        unchanged!(farm, |tx| job::import::insert_attempts_unless_known(tx, &Vec::<AttemptRow>::new()));
        assert!(commit!(farm, |tx| generations::plan_row(tx, job.video_id, 1)).is_some());
    }

    async fn a_live_job_of_the_same_work_keeps_another_out(farm: Farm) {
        let job = a_job(&farm, "clip").await;
        let twin = JobRow { id: JobId::new(&farm.clock), number: 77, ..job };
        assert!(unchanged!(farm, |tx| job::import::insert_jobs_unless_taken(tx, from_ref(&twin), true)).is_empty());
        let ended = JobRow { status: JobStatus::Cancelled, finished_at: Some(farm.now()), ..twin };
        assert_eq!(commit!(farm, |tx| job::import::insert_jobs_unless_taken(tx, from_ref(&ended), true)), [(ended.id, 77)]);
    }

    async fn numbers_are_never_given_twice(farm: Farm) {
        assert_eq!(commit!(farm, |tx| job::import::last_number(tx)), 0);
        let job = a_job(&farm, "clip").await;
        let last = commit!(farm, |tx| job::import::last_number(tx));
        assert_eq!(last, job.number);
        assert_eq!(commit!(farm, |tx| job::import::taken_numbers(tx, &[job.number, 500])), [job.number]);
        assert!(commit!(farm, |tx| job::import::taken_numbers(tx, &[])).is_empty());
        let (id, video_id) = (JobId::new(&farm.clock), a_video(&farm, "other").await.id);
        let far = JobRow { id, number: 500, identity: "other".to_owned(), video_id, ..job.clone() };
        commit!(farm, |tx| job::import::reserve_numbers(tx, last, 500));
        commit!(farm, |tx| job::import::insert_jobs_unless_taken(tx, &[far], true));
        unchanged!(farm, |tx| job::import::reserve_numbers(tx, 500, 400));
        assert_eq!(a_job(&farm, "next").await.number, 501);
        let video_id = a_video(&farm, "third").await.id;
        let anew = JobRow { id: JobId::new(&farm.clock), identity: "third".to_owned(), video_id, ..job };
        let added = commit!(farm, |tx| job::import::insert_jobs_unless_taken(tx, &[anew], false));
        assert_eq!(added[0].1, 502);
    }

    async fn known_jobs_and_videos_are_found_by_id(farm: Farm) {
        let job = a_job(&farm, "clip").await;
        let ids = [job.id, JobId::new(&farm.clock)];
        assert_eq!(commit!(farm, |tx| job::import::known_jobs(tx, &ids)), [job.id]);
        assert!(commit!(farm, |tx| job::import::known_jobs(tx, &[])).is_empty());
        let ids = [job.video_id, VideoId::new(&farm.clock)];
        let found = commit!(farm, |tx| job::import::known_videos(tx, &ids));
        assert_eq!((found.len(), found[0].status, found[0].is_deleted), (1, VideoStatus::Pending, false));
        commit!(farm, |tx| videos::delete_softly(tx, job.video_id, farm.now()));
        assert!(commit!(farm, |tx| job::import::known_videos(tx, &ids))[0].is_deleted);
        assert!(commit!(farm, |tx| job::import::known_videos(tx, &[])).is_empty());
        assert_eq!(count(&farm, "video").await, 1);
    }
}
