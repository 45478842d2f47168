//! Changes of many jobs at once.

use framefarm_api::db::events::{self, Event};
use framefarm_api::db::job::Retranscode;
use framefarm_api::db::job::lists::JobFilter;
use framefarm_api::db::{job, videos};
use framefarm_shared::id::JobId;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::{JobStatus, VideoStatus};
use framefarm_shared::wire::event::EventKind;
use sqlx::error::ErrorKind;

use super::count;
use super::world::{a_job, a_running_job, an_ended_job, new_job};

const ENDED: &[JobStatus] = &[JobStatus::Failed, JobStatus::Cancelled];

fn only(ids: &[JobId]) -> JobFilter {
    JobFilter { ids: Some(ids.to_vec()), ..JobFilter::default() }
}

framefarm_api::on_both_engines! {
    async fn jobs_are_counted_and_named_by_id(farm: Farm) {
        let failed = an_ended_job(&farm, "failed", JobStatus::Failed).await;
        let waiting = a_job(&farm, "waiting").await;
        let any = JobFilter::default();
        assert_eq!(job::bulk::count(&farm.app.db, &any, ENDED).await.unwrap(), 1);
        assert_eq!(job::bulk::count(&farm.app.db, &only(&[waiting.id]), ENDED).await.unwrap(), 0);
        assert_eq!(job::bulk::count_pending(&farm.app.db, &any, 0, true).await.unwrap(), 1);
        assert_eq!(job::bulk::count_pending(&farm.app.db, &any, 0, false).await.unwrap(), 0);
        assert_eq!(job::bulk::count_pending(&farm.app.db, &any, 1, false).await.unwrap(), 1);
        let ids = [failed.id, JobId::new(&farm.clock), waiting.id];
        let mut named = job::bulk::named(&farm.app.db, &ids).await.unwrap();
        named.sort_by_key(|job| job.number);
        let named: Vec<_> = named.iter().map(|job| (job.id, job.number, job.status)).collect();
        assert_eq!(named, [
            (failed.id, failed.number, JobStatus::Failed), (waiting.id, waiting.number, JobStatus::Pending),
        ]);
        assert!(job::bulk::named(&farm.app.db, &[]).await.unwrap().is_empty());
    }

    async fn pages_of_ended_jobs_visit_each_once_newest_first(farm: Farm) {
        let mut ended = Vec::new();
        for status in [JobStatus::Failed, JobStatus::Completed, JobStatus::Cancelled, JobStatus::Failed] {
            let job = an_ended_job(&farm, "clip", status).await;
            ended.extend((status != JobStatus::Completed).then_some(job.number));
            a_job(&farm, "waiting").await;
        }
        ended.reverse();
        let (mut seen, mut before) = (Vec::new(), i64::MAX);
        loop {
            let page = unchanged!(farm, |tx| job::bulk::hold_ended(tx, &JobFilter::default(), before, 2));
            let Some(last) = page.last() else { break };
            before = *last;
            seen.extend(page);
        }
        assert_eq!(seen, ended);
        let cancelled = JobFilter { status: Some(JobStatus::Cancelled), ..JobFilter::default() };
        assert_eq!(commit!(farm, |tx| job::bulk::hold_ended(tx, &cancelled, i64::MAX, 9)), [ended[1]]);
    }

    async fn a_candidate_knows_its_twin_its_video_and_its_generation(farm: Farm) {
        let plain = an_ended_job(&farm, "plain", JobStatus::Failed).await;
        let twin = an_ended_job(&farm, "twin", JobStatus::Cancelled).await;
        let again = new_job(&farm, &farm.video(twin.video_id).await, QueueType::Transcode);
        commit!(farm, |tx| job::insert_unless_live(tx, again, farm.now())).unwrap();
        let deleted = an_ended_job(&farm, "deleted", JobStatus::Failed).await;
        commit!(farm, |tx| videos::delete_softly(tx, deleted.video_id, farm.now()));
        farm.sql("DELETE FROM generation WHERE video_id IN (SELECT id FROM video WHERE title = 'deleted')").await;
        let numbers = [plain.number, twin.number, deleted.number];
        unchanged!(farm, |tx| job::bulk::hold_videos(tx, &numbers));
        unchanged!(farm, |tx| job::bulk::hold_videos(tx, &[]));
        let found = unchanged!(farm, |tx| job::bulk::candidates(tx, &numbers));
        let found: Vec<_> = found
            .iter()
            .map(|job| (job.id, job.has_twin, job.video_is_deleted, job.needs_generation))
            .collect();
        assert_eq!(found, [
            (deleted.id, false, true, true), (twin.id, true, false, false), (plain.id, false, false, false),
        ]);
        assert!(commit!(farm, |tx| job::bulk::candidates(tx, &[])).is_empty());
    }

    async fn only_ended_jobs_go_back_and_all_of_them_or_none(farm: Farm) {
        let failed = an_ended_job(&farm, "failed", JobStatus::Failed).await;
        let cancelled = an_ended_job(&farm, "cancelled", JobStatus::Cancelled).await;
        let completed = an_ended_job(&farm, "completed", JobStatus::Completed).await;
        let (running, _) = a_running_job(&farm, "running").await;
        let others = [completed.number, running.number];
        assert_eq!(unchanged!(farm, |tx| job::bulk::retry_all_if_ended(tx, &others, farm.now())), 0);
        assert_eq!(unchanged!(farm, |tx| job::bulk::retry_all_if_ended(tx, &[], farm.now())), 0);
        let twin = new_job(&farm, &farm.video(failed.video_id).await, QueueType::Transcode);
        let twin = commit!(farm, |tx| job::insert_unless_live(tx, twin, farm.now())).unwrap();
        let numbers = [failed.number, cancelled.number, completed.number];
        let met = refused!(farm, |tx| job::bulk::retry_all_if_ended(tx, &numbers, farm.now()));
        assert_eq!(met, ErrorKind::UniqueViolation);
        assert_eq!(farm.job(cancelled.id).await.status, JobStatus::Cancelled);
        commit!(farm, |tx| job::cancel_if_pending(tx, twin.id, farm.now()));
        assert_eq!(commit!(farm, |tx| job::bulk::retry_all_if_ended(tx, &numbers, farm.now())), 2);
        let back = farm.job(failed.id).await;
        assert_eq!((back.status, back.error, back.finished_at), (JobStatus::Pending, None, None));
        assert_eq!((back.requeue_count, back.claimable_at), (1, farm.now()));
        assert_eq!(farm.job(completed.id).await.status, JobStatus::Completed);
    }

    async fn failed_videos_wait_again_and_get_a_new_generation(farm: Farm) {
        let job = an_ended_job(&farm, "clip", JobStatus::Failed).await;
        let other = a_job(&farm, "other").await;
        let numbers = [job.number, other.number];
        assert_eq!(unchanged!(farm, |tx| job::bulk::wait_all_if_failed(tx, &numbers)), 0, "none has failed");
        commit!(farm, |tx| videos::fail_if_unpublished(tx, job.video_id, "no"));
        assert_eq!(commit!(farm, |tx| job::bulk::wait_all_if_failed(tx, &numbers)), 1);
        let video = farm.video(job.video_id).await;
        assert_eq!((video.status, video.error_message), (VideoStatus::Pending, None));
        assert_eq!(unchanged!(farm, |tx| job::bulk::wait_all_if_failed(tx, &[])), 0);
        let again = Retranscode {
            retranscode_all: true,
            qualities: vec![],
            delete_captions: false,
            cleanup_on_claim: false,
        };
        unchanged!(farm, |tx| job::bulk::begin_generations(tx, &[], &again, farm.now()));
        commit!(farm, |tx| job::bulk::begin_generations(tx, &[other.number], &again, farm.now()));
        assert_eq!(farm.video(other.video_id).await.last_generation, 2);
        assert_eq!((farm.job(other.id).await.generation, farm.job(job.id).await.generation), (2, 1));
        assert_eq!(count(&farm, "generation").await, 3);
    }

    async fn waiting_jobs_get_another_priority_in_batches(farm: Farm) {
        let waiting = [a_job(&farm, "a").await, a_job(&farm, "b").await, a_job(&farm, "c").await];
        let (running, _) = a_running_job(&farm, "running").await;
        let any = JobFilter::default();
        let mut first = commit!(farm, |tx| job::bulk::set_priority_if_pending(tx, &any, 4, 2));
        first.sort_unstable();
        assert_eq!(first, [waiting[0].number, waiting[1].number]);
        assert_eq!(commit!(farm, |tx| job::bulk::set_priority_if_pending(tx, &any, 4, 2)), [waiting[2].number]);
        assert!(unchanged!(farm, |tx| job::bulk::set_priority_if_pending(tx, &any, 4, 2)).is_empty());
        assert_eq!(farm.job(running.id).await.priority, 0);
    }

    async fn many_jobs_have_an_event_each_as_if_it_were_written_alone(farm: Farm) {
        let (running, worker) = a_running_job(&farm, "running").await;
        let waiting = a_job(&farm, "waiting").await;
        let event = || Event::new(EventKind::JobRequeued, "admin").because("why");
        let numbers = [waiting.number, running.number];
        commit!(farm, |tx| events::append_of_jobs(tx, event(), &numbers, farm.now()));
        let alone = Event::of_job(EventKind::JobRequeued, "admin", &running).because("why");
        commit!(farm, |tx| events::append(tx, alone, farm.now()));
        let rows = farm.events().await;
        let told = |index: usize| {
            let row = &rows[index];
            (row.at, row.kind, row.video_id, row.job_id, row.worker_id, row.actor.clone(), row.reason.clone(), row.data.clone().unwrap().0)
        };
        assert_eq!((rows.len(), told(0)), (3, told(2)), "in the order of their numbers");
        assert_eq!((rows[1].job_id, rows[0].worker_id), (Some(waiting.id), Some(worker.id)));
        unchanged!(farm, |tx| events::append_of_jobs(tx, event(), &[], farm.now()));
    }
}
