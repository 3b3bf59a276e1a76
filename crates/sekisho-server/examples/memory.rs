//! A server that keeps everything in memory, to try clients and fuzzers on: `cargo run -p sekisho-server
//! --example memory -- 8787`. Prints its address and a token for each role.
#![expect(clippy::unwrap_used, reason = "a program for tests")]

#[path = "../tests/harness/memory_ports.rs"]
#[expect(dead_code, reason = "the tests use the rest of it")]
mod memory_ports;
#[path = "../tests/harness/in_memory_server.rs"]
mod server;

use sekisho_server::Limits;

#[tokio::main]
async fn main() {
    let port = std::env::args().nth(1).map_or(0, |port| port.parse().unwrap());
    // A fuzzer is faster than any agent.
    let limits = Limits { requests: (100_000, 100_000), failed_sign_ins: 100_000, ..Limits::default() };
    let server = server::TestServer::start(port, limits).await;
    println!("listening http://{}", server.address);
    for (role, token) in &server.tokens {
        println!("{role} {token}");
    }
    std::future::pending::<()>().await;
}
