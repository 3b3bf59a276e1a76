//! Which addresses are on the public internet.
//!
//! A name can resolve to any address, so whoever connects on behalf of an agent checks the address itself.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A metadata service of a cloud at a public address.
const AZURE_METADATA: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

/// Whether an address is on the public internet. Everything special is not: loopback, private, link-local
/// with the metadata services of clouds, shared, documentation, multicast, and IPv6 forms of such addresses.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || address == AZURE_METADATA
        || (a == 100 && (64..128).contains(&b))
        || (a == 198 && (18..20).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99);
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    // Only 2000::/3 is public. In it, Teredo, 6to4 and documentation lead elsewhere; mapped and translated
    // IPv4 addresses are outside it.
    let [first, second, ..] = address.segments();
    let special = match first {
        0x2001 => second < 0x0200 || second == 0x0db8,
        0x2002 | 0x3fff => true,
        _ => false,
    };
    first & 0xe000 == 0x2000 && !special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_reached() {
        for (address, public) in [
            ("1.1.1.1", true),
            ("93.184.216.34", true),
            ("2606:4700::1111", true),
            ("127.0.0.1", false),
            ("127.9.9.9", false),
            ("0.0.0.0", false),
            ("10.0.0.1", false),
            ("172.16.0.1", false),
            ("192.168.1.1", false),
            ("169.254.169.254", false),
            ("168.63.129.16", false),
            ("168.63.129.17", true),
            ("100.64.0.1", false),
            ("100.100.100.200", false),
            ("192.0.0.192", false),
            ("198.18.0.1", false),
            ("100.127.255.255", false),
            ("100.128.0.1", true),
            ("172.32.0.1", true),
            ("0.1.2.3", false),
            ("192.88.99.1", false),
            ("192.0.2.1", false),
            ("198.51.100.1", false),
            ("203.0.113.1", false),
            ("198.20.0.1", true),
            ("224.0.0.1", false),
            ("239.255.255.250", false),
            ("240.0.0.1", false),
            ("255.255.255.255", false),
            ("::1", false),
            ("::", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:1.1.1.1", false),
            ("64:ff9b::7f00:1", false),
            ("64:ff9b:1::a00:1", false),
            ("::127.0.0.1", false),
            ("::ffff:0:7f00:1", false),
            ("100::1", false),
            ("fe80::1", false),
            ("fec0::1", false),
            ("fc00::1", false),
            ("fd00:ec2::254", false),
            ("2002:7f00:1::", false),
            ("2001::1", false),
            ("2001:0:7f00:1::", false),
            ("2001:20::1", false),
            ("2001:db8::1", false),
            ("3fff::1", false),
            ("2a00:1450:4001::1", true),
            ("ff02::1", false),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
        }
    }
}
