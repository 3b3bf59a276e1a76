//! HTTP requests to addresses that were checked, for `web_fetch` and `web_search`.
//!
//! A name is resolved once, every address is checked, and the connection goes to a checked address: there is
//! no second lookup that could answer differently. There are no cookies, no credentials, no proxy from the
//! environment, and no redirect that nobody looked at. Bytes and time are limited while they are used.

pub mod address_rules;
mod body;
pub mod client;
mod connection;
mod decompression;
mod error;
mod own_addresses;
mod read_limit;
pub mod resolver;
mod tls_settings;
mod web_url;

pub use address_rules::AddressRules;
pub use body::Body;
pub use client::{Response, WebClient};
pub use error::WebError;
pub use own_addresses::is_own_address;
pub use read_limit::{LimitedStream, ReadAllowance};
pub use resolver::{Resolver, SystemResolver};
pub use tls_settings::TlsSettings;
pub use web_url::WebUrl;
