//! Arguments that git could read as something else, and what every invocation has.

mod user_files;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use sekisho_tools::git_ops::{GitCall, GitSettings, Writable};
use serde_json::{Value, json};

use super::{act, append, execute, git_programs, prepare, repository, set_up};
use crate::project::listing;

#[test]
fn read_actions_change_nothing() {
    let project = repository();
    append(
        &project.path("work/.git/config"),
        "[core]\nuntrackedCache = true\nsplitIndex = true\n[diff]\nautoRefreshIndex = true\n",
    );
    fs::write(project.path("work/f.txt"), "two\n").unwrap();
    let before = listing(&project.path("work"));
    for action in ["status", "diff", "log", "show", "branch_list"] {
        let call = prepare(&project, &json!({ "action": action })).unwrap();
        assert_eq!(call.list_config().writable, Writable::Nothing);
        assert_eq!(call.invocation(b"").unwrap().writable, Writable::Nothing);
        assert!(!act(&project, action, &json!({})).is_error);
        assert_eq!(listing(&project.path("work")), before, "{action}");
    }
    let call = prepare(&project, &json!({ "action": "commit", "args": { "message": "x" } })).unwrap();
    let Writable::Repository(paths) = call.invocation(b"").unwrap().writable else { panic!("commit writes") };
    assert_eq!(paths.work_tree.path, project.path("work").canonicalize().unwrap());
}

#[test]
fn options_are_refused_in_every_argument() {
    let project = repository();
    let written = project.path("written").display().to_string();
    let values = [
        format!("--output={written}"),
        "-x".into(),
        "--".into(),
        "-".into(),
        "--help".into(),
        "--no-index".into(),
        format!("--exec={written}"),
        format!("--upload-pack={written}"),
        "-c".into(),
        "--git-dir=/tmp".into(),
        "--end-of-options".into(),
        "-b".into(),
        "a\nb".into(),
        "a\rb".into(),
        "a\0b".into(),
        String::new(),
    ];
    for value in &values {
        for (action, name, args) in [
            ("show", "ref", json!({ "ref": value })),
            ("checkout", "branch_name", json!({ "branch_name": value })),
            ("branch_create", "branch_name", json!({ "branch_name": value })),
            ("add", "files", json!({ "files": [value] })),
            ("add", "files", json!({ "files": ["f.txt", value] })),
        ] {
            let result = act(&project, action, &args);
            assert!(
                result.is_error && result.content.contains(&format!("Parameter '{name}'")),
                "{action} {value:?}: {}",
                result.content
            );
            assert!(!result.content.contains(['\0', '\n', '\r']), "{}", result.content);
        }
    }
    // A message may look like an option. It is the value of one, and never an option itself.
    for value in values.iter().filter(|value| value.starts_with('-')) {
        fs::write(project.path("work/f.txt"), value).unwrap();
        assert!(!act(&project, "add", &json!({ "files": ["f.txt"] })).is_error, "{value}");
        let result = act(&project, "commit", &json!({ "message": value }));
        assert!(!result.is_error, "{value}: {}", result.content);
        assert_eq!(set_up(&project.path("work"), &["log", "-1", "--format=%B"]), *value);
    }
    for value in ["--force", "-f", "--force-with-lease"] {
        let result = act(&project, "checkout", &json!({ "branch_name": value }));
        assert!(result.content.starts_with("Forbidden"), "{}", result.content);
    }
    for args in [
        json!({ "max_count": -1 }),
        json!({ "max_count": "1 --output=x" }),
        json!({ "max_count": 1.5 }),
        json!([1]),
    ] {
        assert!(act(&project, "log", &args).is_error, "{args}");
    }
    assert!(!act(&project, "log", &json!({ "max_count": u64::MAX })).is_error);
    assert!(!project.path("written").exists() && !project.path("work/written").exists());
}

#[test]
fn values_are_taken_literally() {
    let project = repository();
    fs::write(project.path("work/f.txt"), "two\n").unwrap();
    for file in [
        ":(top)f.txt",
        ":/f.txt",
        "*",
        ":(attr:filter)x",
        ":!x",
        "../outside/secret",
        "/etc/passwd",
        "f.txt --chmod=+x",
    ] {
        let result = act(&project, "add", &json!({ "files": [file] }));
        assert!(result.is_error, "{file}: {}", result.content);
    }
    assert_eq!(set_up(&project.path("work"), &["diff", "--cached", "--name-only"]), "");
    // A file of that name is not restored.
    assert!(act(&project, "checkout", &json!({ "branch_name": "f.txt" })).is_error);
    assert_eq!(project.text("work/f.txt"), "two\n");
    for revision in ["HEAD --output=written", "nothing", "f.txt", "HEAD^{/x", "..", "HEAD:missing"] {
        let result = act(&project, "show", &json!({ "ref": revision }));
        assert!(result.is_error || revision == "..", "{revision}: {}", result.content);
    }
    for name in ["a..b", "a b", "a:b", "~x", ".lock", "refs/heads/", "HEAD^"] {
        assert!(act(&project, "branch_create", &json!({ "branch_name": name })).is_error, "{name}");
    }
    assert!(!act(&project, "add", &json!({ "files": ["f.txt"] })).is_error);
    let message = "--amend\n\n# kept\n$(id) `id`\u{1b}[31m";
    let result = act(&project, "commit", &json!({ "message": message }));
    assert!(!result.is_error, "{}", result.content);
    assert_eq!(set_up(&project.path("work"), &["log", "-1", "--format=%B%an"]), format!("{message}\nAgent"));
    assert!(act(&project, "commit", &json!({ "message": "a\0b" })).is_error);
}

#[test]
fn invalid_utf8_and_odd_names_do_no_harm() {
    let project = repository();
    let work = project.path("work");
    for name in [b"bad\xff.txt".as_slice(), b"new\nline", b"\x1b[31mred"] {
        fs::write(work.join(OsStr::from_bytes(name)), b"\xff\xfe\n").unwrap();
    }
    fs::write(work.join("f.txt"), b"\xff\xfe\x1b[2J\n").unwrap();
    for action in ["status", "diff"] {
        let result = act(&project, action, &json!({}));
        let output: Value = serde_json::from_str(&result.content).unwrap();
        assert_eq!(output["success"], true);
    }
    let status: Value = serde_json::from_str(&act(&project, "status", &json!({})).content).unwrap();
    assert_eq!(status["output"].as_str().unwrap().lines().count(), 4, "{status}");
    assert!(!act(&project, "add", &json!({ "files": ["."] })).is_error);
    assert!(!act(&project, "commit", &json!({ "message": "odd" })).is_error);
    for action in ["log", "show"] {
        let result = act(&project, action, &json!({}));
        assert!(!result.is_error && serde_json::from_str::<Value>(&result.content).is_ok());
    }
    append(&work.join(".git/config"), b"[filter \"\xff\"]\nclean = x\n");
    assert!(!act(&project, "status", &json!({})).is_error);
}

#[test]
fn file_with_a_filter_is_not_stored_unfiltered() {
    let project = repository();
    append(&project.path("work/.gitattributes"), "*.bin filter=lfs\n*.enc filter=crypt\n");
    append(&project.path("work/.git/config"), "[filter \"crypt\"]\nclean = cat\nsmudge = cat\n");
    for name in ["large.bin", "secret.enc"] {
        fs::write(project.path("work").join(name), "contents\n").unwrap();
        let result = act(&project, "add", &json!({ "files": [name] }));
        assert!(result.is_error && result.content.contains("filter"), "{name}: {}", result.content);
    }
    assert_eq!(set_up(&project.path("work"), &["diff", "--cached", "--name-only"]), "");
}

#[test]
fn environment_is_complete_and_fixed() {
    let project = repository();
    let call = prepare(&project, &json!({ "action": "status" })).unwrap();
    let invocation = call.invocation(b"filter.x.clean\0core.bare\0hook.h.command\0").unwrap();
    let value = |name: &str| {
        let mut found = invocation.env.iter().filter(|(other, _)| other == name).map(|(_, value)| value);
        let value = found.next().map(|value| value.to_string_lossy().into_owned());
        assert!(found.next().is_none(), "{name} is given twice");
        value
    };
    for (name, expected) in [
        ("PATH", "/dev/null"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("LC_ALL", "C"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ] {
        assert_eq!(value(name).as_deref(), Some(expected), "{name}");
    }
    let keys: Vec<String> =
        invocation.env.iter().map(|(_, value)| value.to_string_lossy().into_owned()).collect();
    for key in ["filter.x.clean", "filter.x.process", "filter.x.smudge", "hook.h.enabled", "core.hooksPath"] {
        assert!(keys.iter().any(|other| other == key), "{key}");
    }
    let many: Vec<u8> = (0..1000).flat_map(|n| format!("filter.f{n}.clean\0").into_bytes()).collect();
    assert!(call.invocation(&many).is_err());
}

#[test]
fn commit_without_an_author_is_refused() {
    let project = repository();
    let call = prepare(&project, &json!({ "action": "commit", "args": { "message": "x" } })).unwrap();
    let author = |listed: &[u8]| {
        let invocation = call.invocation(listed)?;
        let named = |name: &str| {
            let found = invocation.env.iter().find(|(other, _)| other == name);
            found.map(|(_, value)| value.to_string_lossy().into_owned())
        };
        Ok::<_, sekisho_tools::ToolResult>((named("GIT_AUTHOR_NAME"), named("GIT_COMMITTER_EMAIL")))
    };
    let ours = author(b"core.bare\0").unwrap();
    assert_eq!(ours, (Some("Agent".into()), Some("agent@example.com".into())));
    assert_eq!(author(b"user.name\0").unwrap(), ours, "half an author is none");
    assert_eq!(author(b"user.name\0user.email\0").unwrap(), (None, None), "the repository names one");
    let nobody = GitSettings { program: "/usr/bin/git".into(), identity: None };
    let input = json!({ "action": "commit", "args": { "message": "x" } });
    let call = GitCall::new(&input, &project.context, nobody).unwrap();
    let refused = call.invocation(b"core.bare\0").unwrap_err();
    assert!(refused.content.contains("no author is configured"), "{}", refused.content);
    assert!(call.invocation(b"user.name\0user.email\0").is_ok());
}

#[test]
fn every_git_of_this_machine_runs_every_action() {
    for program in git_programs() {
        let project = repository();
        fs::write(project.path("work/doc/new"), "x").unwrap();
        for (action, args) in [
            ("status", json!({})),
            ("diff", json!({})),
            ("log", json!({})),
            ("show", json!({ "ref": "other" })),
            ("branch_list", json!({})),
            ("add", json!({ "files": ["doc/new"] })),
            ("branch_create", json!({ "branch_name": "new" })),
            ("checkout", json!({ "branch_name": "main" })),
        ] {
            let settings = GitSettings { program: program.clone(), identity: None };
            let input = json!({ "action": action, "args": args });
            let call = GitCall::new(&input, &project.context, settings).unwrap();
            let listed = execute(&call.list_config()).stdout;
            call.check_index(&execute(&call.list_index()).stdout).unwrap();
            let output = execute(&call.invocation(&listed).unwrap());
            assert!(output.status.success(), "{}, {action}: {output:?}", program.display());
        }
        assert_eq!(set_up(&project.path("work"), &["branch", "--show-current"]), "main");
    }
}
