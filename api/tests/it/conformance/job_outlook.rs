//! What estimates are made of.

use chrono::{Duration, DurationRound as _};
use framefarm_api::db::job::NewJob;
use framefarm_api::db::job::end::{Guard, JobEnd};
use framefarm_api::db::job::lists::JobFilter;
use framefarm_api::db::{job, qualities, videos};
use framefarm_api::testing::Farm;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;

use super::world::{a_generation, a_job, a_running_job, a_video, an_ended_job, job_of, left, new_job};

const KIND: QueueType = QueueType::Transcode;

async fn numbers(farm: &Farm, filter: JobFilter) -> Vec<i64> {
    job::lists::list(&farm.app.db, &filter, None, 100).await.unwrap().iter().map(|job| job.number).collect()
}

framefarm_api::on_both_engines! {
    async fn done_jobs_tell_how_long_they_took_newest_first(farm: Farm) {
        for (title, seconds) in [("one", 10), ("two", 20)] {
            let (job, _) = a_running_job(&farm, title).await;
            farm.wait(Duration::seconds(seconds));
            left(&farm, &job, JobStatus::Completed).await;
        }
        an_ended_job(&farm, "failed", JobStatus::Failed).await;
        let done = job::outlook::done(&farm.app.db, 10).await.unwrap();
        let took: Vec<i64> = done.iter().map(|job| (job.finished_at - job.started_at).num_seconds()).collect();
        assert_eq!(took, [20, 10]);
        assert!(done.iter().all(|job| job.worker_id.is_some() && job.height.is_none() && job.source_size == 1_000_000));
        assert_eq!(job::outlook::done(&farm.app.db, 1).await.unwrap().len(), 1);
    }

    async fn due_jobs_come_in_the_order_of_the_claim(farm: Farm) {
        let first = a_job(&farm, "first").await;
        let second = a_job(&farm, "second").await;
        let video = a_video(&farm, "urgent").await;
        let mut urgent = new_job(&farm, &video, KIND);
        urgent.priority = 10;
        let urgent = commit!(farm, |tx| job::insert_unless_live(tx, urgent, farm.now())).unwrap();
        a_running_job(&farm, "running").await;
        let due = job::outlook::due(&farm.app.db, KIND, 10).await.unwrap();
        let ids: Vec<_> = due.iter().map(|job| job.id).collect();
        assert_eq!(ids, [urgent.id, first.id, second.id]);
        assert_eq!(job::outlook::due(&farm.app.db, KIND, 2).await.unwrap().len(), 2);
        assert!(job::outlook::due(&farm.app.db, QueueType::Preview, 2).await.unwrap().is_empty());
    }

    async fn the_oldest_of_all_priorities_is_the_one_that_waits_longest(farm: Farm) {
        let oldest = async |kind| job::outlook::oldest_claimable(&farm.app.db, kind).await.unwrap();
        assert_eq!(oldest(KIND).await, None);
        let mut enqueued = Vec::new();
        for priority in [-1000, 5, 0, 5, 1000] {
            let video = a_video(&farm, "one of many").await;
            let new = NewJob { priority, ..new_job(&farm, &video, KIND) };
            enqueued.push(commit!(farm, |tx| job::insert_unless_live(tx, new, farm.now())).unwrap());
            farm.wait(Duration::minutes(1));
        }
        for (gone, next) in [(0, 1), (1, 2), (2, 3), (3, 4)] {
            assert_eq!(oldest(KIND).await, Some(enqueued[gone].enqueued_at));
            commit!(farm, |tx| job::cancel_if_pending(tx, enqueued[gone].id, farm.now()));
            assert_eq!(oldest(KIND).await, Some(enqueued[next].enqueued_at));
        }
        assert_eq!(oldest(QueueType::Preview).await, None);
        // One that waits for its time is not to be had.
        let (job, _) = a_running_job(&farm, "to be tried again").await;
        let job_end = JobEnd { retry_after: Some(farm.now() + Duration::hours(1)), ..JobEnd::to(JobStatus::Pending, farm.now()) };
        commit!(farm, |tx| job::end::end_if(tx, job.id, job.fence, Guard::Whatever, &job_end));
        commit!(farm, |tx| job::cancel_if_pending(tx, enqueued[4].id, farm.now()));
        assert_eq!(oldest(KIND).await, None);
    }

    async fn running_jobs_are_found_with_their_sources(farm: Farm) {
        let (job, worker) = a_running_job(&farm, "clip").await;
        a_job(&farm, "waiting").await;
        let running = job::outlook::running(&farm.app.db, KIND).await.unwrap();
        let [found] = running.as_slice() else { panic!("{running:?}") };
        assert_eq!((found.worker_id, found.attempt_started_at), (Some(worker.id), job.attempt_started_at));
        assert_eq!(found.source.source_size, 1_000_000);
        let rows = job::running(&farm.app.db).await.unwrap();
        assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [job.id]);
    }

    async fn ended_jobs_are_counted_by_the_hour_and_by_the_day(farm: Farm) {
        let hour = farm.now().duration_trunc(Duration::hours(1)).unwrap();
        farm.wait(hour + Duration::hours(1) - farm.now());
        for status in [JobStatus::Completed, JobStatus::Completed, JobStatus::Failed] {
            an_ended_job(&farm, "clip", status).await;
        }
        farm.wait(Duration::hours(1));
        an_ended_job(&farm, "clip", JobStatus::Completed).await;
        let since = hour + Duration::hours(1);
        let mut by_hour = job::outlook::ended_since(&farm.app.db, since, false).await.unwrap();
        by_hour.sort_by(|a, b| (&a.span, a.count).cmp(&(&b.span, b.count)));
        let first = since.format("%Y-%m-%dT%H").to_string();
        let second = (since + Duration::hours(1)).format("%Y-%m-%dT%H").to_string();
        let found: Vec<_> = by_hour.iter().map(|row| (row.span.as_str(), row.status, row.count)).collect();
        assert_eq!(found, [
            (first.as_str(), JobStatus::Failed, 1),
            (first.as_str(), JobStatus::Completed, 2),
            (second.as_str(), JobStatus::Completed, 1),
        ]);
        let later = job::outlook::ended_since(&farm.app.db, since + Duration::hours(1), true).await.unwrap();
        let [only] = later.as_slice() else { panic!("{later:?}") };
        assert_eq!((only.span.as_str(), only.count, only.video_us), (&second[..10], 1, 0));
    }

    async fn the_work_on_videos_is_found_by_their_ids(farm: Farm) {
        let key = a_generation(&farm, &["720p", "360p"]).await;
        let video = farm.video(key.video).await;
        let job = job_of(&farm, &video, KIND).await;
        let over = an_ended_job(&farm, "over", JobStatus::Failed).await;
        let ids = [video.id, over.video_id];
        let live = job::live_transcodes(&farm.app.db, &ids).await.unwrap();
        assert_eq!(live.iter().map(|row| row.id).collect::<Vec<_>>(), [job.id]);
        let making = qualities::in_the_making(&farm.app.db, &ids).await.unwrap();
        assert_eq!(making.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["720p", "360p"]);
        let mut titles = videos::titles(&farm.app.db, &ids).await.unwrap();
        titles.sort_by(|a, b| a.1.cmp(&b.1));
        assert_eq!(titles, [(video.id, "clip".to_owned()), (over.video_id, "over".to_owned())]);
        let found = job::by_ids(&farm.app.db, &[over.id]).await.unwrap();
        assert_eq!(found.iter().map(|row| row.id).collect::<Vec<_>>(), [over.id]);
        assert!(job::live_transcodes(&farm.app.db, &[]).await.unwrap().is_empty());
        assert!(job::by_ids(&farm.app.db, &[]).await.unwrap().is_empty());
        assert!(qualities::in_the_making(&farm.app.db, &[]).await.unwrap().is_empty());
        assert!(videos::titles(&farm.app.db, &[]).await.unwrap().is_empty());
    }

    async fn a_list_of_jobs_may_ask_for_what_is_at_work_for_a_worker_a_video_or_a_title(farm: Farm) {
        let waiting = a_job(&farm, "Größe 100%").await;
        let (running, worker) = a_running_job(&farm, "clip_a").await;
        let over = an_ended_job(&farm, "clip b", JobStatus::Failed).await;
        let all = JobFilter::default;
        assert_eq!(numbers(&farm, JobFilter { active: true, ..all() }).await, [running.number, waiting.number]);
        let by_worker = JobFilter { worker: Some(worker.id), ..all() };
        assert_eq!(numbers(&farm, by_worker).await, [running.number]);
        let by_video = JobFilter { video: Some(over.video_id), ..all() };
        assert_eq!(numbers(&farm, by_video).await, [over.number]);
        for (search, expected) in [("größe", vec![waiting.number]), ("100%", vec![waiting.number]),
            ("clip_", vec![running.number]), ("CLIP", vec![over.number, running.number]), ("%", vec![waiting.number])] {
            let by_title = JobFilter { search: Some(search.to_owned()), ..all() };
            assert_eq!(numbers(&farm, by_title).await, expected, "{search}");
        }
    }
}
