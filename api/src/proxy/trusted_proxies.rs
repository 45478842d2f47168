//! The setting `trusted_proxies`.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

/// Addresses and networks of proxies whose forwarded headers count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn include(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl FromStr for TrustedProxies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(network).collect::<Result<_, _>>().map(Self)
    }
}

fn network(entry: &str) -> Result<IpNet, String> {
    let network = entry.parse().or_else(|_| entry.parse::<IpAddr>().map(IpNet::from)).map_err(|_| {
        format!("`{entry}` is not an IP address or network: use a form like 10.0.0.5, 10.0.0.0/8 or fd00::/8")
    })?;
    // Peers are compared as IPv4 where they are.
    let mapped = matches!(network, IpNet::V6(v6) if v6.addr().to_ipv4_mapped().is_some());
    if mapped {
        return Err(format!("`{entry}`: use the plain IPv4 form"));
    }
    Ok(network)
}

impl fmt::Display for TrustedProxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, network) in self.0.iter().enumerate() {
            write!(f, "{}{network}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_addresses_and_networks_is_read() {
        let proxies: TrustedProxies = " 10.0.0.0/8, 192.0.2.1 ,fd00::/8,".parse().unwrap();
        for (address, trusted) in [
            ("10.255.0.1", true),
            ("11.0.0.1", false),
            ("192.0.2.1", true),
            ("192.0.2.2", false),
            ("fd12::1", true),
            ("::1", false),
        ] {
            assert_eq!(proxies.include(address.parse().unwrap()), trusted, "{address}");
        }
        assert_eq!(proxies.to_string(), "10.0.0.0/8,192.0.2.1/32,fd00::/8");
        assert_eq!("".parse(), Ok(TrustedProxies::default()));
    }

    #[test]
    fn what_is_no_network_is_named() {
        for text in ["localhost", "10.0.0.0/33", "10.0.0.1;10.0.0.2", "*", "::ffff:10.0.0.1"] {
            let error = text.parse::<TrustedProxies>().unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }
}
