//! Table `upload`.

use chrono::{DateTime, Duration, Utc};
use framefarm_api::db::uploads::{self, Advance, UploadRequest, UploadRow};
use framefarm_api::testing::Farm;
use framefarm_shared::id::{JobId, UploadId, VideoId};
use sqlx::error::ErrorKind;

use super::dump;
use super::world::INSTANT;

pub(super) async fn upload(farm: &Farm, length: i64, expires_at: DateTime<Utc>) -> UploadRow {
    let (id, request) = (UploadId::new(&farm.clock), UploadRequest::default());
    commit!(farm, |tx| uploads::insert(tx, id, length, "", &request, farm.now(), expires_at))
}

async fn advance(farm: &Farm, id: UploadId, from: i64, to: i64) -> bool {
    let new = bytes(farm, id, 0, from, to);
    commit!(farm, |tx| uploads::advance_if_at(tx, &new))
}

pub(super) fn bytes(farm: &Farm, id: UploadId, turn: i64, from: i64, to: i64) -> Advance<'static> {
    let expires_at = farm.now() + Duration::hours(2);
    Advance { id, turn, from, to, expires_at, rest_turn: None, digest: None }
}

async fn seal(farm: &Farm, id: UploadId) {
    let (video, job) = (VideoId::new(&farm.clock), JobId::new(&farm.clock));
    assert!(commit!(farm, |tx| uploads::seal_if_whole(tx, id, video, Some(job), false)));
}

framefarm_api::on_both_engines! {
    async fn an_upload_comes_back_as_it_was_asked_for(farm: Farm) {
        let request = UploadRequest {
            file_name: "Größe 日本.mov".to_owned(),
            title: Some("50% \"off\"".to_owned()),
            collection: None,
            priority: -100,
            priority_named: true,
            qualities: Some(vec!["720p".to_owned()]),
            force: true,
            cancel_running: false,
        };
        let (id, metadata) = (UploadId::new(&farm.clock), "filename R3LDtsOfZQ==,empty");
        let (now, end) = (farm.now() + INSTANT, farm.now() + Duration::hours(1));
        commit!(farm, |tx| uploads::insert(tx, id, i64::MAX, metadata, &request, now, end));
        let row = uploads::get(&farm.app.db, id).await.unwrap().unwrap();
        assert_eq!((row.status.as_str(), row.length, row.received), ("open", i64::MAX, 0));
        assert_eq!((row.metadata.as_str(), &row.request.0), (metadata, &request));
        assert_eq!((row.created_at, row.expires_at), (now, end));
        assert_eq!((row.video_id, row.job_id, row.deduplicated), (None, None, None));
        assert_eq!((row.turn, row.next_part, row.rest_turn), (0, 0, None));
        assert_eq!((row.source_id, row.multipart, row.part_size, row.digest), (None, None, None, None));
        assert!(uploads::get(&farm.app.db, UploadId::new(&farm.clock)).await.unwrap().is_none());
    }

    async fn bytes_count_only_from_where_the_upload_stands(farm: Farm) {
        let id = upload(&farm, 10, farm.now() + INSTANT).await.id;
        assert!(advance(&farm, id, 0, 4).await);
        let before = dump(&farm).await;
        assert!(!advance(&farm, id, 0, 6).await);
        assert!(!advance(&farm, UploadId::new(&farm.clock), 4, 6).await);
        assert_eq!(dump(&farm).await, before);
        assert!(advance(&farm, id, 4, 10).await);
        let row = uploads::get(&farm.app.db, id).await.unwrap().unwrap();
        assert_eq!((row.received, row.expires_at), (10, farm.now() + Duration::hours(2)));
    }

    async fn an_owner_has_what_is_open_and_has_not_expired(farm: Farm) {
        let (now, later) = (farm.now(), farm.now() + INSTANT);
        let mut made = Vec::new();
        for (length, ends) in [(10, later), (7, later), (5, now), (3, later)] {
            made.push(upload(&farm, length, ends).await.id);
            farm.clock.advance(INSTANT);
        }
        let (ids, expired, foreign) = (&made[..2], made[2], made[3]);
        for (id, owner) in [(ids[0], "a"), (ids[1], "a"), (expired, "a"), (foreign, "b")] {
            commit!(farm, |tx| uploads::set_owner(tx, id, owner));
        }
        advance(&farm, ids[0], 0, 4).await;
        assert_eq!(commit!(farm, |tx| uploads::open_of(tx, "a", now)), (2, 13));
        assert_eq!(commit!(farm, |tx| uploads::open_of(tx, "nobody", now)), (0, 0));
        assert_eq!(uploads::get(&farm.app.db, foreign).await.unwrap().unwrap().owner.as_deref(), Some("b"));
        let open = uploads::open(&farm.app.db, 3).await.unwrap();
        assert_eq!(open.iter().map(|row| row.id).collect::<Vec<_>>(), [ids[0], ids[1], expired]);
        let known = uploads::known(&farm.app.db, &[foreign, UploadId::new(&farm.clock)]).await.unwrap();
        assert_eq!(known, [foreign]);
    }

    async fn only_who_holds_an_upload_prolongs_it(farm: Farm) {
        let row = upload(&farm, 10, farm.now()).await;
        let later = farm.now() + INSTANT;
        assert!(!unchanged!(farm, |tx| uploads::prolong_if_turn(tx, row.id, row.turn + 1, later)));
        assert!(commit!(farm, |tx| uploads::prolong_if_turn(tx, row.id, row.turn, later)));
        assert_eq!(uploads::get(&farm.app.db, row.id).await.unwrap().unwrap().expires_at, later);
    }

    async fn no_more_bytes_count_than_were_announced(farm: Farm) {
        let id = upload(&farm, 10, farm.now()).await.id;
        for beyond in [11, -1] {
            let kind = refused!(farm, |tx| uploads::advance_if_at(tx, &bytes(&farm, id, 0, 0, beyond)));
            assert_eq!(kind, ErrorKind::CheckViolation);
        }
    }

    async fn an_upload_is_sealed_once_and_only_when_it_is_whole(farm: Farm) {
        let id = upload(&farm, 10, farm.now()).await.id;
        let (video, job) = (VideoId::new(&farm.clock), JobId::new(&farm.clock));
        advance(&farm, id, 0, 9).await;
        assert!(!unchanged!(farm, |tx| uploads::seal_if_whole(tx, id, video, Some(job), false)));
        advance(&farm, id, 9, 10).await;
        assert!(commit!(farm, |tx| uploads::seal_if_whole(tx, id, video, Some(job), true)));
        let row = uploads::get(&farm.app.db, id).await.unwrap().unwrap();
        assert_eq!((row.status.as_str(), row.video_id), ("sealed", Some(video)));
        assert_eq!((row.job_id, row.deduplicated), (Some(job), Some(true)));
        assert!(!unchanged!(farm, |tx| uploads::seal_if_whole(tx, id, video, Some(job), false)));
        assert!(!unchanged!(farm, |tx| uploads::advance_if_at(tx, &bytes(&farm, id, 0, 10, 10))), "sealed");
    }

    async fn whole_uploads_that_are_not_sealed_are_listed_oldest_first(farm: Farm) {
        let mut whole = Vec::new();
        for _ in 0..3 {
            let id = upload(&farm, 10, farm.now()).await.id;
            advance(&farm, id, 0, 10).await;
            whole.push(id);
            farm.wait(INSTANT);
        }
        let partial = upload(&farm, 10, farm.now()).await.id;
        advance(&farm, partial, 0, 9).await;
        seal(&farm, whole.remove(1)).await;
        let listed = uploads::whole_but_open(&farm.app.db).await.unwrap();
        assert_eq!(listed.iter().map(|row| row.id).collect::<Vec<_>>(), whole);
    }

    async fn an_upload_is_deleted_once(farm: Farm) {
        let (gone, kept) = (upload(&farm, 1, farm.now()).await.id, upload(&farm, 1, farm.now()).await.id);
        assert!(commit!(farm, |tx| uploads::delete(tx, gone)));
        assert!(!unchanged!(farm, |tx| uploads::delete(tx, gone)));
        assert!(uploads::get(&farm.app.db, kept).await.unwrap().is_some());
    }

    async fn an_upload_is_expired_from_its_instant(farm: Farm) {
        let end = farm.now();
        let (later, due) = (upload(&farm, 1, end + INSTANT).await.id, upload(&farm, 1, end).await.id);
        let oldest = upload(&farm, 1, end - INSTANT).await.id;
        assert_eq!(uploads::expired(&farm.app.db, end, 10).await.unwrap(), [(oldest, 0), (due, 0)]);
        assert_eq!(uploads::expired(&farm.app.db, end, 1).await.unwrap(), [(oldest, 0)]);
        assert!(!unchanged!(farm, |tx| uploads::delete_if_expired(tx, later, end)));
        assert!(commit!(farm, |tx| uploads::delete_if_expired(tx, due, end)));
        assert!(!unchanged!(farm, |tx| uploads::delete_if_expired(tx, due, end)));
        assert_eq!(uploads::expired(&farm.app.db, end, 10).await.unwrap(), [(oldest, 0)]);
    }

    async fn open_uploads_may_still_bring_what_they_announced(farm: Farm) {
        assert_eq!(uploads::outstanding_bytes(&farm.app.db, farm.now()).await.unwrap(), 0);
        let huge = 3_000_000_000_000;
        let end = farm.now() + INSTANT;
        let (one, two) = (upload(&farm, huge, end).await.id, upload(&farm, 10, end).await.id);
        upload(&farm, 1_000, farm.now()).await;
        advance(&farm, one, 0, 1).await;
        assert_eq!(uploads::outstanding_bytes(&farm.app.db, farm.now()).await.unwrap(), huge - 1 + 10);
        advance(&farm, two, 0, 10).await;
        seal(&farm, two).await;
        assert_eq!(uploads::outstanding_bytes(&farm.app.db, farm.now()).await.unwrap(), huge - 1);
    }
}
