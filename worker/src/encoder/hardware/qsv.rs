//! Intel, by its own runtime.

use super::{Aim, Options, profile};

/// The runtime keeps the distance in 16 bits.
const LONGEST_GOP: u16 = u16::MAX;

pub(super) fn ways(aim: Aim<'_>) -> Vec<Options> {
    let mut common: Options = vec![
        ("preset", preset(aim.preset).to_owned()),
        ("profile", profile(aim.codec).to_owned()),
        ("b", aim.usual_rate()),
        ("g", LONGEST_GOP.to_string()),
        ("forced_idr", "1".to_owned()),
    ];
    common.extend(aim.cap());
    let with = |more: Options| common.iter().cloned().chain(more).collect();
    // A quality together with a cap is its "quality-defined variable bit rate", which not every generation has.
    vec![
        with(vec![("global_quality", aim.quality_of_51().to_string()), ("bf", "2".to_owned())]),
        with(vec![("bf", "0".to_owned())]),
    ]
}

/// x264's words, as far as they go.
fn preset(word: &str) -> &str {
    match word {
        "ultrafast" | "superfast" => "veryfast",
        "placebo" => "veryslow",
        "veryfast" | "faster" | "fast" | "slow" | "slower" | "veryslow" => word,
        _ => "medium",
    }
}
