//! Attacks on the HTTP server. Each attack has its own test.

mod answers;
mod bodies;
mod duplicate_headers;
mod response_headers;
mod framing;
mod credential_guessing;
mod host_header;
mod idle_connections;
mod shared_cookies;
mod cross_origin;
mod over_tls;
mod review_findings;
mod slow_clients;
mod path_traversal;
mod tls;

use crate::harness::sockets::TestServer;
