//! A look, and a removal of the same.

use std::collections::BTreeMap;

use chrono::Duration;
use framefarm_api::auth::Scope;
use framefarm_api::db::{key_value, uploads};
use framefarm_api::lifecycle::{delete, retranscode};
use framefarm_api::on_both_storages;
use framefarm_api::retention::gc::{self, Kind, Report};
use framefarm_api::testing::{Farm, TestDatabase, a_plan};
use framefarm_shared::failure::ErrorClass;
use framefarm_shared::id::{UploadId, VideoId};
use framefarm_shared::object_key::ObjectKey;
use framefarm_shared::retention::SourceRetention;
use framefarm_shared::wire::event::EventKind;
use serde_json::json;

use super::{a_ready_video, everything};
use crate::conformance;
use crate::http::Site;

fn found(report: &Report) -> BTreeMap<Kind, (u64, u64)> {
    report.kinds.iter().map(|kind| (kind.kind, (kind.count, kind.bytes))).collect()
}

/// Something of most kinds, all of it too old.
async fn rubbish(farm: &Farm) {
    let worker = farm.worker("w1").await;
    a_ready_video(farm, &worker, "old original, old job").await;
    let again = a_ready_video(farm, &worker, "encoded again").await;
    retranscode::retranscode(&farm.app, again, everything(), "admin").await.unwrap();
    let job = worker.claim().await;
    worker.encode(&job, &a_plan()).await;
    worker.complete(&job).await.unwrap();
    let deleted = a_ready_video(farm, &worker, "deleted").await;
    delete::delete(&farm.app, deleted, "admin").await.unwrap();
    farm.upload("failed").await;
    let job = worker.claim().await;
    worker.plan(&job, a_plan()).await.unwrap();
    worker.deliver(&job, &a_plan(), "360p", 0..=2).await.unwrap();
    worker.fail(&job, ErrorClass::InputInvalid, "damaged").await.unwrap();
    let orphan = VideoId::new(&farm.clock);
    farm.app.storage.put(&ObjectKey::Source { video: orphan }, vec![1; 77].into()).await.unwrap();
    let mut tx = farm.app.db.begin().await.unwrap();
    let id = UploadId::new(&farm.clock);
    uploads::insert(&mut tx, id, 10, "", &uploads::UploadRequest::default(), farm.now(), farm.now())
        .await
        .unwrap();
    tx.commit().await.unwrap();
    framefarm_api::lifecycle::invite::invite(&farm.app, "admin").await.unwrap();
    // Stored files carry the time of the machine, which is later than the farm's.
    farm.wait(Duration::days(1_000));
}

on_both_storages! {
    async fn a_dry_run_tells_exactly_what_a_clean_up_then_removes(farm: Farm) {
        let farm = farm.restarted(|settings| settings.retention.source_retention = SourceRetention::Days(10)).await;
        rubbish(&farm).await;
        let before = conformance::dump(&farm).await;
        let told = gc::collect(&farm.app, true, "admin").await.unwrap();
        assert_eq!(conformance::dump(&farm).await, before, "a look changes nothing");
        assert_eq!(told.kinds.len(), Kind::ALL.len());
        let other = [Kind::Sessions, Kind::Intakes, Kind::AlertDeliveries];
        for kind in told.kinds.iter().filter(|kind| !other.contains(&kind.kind)) {
            assert!(kind.count > 0, "{kind:?}");
        }
        assert_eq!(found(&told)[&Kind::Orphans], (1, 77));
        let done = gc::collect(&farm.app, false, "admin").await.unwrap();
        assert_eq!(found(&done), found(&told));
        assert!(!done.dry_run && told.dry_run);
        let events = farm.events().await;
        let run = events.iter().find(|event| event.kind == EventKind::CleanupRun).unwrap();
        assert_eq!(run.actor, "admin");
        assert!(run.reason.as_ref().unwrap().contains("1 deleted videos"), "{:?}", run.reason);

        let nothing = gc::collect(&farm.app, true, "admin").await.unwrap();
        assert!(found(&nothing).values().all(|swept| *swept == (0, 0)), "{nothing:?}");
        farm.wait(Duration::minutes(11));
        let told = gc::collect(&farm.app, true, "admin").await.unwrap();
        let given_up: u64 = [Kind::Leftovers, Kind::DeletedVideos].iter().map(|kind| found(&done)[kind].1).sum();
        // The size of the two originals that a row tells is not that of the files in this test.
        assert_eq!(found(&told)[&Kind::Garbage].1, given_up + 2_000);
        assert_eq!(found(&gc::collect(&farm.app, false, "admin").await.unwrap()), found(&told));
        assert_eq!(farm.app.storage.count_below("sources").await, 0);
    }

    async fn two_clean_ups_at_once_do_the_work_of_one(farm: Farm) {
        let farm = farm.restarted(|settings| settings.retention.source_retention = SourceRetention::Days(10)).await;
        rubbish(&farm).await;
        let told = gc::collect(&farm.app, true, "admin").await.unwrap();
        let other = farm.beside(|_| {}).await;
        let (one, two) = tokio::join!(gc::collect(&farm.app, false, "one"), gc::collect(&other, false, "two"));
        let (one, two) = (found(&one.unwrap()), found(&two.unwrap()));
        for (kind, swept) in found(&told) {
            // An object store says yes to everybody who removes an object, also when it is gone.
            let stored = farm.app.storage.remote().is_some() && [Kind::Garbage, Kind::Orphans].contains(&kind);
            let both = one[&kind].0 + two[&kind].0;
            assert!(both == swept.0 || (stored && both > swept.0), "{kind:?}: {both} of {swept:?}");
        }
    }

    async fn a_kind_that_cannot_be_removed_keeps_no_other(farm: Farm) {
        rubbish(&farm).await;
        farm.break_table("upload").await;
        let told = gc::collect(&farm.app, true, "admin").await.unwrap();
        assert_eq!(told.failed, [], "a look changes nothing");
        let done = gc::collect(&farm.app, false, "admin").await.unwrap();
        assert_eq!(done.failed, [Kind::Uploads]);
        let (told, done) = (found(&told), found(&done));
        for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Uploads) {
            assert_eq!(done[&kind], told[&kind], "{kind:?}");
        }
        let run = farm.events().await.into_iter().find(|event| event.kind == EventKind::CleanupRun).unwrap();
        assert!(run.reason.unwrap().ends_with("uploads failed"));
    }

    async fn a_video_that_cannot_be_removed_keeps_no_other(farm: Farm) {
        let videos = [farm.upload("one").await.video, farm.upload("two").await.video];
        for video in videos {
            delete::delete(&farm.app, video.id, "admin").await.unwrap();
        }
        farm.break_video("one").await;
        farm.wait(Duration::days(2));
        let done = gc::collect(&farm.app, false, "admin").await.unwrap();
        assert_eq!((found(&done)[&Kind::DeletedVideos].0, done.failed), (1, vec![]));
        assert_eq!(farm.number("SELECT count(*) FROM video").await, 1);
    }

    async fn while_a_backup_runs_stored_files_stay(farm: Farm) {
        rubbish(&farm).await;
        let stored = farm.app.storage.count_below("").await;
        let mut tx = farm.app.db.begin().await.unwrap();
        let until = key_value::format_instant(farm.now() + Duration::minutes(2));
        key_value::set(&mut tx, key_value::BACKUP_UNTIL, &until).await.unwrap();
        tx.commit().await.unwrap();
        let report = gc::collect(&farm.app, false, "admin").await.unwrap();
        assert!(report.backup_runs);
        assert_eq!((found(&report)[&Kind::Garbage], found(&report)[&Kind::Orphans]), ((0, 0), (0, 0)));
        assert_eq!(farm.app.storage.count_below("").await, stored);
        farm.wait(Duration::minutes(11));
        let report = gc::collect(&farm.app, false, "admin").await.unwrap();
        assert!(!report.backup_runs && found(&report)[&Kind::Garbage].0 > 0);
    }
}

#[tokio::test]
async fn only_an_admin_may_clean_up() {
    let site = Site::open().await;
    let body = Some(json!({ "dry_run": true }));
    assert_eq!(site.call("POST /api/gc", &[], body.clone()).await.problem(), (401, "unauthorized"));
    for scope in [Scope::Read, Scope::Upload] {
        let token = site.token(scope).await;
        assert_eq!(site.as_bearer(&token, "POST /api/gc", body.clone()).await.problem().0, 403);
    }
    let report = site.admin("POST /api/gc", body).await.ok();
    assert_eq!((&report["dry_run"], &report["backup_runs"]), (&json!(true), &json!(false)));
    assert_eq!(report["kinds"][0], json!({ "kind": "uploads", "count": 0, "bytes": 0 }));
    assert_eq!(site.admin("POST /api/gc", Some(json!({}))).await.ok()["dry_run"], false);
    for wrong in [json!({ "dry": true }), json!({ "dry_run": 1 }), json!([])] {
        assert_eq!(site.admin("POST /api/gc", Some(wrong)).await.status.as_u16(), 422);
    }
}

#[tokio::test]
async fn a_thousand_years_are_no_reason_to_fail() {
    let farm = Farm::on(TestDatabase::sqlite(), |settings| {
        settings.completed_retention_days = u32::MAX;
        settings.event_retention_days = u32::MAX;
        settings.orphan_hours = u32::MAX;
    })
    .await;
    gc::collect(&farm.app, false, "admin").await.unwrap();
}
