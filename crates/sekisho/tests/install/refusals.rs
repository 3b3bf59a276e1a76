use super::{InstallFixture, mode, text};
use crate::test_home::TestHome;

#[test]
fn without_a_terminal_nothing_is_written() {
    let fixture = InstallFixture::new();
    let output = fixture.install(&["claude-code"]);
    assert_eq!(output.code, 1);
    assert!(output.out.contains("+ "), "{}", output.out);
    assert!(
        output.err.contains("there is no terminal to ask on; check the change, then pass `--yes`"),
        "{}",
        output.err
    );
    assert!(!fixture.settings("claude-code").exists());
    fixture.installed(&["claude-code"]);
    let before = text(&fixture.settings("claude-code"));
    let output = fixture.place.run(&["uninstall", "claude-code"]);
    assert_eq!((output.code, output.err.contains("no terminal")), (1, true), "{}", output.err);
    assert_eq!(text(&fixture.settings("claude-code")), before);
}

#[test]
fn unsuitable_hook_is_not_installed() {
    let fixture = InstallFixture::new();
    let refused = |expected: &str| {
        let output = fixture.install(&["claude-code", "--yes"]);
        assert_eq!(output.code, 1, "{}", output.out);
        assert!(output.err.contains(expected), "{expected}: {}", output.err);
        assert!(!fixture.settings("claude-code").exists());
    };
    mode(&fixture.hook(), 0o777);
    refused("others can write");
    mode(&fixture.hook(), 0o600);
    refused("is not executable, so it is not installed; run `chmod +x");
    std::fs::remove_file(fixture.hook()).unwrap();
    refused(
        "the hook does not exist; install `sekisho-hook` beside `sekisho`, or give its path with `--hook`",
    );
}

#[test]
fn unreadable_settings_are_not_changed() {
    for (agent, broken, expected) in [
        ("claude-code", "{\n  // a comment\n}", "settings.json:2:3: "),
        (
            "claude-code",
            "{ \"hooks\": 7 }",
            "settings.json: `hooks` is not an object; fix it, or move the file away",
        ),
        ("codex", "model = \n", "config.toml:1:"),
        ("gemini-cli", "{", "settings.json:1:"),
        ("opencode", "[]", "opencode.json: the top level is not an object"),
    ] {
        let fixture = InstallFixture::new();
        TestHome::write(&fixture.settings(agent), broken);
        for command in ["install", "uninstall"] {
            let output = match command {
                "install" => fixture.install(&[agent, "--yes"]),
                _ => fixture.place.run(&["uninstall", agent, "--yes"]),
            };
            // Uninstalling succeeds where there is nothing to remove, even in a form that we could not add
            // to.
            if output.code != 0 || command == "install" {
                assert_eq!(output.code, 1, "{command} {agent}: {}", output.out);
                assert!(
                    output.err.contains(expected) && output.err.contains("nothing was changed"),
                    "{command} {agent}: {}",
                    output.err
                );
            }
            assert_eq!(text(&fixture.settings(agent)), broken);
        }
    }
}

/// A copy of this program in another directory.
#[expect(
    clippy::disallowed_methods,
    reason = "a program that this process writes may be busy when it is started"
)]
fn moved(fixture: &InstallFixture) -> std::path::PathBuf {
    let there = fixture.place.home().join("moved/sekisho");
    std::fs::create_dir_all(there.parent().unwrap()).unwrap();
    let here = snapbox::cmd::cargo_bin!("sekisho");
    if std::fs::hard_link(here, &there).is_err() {
        assert!(std::process::Command::new("cp").arg(here).arg(&there).status().unwrap().success());
    }
    there
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the program is started from where it was moved to")]
fn hook_command_starts_the_hook_or_blocks() {
    let fixture = InstallFixture::new();
    let sekisho = moved(&fixture);
    let run = || {
        let output = std::process::Command::new(&sekisho)
            .args(["hook", "codex", "--installation", "a b"])
            .env_clear()
            .env("HOME", fixture.place.home())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, out, err) = run();
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("cannot start the hook"), "{err}");
    let beside = sekisho.with_file_name("sekisho-hook");
    sekisho_testkit::write_executable(&beside, "#!/bin/sh\nprintf '%s|' \"$@\"; echo no >&2; exit 5\n");
    assert_eq!(run(), (Some(5), "codex|--installation|a b|".into(), "no\n".into()));
}
