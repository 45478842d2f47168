//! Under which name a request was sent, against pages that point a name of their own at this machine (DNS rebinding).

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::HeaderMap;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use reqwest::Url;

use crate::config::Settings;

/// Where a client connected to us.
#[derive(Clone, Copy, Debug)]
pub struct ServedAt {
    /// Of ours.
    pub address: SocketAddr,
    /// The connection is encrypted.
    pub tls: bool,
}

impl ServedAt {
    /// Whether a request that names this host was sent to this port.
    fn has_port_of(self, host: &Host) -> bool {
        self.address.port() == host.port.unwrap_or(if self.tls { 443 } else { 80 })
    }
}

/// The setting `allowed_hosts`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostNames(Vec<String>);

impl FromStr for HostNames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.map(name).collect::<Result<_, _>>().map(Self)
    }
}

fn name(text: &str) -> Result<String, String> {
    let has_port = text.contains(':') && !text.ends_with(']');
    let host = Url::parse(&format!("http://{text}/"))
        .ok()
        .filter(|url| !has_port && url.path() == "/" && url.username().is_empty() && url.query().is_none());
    let host = host.and_then(|url| url.host_str().map(str::to_owned));
    host.ok_or_else(|| {
        format!("`{text}` is not a host name: use a form like farm.example.org, without port or path")
    })
}

impl fmt::Display for HostNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

/// What the header `Host` says.
struct Host {
    name: String,
    port: Option<u16>,
}

impl Host {
    fn of(headers: &HeaderMap) -> Option<Self> {
        let authority: Authority = headers.get(HOST)?.to_str().ok()?.parse().ok()?;
        Some(Self { name: authority.host().to_ascii_lowercase(), port: authority.port_u16() })
    }

    fn address(&self) -> Option<IpAddr> {
        self.name.trim_start_matches('[').trim_end_matches(']').parse().ok()
    }

    /// A name that can mean no other machine.
    fn is_this_machine(&self) -> bool {
        let own = |name: &str| name == "localhost" || name.ends_with(".localhost");
        own(self.name.trim_end_matches('.'))
            || self.address().is_some_and(|ip| ip.to_canonical().is_loopback())
    }

    fn is_named_in(&self, settings: &Settings) -> bool {
        let public = settings.public_url.get().and_then(|url| Url::parse(url).ok());
        let public = public.as_ref().and_then(Url::host_str);
        public == Some(&self.name) || settings.allowed_hosts.0.contains(&self.name)
    }
}

/// Whether the farm answers under the name that this request was sent to. An address is no name that somebody else could
/// point here. Of other names, those that the settings tell are ours; without `allowed_hosts` the others are refused only
/// where they can come from nobody but a browser on this machine: sent right to a loopback address.
pub(super) fn is_ours(headers: &HeaderMap, served_at: Option<ServedAt>, settings: &Settings) -> bool {
    let Some(host) = Host::of(headers) else { return true };
    if host.address().is_some() || host.is_this_machine() || host.is_named_in(settings) {
        return true;
    }
    let straight_here = |at: ServedAt| at.address.ip().to_canonical().is_loopback() && at.has_port_of(&host);
    settings.allowed_hosts.0.is_empty() && !served_at.is_some_and(straight_here)
}

/// Whether a request was sent to a name that is this machine's own on every machine.
pub(super) fn is_this_machine(headers: &HeaderMap) -> bool {
    Host::of(headers).is_some_and(|host| host.is_this_machine())
}

/// Whether a request from a loopback address was sent right to us and not through a proxy beside us, which would pass on
/// the name or the port that its own client asked for.
pub(super) fn is_straight(headers: &HeaderMap, served_at: Option<ServedAt>) -> bool {
    Host::of(headers)
        .is_some_and(|host| host.is_this_machine() && served_at.is_none_or(|at| at.has_port_of(&host)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(host: &str) -> HeaderMap {
        HeaderMap::from_iter([(HOST, host.parse().unwrap())])
    }

    fn at(address: &str) -> ServedAt {
        ServedAt { address: address.parse().unwrap(), tls: false }
    }

    #[test]
    fn a_strange_name_that_was_sent_right_to_this_machine_is_refused() {
        let settings = Settings::defaults().unwrap();
        for (host, ours) in [
            ("localhost:8080", true),
            ("LOCALHOST.:8080", true),
            ("farm.localhost:8080", true),
            ("127.0.0.1:8080", true),
            ("[::1]:8080", true),
            ("192.0.2.1:8080", true),
            ("evil.example:8080", false),
            ("localhost.evil.example:8080", false),
            // Through a proxy that passes the name on.
            ("farm.example.org", true),
        ] {
            assert_eq!(is_ours(&asked(host), Some(at("127.0.0.1:8080")), &settings), ours, "{host}");
            assert!(is_ours(&asked(host), Some(at("192.0.2.1:8080")), &settings), "{host}");
        }
        assert!(is_ours(&HeaderMap::new(), Some(at("127.0.0.1:8080")), &settings));
    }

    #[test]
    fn names_that_are_set_are_ours_and_then_no_others() {
        let mut settings = Settings::defaults().unwrap();
        settings.public_url = "https://Farm.example.org".parse().unwrap();
        assert!(is_ours(&asked("farm.example.org:8080"), Some(at("127.0.0.1:8080")), &settings));
        settings.allowed_hosts = "farm.internal, Fünf.example".parse().unwrap();
        for (host, ours) in [
            ("farm.example.org", true),
            ("farm.internal:8080", true),
            ("xn--fnf-hoa.example", true),
            ("192.0.2.1", true),
            ("localhost", true),
            ("other.internal", false),
        ] {
            assert_eq!(is_ours(&asked(host), Some(at("192.0.2.1:8080")), &settings), ours, "{host}");
        }
        for text in ["farm:80", "http://farm", "a/b", "a b", "me@farm"] {
            assert!(text.parse::<HostNames>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_was_asked_of_another_port_or_name_came_through_a_proxy() {
        for (host, straight) in [
            ("localhost:8080", true),
            ("127.0.0.1:8080", true),
            ("127.0.0.1:9090", false),
            ("localhost", false),
            ("farm.example.org:8080", false),
            ("192.0.2.1:8080", false),
        ] {
            assert_eq!(is_straight(&asked(host), Some(at("127.0.0.1:8080"))), straight, "{host}");
        }
    }
}
