//! `shell_exec`, with attackers in the command.

use std::time::{Duration, Instant};

use sekisho_gate::answer::Answer;
use sekisho_tools::sandbox::Isolation;
use sekisho_tools::{ProcessEnd, ToolError, ToolResult};
use serde_json::{Value, json};

use crate::sandbox_fixture::{isolations, wait_until};
use crate::workshop::Workshop;

fn workshops() -> Vec<Workshop> {
    isolations().into_iter().map(|isolation| Workshop::new(&json!({}), isolation)).collect()
}

async fn run(workshop: &Workshop, command: &str) -> ToolResult {
    workshop.run_answered(json!({ "command": command }), Answer::approve()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn output_and_exit_code_are_told() {
    for workshop in workshops() {
        let told = workshop.shell("echo out; echo err > /dev/stderr; exit 3").await;
        assert_eq!((&told["stdout"], &told["stderr"]), (&json!("out\n"), &json!("err\n")), "{told}");
        assert_eq!(
            (&told["exit_code"], &told["signal"], &told["success"]),
            (&json!(3), &json!(null), &json!(false))
        );
        let told = workshop.shell("kill -SEGV $$").await;
        assert_eq!(
            (&told["exit_code"], &told["signal"], &told["success"]),
            (&json!(null), &json!(11), &json!(false))
        );
        let told = workshop.shell("-x").await;
        assert_eq!(told["exit_code"], json!(127), "a command that looks like an option: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_allowed_directories_are_written() {
    for workshop in workshops() {
        let told = workshop
            .shell("echo a > doc/a; echo b > src/b; echo c > $TMPDIR/c && cat $TMPDIR/c; echo $TMPDIR")
            .await;
        assert_eq!(std::fs::read_to_string(workshop.root().join("doc/a")).unwrap(), "a\n");
        assert!(!workshop.root().join("src/b").exists());
        let text = told["stdout"].as_str().unwrap();
        let temporary = text.strip_prefix("c\n").unwrap_or_else(|| panic!("{told}")).trim();
        assert!(!std::path::Path::new(temporary).exists(), "{temporary} was left behind");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn linked_directory_is_not_writable() {
    for workshop in workshops() {
        let elsewhere = tempfile::tempdir().unwrap();
        std::fs::remove_dir(workshop.root().join("doc")).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), workshop.root().join("doc")).unwrap();
        let told = workshop.shell("echo a > doc/a").await;
        assert_ne!(told["exit_code"], json!(0), "{told}");
        assert!(!elsewhere.path().join("a").exists());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn temporary_directory_is_removed_whatever_is_in_it() {
    const LEFT: &str =
        "mkdir -p $TMPDIR/a/b; touch $TMPDIR/a/b/c; chmod -R 0 $TMPDIR/a; echo $TMPDIR > doc/where; ";
    for mut workshop in workshops() {
        let file = workshop.root().join("doc/where");
        let where_it_was = move || std::path::PathBuf::from(std::fs::read_to_string(&file).unwrap().trim());
        let is_gone = |path: &std::path::Path| assert!(!path.exists(), "{} was left behind", path.display());
        workshop.shell(LEFT).await;
        is_gone(&where_it_was());
        run_until_timeout(&mut workshop, &format!("{LEFT} {ESCAPING} sleep 1000")).await;
        is_gone(&where_it_was());
        workshop.ctx.shell_timeout = Duration::from_secs(60);
        std::fs::remove_file(workshop.root().join("doc/alive")).unwrap();
        let command = format!("{LEFT} {ESCAPING} sleep 1000");
        let running = workshop.start(json!({ "command": command }), Answer::approve()).await;
        let alive = workshop.root().join("doc/alive");
        tokio::task::spawn_blocking(move || wait_until("it runs", || alive.exists())).await.unwrap();
        running.abort();
        let path = where_it_was();
        wait_until("the temporary directory is removed", || !path.exists());
    }
}

/// Read from outside, since commands that list the environment are forbidden.
#[tokio::test(flavor = "multi_thread")]
async fn environment_is_cleared() {
    let workshop = Workshop::new(&json!({}), Isolation::None);
    let (pid, go_on) = (workshop.root().join("doc/pid"), workshop.root().join("doc/go-on"));
    let command = "echo $$ > doc/pid; until [ -e doc/go-on ]; do sleep 0.01; done; wc -c < /dev/stdin";
    let running = workshop.start(json!({ "command": command }), Answer::approve()).await;
    let environment = tokio::task::spawn_blocking(move || {
        let shell = || std::fs::read_to_string(&pid).unwrap_or_default();
        wait_until("the shell runs", || shell().ends_with('\n'));
        std::fs::read(format!("/proc/{}/environ", shell().trim())).unwrap()
    });
    let environment = String::from_utf8(environment.await.unwrap()).unwrap();
    std::fs::write(go_on, "").unwrap();
    let told: Value = serde_json::from_str(&running.await.unwrap().unwrap().content).unwrap();
    assert_eq!(told["stdout"], json!("0\n"), "input is empty");
    let mut names: Vec<&str> =
        environment.split_terminator('\0').map(|one| one.split('=').next().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["LANG", "PATH", "TERM", "TMPDIR"]);
}

/// A grandchild in a session of its own, which holds the output open and writes to a file until it ends.
const ESCAPING: &str =
    "setsid bash -c 'while :; do date +%N >> doc/alive; sleep 0.05; done' & disown; sleep 0.1; ";

/// Runs a command into its timeout, with more time until the grandchild gets to run.
async fn run_until_timeout(workshop: &mut Workshop, command: &str) -> ToolResult {
    for time in [700, 3_000, 12_000, 48_000].map(Duration::from_millis) {
        workshop.ctx.shell_timeout = time;
        let result = run(workshop, command).await;
        assert!(result.content.starts_with("Command timed out"), "{result:?}");
        if std::fs::read(workshop.root().join("doc/alive")).is_ok_and(|bytes| !bytes.is_empty()) {
            return result;
        }
    }
    panic!("the grandchild never ran");
}

fn is_dead(workshop: &Workshop) -> bool {
    let file = workshop.root().join("doc/alive");
    let read = || std::fs::read(&file).unwrap_or_default();
    let before = read();
    std::thread::sleep(Duration::from_millis(300));
    let after = read();
    assert!(!after.is_empty() || !before.is_empty(), "it never ran");
    before == after
}

#[tokio::test(flavor = "multi_thread")]
async fn timeout_kills_the_whole_tree() {
    for mut workshop in workshops() {
        let result = run_until_timeout(&mut workshop, &format!("{ESCAPING} echo started; sleep 1000")).await;
        assert!(result.is_error && result.exit.is_none(), "{result:?}");
        let expected = format!("Command timed out after {}ms", workshop.ctx.shell_timeout.as_millis());
        assert!(result.content.starts_with(&expected), "{result:?}");
        wait_until("the grandchild dies", || is_dead(&workshop));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_leaves_behind_is_killed() {
    for workshop in workshops() {
        let told = workshop.shell(&format!("{ESCAPING} echo gone")).await;
        assert_eq!(told["stdout"], json!("gone\n"), "{told}");
        wait_until("the grandchild dies", || is_dead(&workshop));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_kills_the_whole_tree() {
    for workshop in workshops() {
        let cancellation = workshop.ctx.cancellation.clone();
        let file = workshop.root().join("doc/alive");
        let watching = std::thread::spawn(move || {
            wait_until("it runs", || std::fs::read(&file).is_ok_and(|bytes| !bytes.is_empty()));
            cancellation.cancel();
        });
        let result = run(&workshop, &format!("{ESCAPING} sleep 1000")).await;
        watching.join().unwrap();
        assert_eq!((result.is_error, result.content.as_str()), (true, "Command was aborted"));
        wait_until("the grandchild dies", || is_dead(&workshop));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_run_kills_the_whole_tree() {
    for workshop in workshops() {
        let file = workshop.root().join("doc/alive");
        let command = format!("{ESCAPING} sleep 1000");
        let running = workshop.start(json!({ "command": command }), Answer::approve()).await;
        let appeared = tokio::task::spawn_blocking(move || {
            wait_until("it runs", || std::fs::read(&file).is_ok_and(|bytes| !bytes.is_empty()));
        });
        appeared.await.unwrap();
        running.abort();
        wait_until("the grandchild dies", || is_dead(&workshop));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deadline_of_the_context_counts() {
    let mut workshop = Workshop::new(&json!({}), Isolation::None);
    workshop.ctx.deadline = Some(Instant::now());
    let result = run(&workshop, "sleep 1000").await;
    assert!(result.content.starts_with("Command timed out"), "{result:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn floods_are_cut_in_the_middle() {
    for workshop in workshops() {
        let told = workshop
            .shell("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo last; yes | head -c 1000000 >&2")
            .await;
        let out = told["stdout"].as_str().unwrap();
        assert!(out.starts_with("first\nxxx") && out.ends_with("xxxlast\n"), "{}", out.len());
        assert!(out.len() < 51_000 && out.contains(" bytes truncated] "), "{}", out.len());
        assert!(told["stderr"].as_str().unwrap().len() < 51_000);
        assert!(workshop.output.0.lock().unwrap().len() >= 4_000_000, "everything is streamed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn binary_output_is_safe() {
    let workshop = Workshop::new(&json!({}), Isolation::None);
    let told = workshop
        .shell("printf '\\xff\\xfe\\x00\\x1b[31mred\\x1b[0m\\xe6\\x97'; cat /bin/bash | head -c 200000 >&2")
        .await;
    assert_eq!(told["stdout"], json!("\u{fffd}\u{fffd}\0\u{1b}[31mred\u{1b}[0m\u{fffd}"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_before_anyone_is_asked() {
    let mut workshop = Workshop::new(&json!({}), Isolation::None);
    workshop.ctx.allowed_commands = Some(vec!["ls".into(), "wc".into()]);
    std::os::unix::fs::symlink("/etc", workshop.root().join("etc")).unwrap();
    for (input, words) in [
        (
            json!({ "command": "ls | sh" }),
            "Command 'sh' is not in the allowed command list. Allowed: [\"ls\", \"wc\"]",
        ),
        (json!({ "command": "ls $(id)" }), "Command 'id' is not in the allowed command list"),
        (json!({ "command": "ls", "working_dir": "/" }), "is outside the workspace"),
        (json!({ "command": "ls", "working_dir": ".." }), "is outside the workspace"),
        (json!({ "command": "ls", "working_dir": "etc" }), "is outside the workspace"),
        (json!({ "command": "ls", "working_dir": "no" }), "does not exist"),
        (json!({ "command": "ls\u{0}" }), "NUL"),
        (json!({ "command": "x".repeat(200_000) }), "longer than"),
        (json!({ "command": " " }), "empty"),
        (json!({ "command": "ls", "cwd": "/" }), "Unknown 'cwd' parameter"),
        (json!({ "command": "ls", "env": { "LD_PRELOAD": "x" } }), "Unknown 'env' parameter"),
        (json!({ "command": 3 }), "Invalid 'command' parameter"),
        (json!({}), "Missing 'command' parameter"),
    ] {
        let refused = workshop.run("shell_exec", input.clone()).await.unwrap_err();
        assert!(matches!(refused, ToolError::Forbidden(_) | ToolError::Input(_)), "{input}: {refused:?}");
        assert!(refused.to_string().contains(words), "{input}: {refused}");
    }
    assert!(workshop.ledger.calls().is_empty(), "nothing reached the gate");
}

#[tokio::test(flavor = "multi_thread")]
async fn edited_input_is_checked_again() {
    let mut workshop = Workshop::new(&json!({}), Isolation::None);
    workshop.ctx.allowed_commands = Some(vec!["curl".into(), "wc".into()]);
    let edited =
        Answer { updated_input: Some(json!({ "command": "touch doc/edited" })), ..Answer::approve() };
    let refused = workshop.run_answered(json!({ "command": "curl x | wc" }), edited).await.unwrap_err();
    assert!(matches!(&refused, ToolError::EditForbidden(why) if why.contains("'touch'")), "{refused:?}");
    assert!(!workshop.root().join("doc/edited").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_of_the_workspace_are_not_found_by_name() {
    let workshop = Workshop::new(&json!({}), Isolation::None);
    let told = workshop.shell("echo \"$PATH\"").await;
    let root = workshop.root().to_string_lossy().into_owned();
    assert!(!told["stdout"].as_str().unwrap().contains(&root), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn result_says_how_and_where_it_ran() {
    let workshop = Workshop::new(&json!({}), Isolation::None);
    let result = run(&workshop, "exit 4").await;
    assert_eq!(result.exit, Some(ProcessEnd::Exited(4)));
    assert_eq!(result.sandbox.unwrap().name(), "landlock+seccomp");
    assert!(!result.is_error && result.duration > Duration::ZERO);
    let told: Value = serde_json::from_str(&result.content).unwrap();
    assert_eq!(told["sandbox"], json!("landlock+seccomp"));
}
