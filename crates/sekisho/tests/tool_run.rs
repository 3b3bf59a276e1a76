//! `sekisho tool run`: questions on the terminal, settings, and what is stored of a run.

use serde_json::{Value, json};

use crate::approvals::pty::PtyTerminal;
use crate::test_home::TestHome;

/// A command that no built-in rule allows.
const ASKS: &[&str] = &["tool", "run", "shell_exec", "--command", "touch $TMPDIR/x && echo it-ran"];

#[test]
fn yes_runs_the_call() {
    let home = TestHome::new();
    let mut terminal = PtyTerminal::run(&home, ASKS, &[]);
    terminal.wait_for_text("Run it? [y/N]");
    assert!(terminal.screen_text().contains("touch $TMPDIR/x"), "{}", terminal.screen_text());
    assert!(!terminal.screen_text().contains("\"stdout\""), "{}", terminal.screen_text());
    terminal.press("y\r");
    assert_eq!(terminal.ended().code(), Some(0), "{}", terminal.screen_text());
    terminal.wait_for_text("it-ran\\n");
    assert_eq!(rows(&home, "began_at IS NOT NULL AND finished_at IS NOT NULL"), 1);
}

#[test]
fn everything_else_refuses_it() {
    // No, Enter alone, another word, and the end of the input.
    for keys in ["n\r", "\r", "sure\r", "\u{4}"] {
        let home = TestHome::new();
        let mut terminal = PtyTerminal::run(&home, ASKS, &[]);
        terminal.wait_for_text("Run it? [y/N]");
        terminal.press(keys);
        assert_eq!(terminal.ended().code(), Some(2), "{keys:?}: {}", terminal.screen_text());
        assert!(!terminal.screen_text().contains("it-ran\\n"), "{keys:?}: {}", terminal.screen_text());
        assert_eq!(rows(&home, "1"), 0, "{keys:?}");
    }
}

#[test]
fn end_of_the_terminal_refuses_it() {
    let home = TestHome::new();
    let terminal = PtyTerminal::run(&home, ASKS, &[]);
    terminal.wait_for_text("Run it? [y/N]");
    drop(terminal);
    assert_eq!(rows(&home, "1"), 0);
}

#[test]
fn run_has_a_row_with_its_masked_input() {
    let home = TestHome::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let command = format!("echo {secret} >/dev/null; exit 3");
    allow(&home, &json!([{ "tool": "shell_exec" }]));
    let output = home.run_without_terminal(&["tool", "run", "shell_exec", "--command", &command]);
    assert_eq!(output.code, 0, "{}", output.err);
    let db = database(&home);
    let query = "SELECT tool_name, input, exit_code, signal, sandbox, duration_ms, is_error, \
        began_at IS NOT NULL, finished_at IS NOT NULL FROM tool_executions";
    let row = db.query_row(query, [], |row| {
        let (tool, input): (String, String) = (row.get(0)?, row.get(1)?);
        assert_eq!(tool, "shell_exec");
        assert!(input.contains("exit 3") && !input.contains(secret), "{input}");
        let (code, signal): (Option<i32>, Option<i32>) = (row.get(2)?, row.get(3)?);
        assert_eq!((code, signal), (Some(3), None));
        let (level, millis): (String, Option<i64>) = (row.get(4)?, row.get(5)?);
        assert!(level.starts_with("landlock") || level == "partial", "{level}");
        assert!(millis.is_some());
        assert_eq!(
            (row.get::<_, bool>(6)?, row.get::<_, bool>(7)?, row.get::<_, bool>(8)?),
            (false, true, true)
        );
        Ok(())
    });
    row.unwrap();
}

#[test]
fn listed_secrets_are_masked_too() {
    let home = TestHome::new();
    TestHome::write(&home.home().join("key"), "plain-but-secret-words\n");
    server_json(&home, &json!({ "secrets": ["~/key"] }));
    allow(&home, &json!([{ "tool": "shell_exec" }]));
    let command = ": plain-but-secret-words";
    let output = home.run_without_terminal(&["tool", "run", "shell_exec", "--command", command]);
    assert_eq!(output.code, 0, "{}", output.err);
    let db = database(&home);
    let input: String = db.query_row("SELECT input FROM tool_executions", [], |row| row.get(0)).unwrap();
    assert!(input.contains("command") && !input.contains("plain-but-secret"), "{input}");
    let log: String =
        db.query_row("SELECT group_concat(text || body) FROM audit_log", [], |row| row.get(0)).unwrap();
    assert!(!log.contains("plain-but-secret"), "{log}");
}

#[test]
fn settings_come_from_the_file_and_from_flags() {
    let home = TestHome::new();
    allow(&home, &json!([{ "tool": "file_write" }, { "tool": "shell_exec" }]));
    let write = |flags: &[&str], path: &str| {
        let words = [&["tool", "run"], flags, &["file_write", "--path", path, "--content", "x"]].concat();
        home.run_without_terminal(&words)
    };
    assert_eq!(write(&[], "out/a").code, 2, "only doc/ may be written");
    assert_eq!(write(&["--write", "out"], "out/a").code, 0);
    server_json(&home, &json!({ "tool_config": { "file_write": { "allowed_dirs": ["out", "more"] } } }));
    assert_eq!(write(&[], "more/a").code, 0);
    assert_eq!(write(&["--write", "doc"], "more/b").code, 2, "a flag replaces what the file says");
    server_json(&home, &json!({ "tool_config": { "shell_exec": { "allowed_commands": ["ls"] } } }));
    let shell =
        |command: &str| home.run_without_terminal(&["tool", "run", "shell_exec", "--command", command]);
    assert_eq!((shell("ls").code, shell("pwd").code), (0, 2));
    server_json(&home, &json!({ "tool_config": { "shell_exec": { "shell_timeout_ms": 50 } } }));
    let output = shell("sleep 1000");
    assert!(output.code == 1 && output.err.contains("50"), "{} {}", output.code, output.err);
    let sandbox = json!({ "sandbox": "degraded" });
    server_json(&home, &sandbox);
    assert_eq!(shell("ls").code, 0);
}

#[test]
fn wrong_settings_are_named() {
    let home = TestHome::new();
    let run = &["tool", "run", "shell_exec", "--command", "ls"];
    for (text, message) in [
        (
            json!({ "tool_config": { "shell": {} } }),
            "server.json: tool_config.shell: unknown tool; the tools with settings are edit, file_write, git_ops, self_eval, shell_exec, skill_load, web_fetch, web_search",
        ),
        (
            json!({ "tool_config": { "edit": { "allowed_dirs": ["/etc/x"] } } }),
            "server.json: tool_config.edit.allowed_dirs: `/etc/x` is a system directory",
        ),
        (json!({ "tool_config": { "edit": { "dirs": [] } } }), "unknown field `dirs`"),
        (json!({ "tool_config": { "git_ops": { "git_permission": "All" } } }), "`All`"),
        (json!({ "sandbox": "off" }), "unknown value `off`; expected one of required, degraded"),
    ] {
        server_json(&home, &text);
        let output = home.run_without_terminal(run);
        assert!(output.code == 1 && output.err.contains(message), "{text}: {} {}", output.code, output.err);
        assert!(output.err.contains("server.json"), "{}", output.err);
    }
    server_json(&home, &json!({}));
    for (flags, message) in [
        (&["--write", "/usr"][..], "shell_exec.allowed_dirs: `/usr` is a system directory"),
        (&["--host", "http://x/"], "shell_exec.allowed_hosts: `http://x/` is not a host"),
        (&["--timeout-ms", "0"], "shell_exec.shell_timeout_ms: 0 is not from 1"),
        (&["--git-permission", "ReadWrite"], "`shell_exec` does not have this setting"),
        (&["--git-permission", "All"], "expected `Disabled`, `ReadOnly` or `ReadWrite`"),
    ] {
        let words = [&["tool", "run"], flags, &["shell_exec", "--command", "ls"]].concat();
        let output = home.run_without_terminal(&words);
        assert!(
            output.code == 64 && output.err.contains(message),
            "{flags:?}: {} {}",
            output.code,
            output.err
        );
    }
}

#[test]
fn git_reads_ask_nothing_and_writes_ask() {
    let home = TestHome::new();
    for (action, expected) in [("status", 0), ("branch_list", 0), ("diff", 0)] {
        let output = home.run_without_terminal(&["tool", "run", "git_ops", "--action", action]);
        assert_eq!(output.code, expected, "{action}: {}", output.err);
    }
    let commit = &["tool", "run", "--git-permission", "ReadWrite", "git_ops", "--action", "commit", "--args"];
    let commit = [&commit[..], &["{\"message\":\"x\"}"]].concat();
    assert_eq!(home.run_without_terminal(&commit).code, 3, "nobody can answer");
    let output = home.run_without_terminal(&["tool", "run", "git_ops", "--action", "commit", "--args", "{}"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("requires ReadWrite permission"), "{}", output.err);
}

#[test]
fn commit_has_the_users_own_author() {
    let home = TestHome::new();
    allow(&home, &json!([{ "tool": "git_ops" }]));
    TestHome::write(&home.home().join("../project/a.txt"), "one\n");
    let git = |action: &str, args: Value| {
        let words = ["tool", "run", "--git-permission", "ReadWrite", "git_ops", "--action", action, "--args"];
        home.run_without_terminal(&[&words[..], &[&args.to_string()]].concat())
    };
    let output = git("add", json!({ "files": ["a.txt"] }));
    assert_eq!(output.code, 0, "{}", output.err);
    let output = git("commit", json!({ "message": "first" }));
    assert_eq!(output.code, 1, "{}", output.out);
    assert!(
        output.err.contains("no author is configured; run `git config --global user.name"),
        "{}",
        output.err
    );
    let author = "[user]\nname = Ann Other\nemail = ann@example.org\n";
    TestHome::write(&home.home().join(".gitconfig"), author);
    let output = git("commit", json!({ "message": "first" }));
    assert_eq!(output.code, 0, "{}", output.err);
    let output = git("show", json!({}));
    assert!(output.out.contains("Author: Ann Other <ann@example.org>"), "{}", output.out);
}

fn allow(home: &TestHome, rules: &Value) {
    let config = json!({ "version": 1, "permissions": { "allow": rules } });
    TestHome::write(&home.global(), config.to_string());
}

fn server_json(home: &TestHome, text: &Value) {
    TestHome::write(&home.home().join(".config/sekisho/server.json"), text.to_string());
}

fn database(home: &TestHome) -> rusqlite::Connection {
    rusqlite::Connection::open(home.home().join(".local/state/sekisho/ledger.db")).unwrap()
}

/// How many executions there are of which this holds.
fn rows(home: &TestHome, holds: &str) -> i64 {
    let query = format!("SELECT count(*) FROM tool_executions WHERE {holds}");
    database(home).query_row(&query, [], |row| row.get(0)).unwrap()
}

#[test]
fn tools_that_read_need_no_question_but_for_secrets() {
    let home = TestHome::new();
    let project = home.home().with_file_name("project");
    TestHome::write(&project.join("src/a.rs"), "fn needle() {}\n");
    TestHome::write(&project.join("notes/.env"), "KEY=hunter2\n");
    let run = |words: &[&str]| home.run_without_terminal(&[&["tool", "run"], words].concat());
    for (words, field, expected) in [
        (&["read", "--path", "src/a.rs"][..], "content", json!("1\tfn needle() {}\n")),
        (
            &["grep", "--pattern", "needle", "--path", "src", "--ignore_case", "true"],
            "output",
            json!("src/a.rs:1:fn needle() {}"),
        ),
        (&["glob_search", "--pattern", "**/*.rs"], "files", json!(["src/a.rs"])),
        (&["glob_search", "--pattern", "notes/.env"], "files", json!(["notes/.env"])),
    ] {
        let output = run(words);
        assert_eq!(output.code, 0, "{words:?}: {}", output.err);
        let found: Value = serde_json::from_str(&output.out).unwrap();
        assert_eq!(found[field], expected, "{words:?}");
    }
    // A search that would come by a secret is a question too.
    for words in [
        &["read", "--path", "notes/.env"][..],
        &["grep", "--pattern", "KEY", "--path", "notes"],
        &["read", "--path", "/etc/shadow"],
    ] {
        let output = run(words);
        assert_eq!(output.code, 3, "{words:?}: {}", output.err);
        assert!(!output.out.contains("hunter2"), "{}", output.out);
    }
    // A tool without settings.
    let output = run(&["--write", "src", "grep", "--pattern", "x"][..]);
    assert!(output.code == 64 && output.err.contains("`grep` does not have this setting"), "{}", output.err);
}
