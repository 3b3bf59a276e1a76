//! Hooks of an earlier version: their installation, their spool, and their exchanges with the server.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;

use jiff::Timestamp;
use sekisho_policy::{Call, Decision, JudgeContext, Policy, judge};
use serde_json::{Value, json};

use super::fixture_copy::{FixtureCopy, fixture, lines, unpacked};
use super::response_compare::IdMapping;
use crate::serve::test_server::{LONG, eventually, exchange};
use crate::test_home::TestHome;

/// What today's hook answers Claude Code, started as the earlier version installed it.
#[expect(clippy::disallowed_methods, reason = "the hook is a process of its own")]
fn hook(copy: &FixtureCopy, event: &str, command: &str, id: &str) -> Value {
    let hook = Path::new(env!("CARGO_BIN_EXE_sekisho")).with_file_name("sekisho-hook");
    assert!(hook.exists(), "{} is not built; `cargo test --workspace` builds it", hook.display());
    let project = copy.place.home().join("../project").canonicalize().unwrap();
    let input = json!({
        "session_id": "session-1", "transcript_path": "/work/transcript.jsonl", "cwd": project, "permission_mode": "default",
        "hook_event_name": event, "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": id,
        "tool_response": { "stdout": "", "stderr": "", "interrupted": false },
    });
    let mut child = Command::new(hook)
        .args(["claude-code", "--installation"])
        .arg(installation(copy))
        .env_clear()
        .envs([("CLAUDE_CODE_SESSION_ATTENDED", "1"), ("CLAUDE_CODE_ENTRYPOINT", "cli")])
        .current_dir(project)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

fn installation(copy: &FixtureCopy) -> PathBuf {
    let mut files = copy.state().join("hooks").read_dir().unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.to_str().unwrap().contains("claude-code-")).unwrap()
}

/// The lines in the spool of the fixture, with paths as [`FixtureCopy::rows`] returns them.
fn spooled() -> Vec<Value> {
    let mut spools = fixture("hook/spool").read_dir().unwrap();
    let text = std::fs::read_to_string(spools.next().unwrap().unwrap().path()).unwrap();
    let text = text.replace("/tmp/sekisho-fixture/sqlite", "[PLACE]/home");
    let text = text.replace("/tmp/sekisho-fixture/project", "[PLACE]/project");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn earlier_spool_is_imported_once_and_verifies() {
    let copy = FixtureCopy::sqlite().with_hook();
    copy.run(&["audit", "import-spools"]);
    let query = ["audit", "search", "--agent", "claude-code", "--json"];
    let rows = copy.rows(&query);
    let expected = spooled();
    assert_eq!(rows.len(), expected.len());
    // Newest first.
    for (row, line) in rows.iter().rev().zip(&expected) {
        for field in ["kind", "tool", "agent", "credential", "decision", "text", "body"] {
            assert_eq!(
                row.get(field).unwrap_or(&Value::Null),
                line.get(field).unwrap_or(&Value::Null),
                "{field}: {row}"
            );
        }
    }
    copy.run(&["audit", "import-spools"]);
    assert_eq!(copy.rows(&query), rows, "no line is imported twice");
    copy.verify();
}

#[test]
fn earlier_installation_decides_as_before() {
    let copy = FixtureCopy::sqlite().with_hook();
    for line in spooled().iter().filter(|line| line["kind"] == "verdict") {
        let command = line["body"]["message"].as_str().unwrap();
        let output = hook(&copy, "PreToolUse", command, &format!("again {command}"));
        let expected = match line["body"]["outcome"].as_str().unwrap() {
            "let_through" => "allow",
            "turned_back" => "deny",
            _ => "ask",
        };
        assert_eq!(output["hookSpecificOutput"]["permissionDecision"], expected, "{command}: {output}");
    }
}

#[test]
fn earlier_settings_entry_is_recognised_and_removed() {
    let copy = FixtureCopy::sqlite().with_hook();
    let settings = copy.place.home().join(".claude/settings.json");
    let text = std::fs::read_to_string(fixture("hook/claude-code.json")).unwrap();
    TestHome::write(&settings, copy.moved(&text));
    copy.run(&["uninstall", "claude-code", "--yes"]);
    let left = std::fs::read_to_string(&settings).unwrap_or_default();
    assert!(!left.contains("sekisho-hook"), "{left}");
}

/// Only a build of the same sources uses it; others refuse it and compile the policy again.
#[test]
fn earlier_compiled_policy_is_refused_or_judges_as_before() {
    let mut files = fixture("hook/policy").read_dir().unwrap().map(|entry| entry.unwrap().path());
    let path = files.find(|path| path.to_str().unwrap().ends_with(".compiled.gz")).unwrap();
    let mut bytes = unpacked(&path);
    let (rest, length) = bytes.split_last_chunk::<4>().unwrap();
    let end = rest.len() - u32::from_le_bytes(*length) as usize;
    bytes.truncate(end);
    if let Ok(policy) = Policy::from_bytes(bytes) {
        let call = |command: &str| Call::new("bash", json!({ "command": command }));
        let decision =
            |command: &str| judge(&policy, &call(command), &JudgeContext::at(Timestamp::now())).decision;
        assert_eq!((decision("ninja"), decision("rm x")), (Decision::Allow, Decision::Deny));
    }
}

#[test]
fn earlier_hook_gets_the_same_answers() {
    let copy = FixtureCopy::sqlite();
    let server = copy.server();
    let mut names = IdMapping::default();
    for line in lines("hook/exchanges.jsonl") {
        names.learn_ids(&line["answered"]);
        let recorded = &line["exchange"];
        let request = format!(
            "{} {}",
            recorded["method"].as_str().unwrap(),
            names.renamed(recorded["path"].as_str().unwrap())
        );
        let answer = std::thread::scope(|threads| {
            let asking = threads.spawn(|| {
                let stream = UnixStream::connect(server.socket()).unwrap();
                stream.set_read_timeout(Some(LONG)).unwrap();
                exchange(stream, "localhost", &request, &[], Some(&recorded["body"]))
            });
            if let Some(answer) = line.get("answered") {
                let id = eventually("no question was opened", || {
                    let (_, found) = copy.ask(&server, "approver", "GET /api/approvals?state=pending", None);
                    let open = found["approvals"].as_array().unwrap();
                    let asked =
                        open.iter().find(|open| open["toolUseId"] == recorded["body"]["toolUseId"])?;
                    asked["id"].as_str().map(str::to_owned)
                });
                let path = format!("POST /api/approvals/{id}/answer");
                assert_eq!(copy.ask(&server, "approver", &path, Some(answer)).0, 200);
            }
            asking.join().unwrap()
        });
        assert_eq!(json!(answer.status), recorded["status"], "{request}: {answer:?}");
        if let Some(expected) = recorded.get("answer") {
            names.compare(expected, &answer.json(), "answer").unwrap();
        }
    }
    server.stop();
    copy.verify();
}

#[test]
fn hook_understands_answers_of_an_earlier_server() {
    let copy = FixtureCopy::sqlite().with_hook();
    let listener = UnixListener::bind(copy.state().join("sekisho.sock")).unwrap();
    let recorded = lines("hook/exchanges.jsonl");
    let (sender, requests) = mpsc::channel();
    let answers: Vec<String> = recorded.iter().map(|line| response(&line["exchange"])).collect();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            stream.set_read_timeout(Some(LONG)).unwrap();
            sender.send(request(&mut BufReader::new(&mut stream))).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    let mut names = IdMapping::default();
    for line in &recorded {
        let expected = &line["exchange"];
        let (event, id, command) = match expected["body"]["toolUseId"].as_str() {
            Some(id) => ("PreToolUse", id, expected["body"]["input"]["command"].as_str().unwrap()),
            None => ("PostToolUse", "one", "deploy one"),
        };
        let output = hook(&copy, event, command, id);
        let (path, body) = requests.recv_timeout(LONG).unwrap();
        assert_eq!(json!(path), expected["path"]);
        let asked: Value = serde_json::from_str(&copy.moved(&expected["body"].to_string())).unwrap();
        assert_eq!(body, asked, "an earlier server refuses fields that it does not know");
        if let Some(before) = line.get("said") {
            names.learn_ids(&line["answered"]);
            names.compare(before, &output, "said").unwrap();
        }
    }
}

/// A recorded response as the server sent it.
fn response(exchange: &Value) -> String {
    let body = exchange.get("answer").map(Value::to_string).unwrap_or_default();
    format!("HTTP/1.1 {} X\r\ncontent-length: {}\r\n\r\n{body}", exchange["status"], body.len())
}

/// Reads one request: its path and its body.
fn request(stream: &mut impl BufRead) -> (String, Value) {
    let head: Vec<String> = stream.lines().map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
    let path = head[0].split(' ').nth(1).unwrap().to_owned();
    let length = head.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    (path, serde_json::from_slice(&body).unwrap())
}
