//! `git_ops` in repositories that try to run programs, redirect git, or inject options.
//!
//! The planted program needs nothing from `PATH`. Where plain git runs it, the test first proves that.

mod arguments;
#[cfg(target_os = "linux")]
mod checkout;
#[cfg(target_os = "linux")]
mod checkout_race;
#[cfg(target_os = "linux")]
mod exchanged;
mod hostile_config;
#[cfg(target_os = "linux")]
mod objects;
mod redirects;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sekisho_tools::ToolResult;
use sekisho_tools::git_ops::{GitCall, GitInvocation, GitSettings, Identity};
use serde_json::{Value, json};

use crate::project::Project;

#[expect(clippy::disallowed_methods, reason = "the tests run git")]
fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// Every git of this machine: versions differ in what they accept.
fn git_programs() -> Vec<PathBuf> {
    let usual = ["/usr/bin/git", "/usr/local/bin/git"].map(PathBuf::from);
    usual.into_iter().chain([git_program()]).filter(|program| program.is_file()).collect()
}

fn git_program() -> PathBuf {
    let output = command("sh").args(["-c", "command -v git"]).output().unwrap();
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

/// Git as a person would run it, with no config of theirs.
fn plain(directory: &Path, arguments: &[&str]) -> Output {
    let mut git = command(git_program());
    git.args(arguments).current_dir(directory).stdin(Stdio::null());
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "a").env(format!("GIT_{role}_EMAIL"), "a@b");
    }
    git.output().unwrap()
}

fn set_up(directory: &Path, arguments: &[&str]) -> String {
    let output = plain(directory, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn execute(invocation: &GitInvocation) -> Output {
    let mut git = command(&invocation.argv[0]);
    git.args(&invocation.argv[1..]).env_clear().envs(invocation.env.iter().map(|(a, b)| (a, b)));
    git.current_dir(&invocation.working_dir.path).stdin(Stdio::null()).output().unwrap()
}

fn prepare(project: &Project, input: &Value) -> Result<GitCall, ToolResult> {
    let identity = Some(Identity { name: "Agent".into(), email: "agent@example.com".into() });
    GitCall::new(input, &project.context, GitSettings { program: git_program(), identity })
}

fn run(project: &Project, input: &Value) -> ToolResult {
    let call = match prepare(project, input) {
        Ok(call) => call,
        Err(refused) => return refused,
    };
    let listed = execute(&call.list_config());
    if !listed.status.success() {
        return call.result(false, &listed.stdout, &listed.stderr);
    }
    if let Err(refused) = call.check_index(&execute(&call.list_index()).stdout) {
        return refused;
    }
    let invocation = call.invocation(&listed.stdout).unwrap();
    let output = execute(&invocation);
    call.result(output.status.success(), &output.stdout, &output.stderr)
}

fn act(project: &Project, action: &str, args: &Value) -> ToolResult {
    run(project, &json!({ "action": action, "args": args }))
}

/// A repository in `work` with two branches; the latest commit of `main` carries a signature.
fn repository() -> Project {
    let project = Project::new_in_memory();
    let work = project.path("work");
    set_up(&work, &["init", "-q", "-b", "main"]);
    fs::write(work.join("f.txt"), "one\n").unwrap();
    set_up(&work, &["add", "f.txt"]);
    set_up(&work, &["commit", "-q", "-m", "first"]);
    set_up(&work, &["checkout", "-q", "-b", "other"]);
    fs::write(work.join("f.txt"), "other\n").unwrap();
    set_up(&work, &["commit", "-q", "-a", "-m", "second"]);
    set_up(&work, &["checkout", "-q", "main"]);
    let commit = set_up(&work, &["cat-file", "commit", "HEAD"]);
    let signature = "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n";
    let mut hash = command(git_program())
        .args(["hash-object", "-t", "commit", "-w", "--stdin"])
        .current_dir(&work)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    hash.stdin.take().unwrap().write_all(commit.replacen("\n\n", signature, 1).as_bytes()).unwrap();
    let signed = String::from_utf8(hash.wait_with_output().unwrap().stdout).unwrap();
    set_up(&work, &["update-ref", "refs/heads/main", signed.trim()]);
    project
}

/// Writes a program that leaves a mark and uses no other program.
fn evil(project: &Project) -> String {
    let program = project.path("evil");
    fs::write(&program, format!("#!/bin/sh\n: > '{}'\n", project.path("fired").display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program.display().to_string()
}

fn append(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::OpenOptions::new().create(true).append(true).open(path).unwrap().write_all(text.as_ref()).unwrap();
}

/// Every action, with a file that was changed without changing its size, so that filters have to look.
fn every_action(project: &Project) -> Vec<(&'static str, ToolResult)> {
    let file = project.path("work/f.txt");
    let mut results = Vec::new();
    let mut act = |action: &'static str, args: Value| results.push((action, act(project, action, &args)));
    fs::write(&file, "two\n").unwrap();
    act("status", json!({}));
    act("diff", json!({}));
    act("log", json!({}));
    act("show", json!({}));
    act("show", json!({ "ref": "other" }));
    act("branch_list", json!({}));
    act("add", json!({ "files": ["f.txt"] }));
    act("commit", json!({ "message": "third" }));
    let at_head =
        plain(&project.path("work"), &["-c", "core.fsmonitor=false", "cat-file", "blob", "HEAD:f.txt"]);
    fs::write(&file, at_head.stdout).unwrap();
    act("branch_create", json!({ "branch_name": "new" }));
    act("checkout", json!({ "branch_name": "other" }));
    act("checkout", json!({ "branch_name": "main" }));
    results
}

#[test]
fn every_action_works_in_an_ordinary_repository() {
    let project = repository();
    for (action, result) in every_action(&project) {
        assert!(!result.is_error, "{action}: {}", result.content);
        assert_eq!(serde_json::from_str::<Value>(&result.content).unwrap()["success"], true);
    }
    let log = act(&project, "log", &json!({ "max_count": 1 })).content;
    assert!(log.contains("third") && !log.contains("first"), "{log}");
    fs::write(project.path("work/f.txt"), "xyz\n").unwrap();
    fs::write(project.path("work/新しい"), "").unwrap();
    let status: Value = serde_json::from_str(&act(&project, "status", &json!({})).content).unwrap();
    assert_eq!(status["output"], " M f.txt\n?? doc/\n?? 新しい".replace("?? doc/\n", ""), "{status}");
    let diff = act(&project, "diff", &json!({})).content;
    assert!(diff.contains("-two") && diff.contains("+xyz"), "{diff}");
}

/// Whether the planted program ran.
fn fired(project: &Project) -> bool {
    let mark = project.path("fired");
    let fired = mark.exists();
    let _ = fs::remove_file(mark);
    fired
}
