//! Lists, counts and bulk changes of jobs.

use chrono::Duration;
use framefarm_api::db::job::lists::{JobFilter, StatusCount};
use framefarm_api::db::{collections, job};
use framefarm_api::testing::Farm;
use framefarm_shared::id::{CollectionId, JobId};
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;

use super::world::{INSTANT, a_job, a_ready_video, a_running_job, an_ended_job, new_job};
use super::{count, plan};

fn of(status: JobStatus) -> JobFilter {
    JobFilter { status: Some(status), ..JobFilter::default() }
}

fn sorted(counts: Vec<StatusCount>) -> Vec<(QueueType, JobStatus, i64)> {
    let mut rows: Vec<_> = counts.into_iter().map(|row| (row.queue_type, row.status, row.count)).collect();
    rows.sort_unstable();
    rows
}

/// One failed transcode, one running transcode, one waiting preview that belongs to the collection.
async fn a_mixture(farm: &Farm) -> ([JobId; 3], CollectionId) {
    let failed = an_ended_job(farm, "failed", JobStatus::Failed).await;
    let (running, _) = a_running_job(farm, "running").await;
    let id = CollectionId::new(&farm.clock);
    commit!(farm, |tx| collections::ensure(tx, id, "news", farm.now()));
    let mut video = a_ready_video(farm, "news").await;
    video.collection_id = Some(id);
    let new = new_job(farm, &video, QueueType::Preview);
    let waiting = commit!(farm, |tx| job::insert_unless_live(tx, new, farm.now())).unwrap();
    ([failed.id, running.id, waiting.id], id)
}

framefarm_api::on_both_engines! {
    async fn pages_of_jobs_visit_each_once_newest_first(farm: Farm) {
        for _ in 0..7 {
            a_job(&farm, "clip").await;
        }
        let (mut seen, mut before) = (Vec::new(), None);
        loop {
            let page = job::lists::list(&farm.app.db, &JobFilter::default(), before, 3).await.unwrap();
            let Some(last) = page.last() else { break };
            before = Some(last.number);
            seen.extend(page.iter().map(|job| job.number));
            a_job(&farm, "added meanwhile").await;
        }
        assert_eq!(seen.len(), 7);
        assert!(seen.is_sorted_by(|one, next| one > next));
    }

    async fn a_filter_means_status_kind_and_collection_together(farm: Farm) {
        let ([failed, running, waiting], collection) = a_mixture(&farm).await;
        let none = JobFilter::default();
        let kind = |kind| JobFilter { queue_type: Some(kind), ..JobFilter::default() };
        let inside = JobFilter { collection: Some(collection), ..JobFilter::default() };
        for (filter, expected) in [
            (none, vec![waiting, running, failed]),
            (of(JobStatus::Running), vec![running]),
            (of(JobStatus::Completed), vec![]),
            (kind(QueueType::Transcode), vec![running, failed]),
            (inside.clone(), vec![waiting]),
            (JobFilter { status: Some(JobStatus::Failed), ..inside }, vec![]),
        ] {
            let found = job::lists::list(&farm.app.db, &filter, None, 10).await.unwrap();
            assert_eq!(found.iter().map(|job| job.id).collect::<Vec<_>>(), expected, "{filter:?}");
            let counted: i64 =
                job::lists::counts(&farm.app.db, &filter).await.unwrap().iter().map(|row| row.count).sum();
            assert_eq!(counted, i64::try_from(expected.len()).unwrap(), "{filter:?}");
        }
    }

    async fn jobs_are_counted_by_kind_and_status(farm: Farm) {
        a_mixture(&farm).await;
        a_running_job(&farm, "another").await;
        let counts = job::lists::counts(&farm.app.db, &JobFilter::default()).await.unwrap();
        assert_eq!(sorted(counts), [
            (QueueType::Transcode, JobStatus::Running, 2),
            (QueueType::Transcode, JobStatus::Failed, 1),
            (QueueType::Preview, JobStatus::Pending, 1),
        ]);
    }

    async fn the_oldest_waiting_job_says_since_when(farm: Farm) {
        assert_eq!(job::lists::oldest_pending(&farm.app.db).await.unwrap(), None);
        a_running_job(&farm, "running").await;
        farm.wait(INSTANT);
        let oldest = a_job(&farm, "oldest").await;
        farm.wait(Duration::milliseconds(1));
        a_job(&farm, "younger").await;
        assert_eq!(job::lists::oldest_pending(&farm.app.db).await.unwrap(), Some(oldest.enqueued_at));
    }

    async fn jobs_are_counted_by_collection_too(farm: Farm) {
        let (_, collection) = a_mixture(&farm).await;
        let counts = job::lists::counts_by_collection(&farm.app.db).await.unwrap();
        let inside: Vec<_> = counts.iter().filter(|row| row.collection_id == Some(collection)).collect();
        assert_eq!((counts.len(), inside.len(), inside[0].counted.count), (3, 1, 1));
        assert_eq!(inside[0].counted.status, JobStatus::Pending);
    }

    async fn what_runs_for_long_is_listed_the_longest_first(farm: Farm) {
        let (first, _) = a_running_job(&farm, "first").await;
        farm.wait(INSTANT);
        let (second, _) = a_running_job(&farm, "second").await;
        a_job(&farm, "waiting").await;
        let since = async |instant, limit| {
            let rows = job::lists::running_since(&farm.app.db, instant, limit).await.unwrap();
            rows.into_iter().map(|job| job.id).collect::<Vec<_>>()
        };
        assert_eq!(since(farm.now(), 9).await, [first.id, second.id]);
        assert_eq!(since(farm.now() - INSTANT, 9).await, [first.id]);
        assert_eq!(since(farm.now(), 1).await, [first.id]);
        assert!(since(farm.now() - INSTANT * 2, 9).await.is_empty());
    }

    async fn what_is_done_with_a_collection_finds_it_by_its_index(farm: Farm) {
        farm.fill_queue(2_000).await;
        let id = CollectionId::new(&farm.clock);
        commit!(farm, |tx| collections::ensure(tx, id, "news", farm.now()));
        farm.sql("UPDATE job SET collection_id = (SELECT id FROM collection) WHERE number % 100 = 0").await;
        farm.sql("ANALYZE").await;
        for what in ["SELECT count(*)", "DELETE", "SELECT number"] {
            let sql = format!("{what} FROM job WHERE collection_id = (SELECT id FROM collection WHERE name = 'news') \
                 AND status = 'failed'");
            let found = plan(&farm, &sql).await;
            assert!(found.contains("job_by_collection"), "{what}: {found}");
        }
    }

    async fn ended_jobs_are_removed_in_batches_and_live_on_in_the_totals(farm: Farm) {
        for status in [JobStatus::Completed, JobStatus::Completed, JobStatus::Completed, JobStatus::Failed] {
            an_ended_job(&farm, "clip", status).await;
            farm.wait(Duration::hours(13));
        }
        a_job(&farm, "waiting").await;
        a_running_job(&farm, "running").await;
        let done = of(JobStatus::Completed);
        assert_eq!(commit!(farm, |tx| job::lists::delete_ended(tx, &done, None, 2)), 2);
        assert_eq!(commit!(farm, |tx| job::lists::delete_ended(tx, &done, None, 2)), 1);
        assert_eq!(unchanged!(farm, |tx| job::lists::delete_ended(tx, &done, None, 2)), 0);
        assert_eq!(count(&farm, "job").await, 3);
        assert_eq!(commit!(farm, |tx| job::lists::delete_ended(tx, &JobFilter::default(), None, 9)), 1);
        let totals = sorted(job::lists::removed_totals(&farm.app.db).await.unwrap());
        let kind = QueueType::Transcode;
        assert_eq!(totals, [(kind, JobStatus::Completed, 3), (kind, JobStatus::Failed, 1)]);
        assert_eq!(count(&farm, "job").await, 2, "live jobs stay");
    }

    async fn jobs_are_removed_from_the_instant_given(farm: Farm) {
        let job = an_ended_job(&farm, "clip", JobStatus::Completed).await;
        let (end, any) = (job.finished_at.unwrap(), JobFilter::default());
        assert_eq!(unchanged!(farm, |tx| job::lists::delete_ended(tx, &any, Some(end - INSTANT), 9)), 0);
        assert_eq!(commit!(farm, |tx| job::lists::delete_ended(tx, &any, Some(end), 9)), 1);
    }

    async fn totals_of_a_day_add_up(farm: Farm) {
        assert!(job::lists::removed_totals(&farm.app.db).await.unwrap().is_empty());
        for _ in 0..3 {
            an_ended_job(&farm, "clip", JobStatus::Cancelled).await;
            commit!(farm, |tx| job::lists::delete_ended(tx, &JobFilter::default(), None, 9));
        }
        assert_eq!(count(&farm, "job_total").await, 1);
        assert_eq!(job::lists::removed_totals(&farm.app.db).await.unwrap()[0].count, 3);
    }
}
