//! Whether an address may be fetched at all. Needs no lookup.

use std::net::{IpAddr, Ipv4Addr};

use crate::tool_context::ToolContext;
use crate::web::{AddressRules, WebError, WebUrl, is_own_address};

/// Refuses what no rule and no human can permit: sekisho's own server, addresses that are not public, other ports, and
/// hosts that are not in the list of the tool's settings.
pub(super) fn check_destination(
    url: &WebUrl,
    rules: AddressRules,
    ctx: &ToolContext,
) -> Result<(), WebError> {
    let host = url.host();
    let forbidden = |why: &str| Err(WebError::Forbidden(format!("`{host}` {why}")));
    if is_own_address(url, &ctx.own_addresses) {
        return forbidden("is sekisho's own server, which is never fetched");
    }
    let address = url.address().or(url.is_local_name().then_some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    if address.is_some_and(|address| !rules.allows_address(address)) {
        return forbidden(
            "is not a public address; loopback, private, link-local and metadata addresses are never fetched",
        );
    }
    let listing = match &ctx.allowed_hosts {
        Some(hosts) => Listing::of(url, hosts),
        None => Listing::Host,
    };
    match listing {
        Listing::Port => Ok(()),
        Listing::Host if rules.allows_port(url.port()) => Ok(()),
        Listing::Host => forbidden(&format!("is fetched on ports 80 and 443 only, not on {}", url.port())),
        Listing::None => forbidden("is not in `allowed_hosts` of `web_fetch`"),
    }
}

/// How a list of hosts names a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Listing {
    None,
    /// By its host.
    Host,
    /// By its host and port.
    Port,
}

impl Listing {
    fn of(url: &WebUrl, hosts: &[String]) -> Listing {
        let (host, port) = (url.host(), url.port());
        let is_host = |name: &str| name.trim_end_matches('.').eq_ignore_ascii_case(&host);
        let named = hosts.iter().map(|entry| match entry.rsplit_once(':') {
            Some((name, number)) if is_host(name) && number.parse() == Ok(port) => Listing::Port,
            None if is_host(entry) => Listing::Host,
            _ => Listing::None,
        });
        named.max().unwrap_or(Listing::None)
    }
}
