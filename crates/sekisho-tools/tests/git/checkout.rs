//! Switching to a commit with files that need a human, though a rule allows `git_ops`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use sekisho_gate::answer::Answer;
use sekisho_tools::git_ops::{GitOps, GitSettings};
use sekisho_tools::sandbox::Isolation;
use sekisho_tools::{GitPermission, RequiredLevel, ToolResult};
use serde_json::{Value, json};

use super::{git_program, set_up};
use crate::sandbox_fixture::isolations;
use crate::workshop::Workshop;

/// A repository with one commit on `main`.
pub(super) fn workshop(permissions: &Value) -> Workshop {
    let isolation = isolations().pop().unwrap();
    let level = if isolation == Isolation::None { RequiredLevel::Degraded } else { RequiredLevel::Required };
    let mut workshop = workshop_at(permissions, isolation);
    workshop.ctx.required_level = level;
    workshop
}

fn workshop_at(permissions: &Value, isolation: Isolation) -> Workshop {
    let settings = GitSettings { program: git_program(), identity: None };
    let mut workshop = Workshop::with_tools(permissions, isolation, vec![Box::new(GitOps::new(settings))]);
    workshop.ctx.git_permission = GitPermission::ReadWrite;
    let root = workshop.root();
    set_up(&root, &["init", "-q", "-b", "main"]);
    commit(&root, "f.txt", "one");
    workshop
}

fn commit(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    commit_all(root);
}

fn commit_all(root: &Path) {
    set_up(root, &["add", "-A", "-f"]);
    set_up(root, &["commit", "-q", "-m", "next"]);
}

/// A branch with one more commit, and back to `main`.
pub(super) fn branch(root: &Path, branch: &str, change: impl Fn()) {
    set_up(root, &["checkout", "-q", "-b", branch]);
    change();
    commit_all(root);
    set_up(root, &["checkout", "-q", "main"]);
}

pub(super) fn checkout(name: &str) -> Value {
    json!({ "action": "checkout", "args": { "branch_name": name } })
}

pub(super) async fn run(workshop: &Workshop, input: Value) -> ToolResult {
    workshop.run("git_ops", input).await.unwrap()
}

pub(super) fn allow() -> Value {
    json!({ "allow": [{ "tool": "git_ops" }] })
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_files_need_a_human() {
    let workshop = workshop(&allow());
    let root = workshop.root();
    for (number, name) in [
        ".claude/settings.json",
        ".mcp.json",
        ".husky/pre-commit",
        ".sekisho/config.json",
        "deep/below/here/.envrc",
        ".gitattributes",
        ".env",
        "bare/HEAD",
    ]
    .into_iter()
    .enumerate()
    {
        let other = format!("evil{number}");
        branch(&root, &other, || {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), "x").unwrap();
        });
        for target in [other.clone(), format!("refs/heads/{other}"), set_up(&root, &["rev-parse", &other])] {
            let result = run(&workshop, checkout(&target)).await;
            let expected = format!("would change '{name}', which is protected");
            assert!(result.is_error && result.content.contains(&expected), "{name}: {}", result.content);
            assert!(!root.join(name).exists(), "{name}");
        }
    }
    assert_eq!(set_up(&root, &["branch", "--show-current"]), "main");
    // A directory that a link would replace.
    branch(&root, "link", || symlink("doc", root.join(".claude")).unwrap());
    let result = run(&workshop, checkout("link")).await;
    assert!(result.content.contains("'.claude'") && root.join(".claude").symlink_metadata().is_err());
    // Other files do not.
    branch(&root, "good", || fs::write(root.join("src/new"), "x").unwrap());
    let result = run(&workshop, checkout("good")).await;
    assert!(!result.is_error && root.join("src/new").exists(), "{}", result.content);
    let created = json!({ "action": "branch_create", "args": { "branch_name": "mine" } });
    assert!(!run(&workshop, created).await.is_error);
}

#[tokio::test(flavor = "multi_thread")]
async fn removing_a_protected_file_needs_a_human() {
    let workshop = workshop(&allow());
    let root = workshop.root();
    set_up(&root, &["branch", "without"]);
    commit(&root, ".sekisho/config.json", "{}");
    let result = run(&workshop, checkout("without")).await;
    assert!(result.is_error && root.join(".sekisho/config.json").exists(), "{}", result.content);
}

#[tokio::test(flavor = "multi_thread")]
async fn human_may_approve_it() {
    let workshop = workshop(&json!({}));
    let root = workshop.root();
    branch(&root, "other", || fs::write(root.join(".mcp.json"), "{}").unwrap());
    let result = workshop.run_tool_answered("git_ops", checkout("other"), Answer::approve()).await.unwrap();
    assert!(!result.is_error && root.join(".mcp.json").exists(), "{}", result.content);
}

/// Git writes other files than a comparison of the two commits shows.
#[tokio::test(flavor = "multi_thread")]
async fn missing_index_and_equal_names_hide_nothing() {
    let workshop = workshop(&allow());
    let root = workshop.root();
    commit(&root, ".mcp.json", "{}");
    fs::remove_file(root.join(".mcp.json")).unwrap();
    fs::remove_file(root.join(".git/index")).unwrap();
    for input in [checkout("main"), json!({ "action": "branch_create", "args": { "branch_name": "mine" } })] {
        let result = run(&workshop, input).await;
        assert!(result.is_error && !root.join(".mcp.json").exists(), "{}", result.content);
    }
    set_up(&root, &["reset", "-q", "--hard"]);
    // `checkout` prefers the branch, and `rev-parse` the tag.
    branch(&root, "both", || fs::write(root.join(".envrc"), "x").unwrap());
    set_up(&root, &["tag", "both", "main"]);
    let result = run(&workshop, checkout("both")).await;
    assert!(result.is_error && !root.join(".envrc").exists(), "{}", result.content);
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_commits_need_a_human() {
    let workshop = workshop(&allow());
    let root = workshop.root();
    branch(&root, "other", || fs::write(root.join("src/new"), "x").unwrap());
    let commit = set_up(&root, &["rev-parse", "other"]);
    // Git makes a branch that follows a remote one.
    set_up(&root, &["remote", "add", "origin", "/nonexistent"]);
    set_up(&root, &["update-ref", "refs/remotes/origin/followed", &commit]);
    for name in ["followed", "@{-1}", "main...other", "nothing"] {
        let result = run(&workshop, checkout(name)).await;
        assert!(result.content.contains("needs the approval of a human"), "{name}: {}", result.content);
        assert!(!root.join("src/new").exists(), "{name}");
    }
}

/// Git lists neither an ignored file nor that it deletes it for a file of the other branch.
#[tokio::test(flavor = "multi_thread")]
async fn ignored_files_are_not_deleted() {
    let workshop = workshop(&allow());
    let root = workshop.root();
    commit(&root, ".gitignore", "/conf/\n.env\n/ignored\n");
    commit(&root, "mixed/tracked", "x");
    branch(&root, "directory", || fs::write(root.join("conf"), "x").unwrap());
    branch(&root, "mixed", || {
        fs::remove_dir_all(root.join("mixed")).unwrap();
        fs::write(root.join("mixed"), "x").unwrap();
    });
    branch(&root, "file", || fs::write(root.join("ignored"), "x").unwrap());
    for (name, ignored) in [("directory", "conf/.env"), ("mixed", "mixed/.env"), ("file", "ignored")] {
        let path = root.join(ignored);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "secret").unwrap();
        let result = run(&workshop, checkout(name)).await;
        assert!(result.is_error, "{name}: {}", result.content);
        assert_eq!(fs::read_to_string(&path).unwrap(), "secret", "{name}");
        assert_eq!(set_up(&root, &["branch", "--show-current"]), "main");
    }
}

/// Patterns of a sparse work tree say which files a checkout removes, and a command may have written them.
#[tokio::test(flavor = "multi_thread")]
async fn sparse_patterns_remove_no_protected_files() {
    let workshop = workshop(&allow());
    let root = workshop.root();
    commit(&root, "plain", "x");
    set_up(&root, &["branch", "other"]);
    set_up(&root, &["config", "core.sparseCheckout", "true"]);
    fs::create_dir_all(root.join(".git/info")).unwrap();
    let patterns = root.join(".git/info/sparse-checkout");
    fs::write(&patterns, "/*\n").unwrap();
    let result = run(&workshop, checkout("other")).await;
    assert!(!result.is_error, "nothing protected is tracked: {}", result.content);
    commit(&root, ".mcp.json", "{}");
    set_up(&root, &["branch", "third"]);
    fs::write(&patterns, "/*\n!/.mcp.json\n").unwrap();
    for input in [checkout("third"), json!({ "action": "branch_create", "args": { "branch_name": "new" } })] {
        let result = run(&workshop, input).await;
        assert!(result.is_error && result.content.contains(".mcp.json"), "{}", result.content);
        assert!(root.join(".mcp.json").exists());
    }
}

/// Git runs them, though their names say nothing.
#[tokio::test(flavor = "multi_thread")]
async fn files_that_the_config_names_need_a_human() {
    let workshop = workshop(&allow());
    let root = workshop.root();
    let names = ["doc/scripts/pre-commit", "doc/more", "doc/clean.sh", "doc/scripts"];
    for (number, name) in names.into_iter().enumerate() {
        branch(&root, &format!("evil{number}"), || {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), "x").unwrap();
        });
    }
    set_up(&root, &["config", "core.hooksPath", "doc/scripts"]);
    set_up(&root, &["config", "include.path", "../doc/more"]);
    set_up(&root, &["config", "filter.x.clean", "sh doc/clean.sh %f"]);
    for (number, name) in names.into_iter().enumerate() {
        let result = run(&workshop, checkout(&format!("evil{number}"))).await;
        let expected = format!("would change '{name}', which is protected");
        assert!(result.is_error && result.content.contains(&expected), "{name}: {}", result.content);
        assert!(!root.join(name).is_file(), "{name}");
    }
}

/// Nothing keeps a command from exchanging a directory that git is about to write to.
#[tokio::test(flavor = "multi_thread")]
async fn without_namespaces_it_is_refused() {
    let workshop = workshop_at(&allow(), Isolation::None);
    let root = workshop.root();
    branch(&root, "other", || fs::write(root.join("src/new"), "x").unwrap());
    for input in [checkout("other"), json!({ "action": "branch_create", "args": { "branch_name": "mine" } })]
    {
        let result = run(&workshop, input).await;
        assert!(result.is_error && result.content.contains("needs user namespaces"), "{}", result.content);
    }
    assert_eq!(set_up(&root, &["branch", "--show-current"]), "main");
    assert!(!root.join("src/new").exists());
}
