use super::{InstallFixture, mode, text};
use crate::test_home::TestHome;

#[test]
fn without_a_terminal_nobody_is_asked_and_nothing_is_written() {
    let stand = InstallFixture::new();
    let said = stand.install(&["claude-code"]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("+ "), "{}", said.out);
    assert!(
        said.err.contains("there is no terminal to ask on; look at the change, then give `--yes`"),
        "{}",
        said.err
    );
    assert!(!stand.settings("claude-code").exists());
    stand.installed(&["claude-code"]);
    let before = text(&stand.settings("claude-code"));
    let said = stand.place.run(&["uninstall", "claude-code"]);
    assert_eq!((said.code, said.err.contains("no terminal")), (1, true), "{}", said.err);
    assert_eq!(text(&stand.settings("claude-code")), before);
}

#[test]
fn a_hook_that_is_not_fit_is_not_installed() {
    let stand = InstallFixture::new();
    let refused = |said: &str| {
        let told = stand.install(&["claude-code", "--yes"]);
        assert_eq!(told.code, 1, "{}", told.out);
        assert!(told.err.contains(said), "{said}: {}", told.err);
        assert!(!stand.settings("claude-code").exists());
    };
    mode(&stand.hook(), 0o777);
    refused("others may write");
    mode(&stand.hook(), 0o600);
    refused("cannot be executed, so it is not installed; `chmod +x");
    std::fs::remove_file(stand.hook()).unwrap();
    refused("the hook is not there; install `sekisho-hook` beside `sekisho`, or name it with `--hook`");
}

#[test]
fn settings_that_cannot_be_read_are_left_alone() {
    for (agent, broken, said) in [
        ("claude-code", "{\n  // a comment\n}", "settings.json:2:3: "),
        (
            "claude-code",
            "{ \"hooks\": 7 }",
            "settings.json: `hooks` is not an object; put it right, or move the file away",
        ),
        ("codex", "model = \n", "config.toml:1:"),
        ("gemini-cli", "{", "settings.json:1:"),
        ("opencode", "[]", "opencode.json: it is not an object"),
    ] {
        let stand = InstallFixture::new();
        TestHome::write(&stand.settings(agent), broken);
        for command in ["install", "uninstall"] {
            let told = match command {
                "install" => stand.install(&[agent, "--yes"]),
                _ => stand.place.run(&["uninstall", agent, "--yes"]),
            };
            // Where there is nothing to take out, a form that we could not add to does not matter.
            if told.code != 0 || command == "install" {
                assert_eq!(told.code, 1, "{command} {agent}: {}", told.out);
                assert!(
                    told.err.contains(said) && told.err.contains("nothing was changed"),
                    "{command} {agent}: {}",
                    told.err
                );
            }
            assert_eq!(text(&stand.settings(agent)), broken);
        }
    }
}

/// This very program, somewhere else.
#[expect(
    clippy::disallowed_methods,
    reason = "a program that this process writes may be busy when it is started"
)]
fn moved(stand: &InstallFixture) -> std::path::PathBuf {
    let there = stand.place.home().join("moved/sekisho");
    std::fs::create_dir_all(there.parent().unwrap()).unwrap();
    let here = snapbox::cmd::cargo_bin!("sekisho");
    if std::fs::hard_link(here, &there).is_err() {
        assert!(std::process::Command::new("cp").arg(here).arg(&there).status().unwrap().success());
    }
    there
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the program is started from where it was moved to")]
fn sekisho_hook_becomes_the_hook_beside_it_or_blocks() {
    let stand = InstallFixture::new();
    let sekisho = moved(&stand);
    let run = || {
        let output = std::process::Command::new(&sekisho)
            .args(["hook", "codex", "--installation", "a b"])
            .env_clear()
            .env("HOME", stand.place.home())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, out, err) = run();
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("the hook could not be started"), "{err}");
    let beside = sekisho.with_file_name("sekisho-hook");
    sekisho_testkit::write_executable(&beside, "#!/bin/sh\nprintf '%s|' \"$@\"; echo no >&2; exit 5\n");
    assert_eq!(run(), (Some(5), "codex|--installation|a b|".into(), "no\n".into()));
}
