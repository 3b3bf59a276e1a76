//! Attacks on the HTTP server. Each attack has its own test.

mod answers;
mod bodies;
mod credential_guessing;
mod cross_origin;
mod duplicate_headers;
mod framing;
mod host_header;
mod idle_connections;
mod over_tls;
mod path_traversal;
mod response_headers;
mod review_findings;
mod shared_cookies;
mod slow_clients;
mod tls;

use crate::harness::socket_server::TestServer;
