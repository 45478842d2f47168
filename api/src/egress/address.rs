//! IP addresses that are not public, and why.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of the IANA registry of special purposes that are not globally reachable, and what a cloud keeps for itself.
const V4: &[(u32, u8, &str)] = &[
    (net(0, 0, 0, 0), 8, "this host"),
    (net(10, 0, 0, 0), 8, "private network"),
    (net(100, 64, 0, 0), 10, "carrier-grade NAT"),
    (net(127, 0, 0, 0), 8, "loopback"),
    (net(169, 254, 0, 0), 16, "link-local"),
    (net(172, 16, 0, 0), 12, "private network"),
    (net(192, 0, 0, 0), 24, "reserved"),
    (net(192, 0, 2, 0), 24, "documentation range"),
    (net(192, 31, 196, 0), 24, "reserved"),
    (net(192, 52, 193, 0), 24, "reserved"),
    (net(192, 88, 99, 0), 24, "6to4 relay"),
    (net(192, 168, 0, 0), 16, "private network"),
    (net(192, 175, 48, 0), 24, "reserved"),
    (net(198, 18, 0, 0), 15, "benchmarking range"),
    (net(198, 51, 100, 0), 24, "documentation range"),
    (net(203, 0, 113, 0), 24, "documentation range"),
    // Looks public, and is the host of a virtual machine at Azure.
    (net(168, 63, 129, 16), 32, "cloud-internal service"),
    (net(224, 0, 0, 0), 4, "multicast"),
    (net(240, 0, 0, 0), 4, "reserved"),
];

/// Within `2000::/3`; everything outside of it is not public anyway.
const V6: &[(u128, u8, &str)] = &[
    // Teredo, benchmarks, ORCHID and other protocols' own.
    (0x2001_0000 << 96, 23, "reserved for protocols"),
    (0x2001_0db8 << 96, 32, "documentation range"),
    (0x2002_0000 << 96, 16, "6to4"),
    (0x2620_004f_8000 << 80, 48, "reserved"),
    (0x3fff_0000 << 96, 20, "documentation range"),
];

const fn net(a: u32, b: u32, c: u32, d: u32) -> u32 {
    a << 24 | b << 16 | c << 8 | d
}

/// `None` for a public address.
pub fn why_not(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => v4(address),
        IpAddr::V6(address) => v6(address),
    }
}

fn v4(address: Ipv4Addr) -> Option<&'static str> {
    let bits = address.to_bits();
    V4.iter().find(|(network, length, _)| (bits ^ network) >> (32 - length) == 0).map(|(_, _, why)| *why)
}

fn v6(address: Ipv6Addr) -> Option<&'static str> {
    if let Some(mapped) = address.to_ipv4_mapped() {
        // Only systems that speak IPv4 through IPv6 know it; nobody writes it by accident.
        return Some(v4(mapped).unwrap_or("IPv4 embedded in IPv6"));
    }
    let bits = address.to_bits();
    if bits >> 125 != 1 {
        return Some(outside(address));
    }
    // ISATAP: an IPv4 address in the lower half.
    if matches!(address.segments()[4..6], [0 | 0x200, 0x5efe]) {
        return Some("IPv4 embedded in IPv6");
    }
    V6.iter().find(|(network, length, _)| (bits ^ network) >> (128 - length) == 0).map(|(_, _, why)| *why)
}

fn outside(address: Ipv6Addr) -> &'static str {
    match address.segments()[0] {
        _ if address.is_loopback() || address.is_unspecified() => "this host",
        0x0064 => "IPv4 embedded in IPv6",
        0xfe80..=0xfebf => "link-local",
        0xfc00..=0xfdff | 0xfec0..=0xfeff => "private network",
        0xff00..=0xffff => "multicast",
        _ => "reserved",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_borders_of_every_network_are_where_they_belong() {
        for (public, not_public) in [
            ("1.0.0.0", "0.255.255.255"),
            ("9.255.255.255", "10.0.0.0"),
            ("11.0.0.0", "10.255.255.255"),
            ("100.63.255.255", "100.64.0.0"),
            ("100.128.0.0", "100.127.255.255"),
            ("126.255.255.255", "127.0.0.0"),
            ("169.253.255.255", "169.254.0.0"),
            ("172.15.255.255", "172.16.0.0"),
            ("172.32.0.0", "172.31.255.255"),
            ("192.167.255.255", "192.168.0.0"),
            ("198.17.255.255", "198.18.0.0"),
            ("198.20.0.0", "198.19.255.255"),
            ("223.255.255.255", "224.0.0.0"),
            ("168.63.129.15", "168.63.129.16"),
            ("2000::1", "1fff:ffff::1"),
            ("2001:200::1", "2001:1ff::1"),
            ("2001:db9::1", "2001:db8::1"),
            ("2003::1", "2002:7f00:1::"),
            ("3ffe::1", "3fff::1"),
            ("2606:4700::1111", "4000::1"),
        ] {
            assert_eq!(why_not(public.parse().unwrap()), None, "{public}");
            assert!(why_not(not_public.parse().unwrap()).is_some(), "{not_public}");
        }
    }

    #[test]
    fn an_ipv4_address_inside_an_ipv6_one_is_no_way_in() {
        for text in [
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::7f00:1",
            "2001:0:7f00:1::",
            "2002:7f00:1::",
            "2606:4700::5efe:7f00:1",
            "2606:4700::200:5efe:7f00:1",
        ] {
            assert!(why_not(text.parse().unwrap()).is_some(), "{text}");
        }
    }
}
