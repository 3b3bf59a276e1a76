use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use snapbox::{assert_data_eq, file, str};

use super::{AGENTS, InstallFixture, mode, text};
use crate::test_home::TestHome;

#[test]
fn change_and_next_steps_are_shown() {
    let fixture = InstallFixture::new();
    TestHome::write(&fixture.settings("claude-code"), "{\n  \"model\": \"opus\"\n}\n");
    let output = fixture.install(&["claude-code", "--yes"]);
    assert_eq!((output.code, output.err.as_str()), (0, ""));
    assert_data_eq!(output.out, file!["snapshots/installed.txt"]);
    let again = fixture.installed(&["claude-code"]);
    assert_data_eq!(
        again,
        str![[r#"
claude-code is already installed in ~/.claude/settings.json; nothing was changed

"#]]
    );
    let output = fixture.place.run(&["status"]);
    assert_data_eq!(
        output.out,
        str![[r#"
claude-code  in place   ~/.claude/settings.json global, no server answers

"#]]
    );
    assert_eq!(output.code, 0);
    let output = fixture.uninstalled(&["claude-code"]);
    assert_data_eq!(
        output.lines().rev().take(2).collect::<Vec<_>>().join("\n"),
        str![[r#"
removed from ~/.claude/settings.json: Claude Code no longer asks sekisho after its next start
backup of the old settings: ~/.local/state/sekisho/backups/claude-code-[..]
"#]]
    );
    assert_eq!(fixture.place.run(&["status"]).out, "no hook is installed; run `sekisho install AGENT`\n");
    assert_data_eq!(
        fixture.uninstalled(&["claude-code"]),
        str![[r#"
claude-code was not installed in ~/.claude/settings.json; nothing was changed

"#]]
    );
}

#[test]
fn installation_settings_are_fixed() {
    let fixture = InstallFixture::new();
    fixture.installed(&["claude-code", "--wait", "1200", "--headless", "deny"]);
    let [file] = &fixture.installations()[..] else { panic!("{:?}", fixture.installations()) };
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let pinned: Value = serde_json::from_str(&text(file)).unwrap();
    let state = fixture.place.home().join(".local/state/sekisho");
    assert_eq!(pinned["agent"], "claude-code");
    assert_eq!(pinned["reach"], "global");
    assert_eq!(pinned["hook"], fixture.hook().to_str().unwrap());
    assert_eq!(pinned["settings"], fixture.settings("claude-code").to_str().unwrap());
    assert_eq!(pinned["limit_s"], 1200);
    assert_eq!(pinned["unattended"], "deny");
    assert_eq!(pinned["database"]["file"], state.join("ledger.db").to_str().unwrap());
    assert_eq!(pinned["socket"], state.join("sekisho.sock").to_str().unwrap());
    assert_eq!(pinned["locations"]["managed"], "/etc/sekisho/config.json");
    assert!(pinned["locations"]["doors"].as_array().unwrap().contains(&"127.0.0.1:8787".into()));
    let settings: Value = serde_json::from_str(&text(&fixture.settings("claude-code"))).unwrap();
    let handler = &settings["hooks"]["PreToolUse"][0]["hooks"][0];
    assert_eq!(handler["command"], fixture.hook().to_str().unwrap());
    assert_eq!(handler["args"], serde_json::json!(["claude-code", "--installation", file]));
    assert_eq!((&handler["timeout"], &handler["onFailure"]), (&1200.into(), &"block".into()));
    // Earlier options stay unless they are given again.
    assert!(fixture.installed(&["claude-code"]).contains("nothing was changed"));
    assert!(fixture.installed(&["claude-code", "--headless", "defer"]).contains("installed"));
    let pinned: Value = serde_json::from_str(&text(file)).unwrap();
    assert_eq!((&pinned["limit_s"], &pinned["unattended"]), (&1200.into(), &"defer".into()));
    fixture.installed(&["claude-code", "--wait", "60"]);
    let settings: Value = serde_json::from_str(&text(&fixture.settings("claude-code"))).unwrap();
    assert_eq!(settings["hooks"]["PreToolUse"].as_array().unwrap().len(), 1);
    assert_eq!(settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"], 60);
}

/// Settings as people write them, including unusual ones.
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
fn install_and_uninstall_restore_the_original_bytes() {
    for agent in AGENTS {
        for before in texts(agent) {
            let fixture = InstallFixture::new();
            let settings = fixture.settings(agent);
            TestHome::write(&settings, before);
            mode(&settings, 0o640);
            fixture.installed(&[agent]);
            assert_ne!(text(&settings), *before, "{agent}");
            fixture.installed(&[agent, "--wait", "1200"]);
            fixture.uninstalled(&[agent]);
            assert_eq!(text(&settings), *before, "{agent}");
            assert_eq!(settings.metadata().unwrap().permissions().mode() & 0o777, 0o640);
            assert_eq!(fixture.installations(), [] as [std::path::PathBuf; 0], "{agent}");
        }
        let fixture = InstallFixture::new();
        fixture.installed(&[agent]);
        assert!(fixture.settings(agent).exists());
        fixture.uninstalled(&[agent]);
        assert!(!fixture.settings(agent).exists(), "{agent}: there was no file before");
        assert!(!fixture.settings(agent).parent().unwrap().exists(), "{agent}: nor a directory before");
    }
}

#[test]
fn changes_by_others_stay() {
    let fixture = InstallFixture::new();
    let settings = fixture.settings("claude-code");
    TestHome::write(&settings, "{\n  \"model\": \"opus\"\n}\n");
    fixture.installed(&["claude-code"]);
    TestHome::write(&settings, text(&settings).replace("opus", "sonnet"));
    fixture.uninstalled(&["claude-code"]);
    assert_eq!(text(&settings), "{\n  \"model\": \"sonnet\"\n}\n");
}

fn files(directory: &Path) -> Vec<PathBuf> {
    directory.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn no_backups_in_the_work_tree() {
    for (agent, name) in [
        ("claude-code", ".claude/settings.local.json"),
        ("gemini-cli", ".gemini/settings.json"),
        ("opencode", "opencode.json"),
    ] {
        let fixture = InstallFixture::new();
        let settings = fixture.place.project().ancestors().nth(2).unwrap().join(name);
        TestHome::write(&settings, "");
        let before = files(settings.parent().unwrap()).len();
        fixture.installed(&[agent, "--project"]);
        fixture.uninstalled(&[agent, "--project"]);
        assert_eq!(text(&settings), "", "{agent}");
        assert_eq!(files(settings.parent().unwrap()).len(), before, "{agent}");
        assert_eq!(files(&fixture.place.home().join(".local/state/sekisho/backups")).len(), 2, "{agent}");
    }
}

#[test]
fn each_change_has_a_backup_and_links_are_followed() {
    let fixture = InstallFixture::new();
    let dotfiles = fixture.place.home().join("dotfiles/claude.json");
    TestHome::write(&dotfiles, "{}\n");
    std::fs::create_dir_all(fixture.place.home().join(".claude")).unwrap();
    std::os::unix::fs::symlink(&dotfiles, fixture.settings("claude-code")).unwrap();
    fixture.installed(&["claude-code"]);
    fixture.installed(&["claude-code"]);
    assert!(fixture.settings("claude-code").symlink_metadata().unwrap().is_symlink());
    assert!(text(&dotfiles).contains("sekisho-hook"));
    let [copy] = &files(&fixture.place.home().join(".local/state/sekisho/backups"))[..] else { panic!() };
    assert_eq!(text(copy), "{}\n");
    assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o600, "there may be keys in it");
    assert_eq!(copy.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(files(&fixture.place.home().join(".claude")), [fixture.settings("claude-code")]);
}

#[test]
fn project_has_its_own_settings() {
    let fixture = InstallFixture::new();
    let project = fixture.place.project();
    let root = project.ancestors().nth(2).unwrap();
    fixture.installed(&["claude-code", "--project"]);
    assert!(text(&root.join(".claude/settings.local.json")).contains("sekisho-hook"));
    assert!(!fixture.settings("claude-code").exists());
    let shared = fixture.installed(&["gemini-cli", "--project"]);
    assert!(shared.contains("others may share this file"), "{shared}");
    let output = fixture.place.run(&["status", "--json"]);
    let rows: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 2);
    assert_eq!((&rows[0]["reach"], &rows[0]["project"]), (&"project".into(), &"[PLACE]/project".into()));
    assert_eq!((&rows[0]["state"], &rows[0]["server"]), (&"in place".into(), &false.into()));
    fixture.uninstalled(&["claude-code", "--project"]);
    assert!(!root.join(".claude/settings.local.json").exists());
}

#[test]
fn variables_move_agents_settings() {
    let fixture = InstallFixture::new();
    let (hook, elsewhere) = (fixture.hook(), fixture.place.home().join("elsewhere"));
    std::fs::create_dir_all(&elsewhere).unwrap();
    for (agent, variable, file) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("gemini-cli", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
    ] {
        let command = fixture.place.command(&["install", agent, "--yes", "--hook", hook.to_str().unwrap()]);
        let output = fixture.place.output(&command.env(variable, &elsewhere).assert());
        assert_eq!(output.code, 0, "{agent}: {}", output.err);
        assert!(elsewhere.join(file).exists(), "{agent}");
        assert!(!fixture.settings(agent).exists(), "{agent}");
    }
    let codex = text(&elsewhere.join("config.toml"));
    assert!(codex.contains(&format!("{}/config.toml:pre_tool_use:0:0", elsewhere.display())), "{codex}");
}

#[test]
fn existing_opencode_jsonc_is_used() {
    let fixture = InstallFixture::new();
    let commented = fixture.settings("opencode").with_extension("jsonc");
    TestHome::write(&commented, "{\n  // mine\n}\n");
    fixture.installed(&["opencode"]);
    assert!(text(&commented).contains("// mine\n"));
    let files = fixture.installations();
    let plugin = files.iter().find(|path| path.extension().is_some_and(|ending| ending == "js")).unwrap();
    assert!(text(&commented).contains(&format!("file://{}", plugin.display())));
    assert_eq!(plugin.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    fixture.uninstalled(&["opencode"]);
    assert_eq!(text(&commented), "{\n  // mine\n}\n");
}
