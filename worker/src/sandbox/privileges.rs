//! What the child has as the user it runs as.

use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, set_capabilities, set_no_new_privs,
};

use super::MissingLayer;

pub(super) fn forbid_new() -> Result<(), MissingLayer> {
    set_no_new_privs(true).map_err(|error| MissingLayer::of("no_new_privs", &error.into()))
}

/// Without this, root could raise its limits again, change the owner of any file, or open one by its handle.
pub(super) fn drop_all() -> Result<(), MissingLayer> {
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    clear_ambient_capability_set()
        .and_then(|()| set_capabilities(None, sets))
        .map_err(|error| MissingLayer::of("capabilities", &error.into()))
}
