//! Qualities between their queues, when the one above them panics.

use std::path::Path;

use ffmpeg_next::format::Pixel;
use ffmpeg_next::{Rational, frame};
use framefarm_shared::ladder::{PlannedQuality, VideoCodec};
use framefarm_shared::wire::worker_api::SegmentRange;

use super::super::colors::Colors;
use super::super::protocol::segment_path;
use super::*;

const FRAME: i64 = TICKS / 25;
/// Two segments of two seconds.
const STARTS: [i64; 3] = [0, 50 * FRAME, 100 * FRAME];

fn a_rung(output: &Path) -> Rung {
    let reporter = Arc::<Reporter>::default();
    let shared = Shared { output: output.to_owned(), reporter: Arc::clone(&reporter) };
    let quality = PlannedQuality {
        name: "360p".to_owned(),
        kind: MediaKind::Video,
        width: 64,
        height: 64,
        bitrate_kbps: 100,
        codec: VideoCodec::H264,
        skipped: false,
    };
    Rung {
        cutter: Cutter::new(&shared, "360p", STARTS.into(), true),
        settings: VideoSettings {
            preset: "ultrafast".to_owned(),
            threads: 1,
            rate: Rational(25, 1),
            colors: Colors::BT709,
            quality,
            hardware: None,
        },
        mixed: false,
        wanted: Wanted::new(&[SegmentRange { first: 0, last: 1 }], 2),
        meter: Arc::new(Meter::new("360p", "libx264".to_owned(), TICKS, 4.0, 0.0)),
        reporter,
    }
}

fn shown(number: i64) -> PlacedFrame {
    let segment = usize::from(number >= 50);
    let frame = frame::Video::new(Pixel::YUV420P, 64, 64);
    PlacedFrame { frame, pts: number * FRAME, segment, boundary: number % 50 == 0, since: FRAME }
}

/// Which segments a quality calls whole if the one above it hands down so many pictures, and then panics or ends.
fn segments(pictures: i64, panics: bool) -> [bool; 2] {
    let output = tempfile::tempdir().unwrap();
    let orders = Orders::default();
    let (_first, above) = sync_channel::<PlacedFrame>(QUEUE);
    let (below, next) = sync_channel::<PlacedFrame>(QUEUE);
    let (upper, lower) = (Queues { above, below: Some(below) }, Queues { above: next, below: None });
    thread::scope(|scope| {
        let upper = scope.spawn(|| {
            upper.between(&orders, |_, below| {
                (0..pictures).for_each(|number| below.unwrap().send(shown(number)).unwrap());
                assert!(!panics, "a quality panics");
                Ok(())
            })
        });
        let lower = scope.spawn(|| {
            let rung = a_rung(output.path());
            lower.between(&orders, |above, below| rung.run(above, below, &orders))
        });
        assert_eq!(joined(upper).is_err(), panics);
        joined(lower).unwrap();
    });
    assert_eq!(orders.abort(), panics);
    [0, 1].map(|index| segment_path(output.path(), "360p", index).exists())
}

#[test]
fn a_quality_whose_source_panics_delivers_no_segment_that_is_cut_off() {
    ffmpeg_next::init().unwrap();
    for (pictures, cut_off) in [(10, 0), (49, 0), (60, 1), (99, 1)] {
        assert!(!segments(pictures, true)[cut_off], "{pictures} pictures");
    }
    assert_eq!(segments(100, false), [true, true]);
}
