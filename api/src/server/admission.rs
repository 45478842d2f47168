//! Who gets a connection: never more than there is room for, and nobody so many that others find none.
//!
//! An address may open connections while it has fewer of them than are free. So one alone gets half of the room, two get
//! a third each, and whoever comes next still finds as much as each of them has.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::config::Settings;
use crate::proxy::{TrustedProxies, network};

#[derive(Clone)]
pub(super) struct Admission(Arc<Shared>);

struct Shared {
    most: usize,
    /// Many clients come through them.
    proxies: TrustedProxies,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    all: usize,
    by_network: HashMap<IpAddr, usize>,
}

/// Held as long as its connection is open.
pub(super) struct Place {
    shared: Arc<Shared>,
    network: IpAddr,
}

impl Admission {
    pub(super) fn new(settings: &Settings) -> Self {
        let most = settings.connections.room();
        let proxies = settings.trusted_proxies.clone();
        Self(Arc::new(Shared { most, proxies, open: Mutex::default() }))
    }

    pub(super) fn admit(&self, peer: IpAddr) -> Option<Place> {
        let (shared, network) = (self.0.clone(), network(peer));
        {
            let mut open = shared.open();
            let free = shared.most.saturating_sub(open.all);
            let held = open.by_network.get(&network).copied().unwrap_or_default();
            let limited = !shared.proxies.include(peer.to_canonical());
            if free == 0 || (limited && held >= free) {
                return None;
            }
            open.all += 1;
            *open.by_network.entry(network).or_default() += 1;
        }
        Some(Place { shared, network })
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.shared.open();
        open.all -= 1;
        if let Some(held) = open.by_network.get_mut(&self.network) {
            *held -= 1;
            if *held == 0 {
                open.by_network.remove(&self.network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admission(most: usize) -> Admission {
        let mut settings = Settings::defaults().unwrap();
        settings.connections.connections = most;
        settings.trusted_proxies = "10.0.0.9".parse().unwrap();
        Admission::new(&settings)
    }

    fn all_of(admission: &Admission, address: &str) -> Vec<Place> {
        let peer = address.parse().unwrap();
        std::iter::from_fn(|| admission.admit(peer)).take(1_000).collect()
    }

    #[test]
    fn each_address_leaves_room_for_the_next() {
        let admission = admission(60);
        let one = all_of(&admission, "192.0.2.1");
        let two = all_of(&admission, "2001:db8::1");
        let same_house = all_of(&admission, "2001:db8::2");
        let three = all_of(&admission, "192.0.2.3");
        assert_eq!([one.len(), two.len(), same_house.len(), three.len()], [30, 15, 0, 8]);
        drop((one, two, three));
        assert_eq!(all_of(&admission, "192.0.2.4").len(), 30, "who left gave the room back");
    }

    #[test]
    fn a_trusted_proxy_may_use_all_the_room() {
        let admission = admission(60);
        let proxy = all_of(&admission, "::ffff:10.0.0.9");
        assert_eq!(proxy.len(), 60);
        assert!(all_of(&admission, "192.0.2.1").is_empty());
    }
}
