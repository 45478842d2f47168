//! Surround kept beside the stereo mix: a tone of its own in each channel of the source, looked for in what is made.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};
use std::path::Path;

use framefarm_shared::ladder::{PlannedQuality, with_surround};
use framefarm_shared::plan::Plan;
use framefarm_shared::wire::worker_api::SegmentRange;
use framefarm_worker::encoder::protocol::{Report, init_path, segment_path};

use crate::clip::{Clip, Source, X264};
use crate::driver::Running;
use crate::inits::sha256;
use crate::made::{Made, qualities, task};
use crate::media::{SAMPLES, ffmpeg, run, streams};

const SECONDS: f64 = 14.0;
const LADDER: &str = "72p:250";
const STEREO: &str = "audio0";
const SURROUND: &str = "audio0surround";
const CHANNELS: usize = 6;
/// The `AudioSpecificConfig` of AAC LC, 48 kHz, channel configuration 6.
const CONFIGURATION: [u8; 2] = [0x11, 0xB0];
/// Hertz and level of the tone in each channel, in the order FL FR FC LFE BL BR SL SR.
const TONES: [(f64, f64); 8] = [
    (400.0, 0.5),
    (700.0, 0.4),
    (1100.0, 0.3),
    (60.0, 0.45),
    (1700.0, 0.2),
    (2500.0, 0.35),
    (530.0, 0.25),
    (910.0, 0.15),
];
/// 5 ms, in samples.
const LATEST: isize = 240;
/// Half a decibel.
const LEVEL: f64 = 0.06;
/// What else may be heard, as a share of the channel's own sound: what AAC does to the edges of tones.
const NOISE: f64 = 0.15;

/// Everything is heard around full seconds, where segments join, and pauses between them.
const HEARD: &str = "lt(mod(t+0.25,1),0.5)";

fn is_heard(seconds: f64) -> bool {
    (seconds + 0.25).rem_euclid(1.0) < 0.5
}

fn source(layout: &str, count: usize, codec: &str) -> Source {
    let tone = |(hertz, level): &(f64, f64)| format!("{level}*sin(2*PI*{hertz}*t)*{HEARD}");
    let tones: Vec<_> = TONES[..count].iter().map(tone).collect();
    let tones = format!("aevalsrc=exprs='{}':c={layout}:s=48000:d={SECONDS}", tones.join("|"));
    let clip = Clip::empty().picture("128x72", "25", SECONDS).graph(&tones);
    clip.with(X264).with(codec).save("clip.mkv")
}

fn surround_qualities(plan: &Plan) -> Vec<PlannedQuality> {
    with_surround(qualities(plan, LADDER), &plan.source.audio)
}

fn encoded(source: Source) -> Made {
    let plan = source.plan(false);
    let task = task(&source, &plan, &surround_qualities(&plan));
    let running = Running::start("encode", &task);
    source.encode(plan, &task, running)
}

/// What a player hears on each loudspeaker.
fn loudspeakers(file: &Path) -> Vec<Vec<f64>> {
    let told = &streams(file, &[])[0];
    assert_eq!((told["channels"].as_u64(), told["channel_layout"].as_str()), (Some(6), Some("5.1")));
    let bytes = run(ffmpeg().args(["-v", "warning", "-i"]).arg(file).args(["-f", "f32le", "-"]));
    let samples: Vec<f64> =
        bytes.as_chunks().0.iter().map(|sample| f64::from(f32::from_le_bytes(*sample))).collect();
    (0..CHANNELS).map(|channel| samples.iter().skip(channel).step_by(CHANNELS).copied().collect()).collect()
}

/// The tones of the source on a loudspeaker, each at this share of its level.
#[expect(clippy::cast_precision_loss, reason = "samples of a few seconds")]
fn mixed(shares: &[(usize, f64)], length: usize) -> Vec<f64> {
    let sample = |at: usize| {
        let seconds = at as f64 / SAMPLES as f64;
        let tone = |(tone, share): &(usize, f64)| {
            let (hertz, level) = TONES[*tone];
            share * level * (TAU * hertz * seconds).sin()
        };
        if is_heard(seconds) { shares.iter().map(tone).sum() } else { 0.0 }
    };
    (0..length).map(sample).collect()
}

/// Each second of it is what is expected: in time, as loud, and nothing else.
fn check_loudspeaker(name: &str, heard: &[f64], expected: &[f64]) {
    // A few of the samples are enough to tell how late it is.
    let alike =
        |ours: &[f64], others: &[f64]| (0..SAMPLES).step_by(47).map(|at| ours[at] * others[at]).sum::<f64>();
    let margin = 2 * LATEST.unsigned_abs();
    for from in (margin..heard.len().min(expected.len()) - SAMPLES - margin).step_by(SAMPLES) {
        let expected = &expected[from..from + SAMPLES];
        let late = |by: isize| &heard[from.checked_add_signed(by).unwrap()..][..SAMPLES];
        let found = (-2 * LATEST..2 * LATEST).map(|by| (alike(late(by), expected), by));
        let (_, by) = found.max_by(|one, other| one.0.total_cmp(&other.0)).unwrap();
        let heard = late(by);
        let power: f64 = expected.iter().map(|wave| wave * wave).sum();
        let level = heard.iter().zip(expected).map(|(heard, wave)| heard * wave).sum::<f64>() / power;
        let rest: f64 = heard.iter().zip(expected).map(|(heard, wave)| (heard - level * wave).powi(2)).sum();
        let noise = (rest / power).sqrt();
        let fits = by.abs() <= LATEST && (level - 1.0).abs() < LEVEL && noise < NOISE;
        assert!(fits, "{name} at sample {from}: late by {by}, level {level:.3}, noise {noise:.3}");
    }
}

fn check_surround(made: &Made, shares: &[&[(usize, f64)]; CHANNELS]) {
    let heard = loudspeakers(&made.file(SURROUND));
    let names = ["FL", "FR", "FC", "LFE", "BL", "BR"];
    for ((name, heard), shares) in names.iter().zip(&heard).zip(shares) {
        check_loudspeaker(name, heard, &mixed(shares, heard.len()));
    }
    let init = std::fs::read(init_path(&made.output, SURROUND)).unwrap();
    assert!(init.windows(2).any(|bytes| bytes == CONFIGURATION), "channel configuration 6");
}

const AS_IN_THE_SOURCE: [&[(usize, f64)]; CHANNELS] =
    [&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)], &[(3, 1.0)], &[(4, 1.0)], &[(5, 1.0)]];

fn files(made: &Made, name: &str) -> Vec<Vec<u8>> {
    let segments = (0..made.plan.segment_count()).map(|index| segment_path(&made.output, name, index));
    let paths = std::iter::once(init_path(&made.output, name)).chain(segments);
    paths.map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn each_loudspeaker_gets_its_own_channel_and_stereo_is_as_it_was() {
    let made = encoded(source("5.1", 6, "-c:a flac"));
    made.is_whole(SECONDS);
    check_surround(&made, &AS_IN_THE_SOURCE);
    let without = source("5.1", 6, "-c:a flac").transcode_to(LADDER);
    assert_eq!(without.qualities.len() + 1, made.qualities.len());
    assert!(files(&made, STEREO) == files(&without, STEREO), "the stereo rendition is the same to the byte");
}

#[test]
fn side_channels_become_the_back_ones_of_5_1() {
    let made = encoded(source("5.1(side)", 6, "-c:a pcm_s16le"));
    made.is_whole(SECONDS);
    check_surround(&made, &AS_IN_THE_SOURCE);
}

#[test]
fn surround_that_is_resumed_goes_on_in_time() {
    let source = source("5.1", 6, "-c:a flac");
    let plan = source.plan(false);
    let mut begun = task(&source, &plan, &surround_qualities(&plan));
    let mut rest = begun.clone();
    begun.output = rest.output.with_file_name("begun");
    std::fs::create_dir(&begun.output).unwrap();
    begun.qualities.iter_mut().for_each(|task| task.missing = vec![SegmentRange { first: 0, last: 0 }]);
    let ended = Running::start("encode", &begun).finish();
    assert!(matches!(ended.said.last(), Some(Report::Done { .. })), "{}", ended.stderr);
    for task in &mut rest.qualities {
        task.missing = vec![SegmentRange { first: 1, last: 2 }];
        task.known_init = Some(sha256(&init_path(&begun.output, &task.quality.name)));
    }
    let running = Running::start("encode", &rest);
    let made = source.encode(plan, &rest, running);
    for task in &begun.qualities {
        let name = &task.quality.name;
        if task.quality.name == SURROUND {
            let init = |output| std::fs::read(init_path(output, name)).unwrap();
            assert!(init(&begun.output) == init(&made.output), "both have one init segment");
        }
        std::fs::copy(init_path(&begun.output, name), init_path(&made.output, name)).unwrap();
        std::fs::copy(segment_path(&begun.output, name, 0), segment_path(&made.output, name, 0)).unwrap();
    }
    check_surround(&made, &AS_IN_THE_SOURCE);
}

#[test]
fn eight_channels_are_mixed_to_six_without_clipping() {
    // The sides join the backs at 3 dB less, and all is lowered by what keeps the loudest within full scale.
    const ALL: f64 = 1.0 / (1.0 + FRAC_1_SQRT_2);
    const SIDE: f64 = ALL * FRAC_1_SQRT_2;
    let made = encoded(source("7.1", 8, "-c:a flac"));
    made.is_whole(SECONDS);
    let shares: [&[(usize, f64)]; CHANNELS] =
        [&[(0, ALL)], &[(1, ALL)], &[(2, ALL)], &[(3, ALL)], &[(4, ALL), (6, SIDE)], &[(5, ALL), (7, SIDE)]];
    check_surround(&made, &shares);
}
