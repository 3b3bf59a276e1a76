//! What `sekisho doctor` reports about installed hooks.

use serde_json::Value;

use super::{AGENTS, InstallFixture, mode, text};
use crate::test_home::TestHome;

impl InstallFixture {
    fn doctor(&self) -> (i32, Vec<Value>) {
        let command = self.place.command(&["doctor", "--json"]).env("SEKISHO_LISTEN", "127.0.0.1:9");
        let output = self.place.output(&command.assert());
        let found: Vec<Value> =
            serde_json::from_str(&output.out).unwrap_or_else(|_| panic!("{}{}", output.out, output.err));
        let ours = |finding: &Value| finding["check"] == "hook" || finding["check"] == "canary";
        (output.code, found.into_iter().filter(ours).collect())
    }

    #[track_caller]
    fn finds(&self, level: &str, expected: &str) {
        let (code, found) = self.doctor();
        let is = |finding: &&Value| {
            finding["level"] == level && finding["found"].as_str().unwrap().contains(expected)
        };
        assert!(found.iter().any(|finding| is(&finding)), "{expected}: {found:#?}");
        assert_eq!(code, i32::from(found.iter().any(|finding| finding["level"] == "problem")), "{found:#?}");
    }
}

#[test]
fn hooks_that_deny_the_canary_pass() {
    let fixture = InstallFixture::new();
    assert_eq!(fixture.doctor(), (0, Vec::new()));
    for agent in AGENTS {
        fixture.installed(&[agent]);
    }
    let (code, found) = fixture.doctor();
    assert!(code == 0 && found.iter().all(|finding| finding["level"] == "ok"), "{found:#?}");
    let canaries = found.iter().filter(|finding| finding["check"] == "canary");
    assert_eq!(canaries.count(), AGENTS.len(), "{found:#?}");
}

#[test]
fn hook_that_allows_everything_is_a_problem() {
    for agent in AGENTS {
        let fixture = InstallFixture::new();
        fixture.installed(&[agent]);
        fixture.hook_is("#!/bin/sh\necho '{\"decision\":\"allow\"}'\n");
        fixture.finds("problem", "a test call that must be denied would have run (exit code 0)");
        fixture.hook_is("#!/bin/sh\necho 'no config' >&2; exit 2\n");
        fixture.finds("problem", "the hook blocks, but not because of a rule: no config");
    }
}

#[test]
fn changed_settings_are_reported() {
    let fixture = InstallFixture::new();
    let settings = fixture.settings("claude-code");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fixture.finds("warning", "claude-code: ~/.claude exists, but no hook is installed");
    fixture.installed(&["claude-code"]);
    let installed = text(&settings);
    TestHome::write(&settings, installed.replace("\"block\"", "\"continue\""));
    fixture.finds("problem", "no longer calls the hook as installed");
    assert_eq!(fixture.place.run(&["status"]).code, 1);
    TestHome::write(&settings, "{}");
    fixture.finds("problem", "does not call the hook: no call is decided");
    TestHome::write(&settings, "{ // off\n}");
    fixture.finds("problem", "Claude Code reads strict JSON only");
    TestHome::write(&settings, installed.replacen('{', "{ \"disableAllHooks\": true,", 1));
    fixture.finds("problem", "`disableAllHooks` switches every hook off");
    TestHome::write(&settings, &installed);
    mode(&fixture.hook(), 0o777);
    fixture.finds("problem", "others can write");
    mode(&fixture.hook(), 0o755);
    TestHome::write(&fixture.installations()[0], "{}");
    fixture.finds("problem", "cannot read an installation, so its hook blocks every call");
    assert!(fixture.place.run(&["status"]).out.contains("claude-code  unreadable"));
    fixture.installed(&["claude-code"]);
    fixture.installed(&["claude-code", "--project"]);
    fixture.finds("warning", "so it decides each call twice");
}

#[test]
fn missing_hook_is_reported() {
    for agent in AGENTS {
        let fixture = InstallFixture::new();
        fixture.installed(&[agent]);
        std::fs::remove_file(fixture.hook()).unwrap();
        fixture.finds("problem", "the hook does not exist");
        let (_, found) = fixture.doctor();
        let canary = found.iter().find(|finding| finding["check"] == "canary").unwrap();
        assert_eq!(canary["level"], "problem", "{canary}");
    }
}

#[test]
fn programs_codex_can_type_into_are_reported() {
    let fixture = InstallFixture::new();
    fixture.installed(&["codex"]);
    let (_, found) = fixture.doctor();
    assert!(found.iter().all(|finding| finding["level"] == "ok"), "{found:#?}");
    TestHome::write(
        &fixture.place.global(),
        r#"{ "version": 1, "permissions": { "allow": [{ "tool": "bash", "command": "python3" }] } }"#,
    );
    fixture.finds("warning", "a rule allows `python3`, and Codex");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests start programs")]
fn a_canary_is_on_the_record_and_not_in_the_figures() {
    let stand = InstallFixture::new();
    let hook = snapbox::cmd::cargo_bin!("sekisho").with_file_name("sekisho-hook");
    // Not by this process: a child of another test could inherit the file while it is open for writing, and then
    // it cannot be executed.
    let copied = std::process::Command::new("cp").args([&hook, &stand.hook()]).status().unwrap();
    assert!(copied.success(), "{} cannot be copied", hook.display());
    stand.installed(&["claude-code"]);
    stand.finds("ok", "the hook denied a test call");
    let said = |arguments: &[&str]| stand.place.run(arguments).out;
    said(&["audit", "import-spools"]);
    assert!(said(&["audit", "search", "--json"]).contains("sekisho approvals approve sekisho-canary"));
    let stats: Value = serde_json::from_str(&said(&["audit", "stats", "--json"])).unwrap();
    let denied =
        stats["stats"]["hours"].as_array().unwrap().iter().map(|hour| hour["denied"].as_u64().unwrap());
    assert_eq!(denied.sum::<u64>(), 0, "{stats}");
}
