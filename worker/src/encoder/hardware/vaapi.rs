//! Intel and AMD, by the render node.

use super::{Aim, Options, profile};
use crate::encoder::video_encoder::NO_GOP;

pub(super) fn ways(aim: Aim<'_>) -> Vec<Options> {
    let mut common: Options =
        vec![("profile", profile(aim.codec).to_owned()), ("b", aim.usual_rate()), ("g", NO_GOP.to_string())];
    common.extend(aim.cap());
    let with = |more: Options| common.iter().cloned().chain(more).collect();
    let bf = |count: &str| ("bf", count.to_owned());
    let mode = |mode: &str| ("rc_mode", mode.to_owned());
    // Without a mode that keeps a cap a GPU is of no use here: players choose a quality by its cap.
    vec![
        with(vec![mode("QVBR"), ("global_quality", aim.quality_of_51().to_string()), bf("2")]),
        with(vec![mode("VBR"), bf("2")]),
        with(vec![mode("VBR"), bf("0")]),
    ]
}
