//! Which jobs go back together, and what is told of the others.

use std::time::Duration;

use framefarm_api::db::job;
use framefarm_api::db::job::NewJob;
use framefarm_api::db::job::lists::JobFilter;
use framefarm_api::lifecycle::bulk::{Choice, SkippedJob};
use framefarm_api::lifecycle::priority::set_many;
use framefarm_api::lifecycle::retry_many::retry_many;
use framefarm_api::lifecycle::{cancel, delete, queues};
use framefarm_api::testing::Farm;
use framefarm_shared::id::JobId;
use framefarm_shared::queue::{QueueType, SkipReason};
use framefarm_shared::state::{JobStatus, VideoStatus};
use framefarm_shared::wire::event::EventKind;

use super::{a_failed_job, all, fails};

/// The same content once more, after the job of the first upload is over.
async fn a_twin(farm: &Farm, name: &str) -> JobId {
    farm.wait(chrono::Duration::seconds(1));
    farm.upload(name).await.job.id
}

framefarm_api::on_both_engines! {
    async fn of_jobs_that_do_the_same_work_the_newest_goes_back(farm: Farm) {
        let old = a_failed_job(&farm, "clip").await;
        let new = a_twin(&farm, "clip").await;
        fails(&farm, new, framefarm_shared::failure::ErrorClass::InputInvalid).await;
        let number = farm.job(old).await.number;
        let left = SkippedJob { id: old, number: Some(number), reason: SkipReason::SameWork };
        let dry = retry_many(&farm.app, all(), "admin", true).await.unwrap();
        assert_eq!((dry.retried, &dry.skipped.first[..]), (1, &[left.clone()][..]));
        let done = retry_many(&farm.app, all(), "admin", false).await.unwrap();
        assert_eq!((done.retried, &done.skipped.first[..]), (1, &[left.clone()][..]));
        assert_eq!(farm.job(new).await.status, JobStatus::Pending);
        let again = retry_many(&farm.app, all(), "admin", false).await.unwrap();
        assert_eq!((again.retried, again.skipped.first), (0, vec![left]), "the same answer for what is left");
    }

    async fn what_cannot_go_back_is_counted_by_reason_and_named(farm: Farm) {
        let failed = a_failed_job(&farm, "failed").await;
        let queued_again = a_failed_job(&farm, "again").await;
        a_twin(&farm, "again").await;
        let deleted = a_failed_job(&farm, "deleted").await;
        delete::delete(&farm.app, farm.job(deleted).await.video_id, "admin").await.unwrap();
        let waiting = farm.upload("waiting").await.job.id;
        let unknown = JobId::new(&farm.clock);
        let ids = vec![failed, queued_again, deleted, waiting, unknown, failed];
        let done = retry_many(&farm.app, Choice::Ids(ids.clone()), "admin", false).await.unwrap();
        assert_eq!(done.retried, 1);
        let reasons: Vec<_> = done.skipped.counts.into_iter().collect();
        assert_eq!(reasons, [
            (SkipReason::Unknown, 1), (SkipReason::NotEnded, 1), (SkipReason::SameWork, 1), (SkipReason::VideoDeleted, 1),
        ]);
        let why = |id: JobId| done.skipped.first.iter().find(|job| job.id == id).map(|job| job.reason);
        assert_eq!(why(deleted), Some(SkipReason::VideoDeleted));
        assert_eq!(why(unknown), Some(SkipReason::Unknown));
        assert_eq!(farm.video(farm.job(failed).await.video_id).await.status, VideoStatus::Pending);
        assert_eq!(farm.job(deleted).await.status, JobStatus::Failed);
        let again = retry_many(&farm.app, Choice::Ids(ids), "admin", false).await.unwrap();
        assert_eq!((again.retried, again.skipped.total()), (0, 5));
    }

    async fn a_batch_that_meets_the_same_work_on_its_way_in_leaves_that_job_alone(farm: Farm) {
        let [one, two] = [a_failed_job(&farm, "one").await, a_failed_job(&farm, "two").await];
        let row = farm.job(one).await;
        let twin = NewJob {
            id: JobId::new(&farm.clock),
            video_id: row.video_id,
            collection_id: None,
            queue_type: QueueType::Transcode,
            identity: row.identity,
            priority: 0,
            generation: 1,
            retranscode: None,
            max_attempts: 3,
            max_lost: 3,
        };
        let mut tx = farm.app.db.begin().await.unwrap();
        job::insert_unless_live(&mut tx, twin, farm.now()).await.unwrap();
        let app = farm.app.clone();
        let mut retry = tokio::spawn(async move { retry_many(&app, all(), "admin", false).await });
        assert!(tokio::time::timeout(Duration::from_millis(200), &mut retry).await.is_err(), "did not wait");
        tx.commit().await.unwrap();
        let done = retry.await.unwrap().unwrap();
        assert_eq!((done.retried, done.skipped.counts[&SkipReason::SameWork]), (1, 1));
        // SQLite has one writer: nobody meets anybody.
        assert_eq!(done.overtaken, u32::from(!farm.app.db.is_sqlite()));
        assert_eq!((farm.job(one).await.status, farm.job(two).await.status), (JobStatus::Failed, JobStatus::Pending));
        let told = farm.events().await.into_iter().filter(|event| event.kind == EventKind::JobRequeued);
        assert_eq!(told.map(|event| event.job_id).collect::<Vec<_>>(), [Some(two)], "told once");
    }

    async fn what_goes_back_together_is_as_if_it_went_back_alone(farm: Farm) {
        let ids = [a_failed_job(&farm, "alone").await, a_failed_job(&farm, "together").await];
        farm.sql("DELETE FROM generation").await;
        farm.wait(chrono::Duration::minutes(5));
        framefarm_api::lifecycle::retry::requeue(&farm.app, ids[0], "admin").await.unwrap();
        retry_many(&farm.app, all(), "admin", false).await.unwrap();
        let events = farm.events().await;
        let mut seen = Vec::new();
        for id in ids {
            let mut row = farm.job(id).await;
            let video = farm.video(row.video_id).await;
            let event = events.iter().rfind(|event| event.job_id == Some(id)).unwrap();
            assert_eq!((event.kind, event.video_id), (EventKind::JobRequeued, Some(row.video_id)));
            let told = (event.at, event.actor.clone(), event.reason.clone(), event.data.clone().map(|json| json.0));
            // What must differ between two jobs.
            let first = farm.job(ids[0]).await;
            (row.number, row.id, row.video_id, row.identity) = (0, first.id, first.video_id, String::new());
            (row.processed_by_worker_id, row.sort_at, row.enqueued_at) = (None, farm.now(), farm.now());
            (row.attempt_started_at, row.progressed_at) = (None, None);
            let video = (video.status, video.error_message, video.generation, video.last_generation);
            seen.push((format!("{row:?}"), video, told));
        }
        assert_eq!(seen[0], seen[1]);
        assert_eq!(seen[0].1, (VideoStatus::Pending, None, 0, 2));
    }

    async fn a_priority_is_given_to_those_that_wait(farm: Farm) {
        let failed = a_failed_job(&farm, "failed").await;
        let first = farm.upload("first").await.job.id;
        let second = farm.upload_with("second", |request| request.priority = 5).await.job.id;
        let choice = || Choice::Ids(vec![failed, first, second]);
        let done = set_many(&farm.app, choice(), 5, "admin", false).await.unwrap();
        assert_eq!((done.changed, done.unchanged, done.skipped.counts[&SkipReason::NotPending]), (1, 1, 1));
        assert_eq!(farm.job(first).await.priority, 5);
        let again = set_many(&farm.app, choice(), 5, "admin", false).await.unwrap();
        assert_eq!((again.changed, again.unchanged), (0, 2));
        let told = farm.events().await.into_iter().filter(|event| event.kind == EventKind::JobPriorityChanged);
        let told: Vec<_> = told.map(|event| (event.job_id, event.reason, event.actor)).collect();
        assert_eq!(told, [(Some(first), Some("5".to_owned()), "admin".to_owned())]);
        cancel::cancel_job(&farm.app, second, "admin").await.unwrap();
        let none = JobFilter { status: Some(JobStatus::Cancelled), ..JobFilter::default() };
        let done = set_many(&farm.app, Choice::Matching(none), 9, "admin", false).await.unwrap();
        assert_eq!((done.changed, done.unchanged), (0, 0), "a cancelled job has no place");
    }

    async fn pausing_everything_is_told_once(farm: Farm) {
        let paused = async |kinds: &[QueueType], paused: bool| {
            queues::set_paused(&farm.app, kinds, paused, "admin").await.unwrap();
            farm.events().await.pop().map(|event| (event.id, event.kind, event.reason))
        };
        let (id, kind, reason) = paused(QueueType::ALL, true).await.unwrap();
        assert_eq!((kind, reason.as_deref()), (EventKind::QueuePaused, Some("transcode, preview, captions")));
        assert_eq!(farm.events().await.len(), 1);
        assert_eq!(paused(QueueType::ALL, true).await.unwrap().0, id, "nothing new, nothing told");
        paused(&[QueueType::Preview], false).await;
        let (_, kind, reason) = paused(QueueType::ALL, false).await.unwrap();
        assert_eq!((kind, reason.as_deref()), (EventKind::QueueResumed, Some("transcode, captions")));
    }

    async fn more_than_can_be_told_one_by_one_wake_everybody_who_waits(farm: Farm) {
        let farm = farm.restarted(|settings| settings.claim_poll_interval = 30.0).await;
        farm.fill_queue(150).await;
        farm.sql("UPDATE job SET status = 'cancelled', finished_at = enqueued_at").await;
        let mut waiting = tokio::task::JoinSet::new();
        for name in ["w1", "w2", "w3"] {
            let worker = farm.worker(name).await;
            waiting.spawn(async move { worker.wait_for_job(25).await.is_some() });
        }
        tokio::time::timeout(Duration::from_secs(5), async {
            while farm.app.waiters.waiting() < 3 {
                tokio::task::yield_now().await;
            }
        })
        .await
        .expect("nobody waits");
        assert_eq!(retry_many(&farm.app, all(), "admin", false).await.unwrap().retried, 150);
        let got = tokio::time::timeout(Duration::from_secs(10), waiting.join_all()).await.expect("nobody was woken");
        assert_eq!(got, [true; 3]);
    }
}
