//! When the picture turns white and when the tone begins, as a player would show and play them.

use crate::media::{Frame, SAMPLES};

/// The first white frame, in seconds from the first of all.
pub(crate) fn flash(frames: &[Frame]) -> f64 {
    let white = frames.iter().find(|frame| frame.is_white).expect("the video turns white");
    #[expect(clippy::cast_precision_loss, reason = "ticks of a few seconds")]
    let ticks = (white.pts - frames[0].pts) as f64;
    ticks / 90_000.0
}

/// The first loud sample, in seconds.
pub(crate) fn tone(sound: &[f32]) -> f64 {
    let loud = sound.iter().position(|sample| sample.abs() > 0.1).expect("a tone is heard");
    #[expect(clippy::cast_precision_loss, reason = "samples of a few seconds")]
    let seconds = loud as f64 / SAMPLES as f64;
    seconds
}

/// How loud the sound is between two seconds, from 0 to 1.
pub(crate) fn loudness(sound: &[f32], from: usize, to: usize) -> f32 {
    let part = &sound[from * SAMPLES..(to * SAMPLES).min(sound.len())];
    #[expect(clippy::cast_precision_loss, reason = "samples of a few seconds")]
    let count = part.len() as f32;
    (part.iter().map(|sample| sample * sample).sum::<f32>() / count).sqrt()
}
