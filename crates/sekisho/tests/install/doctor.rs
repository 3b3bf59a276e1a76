//! What `sekisho doctor` says about hooks that are installed.

use serde_json::Value;

use super::{AGENTS, Stand, mode, text};
use crate::place::Place;

impl Stand {
    fn doctor(&self) -> (i32, Vec<Value>) {
        let command = self.place.command(&["doctor", "--json"]).env("SEKISHO_LISTEN", "127.0.0.1:9");
        let said = self.place.said(&command.assert());
        let found: Vec<Value> =
            serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}{}", said.out, said.err));
        let ours = |finding: &Value| finding["check"] == "hook" || finding["check"] == "canary";
        (said.code, found.into_iter().filter(ours).collect())
    }

    #[track_caller]
    fn finds(&self, level: &str, said: &str) {
        let (code, found) = self.doctor();
        let is =
            |finding: &&Value| finding["level"] == level && finding["found"].as_str().unwrap().contains(said);
        assert!(found.iter().any(|finding| is(&finding)), "{said}: {found:#?}");
        assert_eq!(code, i32::from(found.iter().any(|finding| finding["level"] == "problem")), "{found:#?}");
    }
}

#[test]
fn hooks_that_refuse_are_in_the_path() {
    let stand = Stand::new();
    assert_eq!(stand.doctor(), (0, Vec::new()));
    for agent in AGENTS {
        stand.installed(&[agent]);
    }
    let (code, found) = stand.doctor();
    assert!(code == 0 && found.iter().all(|finding| finding["level"] == "ok"), "{found:#?}");
    let canaries = found.iter().filter(|finding| finding["check"] == "canary");
    assert_eq!(canaries.count(), AGENTS.len(), "{found:#?}");
}

#[test]
fn a_hook_that_lets_everything_through_is_found() {
    for agent in AGENTS {
        let stand = Stand::new();
        stand.installed(&[agent]);
        stand.hook_is("#!/bin/sh\necho '{\"decision\":\"allow\"}'\n");
        stand.finds("problem", "a call that is always refused would have run (exit code 0)");
        stand.hook_is("#!/bin/sh\necho 'no config' >&2; exit 2\n");
        stand.finds("problem", "the hook blocks, but not by the rules: no config");
    }
}

#[test]
fn what_was_changed_since_is_found() {
    let stand = Stand::new();
    let settings = stand.settings("claude-code");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    stand.finds("warning", "claude-code: ~/.claude is there, and no hook is installed");
    stand.installed(&["claude-code"]);
    let installed = text(&settings);
    Place::write(&settings, installed.replace("\"block\"", "\"continue\""));
    stand.finds("problem", "calls it otherwise than it was installed");
    assert_eq!(stand.place.run(&["status"]).code, 1);
    Place::write(&settings, "{}");
    stand.finds("problem", "does not call it: nothing is asked");
    Place::write(&settings, "{ // off\n}");
    stand.finds("problem", "Claude Code reads strict JSON only");
    Place::write(&settings, installed.replacen('{', "{ \"disableAllHooks\": true,", 1));
    stand.finds("problem", "`disableAllHooks` switches every hook off");
    Place::write(&settings, &installed);
    mode(&stand.hook(), 0o777);
    stand.finds("problem", "others may write");
    mode(&stand.hook(), 0o755);
    Place::write(&stand.installations()[0], "{}");
    stand.finds("problem", "an installation cannot be read, so its hook blocks every call");
    assert!(stand.place.run(&["status"]).out.contains("claude-code  unreadable"));
    stand.installed(&["claude-code"]);
    stand.installed(&["claude-code", "--project"]);
    stand.finds("warning", "each call is asked about twice");
}

#[test]
fn a_hook_that_is_gone_is_found() {
    for agent in AGENTS {
        let stand = Stand::new();
        stand.installed(&[agent]);
        std::fs::remove_file(stand.hook()).unwrap();
        stand.finds("problem", "the hook is not there");
        let (_, found) = stand.doctor();
        let canary = found.iter().find(|finding| finding["check"] == "canary").unwrap();
        assert_eq!(canary["level"], "problem", "{canary}");
    }
}

#[test]
fn programs_that_codex_could_type_into_unseen_are_found() {
    let stand = Stand::new();
    stand.installed(&["codex"]);
    let (_, found) = stand.doctor();
    assert!(found.iter().all(|finding| finding["level"] == "ok"), "{found:#?}");
    Place::write(
        &stand.place.global(),
        r#"{ "version": 1, "permissions": { "allow": [{ "tool": "bash", "command": "python3" }] } }"#,
    );
    stand.finds("warning", "a rule allows `python3` by itself");
}

#[test]
fn a_canary_is_on_the_record_and_not_in_the_figures() {
    let stand = Stand::new();
    let hook = snapbox::cmd::cargo_bin!("sekisho").with_file_name("sekisho-hook");
    std::fs::copy(&hook, stand.hook()).unwrap_or_else(|error| panic!("{}: {error}", hook.display()));
    stand.installed(&["claude-code"]);
    stand.finds("ok", "a call that is always refused was refused");
    let said = |arguments: &[&str]| stand.place.run(arguments).out;
    said(&["audit", "take-in"]);
    assert!(said(&["audit", "search"]).contains("sekisho approvals approve sekisho-canary"));
    let stats: Value = serde_json::from_str(&said(&["audit", "stats", "--json"])).unwrap();
    let denied = stats["hours"].as_array().unwrap().iter().map(|hour| hour["denied"].as_u64().unwrap());
    assert_eq!(denied.sum::<u64>(), 0, "{stats}");
}
