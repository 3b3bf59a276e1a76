//! Limits the requests of a credential and the failed sign-ins from an address.

use std::net::IpAddr;
use std::num::NonZeroU32;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::auth::Peer;
use crate::settings::Limits;

/// Counts requests by credential, and failed sign-ins by address.
pub(crate) struct RateLimits {
    requests: DefaultKeyedRateLimiter<String>,
    failures: DefaultKeyedRateLimiter<Option<IpAddr>>,
}

impl RateLimits {
    pub(crate) fn new(limits: &Limits) -> RateLimits {
        let at_least_one = |number: u32| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
        let (second, burst) = limits.requests;
        let requests = Quota::per_second(at_least_one(second)).allow_burst(at_least_one(burst));
        let failures = Quota::per_minute(at_least_one(limits.failed_sign_ins));
        RateLimits { requests: RateLimiter::keyed(requests), failures: RateLimiter::keyed(failures) }
    }

    /// Whether a credential may send another request.
    pub(crate) fn allows_request(&self, credential: &String) -> bool {
        self.requests.check_key(credential).is_ok()
    }

    /// Counts a failed sign-in and returns whether the limit is not exceeded yet. Valid tokens are never
    /// affected by failures from the same address.
    pub(crate) fn allows_failure(&self, peer: Peer) -> bool {
        let address = match peer {
            Peer::Tcp(address) => Some(address.ip().to_canonical()),
            Peer::Unix(_) => None,
        };
        self.failures.check_key(&address).is_ok()
    }

    /// Drops idle entries.
    pub(crate) fn prune(&self) {
        self.requests.retain_recent();
        self.failures.retain_recent();
    }
}
