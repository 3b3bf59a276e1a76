//! An agent or an editor cannot block the proxy, or make it use memory without bounds.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use serde_json::json;

use super::acp_session::{AcpSession, Inbox, memory, proxy_command, request_line, spawn_proxy};
use crate::serve::test_server::eventually;
use crate::test_home::TestHome;

const MIB: usize = 1 << 20;
const LAST: &str = "{\"method\":\"last\"}\n";

#[test]
fn standard_error_that_nobody_reads_blocks_nothing() {
    // Each line that is dropped is a note.
    let script = r#"i=0; while [ $i -lt 5000 ]; do echo junk; i=$((i+1)); done; echo '{"method":"last"}'; cat >/dev/null"#;
    let place = TestHome::new();
    let mut child = spawn_proxy(&place, &["--", "sh", "-c", script], &[]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, LAST);
    let mut notes = String::new();
    drop(child.stdin.take());
    child.stderr.take().unwrap().read_to_string(&mut notes).unwrap();
    assert!(notes.contains(" lines were left out, because nobody read them\n"), "{}", notes.len());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn editor_that_is_gone_ends_the_proxy_though_standard_error_is_full() {
    let script = r#"i=0; while [ $i -lt 5000 ]; do echo junk; i=$((i+1)); done; echo '{"method":"last"}'; cat >/dev/null"#;
    let place = TestHome::new();
    let mut child = spawn_proxy(&place, &["--", "sh", "-c", script], &[]);
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    drop(child.stdin.take());
    let status = eventually("the proxy did not end", || child.try_wait().unwrap());
    assert_eq!((line.as_str(), status.code()), (LAST, Some(0)));
}

#[test]
fn joined_standard_error_carries_messages_only() {
    let script =
        r#"echo '{"id":1,"method":"session/request_permission"}' >&2; echo junk; echo '{"method":"last"}'"#;
    let (mut reader, writer) = std::io::pipe().unwrap();
    let place = TestHome::new();
    let mut command = proxy_command(&place, &["--", "sh", "-c", script], &[]);
    command.stderr(writer.try_clone().unwrap()).stdout(writer);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut read = String::new();
    reader.read_to_string(&mut read).unwrap();
    child.wait().unwrap();
    assert_eq!(read, LAST);
}

/// The editor closes one direction of its socket while lines wait for an agent that reads nothing.
#[test]
fn half_closed_socket_ends_an_agent_that_reads_nothing() {
    let (mut editor, theirs) = UnixStream::pair().unwrap();
    let place = TestHome::new();
    let mut command = proxy_command(&place, &["--", "sleep", "1000"], &[]);
    command.stdin(Stdio::from(OwnedFd::from(theirs)));
    let mut child = command.spawn().unwrap();
    drop(command);
    editor.set_nonblocking(true).unwrap();
    let line = format!("{{\"method\":\"{}\"}}\n", "x".repeat(10_000));
    // Until there is no room, for the proxy and the pipe to the agent hold some of it.
    let mut full = 0;
    while full < 5 {
        match editor.write(line.as_bytes()) {
            Ok(written) => full = if written == 0 { full + 1 } else { 0 },
            Err(_) => {
                std::thread::sleep(std::time::Duration::from_millis(50));
                full += 1;
            }
        }
    }
    editor.shutdown(Shutdown::Write).unwrap();
    let status = eventually("the proxy did not end", || child.try_wait().unwrap());
    assert_eq!(status.code(), Some(128 + 15));
}

#[test]
fn memory_of_remembered_calls_is_bounded() {
    let place = TestHome::new();
    let mut session = AcpSession::begin(&place);
    let dense = vec![json!({ "": 0 }); 8000];
    for id in 0..300 {
        session.update("tool_call", &json!({ "toolCallId": id.to_string(), "rawInput": dense }));
    }
    let peak = session.peak_memory();
    assert!(peak < 100 * MIB, "{peak}");
    // Nor does a message take much that is read for nothing.
    let large = format!(
        "{{\"method\":\"session/update\",\"params\":{{\"x\":[{}0]}}}}\n",
        "{\"\":0},".repeat(1 << 20)
    );
    session.agent_sends(large.as_bytes());
    session.editor_receives();
    session.editor_sends(large.replace("update", "new").as_bytes());
    session.agent_receives();
    let peak = session.peak_memory();
    assert!(peak < 100 * MIB, "{peak}");
}

#[test]
fn memory_of_open_questions_is_bounded() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    let dense = vec![json!({ "": 0 }); 1000];
    for id in 0..100 {
        let call =
            json!({ "toolCallId": id.to_string(), "kind": "other", "rawInput": { "x": dense, "id": id } });
        session.ask(id, &call);
    }
    // More than may be open.
    for _ in 64..100 {
        session.agent_receives();
        let error = session.error();
        assert!(error.contains("64 requests for permission"), "{error}");
    }
    let peak = session.peak_memory();
    assert!(peak < 300 * MIB, "{peak}");
    let call = json!({ "toolCallId": "large", "rawInput": { "x": vec![json!({ "": 0 }); 100_000] } });
    session.ask(1000, &call);
    session.agent_receives();
    assert!(session.peak_memory() < 300 * MIB);
}

#[test]
fn memory_of_lines_is_bounded() {
    const SIZE: usize = 40 * MIB;
    let script = format!(
        "for i in 1 2 3 4 5; do printf '{{\"x\":\"'; head -c {SIZE} /dev/zero | tr '\\0' x; echo '\"}}'; done; echo >done"
    );
    let place = TestHome::new();
    let mut child = spawn_proxy(&place, &["--", "sh", "-c", &script], &[]);
    let done = place.home().join("../project/done");
    // The editor reads nothing until the proxy takes nothing more, or has taken everything.
    let (mut before, mut unchanged) = (0, 0);
    while unchanged < 20 && !done.exists() {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let now = memory(&child, "VmRSS");
        unchanged = if now == before && now > SIZE { unchanged + 1 } else { 0 };
        before = now;
    }
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..4 {
        let mut line = Vec::new();
        assert_eq!(lines.read_until(b'\n', &mut line).unwrap(), SIZE + 9);
    }
    let peak = memory(&child, "VmHWM");
    assert!(peak < 4 * SIZE, "{peak}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn agent_that_reads_no_answers_is_not_read_for_ever() {
    let inbox = Inbox::new();
    let mut session = AcpSession::start_deaf(&inbox.place);
    session.open(&inbox.place);
    let options = json!([{ "optionId": "o".repeat(2000), "name": "", "kind": "allow_once" }]);
    let mut sent = 0;
    let call =
        |id: i64| json!({ "toolCallId": id.to_string(), "kind": "execute", "rawInput": { "command": "ls" } });
    while session.agent_can_send(&request_line(sent, &call(sent), &options)) {
        sent += 1;
        assert!(sent < 5000, "the proxy goes on reading");
    }
}
