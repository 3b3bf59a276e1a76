//! `sekisho run`: the built-in agent on a real terminal, as JSON, and beside a running server.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::approvals::pty::PtyTerminal;
use crate::serve::test_server::{TestServer, spawn};
use crate::test_home::TestHome;

/// The prompt while a question waits for a key.
const READY: &str = "a approve, d deny";

struct Fixture {
    place: TestHome,
    scripts: String,
}

impl Fixture {
    /// A home without a server, and a script called `build`.
    fn new(script: &Value) -> Fixture {
        let place = TestHome::new();
        TestHome::write(&place.home().join("scripts/build.json"), script.to_string());
        let scripts = place.home().join("scripts").to_str().unwrap().to_owned();
        Fixture { place, scripts }
    }

    fn project(&self) -> PathBuf {
        self.place.home().join("../project").canonicalize().unwrap()
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.project().join(file)).unwrap_or_default()
    }

    /// Runs the agent on a terminal.
    fn terminal(&self, arguments: &[&str], more: &[(&str, &str)]) -> PtyTerminal {
        let arguments = [&["run"], arguments].concat();
        // A free port: other tests run at the same time.
        let own = [("SEKISHO_SCRIPTS", self.scripts.as_str()), ("SEKISHO_LISTEN", "127.0.0.1:0")];
        PtyTerminal::run(&self.place, &arguments, &[&own, more].concat())
    }
}

const SCRIPTED: [&str; 5] = ["go", "--provider", "scripted", "--model", "build"];

fn write(path: &str, content: &str) -> Value {
    json!({ "name": "file_write", "input": { "path": path, "content": content } })
}

/// The id of the run on the screen.
fn run_id(terminal: &PtyTerminal) -> String {
    let screen = terminal.screen_text();
    let (_, rest) = screen.split_once("run ").unwrap();
    rest[..8].to_owned()
}

#[track_caller]
fn press_when_asked(terminal: &PtyTerminal, about: &str, key: &str) {
    terminal.wait_for_text(about);
    terminal.wait_for_text(READY);
    terminal.settle();
    terminal.press(key);
}

#[test]
fn questions_are_answered_on_the_spot() {
    let fixture = Fixture::new(&json!([
        { "text": "I write two files.", "calls": [write("src/a.txt", "a\n")] },
        { "calls": [write("src/b.txt", "b\n")], "expect": { "contains": "use another name" } },
        { "text": "Both are done.", "expect": { "contains": "A human changed the input" } },
    ]));
    let editor = fixture.place.home().join("editor.sh");
    let input = json!({ "path": "src/c.txt", "content": "c\n" });
    sekisho_testkit::write_executable(&editor, &format!("#!/bin/sh\nprintf '%s' '{input}' > \"$1\"\n"));
    let mut terminal = fixture.terminal(&SCRIPTED, &[("EDITOR", editor.to_str().unwrap())]);
    terminal.wait_for_text("tools  edit, file_write");
    // The head scrolls out of sight later.
    let run = run_id(&terminal);
    terminal.wait_for_text("I write two files.");
    press_when_asked(&terminal, "src/a.txt", "d");
    terminal.wait_for_text("Deny. Reason:");
    terminal.press("use another name");
    terminal.press("\r");
    terminal.wait_for_text("denied: use another name");
    press_when_asked(&terminal, "▸ file_write: src/b.txt", "e");
    terminal.wait_for_text("a approve the edited input");
    terminal.settle();
    terminal.press("a");
    terminal.wait_for_text("edited: file_write: src/c.txt");
    terminal.wait_for_text("Both are done.");
    terminal.wait_for_text(&format!("completed  run {run}"));
    assert!(terminal.ended().success());
    assert!(terminal.is_restored());
    assert_eq!((fixture.read("src/c.txt").as_str(), fixture.read("src/a.txt").as_str()), ("c\n", ""));
    let audit = fixture.place.run(&["audit", "search", "--agent", "terminal"]);
    assert!(audit.out.contains("agent `terminal` created"), "{}{}", audit.out, audit.err);
}

#[test]
fn ctrl_c_interrupts_and_leaves_and_the_run_is_resumed() {
    let fixture = Fixture::new(&json!([
        { "calls": [{ "name": "shell_exec", "input": { "command": "sleep 60" } }] },
        { "text": "I stop.", "calls": [write("a.txt", "a\n")], "expect": { "contains": "A human interrupted" } },
        { "text": "Written." },
    ]));
    let mut terminal = fixture.terminal(&SCRIPTED, &[]);
    terminal.wait_for_text("running shell_exec");
    let run = run_id(&terminal);
    terminal.press("\x03");
    terminal.wait_for_text("✗ shell_exec: sleep 60");
    terminal.wait_for_text("    interrupted");
    terminal.wait_for_text("I stop.");
    terminal.wait_for_text(READY);
    // The process is killed while the question is open.
    terminal.signal(Signal::KILL);
    terminal.ended();
    let mut terminal = fixture.terminal(&["--resume", &run], &[]);
    terminal.wait_for_text(READY);
    terminal.press("\x03");
    terminal.wait_for_text("press Ctrl-C again to leave");
    terminal.press("\x03");
    terminal.wait_for_text(&format!("resume it with `sekisho run --resume {run}`"));
    assert_eq!(terminal.ended().code(), Some(3));
    assert!(terminal.is_restored() && fixture.read("a.txt").is_empty());
    let mut terminal = fixture.terminal(&["--resume", &run], &[]);
    press_when_asked(&terminal, "I stop.", "a");
    terminal.wait_for_text("Written.");
    terminal.wait_for_text(&format!("completed  run {run}"));
    assert!(terminal.ended().success());
    assert_eq!(fixture.read("a.txt"), "a\n");
}

#[test]
fn answer_from_elsewhere_is_shown() {
    let fixture = Fixture::new(&json!([{ "calls": [write("a.txt", "a\n")] }, { "text": "Written." }]));
    let mut terminal = fixture.terminal(&SCRIPTED, &[]);
    terminal.wait_for_text(READY);
    let open = fixture.place.run(&["approvals", "list", "--json"]);
    let question: Value =
        serde_json::from_str(&open.out).unwrap_or_else(|_| panic!("{}{}", open.out, open.err));
    let id = question["id"].as_str().unwrap();
    assert_eq!(fixture.place.run(&["approvals", "approve", id, "--yes"]).code, 0);
    terminal.wait_for_text(&format!("{} approved by terminal of tester (terminal)", &id[28..]));
    terminal.wait_for_text("Written.");
    assert!(terminal.ended().success());
    assert_eq!(fixture.read("a.txt"), "a\n");
}

/// On the server that is running, without a terminal.
#[test]
fn events_are_json_lines() {
    let fixture = Fixture::new(
        &json!([{ "text": "I write.", "calls": [write("a.txt", "a\n")] }, { "text": "Written." }]),
    );
    let project = fixture.project();
    let variables = [("SEKISHO_SCRIPTS", fixture.scripts.as_str())];
    let server =
        TestServer::start_with(&fixture.place, &["--project", project.to_str().unwrap()], &variables);
    let arguments = [&["run", "--json"], &SCRIPTED[..]].concat();
    let mut child = spawn(&fixture.place, &arguments, &[]);
    let mut events = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if event["type"] == "tool-call-approval" {
            let id = event["payload"]["approvalId"].as_str().unwrap();
            let denied = fixture.place.run(&["approvals", "deny", id, "--reason", "not now"]);
            assert_eq!(denied.code, 0, "{}", denied.err);
        }
        events.push(event);
    }
    assert!(child.wait().unwrap().success());
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    for kind in ["user-message", "text-delta", "tool-call", "tool-output-denied", "finish"] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    assert!(fixture.read("a.txt").is_empty());
    // The server knows this project only.
    let elsewhere = fixture.place.home();
    let arguments = [&["run", "--cwd", elsewhere.to_str().unwrap()], &SCRIPTED[..]].concat();
    let refused = fixture.place.run(&arguments);
    assert!(refused.code == 1 && refused.err.contains("does not know the project"), "{}", refused.err);
    let refused = fixture.place.run(&["run", "go", "--provider", "anthropic"]);
    assert!(refused.code == 1 && refused.err.contains("environment of the server"), "{}", refused.err);
    server.stop();
}

#[test]
fn missing_key_is_explained() {
    let place = TestHome::new();
    let output = place.run(&["run", "go"]);
    assert_eq!(output.code, 1);
    for part in [
        "no model key is set",
        "`ANTHROPIC_API_KEY` or `OPENAI_API_KEY`",
        "`--provider scripted --model NAME`",
    ] {
        assert!(output.err.contains(part), "{part} in {}", output.err);
    }
    for (arguments, part) in [
        (&["run"][..], "MESSAGE"),
        (&["run", " "], "the message is empty"),
        (&["run", "go", "--agent", "a", "--model", "m"], "cannot be used with"),
        (&["run", "go", "--server", "http://127.0.0.1:1"], "`--agent`"),
    ] {
        let output = place.run(arguments);
        assert!(
            output.code == 64 && output.err.contains(part),
            "{arguments:?}: {} {}",
            output.code,
            output.err
        );
    }
}
