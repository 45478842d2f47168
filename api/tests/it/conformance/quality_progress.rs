//! Table `quality`: how a rendition gets on.

use framefarm_api::db::qualities::{self, GenerationKey, Pace, QualityRow, Stream};
use framefarm_api::db::segments;
use framefarm_api::testing::Farm;
use framefarm_shared::ladder::PlannedQuality;
use framefarm_shared::state::QualityStatus;
use sqlx::error::ErrorKind;

use super::count;
use super::world::{INSTANT, a_generation, quality, segments as some_segments};

const STREAM: Stream<'static> =
    Stream { init_sha256: &[9; 32], init_size: 800, timescale: 90_000, codecs: "avc1.64001f,mp4a.40.2" };

fn at(percent: f64) -> Pace {
    Pace { percent, ..Pace::default() }
}

async fn read(farm: &Farm, key: GenerationKey, name: &str) -> QualityRow {
    commit!(farm, |tx| qualities::get_in(tx, key, name)).unwrap()
}

/// Delivers the first segments and counts them.
async fn deliver(farm: &Farm, key: GenerationKey, name: &str, segments: std::ops::Range<i32>) -> QualityRow {
    commit!(farm, |tx| segments::insert_missing(tx, key, name, &some_segments(segments)));
    commit!(farm, |tx| qualities::settle(tx, key, name, farm.now()))
}

framefarm_api::on_both_engines! {
    async fn progress_begins_a_quality_and_never_goes_back(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        let begun = farm.now();
        for (percent, stands_at) in [(12.5, 12.5), (12.5, 12.5), (3.0, 12.5), (99.9, 99.9)] {
            assert!(commit!(farm, |tx| qualities::progress_if_open(tx, key, "720p", at(percent), farm.now())));
            let row = read(&farm, key, "720p").await;
            assert!((row.progress_percent - stands_at).abs() < f64::EPSILON);
            assert_eq!((row.status, row.started_at), (QualityStatus::InProgress, Some(begun)));
            farm.wait(INSTANT);
        }
        let kind = refused!(farm, |tx| qualities::progress_if_open(tx, key, "720p", at(101.0), farm.now()));
        assert_eq!(kind, ErrorKind::CheckViolation);
    }

    async fn the_latest_pace_is_kept_until_the_next_attempt(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        for (fps, speed) in [(Some(48.5), Some(2.0)), (Some(0.0), None), (None, None), (Some(25.0), Some(1.0))] {
            let pace = Pace { percent: 5.0, fps, speed };
            assert!(commit!(farm, |tx| qualities::progress_if_open(tx, key, "720p", pace, farm.now())));
            let row = read(&farm, key, "720p").await;
            assert_eq!((row.fps, row.speed), (fps, speed));
        }
        let backwards = Pace { fps: Some(-1.0), ..at(5.0) };
        let kind = refused!(farm, |tx| qualities::progress_if_open(tx, key, "720p", backwards, farm.now()));
        assert_eq!(kind, ErrorKind::CheckViolation);
        commit!(farm, |tx| qualities::reopen(tx, key));
        let row = read(&farm, key, "720p").await;
        assert_eq!((row.fps, row.speed), (None, None));
    }

    async fn the_last_segment_completes_a_quality(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        let begun = farm.now();
        let row = deliver(&farm, key, "720p", 0..1).await;
        assert_eq!((row.status, row.segments_completed), (QualityStatus::InProgress, 1));
        assert_eq!((row.started_at, row.completed_at), (Some(begun), None));
        assert!((row.progress_percent - 100.0 / 3.0).abs() < 1e-9);
        farm.wait(INSTANT);
        let row = deliver(&farm, key, "720p", 0..3).await;
        assert_eq!((row.status, row.segments_completed), (QualityStatus::Completed, 3));
        assert_eq!((row.started_at, row.completed_at), (Some(begun), Some(farm.now())));
        assert!((row.progress_percent - 100.0).abs() < f64::EPSILON);
        farm.wait(INSTANT);
        unchanged!(farm, |tx| qualities::settle(tx, key, "720p", farm.now()));
    }

    async fn a_closed_quality_takes_neither_progress_nor_failure(farm: Farm) {
        let key = a_generation(&farm, &["completed", "failed"]).await;
        deliver(&farm, key, "completed", 0..3).await;
        assert!(commit!(farm, |tx| qualities::fail_if_open(tx, key, "failed", "out of memory ☠")));
        let row = read(&farm, key, "failed").await;
        assert_eq!((row.status, row.error_message.as_deref()), (QualityStatus::Failed, Some("out of memory ☠")));
        let skipped = PlannedQuality { skipped: true, ..quality("skipped") };
        commit!(farm, |tx| qualities::insert(tx, key, 2, &skipped, 3));
        for name in ["completed", "failed", "skipped", "unknown"] {
            assert!(!unchanged!(farm, |tx| qualities::progress_if_open(tx, key, name, at(50.0), farm.now())));
            assert!(!unchanged!(farm, |tx| qualities::fail_if_open(tx, key, name, "again")));
        }
    }

    async fn a_delivery_heals_a_failed_quality(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        commit!(farm, |tx| qualities::fail_if_open(tx, key, "720p", "no"));
        let row = deliver(&farm, key, "720p", 0..2).await;
        assert_eq!((row.status, row.error_message), (QualityStatus::InProgress, None));
    }

    async fn the_first_stream_stays(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        commit!(farm, |tx| qualities::set_stream_if_none(tx, key, "720p", &STREAM));
        let row = read(&farm, key, "720p").await;
        assert_eq!((row.init_sha256.as_deref(), row.init_size), (Some(&[9; 32][..]), Some(800)));
        assert_eq!((row.timescale, row.codecs.as_deref()), (Some(90_000), Some("avc1.64001f,mp4a.40.2")));
        let other = Stream { init_sha256: &[1; 32], timescale: 1, ..STREAM };
        unchanged!(farm, |tx| qualities::set_stream_if_none(tx, key, "720p", &other));
        unchanged!(farm, |tx| qualities::set_stream_if_none(tx, key, "unknown", &other));
    }

    async fn codecs_change_only_from_what_is_known(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        commit!(farm, |tx| qualities::set_stream_if_none(tx, key, "720p", &Stream { codecs: "avc1.64001f", ..STREAM }));
        unchanged!(farm, |tx| qualities::set_codecs_if(tx, key, "720p", "avc1.4d401e", "avc1.640028"));
        assert!(commit!(farm, |tx| qualities::set_codecs_if(tx, key, "720p", "avc1.64001f", "avc1.640028")));
        assert_eq!(read(&farm, key, "720p").await.codecs.as_deref(), Some("avc1.640028"));
    }

    async fn a_new_attempt_reopens_what_failed_or_brought_nothing(farm: Farm) {
        let key = a_generation(&farm, &["failed", "begun", "half", "done", "waiting"]).await;
        deliver(&farm, key, "failed", 0..1).await;
        commit!(farm, |tx| qualities::fail_if_open(tx, key, "failed", "no"));
        commit!(farm, |tx| qualities::progress_if_open(tx, key, "begun", at(80.0), farm.now()));
        deliver(&farm, key, "half", 0..2).await;
        deliver(&farm, key, "done", 0..3).await;
        commit!(farm, |tx| qualities::reopen(tx, key));
        let rows = qualities::of_generation(&farm.app.db, key).await.unwrap();
        let told: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.status, row.segments_completed)).collect();
        assert_eq!(told, [
            ("failed", QualityStatus::Pending, 1),
            ("begun", QualityStatus::Pending, 0),
            ("half", QualityStatus::InProgress, 2),
            ("done", QualityStatus::Completed, 3),
            ("waiting", QualityStatus::Pending, 0),
        ]);
        assert!((rows[0].progress_percent - 100.0 / 3.0).abs() < 1e-9);
        assert!(rows[0].error_message.is_none() && rows[1].progress_percent.abs() < f64::EPSILON);
        unchanged!(farm, |tx| qualities::reopen(tx, key));
    }

    async fn a_new_attempt_begins_at_what_was_delivered(farm: Farm) {
        let key = a_generation(&farm, &["720p"]).await;
        deliver(&farm, key, "720p", 0..1).await;
        commit!(farm, |tx| qualities::progress_if_open(tx, key, "720p", at(95.0), farm.now()));
        commit!(farm, |tx| qualities::reopen(tx, key));
        let row = read(&farm, key, "720p").await;
        assert!((row.progress_percent - 100.0 / 3.0).abs() < 1e-9, "{}", row.progress_percent);
    }

    async fn a_reset_forgets_what_was_delivered_and_keeps_what_is_skipped(farm: Farm) {
        let key = a_generation(&farm, &["done", "failed"]).await;
        commit!(farm, |tx| qualities::set_stream_if_none(tx, key, "done", &STREAM));
        deliver(&farm, key, "done", 0..3).await;
        commit!(farm, |tx| qualities::fail_if_open(tx, key, "failed", "no"));
        let skipped = PlannedQuality { skipped: true, ..quality("skipped") };
        commit!(farm, |tx| qualities::insert(tx, key, 2, &skipped, 3));
        let other = a_generation(&farm, &["720p"]).await;
        deliver(&farm, other, "720p", 0..3).await;
        commit!(farm, |tx| qualities::reset_all(tx, key));
        for name in ["done", "failed"] {
            let row = read(&farm, key, name).await;
            assert_eq!((row.status, row.segments_completed), (QualityStatus::Pending, 0));
            assert!(row.init_sha256.is_none() && row.completed_at.is_none() && row.error_message.is_none());
            assert!(row.progress_percent.abs() < f64::EPSILON);
        }
        assert_eq!(read(&farm, key, "skipped").await.status, QualityStatus::Skipped);
        assert_eq!(count(&farm, "segment").await, 3, "another generation's segments stay");
    }
}
