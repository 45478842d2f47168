//! The GPUs of this machine, as ways to test.

use super::Tested;
use crate::gpu::{Inventory, Options};

/// Every way to every GPU that was chosen, and why there are no more of them.
pub async fn find(options: Options) -> (Vec<Tested>, Vec<String>) {
    let view = Inventory::open(options).await.now();
    let ways = view.gpus.iter().flat_map(|seen| {
        let gpu = &seen.gpu;
        let name = gpu.name.clone();
        gpu.kinds.iter().map(move |kind| Tested { kind: *kind, id: gpu.way(*kind), name: name.clone() })
    });
    (ways.collect(), view.missing.clone())
}
