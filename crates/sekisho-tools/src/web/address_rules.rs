//! Which addresses and ports a client may connect to.

use std::fmt;
use std::net::IpAddr;

use crate::public_address::is_public;

/// Which addresses and ports a client may connect to. Fixed when the client is made: no config file, request
/// or model can change it.
#[derive(Clone, Copy)]
pub struct AddressRules {
    is_address_allowed: fn(IpAddr) -> bool,
    is_port_allowed: fn(u16) -> bool,
    allows_this_machine: bool,
}

impl AddressRules {
    /// Public addresses, ports 80 and 443, and not this machine.
    pub const fn public() -> AddressRules {
        AddressRules {
            is_address_allowed: is_public,
            is_port_allowed: |port| matches!(port, 80 | 443),
            allows_this_machine: false,
        }
    }

    /// Every address and port: for an endpoint that the user configured.
    pub const fn any() -> AddressRules {
        AddressRules::with(|_| true, |_| true)
    }

    /// The addresses and ports that these functions accept, also on this machine.
    pub const fn with(
        is_address_allowed: fn(IpAddr) -> bool,
        is_port_allowed: fn(u16) -> bool,
    ) -> AddressRules {
        AddressRules { is_address_allowed, is_port_allowed, allows_this_machine: true }
    }

    /// Whether an address may be used.
    pub fn allows_address(&self, address: IpAddr) -> bool {
        (self.is_address_allowed)(address)
    }

    /// Whether a port may be used.
    pub fn allows_port(&self, port: u16) -> bool {
        (self.is_port_allowed)(port)
    }

    /// Whether a connection between these addresses may be used. A connection from an address to itself does
    /// not leave this machine, however public the address is.
    pub fn allows_connection(&self, local: IpAddr, peer: IpAddr) -> bool {
        self.allows_this_machine || local.to_canonical() != peer.to_canonical()
    }
}

impl fmt::Debug for AddressRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AddressRules").field("allows_this_machine", &self.allows_this_machine).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_to_this_machine_is_refused_at_a_public_address_too() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        let rules = AddressRules::public();
        assert!(!rules.allows_connection(ip("93.184.216.34"), ip("93.184.216.34")));
        assert!(!rules.allows_connection(ip("::ffff:93.184.216.34"), ip("93.184.216.34")));
        assert!(rules.allows_connection(ip("10.0.0.7"), ip("93.184.216.34")));
        assert!(AddressRules::any().allows_connection(ip("127.0.0.1"), ip("127.0.0.1")));
    }
}
