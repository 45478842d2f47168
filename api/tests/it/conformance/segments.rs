//! Table `segment`.

use framefarm_api::db::segments::{self, SegmentRow};
use sqlx::error::ErrorKind;

use super::world::{a_generation, segment, segments as some_segments};

framefarm_api::on_both_engines! {
    async fn segments_come_back_as_they_were_delivered(farm: Farm) {
        let key = a_generation(&farm, &["720p", "360p"]).await;
        let odd = SegmentRow {
            position: 2,
            sha256: (0..32).collect(),
            size: i64::MAX,
            start_ticks: i64::MAX - 1,
            duration_ticks: 1,
            init_sha256: Some((1..33).collect()),
        };
        let rows = [odd.clone(), segment(0)];
        commit!(farm, |tx| segments::insert_missing(tx, key, "720p", &rows));
        assert_eq!(segments::of_quality(&farm.app.db, key, "720p").await.unwrap(), [segment(0), odd]);
        assert!(segments::of_quality(&farm.app.db, key, "360p").await.unwrap().is_empty());
    }

    async fn a_segment_that_is_there_stays_as_it_is(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        commit!(farm, |tx| segments::insert_missing(tx, key, "720p", &some_segments(0..2)));
        let other = SegmentRow { size: 1, ..segment(1) };
        unchanged!(farm, |tx| segments::insert_missing(tx, key, "720p", std::slice::from_ref(&other)));
        unchanged!(farm, |tx| segments::insert_missing(tx, key, "720p", &[]));
        commit!(farm, |tx| segments::insert_missing(tx, key, "720p", &[other, segment(2)]));
        assert_eq!(segments::of_quality(&farm.app.db, key, "720p").await.unwrap(), some_segments(0..3));
    }

    async fn a_day_of_segments_is_delivered_at_once(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        let day = some_segments(0..14_400);
        commit!(farm, |tx| segments::insert_missing(tx, key, "720p", &day));
        assert_eq!(segments::of_quality(&farm.app.db, key, "720p").await.unwrap(), day);
    }

    async fn the_bytes_of_a_quality_are_summed_up_and_its_other_inits_told(farm: Farm) {
        let key = a_generation(&farm, &["720p", "360p"]).await;
        let other = SegmentRow { init_sha256: Some(vec![9; 32]), ..segment(2) };
        let rows = [segment(0), segment(1), other.clone(), SegmentRow { position: 3, ..other }];
        commit!(farm, |tx| segments::insert_missing(tx, key, "720p", &rows));
        commit!(farm, |tx| segments::insert_missing(tx, key, "360p", &some_segments(0..1)));
        let size: i64 = rows.iter().map(|row| row.size).sum();
        assert_eq!(commit!(farm, |tx| segments::total_size(tx, key, "720p")), size);
        assert_eq!(commit!(farm, |tx| segments::total_size(tx, key, "1080p")), 0);
        assert_eq!(commit!(farm, |tx| segments::other_inits(tx, key, "720p")), [vec![9; 32]]);
        assert!(commit!(farm, |tx| segments::other_inits(tx, key, "360p")).is_empty());
    }

    async fn a_segment_belongs_to_a_quality(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        let kind = refused!(farm, |tx| segments::insert_missing(tx, key, "1080p", &some_segments(0..1)));
        assert_eq!(kind, ErrorKind::ForeignKeyViolation);
    }

    async fn neighbours_are_read_with_both_ends(farm: Farm) {
        let key = a_generation(&farm, &["720p", "360p"]).await;
        commit!(farm, |tx| segments::insert_missing(tx, key, "720p", &some_segments(0..6)));
        commit!(farm, |tx| segments::insert_missing(tx, key, "360p", &some_segments(0..6)));
        assert_eq!(commit!(farm, |tx| segments::in_range(tx, key, "720p", 2, 4)), some_segments(2..5));
        assert_eq!(commit!(farm, |tx| segments::in_range(tx, key, "720p", -1, 0)), some_segments(0..1));
        assert!(commit!(farm, |tx| segments::in_range(tx, key, "720p", 6, 9)).is_empty());
    }

    async fn the_positions_of_a_generation_are_listed_by_quality(farm: Farm) {
        let key = a_generation(&farm, &["b", "a"]).await;
        commit!(farm, |tx| segments::insert_missing(tx, key, "b", &[segment(1), segment(0)]));
        commit!(farm, |tx| segments::insert_missing(tx, key, "a", &[segment(2)]));
        let found = commit!(farm, |tx| segments::positions(tx, key));
        let expected = [("a", 2), ("b", 0), ("b", 1)].map(|(name, at)| (name.to_owned(), at));
        assert_eq!(found, expected);
    }
}
