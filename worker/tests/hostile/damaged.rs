//! Videos that were whole once: in each container the same ways to be broken, by the same chance.

use crate::seed::Seed;
use crate::trial::{Outcome, judge, try_bytes};
use crate::yard::clip;

/// However broken, a clip of seconds is not taken for one of minutes, unless the head itself says so.
const AT_MOST: u64 = 60;
const BY_HEAD: u64 = 1_000;
/// Where most containers say what is in them.
const HEAD: usize = 4_000;

fn check(container: &str) -> Vec<Outcome> {
    let whole = clip(container);
    let size = whole.len();
    let mut seed = Seed(5);
    let mut inputs = vec![
        ("whole", whole.to_vec()),
        ("cut at a tenth", whole[..size / 10].to_vec()),
        ("cut in the middle", whole[..size / 2].to_vec()),
        ("cut near the end", whole[..size - size / 20].to_vec()),
        ("without its beginning", whole[size / 3..].to_vec()),
        ("twice", whole.repeat(2)),
    ];
    inputs.push(("second half random", [&whole[..size / 2], &seed.bytes(size / 2)].concat()));
    inputs.push(("hole of zeros", [&whole[..size / 3], &vec![0; size / 6], &whole[size / 2..]].concat()));
    inputs.push(("noise in a hundredth", noisy(&whole, 0..size, size / 100, &mut seed)));
    inputs.push(("noise in the body", noisy(&whole, HEAD.min(size)..size, size / 100, &mut seed)));
    inputs.push(("noise in the head", noisy(&whole, 0..HEAD.min(size), 200, &mut seed)));
    inputs.push(("a little noise in the head", noisy(&whole, 0..HEAD.min(size), 20, &mut seed)));
    let tried = inputs.into_iter().map(|(name, bytes)| {
        let outcome = try_bytes(&format!("{container}, {name}"), &bytes);
        let outcome = if name == "whole" { outcome.must_be_made() } else { outcome };
        outcome.lasts_at_most(if name.ends_with("head") { BY_HEAD } else { AT_MOST })
    });
    tried.collect()
}

fn noisy(whole: &[u8], place: std::ops::Range<usize>, count: usize, seed: &mut Seed) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..count {
        bytes[place.start + seed.below(place.len())] = seed.byte();
    }
    bytes
}

#[test]
fn mp4_survives() {
    judge(check("mp4"));
}

#[test]
fn mkv_survives() {
    judge(check("mkv"));
}

#[test]
fn webm_survives() {
    judge(check("webm"));
}

#[test]
fn avi_survives() {
    judge(check("avi"));
}

#[test]
fn flv_survives() {
    judge(check("flv"));
}

#[test]
fn gif_survives() {
    judge(check("gif"));
}

#[test]
fn mp3_survives() {
    judge(check("mp3"));
}

#[test]
fn mpeg_ts_survives() {
    judge(check("ts"));
}

#[test]
fn mpeg_ps_survives() {
    judge(check("mpg"));
}
