//! A file with something of everything, copied to a real server.
#![expect(clippy::unwrap_used, reason = "tests")]

mod comparing;
mod filling;
mod moving;
mod refusing;
#[path = "../pg/world.rs"]
#[expect(dead_code, reason = "other tests begin with a store")]
mod world;
