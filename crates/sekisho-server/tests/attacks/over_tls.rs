//! The same attacks over TLS: the test files of TCP, with another transport.
#![expect(clippy::duplicate_mod, reason = "each test is written once and runs over both transports")]

#[path = "answers.rs"]
mod answers;
#[path = "bodies.rs"]
mod bodies;
#[path = "credential_guessing.rs"]
mod credential_guessing;
#[path = "cross_origin.rs"]
mod cross_origin;
#[path = "duplicate_headers.rs"]
mod duplicate_headers;
#[path = "framing.rs"]
mod framing;
#[path = "host_header.rs"]
mod host_header;
#[path = "path_traversal.rs"]
mod path_traversal;
#[path = "response_headers.rs"]
mod response_headers;
#[path = "review_findings.rs"]
mod review_findings;
#[path = "../roles.rs"]
mod roles;
#[path = "shared_cookies.rs"]
mod shared_cookies;
#[path = "slow_clients.rs"]
mod slow_clients;

type TestServer = crate::harness::socket_server::TestServerOver<crate::transport::Tls>;
