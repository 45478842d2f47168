//! What the child has as the user it runs as.

use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, set_capabilities, set_no_new_privs,
};

use super::Lack;

pub(super) fn forbid_new() -> Result<(), Lack> {
    set_no_new_privs(true).map_err(|error| Lack::of("no_new_privs", &error.into()))
}

/// Without this, root could raise its limits again, change the owner of any file, or open one by its handle.
pub(super) fn drop_all() -> Result<(), Lack> {
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    clear_ambient_capability_set()
        .and_then(|()| set_capabilities(None, sets))
        .map_err(|error| Lack::of("capabilities", &error.into()))
}
