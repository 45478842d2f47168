//! What a trusted proxy says in its `X-Forwarded-*` headers.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName};

use super::TrustedProxies;

/// The last address before our own proxies. Each proxy adds whom it saw at the end; what stands further to the left
/// than the first stranger was written by that stranger.
pub(super) fn client(peer: IpAddr, headers: &HeaderMap, proxies: &TrustedProxies) -> IpAddr {
    let mut nearest = peer;
    for hop in values(headers, "x-forwarded-for").rev() {
        let Some(address) = address(hop) else { break };
        nearest = address;
        if !proxies.include(address) {
            break;
        }
    }
    nearest
}

/// The address that the browser shows. A proxy that says neither scheme nor host may have put its own idea of a host
/// into `Host`, as nginx does, so that this one alone is no answer.
pub(super) fn farm(headers: &HeaderMap) -> Option<String> {
    let scheme = values(headers, "x-forwarded-proto").next_back().map(str::to_ascii_lowercase);
    let host = values(headers, "x-forwarded-host").next_back();
    if scheme.is_none() && host.is_none() {
        return None;
    }
    let scheme = scheme.unwrap_or_else(|| "http".to_owned());
    let host: Authority = match host {
        Some(host) => host.parse().ok()?,
        None => headers.get(HOST)?.to_str().ok()?.parse().ok()?,
    };
    let plain = matches!(scheme.as_str(), "http" | "https") && !host.as_str().contains('@');
    // As browsers write it in `Origin`: lower case, without the usual port.
    let url = plain.then(|| reqwest::Url::parse(&format!("{scheme}://{host}")).ok()).flatten()?;
    Some(url.origin().ascii_serialization())
}

/// The elements of a header that may come as several lines, a list, or both.
fn values<'a>(headers: &'a HeaderMap, name: &'static str) -> impl DoubleEndedIterator<Item = &'a str> {
    let lines: Vec<_> = headers.get_all(HeaderName::from_static(name)).iter().collect();
    let texts = lines.into_iter().map(|line| line.to_str().unwrap_or_default());
    texts.flat_map(|text| text.split(',')).map(str::trim).filter(|text| !text.is_empty())
}

/// Some proxies add the port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let address: Option<IpAddr> = text.parse().ok().or_else(with_port).or_else(bare);
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in lines {
            map.append(*name, value.parse().unwrap());
        }
        map
    }

    #[test]
    fn the_client_is_the_first_stranger_from_the_right() {
        let proxies = "10.0.0.0/8,fd00::/8".parse().unwrap();
        let peer = "10.0.0.1".parse().unwrap();
        for (lines, expected) in [
            (&[][..], "10.0.0.1"),
            (&["192.0.2.7"], "192.0.2.7"),
            // Forged by the client, then the truth by the proxy, in one line or in another.
            (&["1.1.1.1, 192.0.2.7"], "192.0.2.7"),
            (&["1.1.1.1", "192.0.2.7"], "192.0.2.7"),
            (&["127.0.0.1, 10.9.9.9, 192.0.2.7"], "192.0.2.7"),
            // Through two and three of ours.
            (&["1.1.1.1, 192.0.2.7, 10.0.0.2"], "192.0.2.7"),
            (&["192.0.2.7,fd00::5", "10.0.0.2"], "192.0.2.7"),
            // All are ours: the one that is furthest away.
            (&["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            // What is no address is nobody's word.
            (&["192.0.2.7, unknown, 10.0.0.2"], "10.0.0.2"),
            (&["_hidden"], "10.0.0.1"),
            (&["", " , "], "10.0.0.1"),
            (&["192.0.2.7:4711"], "192.0.2.7"),
            (&["[2001:db8::1]:4711"], "2001:db8::1"),
            (&["[2001:db8::1]"], "2001:db8::1"),
            (&["::ffff:192.0.2.7"], "192.0.2.7"),
        ] {
            let lines: Vec<_> = lines.iter().map(|line| ("x-forwarded-for", *line)).collect();
            assert_eq!(client(peer, &headers(&lines), &proxies).to_string(), expected, "{lines:?}");
        }
    }

    #[test]
    fn the_address_is_what_the_nearest_proxy_says() {
        let (scheme, host) = ("x-forwarded-proto", "x-forwarded-host");
        for (lines, expected) in [
            (&[("host", "a.example")][..], None),
            (&[("host", "a.example"), (scheme, "https")], Some("https://a.example")),
            (
                &[("host", "inner:8080"), (scheme, "HTTPS"), (host, "A.example:443")],
                Some("https://a.example"),
            ),
            (&[(host, "a.example:8443")], Some("http://a.example:8443")),
            (&[(host, "evil.example, a.example"), (scheme, "http, https")], Some("https://a.example")),
            (&[(host, "[2001:db8::1]:81")], Some("http://[2001:db8::1]:81")),
            (&[(host, "me@a.example")], None),
            (&[(host, "a.example/path")], None),
            (&[(host, "a b")], None),
            (&[(host, "a.example"), (scheme, "javascript")], None),
            (&[(scheme, "https")], None),
        ] {
            assert_eq!(farm(&headers(lines)).as_deref(), expected, "{lines:?}");
        }
    }
}
