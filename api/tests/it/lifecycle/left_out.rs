//! Videos that become ready without an audio track.

use framefarm_api::lifecycle::{self, retranscode::Request};
use framefarm_api::on_both_engines;
use framefarm_api::responses;
use framefarm_api::testing::{Farm, TestWorker, a_plan};
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::plan::{AudioTrack, Plan};
use framefarm_shared::state::{JobStatus, QualityStatus, VideoStatus};
use framefarm_shared::wire::event::EventKind;
use framefarm_shared::wire::worker_api::{ClaimedJob, CompleteReply, CompleteRequest, LeftOut};

fn two_tracks() -> Plan {
    let mut plan = a_plan();
    plan.source.audio.push(AudioTrack { language: Some("fr".to_owned()), title: None, channels: 2 });
    plan
}

async fn complete_without(
    worker: &TestWorker,
    job: &ClaimedJob,
    names: &[&str],
) -> framefarm_api::error::Result<CompleteReply> {
    let left_out =
        names.iter().map(|name| LeftOut { quality: (*name).to_owned(), error: "no decoder".to_owned() });
    let left_out = left_out.collect();
    let request = CompleteRequest { job_id: job.job_id, fence: job.fence, results: None, left_out };
    lifecycle::complete::complete(worker.app(), worker.id, &request).await
}

/// A job with everything delivered but these qualities.
async fn delivered_without(farm: &Farm, plan: &Plan, names: &[&str]) -> (TestWorker, ClaimedJob, VideoId) {
    let upload = farm.upload("clip").await;
    let worker = farm.worker("w1").await;
    let job = worker.claim().await;
    let reply = worker.plan(&job, plan.clone()).await.unwrap();
    for quality in reply.qualities.iter().filter(|quality| !quality.quality.skipped) {
        let name = &quality.quality.name;
        if !names.contains(&name.as_str()) {
            worker.deliver(&job, plan, name, 0..=plan.segment_count() - 1).await.unwrap();
        }
    }
    (worker, job, upload.video.id)
}

on_both_engines! {
    async fn a_video_becomes_ready_without_an_audio_track_that_its_source_spoils(farm: Farm) {
        let plan = two_tracks();
        let (worker, job, video) = delivered_without(&farm, &plan, &["audio0"]).await;
        complete_without(&worker, &job, &[]).await.unwrap_err();
        complete_without(&worker, &job, &["audio0"]).await.unwrap();
        assert_eq!(farm.video(video).await.status, VideoStatus::Ready);
        let told = responses::videos::get(&farm.app, video).await.unwrap();
        let left_out = told.qualities.iter().find(|quality| quality.name == "audio0").unwrap();
        assert_eq!((left_out.status, left_out.error.as_deref()), (QualityStatus::Failed, Some("no decoder")));
        let notes: Vec<_> = told.notes.iter().map(|note| (note.code.as_str(), note.text.as_str())).collect();
        assert_eq!(notes, [("audio_track_left_out", "Audio track 1 was left out: no decoder.")]);
        let events = farm.events().await;
        let failed = events.iter().filter(|event| event.kind == EventKind::QualityFailed);
        assert_eq!(failed.map(|event| event.reason.as_deref()).collect::<Vec<_>>(), [Some("audio0: no decoder")]);
        let master = ObjectKey::Master { video, generation: 1 };
        let master = farm.app.storage.get(&master).await.unwrap();
        let master = String::from_utf8(master.to_vec()).unwrap();
        assert!(!master.contains("audio0") && master.contains("audio1"), "{master}");
        assert!(master.contains("LANGUAGE=\"fr\"") && !master.contains("LANGUAGE=\"en\""), "{master}");
    }

    async fn a_track_that_was_left_out_is_tried_again_with_any_other_quality(farm: Farm) {
        let plan = two_tracks();
        let (worker, job, video) = delivered_without(&farm, &plan, &["audio0"]).await;
        complete_without(&worker, &job, &["audio0"]).await.unwrap();
        let request = Request { qualities: vec!["360p".to_owned()], ..Request::default() };
        lifecycle::retranscode::retranscode(&farm.app, video, request, "admin").await.unwrap();
        let told = responses::videos::get(&farm.app, video).await.unwrap();
        assert!(told.source.is_some(), "what is known of the source stays");
        let job = worker.claim().await;
        let reply = worker.plan(&job, plan.clone()).await.unwrap();
        let open = reply.qualities.iter().filter(|quality| quality.status == QualityStatus::Pending);
        assert_eq!(open.map(|quality| quality.quality.name.as_str()).collect::<Vec<_>>(), ["360p", "audio0"]);
        worker.deliver(&job, &plan, "360p", 0..=plan.segment_count() - 1).await.unwrap();
        complete_without(&worker, &job, &["audio0"]).await.unwrap();
        let told = responses::videos::get(&farm.app, video).await.unwrap();
        assert_eq!(told.notes.iter().filter(|note| note.code == "audio_track_left_out").count(), 1);
    }

    async fn what_is_known_of_a_source_stays_while_all_of_it_is_encoded_again(farm: Farm) {
        let (worker, job, video) = delivered_without(&farm, &two_tracks(), &[]).await;
        complete_without(&worker, &job, &[]).await.unwrap();
        let request = Request { retranscode_all: true, ..Request::default() };
        lifecycle::retranscode::retranscode(&farm.app, video, request, "admin").await.unwrap();
        let told = responses::videos::get(&farm.app, video).await.unwrap();
        assert_eq!(told.source.map(|source| source.audio.len()), Some(2));
    }

    async fn no_video_track_is_left_out(farm: Farm) {
        let (worker, job, _) = delivered_without(&farm, &two_tracks(), &["360p"]).await;
        let refused = complete_without(&worker, &job, &["360p"]).await.unwrap_err();
        assert_eq!(refused.code, "not_complete");
        assert_eq!(farm.job(job.job_id).await.status, JobStatus::Running);
    }

    async fn a_file_of_sound_needs_one_track_that_is_whole(farm: Farm) {
        let mut plan = two_tracks();
        plan.source.video = None;
        let (worker, job, video) = delivered_without(&farm, &plan, &["audio0", "audio1"]).await;
        let refused = complete_without(&worker, &job, &["audio0", "audio1"]).await.unwrap_err();
        assert_eq!(refused.code, "not_complete");
        worker.deliver(&job, &plan, "audio1", 0..=plan.segment_count() - 1).await.unwrap();
        complete_without(&worker, &job, &["audio0"]).await.unwrap();
        assert_eq!(farm.video(video).await.status, VideoStatus::Ready);
    }
}
