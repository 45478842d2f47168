//! Whose turn it is in table `upload`, and table `upload_part`.

use framefarm_api::db::upload_parts::{self, UploadPartRow};
use framefarm_api::db::uploads::{self, Advance, Target, UploadRow};
use framefarm_api::testing::Farm;
use framefarm_shared::id::{JobId, UploadId, VideoId};
use sqlx::error::ErrorKind;

use super::uploads::{bytes, upload};
use super::world::INSTANT;

async fn row(farm: &Farm, id: UploadId) -> UploadRow {
    uploads::get(&farm.app.db, id).await.unwrap().unwrap()
}

async fn take(farm: &Farm, id: UploadId) -> i64 {
    commit!(farm, |tx| uploads::take_if_open(tx, id)).expect("open").turn
}

fn part(number: i32) -> UploadPartRow {
    UploadPartRow { number, size: 5, tag: format!("\"tag {number}\"") }
}

framefarm_api::on_both_engines! {
    async fn every_holder_has_a_higher_turn(farm: Farm) {
        let (one, other) = (upload(&farm, 10, farm.now()).await.id, upload(&farm, 10, farm.now()).await.id);
        for turn in 1..4 {
            assert_eq!(take(&farm, one).await, turn);
        }
        assert_eq!(row(&farm, other).await.turn, 0);
        let nobody = UploadId::new(&farm.clock);
        assert!(unchanged!(farm, |tx| uploads::take_if_open(tx, nobody)).is_none());
        assert!(unchanged!(farm, |tx| uploads::take(tx, nobody)).is_none());
    }

    async fn a_sealed_upload_is_taken_only_to_be_dropped(farm: Farm) {
        let id = upload(&farm, 10, farm.now()).await.id;
        assert!(commit!(farm, |tx| uploads::advance_if_at(tx, &bytes(&farm, id, 0, 0, 10))));
        let (video, job) = (VideoId::new(&farm.clock), JobId::new(&farm.clock));
        assert!(commit!(farm, |tx| uploads::seal_if_whole(tx, id, video, Some(job), false)));
        assert!(unchanged!(farm, |tx| uploads::take_if_open(tx, id)).is_none());
        assert!(unchanged!(farm, |tx| uploads::reserve_part_if_turn(tx, id, 0)).is_none());
        assert!(!unchanged!(farm, |tx| uploads::delete_if_turn(tx, id, 0)));
        assert_eq!(commit!(farm, |tx| uploads::take(tx, id)).expect("a row").turn, 1);
    }

    async fn an_expired_upload_is_taken_from_its_instant(farm: Farm) {
        let id = upload(&farm, 10, farm.now()).await.id;
        assert!(unchanged!(farm, |tx| uploads::take_if_expired(tx, id, farm.now() - INSTANT)).is_none());
        assert_eq!(commit!(farm, |tx| uploads::take_if_expired(tx, id, farm.now())).expect("taken").turn, 1);
    }

    async fn who_lost_the_turn_counts_and_reserves_nothing(farm: Farm) {
        let id = upload(&farm, 10, farm.now()).await.id;
        let old = take(&farm, id).await;
        assert!(commit!(farm, |tx| uploads::advance_if_at(tx, &bytes(&farm, id, old, 0, 4))));
        let new = take(&farm, id).await;
        let target = Target { source: VideoId::new(&farm.clock), multipart: "m", part_size: 8 };
        assert!(!unchanged!(farm, |tx| uploads::advance_if_at(tx, &bytes(&farm, id, old, 4, 10))));
        assert!(unchanged!(farm, |tx| uploads::reserve_part_if_turn(tx, id, old)).is_none());
        assert!(!unchanged!(farm, |tx| uploads::begin_parts_if_turn(tx, id, old, &target)));
        assert!(!unchanged!(farm, |tx| uploads::delete_if_turn(tx, id, old)));
        assert!(commit!(farm, |tx| uploads::advance_if_at(tx, &bytes(&farm, id, new, 4, 10))));
        assert!(commit!(farm, |tx| uploads::delete_if_turn(tx, id, new)));
    }

    async fn a_number_is_given_once_whoever_asks(farm: Farm) {
        let id = upload(&farm, 10, farm.now()).await.id;
        for number in 0..6 {
            let turn = if number % 2 == 0 { take(&farm, id).await } else { row(&farm, id).await.turn };
            assert_eq!(commit!(farm, |tx| uploads::reserve_part_if_turn(tx, id, turn)), Some(number));
        }
        assert_eq!(row(&farm, id).await.next_part, 6);
    }

    async fn where_the_parts_go_is_written_once(farm: Farm) {
        let id = upload(&farm, 10, farm.now()).await.id;
        let (source, other) = (VideoId::new(&farm.clock), VideoId::new(&farm.clock));
        let target = Target { source, multipart: "an id/with=signs", part_size: 8_388_608 };
        assert!(commit!(farm, |tx| uploads::begin_parts_if_turn(tx, id, 0, &target)));
        let again = Target { source: other, ..target };
        assert!(!unchanged!(farm, |tx| uploads::begin_parts_if_turn(tx, id, 0, &again)));
        let row = row(&farm, id).await;
        assert_eq!((row.source_id, row.part_size), (Some(source), Some(8_388_608)));
        assert_eq!(row.multipart.as_deref(), Some("an id/with=signs"));
        assert_eq!(uploads::known_sources(&farm.app.db, &[source, other]).await.unwrap(), [source]);
    }

    async fn what_is_counted_comes_with_its_rest_and_digest(farm: Farm) {
        let id = upload(&farm, 10, farm.now()).await.id;
        let digest = [0, 1, 0xff];
        let new = Advance { rest_turn: Some(7), digest: Some(&digest), ..bytes(&farm, id, 0, 0, 4) };
        assert!(commit!(farm, |tx| uploads::advance_if_at(tx, &new)));
        let after = row(&farm, id).await;
        assert_eq!((after.received, after.rest_turn, after.digest.as_deref()), (4, Some(7), Some(&digest[..])));
        assert!(commit!(farm, |tx| uploads::advance_if_at(tx, &bytes(&farm, id, 0, 4, 5))));
        let after = row(&farm, id).await;
        assert_eq!((after.rest_turn, after.digest), (None, None));
    }

    async fn parts_are_listed_in_order_and_go_with_their_upload(farm: Farm) {
        let (one, other) = (upload(&farm, 10, farm.now()).await.id, upload(&farm, 10, farm.now()).await.id);
        for number in [7, 0, 3] {
            commit!(farm, |tx| upload_parts::insert(tx, one, &part(number)));
        }
        commit!(farm, |tx| upload_parts::insert(tx, other, &part(0)));
        assert_eq!(upload_parts::all(&farm.app.db, one).await.unwrap(), [part(0), part(3), part(7)]);
        assert_eq!(refused!(farm, |tx| upload_parts::insert(tx, one, &part(3))), ErrorKind::UniqueViolation);
        for wrong in [part(-1), UploadPartRow { size: 0, ..part(9) }] {
            assert_eq!(refused!(farm, |tx| upload_parts::insert(tx, one, &wrong)), ErrorKind::CheckViolation);
        }
        assert!(commit!(farm, |tx| uploads::delete(tx, one)));
        assert!(upload_parts::all(&farm.app.db, one).await.unwrap().is_empty());
        assert_eq!(upload_parts::all(&farm.app.db, other).await.unwrap(), [part(0)]);
    }
}
