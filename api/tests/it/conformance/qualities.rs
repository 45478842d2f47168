//! Table `quality`: how a rendition is planned, carried over and read.

use framefarm_api::db::generations;
use framefarm_api::db::qualities::{self, GenerationKey, Stream};
use framefarm_api::db::segments::{self, SegmentRow};
use framefarm_api::testing::Farm;
use framefarm_shared::ladder::{MediaKind, PlannedQuality, VideoCodec};
use framefarm_shared::state::QualityStatus;
use sqlx::error::ErrorKind;

use super::world::{a_generation, quality, segments as some_segments};

/// Delivers the whole quality.
async fn finish(farm: &Farm, key: GenerationKey, name: &str) -> Vec<SegmentRow> {
    let stream = Stream { init_sha256: &[9; 32], init_size: 800, timescale: 90_000, codecs: "avc1.64001f" };
    commit!(farm, |tx| qualities::set_stream_if_none(tx, key, name, &stream));
    commit!(farm, |tx| segments::insert_missing(tx, key, name, &some_segments(0..3)));
    commit!(farm, |tx| qualities::settle(tx, key, name, farm.now()));
    some_segments(0..3)
}

/// The next generation of the same video.
async fn next_generation(farm: &Farm, key: GenerationKey) -> GenerationKey {
    let next = GenerationKey { number: key.number + 1, ..key };
    commit!(farm, |tx| generations::insert(tx, next.video, next.number, None, farm.now()));
    next
}

framefarm_api::on_both_engines! {
    async fn a_planned_quality_waits_and_one_too_large_is_skipped(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        let large = PlannedQuality { skipped: true, width: u32::MAX, ..quality("2160p") };
        commit!(farm, |tx| qualities::insert(tx, key, 1, &large, 3));
        let sound = PlannedQuality { kind: MediaKind::Audio, width: 0, height: 0, ..quality("audio0") };
        commit!(farm, |tx| qualities::insert(tx, key, 2, &sound, 3));
        let rows = qualities::of_generation(&farm.app.db, key).await.unwrap();
        let told: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.kind, row.status)).collect();
        assert_eq!(told, [
            ("720p", MediaKind::Video, QualityStatus::Pending),
            ("2160p", MediaKind::Video, QualityStatus::Skipped),
            ("audio0", MediaKind::Audio, QualityStatus::Pending),
        ]);
        assert_eq!((rows[0].width, rows[0].height, rows[0].bitrate_kbps), (1280, 720, 2_500));
        assert_eq!((rows[0].segments_total, rows[0].segments_completed, rows[0].carried_from), (3, 0, None));
        assert!(rows[0].init_sha256.is_none() && rows[0].timescale.is_none() && rows[0].codecs.is_none());
        assert_eq!(rows[1].width, i32::MAX);
    }

    async fn a_quality_keeps_its_codec_through_every_generation(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        for (position, codec) in (1..).zip(VideoCodec::ALL) {
            let planned = PlannedQuality { codec: *codec, ..quality(codec.as_str()) };
            commit!(farm, |tx| qualities::insert(tx, key, position, &planned, 3));
            finish(&farm, key, codec.as_str()).await;
        }
        let (carried, again) = (next_generation(&farm, key).await, GenerationKey { number: 3, ..key });
        commit!(farm, |tx| generations::insert(tx, again.video, again.number, None, farm.now()));
        for codec in VideoCodec::ALL {
            let name = codec.as_str();
            let old = commit!(farm, |tx| qualities::get_in(tx, key, name)).unwrap();
            commit!(farm, |tx| qualities::carry_over(tx, carried, key.number, name));
            commit!(farm, |tx| qualities::insert_again(tx, again, &old));
            for key in [key, carried, again] {
                assert_eq!(commit!(farm, |tx| qualities::get_in(tx, key, name)).unwrap().codec, *codec);
            }
        }
    }

    async fn a_quality_that_is_planned_already_stays_as_it_is(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        let other = PlannedQuality { bitrate_kbps: 1, ..quality("720p") };
        unchanged!(farm, |tx| qualities::insert(tx, key, 5, &other, 9));
        let orphan = GenerationKey { number: 9, ..key };
        let kind = refused!(farm, |tx| qualities::insert(tx, orphan, 0, &other, 3));
        assert_eq!(kind, ErrorKind::ForeignKeyViolation);
    }

    async fn qualities_are_listed_by_position_inside_and_outside_of_a_transaction(farm: Farm) {
        let key = a_generation(&farm, &["720p", "1080p", "360p"]).await;
        let outside = qualities::of_generation(&farm.app.db, key).await.unwrap();
        let inside = commit!(farm, |tx| qualities::of_generation_in(tx, key));
        for rows in [outside, inside] {
            assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["720p", "1080p", "360p"]);
        }
        assert_eq!(commit!(farm, |tx| qualities::get_in(tx, key, "1080p")).unwrap().position, 1);
        assert!(commit!(farm, |tx| qualities::get_in(tx, key, "1080P")).is_none());
        let other = GenerationKey { number: 2, ..key };
        assert!(commit!(farm, |tx| qualities::get_in(tx, other, "1080p")).is_none());
        assert!(qualities::of_generation(&farm.app.db, other).await.unwrap().is_empty());
    }

    async fn a_finished_quality_is_carried_over_with_its_segments(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        let delivered = finish(&farm, key, "720p").await;
        let next = next_generation(&farm, key).await;
        assert!(commit!(farm, |tx| qualities::carry_over(tx, next, key.number, "720p")));
        let old = commit!(farm, |tx| qualities::get_in(tx, key, "720p")).unwrap();
        let row = commit!(farm, |tx| qualities::get_in(tx, next, "720p")).unwrap();
        assert_eq!((row.status, row.carried_from, row.generation), (QualityStatus::Completed, Some(1), 2));
        assert_eq!((row.init_sha256, row.init_size, row.timescale), (old.init_sha256, old.init_size, old.timescale));
        assert_eq!((row.codecs, row.completed_at), (old.codecs, old.completed_at));
        assert_eq!(segments::of_quality(&farm.app.db, next, "720p").await.unwrap(), delivered);
        assert_eq!(segments::of_quality(&farm.app.db, key, "720p").await.unwrap(), delivered);
    }

    async fn an_unfinished_or_unknown_quality_is_not_carried_over(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        commit!(farm, |tx| segments::insert_missing(tx, key, "720p", &some_segments(0..1)));
        commit!(farm, |tx| qualities::settle(tx, key, "720p", farm.now()));
        let next = next_generation(&farm, key).await;
        for name in ["720p", "360p"] {
            assert!(!unchanged!(farm, |tx| qualities::carry_over(tx, next, key.number, name)));
        }
    }

    async fn a_skipped_quality_is_carried_over_as_skipped(farm: Farm) {
        let key = a_generation(&farm, &[]).await;
        let large = PlannedQuality { skipped: true, ..quality("2160p") };
        commit!(farm, |tx| qualities::insert(tx, key, 0, &large, 3));
        let next = next_generation(&farm, key).await;
        assert!(commit!(farm, |tx| qualities::carry_over(tx, next, key.number, "2160p")));
        let row = commit!(farm, |tx| qualities::get_in(tx, next, "2160p")).unwrap();
        assert_eq!(row.status, QualityStatus::Skipped);
    }

    async fn a_quality_to_encode_again_begins_from_nothing(farm: Farm) {
        let key = a_generation(&farm, &["360p", "720p"]).await;
        finish(&farm, key, "720p").await;
        let old = commit!(farm, |tx| qualities::get_in(tx, key, "720p")).unwrap();
        let next = next_generation(&farm, key).await;
        commit!(farm, |tx| qualities::insert_again(tx, next, &old));
        let row = commit!(farm, |tx| qualities::get_in(tx, next, "720p")).unwrap();
        assert_eq!((row.status, row.position, row.segments_total), (QualityStatus::Pending, 1, 3));
        assert_eq!((row.segments_completed, row.init_sha256, row.carried_from), (0, None, None));
        let kind = refused!(farm, |tx| qualities::insert_again(tx, next, &old));
        assert_eq!(kind, ErrorKind::UniqueViolation);
    }
}
