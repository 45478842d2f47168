//! The cards of this machine, as ways to test.

use super::Tested;
use crate::gpu::{Inventory, Options};

/// Every way to every card that was chosen, and why there are no more of them.
pub async fn find(options: Options) -> (Vec<Tested>, Vec<String>) {
    let view = Inventory::open(options).await.now();
    let ways = view.cards.iter().flat_map(|seen| {
        let card = &seen.card;
        let name = card.name.clone();
        card.kinds.iter().map(move |kind| Tested { kind: *kind, id: card.way(*kind), name: name.clone() })
    });
    (ways.collect(), view.missing.clone())
}
