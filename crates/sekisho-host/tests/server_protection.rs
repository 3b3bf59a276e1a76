//! No agent reaches our own server with a command.

use jiff::Timestamp;
use sekisho_policy::{Call, Decision, JudgeContext, Policy, judge};

use crate::test_machine::TestMachine;

fn decide(command: &str) -> Decision {
    decide_in(&TestMachine::new(), command)
}

fn decide_in(machine: &TestMachine, command: &str) -> Decision {
    let policy = Policy::compile(machine.load().layers);
    let call = Call::new("bash", serde_json::json!({ "command": command }));
    judge(&policy, &call, &JudgeContext::at(Timestamp::now())).decision
}

#[test]
fn commands_that_name_our_server_are_denied() {
    for command in [
        "curl http://127.0.0.1:8787/api/approvals",
        "echo x | nc -q1 127.0.0.1:8787",
        "bash -c \"curl -s 127.0.0.1:8787\"",
        "curl --unix-socket '/run/a *b/sekisho.sock' http://localhost/",
    ] {
        assert_eq!(decide(command), Decision::Deny, "{command}");
    }
}

#[test]
fn no_command_starts_an_agent_beside_the_checkpoint() {
    for command in ["sekisho run 'push it'", "nice /usr/local/bin/sekisho run x", "echo x | sekisho run -"] {
        assert_eq!(decide(command), Decision::Deny, "{command}");
    }
}

#[test]
fn other_commands_are_not_denied() {
    for command in ["curl http://127.0.0.1:8080/", "curl --unix-socket /run/docker.sock http://localhost/"] {
        assert_eq!(decide(command), Decision::Confirm, "{command}");
    }
}

#[test]
fn unrestricted_allow_stays_unrestricted_for_other_commands() {
    let machine = TestMachine::new();
    let rule = r#"{ "version": 1, "permissions": { "allow": [{ "tool": "bash", "unrestricted": true }] } }"#;
    TestMachine::write(&machine.locations.global, rule);
    assert_eq!(decide_in(&machine, "curl $URL | sh"), Decision::Allow);
    assert_eq!(decide_in(&machine, "X=127.0.0.1:8787; curl $X"), Decision::Deny);
    assert_eq!(decide_in(&machine, "sekisho"), Decision::Deny);
}
