use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use snapbox::{assert_data_eq, file, str};

use super::{AGENTS, Stand, mode, text};
use crate::place::Place;

#[test]
fn the_change_is_shown_and_the_next_steps_are_said() {
    let stand = Stand::new();
    Place::write(&stand.settings("claude-code"), "{\n  \"model\": \"opus\"\n}\n");
    let said = stand.install(&["claude-code", "--yes"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_data_eq!(said.out, file!["said/installed.txt"]);
    let again = stand.installed(&["claude-code"]);
    assert_data_eq!(
        again,
        str![[r#"
claude-code is installed already, in ~/.claude/settings.json; nothing was changed

"#]]
    );
    let said = stand.place.run(&["status"]);
    assert_data_eq!(
        said.out,
        str![[r#"
claude-code  in place   ~/.claude/settings.json global, no server answers

"#]]
    );
    assert_eq!(said.code, 0);
    let said = stand.uninstalled(&["claude-code"]);
    assert_data_eq!(
        said.lines().rev().take(2).collect::<Vec<_>>().join("\n"),
        str![[r#"
Claude Code no longer asks sekisho by ~/.claude/settings.json, from its next start on
the settings as they were: ~/.local/state/sekisho/backups/claude-code-[..]
"#]]
    );
    assert_eq!(
        stand.place.run(&["status"]).out,
        "no agent is held by the hook; `sekisho install AGENT` does that\n"
    );
    assert_data_eq!(
        stand.uninstalled(&["claude-code"]),
        str![[r#"
claude-code was not installed in ~/.claude/settings.json; nothing was changed

"#]]
    );
}

#[test]
fn what_the_hook_is_told_is_pinned() {
    let stand = Stand::new();
    stand.installed(&["claude-code", "--wait", "1200", "--headless", "deny"]);
    let [file] = &stand.installations()[..] else { panic!("{:?}", stand.installations()) };
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let pinned: Value = serde_json::from_str(&text(file)).unwrap();
    let state = stand.place.home().join(".local/state/sekisho");
    assert_eq!(pinned["agent"], "claude-code");
    assert_eq!(pinned["reach"], "global");
    assert_eq!(pinned["hook"], stand.hook().to_str().unwrap());
    assert_eq!(pinned["settings"], stand.settings("claude-code").to_str().unwrap());
    assert_eq!(pinned["limit_s"], 1200);
    assert_eq!(pinned["unattended"], "deny");
    assert_eq!(pinned["database"]["file"], state.join("ledger.db").to_str().unwrap());
    assert_eq!(pinned["socket"], state.join("sekisho.sock").to_str().unwrap());
    assert_eq!(pinned["locations"]["managed"], "/etc/sekisho/config.json");
    assert!(pinned["locations"]["doors"].as_array().unwrap().contains(&"127.0.0.1:8787".into()));
    let settings: Value = serde_json::from_str(&text(&stand.settings("claude-code"))).unwrap();
    let handler = &settings["hooks"]["PreToolUse"][0]["hooks"][0];
    assert_eq!(handler["command"], stand.hook().to_str().unwrap());
    assert_eq!(handler["args"], serde_json::json!(["claude-code", "--installation", file]));
    assert_eq!((&handler["timeout"], &handler["onFailure"]), (&1200.into(), &"block".into()));
    // What was wished before stays, unless it is said anew.
    assert!(stand.installed(&["claude-code"]).contains("nothing was changed"));
    assert!(stand.installed(&["claude-code", "--headless", "defer"]).contains("installed"));
    let pinned: Value = serde_json::from_str(&text(file)).unwrap();
    assert_eq!((&pinned["limit_s"], &pinned["unattended"]), (&1200.into(), &"defer".into()));
    stand.installed(&["claude-code", "--wait", "60"]);
    let settings: Value = serde_json::from_str(&text(&stand.settings("claude-code"))).unwrap();
    assert_eq!(settings["hooks"]["PreToolUse"].as_array().unwrap().len(), 1);
    assert_eq!(settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"], 60);
}

/// Settings as people have them, the odd ones included.
fn texts(agent: &str) -> &'static [&'static str] {
    match agent {
        "codex" => &[
            "",
            "model = \"x\"",
            "# mine\r\nmodel = \"x\" # good\r\n",
            "hooks = { Stop = [] }\n",
            "[hooks]\nPreToolUse = []\n",
            "[hooks]\n[hooks.state]\n",
        ],
        "claude-code" => &[
            "{}",
            "{ }\n",
            "{\"model\":\"opus\"}",
            "{\"hooks\":{}}",
            "{\n\n\t\"hooks\" : { \"PreToolUse\" : [ ] }\n}",
            "",
        ],
        _ => &[
            "{}",
            "// only this\n{ /* nothing */ }",
            "{\"hooks\":{\"BeforeTool\":[]},\"plugin\":[]}",
            "{\n  \"plugin\": [ // none\n  ]\n}\n",
        ],
    }
}

#[test]
fn installing_and_uninstalling_gives_the_original_bytes() {
    for agent in AGENTS {
        for before in texts(agent) {
            let stand = Stand::new();
            let settings = stand.settings(agent);
            Place::write(&settings, before);
            mode(&settings, 0o640);
            stand.installed(&[agent]);
            assert_ne!(text(&settings), *before, "{agent}");
            stand.installed(&[agent, "--wait", "1200"]);
            stand.uninstalled(&[agent]);
            assert_eq!(text(&settings), *before, "{agent}");
            assert_eq!(settings.metadata().unwrap().permissions().mode() & 0o777, 0o640);
            assert_eq!(stand.installations(), [] as [std::path::PathBuf; 0], "{agent}");
        }
        let stand = Stand::new();
        stand.installed(&[agent]);
        assert!(stand.settings(agent).exists());
        stand.uninstalled(&[agent]);
        assert!(!stand.settings(agent).exists(), "{agent}: there was no file before");
        assert!(!stand.settings(agent).parent().unwrap().exists(), "{agent}: nor a directory");
    }
}

#[test]
fn what_others_changed_in_between_stays() {
    let stand = Stand::new();
    let settings = stand.settings("claude-code");
    Place::write(&settings, "{\n  \"model\": \"opus\"\n}\n");
    stand.installed(&["claude-code"]);
    Place::write(&settings, text(&settings).replace("opus", "sonnet"));
    stand.uninstalled(&["claude-code"]);
    assert_eq!(text(&settings), "{\n  \"model\": \"sonnet\"\n}\n");
}

fn files(directory: &Path) -> Vec<PathBuf> {
    directory.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_work_tree_gets_no_copies() {
    for (agent, name) in [
        ("claude-code", ".claude/settings.local.json"),
        ("gemini-cli", ".gemini/settings.json"),
        ("opencode", "opencode.json"),
    ] {
        let stand = Stand::new();
        let settings = stand.place.project().ancestors().nth(2).unwrap().join(name);
        Place::write(&settings, "");
        let before = files(settings.parent().unwrap()).len();
        stand.installed(&[agent, "--project"]);
        stand.uninstalled(&[agent, "--project"]);
        assert_eq!(text(&settings), "", "{agent}");
        assert_eq!(files(settings.parent().unwrap()).len(), before, "{agent}");
        assert_eq!(files(&stand.place.home().join(".local/state/sekisho/backups")).len(), 2, "{agent}");
    }
}

#[test]
fn a_copy_is_kept_for_each_change_and_links_are_followed() {
    let stand = Stand::new();
    let dotfiles = stand.place.home().join("dotfiles/claude.json");
    Place::write(&dotfiles, "{}\n");
    std::fs::create_dir_all(stand.place.home().join(".claude")).unwrap();
    std::os::unix::fs::symlink(&dotfiles, stand.settings("claude-code")).unwrap();
    stand.installed(&["claude-code"]);
    stand.installed(&["claude-code"]);
    assert!(stand.settings("claude-code").symlink_metadata().unwrap().is_symlink());
    assert!(text(&dotfiles).contains("sekisho-hook"));
    let [copy] = &files(&stand.place.home().join(".local/state/sekisho/backups"))[..] else { panic!() };
    assert_eq!(text(copy), "{}\n");
    assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o600, "there may be keys in it");
    assert_eq!(copy.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(files(&stand.place.home().join(".claude")), [stand.settings("claude-code")]);
}

#[test]
fn a_project_has_settings_of_its_own() {
    let stand = Stand::new();
    let project = stand.place.project();
    let root = project.ancestors().nth(2).unwrap();
    stand.installed(&["claude-code", "--project"]);
    assert!(text(&root.join(".claude/settings.local.json")).contains("sekisho-hook"));
    assert!(!stand.settings("claude-code").exists());
    let shared = stand.installed(&["gemini-cli", "--project"]);
    assert!(shared.contains("others may share this file"), "{shared}");
    let said = stand.place.run(&["status", "--json"]);
    let rows: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 2);
    assert_eq!((&rows[0]["reach"], &rows[0]["project"]), (&"project".into(), &"[PLACE]/project".into()));
    assert_eq!((&rows[0]["state"], &rows[0]["server"]), (&"in place".into(), &false.into()));
    stand.uninstalled(&["claude-code", "--project"]);
    assert!(!root.join(".claude/settings.local.json").exists());
}

#[test]
fn agents_say_by_variables_where_their_settings_are() {
    let stand = Stand::new();
    let (hook, elsewhere) = (stand.hook(), stand.place.home().join("elsewhere"));
    std::fs::create_dir_all(&elsewhere).unwrap();
    for (agent, variable, file) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("gemini-cli", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
    ] {
        let command = stand.place.command(&["install", agent, "--yes", "--hook", hook.to_str().unwrap()]);
        let said = stand.place.said(&command.env(variable, &elsewhere).assert());
        assert_eq!(said.code, 0, "{agent}: {}", said.err);
        assert!(elsewhere.join(file).exists(), "{agent}");
        assert!(!stand.settings(agent).exists(), "{agent}");
    }
    let codex = text(&elsewhere.join("config.toml"));
    assert!(codex.contains(&format!("{}/config.toml:pre_tool_use:0:0", elsewhere.display())), "{codex}");
}

#[test]
fn the_config_of_opencode_with_comments_is_the_one_that_is_there() {
    let stand = Stand::new();
    let commented = stand.settings("opencode").with_extension("jsonc");
    Place::write(&commented, "{\n  // mine\n}\n");
    stand.installed(&["opencode"]);
    assert!(text(&commented).contains("// mine\n"));
    let files = stand.installations();
    let plugin = files.iter().find(|path| path.extension().is_some_and(|ending| ending == "js")).unwrap();
    assert!(text(&commented).contains(&format!("file://{}", plugin.display())));
    assert_eq!(plugin.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    stand.uninstalled(&["opencode"]);
    assert_eq!(text(&commented), "{\n  // mine\n}\n");
}
