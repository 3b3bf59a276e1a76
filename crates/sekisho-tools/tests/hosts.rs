//! Programs that may reach listed hosts: through the proxy, and no other way.

use std::net::TcpListener;
use std::time::Duration;

use sekisho_tools::process::{self, ProgramRequest, SEARCH_PATH};
use sekisho_tools::sandbox::{Isolation, Sandbox};
use sekisho_tools::tool_context::NoOutput;
use sekisho_tools::{Network, SandboxSettings};
use tokio_util::sync::CancellationToken;

use crate::sandbox_fixture::{isolations, programs};

/// What the attacker says in a sandbox that may reach these hosts.
async fn attack(isolation: Isolation, hosts: &[&str], words: &[&str]) -> String {
    let mut command = vec![programs().attacker.clone().into_os_string()];
    command.extend(words.iter().map(std::ffi::OsString::from));
    let request = ProgramRequest {
        command,
        working_dir: "/".into(),
        working_dir_id: None,
        environment: Vec::new(),
        home: None,
        search_path: SEARCH_PATH.into(),
        settings: SandboxSettings {
            network: Network::Hosts(hosts.iter().copied().map(String::from).collect()),
            ..SandboxSettings::default()
        },
        timeout: Duration::from_secs(60),
        output_limit: 10_000,
    };
    let sandbox = Sandbox::at_level(&programs().helper, isolation);
    match process::run(&sandbox, request, &CancellationToken::new(), &NoOutput).await {
        Ok(outcome) => outcome.stdout.into_text(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_proxy_is_reached() {
    let outside = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = outside.local_addr().unwrap().port();
    let (address, listed) = (format!("127.0.0.1:{port}"), format!("localhost:{port}"));
    for isolation in isolations().into_iter().filter(|kind| *kind != Isolation::None) {
        let hosts = [listed.as_str(), "no-such-host.invalid"];
        for (words, expected) in [
            (&["ask_proxy", &listed][..], "has no public address"),
            (&["ask_proxy", "example.com:443"], "is not in the list of hosts"),
            (&["ask_proxy", "169.254.169.254:80"], "is not in the list of hosts"),
            (&["ask_proxy", "no-such-host.invalid:443"], "502 Bad Gateway"),
            (&["tcp", &address], "denied"),
            (&["tcp", "127.0.0.1:1"], "denied"),
            (&["tcp_listen"], "denied"),
            (&["udp", &address], "Operation not permitted"),
            (&["netlink"], "Operation not permitted"),
            (&["unix", "/run/no-such-socket"], "Operation not permitted"),
            (&["raw"], "Operation not permitted"),
            (&["packet"], "Operation not permitted"),
            (&["sctp"], "Operation not permitted"),
            (&["mptcp"], "Operation not permitted"),
            (&["vsock"], "Operation not permitted"),
        ] {
            let said = attack(isolation.clone(), &hosts, words).await;
            assert!(said.contains(expected), "{isolation:?}, {words:?}: {said}");
        }
    }
    outside.set_nonblocking(true).unwrap();
    assert!(outside.accept().is_err(), "nothing came out");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_namespaces_hosts_are_refused() {
    let said = attack(Isolation::None, &["example.com"], &["ask_proxy", "example.com:443"]).await;
    assert!(said.starts_with("network is not available in the sandbox here"), "{said}");
}
