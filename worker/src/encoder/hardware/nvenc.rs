//! NVIDIA.

use framefarm_shared::ladder::VideoCodec;

use super::{Aim, Options, profile};
use crate::encoder::video_encoder::{NO_GOP, quality};

pub(super) fn ways(aim: Aim<'_>) -> Vec<Options> {
    let mut common: Options = vec![
        ("preset", preset(aim.preset).to_owned()),
        ("tune", "hq".to_owned()),
        ("rc", "vbr".to_owned()),
        ("cq", quality(aim.codec).to_string()),
        // Without it, two megabits are the aim and the quality is not.
        ("b", "0".to_owned()),
        ("g", NO_GOP.to_string()),
        ("forced-idr", "1".to_owned()),
    ];
    // AV1 has one profile here, and no option for it.
    if aim.codec != VideoCodec::Av1 {
        common.push(("profile", profile(aim.codec).to_owned()));
    }
    common.extend(aim.cap());
    let with = |more: &[(&'static str, &str)]| {
        let more = more.iter().map(|(name, value)| (*name, (*value).to_owned()));
        common.iter().cloned().chain(more).collect()
    };
    // Older GPUs have no B-frames for HEVC.
    vec![with(&[("spatial-aq", "1"), ("bf", "2")]), with(&[("bf", "0")])]
}

/// The nearest of NVIDIA's seven.
fn preset(word: &str) -> &'static str {
    match word {
        "ultrafast" => "p1",
        "superfast" => "p2",
        "medium" => "p5",
        "slow" => "p6",
        "slower" | "veryslow" | "placebo" => "p7",
        _ => "p4",
    }
}
