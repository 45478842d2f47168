//! Where a request came from and under which address it was sent, also behind reverse proxies.
//!
//! Whoever connects can write any forwarded header, so only those of a trusted proxy (`trusted_proxies`) are read:
//! `X-Forwarded-For`, `-Proto` and `-Host`. The newer `Forwarded` is not: a proxy that adds only one of the two would let
//! its clients forge the other.

mod forwarded;
mod host;
mod network;
mod public_url;
mod trusted_proxies;

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, Request};
use axum::http::header::{FORWARDED, HeaderName, VIA};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Version};

pub use host::{HostNames, ServedAt};
pub use network::network;
pub use public_url::PublicUrl;
pub use trusted_proxies::TrustedProxies;

/// The same list of addresses and networks, for other settings.
pub type Networks = TrustedProxies;

use crate::config::Settings;

/// One request, seen from outside of our proxies.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, Default)]
pub struct Visit {
    /// Unknown where there is no connection: tests call the router directly.
    pub client: Option<IpAddr>,
    /// A proxy that is trusted brought it.
    pub by_trusted_proxy: bool,
    /// A proxy that is not trusted may have brought it: then `client` is that proxy, and whoever is behind it is unknown.
    pub by_unknown_proxy: bool,
    /// It was sent to a name that the farm does not have.
    pub to_strange_host: bool,
    /// The connection to us is encrypted.
    pub by_tls: bool,
    /// It was sent to `localhost` or a loopback address.
    pub to_this_machine: bool,
    /// Scheme and host without a slash at the end, if the settings or a trusted proxy tell.
    pub farm: Option<String>,
}

impl Visit {
    pub fn of(request: &Request, settings: &Settings) -> Self {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|from| from.0.ip());
        let served_at = request.extensions().get::<ServedAt>().copied();
        let mut visit = Self::seen(peer, request.headers(), served_at, settings);
        // What browsers and scrapers do not speak, and many proxies do.
        visit.by_unknown_proxy |= !visit.by_trusted_proxy && request.version() == Version::HTTP_10;
        visit
    }

    fn seen(
        peer: Option<IpAddr>,
        headers: &HeaderMap,
        served_at: Option<ServedAt>,
        settings: &Settings,
    ) -> Self {
        let proxies = &settings.trusted_proxies;
        let peer = peer.map(|address| address.to_canonical());
        let told = peer.is_some_and(|peer| proxies.include(peer));
        Self {
            by_trusted_proxy: told,
            by_unknown_proxy: !told && came_by_a_proxy(peer, headers, served_at),
            by_tls: served_at.is_some_and(|at| at.tls),
            to_this_machine: host::is_this_machine(headers),
            to_strange_host: !told && !host::is_ours(headers, served_at, settings),
            client: peer.map(|peer| if told { forwarded::client(peer, headers, proxies) } else { peer }),
            farm: settings.public_url.get().map(str::to_owned).or_else(|| {
                let told = told.then(|| forwarded::farm(headers));
                told.flatten()
            }),
        }
    }

    /// The whole address of a path where it is known; the path alone serves as well, relative to what was called.
    pub fn link(&self, path: &str) -> String {
        format!("{}{path}", self.farm.as_deref().unwrap_or_default())
    }

    /// The client's own connection is encrypted.
    pub fn is_https(&self) -> bool {
        let told = self.farm.as_ref().is_some_and(|farm| farm.starts_with("https://"));
        told || (self.by_tls && !self.by_trusted_proxy)
    }
}

/// A proxy leaves traces: headers of its own, or beside us the name and port that its client asked for.
fn came_by_a_proxy(peer: Option<IpAddr>, headers: &HeaderMap, served_at: Option<ServedAt>) -> bool {
    const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
    let named = [FORWARDED_FOR, FORWARDED, VIA].iter().any(|name| headers.contains_key(name));
    named || (peer.is_some_and(|peer| peer.is_loopback()) && !host::is_straight(headers, served_at))
}

impl<S: Sync> FromRequestParts<S> for Visit {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(settings: &Settings, peer: &str, headers: &[(&'static str, &'static str)]) -> Visit {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        Visit::seen(peer.parse().ok(), &map, None, settings)
    }

    const TOLD: [(&str, &str); 3] =
        [("x-forwarded-for", "192.0.2.7"), ("x-forwarded-proto", "https"), ("x-forwarded-host", "a.example")];

    #[test]
    fn nobody_is_trusted_unless_named() {
        let settings = Settings::defaults().unwrap();
        for peer in ["127.0.0.1", "::1", "10.0.0.1"] {
            let visit = visit(&settings, peer, &TOLD);
            assert_eq!(visit.client.unwrap().to_string(), peer);
            assert_eq!((visit.farm.as_deref(), visit.is_https()), (None, false));
            assert_eq!(visit.link("/api/uploads/1"), "/api/uploads/1");
        }
    }

    #[test]
    fn a_trusted_proxy_tells_the_client_and_the_address() {
        let mut settings = Settings::defaults().unwrap();
        settings.trusted_proxies = "10.0.0.0/8".parse().unwrap();
        // A socket that takes both families shows IPv4 in the clothes of IPv6.
        for peer in ["10.0.0.1", "::ffff:10.0.0.1"] {
            let visit = visit(&settings, peer, &TOLD);
            assert_eq!(visit.client.unwrap().to_string(), "192.0.2.7");
            assert_eq!(visit.link("/x"), "https://a.example/x");
            assert!(visit.is_https());
        }
        assert_eq!(visit(&settings, "11.0.0.1", &TOLD).client.unwrap().to_string(), "11.0.0.1");
    }

    #[test]
    fn who_comes_right_to_us_by_tls_speaks_https() {
        let mut settings = Settings::defaults().unwrap();
        settings.trusted_proxies = "10.0.0.1".parse().unwrap();
        let at = |tls| Some(ServedAt { address: "192.0.2.1:8080".parse().unwrap(), tls });
        let is_https = |peer: &str, scheme: &'static str, tls| {
            let headers = HeaderMap::from_iter([
                (HeaderName::from_static("x-forwarded-proto"), scheme.parse().unwrap()),
                (axum::http::header::HOST, "a.example".parse().unwrap()),
            ]);
            Visit::seen(peer.parse().ok(), &headers, at(tls), &settings).is_https()
        };
        assert!(is_https("192.0.2.9", "http", true));
        assert!(!is_https("192.0.2.9", "https", false));
        // A proxy may encrypt what came to it in the clear.
        assert!(!is_https("10.0.0.1", "http", true));
        assert!(is_https("10.0.0.1", "https", false));
    }

    #[test]
    fn the_setting_wins_over_what_a_proxy_tells() {
        let mut settings = Settings::defaults().unwrap();
        settings.public_url = "https://farm.example.org/".parse().unwrap();
        settings.trusted_proxies = "10.0.0.1".parse().unwrap();
        for peer in ["10.0.0.1", "10.0.0.2"] {
            let visit = visit(&settings, peer, &[("x-forwarded-host", "evil.example")]);
            assert_eq!(visit.link("/x"), "https://farm.example.org/x");
        }
    }
}
