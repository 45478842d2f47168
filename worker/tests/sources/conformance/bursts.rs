//! When each flash is seen and each beep is heard.

use std::f64::consts::TAU;

use crate::media::{Frame, SAMPLES};

/// Of the tone, in samples.
const PERIOD: usize = SAMPLES / 1_000;
/// Ten periods of the tone: the envelope of an ideal beep is half of its level exactly where it begins and ends.
const WINDOW: usize = 480;
/// Of the loudest beep: what is above it is a beep.
const LEAST: f64 = 0.2;

/// A beep, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Beep {
    pub(crate) start: f64,
    pub(crate) length: f64,
    pub(crate) level: f64,
}

/// The instants at which the picture turns white, in seconds.
pub(crate) fn flashes(frames: &[Frame], ticks: f64) -> Vec<f64> {
    let dark = std::iter::once(false).chain(frames.iter().map(|frame| frame.is_white));
    let turns = frames.iter().zip(dark).filter(|(frame, before)| frame.is_white && !before);
    #[expect(clippy::cast_precision_loss, reason = "ticks of a day at most")]
    turns.map(|(frame, _)| frame.pts as f64 / ticks).collect()
}

/// Where the envelope of 1 kHz rises above half of a beep's own level and falls below it. Echoes before a beep, as lossy
/// codecs make them, and the ringing of resamplers stay far below that.
pub(crate) fn beeps(sound: &[f32]) -> Vec<Beep> {
    let envelope = envelope(sound);
    let most = envelope.iter().copied().fold(0.0, f64::max);
    if most < 0.01 {
        return vec![];
    }
    let mut found = vec![];
    let mut at = 0;
    while let Some(begin) = (at..envelope.len()).find(|at| envelope[*at] > most * LEAST) {
        let end = (begin..envelope.len()).find(|at| envelope[*at] <= most * LEAST).unwrap_or(envelope.len());
        found.push(measured(&envelope, begin, end));
        at = end;
    }
    found
}

fn measured(envelope: &[f64], begin: usize, end: usize) -> Beep {
    let mut inside = envelope[begin..end].to_vec();
    inside.sort_by(f64::total_cmp);
    // Its level in the main, whatever codecs do at its edges.
    let level = inside[inside.len() * 2 / 3];
    let above = |at: &usize| envelope[*at] >= level / 2.0;
    let first = (begin..end).find(above).unwrap_or(begin);
    let last = (begin..end).rfind(above).unwrap_or(end - 1);
    let (start, stop) = (crossing(envelope, first.wrapping_sub(1), first, level / 2.0), last + 1);
    let stop = crossing(envelope, last, stop, level / 2.0);
    Beep { start, length: stop - start, level }
}

/// Between two neighbours, in seconds.
fn crossing(envelope: &[f64], before: usize, after: usize, level: f64) -> f64 {
    let value = |at: usize| envelope.get(at).copied().unwrap_or(0.0);
    let (from, to) = (value(before), value(after));
    let share = if (to - from).abs() < 1e-12 { 0.0 } else { (level - from) / (to - from) };
    #[expect(clippy::cast_precision_loss, reason = "samples of minutes")]
    let at = after as f64 - 1.0 + share.clamp(0.0, 1.0);
    at / SAMPLES_A_SECOND
}

#[expect(clippy::cast_precision_loss, reason = "48000")]
const SAMPLES_A_SECOND: f64 = SAMPLES as f64;

/// How much of 1 kHz is around each sample.
fn envelope(sound: &[f32]) -> Vec<f64> {
    let (mut sines, mut cosines) = (vec![0.0], vec![0.0]);
    #[expect(clippy::cast_precision_loss, reason = "samples of a period")]
    let period: [(f64, f64); PERIOD] = std::array::from_fn(|at| (TAU * at as f64 / PERIOD as f64).sin_cos());
    for (at, sample) in sound.iter().enumerate() {
        let (sine, cosine) = period[at % PERIOD];
        sines.push(sines[at] + f64::from(*sample) * sine);
        cosines.push(cosines[at] + f64::from(*sample) * cosine);
    }
    let around = |at: usize| {
        let (from, to) = (at.saturating_sub(WINDOW / 2), (at + WINDOW / 2).min(sound.len()));
        #[expect(clippy::cast_precision_loss, reason = "a window")]
        let scale = 2.0 / WINDOW as f64;
        scale * (sines[to] - sines[from]).hypot(cosines[to] - cosines[from])
    };
    (0..sound.len()).map(around).collect()
}

/// In decibels of full scale.
pub(crate) fn loudness(sound: &[f32]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "samples of minutes")]
    let mean = sound.iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>() / sound.len().max(1) as f64;
    10.0 * mean.max(1e-12).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beeps of 80 ms at these instants, with something added to each sample.
    fn ideal(starts: &[f64], seconds: usize, level: f64, also: impl Fn(usize) -> f64) -> Vec<f32> {
        let sample = |at: usize| {
            #[expect(clippy::cast_precision_loss, reason = "a few seconds")]
            let t = at as f64 / SAMPLES_A_SECOND;
            let tone =
                if starts.iter().any(|start| (*start..start + 0.08).contains(&t)) { level } else { 0.0 };
            #[expect(clippy::cast_possible_truncation, reason = "a sample")]
            let sample = (tone * (TAU * 1_000.0 * t).sin() + also(at)) as f32;
            sample
        };
        (0..seconds * SAMPLES).map(sample).collect()
    }

    fn check(sound: &[f32], starts: &[f64], tolerance: f64) {
        let found = beeps(sound);
        assert_eq!(found.len(), starts.len(), "{found:?}");
        for (beep, start) in found.iter().zip(starts) {
            assert!((beep.start - start).abs() < tolerance, "{beep:?} instead of {start}");
            assert!((beep.length - 0.08).abs() < 2.0 * tolerance, "{beep:?}");
        }
    }

    #[test]
    fn an_ideal_beep_is_heard_where_it_begins() {
        for shift in [0.0, 0.000_4, 0.013_37] {
            let starts = [1.0 + shift, 2.0 + shift, 3.0 + shift];
            check(&ideal(&starts, 5, 0.5, |_| 0.0), &starts, 0.000_2);
        }
    }

    #[test]
    fn noise_and_other_tones_are_not_heard() {
        let noise = |at: usize| {
            let noise = f64::from(u16::try_from(at * 7919 % 65_521).unwrap()) / 65_521.0 - 0.5;
            #[expect(clippy::cast_precision_loss, reason = "a few seconds")]
            let hum = (TAU * 150.0 * at as f64 / SAMPLES_A_SECOND).sin();
            0.05 * noise + 0.1 * hum
        };
        check(&ideal(&[1.0, 2.5], 4, 0.5, noise), &[1.0, 2.5], 0.001);
    }

    #[test]
    fn silence_has_no_beeps() {
        assert!(beeps(&vec![0.0; SAMPLES]).is_empty() && beeps(&[]).is_empty());
    }

    #[test]
    fn a_flash_is_seen_at_its_first_white_frame() {
        let frame = |pts: i64| Frame { pts, hash: String::new(), is_white: matches!(pts, 90..=150 | 300) };
        let frames: Vec<_> = (0..11).map(|number| frame(number * 30)).collect();
        assert_eq!(flashes(&frames, 30.0), [3.0, 10.0]);
    }
}
