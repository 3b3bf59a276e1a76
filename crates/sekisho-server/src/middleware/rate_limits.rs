//! How much one credential may ask for, and how often one address may be wrong about who it is.

use std::net::IpAddr;
use std::num::NonZeroU32;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::auth::Peer;
use crate::settings::Limits;

/// Counts requests of credentials, and failed attempts to come in.
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

    /// Whether a credential may go on.
    pub(crate) fn allows_request(&self, credential: &String) -> bool {
        self.requests.check_key(credential).is_ok()
    }

    /// Counts a failed attempt; whether there were not too many yet. Those who bring a good token never pay for those who
    /// do not, though they come from the same address.
    pub(crate) fn allows_failure(&self, peer: Peer) -> bool {
        let address = match peer {
            Peer::Tcp(address) => Some(address.ip().to_canonical()),
            Peer::Unix(_) => None,
        };
        self.failures.check_key(&address).is_ok()
    }

    /// Forgets those who have been quiet.
    pub(crate) fn prune(&self) {
        self.requests.retain_recent();
        self.failures.retain_recent();
    }
}
