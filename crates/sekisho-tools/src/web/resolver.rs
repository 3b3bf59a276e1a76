//! Looks up the addresses of a name.

use std::io;
use std::net::IpAddr;

use sekisho_gate::ledger::BoxFuture;
use tokio::net::lookup_host;

/// Looks up names. It is asked once for each connection.
pub trait Resolver: Send + Sync {
    /// The addresses of a name.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The resolver of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move { Ok(lookup_host((host, 0)).await?.map(|address| address.ip()).collect()) })
    }
}
