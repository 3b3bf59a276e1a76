//! Who comes in: known by a token, by a cookie and the page it belongs to, or by being on the Unix socket; never by what they say.

mod cookie;
mod device;
mod doorkeeper;
mod identity;
mod issue;
mod secret;

pub(crate) use cookie::{cookie_of, set_cookie, unset_cookie};
pub(crate) use device::{said, says};
pub use doorkeeper::{Doorkeeper, FRESH};
pub use identity::{Identity, Peer};
pub use issue::{Made, Maker, NewToken, Revoked, new_link, new_token, revoke};
pub use secret::{LinkSecret, TokenSecret};
