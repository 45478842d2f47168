//! What this worker tells the farm of itself.

use serde_json::{Value, json};

use super::Options;

pub(super) fn of(options: &Options) -> Value {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    json!({ "cores": cores, "slots": options.slots, "version": env!("CARGO_PKG_VERSION") })
}
