//! Each hazard, where it applies and where it does not.

use super::*;
use crate::settings::{DemoMode, ListenAddress};

fn serving() -> ServerConfig {
    ServerConfig {
        listen: ListenAddress::USUAL,
        public_url: None,
        allow_hosts: Vec::new(),
        tls: None,
        socket: None,
        projects: Vec::new(),
        no_approvers: false,
        demo: DemoMode::Off,
        asks: true,
        timeout_s: 120,
        max_pending: 500,
        max_runs: 200,
        max_sub_agent_depth: 3,
        max_sub_agents: 50,
        max_rate: 200,
        max_connections: 16_384,
        purge_after: 30,
        log_format: None,
        log: crate::settings::LogLevel::Info,
        secrets: Vec::new(),
    }
}

fn seen() -> SafetyInputs {
    SafetyInputs {
        me: 1000,
        directories: Vec::new(),
        configs: Vec::new(),
        private: Vec::new(),
        policy: Vec::new(),
    }
}

fn owned(uid: u32, mode: u32) -> FileOwnership {
    FileOwnership { shown: "~/x".into(), uid, mode }
}

#[track_caller]
fn one(serving: &ServerConfig, seen: &SafetyInputs, somebody: bool, expected: &str) {
    let found = safety_warnings(serving, seen, somebody);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].sentence().contains(expected), "{found:?}");
}

#[test]
fn default_server_has_no_warnings() {
    let seen = SafetyInputs {
        directories: vec![owned(1000, 0o700), owned(0, 0o755), owned(0, 0o1777)],
        configs: vec![owned(1000, 0o644)],
        private: vec![owned(1000, 0o600)],
        ..seen()
    };
    assert!(safety_warnings(&serving(), &seen, true).is_empty());
}

#[test]
fn settings_that_are_off_or_open() {
    one(&ServerConfig { asks: false, ..serving() }, &seen(), true, "questions are off");
    let remote = ServerConfig { listen: "0.0.0.0:8787".parse().unwrap(), ..serving() };
    one(&remote, &seen(), true, "without TLS");
    let public_url = Some("https://a.example".parse().unwrap());
    assert!(safety_warnings(&ServerConfig { public_url, ..remote }, &seen(), true).is_empty());
    one(&ServerConfig { no_approvers: true, ..serving() }, &seen(), false, "--no-approvers");
    one(&serving(), &seen(), false, "sekisho token link");
    one(&serving(), &SafetyInputs { me: 0, ..seen() }, true, "runs as root");
}

#[test]
fn files_that_others_can_access() {
    for foreign in [owned(1000, 0o720), owned(1000, 0o702), owned(1001, 0o700)] {
        one(
            &serving(),
            &SafetyInputs { directories: vec![foreign.clone()], ..seen() },
            true,
            "chmod 700 ~/x",
        );
        one(&serving(), &SafetyInputs { configs: vec![foreign], ..seen() }, true, "decide what is allowed");
    }
    one(
        &serving(),
        &SafetyInputs { private: vec![owned(1000, 0o640)], ..seen() },
        true,
        "others may read ~/x",
    );
    one(
        &serving(),
        &SafetyInputs { policy: vec![Warning::Other { message: "a rule allows all".into() }], ..seen() },
        true,
        "a rule allows all",
    );
}
