//! What a source is, and the plan for it.

use ffmpeg_next::codec::Id;
use framefarm_shared::plan::{AudioTrack, MAX_DURATION_US, Plan, SourceInfo, SubtitleTrack, VideoTrack};

use super::alpha;
use super::boundaries::at_idr_frames;
use super::failure::{Failure, Result};
use super::input::{Source, SourceVideo, bitmap_subtitles, unreadable_audio};
use super::protocol::ProbeTask;
use super::scan::Scan;
use super::time::us_of_ticks;

pub(super) fn probe(task: &ProbeTask) -> Result<Plan> {
    let mut source = Source::open(&task.source)?;
    let scan = Scan::run(&mut source)?;
    let duration_us = us_of_ticks(scan.end);
    if duration_us > MAX_DURATION_US {
        return Err(Failure::invalid("the video is longer than 24 hours"));
    }
    let copied = source
        .video
        .as_ref()
        .filter(|video| task.copy && may_be_copied(video))
        .and_then(|_| at_idr_frames(scan.idr_frames.as_deref()?, scan.end))
        .filter(|_| source.has_whole_packets());
    let copy = copied.is_some();
    let boundaries = copied.unwrap_or_else(|| scan.stretches.boundaries(scan.end));
    let alpha = match &source.video {
        Some(video) => alpha::note(&task.source, video)?,
        None => None,
    };
    let notes = [bitmap_subtitles(&source.input), unreadable_audio(&source.input), alpha];
    let notes = notes.into_iter().flatten().collect();
    let source = SourceInfo {
        duration_us,
        video: source.video.as_ref().map(|video| VideoTrack {
            width: video.shown.0,
            height: video.shown.1,
            frame_rate: frame_rate(video, &scan),
            codec: video.codec.name().to_owned(),
        }),
        has_cover: source.video.is_none().then(|| source.cover().is_some()),
        audio: source
            .audio
            .iter()
            .map(|track| AudioTrack {
                language: track.language.clone(),
                title: track.title.clone(),
                channels: track.channels,
            })
            .collect(),
        subtitles: source
            .subtitles
            .iter()
            .map(|track| SubtitleTrack {
                language: track.language.clone(),
                title: track.title.clone(),
                forced: track.forced,
            })
            .collect(),
        notes,
    };
    let plan = Plan {
        source,
        boundaries_us: boundaries.into_iter().map(us_of_ticks).collect(),
        copy,
        restamp: false,
        joins: scan.timeline.joins(),
        seek_points: scan.timeline.seek_points(),
        preset: None,
    };
    plan.check()
        .map_err(|error| Failure::invalid(format!("the video cannot be split into segments: {error}")))?;
    Ok(plan)
}

/// What a player can show without our help: upright, square, progressive H.264.
fn may_be_copied(video: &SourceVideo) -> bool {
    video.codec == Id::H264
        && video.is_upright()
        && video.source_colors == video.colors
        && video.square
        && !video.interlaced
        && video.hdr.is_none()
        && video.plain
        && video.size.0.is_multiple_of(2)
        && video.size.1.is_multiple_of(2)
}

fn frame_rate(video: &SourceVideo, scan: &Scan) -> f64 {
    let shown_for = scan.shown_end.saturating_sub(scan.shown_start.unwrap_or(0));
    #[expect(clippy::cast_precision_loss, reason = "frames of a day fit in 52 bits")]
    let counted = (shown_for > 0).then(|| scan.frames as f64 * 90_000.0 / shown_for as f64);
    believed_rate(video.rate.into(), counted, video.interlaced)
}

/// What the container says, if that is near what was counted over the time in which there is a picture.
fn believed_rate(said: f64, counted: Option<f64>, interlaced: bool) -> f64 {
    let Some(counted) = counted else { return said };
    let is_near = |rate: f64| (said / rate - 1.0).abs() < 0.1;
    // Some streams bring each field in a packet of its own.
    let in_fields = interlaced && is_near(counted / 2.0);
    if is_near(counted) || in_fields { said } else { counted.clamp(0.001, 1000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_containers_frame_rate_is_believed_if_it_is_near_the_counted_one() {
        let cases = [
            (25.0, Some(25.0), false, 25.0),
            (25.0, Some(25.1), false, 25.0),
            (25.0, Some(10.0), false, 10.0),
            (25.0, Some(50.0), false, 50.0),
            (25.0, Some(50.0), true, 25.0),
            (25.0, None, false, 25.0),
            (25.0, Some(0.0), false, 0.001),
        ];
        for (said, counted, interlaced, told) in cases {
            let found = believed_rate(said, counted, interlaced);
            assert!((found - told).abs() < 1e-9, "{said} and {counted:?}: {found}");
        }
    }
}
