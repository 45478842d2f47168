//! The settings `alert_webhook_allow` and `intake_url_allow`.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use reqwest::Url;

/// Private addresses that may be reached nevertheless.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowList(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    /// Every address in it, on the ordinary ports.
    Network(IpNet),
    /// This name or address on this port, whatever it resolves to.
    Place { host: String, port: u16 },
}

impl AllowList {
    pub(super) fn has_address(&self, address: IpAddr) -> bool {
        let is_in = |network: &IpNet| network.contains(&address) || network.contains(&address.to_canonical());
        self.0.iter().any(|entry| matches!(entry, Entry::Network(network) if is_in(network)))
    }

    pub(super) fn has_host(&self, wanted: &str, on: u16) -> bool {
        self.0
            .iter()
            .any(|entry| matches!(entry, Entry::Place { host, port } if host == wanted && *port == on))
    }
}

impl FromStr for AllowList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(read).collect::<Result<_, _>>().map(Self)
    }
}

fn read(entry: &str) -> Result<Entry, String> {
    if let Ok(network) = entry.parse().or_else(|_| entry.parse::<IpAddr>().map(IpNet::from)) {
        return Ok(Entry::Network(network));
    }
    place(entry).ok_or_else(|| {
        format!(
            "`{entry}` is not a network, an IP address or host:port; write 10.0.0.0/8, 10.0.0.5 or hooks.internal:8443"
        )
    })
}

/// Read as the URL of a webhook is, so that both are written alike afterwards.
fn place(entry: &str) -> Option<Entry> {
    let (_, port) = entry.rsplit_once(':')?;
    let port: u16 = port.parse().ok().filter(|port| *port > 0)?;
    let url = Url::parse(&format!("http://{entry}/")).ok()?;
    let plain = url.path() == "/" && url.username().is_empty() && url.password().is_none();
    let host = super::url::host_and_port(&url).ok()?.0;
    plain.then_some(Entry::Place { host, port })
}

impl fmt::Display for AllowList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, entry) in self.0.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "," })?;
            match entry {
                Entry::Network(network) => write!(f, "{network}")?,
                Entry::Place { host, port } if host.contains(':') => write!(f, "[{host}]:{port}")?,
                Entry::Place { host, port } => write!(f, "{host}:{port}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_addresses_and_places_are_read_and_written() {
        let list: AllowList = " 10.0.0.0/8, 192.168.1.5,Hooks.Internal:8443,[::1]:9000,".parse().unwrap();
        assert_eq!(list.to_string(), "10.0.0.0/8,192.168.1.5/32,hooks.internal:8443,[::1]:9000");
        assert_eq!(list.to_string().parse(), Ok(list.clone()));
        assert!(list.has_address("10.1.2.3".parse().unwrap()));
        assert!(list.has_address("::ffff:10.1.2.3".parse().unwrap()));
        assert!(!list.has_address("192.168.1.6".parse().unwrap()));
        assert!(list.has_host("hooks.internal", 8443) && list.has_host("::1", 9000));
        assert!(!list.has_host("hooks.internal", 8444) && !list.has_host("::1", 9001));
    }

    #[test]
    fn what_is_neither_is_named() {
        for text in
            ["10.0.0.0/33", "hooks.internal", "a b:1", "host:0", "host:99999", "u@host:80", "host:80/x"]
        {
            let error = text.parse::<AllowList>().unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }
}
