//! The agent as a process: how it starts, ends and is ended.

use std::io::Read;

use rustix::process::{Signal, kill_process};

use super::acp_session::{AcpSession, proxy_command, spawn_proxy};
use crate::serve::test_server::eventually;
use crate::test_home::TestHome;

/// Runs an agent whose editor sends nothing. Returns the exit code, and both outputs.
fn run(script: &str, variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let place = TestHome::new();
    let mut child = spawn_proxy(&place, &["--", "sh", "-c", script], variables);
    let _editor = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn exit_code_is_that_of_the_agent() {
    assert_eq!(
        run(r#"echo '{"method":"last words"}'; exit 7"#, &[]),
        (Some(7), "{\"method\":\"last words\"}\n".into(), String::new())
    );
    assert_eq!(run("kill -9 $$", &[]).0, Some(128 + 9));
    let output = TestHome::new().run(&["acp", "--", "no-such-agent"]);
    assert!(output.code == 1 && output.err.contains("`no-such-agent` cannot be started"), "{}", output.err);
    assert_eq!(TestHome::new().run(&["acp"]).code, 64);
}

#[test]
fn agent_does_not_get_the_token() {
    let secret = TestHome::new().run(&["token", "create", "--name", "x", "--role", "approver"]).out;
    let variables = [("SEKISHO_TOKEN", secret.trim()), ("OTHER", "passed on")];
    let (code, out, _) = run(r#"echo "{\"method\":\"[$SEKISHO_TOKEN] $OTHER\"}""#, &variables);
    assert_eq!((code, out.as_str()), (Some(0), "{\"method\":\"[] passed on\"}\n"));
}

#[test]
fn signals_reach_the_agent() {
    let script = r#"trap 'echo "{}"; exit 9' TERM; echo '{ }'; while :; do sleep 0.1; done"#;
    let place = TestHome::new();
    let mut child = spawn_proxy(&place, &["--", "sh", "-c", script], &[]);
    let mut out = child.stdout.take().unwrap();
    let mut ready = [0; 4];
    out.read_exact(&mut ready).unwrap();
    kill_process(rustix::process::Pid::from_child(&child), Signal::TERM).unwrap();
    let status = eventually("the proxy did not end", || child.try_wait().unwrap());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!((status.code(), rest.as_str()), (Some(9), "{}\n"));
}

#[test]
fn agent_ends_with_its_editor() {
    // The editor closes our input: the agent reads its end.
    let place = TestHome::new();
    let mut session = AcpSession::start(&place);
    session.editor_sends(b"{\"method\":\"hello\"}\n");
    session.agent_receives();
    assert_eq!(session.close_editor().code(), Some(0));
    // The editor closes our output: an agent that goes on is ended.
    let place = TestHome::new();
    let mut child = spawn_proxy(&place, &["--", "sh", "-c", "while :; do echo '{}'; done"], &[]);
    drop(child.stdout.take());
    let status = eventually("the proxy did not end", || child.try_wait().unwrap());
    // By our signal, or because nobody reads its output.
    assert!(matches!(status.code(), Some(143 | 141)), "{status}");
}

#[test]
fn line_that_is_too_long_ends_the_agent() {
    let (code, out, err) = run("echo '{}'; head -c 67108865 /dev/zero; echo; sleep 100", &[]);
    assert_eq!((code, out.as_str()), (Some(1), "{}\n"));
    assert!(err.contains("the agent sent a line of more than 67108864 bytes"), "{err}");
}

#[test]
fn processes_that_the_agent_leaves_behind_are_ended() {
    // They hold the pipe.
    let (mut reader, writer) = std::io::pipe().unwrap();
    let place = TestHome::new();
    let mut command =
        proxy_command(&place, &["--", "sh", "-c", "sleep 1000 >/dev/null & echo '{}'; exit 3"], &[]);
    command.stderr(writer);
    let mut child = command.spawn().unwrap();
    drop(command);
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let mut rest = String::new();
    reader.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}
