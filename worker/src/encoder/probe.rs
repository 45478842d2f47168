//! What a source is, and the plan for it.

use ffmpeg_next::codec::Id;
use framefarm_shared::plan::{AudioTrack, MAX_DURATION_US, Plan, SourceInfo, SubtitleTrack, VideoTrack};

use super::boundaries::at_idr_frames;
use super::failure::{Failure, Result};
use super::input::{Picture, Source};
use super::protocol::ProbeTask;
use super::scan::Scan;
use super::time::us_of_ticks;

pub(super) fn probe(task: &ProbeTask) -> Result<Plan> {
    let mut source = Source::open(&task.source)?;
    let scan = Scan::run(&mut source)?;
    let duration_us = us_of_ticks(scan.end);
    if duration_us > MAX_DURATION_US {
        return Err(Failure::invalid("the video is longer than a day"));
    }
    let copied = source
        .picture
        .as_ref()
        .filter(|picture| task.copy && may_be_copied(picture))
        .and_then(|_| at_idr_frames(scan.idr_frames.as_deref()?, scan.end));
    let copy = copied.is_some();
    let boundaries = copied.unwrap_or_else(|| scan.stretches.boundaries(scan.end));
    let source = SourceInfo {
        duration_us,
        video: source.picture.as_ref().map(|picture| VideoTrack {
            width: picture.shown.0,
            height: picture.shown.1,
            frame_rate: frame_rate(picture, &scan),
            codec: picture.codec.name().to_owned(),
        }),
        audio: source
            .sounds
            .iter()
            .map(|sound| AudioTrack { language: sound.language.clone(), channels: sound.channels })
            .collect(),
        subtitles: source
            .texts
            .iter()
            .map(|text| SubtitleTrack {
                language: text.language.clone(),
                title: text.title.clone(),
                forced: text.forced,
            })
            .collect(),
    };
    let plan = Plan {
        source,
        boundaries_us: boundaries.into_iter().map(us_of_ticks).collect(),
        copy,
        restamp: scan.restamp,
        preset: None,
    };
    plan.check().map_err(|error| Failure::invalid(format!("the video cannot be planned: {error}")))?;
    Ok(plan)
}

/// What a player can show without our help: upright, square, progressive H.264.
fn may_be_copied(picture: &Picture) -> bool {
    picture.codec == Id::H264
        && picture.turns == 0
        && picture.square
        && !picture.interlaced
        && picture.hdr.is_none()
        && picture.plain
        && picture.size.0.is_multiple_of(2)
        && picture.size.1.is_multiple_of(2)
}

/// What the container says, if that is near what was counted.
fn frame_rate(picture: &Picture, scan: &Scan) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "frames of a day fit in 52 bits")]
    let counted = scan.frames as f64 * 90_000.0 / scan.shown_end.max(1) as f64;
    let said = f64::from(picture.rate);
    if (said / counted - 1.0).abs() < 0.1 { said } else { counted.clamp(0.001, 1000.0) }
}
