//! Whether sound goes on without a break: two sines that never pause, looked at in many small windows.

use std::f64::consts::TAU;

use super::recipe::SINES;

const RATE: f64 = 48_000.0;
/// 40 ms, moved on by 10 ms.
const WINDOW: usize = 1_920;
const STEP: usize = 480;

/// One window of sound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// Its middle, in seconds.
    pub(crate) at: f64,
    /// How much later than in the source the sines are, in seconds.
    pub(crate) delay: f64,
    /// What is left when the sines are taken away, as a share of them.
    pub(crate) rest: f64,
}

/// The windows of sound that should be the two sines from 0 on; without its first and last tenth of a second, which codecs
/// fade.
pub(crate) fn windows(sound: &[f32]) -> Vec<Window> {
    let edge = 4_800;
    let last = sound.len().saturating_sub(edge + WINDOW);
    (edge..last).step_by(STEP).map(|from| window(&sound[from..from + WINDOW], from)).collect()
}

/// In the middle of it, in seconds.
pub(crate) fn delay_of(sound: &[f32]) -> f64 {
    let mut delays: Vec<_> = windows(sound).iter().map(|window| window.delay).collect();
    delays.sort_by(f64::total_cmp);
    delays.get(delays.len() / 2).copied().unwrap_or(0.0)
}

#[expect(clippy::cast_precision_loss, reason = "samples of minutes")]
fn window(sound: &[f32], from: usize) -> Window {
    let time = |at: usize| (from + at) as f64 / RATE;
    let found = SINES.map(|hertz| {
        let (mut sine, mut cosine, mut weights) = (0.0, 0.0, 0.0);
        for (at, sample) in sound.iter().enumerate() {
            let weight = 0.5 - 0.5 * (TAU * at as f64 / WINDOW as f64).cos();
            let (s, c) = (TAU * hertz * time(at)).sin_cos();
            sine += weight * s * f64::from(*sample);
            cosine += weight * c * f64::from(*sample);
            weights += weight;
        }
        let (sine, cosine) = (2.0 * sine / weights, 2.0 * cosine / weights);
        (sine, cosine, -cosine.atan2(sine) / (TAU * hertz))
    });
    let (mut power, mut rest) = (0.0, 0.0);
    for (at, sample) in sound.iter().enumerate().skip(WINDOW / 4).take(WINDOW / 2) {
        let wave = |(hertz, (sine, cosine, _)): (&f64, &(f64, f64, f64))| {
            let (s, c) = (TAU * hertz * time(at)).sin_cos();
            sine * s + cosine * c
        };
        let waves: f64 = SINES.iter().zip(&found).map(wave).sum();
        power += waves * waves;
        rest += (f64::from(*sample) - waves).powi(2);
    }
    let delay = delay(found.map(|(_, _, delay)| delay));
    let rest = if power > 1e-3 { (rest / power).sqrt() } else { 1.0 };
    Window { at: time(WINDOW / 2), delay, rest }
}

/// The higher sine tells it precisely, the lower one how many of its periods to add.
fn delay([low, high]: [f64; 2]) -> f64 {
    let period = 1.0 / SINES[1];
    high + ((low - high) / period).round() * period
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound(late: f64) -> Vec<f32> {
        let wave = |t: f64| SINES.iter().map(|hertz| (TAU * hertz * t).sin() / 4.0).sum::<f64>();
        #[expect(clippy::cast_possible_truncation, reason = "a sample")]
        (0..48_000u32).map(|at| wave(f64::from(at) / RATE - late) as f32).collect()
    }

    #[test]
    fn a_delay_is_measured_to_a_tenth_of_a_sample() {
        for late in [0.0, 0.000_021, -0.000_3, 0.001] {
            for window in windows(&sound(late)) {
                assert!((window.delay - late).abs() < 0.000_002 && window.rest < 0.01, "{window:?} {late}");
            }
        }
    }

    #[test]
    fn a_lost_packet_and_a_click_are_seen() {
        let mut broken = sound(0.0);
        broken[24_000] += 0.5;
        assert!(windows(&broken).iter().any(|window| window.rest > 0.03));
        let mut broken = sound(0.0);
        broken.drain(24_000..24_004);
        let delays: Vec<_> = windows(&broken).iter().map(|window| window.delay).collect();
        assert!((delays[0] - delays[delays.len() - 1] - 4.0 / RATE).abs() < 0.000_005, "{delays:?}");
    }
}
