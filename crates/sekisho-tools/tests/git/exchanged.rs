//! Directories and config that another program exchanges while git is started.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use sekisho_gate::answer::Answer;
use sekisho_tools::GitPermission;
use sekisho_tools::git_ops::{GitCall, GitOps, GitSettings, Identity};
use sekisho_tools::sandbox::{HelperPlan, Isolation};
use serde_json::{Value, json};

use super::{append, evil, fired, git_program, repository, set_up};
use crate::project::listing;
use crate::sandbox_fixture::{Arena, isolations, programs};
use crate::workshop::Workshop;

fn settings() -> GitSettings {
    let identity = Some(Identity { name: "Agent".into(), email: "agent@example.com".into() });
    GitSettings { program: git_program(), identity }
}

/// A workshop in `a/proj`, a repository `victim/proj`, and a link `evil` to `victim` that can take the place of `a`.
struct Exchange {
    workshop: Workshop,
    place: PathBuf,
}

impl Exchange {
    fn new(isolation: Isolation) -> Exchange {
        let mut workshop =
            Workshop::with_tools(&json!({}), isolation, vec![Box::new(GitOps::new(settings()))]);
        let place = workshop.root();
        for name in ["a", "victim"] {
            let repository = place.join(name).join("proj");
            fs::create_dir_all(&repository).unwrap();
            set_up(&repository, &["init", "-q", "-b", "main", "."]);
            fs::write(repository.join("old"), name).unwrap();
            set_up(&repository, &["add", "old"]);
            set_up(&repository, &["commit", "-q", "-m", name]);
            fs::write(repository.join("new"), name).unwrap();
        }
        symlink("victim", place.join("evil")).unwrap();
        workshop.ctx.set_root(place.join("a/proj"));
        workshop.ctx.git_permission = GitPermission::ReadWrite;
        Exchange { workshop, place }
    }

    fn exchange(place: &Path) {
        renameat_with(CWD, place.join("a"), CWD, place.join("evil"), RenameFlags::EXCHANGE).unwrap();
    }

    async fn run(&self, input: Value) -> String {
        match self.workshop.run_tool_answered("git_ops", input, Answer::approve()).await {
            Ok(result) => result.content,
            Err(error) => error.to_string(),
        }
    }
}

#[tokio::test]
async fn project_that_became_a_link_is_refused() {
    let exchange = Exchange::new(Isolation::None);
    let new = |action: &str| {
        let found = GitCall::new(&json!({ "action": action }), &exchange.workshop.ctx, settings());
        found.map(drop).map_err(|refused| refused.content)
    };
    assert_eq!(new("status"), Ok(()));
    Exchange::exchange(&exchange.place);
    assert!(new("status").is_err_and(|why| why.contains("is a link, or was exchanged")));
    // Another directory of the same name.
    fs::remove_file(exchange.place.join("a")).unwrap();
    fs::rename(exchange.place.join("victim"), exchange.place.join("a")).unwrap();
    assert!(new("status").is_err_and(|why| why.contains("is a link, or was exchanged")));
}

#[tokio::test(flavor = "multi_thread")]
async fn directory_exchanged_for_a_link_leads_git_nowhere_else() {
    for isolation in isolations() {
        let exchange = Exchange::new(isolation.clone());
        let victim = exchange.place.join("victim");
        let before = listing(&victim);
        let add = json!({ "action": "add", "args": { "files": ["new"] } });
        assert!(exchange.run(add.clone()).await.contains("\"success\":true"), "{isolation:?}");
        let done = AtomicBool::new(false);
        let mut outputs = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in (0_u64..).take_while(|_| !done.load(Ordering::Relaxed)) {
                    Exchange::exchange(&exchange.place);
                    std::thread::sleep(Duration::from_micros(500 + round * 317 % 9000));
                    Exchange::exchange(&exchange.place);
                    std::thread::sleep(Duration::from_micros(500 + round * 511 % 9000));
                }
            });
            let show = json!({ "action": "show" });
            let commit = json!({ "action": "commit", "args": { "message": "PWNED" } });
            let handle = tokio::runtime::Handle::current();
            tokio::task::block_in_place(|| {
                for input in [&add, &commit, &show].into_iter().cycle().take(24) {
                    outputs.push(handle.block_on(exchange.run(input.clone())));
                }
            });
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(listing(&victim), before, "{isolation:?}: {outputs:?}");
        assert!(outputs.iter().all(|output| !output.contains("victim\\n")), "{isolation:?}: {outputs:?}");
    }
}

/// Whoever writes the config may do so after its names were listed.
#[test]
fn filter_that_appears_after_the_check_is_not_started() {
    for isolation in isolations() {
        for (single_process, expected) in [(false, true), (true, false)] {
            let project = repository();
            let evil = evil(&project);
            let work = project.path("work").canonicalize().unwrap();
            append(&work.join(".gitattributes"), "* filter=x\n");
            append(&work.join(".git/config"), format!("[filter \"x\"]\n\tclean = {evil}\n"));
            fs::write(work.join("f.txt"), "changed\n").unwrap();
            let arena = Arena::new(None, isolation.clone());
            let mut command = vec![git_program().into_os_string()];
            command.extend(["add", "f.txt"].map(Into::into));
            let plan = HelperPlan {
                writable: vec![project.path("").canonicalize().unwrap().into()],
                working_dir: Some(work),
                single_process,
                ..arena.plan(&command)
            };
            let output = arena.program(&programs().helper, &plan.to_arguments()).output().unwrap();
            assert_eq!(fired(&project), expected, "{isolation:?}: {output:?}");
        }
    }
}

#[tokio::test]
async fn every_action_works_in_the_sandbox() {
    for isolation in isolations() {
        let exchange = Exchange::new(isolation.clone());
        for (action, args) in [
            ("status", json!({})),
            ("diff", json!({})),
            ("log", json!({})),
            ("show", json!({})),
            ("branch_list", json!({})),
            ("add", json!({ "files": ["new"] })),
            ("commit", json!({ "message": "second" })),
            ("branch_create", json!({ "branch_name": "other" })),
            ("checkout", json!({ "branch_name": "main" })),
        ] {
            let said = exchange.run(json!({ "action": action, "args": args })).await;
            let is_refused = isolation == Isolation::None && ["branch_create", "checkout"].contains(&action);
            let expected = if is_refused { "needs user namespaces" } else { "\"success\":true" };
            assert!(said.contains(expected), "{isolation:?}, {action}: {said}");
        }
    }
}

/// They are outside the repository, and reached through a link.
#[tokio::test]
async fn files_of_the_user_are_read_in_the_sandbox() {
    for isolation in isolations() {
        let mut exchange = Exchange::new(isolation.clone());
        let home = exchange.place.join("home");
        append(&home.join("dotfiles/attributes"), "*.enc filter=crypt\n");
        append(&home.join("dotfiles/ignore"), "*.log\n");
        fs::create_dir(home.join(".config")).unwrap();
        symlink("../dotfiles", home.join(".config/git")).unwrap();
        exchange.workshop.ctx.home = Some(home);
        for name in ["debug.log", "secret.enc"] {
            fs::write(exchange.place.join("a/proj").join(name), "contents\n").unwrap();
        }
        let status = exchange.run(json!({ "action": "status" })).await;
        assert!(status.contains("secret.enc") && !status.contains("debug.log"), "{isolation:?}: {status}");
        let said = exchange.run(json!({ "action": "add", "args": { "files": ["secret.enc"] } })).await;
        assert!(said.contains("clean filter 'crypt' failed"), "{isolation:?}: {said}");
        let said = exchange.run(json!({ "action": "add", "args": { "files": ["new"] } })).await;
        assert!(said.contains("\"success\":true"), "{isolation:?}: {said}");
    }
}

/// Git gives the directories of such a repository the set-group-ID bit, which the sandbox refuses.
#[tokio::test]
async fn repository_of_a_group_works_in_the_sandbox() {
    for isolation in isolations() {
        let exchange = Exchange::new(isolation.clone());
        let repository = exchange.place.join("a/proj");
        set_up(&repository, &["init", "-q", "--shared", "."]);
        for (action, args) in [
            ("status", json!({})),
            ("add", json!({ "files": ["new"] })),
            ("commit", json!({ "message": "second" })),
            ("branch_create", json!({ "branch_name": "feature/other" })),
        ] {
            let said = exchange.run(json!({ "action": action, "args": args })).await;
            let is_refused = isolation == Isolation::None && action == "branch_create";
            let expected = if is_refused { "needs user namespaces" } else { "\"success\":true" };
            assert!(said.contains(expected), "{isolation:?}, {action}: {said}");
        }
    }
}
