//! Which URLs of webhooks and files are accepted.
//!
//! The parser is the one that browsers and our HTTP client follow: `2130706433`, `0x7f.1`, `0177.0.0.1` and full-width
//! digits have become `127.0.0.1` by the time anything here looks at them.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

use super::address::why_not;
use super::allow::AllowList;

/// The most characters of a URL.
const LONGEST: usize = 2048;

/// Ports above 1023 where other protocols listen that a request could be mistaken for: databases, caches, control
/// planes, remote shells, and those that browsers block.
const DENIED: &[u16] = &[
    1433, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 3659, 4045, 4190,
    5060, 5061, 5432, 5672, 5900, 5984, 5985, 5986, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669,
    6679, 6697, 8500, 9042, 9092, 9200, 9300, 10080, 10250, 10255, 11211, 26379, 27017,
];

/// Why no request is sent. The text never contains the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    words: String,
    passes: bool,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl Refusal {
    fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), passes: false }
    }

    /// Whether a retry can help: DNS lookups can fail temporarily.
    pub fn may_pass(&self) -> bool {
        self.passes
    }

    pub(super) fn forbidden(host: &str, why: &str) -> Self {
        Self::new(format!(
            "{host} is not a public address ({why}). To allow it, add it to alert_webhook_allow (for webhooks) or \
             intake_url_allow (for files)."
        ))
    }

    pub(super) fn unknown_name(host: &str, error: &std::io::Error) -> Self {
        Self { passes: true, ..Self::new(format!("Cannot resolve {host}: {error}.")) }
    }

    pub(super) fn no_address(host: &str) -> Self {
        Self { passes: true, ..Self::new(format!("{host} resolves to no address.")) }
    }
}

pub fn check_url(text: &str, allow: &AllowList) -> Result<Url, Refusal> {
    let refuse = |why: String| Err(Refusal::new(why));
    if text.len() > LONGEST {
        return refuse(format!("The URL must not be longer than {LONGEST} characters."));
    }
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return refuse("The URL must not contain spaces, line breaks or control characters.".to_owned());
    }
    let Ok(url) = Url::parse(text) else {
        return refuse("Invalid URL: enter https://, a host and a path.".to_owned());
    };
    if !matches!(url.scheme(), "http" | "https") {
        return refuse("The URL must start with https:// or http://.".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("The URL must not contain a user name or password.".to_owned());
    }
    let (host, port) = host_and_port(&url)?;
    if allow.has_host(&host, port) {
        return Ok(url);
    }
    if !is_ordinary(port) {
        return refuse(format!(
            "Port {port} is not allowed; use 443, 80, or a port from 1024 that no other well-known protocol uses."
        ));
    }
    match host.parse::<IpAddr>() {
        Ok(address) if !allow.has_address(address) => match why_not(address) {
            Some(why) => Err(Refusal::forbidden(&host, why)),
            None => Ok(url),
        },
        _ => Ok(url),
    }
}

fn is_ordinary(port: u16) -> bool {
    matches!(port, 80 | 443) || (port >= 1024 && !DENIED.contains(&port))
}

/// The host without brackets and without the dot that may end a name.
pub(super) fn host_and_port(url: &Url) -> Result<(String, u16), Refusal> {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let host = host.strip_suffix('.').unwrap_or(host);
    match url.port_or_known_default() {
        Some(port) if !host.is_empty() && port > 0 => Ok((host.to_owned(), port)),
        _ => Err(Refusal::new("The URL must have a host, and its port must not be 0.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Url, Refusal> {
        check_url(text, &AllowList::default())
    }

    #[test]
    fn ordinary_addresses_pass() {
        for text in [
            "https://hooks.slack.com/services/T0/B0/x",
            "http://example.org:8080/hook?a=b",
            "https://203.0.114.1/",
            "https://[2606:4700::1111]/x",
            "https://example.org:443",
        ] {
            assert!(check(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn ports_of_other_protocols_are_refused() {
        for port in
            [1, 22, 23, 25, 53, 81, 110, 139, 445, 465, 587, 993, 1023, 2375, 3306, 5432, 6379, 9200, 11211]
        {
            assert!(check(&format!("https://example.org:{port}/")).is_err(), "{port}");
        }
        assert!(check("https://example.org:0/").is_err());
    }

    #[test]
    fn a_refusal_does_not_repeat_the_address() {
        let error = check("https://user:hunter2@example.org/hunter2").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}
