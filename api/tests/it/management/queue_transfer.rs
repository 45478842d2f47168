//! A queue that leaves and comes back: what is restored, and what cannot be.

use std::collections::BTreeSet;
use std::path::Path;

use framefarm_api::lifecycle::{cancel, delete, retranscode};
use framefarm_api::queue_transfer::document::Export;
use framefarm_api::queue_transfer::import::import;
use framefarm_api::queue_transfer::report::Imported;
use framefarm_api::testing::{Farm, a_plan};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::VideoId;
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::state::{AttemptOutcome, JobStatus, VideoStatus};

use super::{a_failed_job, an_empty_farm, copy, exported, told};

async fn take(farm: &Farm, export: &Export) -> Imported {
    import(&farm.app, copy(export), "admin", false).await.unwrap()
}

fn reasons(report: &Imported) -> Vec<(&str, u64)> {
    report.reasons.iter().map(|left| (left.reason.as_str(), left.count)).collect()
}

/// A source of the size that the tests' uploads claim to have.
async fn store_source(farm: &Farm, video: VideoId) {
    let bytes = vec![0; 1_000_000];
    farm.app.storage.put(&ObjectKey::Source { video }, bytes.into()).await.unwrap();
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_all(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Another farm with the files of this one and an empty database.
async fn a_farm_with_the_files(farm: &Farm) -> Farm {
    let other = an_empty_farm(farm).await;
    copy_all(farm.app.storage.directory().unwrap(), other.app.storage.directory().unwrap());
    other
}

/// One video each that waits, is being encoded, plays, failed; and one that plays and is encoded again.
async fn a_mixture(farm: &Farm) {
    for name in ["ready", "twice"] {
        let video =
            farm.upload_with(name, |request| request.collection = Some("clips".to_owned())).await.video.id;
        let worker = farm.worker("w0").await;
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        if name == "twice" {
            let everything =
                retranscode::Request { retranscode_all: true, priority: Some(-5), ..Default::default() };
            retranscode::retranscode(&farm.app, video, everything, "admin").await.unwrap();
        }
    }
    let failed = a_failed_job(farm, "failed").await;
    store_source(farm, farm.job(failed).await.video_id).await;
    let running = farm.upload_with("running", |request| request.priority = 9).await.video.id;
    store_source(farm, running).await;
    let worker = farm.worker("w2").await;
    let job = worker.claim().await;
    worker.fail(&job, ErrorClass::Transfer, "reset").await.unwrap();
    farm.wait(chrono::Duration::minutes(2));
    framefarm_api::services::scheduler::run_once(farm.app.clone()).await.unwrap();
    worker.claim().await;
    let waiting = farm.upload("waiting").await.video.id;
    store_source(farm, waiting).await;
}

framefarm_api::on_both_engines! {
    async fn an_export_has_every_column_of_a_job_but_those_of_a_claim(farm: Farm) {
        let id = farm.upload("clip").await.job.id;
        let names = |job: serde_json::Value| job.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        let row = names(serde_json::to_value(farm.job(id).await).unwrap());
        let job = names(serde_json::to_value(&exported(&farm).await.pending[0]).unwrap());
        let left: Vec<_> = row.difference(&job).map(String::as_str).collect();
        // What is known of a claim stays behind, and a collection goes by its name.
        let expected = [
            "absent_since", "claim_expires_at", "claimed_at", "collection_id", "eta_seconds", "last_checkpoint",
            "progressed_at", "worker_id",
        ];
        assert_eq!(left, expected, "a column of `job` is missing in the export");
    }

    async fn an_export_has_four_parts_and_comes_back_into_an_empty_farm(farm: Farm) {
        a_mixture(&farm).await;
        let before = exported(&farm).await;
        let parts = [&before.pending, &before.running, &before.completed, &before.errors].map(Vec::len);
        assert_eq!(parts, [2, 1, 2, 1]);
        assert_eq!((before.schema.as_str(), before.videos.len()), ("framefarm.queue/1", 5));
        let other = a_farm_with_the_files(&farm).await;
        let report = take(&other, &before).await;
        assert_eq!((report.imported, report.waiting_again, report.refused), (6, 1, 0), "{:?}", report.rows);
        let after = exported(&other).await;

        // All is as it was, but for the one that ran.
        let (old, new) = (&before.running[0], after.pending.iter().find(|job| job.id == before.running[0].id).unwrap());
        assert_eq!((new.status, new.fence, new.attempt_number), (JobStatus::Pending, old.fence, old.attempt_number));
        assert_eq!((new.failure_count, new.priority, new.number), (1, 9, old.number));
        let outcomes: Vec<_> = new.attempts.iter().map(|attempt| attempt.outcome.unwrap()).collect();
        assert_eq!(outcomes, [AttemptOutcome::Failed, AttemptOutcome::Exported]);
        let without = |export: &Export| {
            let mut told = told(export);
            for part in ["pending", "running"] {
                told[part].as_array_mut().unwrap().retain(|job| job["id"] != serde_json::json!(old.id));
            }
            for video in told["videos"].as_array_mut().unwrap() {
                if video["id"] == serde_json::json!(old.video_id) {
                    video["status"] = "pending".into();
                }
            }
            told
        };
        assert_eq!(without(&before), without(&after));

        // Once more changes nothing.
        let again = take(&other, &before).await;
        assert_eq!((again.imported, again.duplicate, reasons(&again)), (0, 6, vec![("known", 6)]));
        assert_eq!(told(&exported(&other).await), told(&after));

        // And the farm goes on: the best first, under a higher fence, to the end.
        let worker = other.worker("w1").await;
        let job = worker.claim().await;
        assert_eq!((job.job_id, job.fence), (old.id, old.fence + 1));
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        let mut rest = 0;
        while let Some(job) = worker.try_claim().await {
            worker.encode(&job, &a_plan()).await;
            worker.complete(&job).await.unwrap();
            rest += 1;
        }
        assert_eq!(rest, 2);
        let end = exported(&other).await;
        assert_eq!((end.completed.len(), end.errors.len()), (5, 1));
        let ready = end.videos.iter().filter(|video| video.status == VideoStatus::Ready).count();
        assert_eq!(ready, 4);
    }

    async fn a_cancelled_video_of_an_earlier_export_is_cancelled(farm: Farm) {
        let (cancelled, failed) = (farm.upload("cancelled").await.video.id, a_failed_job(&farm, "failed").await);
        cancel::cancel_video(&farm.app, cancelled, "admin").await.unwrap();
        for video in [cancelled, farm.job(failed).await.video_id] {
            store_source(&farm, video).await;
        }
        let mut document = told(&exported(&farm).await);
        document["exported_at"] = serde_json::json!(farm.now());
        for video in document["videos"].as_array_mut().unwrap() {
            assert_eq!(video["cancelled"], video["id"] == serde_json::json!(cancelled));
            video.as_object_mut().unwrap().remove("cancelled");
        }
        let other = a_farm_with_the_files(&farm).await;
        take(&other, &serde_json::from_value(document).unwrap()).await;
        assert!(other.video(cancelled).await.cancelled);
        assert!(!other.video(farm.job(failed).await.video_id).await.cancelled);
    }

    async fn who_held_a_job_before_its_export_changes_nothing_after(farm: Farm) {
        let upload = farm.upload("clip").await;
        store_source(&farm, upload.video.id).await;
        let worker = farm.worker("w1").await;
        let held = worker.claim().await;
        let export = exported(&farm).await;
        // The same farm after its history was lost.
        farm.sql("DELETE FROM job").await;
        farm.sql("UPDATE video SET status = 'failed', error_message = 'lost'").await;
        assert_eq!(take(&farm, &export).await.imported, 1);
        let late = worker.progress(&held, 50.0).await.unwrap_err();
        assert_eq!((late.status.as_u16(), late.code), (409, "claim_lost"));
        assert_eq!(farm.video(upload.video.id).await.status, VideoStatus::Pending);
        assert_eq!(worker.claim().await.fence, held.fence + 1);
    }

    async fn what_is_here_stays_and_what_cannot_come_in_says_why(farm: Farm) {
        let failed = a_failed_job(&farm, "same").await;
        farm.upload("waiting").await;
        let gone = farm.upload("deleted").await;
        let export = exported(&farm).await;
        // Since then: one waits under another job, one was deleted.
        farm.sql("DELETE FROM job").await;
        farm.sql("UPDATE video SET status = 'failed', error_message = 'lost'").await;
        farm.upload("waiting").await;
        delete::delete(&farm.app, gone.video.id, "admin").await.unwrap();
        let report = take(&farm, &export).await;
        assert_eq!(report.imported, 1, "the failed one");
        assert_eq!(reasons(&report), [("same_work", 1), ("video_deleted", 1)]);
        assert_eq!(farm.job(failed).await.status, JobStatus::Failed);

        let other = an_empty_farm(&farm).await;
        let report = take(&other, &export).await;
        assert_eq!((report.imported, reasons(&report)), (0, vec![("source_missing", 3)]));
        other.app.storage.put(&ObjectKey::Source { video: gone.video.id }, vec![1; 3].into()).await.unwrap();
        let report = take(&other, &export).await;
        assert_eq!(reasons(&report), [("source_missing", 3)], "another size is another file");
        assert!(exported(&other).await.videos.is_empty());
    }

    async fn a_video_that_plays_needs_what_plays(farm: Farm) {
        let upload = farm.upload("clip").await;
        let worker = farm.worker("w1").await;
        let waiting = exported(&farm).await;
        let job = worker.claim().await;
        worker.encode(&job, &a_plan()).await;
        worker.complete(&job).await.unwrap();
        let ready = exported(&farm).await;
        let other = an_empty_farm(&farm).await;
        assert_eq!(reasons(&take(&other, &ready).await), [("output_missing", 1)]);
        // An older export would have it encoded again for nothing.
        farm.sql("DELETE FROM job").await;
        assert_eq!(reasons(&take(&farm, &waiting).await), [("video_ready", 1)]);
        assert_eq!(take(&farm, &ready).await.imported, 1);
        assert_eq!(told(&exported(&farm).await), told(&ready));
        assert_eq!(farm.video(upload.video.id).await.status, VideoStatus::Ready);
    }

    async fn a_document_that_was_tampered_with_is_refused_row_by_row(farm: Farm) {
        let upload = farm.upload("clip").await;
        store_source(&farm, upload.video.id).await;
        let export = serde_json::to_value(exported(&farm).await).unwrap();
        let other = a_farm_with_the_files(&farm).await;
        let tampered = async |pointer: &str, value: serde_json::Value| {
            let mut document = export.clone();
            *document.pointer_mut(pointer).unwrap() = value;
            let document = serde_json::from_value(document).unwrap();
            import(&other.app, document, "admin", false).await.map(|report| report.reasons)
        };
        for (pointer, value, reason) in [
            ("/pending/0/fence", serde_json::json!(i64::MAX), "bad_row"),
            ("/pending/0/priority", serde_json::json!(1001), "bad_row"),
            ("/pending/0/progress_percent", serde_json::json!(100.5), "bad_row"),
            ("/pending/0/sort_at", serde_json::json!("0001-01-01T00:00:00Z"), "bad_row"),
            ("/pending/0/generation", serde_json::json!(0), "bad_row"),
            ("/pending/0/max_attempts", serde_json::json!(-1), "bad_row"),
            ("/pending/0/collection", serde_json::json!("a\nb"), "bad_row"),
            ("/videos/0/slug", serde_json::json!("../../etc"), "bad_row"),
            ("/videos/0/title", serde_json::json!(""), "bad_row"),
            ("/videos/0/source_size", serde_json::json!(7), "source_missing"),
            ("/videos/0/status", serde_json::json!("ready"), "bad_row"),
            ("/videos", serde_json::json!([]), "video_missing"),
        ] {
            let refused = tampered(pointer, value.clone()).await.unwrap();
            assert_eq!(refused.iter().map(|left| left.reason.as_str()).collect::<Vec<_>>(), [reason], "{pointer} {value}");
        }
        let unknown = tampered("/schema", serde_json::json!("framefarm.queue/2")).await.unwrap_err();
        assert_eq!((unknown.status.as_u16(), unknown.code), (422, "unknown_schema"));
        let never = tampered("/exported_at", serde_json::json!("0001-01-01T00:00:00Z")).await.unwrap_err();
        assert_eq!((never.status.as_u16(), never.code), (422, "bad_field"));
        assert!(exported(&other).await.pending.is_empty());

        // A number from far away is given anew, and a slug belongs to one video.
        assert!(tampered("/pending/0/number", serde_json::json!(i64::MAX)).await.unwrap().is_empty());
        assert_eq!(other.job(upload.job.id).await.number, 1);
        assert_eq!(other.upload("next").await.job.number, 2);
        let mut document = export.clone();
        let stranger = VideoId::new(&farm.clock);
        store_source(&other, stranger).await;
        document["videos"][0]["id"] = serde_json::json!(stranger);
        document["pending"][0]["video_id"] = serde_json::json!(stranger);
        document["pending"][0]["id"] = serde_json::json!(stranger);
        let report = import(&other.app, serde_json::from_value(document).unwrap(), "admin", false).await.unwrap();
        assert_eq!(reasons(&report), [("slug_taken", 1)]);
    }
}

/// A video that plays, removed for good and exported before.
async fn a_purged_video(farm: &Farm) -> (Export, VideoId) {
    let video = farm.upload("back again").await.video.id;
    store_source(farm, video).await;
    let worker = farm.worker("w1").await;
    let job = worker.claim().await;
    worker.encode(&job, &a_plan()).await;
    worker.complete(&job).await.unwrap();
    let export = exported(farm).await;
    delete::delete(&farm.app, video, "admin").await.unwrap();
    farm.wait(chrono::Duration::hours(25));
    farm.clean().await;
    assert!(framefarm_api::db::videos::get(&farm.app.db, video).await.unwrap().is_none());
    (export, video)
}

mod removed_for_good {
    use super::*;

    framefarm_api::on_both_engines! {
        async fn a_video_that_comes_back_before_its_files_went_keeps_them(farm: Farm) {
            let (export, video) = a_purged_video(&farm).await;
            let report = take(&farm, &export).await;
            assert_eq!((report.imported, report.refused), (1, 0), "{:?}", report.rows);
            let stored = farm.app.storage.count_below("").await;
            farm.wait(chrono::Duration::hours(2));
            farm.clean().await;
            assert_eq!(farm.app.storage.count_below("").await, stored);
            assert!(farm.app.storage.head(&ObjectKey::Source { video }).await.is_ok());
        }

        async fn a_video_whose_files_are_going_is_told_so(farm: Farm) {
            let (export, _) = a_purged_video(&farm).await;
            farm.sql("UPDATE garbage SET removing_since = created_at").await;
            for dry_run in [true, false] {
                let report = import(&farm.app, copy(&export), "admin", dry_run).await.unwrap();
                assert_eq!((report.imported, reasons(&report)), (0, vec![("files_going", 1)]));
            }
        }

        async fn a_dry_run_keeps_nothing(farm: Farm) {
            let (export, _) = a_purged_video(&farm).await;
            let before = crate::conformance::dump(&farm).await;
            let report = import(&farm.app, copy(&export), "admin", true).await.unwrap();
            assert_eq!(report.imported, 1);
            assert_eq!(crate::conformance::dump(&farm).await, before);
        }

        async fn a_dry_run_of_several_batches_tells_what_the_import_then_does(farm: Farm) {
            farm.fill_queue(1_000).await;
            let mut export = exported(&farm).await;
            // In another batch than its twin: the slug of another video, and the work of another job.
            let slug = export.videos.iter().find(|video| video.id == export.pending[0].video_id).unwrap().slug.clone();
            let last = export.pending[999].video_id;
            export.videos.iter_mut().find(|video| video.id == last).unwrap().slug = slug;
            let same = export.pending[1].identity.clone();
            export.pending[998].identity = same;
            let other = an_empty_farm(&farm).await;
            for video in &export.videos {
                store_source_of(&other, video.id, video.source_size).await;
            }
            let dry = import(&other.app, copy(&export), "admin", true).await.unwrap();
            let done = import(&other.app, copy(&export), "admin", false).await.unwrap();
            assert_eq!(reasons(&done), [("same_work", 1), ("slug_taken", 1)]);
            assert_eq!((dry.imported, dry.duplicate, dry.refused, reasons(&dry)),
                (done.imported, done.duplicate, done.refused, reasons(&done)));
        }
    }
}

async fn store_source_of(farm: &Farm, video: VideoId, size: i64) {
    let bytes = vec![0; usize::try_from(size).unwrap()];
    farm.app.storage.put(&ObjectKey::Source { video }, bytes.into()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dry_run_is_no_long_transaction() {
    let farm = Farm::postgres().await;
    farm.fill_queue(2_000).await;
    let export = exported(&farm).await;
    let other = an_empty_farm(&farm).await;
    for video in &export.videos {
        store_source_of(&other, video.id, video.source_size).await;
    }
    let before = transaction(&other).await;
    let report = import(&other.app, export, "admin", true).await.unwrap();
    assert_eq!((report.imported, report.batches), (2_000, 3));
    assert!(transaction(&other).await > before + 3, "each batch is one of its own");
}

/// The number of a new transaction.
async fn transaction(farm: &Farm) -> i64 {
    let mut tx = farm.app.db.begin().await.unwrap();
    match tx.engine() {
        framefarm_api::db::Engine::Postgres(conn) => {
            sqlx::query_scalar("SELECT txid_current()").fetch_one(conn).await.unwrap()
        }
        framefarm_api::db::Engine::Sqlite(_) => unreachable!(),
    }
}
