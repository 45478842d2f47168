//! Measures what became of a source against what must hold of it.

use framefarm_shared::ladder::MediaKind;
use framefarm_worker::encoder::protocol::{ProbeTask, Report, subtitle_path};

use super::bursts::{self, Beep};
use super::case::{Case, Frames, Sync};
use super::reference::{self, Reference};
use super::report::Row;
use super::{colors, recipe, sines, variants};
use crate::clip::Source;
use crate::driver::Running;
use crate::made::Made;
use crate::media::SAMPLES;

/// How far a beep may be from its flash.
const SYNC_SECONDS: f64 = 0.005;
/// Of every frame of ours.
pub(crate) const TICKS: f64 = 90_000.0;
/// How long a beep is heard, in seconds, and how much of it codecs may smear.
const BEEP: f64 = 0.08;
const SMEAR: f64 = 0.015;
/// What is mixed stays below, but for what AAC adds.
const FULL_SCALE: f32 = 1.0;
/// A sample and a half: sound that is resampled, or whose packets are stamped to a millisecond, cannot be nearer.
const JITTER_SECONDS: f64 = 0.000_032;
/// Of two sines: AAC leaves a hundredth of that, and a click is more.
const CLICK: f64 = 0.03;

pub(crate) fn measure(case: &Case, row: &mut Row) {
    let source = recipe::make(case.recipe);
    if let Some(words) = case.refusal {
        return refusal(&source, words, row);
    }
    let reference =
        row.attempt("ffmpeg", |_| reference::decode(&source.path, case.picture, case.sound, case.as_ffmpeg));
    let plan = source.plan(false);
    let qualities = case.qualities(&plan);
    let made = variants::again(&source).make(plan, &qualities);
    structure(case, &made, row);
    if case.picture {
        row.attempt("frames", |row| frames(case, &made, reference.as_ref(), row));
    }
    if case.sound {
        row.attempt("sound", |row| sound(case, &made, reference.as_ref(), row));
    }
    if case.recipe.contains("P(") {
        row.attempt("colours", |row| colors::check(&made, row));
    }
    if case.variants && (case.copied || case.recipe.contains("S(") || !is_short_form()) {
        variants::check(case, &source, &made, row);
    }
}

/// Of `make test`: there, resumed, copied and GPU runs are left to the sources that are about them.
fn is_short_form() -> bool {
    std::env::var("NEXTEST_PROFILE").is_ok_and(|profile| profile == "default")
}

fn refusal(source: &Source, words: &str, row: &mut Row) {
    let ended = Running::start("probe", &ProbeTask { source: source.path.clone(), copy: false }).finish();
    match &ended.said[..] {
        [.., Report::Failed { class, message }] => {
            row.expect(class.to_string() == "input_invalid", || format!("its class is {class}"));
            row.expect(message.contains(words), || format!("the message is “{message}”, without “{words}”"));
        }
        other => row.problems.push(format!("not refused: {other:?} {}", ended.stderr)),
    }
}

/// Lengths, sizes, tracks, warnings, notes, and the rules that all segments keep.
fn structure(case: &Case, made: &Made, row: &mut Row) {
    let seconds = case.seconds.expect("how long it lasts");
    let lasts = made.seconds();
    row.seconds = Some((lasts, seconds));
    row.attempt("structure", |_| {
        made.is_whole(seconds);
    });
    if let Some(size) = case.size {
        let made = made.sizes();
        row.expect(made.first() == Some(&size), || format!("sizes of {made:?} instead of {size:?}"));
    }
    let tracks = made.qualities.iter().filter(|quality| quality.kind == MediaKind::Audio).count();
    let expected = case.tracks.unwrap_or(usize::from(case.sound));
    row.expect(tracks == expected, || format!("{tracks} audio tracks instead of {expected}"));
    let warnings = made.warnings();
    match case.warning {
        Some(words) => row.expect(warnings.iter().any(|said| said.contains(words)), || {
            format!("warns of {warnings:?}, not of “{words}”")
        }),
        None => row.expect(case.damaged || warnings.is_empty(), || format!("warns of {warnings:?}")),
    }
    let notes: Vec<&str> = made.plan.source.notes.iter().map(|note| note.code.as_str()).collect();
    row.expect(notes == case.notes, || format!("notes {notes:?} instead of {:?}", case.notes));
    subtitles(case, made, seconds, row);
    let poster = made.said.iter().any(|said| matches!(said, Report::Image { name } if name == "poster.jpg"));
    row.expect(poster || !case.picture, || "there is no poster".to_owned());
}

/// Languages as tags, and a cue with every flash.
fn subtitles(case: &Case, made: &Made, seconds: f64, row: &mut Row) {
    let tracks = made.plan.source.subtitles.iter();
    let languages: Vec<_> = tracks.map(|track| track.language.as_deref().unwrap_or_default()).collect();
    row.expect(languages == case.subtitles, || {
        format!("subtitles in {languages:?} instead of {:?}", case.subtitles)
    });
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds of a clip")]
    let flashes = 1..seconds.ceil() as u32;
    let cue = |at: u32| format!("\n00:00:{at:02}.000 --> 00:00:{at:02}.500\nThe <i>{at}</i>th\n");
    let should = format!("WEBVTT\n{}", flashes.map(cue).collect::<String>());
    for track in 0..u32::try_from(case.subtitles.len()).unwrap() {
        let told = std::fs::read_to_string(subtitle_path(&made.output, track)).unwrap_or_default();
        let differs = told.lines().zip(should.lines()).find(|(told, should)| told != should);
        row.expect(told == should, || {
            format!(
                "subtitles {track} of {} bytes instead of {}, first {differs:?}",
                told.len(),
                should.len()
            )
        });
    }
}

fn frames(case: &Case, made: &Made, reference: Option<&Reference>, row: &mut Row) {
    let ours = made.frames(made.pictures().next().expect("a video rendition"));
    let theirs = reference.map_or(&[][..], |reference| &reference.frames);
    let expected = match case.frames {
        Frames::AsSource => theirs.len(),
        Frames::Count(count) | Frames::Every(count, _) | Frames::AtLeast(count) => count,
    };
    row.frames = Some((ours.len(), expected));
    let right = match case.frames {
        Frames::AtLeast(_) => ours.len() >= expected,
        _ => ours.len() == expected,
    };
    row.expect(right, || format!("{} frames instead of {expected}", ours.len()));
    row.expect(ours.first().is_some_and(|first| first.pts == 0), || "the first frame is not at 0".to_owned());
    #[expect(clippy::cast_precision_loss, reason = "ticks of a day at most")]
    let at = |number: usize| match (case.frames, reference) {
        (Frames::AsSource, Some(reference)) => {
            (theirs[number].pts - theirs[0].pts) as f64 / reference.ticks * TICKS
        }
        (Frames::Every(_, ticks), _) => number as f64 * ticks,
        _ => ours[number].pts as f64,
    };
    let number = (0..ours.len().min(expected)).find(|number| {
        #[expect(clippy::cast_precision_loss, reason = "ticks of a day at most")]
        let pts = ours[*number].pts as f64;
        (pts - at(*number)).abs() > 1.01
    });
    if let Some(number) = number {
        let (ours, should) = (ours[number].pts, at(number));
        row.problems.push(format!("frame {number} is at tick {ours} instead of {should:.0}"));
    }
    let is_white =
        |frames: &[crate::media::Frame]| frames.iter().map(|frame| frame.is_white).collect::<Vec<_>>();
    // What is deinterlaced is white a little earlier or later.
    if ours.len() == theirs.len() && !case.damaged && !matches!(case.frames, Frames::Count(_)) {
        let differs = is_white(ours).iter().zip(is_white(theirs)).position(|(ours, theirs)| *ours != theirs);
        row.expect(differs.is_none(), || format!("frame {differs:?} is white where the source's is not"));
    }
}

fn sound(case: &Case, made: &Made, reference: Option<&Reference>, row: &mut Row) {
    let ours = made.sound("audio0");
    #[expect(clippy::cast_precision_loss, reason = "samples of a day at most")]
    let length = ours.len() as f64 / SAMPLES as f64;
    let apart = length - made.seconds();
    row.expect(apart.abs() < 0.012, || format!("audio lasts {apart:+.3} s more than the video"));
    if let Some(reference) = reference.filter(|reference| !reference.sound.is_empty()) {
        // Of what both have: the end of the shorter is a question of length, not of level.
        let both = ours.len().min(reference.sound.len());
        let decibels = bursts::loudness(&ours[..both]) - bursts::loudness(&reference.sound[..both]);
        row.decibels = Some(decibels);
        let near = decibels.abs() <= case.decibels || !case.as_ffmpeg;
        row.expect(near, || format!("{decibels:+.2} dB louder than ffmpeg has it"));
    }
    if case.recipe.contains("C(") {
        // Decoded to one channel, which adds 3 dB to two that are alike.
        let peak = ours.iter().fold(0.0, |most: f32, sample| most.max(sample.abs())) / 2f32.sqrt();
        row.expect(peak < FULL_SCALE, || format!("it clips: {peak:.2} of full scale"));
    }
    if case.recipe.contains("S(") {
        let base = reference.map_or(0.0, |reference| sines::delay_of(&reference.sound));
        continuous(ours, base, "", row);
    }
    if case.sync != Sync::Unmeasured {
        let heard = bursts::beeps(ours);
        row.attempt("sync", |row| synced(case, made, &heard, reference, row));
    }
}

fn synced(case: &Case, made: &Made, heard: &[Beep], reference: Option<&Reference>, row: &mut Row) {
    let theirs = reference.map(|reference| {
        let flashes = bursts::flashes(&reference.frames, reference.ticks);
        let beeps = bursts::beeps(&reference.sound);
        if case.picture {
            paired(&flashes, &beeps, case).0
        } else {
            beeps.iter().map(|beep| beep.start).collect()
        }
    });
    let (mut offsets, strangers) = if case.picture {
        let seen = bursts::flashes(made.frames(made.pictures().next().expect("a video rendition")), TICKS);
        row.expect(!seen.is_empty(), || "nothing flashes".to_owned());
        paired(&seen, heard, case)
    } else {
        (heard.iter().map(|beep| beep.start).collect(), vec![])
    };
    if case.damaged {
        // A flash may be among what is lost, or its first frame.
        offsets.retain(|offset| !offset.is_nan());
        offsets.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        offsets.truncate(offsets.len().saturating_sub(2));
    }
    row.expect(strangers.is_empty() || case.damaged, || format!("beeps without a flash at {strangers:.3?}"));
    let missing = offsets.iter().filter(|offset| offset.is_nan()).count();
    row.expect(missing == 0, || format!("{missing} of {} beeps are missing", offsets.len()));
    let lengths = heard.iter().map(|beep| (beep.start, beep.length));
    let wrong: Vec<_> = lengths.filter(|(_, length)| (length - BEEP).abs() > SMEAR).collect();
    row.expect(wrong.is_empty() || case.damaged, || {
        format!("beeps (at, lasting) {wrong:.3?} instead of {BEEP}")
    });
    if case.as_ffmpeg || case.sync == Sync::AsFfmpeg {
        let theirs = theirs.as_deref().unwrap_or_default();
        row.expect(theirs.len() == offsets.len(), || format!("ffmpeg has {} beeps", theirs.len()));
        let apart: Vec<_> = offsets.iter().zip(theirs).map(|(ours, theirs)| ours - theirs).collect();
        let worst = worst(&apart);
        row.expect(worst.abs() <= SYNC_SECONDS, || format!("{:+.1} ms apart from ffmpeg", worst * 1e3));
        if case.sync == Sync::AsFfmpeg {
            offsets = apart;
        }
    }
    offsets.retain(|offset| !offset.is_nan());
    let worst = worst(&offsets);
    row.expect(worst.abs() <= SYNC_SECONDS, || format!("{:+.1} ms out of sync", worst * 1e3));
    row.offsets = offsets;
}

/// How much later than each flash its beep is, not a number where there is none; and the beeps that belong to no flash.
pub(crate) fn paired(seen: &[f64], heard: &[Beep], case: &Case) -> (Vec<f64>, Vec<f64>) {
    let mut left: Vec<f64> = heard.iter().map(|beep| beep.start).collect();
    let in_hole = |at: f64| case.holes.iter().any(|hole| hole.contains(&(at + BEEP / 2.0)));
    let mut offsets = vec![];
    for flash in seen.iter().filter(|flash| !in_hole(**flash)) {
        let nearest = left
            .iter()
            .copied()
            .enumerate()
            .min_by(|(_, a), (_, b)| (a - flash).abs().total_cmp(&(b - flash).abs()));
        match nearest.filter(|(_, at)| (at - flash).abs() < 0.5) {
            Some((position, at)) => {
                left.remove(position);
                offsets.push(at - flash);
            }
            None => offsets.push(f64::NAN),
        }
    }
    (offsets, left)
}

fn worst(offsets: &[f64]) -> f64 {
    let numbers = offsets.iter().copied().filter(|offset| !offset.is_nan());
    numbers.max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0)
}

/// No click, and no sample more or less anywhere; as late as it should be, in seconds.
pub(crate) fn continuous(sound: &[f32], late: f64, whose: &str, row: &mut Row) {
    let windows = sines::windows(sound);
    row.expect(windows.len() > 100, || "there is too little audio".to_owned());
    let delays = || windows.iter().map(|window| window.delay - late);
    let (least, most) = (delays().fold(f64::MAX, f64::min), delays().fold(f64::MIN, f64::max));
    if row.offsets.is_empty() {
        row.offsets = [0, windows.len() / 2, windows.len() - 1].map(|at| windows[at].delay - late).to_vec();
    }
    let jump = windows
        .windows(2)
        .max_by(|a, b| (a[1].delay - a[0].delay).abs().total_cmp(&(b[1].delay - b[0].delay).abs()));
    let at = jump.map_or(0.0, |pair| pair[1].at);
    row.expect(most - least < JITTER_SECONDS, || {
        format!("{whose}audio wanders from {:+.3} to {:+.3} ms, most at {at:.2} s", least * 1e3, most * 1e3)
    });
    row.expect(least > -0.001 && most < 0.001, || {
        format!("{whose}audio is {:+.3} to {:+.3} ms late", least * 1e3, most * 1e3)
    });
    let clicks: Vec<_> = windows.iter().filter(|window| window.rest > CLICK).collect();
    if let Some(click) = clicks.iter().max_by(|a, b| a.rest.total_cmp(&b.rest)) {
        row.problems.push(format!(
            "{whose}{} clicks, the loudest of {:.2} at {:.2} s",
            clicks.len(),
            click.rest,
            click.at
        ));
    }
}
