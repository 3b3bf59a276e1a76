//! The preset `local-work` on real repositories: what their own config could make git do is a question.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::test_home::TestHome;

const ALLOW: i32 = 0;
const CONFIRM: i32 = 3;

/// An empty repository.
fn make_repository(at: &Path, config: &str) {
    for directory in ["objects", "refs", "hooks"] {
        fs::create_dir_all(at.join(".git").join(directory)).unwrap();
    }
    fs::write(at.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(at.join(".git/config"), format!("[core]\n\tbare = false\n{config}")).unwrap();
}

/// Checks commands in a repository with a config, after `prepare` has changed the workspace.
fn check(config: &str, prepare: impl Fn(&Path), commands: &[(&str, i32)]) {
    let place = TestHome::new();
    TestHome::write(&place.global(), r#"{ "version": 1, "presets": ["dev", "local-work"] }"#);
    let workspace = place.project().parent().and_then(Path::parent).unwrap().to_owned();
    make_repository(&workspace, config);
    fs::create_dir_all(workspace.join("src")).unwrap();
    fs::write(workspace.join("src/a.rs"), "").unwrap();
    prepare(&workspace);
    for (command, expected) in commands {
        let said = place.run(&["check", "bash", command]);
        assert_eq!(said.code, *expected, "{config} {command}\n{}", said.out);
    }
}

#[test]
fn ordinary_repository_needs_no_question() {
    check(
        "[user]\n\tname = A\n[gc]\n\tauto = 0\n[commit]\n\tgpgsign = false\n",
        |_| {},
        &[
            ("git add -A && git commit -m \"$(cat <<'EOF'\nFix it\nEOF\n)\"", ALLOW),
            ("git add src && git status", ALLOW),
            ("git switch -c topic", ALLOW),
            ("mkdir -p src/b", ALLOW),
        ],
    );
}

#[test]
fn settings_that_commits_obey_are_a_question() {
    for config in [
        "[gc]\n\trecentObjectsHook = ./x\n",
        "[gc]\n\trepackFilter = blob:none\n\trepackFilterTo = /tmp/x\n",
        "[commit]\n\tgpgsign = true\n",
        "[user]\n\tsigningkey = ~/.ssh/id_rsa\n",
        "[gpg]\n\tformat = ssh\n",
    ] {
        check(
            config,
            |_| {},
            &[("git commit -m x", CONFIRM), ("git add src", CONFIRM), ("git status", ALLOW)],
        );
    }
    let lists = "[fsck]\n\tskipList = ../.env\n";
    check(lists, |_| {}, &[("git fsck", CONFIRM), ("git status", CONFIRM)]);
    check("[lfs \"extension.x\"]\n\tclean = ./x\n", |_| {}, &[("git diff", CONFIRM)]);
}

#[test]
fn hooks_of_others_are_a_question() {
    check("[core]\n\thooksPath = /etc\n", |_| {}, &[("git commit -m x", CONFIRM), ("git status", ALLOW)]);
    let link = |workspace: &Path| symlink("/bin/true", workspace.join(".git/hooks/pre-commit")).unwrap();
    check("", link, &[("git commit -m x", CONFIRM), ("git status", ALLOW)]);
    let own = |workspace: &Path| {
        fs::create_dir_all(workspace.join(".husky/_")).unwrap();
        fs::write(workspace.join(".husky/_/pre-commit"), "").unwrap();
    };
    check("[core]\n\thooksPath = .husky/_\n", own, &[("git commit -m x", ALLOW)]);
}

#[test]
fn other_repositories_are_not_recorded() {
    let nested = |workspace: &Path| make_repository(&workspace.join("src/inner"), "");
    let commands = [
        ("git add -A", CONFIRM),
        ("git add src && git status", CONFIRM),
        ("git add src/inner", CONFIRM),
        ("git add src/a.rs", ALLOW),
    ];
    check("", nested, &commands);
    let work_tree = |workspace: &Path| {
        fs::create_dir_all(workspace.join("src/inner")).unwrap();
        fs::write(workspace.join("src/inner/.git"), "gitdir: /tmp/x\n").unwrap();
    };
    check("", work_tree, &[("git add .", CONFIRM), ("git add -u", CONFIRM)]);
}

#[test]
fn file_that_became_a_repository_is_not_recorded() {
    let nested = |workspace: &Path| make_repository(&workspace.join("src/inner"), "");
    let commands = [
        ("git commit -am x && git status", CONFIRM),
        ("git commit -m x src", CONFIRM),
        ("git commit -m x", ALLOW),
    ];
    check("", nested, &commands);
}

#[test]
fn what_an_interrupted_command_left_is_a_question() {
    for name in ["MERGE_RR", "MERGE_AUTOSTASH"] {
        let left = |workspace: &Path| fs::write(workspace.join(".git").join(name), "x").unwrap();
        check("", left, &[("git commit -m x", CONFIRM), ("git status", ALLOW)]);
    }
}

#[test]
fn links_of_the_kernel_lead_elsewhere() {
    let links = |workspace: &Path| {
        symlink("/proc/self/cwd/k", workspace.join("x")).unwrap();
        symlink("/proc/self/cwd/od", workspace.join("y")).unwrap();
        fs::create_dir_all(workspace.join("od")).unwrap();
        fs::write(workspace.join("k"), "").unwrap();
    };
    let commands = [
        ("cat k", ALLOW),
        ("cat x", CONFIRM),
        ("cd src && cat ../x", CONFIRM),
        ("cd src && cd ../y && git status", CONFIRM),
        ("git -C y status", CONFIRM),
        ("cat /etc/hosts", ALLOW),
    ];
    check("", links, &commands);
    let decoy = |workspace: &Path| fs::create_dir_all(workspace.join("ev")).unwrap();
    check("[core]\n\thooksPath = /proc/self/cwd/ev\n", decoy, &[("git status", CONFIRM)]);
    check("[include]\n\tpath = /proc/self/cwd/ev/cfg\n", decoy, &[("git status", CONFIRM)]);
}

#[test]
fn names_of_the_same_text_are_not_read() {
    let commands = [
        ("git add src && cat $(git ls-files)", CONFIRM),
        ("git add src; git ls-files | xargs grep x", CONFIRM),
        ("mkdir 'b -r'; grep -h '' $(ls)", CONFIRM),
        ("mkdir b; cat $(find . -name x)", CONFIRM),
        ("git --icase-pathspecs add SRC", CONFIRM),
    ];
    check("", |_| {}, &commands);
}

#[test]
fn ignored_files_are_not_added() {
    let ignoring = |patterns: &'static str| {
        move |workspace: &Path| {
            fs::write(workspace.join(".env"), "KEY=1").unwrap();
            fs::write(workspace.join("src/.env"), "KEY=1").unwrap();
            fs::write(workspace.join(".gitignore"), patterns).unwrap();
        }
    };
    for patterns in [".env\n", "# secrets\n.env*\n", "*.log\n.env\n!.env.example\n"] {
        check(
            "",
            ignoring(patterns),
            &[
                ("git add .", ALLOW),
                ("git add -A && git commit -m x", ALLOW),
                ("git add src", ALLOW),
                ("git add -f .", CONFIRM),
                ("git add .env", CONFIRM),
            ],
        );
    }
    for patterns in ["", "/.env\n", ".env\n!src/.env\n", ".env\n!.ENV\n", "#.env\n"] {
        check("", ignoring(patterns), &[("git add .", CONFIRM)]);
    }
    let brought_back = |workspace: &Path| {
        ignoring(".env\n")(workspace);
        fs::write(workspace.join("src/.gitignore"), "!.env\n").unwrap();
    };
    check("", brought_back, &[("git add .", CONFIRM), ("git add src", CONFIRM)]);
    // Git does not read ignore files behind links.
    let linked = |workspace: &Path| {
        ignoring(".env\n")(workspace);
        fs::rename(workspace.join(".gitignore"), workspace.join("ignored")).unwrap();
        symlink("ignored", workspace.join(".gitignore")).unwrap();
    };
    check("", linked, &[("git add .", CONFIRM)]);
}

#[test]
fn settings_that_nobody_has_examined_are_a_question() {
    for config in ["[trailer \"sign\"]\n\tcommand = ./x\n", "[interactive]\n\tsingleKey = true\n"] {
        check(config, |_| {}, &[("git commit -m x", CONFIRM), ("git status", ALLOW)]);
    }
}
