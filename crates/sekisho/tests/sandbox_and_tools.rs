//! `sekisho sandbox` and `sekisho tool`.

use crate::test_home::TestHome;

#[test]
fn sandbox_limits_any_command() {
    let home = TestHome::new();
    let text = "echo out; touch here 2>/dev/null || echo no; touch $TMPDIR/x && echo yes; exit 5";
    let output = home.run(&["sandbox", "--", "bash", "-c", text]);
    assert_eq!((output.code, output.out.as_str()), (5, "out\nno\nyes\n"), "{}", output.err);
    let output = home.run(&["sandbox", "--write", ".", "--", "bash", "-c", "touch here && kill -9 $$"]);
    assert_eq!(output.code, 128 + 9, "{}", output.err);
    assert!(home.home().join("../project/here").exists());
    let output = home.run(&["sandbox", "--", "no-such-program"]);
    assert_eq!(output.code, 125);
    assert!(output.err.contains("`no-such-program` cannot be started"), "{}", output.err);
    let output = home.run(&["sandbox", "--write", "missing", "--", "true"]);
    assert_eq!((output.code, output.err.contains("missing` is not")), (125, true), "{}", output.err);
}

/// Whoever made the link would choose what becomes writable.
#[test]
fn sandbox_does_not_follow_links_to_writable_directories() {
    let home = TestHome::new();
    let project = home.home().join("../project").canonicalize().unwrap();
    for dir in ["real/out", "victim/out"] {
        std::fs::create_dir_all(project.join(dir)).unwrap();
    }
    std::os::unix::fs::symlink("victim", project.join("evil")).unwrap();
    let write = |dir: &str| home.run(&["sandbox", "--write", dir, "--", "touch", &format!("{dir}/x")]);
    for dir in ["evil", "evil/out", "./evil/out", "real/../evil/out"] {
        let output = write(dir);
        assert!(output.code == 125 && output.err.contains("is or contains a link"), "{dir}: {}", output.err);
    }
    assert!(!project.join("victim/x").exists() && !project.join("victim/out/x").exists());
    for dir in ["real/out", "./real/", "real/out/../out"] {
        assert_eq!(write(dir).code, 0, "{dir}");
    }
}

/// A command that may write a directory above can put a link in its place.
#[test]
fn named_root_is_not_reached_through_a_link_of_a_command() {
    let home = TestHome::new();
    let base = home.home().join("../project").canonicalize().unwrap();
    for dir in ["work/a/project/doc", "victim/project/doc"] {
        std::fs::create_dir_all(base.join(dir)).unwrap();
    }
    TestHome::write(
        &home.global(),
        r#"{ "version": 1, "permissions": { "allow": [{ "tool": "file_write" }] } }"#,
    );
    let root = base.join("work/a/project");
    let write = || {
        let arguments = ["tool", "run", "file_write", "--path", "doc/new", "--content", "x"];
        home.output(&home.command(&arguments).env("SEKISHO_PROJECT_ROOT", &root).assert())
    };
    assert_eq!(write().code, 0);
    assert!(root.join("doc/new").exists());
    let work = base.join("work");
    let text = "mv a b && ln -s ../victim a";
    let output = home.run(&["sandbox", "--write", "work", "--", "sh", "-c", &format!("cd work; {text}")]);
    assert_eq!(output.code, 0, "{}", output.err);
    assert!(work.join("a").is_symlink());
    let output = write();
    assert!(output.err.contains("is a link that a command could have made"), "{}", output.err);
    assert!(!base.join("victim/project/doc/new").exists());
}

#[test]
fn sandbox_passes_no_environment() {
    let output = TestHome::new().run(&[
        "sandbox",
        "--",
        "bash",
        "-c",
        "compgen -e | grep -v '^_$' | sort | tr '\\n' ' '",
    ]);
    for name in output.out.split_whitespace() {
        let usual = ["HOME", "OLDPWD", "PATH", "PWD", "SHLVL", "TMPDIR", "USER"];
        assert!(usual.contains(&name), "{}", output.out);
    }
}

#[test]
fn tool_runs_through_the_gate() {
    let home = TestHome::new();
    let output = home.run_without_terminal(&["tool", "run", "shell_exec", "--command", "ls | wc -l"]);
    assert_eq!(output.code, 0, "{}", output.err);
    let told: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!((&told["exit_code"], &told["stdout"]), (&0.into(), &"0\n".into()), "{told}");
    let output = home.run_without_terminal(&["audit", "search", "--json"]);
    assert!(
        output.out.contains("tool.execution_started") && output.out.contains("tool.execution_completed"),
        "{}",
        output.out
    );
}

#[test]
fn tool_needs_an_answer_or_a_rule() {
    let home = TestHome::new();
    let run = |home: &TestHome| {
        home.run_without_terminal(&["tool", "run", "shell_exec", "--command", "touch $TMPDIR/x"])
    };
    let output = run(&home);
    assert_eq!(output.code, 3, "{}", output.err);
    TestHome::write(
        &home.global(),
        r#"{ "version": 1, "permissions": { "deny": [{ "tool": "shell_exec" }] } }"#,
    );
    assert_eq!(run(&home).code, 2);
}

#[test]
fn wrong_input_is_reported() {
    let home = TestHome::new();
    for (words, message) in [
        (
            &["tool", "run", "shell"][..],
            "unknown tool `shell`; the tools are create_sub_agent, done, edit, execute_sub_agent, file_write, get_sub_agent_result, git_ops, glob_search, grep, read, self_eval, shell_exec, skill_load, todo_read, todo_write, tool_output_cache, tool_output_cache_grep, web_fetch, web_search",
        ),
        (&["tool", "run", "shell_exec"], "Missing 'command' parameter"),
        (&["tool", "run", "shell_exec", "--cwd", "/"], "`shell_exec` has no field `cwd`"),
        (&["tool", "show", "shell"], "unknown tool `shell`"),
    ] {
        let output = home.run_without_terminal(words);
        assert_eq!(output.code, 64, "{words:?}: {}", output.err);
        assert!(output.err.contains(message), "{words:?}: {}", output.err);
    }
}
