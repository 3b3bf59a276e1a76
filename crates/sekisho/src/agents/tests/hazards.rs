//! Every way to keep an agent from calling the hook: found where it applies, and not found elsewhere.

use std::path::PathBuf;

use sekisho_host::InstallScope;

use super::*;
use crate::settings::AgentHomes;

/// Agent homes and a project of their own.
struct HazardFixture {
    directory: tempfile::TempDir,
    homes: AgentHomes,
    agent: Agent,
}

impl HazardFixture {
    fn new(agent: Agent) -> HazardFixture {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let homes = AgentHomes {
            claude: at("claude"),
            claude_managed: at("managed/claude.json"),
            codex: at("codex"),
            codex_managed: at("managed/codex.toml"),
            gemini: at("gemini"),
            gemini_managed: at("managed/gemini.json"),
            opencode: at("opencode"),
            switches_set: Vec::new(),
        };
        let fixture = HazardFixture { directory, homes, agent };
        let text = hook_settings(agent).add("", &fixture.entry()).unwrap();
        fixture.write(&fixture.entry().settings, &text);
        let (file, text) = opencode_plugin(&fixture.entry());
        fixture.write(&file, &text);
        fixture
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn entry(&self) -> HookEntry {
        let settings = hook_settings(self.agent).settings_path(&self.homes, &InstallScope::Global).unwrap();
        HookEntry {
            settings,
            installation: self.at("state/sekisho/hooks/opencode-1.json"),
            ..entry(self.agent)
        }
    }

    fn write(&self, path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn own(&self) -> String {
        std::fs::read_to_string(self.entry().settings).unwrap()
    }

    fn found(&self) -> Vec<HookHazard> {
        let (project, entry) = (self.at("project"), self.entry());
        hook_settings(self.agent).hazards(&HazardContext {
            homes: &self.homes,
            project: &project,
            entry: &entry,
        })
    }

    #[track_caller]
    fn finds(&self, is_open: bool, expected: &str) {
        let found = self.found();
        let one = found.iter().find(|hazard| hazard.found.contains(expected));
        assert!(
            one.is_some_and(|one| one.bypasses_hook == is_open && !one.fix.is_empty()),
            "{expected}: {found:#?}"
        );
    }
}

#[test]
fn fresh_installation_has_no_hazards() {
    for agent in Agent::ALL {
        assert_eq!(HazardFixture::new(agent).found(), [], "{agent}");
    }
}

#[test]
fn claude_code_with_hooks_off() {
    for file in [
        "claude/settings.json",
        "project/.claude/settings.json",
        "project/.claude/settings.local.json",
        "managed/claude.json",
    ] {
        let fixture = HazardFixture::new(Agent::ClaudeCode);
        let path = fixture.at(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| "{}".into());
        fixture.write(
            &path,
            &text
                .replacen('{', "{ \"permissions\": {} ", 1)
                .replacen("{} ", "{}, \"disableAllHooks\": true, ", 1)
                .replace(", }", " }"),
        );
        fixture.finds(true, "`disableAllHooks` switches every hook off");
    }
    let fixture = HazardFixture::new(Agent::ClaudeCode);
    fixture.write(&fixture.at("managed/claude.json"), r#"{ "allowManagedHooksOnly": true }"#);
    fixture.finds(true, "`allowManagedHooksOnly`");
    let mut fixture = HazardFixture::new(Agent::ClaudeCode);
    fixture.homes.switches_set = vec!["CLAUDE_CODE_SIMPLE".into()];
    fixture.finds(true, "the variable `CLAUDE_CODE_SIMPLE` is set");
}

#[test]
fn claude_code_drops_the_file_or_its_hooks() {
    for (name, value) in [
        ("model", "7"),
        ("env", "[]"),
        ("permissions", "{ \"allow\": 7 }"),
        ("permissions", "{ \"deny\": [7] }"),
    ] {
        let fixture = HazardFixture::new(Agent::ClaudeCode);
        fixture.write(
            &fixture.entry().settings,
            &fixture.own().replacen('{', &format!("{{ \"{name}\": {value},"), 1),
        );
        fixture.finds(true, "has the wrong type: Claude Code drops the whole file");
    }
    for bad in [
        r#"{ "hooks": [{ "type": "command" }] }"#,
        r#"{ "hooks": [{ "type": "x" }] }"#,
        "7",
        r#"{ "matcher": 7, "hooks": [] }"#,
    ] {
        let fixture = HazardFixture::new(Agent::ClaudeCode);
        let text = fixture.own().replacen("\"PreToolUse\": [", &format!("\"PreToolUse\": [ {bad},"), 1);
        fixture.write(&fixture.entry().settings, &text);
        fixture.finds(true, "an entry of `PreToolUse` is invalid");
    }
}

#[test]
fn claude_code_bypass_with_a_hook_that_may_fail() {
    let fixture = HazardFixture::new(Agent::ClaudeCode);
    let bypass = r#"{ "permissions": { "defaultMode": "bypassPermissions" } }"#;
    fixture.write(&fixture.at("project/.claude/settings.json"), bypass);
    assert_eq!(fixture.found(), []);
    fixture.write(&fixture.entry().settings, &fixture.own().replace("\"block\"", "\"continue\""));
    fixture.finds(true, "`bypassPermissions` is on, and our hook lacks");
}

#[test]
fn other_hooks_on_the_same_calls() {
    let other = r#"{ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "rewriter" }] }],
        "BeforeTool": [{ "hooks": [{ "type": "command", "command": "rewriter" }] }] } }"#;
    let fixture = HazardFixture::new(Agent::ClaudeCode);
    fixture.write(&fixture.at("project/.claude/settings.json"), other);
    fixture.finds(false, "another hook runs before tools: `rewriter`");
    let fixture = HazardFixture::new(Agent::GeminiCli);
    fixture.write(&fixture.at("project/.gemini/settings.json"), other);
    fixture.finds(false, "`rewriter`");
    let fixture = HazardFixture::new(Agent::Codex);
    let other =
        "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"rewriter\"\n";
    fixture.write(&fixture.entry().settings, &format!("{}\n{other}", fixture.own()));
    fixture.finds(false, "`rewriter`");
}

#[test]
fn codex_with_hooks_off_or_untrusted() {
    for file in ["codex/config.toml", "codex/fast.config.toml", "project/.codex/config.toml"] {
        for name in ["hooks", "codex_hooks"] {
            let fixture = HazardFixture::new(Agent::Codex);
            let path = fixture.at(file);
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            fixture.write(&path, &format!("{text}\n[features]\n{name} = false\n"));
            fixture.finds(true, &format!("`features.{name} = false` switches hooks off"));
        }
    }
    let fixture = HazardFixture::new(Agent::Codex);
    let (text, settings) = (fixture.own(), fixture.entry().settings);
    fixture.write(&settings, &text.replacen("sha256:", "sha256:0", 1));
    fixture.finds(true, "is trusted with a different hash");
    fixture.write(&settings, &text.replacen("trusted_hash", "enabled = false\ntrusted_hash", 1));
    fixture.finds(true, "is switched off");
    fixture.write(&settings, text.split_once("[hooks.state").unwrap().0);
    fixture.finds(true, "the hook for PreToolUse is not trusted");
    fixture.write(&fixture.at("managed/codex.toml"), "allow_managed_hooks_only = true\n");
    fixture.finds(true, "`allow_managed_hooks_only`");
}

#[test]
fn codex_without_questions_or_sandbox() {
    let fixture = HazardFixture::new(Agent::Codex);
    let text =
        format!("approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n{}", fixture.own());
    fixture.write(&fixture.entry().settings, &text);
    fixture.finds(false, "neither asks nor uses a sandbox");
}

#[test]
fn gemini_cli_with_hooks_off() {
    for off in
        [r#"{ "hooksConfig": { "enabled": false } }"#, r#"{ "hooksConfig": { "disabled": ["sekisho"] } }"#]
    {
        for file in ["project/.gemini/settings.json", "managed/gemini.json"] {
            let fixture = HazardFixture::new(Agent::GeminiCli);
            fixture.write(&fixture.at(file), off);
            fixture.finds(true, "switches our hook off");
        }
    }
    let fixture = HazardFixture::new(Agent::GeminiCli);
    fixture.write(
        &fixture.at("project/.gemini/settings.json"),
        r#"{ "hooksConfig": { "disabled": ["other"] } }"#,
    );
    assert_eq!(fixture.found(), []);
}

#[test]
fn gemini_cli_with_variables_of_the_project() {
    for file in ["project/.env", "project/.gemini/.env", ".env", ".gemini/.env", "gemini/.env"] {
        let fixture = HazardFixture::new(Agent::GeminiCli);
        fixture.write(&fixture.at(file), "KEY=1\n# BASH_ENV=x\nPATH=/x\n");
        assert_eq!(fixture.found(), [], "{file}");
        fixture.write(&fixture.at(file), "KEY=1\nexport BASH_ENV = ./x\n");
        fixture.finds(false, "sets `BASH_ENV`: our hook ignores it");
        fixture.write(&fixture.at(file), "LD_SHOW_AUXV=1\n");
        fixture.finds(false, "sets `LD_SHOW_AUXV`: hook output becomes unreadable, so every call is blocked");
        fixture.write(&fixture.at(file), "LD_TRACE_LOADED_OBJECTS=1\n");
        fixture.finds(true, "sets `LD_TRACE_LOADED_OBJECTS`: Gemini CLI started below it runs no hook");
        std::fs::write(fixture.at(file), b"A=\xff\nBASH_ENV=x\n").unwrap();
        fixture.finds(false, "are unknown");
    }
}

#[test]
fn opencode_without_its_plugin() {
    let mut fixture = HazardFixture::new(Agent::OpenCode);
    let (file, text) = opencode_plugin(&fixture.entry());
    fixture.write(&file, &text.replace("throw", "// throw"));
    fixture.finds(true, "was changed");
    std::fs::remove_file(&file).unwrap();
    fixture.finds(true, "does not exist: opencode continues without it");
    fixture.homes.switches_set = vec!["OPENCODE_PURE".into()];
    fixture.finds(true, "the variable `OPENCODE_PURE` is set");
}
