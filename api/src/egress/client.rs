//! An HTTP client that connects only to the addresses that were checked.

use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, ClientBuilder, redirect};

use super::Gate;

impl Gate {
    /// For one connection: no proxy that would look the name up again, no redirect, no pool that outlives the check.
    pub fn client(&self) -> ClientBuilder {
        Client::builder()
            .user_agent(concat!("framefarm/", env!("CARGO_PKG_VERSION")))
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            .pool_max_idle_per_host(0)
            .dns_resolver(std::sync::Arc::new(Pinned(self.addresses.clone())))
    }
}

/// Knows the checked addresses and nothing else, whatever name it is asked for.
struct Pinned(Vec<SocketAddr>);

impl Resolve for Pinned {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}
