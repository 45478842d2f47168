//! The GPUs, as findings.

use framefarm_shared::gpu::{Gpu, GpuState};

use super::{Finding, Health, UsableCard};
use crate::gpu::Cards;

/// One for each card, or one that says why there is none.
pub(super) fn findings(cards: &Cards) -> Vec<Finding> {
    let missing = cards.missing().into_iter().map(|why| Finding::new("gpu", Health::Absent, why));
    cards.report().iter().map(finding).chain(missing).collect()
}

fn finding(card: &Gpu) -> Finding {
    let what = format!("{} {}", card.kind, card.name);
    if card.state != GpuState::Ready {
        let why = card.reason.as_deref().unwrap_or("no reason reported");
        return Finding::new(&what, Health::Bad, format!("{}: {why}", card.state))
            .advise("run `framefarm-worker gpu-selftest` for details, and see docs/gpu.md");
    }
    let encoders = card.encoders.iter().map(|encoder| {
        let on_card = if encoder.on_card { ", decodes and scales on the GPU" } else { "" };
        format!(
            "{} {:.0} fps at 1080p, up to {} pixels wide or high{on_card}",
            encoder.name, encoder.fps, encoder.max_side
        )
    });
    let sessions =
        card.session_limit.map_or_else(String::new, |limit| format!("; up to {limit} concurrent sessions"));
    Finding::new(&what, Health::Good, format!("{}{sessions}", encoders.collect::<Vec<_>>().join(", ")))
}

/// Those that could be used at the start.
pub(super) fn usable(cards: &Cards) -> Vec<UsableCard> {
    let usable = cards.report().into_iter().filter(|card| !card.encoders.is_empty());
    usable
        .map(|card| UsableCard {
            id: card.id,
            name: card.name,
            kind: card.kind,
            encoders: card.encoders.into_iter().map(|encoder| encoder.name).collect(),
        })
        .collect()
}
