//! Who comes in: known by a token, by a cookie, or by being on the Unix socket; never by what they say.

mod cookie;
mod doorkeeper;
mod identity;
mod secret;

pub(crate) use cookie::{cookie_of, set_cookie, unset_cookie};
pub use doorkeeper::Doorkeeper;
pub use identity::{Identity, Peer};
pub use secret::{LinkSecret, TokenSecret};
