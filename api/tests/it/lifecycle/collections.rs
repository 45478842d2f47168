//! Collections have a ladder and a priority of their own, and their videos outlive them.

use framefarm_api::db;
use framefarm_api::lifecycle::collections::{self, Change};
use framefarm_api::lifecycle::{edit, retranscode, upload};
use framefarm_api::on_both_engines;
use framefarm_api::testing::{Farm, a_plan};
use framefarm_shared::state::JobStatus;

async fn make(farm: &Farm, name: &str, ladder: &str, priority: i32) {
    let change =
        Change { ladder: Some(Some(ladder.to_owned())), priority: Some(priority), ..Change::default() };
    collections::create(&farm.app, name, change, "admin").await.unwrap();
}

fn within(name: &str) -> impl FnOnce(&mut upload::UploadRequest) {
    let name = name.to_owned();
    move |request| request.collection = Some(name)
}

async fn planned(farm: &Farm) -> Vec<String> {
    let worker = farm.worker("w").await;
    let job = worker.claim().await;
    let plan = worker.plan(&job, a_plan()).await.unwrap();
    plan.qualities.into_iter().map(|q| q.quality.name).collect()
}

on_both_engines! {
    async fn the_ladder_of_a_collection_decides_what_its_videos_are_encoded_to(farm: Farm) {
        make(&farm, "short", "720p:1500:hevc,240p:300", 0).await;
        farm.upload_with("clip", within("short")).await;
        assert_eq!(planned(&farm).await, ["720phevc", "240p", "audio0"]);
        farm.upload_with("other clip", within("long")).await;
        assert!(planned(&farm).await.contains(&"480p".to_owned()), "another collection follows the farm");
    }

    async fn a_quality_is_one_of_the_collections_ladder(farm: Farm) {
        make(&farm, "short", "240p:300", 0).await;
        let wants = |quality: &str, collection: Option<&str>| upload::UploadRequest {
            file_name: "clip".to_owned(), qualities: Some(vec![quality.to_owned()]),
            collection: collection.map(str::to_owned), ..Default::default()
        };
        for (quality, collection, good) in [
            ("240p", Some(" short "), true), ("240p", None, false), ("720p", Some("short"), false),
            ("720p", Some("unknown"), true),
        ] {
            let checked = framefarm_api::lifecycle::enqueue::check_request(&farm.app, &wants(quality, collection)).await;
            assert_eq!(checked.is_ok(), good, "{quality} in {collection:?}");
        }
    }

    async fn the_same_content_is_other_work_for_another_ladder(farm: Farm) {
        make(&farm, "short", "240p:300", 0).await;
        make(&farm, "brief", "240p:300", 0).await;
        make(&farm, "usual", &farm.app.settings.ladder.to_string(), 0).await;
        let plain = farm.upload("clip").await;
        let short = farm.upload_with("clip", within("short")).await;
        assert!(!plain.deduplicated && !short.deduplicated);
        let brief = farm.upload_with("clip", within("brief")).await;
        assert_eq!((brief.deduplicated, brief.job.id), (true, short.job.id), "equal ladders are the same work");
        let usual = farm.upload_with("clip", within("usual")).await;
        assert_eq!((usual.deduplicated, usual.job.id), (true, plain.job.id));
        let forced = farm.upload_with("clip", |request| {
            request.collection = Some("short".to_owned());
            request.force = true;
        }).await;
        assert_eq!(forced.video.id, short.video.id, "force means the video of the same work");
    }

    async fn a_moved_video_is_encoded_again_by_the_rules_of_its_new_collection(farm: Farm) {
        make(&farm, "short", "240p:300", 7).await;
        let clip = farm.upload("clip").await;
        let worker = farm.worker("w").await;
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        let to = edit::Change { collection: Some(Some("short".to_owned())), title: None };
        edit::edit(&farm.app, clip.video.id, to, "admin").await.unwrap();
        let everything = retranscode::Request { retranscode_all: true, ..Default::default() };
        let again = retranscode::retranscode(&farm.app, clip.video.id, everything, "admin").await.unwrap();
        assert_eq!(again.priority, 7);
        let same = farm.upload_with("clip", within("short")).await;
        assert_eq!((same.deduplicated, same.job.id), (true, again.id));
        assert_eq!(planned(&farm).await, ["240p", "audio0"]);
    }

    async fn the_priority_of_a_collection_counts_when_the_uploader_names_none(farm: Farm) {
        make(&farm, "urgent", "240p:300", 500).await;
        let named = |priority: i32| move |request: &mut upload::UploadRequest| {
            request.collection = Some("urgent".to_owned());
            (request.priority, request.priority_named) = (priority, true);
        };
        assert_eq!(farm.upload_with("a", within("urgent")).await.job.priority, 500);
        assert_eq!(farm.upload_with("b", named(-3)).await.job.priority, -3);
        assert_eq!(farm.upload_with("c", named(0)).await.job.priority, 0);
        assert_eq!(farm.upload_with("d", within("other")).await.job.priority, 0);
    }

    async fn a_deleted_collection_leaves_its_videos_and_all_their_jobs(farm: Farm) {
        make(&farm, "short", "240p:300", 0).await;
        let (waiting, running) = (farm.upload_with("a", within("short")).await, farm.upload_with("b", within("short")).await);
        let worker = farm.worker("w").await;
        let done = worker.claim().await;
        worker.encode(&done, &a_plan()).await;
        worker.complete(&done).await.unwrap();
        let held = worker.claim().await;
        assert_eq!((done.job_id, held.job_id), (waiting.job.id, running.job.id));
        let third = farm.upload_with("c", within("short")).await;
        collections::delete(&farm.app, "short", "admin").await.unwrap();
        for (job, status) in [(done.job_id, JobStatus::Completed), (held.job_id, JobStatus::Running), (third.job.id, JobStatus::Pending)] {
            let row = farm.job(job).await;
            assert_eq!((row.status, row.collection_id), (status, None));
            assert_eq!(farm.video(row.video_id).await.collection_id, None);
        }
        assert!(worker.plan(&held, a_plan()).await.is_ok(), "running work goes on");
        assert_eq!(worker.claim().await.job_id, third.job.id);
        let gone = collections::delete(&farm.app, "short", "admin").await.unwrap_err();
        assert_eq!(gone.code, "not_found");
        assert!(db::collections::all(&farm.app.db).await.unwrap().is_empty());
    }

    async fn work_that_arrives_while_its_collection_goes_is_never_lost(farm: Farm) {
        let mut tasks = tokio::task::JoinSet::new();
        for n in 0..20 {
            let app = farm.app.clone();
            let request = upload::UploadRequest {
                file_name: format!("clip {n}"), collection: Some("short".to_owned()), ..Default::default()
            };
            let source = framefarm_api::lifecycle::enqueue::Source {
                video: framefarm_shared::id::VideoId::new(&farm.clock), size: 1, sha256: format!("{n:064}"), since: farm.now(),
            };
            tasks.spawn(async move {
                framefarm_api::lifecycle::enqueue::enqueue(&app, source, request, "test").await.map(drop)
            });
            let app = farm.app.clone();
            tasks.spawn(async move {
                match collections::delete(&app, "short", "admin").await {
                    Err(error) if error.code != "not_found" => Err(error),
                    _ => Ok(()),
                }
            });
        }
        for done in tasks.join_all().await {
            done.unwrap();
        }
        let pending = db::job::lists::counts(&farm.app.db, &db::job::lists::JobFilter::default()).await.unwrap();
        assert_eq!(pending.iter().map(|row| row.count).sum::<i64>(), 20);
    }
}
