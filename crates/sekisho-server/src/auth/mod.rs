//! Authentication: by a token, by a cookie together with its page's key, or by a Unix socket connection;
//! never by what a request claims.

mod authenticator;
mod cookie;
mod identity;
mod issuance;
mod secret;
mod user_agent;

pub use authenticator::{Authenticator, TOKEN_CACHE_TTL};
pub(crate) use cookie::{read_cookie, set_cookie, unset_cookie};
pub use identity::{Identity, Peer};
pub use issuance::{Issued, Issuer, NewToken, RevokeOutcome, new_link, new_token, revoke};
pub use secret::{LinkSecret, TokenSecret};
pub(crate) use user_agent::{browser_in_name, describe_browser};
