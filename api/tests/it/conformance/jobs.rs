//! Table `job`: how one is added and read, and the changes made by people.

use framefarm_api::db::job;

use framefarm_api::db::job::{NewJob, Retranscode};
use framefarm_api::db::{generations, videos};
use framefarm_shared::gpu::Abilities;
use framefarm_shared::id::JobId;
use framefarm_shared::ladder::VideoCodec;
use framefarm_shared::queue::QueueType;
use framefarm_shared::state::JobStatus;
use sqlx::error::ErrorKind;

use super::world::{
    INSTANT, a_job, a_ready_video, a_running_job, a_video, a_worker, an_ended_job, claimed, job_of, left,
    new_job,
};

const ENDED: [JobStatus; 3] = [JobStatus::Completed, JobStatus::Failed, JobStatus::Cancelled];

framefarm_api::on_both_engines! {
    async fn a_new_job_waits_and_may_be_claimed_at_once(farm: Farm) {
        let video = a_video(&farm, "clip").await;
        farm.wait(INSTANT);
        let request = Retranscode {
            retranscode_all: false,
            qualities: vec!["720p".to_owned(), "größer ☃".to_owned()],
            delete_captions: true,
            cleanup_on_claim: false,
        };
        let new = new_job(&farm, &video, QueueType::Captions);
        let new = NewJob { priority: -7, retranscode: Some(request.clone()), ..new };
        let id = new.id;
        let job = commit!(farm, |tx| job::insert_unless_live(tx, new, farm.now())).unwrap();
        assert_eq!((job.id, job.video_id, job.queue_type), (id, video.id, QueueType::Captions));
        assert_eq!((job.status, job.priority, job.fence, job.attempt_number), (JobStatus::Pending, -7, 0, 0));
        assert_eq!((job.sort_at, job.enqueued_at, job.claimable_at), (farm.now(), farm.now(), farm.now()));
        assert_eq!(job.retranscode.as_ref().map(|json| &json.0), Some(&request));
        assert!(job.worker_id.is_none() && job.retry_after.is_none() && job.results.is_none());
        assert_eq!(format!("{:?}", job::get(&farm.app.db, id).await.unwrap()), format!("{:?}", Some(job)));
    }

    async fn a_job_is_read_by_its_number(farm: Farm) {
        let job = a_job(&farm, "clip").await;
        let other = a_job(&farm, "other clip").await;
        assert_eq!(job::by_number(&farm.app.db, job.number).await.unwrap().map(|row| row.id), Some(job.id));
        for number in [0, -1, other.number + 1, i64::MAX] {
            assert!(job::by_number(&farm.app.db, number).await.unwrap().is_none());
        }
    }

    async fn a_live_job_keeps_others_of_its_identity_and_kind_out(farm: Farm) {
        let video = a_video(&farm, "clip").await;
        let job = job_of(&farm, &video, QueueType::Transcode).await;
        let twin = || new_job(&farm, &video, QueueType::Transcode);
        assert!(unchanged!(farm, |tx| job::insert_unless_live(tx, twin(), farm.now())).is_none());
        let worker = a_worker(&farm, "w1").await;
        claimed(&farm, job.id, &worker).await;
        assert!(unchanged!(farm, |tx| job::insert_unless_live(tx, twin(), farm.now())).is_none());
        job_of(&farm, &video, QueueType::Preview).await;
    }

    async fn ended_jobs_of_an_identity_may_be_many(farm: Farm) {
        for status in ENDED {
            let ended = an_ended_job(&farm, "clip", status).await;
            let video = farm.video(ended.video_id).await;
            job_of(&farm, &video, QueueType::Transcode).await;
        }
    }

    async fn the_id_of_a_job_is_unique_and_its_video_exists(farm: Farm) {
        let job = a_job(&farm, "clip").await;
        let (video, mut missing) = (a_video(&farm, "another").await, a_video(&farm, "missing").await);
        let same = NewJob { id: job.id, ..new_job(&farm, &video, QueueType::Transcode) };
        assert!(unchanged!(farm, |tx| job::insert_unless_live(tx, same, farm.now())).is_none());
        missing.id = framefarm_shared::id::VideoId::new(&farm.clock);
        let orphan = new_job(&farm, &missing, QueueType::Transcode);
        let kind = refused!(farm, |tx| job::insert_unless_live(tx, orphan, farm.now()));
        assert_eq!(kind, ErrorKind::ForeignKeyViolation);
    }

    async fn a_job_is_read_by_its_id_inside_and_outside_of_a_transaction(farm: Farm) {
        let job = a_job(&farm, "clip").await;
        assert_eq!(job::get(&farm.app.db, job.id).await.unwrap().map(|row| row.number), Some(job.number));
        assert_eq!(commit!(farm, |tx| job::get_in(tx, job.id)).map(|row| row.number), Some(job.number));
        let unknown = JobId::new(&farm.clock);
        assert!(job::get(&farm.app.db, unknown).await.unwrap().is_none());
        assert!(commit!(farm, |tx| job::get_in(tx, unknown)).is_none());
    }

    async fn the_live_job_of_an_identity_is_found_by_kind(farm: Farm) {
        let (job, _) = a_running_job(&farm, "clip").await;
        let find = |kind| {
            let (farm, identity) = (&farm, &job.identity);
            async move { commit!(farm, |tx| job::live_by_identity(tx, identity, kind)).map(|row| row.id) }
        };
        assert_eq!(find(QueueType::Transcode).await, Some(job.id));
        assert_eq!(find(QueueType::Preview).await, None);
        left(&farm, &job, JobStatus::Cancelled).await;
        assert_eq!(find(QueueType::Transcode).await, None);
    }

    async fn the_jobs_of_a_video_are_listed_newest_first(farm: Farm) {
        let job = an_ended_job(&farm, "clip", JobStatus::Completed).await;
        let video = farm.video(job.video_id).await;
        let preview = job_of(&farm, &video, QueueType::Preview).await;
        let again = job_of(&farm, &video, QueueType::Transcode).await;
        a_job(&farm, "another").await;
        let listed: Vec<JobId> =
            job::of_video(&farm.app.db, video.id).await.unwrap().iter().map(|row| row.id).collect();
        assert_eq!(listed, [again.id, preview.id, job.id]);
        let newest = commit!(farm, |tx| job::newest_of_video(tx, video.id, QueueType::Transcode));
        assert_eq!(newest.map(|row| row.id), Some(again.id));
        assert!(commit!(farm, |tx| job::newest_of_video(tx, video.id, QueueType::Captions)).is_none());
    }

    async fn live_jobs_of_a_video_are_held_in_the_order_of_their_numbers(farm: Farm) {
        let ended = an_ended_job(&farm, "clip", JobStatus::Failed).await;
        let video = farm.video(ended.video_id).await;
        let (one, two) =
            (job_of(&farm, &video, QueueType::Transcode).await, job_of(&farm, &video, QueueType::Preview).await);
        let worker = a_worker(&farm, "w1").await;
        claimed(&farm, one.id, &worker).await;
        let live = unchanged!(farm, |tx| job::live_of_video(tx, video.id));
        assert_eq!(live.iter().map(|row| row.id).collect::<Vec<_>>(), [one.id, two.id]);
    }

    async fn a_retry_gives_a_new_budget_and_keeps_the_place(farm: Farm) {
        for status in [JobStatus::Failed, JobStatus::Cancelled] {
            let ended = an_ended_job(&farm, "clip", status).await;
            farm.wait(INSTANT);
            let job = commit!(farm, |tx| job::retry_if_ended(tx, ended.id, farm.now())).unwrap();
            assert_eq!((job.status, job.requeue_count), (JobStatus::Pending, 1));
            assert_eq!((job.failure_count, job.lost_count, job.encoder_failures), (0, 0, 0));
            assert!(job.error.is_none() && job.error_class.is_none() && job.finished_at.is_none());
            assert!(job.started_at.is_none() && job.current_step.is_none() && job.retry_after.is_none());
            assert_eq!((job.claimable_at, job.sort_at), (farm.now(), ended.sort_at));
            assert_eq!((job.fence, job.attempt_number), (ended.fence, ended.attempt_number));
            assert!(unchanged!(farm, |tx| job::retry_if_ended(tx, ended.id, farm.now())).is_none());
        }
    }

    async fn only_failed_and_cancelled_jobs_are_retried_or_held(farm: Farm) {
        let pending = a_job(&farm, "pending").await;
        let (running, _) = a_running_job(&farm, "running").await;
        let completed = an_ended_job(&farm, "completed", JobStatus::Completed).await;
        for id in [pending.id, running.id, completed.id, JobId::new(&farm.clock)] {
            assert!(unchanged!(farm, |tx| job::retry_if_ended(tx, id, farm.now())).is_none());
            assert!(!unchanged!(farm, |tx| job::hold_if_ended(tx, id)));
        }
        for status in [JobStatus::Failed, JobStatus::Cancelled] {
            let ended = an_ended_job(&farm, "ended", status).await;
            assert!(unchanged!(farm, |tx| job::hold_if_ended(tx, ended.id)));
        }
    }

    async fn a_retry_beside_a_live_job_of_the_same_work_is_refused(farm: Farm) {
        let ended = an_ended_job(&farm, "clip", JobStatus::Failed).await;
        job_of(&farm, &farm.video(ended.video_id).await, QueueType::Transcode).await;
        let kind = refused!(farm, |tx| job::retry_if_ended(tx, ended.id, farm.now()));
        assert_eq!(kind, ErrorKind::UniqueViolation);
    }

    async fn a_video_has_one_live_job_of_a_kind(farm: Farm) {
        let job = a_job(&farm, "clip").await;
        let video = farm.video(job.video_id).await;
        assert!(commit!(farm, |tx| job::any_live_of_video(tx, video.id)));
        let other = NewJob { identity: "another".to_owned(), ..new_job(&farm, &video, QueueType::Transcode) };
        assert!(unchanged!(farm, |tx| job::insert_unless_live(tx, other, farm.now())).is_none());
        job_of(&farm, &video, QueueType::Preview).await;
        for id in [job.id, JobId::new(&farm.clock)] {
            commit!(farm, |tx| job::cancel_if_pending(tx, id, farm.now()));
        }
        let again = NewJob { identity: "another".to_owned(), ..new_job(&farm, &video, QueueType::Transcode) };
        assert!(commit!(farm, |tx| job::insert_unless_live(tx, again, farm.now())).is_some());
        let none = a_video(&farm, "none").await.id;
        assert!(!unchanged!(farm, |tx| job::any_live_of_video(tx, none)));
    }

    async fn people_change_a_waiting_job_and_no_other(farm: Farm) {
        let (running, _) = a_running_job(&farm, "running").await;
        let failed = an_ended_job(&farm, "failed", JobStatus::Failed).await;
        for id in [running.id, failed.id] {
            assert!(unchanged!(farm, |tx| job::cancel_if_pending(tx, id, farm.now())).is_none());
            assert!(unchanged!(farm, |tx| job::set_priority_if_pending(tx, id, 9)).is_none());
            unchanged!(farm, |tx| job::begin_anew(tx, id, 9, None));
        }
        let job = a_job(&farm, "clip").await;
        assert_eq!(commit!(farm, |tx| job::set_priority_if_pending(tx, job.id, 9)).unwrap().priority, 9);
        commit!(farm, |tx| job::begin_anew(tx, job.id, 2, None));
        assert_eq!(farm.job(job.id).await.generation, 2);
        let cancelled = commit!(farm, |tx| job::cancel_if_pending(tx, job.id, farm.now())).unwrap();
        assert_eq!((cancelled.status, cancelled.finished_at), (JobStatus::Cancelled, Some(farm.now())));
    }

    async fn what_a_job_needs_of_a_gpu_is_known_once_it_was_planned(farm: Farm) {
        let job = a_job(&farm, "clip").await;
        assert_eq!(farm.job(job.id).await.gpu_needs, None);
        let needs = Abilities::needed_for(VideoCodec::Hevc, 3840, 2160);
        commit!(farm, |tx| job::set_gpu_needs(tx, job.id, needs));
        assert_eq!(farm.job(job.id).await.gpu_needs, Some(needs.bits()));
    }

    async fn leftovers_are_ended_jobs_whose_output_does_not_play(farm: Farm) {
        let failed = an_ended_job(&farm, "failed", JobStatus::Failed).await;
        let cancelled = an_ended_job(&farm, "cancelled", JobStatus::Cancelled).await;
        an_ended_job(&farm, "completed", JobStatus::Completed).await;
        a_running_job(&farm, "running").await;
        let plays = a_ready_video(&farm, "plays").await;
        let preview = job_of(&farm, &plays, QueueType::Preview).await;
        commit!(farm, |tx| job::cancel_if_pending(tx, preview.id, farm.now()));
        assert!(job::leftovers(&farm.app.db, farm.now() - INSTANT, 10).await.unwrap().is_empty());
        let found = job::leftovers(&farm.app.db, farm.now(), 10).await.unwrap();
        assert_eq!(found.iter().map(|row| row.id).collect::<Vec<_>>(), [failed.id, cancelled.id]);
        assert_eq!((found[0].video_id, found[0].generation), (failed.video_id, 1));
        commit!(farm, |tx| generations::delete_unless_published(tx, failed.video_id, 1));
        assert_eq!(job::leftovers(&farm.app.db, farm.now(), 10).await.unwrap().len(), 1);
        assert!(commit!(farm, |tx| videos::is_not_deleted(tx, failed.video_id)));
    }
}
