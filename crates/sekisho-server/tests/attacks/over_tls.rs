//! The same attacks over TLS: the test files of TCP, with another transport.
#![expect(clippy::duplicate_mod, reason = "each test is written once and runs over both transports")]

#[path = "answers.rs"]
mod answers;
#[path = "bodies.rs"]
mod bodies;
#[path = "doubled.rs"]
mod doubled;
#[path = "dressing.rs"]
mod dressing;
#[path = "framing.rs"]
mod framing;
#[path = "guessing.rs"]
mod guessing;
#[path = "hosts.rs"]
mod hosts;
#[path = "neighbours.rs"]
mod neighbours;
#[path = "origins.rs"]
mod origins;
#[path = "reviewed.rs"]
mod reviewed;
#[path = "../roles.rs"]
mod roles;
#[path = "slow.rs"]
mod slow;
#[path = "targets.rs"]
mod targets;

type House = crate::harness::sockets::TestServerOver<crate::transport::Tls>;
