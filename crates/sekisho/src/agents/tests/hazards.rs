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
        let place = HazardFixture { directory, homes, agent };
        let text = hook_settings(agent).add("", &place.entry()).unwrap();
        place.write(&place.entry().settings, &text);
        let (file, text) = opencode_plugin(&place.entry());
        place.write(&file, &text);
        place
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
    fn finds(&self, is_open: bool, said: &str) {
        let found = self.found();
        let one = found.iter().find(|hazard| hazard.found.contains(said));
        assert!(
            one.is_some_and(|one| one.bypasses_hook == is_open && !one.fix.is_empty()),
            "{said}: {found:#?}"
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
        let place = HazardFixture::new(Agent::ClaudeCode);
        let path = place.at(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| "{}".into());
        place.write(
            &path,
            &text
                .replacen('{', "{ \"permissions\": {} ", 1)
                .replacen("{} ", "{}, \"disableAllHooks\": true, ", 1)
                .replace(", }", " }"),
        );
        place.finds(true, "`disableAllHooks` switches every hook off");
    }
    let place = HazardFixture::new(Agent::ClaudeCode);
    place.write(&place.at("managed/claude.json"), r#"{ "allowManagedHooksOnly": true }"#);
    place.finds(true, "`allowManagedHooksOnly`");
    let mut place = HazardFixture::new(Agent::ClaudeCode);
    place.homes.switches_set = vec!["CLAUDE_CODE_SIMPLE".into()];
    place.finds(true, "the variable `CLAUDE_CODE_SIMPLE` is set");
}

#[test]
fn claude_code_drops_the_file_or_its_hooks() {
    for (name, value) in [
        ("model", "7"),
        ("env", "[]"),
        ("permissions", "{ \"allow\": 7 }"),
        ("permissions", "{ \"deny\": [7] }"),
    ] {
        let place = HazardFixture::new(Agent::ClaudeCode);
        place.write(
            &place.entry().settings,
            &place.own().replacen('{', &format!("{{ \"{name}\": {value},"), 1),
        );
        place.finds(true, "has the wrong type: Claude Code drops the whole file");
    }
    for bad in [
        r#"{ "hooks": [{ "type": "command" }] }"#,
        r#"{ "hooks": [{ "type": "x" }] }"#,
        "7",
        r#"{ "matcher": 7, "hooks": [] }"#,
    ] {
        let place = HazardFixture::new(Agent::ClaudeCode);
        let text = place.own().replacen("\"PreToolUse\": [", &format!("\"PreToolUse\": [ {bad},"), 1);
        place.write(&place.entry().settings, &text);
        place.finds(true, "an entry of `PreToolUse` is invalid");
    }
}

#[test]
fn claude_code_bypass_with_a_hook_that_may_fail() {
    let place = HazardFixture::new(Agent::ClaudeCode);
    let bypass = r#"{ "permissions": { "defaultMode": "bypassPermissions" } }"#;
    place.write(&place.at("project/.claude/settings.json"), bypass);
    assert_eq!(place.found(), []);
    place.write(&place.entry().settings, &place.own().replace("\"block\"", "\"continue\""));
    place.finds(true, "`bypassPermissions` is on, and our hook lacks");
}

#[test]
fn other_hooks_on_the_same_calls() {
    let other = r#"{ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "rewriter" }] }],
        "BeforeTool": [{ "hooks": [{ "type": "command", "command": "rewriter" }] }] } }"#;
    let place = HazardFixture::new(Agent::ClaudeCode);
    place.write(&place.at("project/.claude/settings.json"), other);
    place.finds(false, "another hook runs before tools: `rewriter`");
    let place = HazardFixture::new(Agent::GeminiCli);
    place.write(&place.at("project/.gemini/settings.json"), other);
    place.finds(false, "`rewriter`");
    let place = HazardFixture::new(Agent::Codex);
    let other =
        "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"rewriter\"\n";
    place.write(&place.entry().settings, &format!("{}\n{other}", place.own()));
    place.finds(false, "`rewriter`");
}

#[test]
fn codex_with_hooks_off_or_untrusted() {
    for file in ["codex/config.toml", "codex/fast.config.toml", "project/.codex/config.toml"] {
        for name in ["hooks", "codex_hooks"] {
            let place = HazardFixture::new(Agent::Codex);
            let path = place.at(file);
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            place.write(&path, &format!("{text}\n[features]\n{name} = false\n"));
            place.finds(true, &format!("`features.{name} = false` switches hooks off"));
        }
    }
    let place = HazardFixture::new(Agent::Codex);
    let (text, settings) = (place.own(), place.entry().settings);
    place.write(&settings, &text.replacen("sha256:", "sha256:0", 1));
    place.finds(true, "is trusted with a different hash");
    place.write(&settings, &text.replacen("trusted_hash", "enabled = false\ntrusted_hash", 1));
    place.finds(true, "is switched off");
    place.write(&settings, text.split_once("[hooks.state").unwrap().0);
    place.finds(true, "the hook for PreToolUse is not trusted");
    place.write(&place.at("managed/codex.toml"), "allow_managed_hooks_only = true\n");
    place.finds(true, "`allow_managed_hooks_only`");
}

#[test]
fn codex_without_questions_or_sandbox() {
    let place = HazardFixture::new(Agent::Codex);
    let text = format!("approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n{}", place.own());
    place.write(&place.entry().settings, &text);
    place.finds(false, "neither asks nor uses a sandbox");
}

#[test]
fn gemini_cli_with_hooks_off() {
    for off in
        [r#"{ "hooksConfig": { "enabled": false } }"#, r#"{ "hooksConfig": { "disabled": ["sekisho"] } }"#]
    {
        for file in ["project/.gemini/settings.json", "managed/gemini.json"] {
            let place = HazardFixture::new(Agent::GeminiCli);
            place.write(&place.at(file), off);
            place.finds(true, "switches our hook off");
        }
    }
    let place = HazardFixture::new(Agent::GeminiCli);
    place
        .write(&place.at("project/.gemini/settings.json"), r#"{ "hooksConfig": { "disabled": ["other"] } }"#);
    assert_eq!(place.found(), []);
}

#[test]
fn gemini_cli_with_variables_of_the_project() {
    for file in ["project/.env", "project/.gemini/.env", ".env", ".gemini/.env", "gemini/.env"] {
        let place = HazardFixture::new(Agent::GeminiCli);
        place.write(&place.at(file), "KEY=1\n# BASH_ENV=x\nPATH=/x\n");
        assert_eq!(place.found(), [], "{file}");
        place.write(&place.at(file), "KEY=1\nexport BASH_ENV = ./x\n");
        place.finds(false, "sets `BASH_ENV`: our hook ignores it");
        place.write(&place.at(file), "LD_SHOW_AUXV=1\n");
        place.finds(false, "sets `LD_SHOW_AUXV`: hook output becomes unreadable, so every call is blocked");
        place.write(&place.at(file), "LD_TRACE_LOADED_OBJECTS=1\n");
        place.finds(true, "sets `LD_TRACE_LOADED_OBJECTS`: Gemini CLI started below it runs no hook");
        std::fs::write(place.at(file), b"A=\xff\nBASH_ENV=x\n").unwrap();
        place.finds(false, "are unknown");
    }
}

#[test]
fn opencode_without_its_plugin() {
    let mut place = HazardFixture::new(Agent::OpenCode);
    let (file, text) = opencode_plugin(&place.entry());
    place.write(&file, &text.replace("throw", "// throw"));
    place.finds(true, "was changed");
    std::fs::remove_file(&file).unwrap();
    place.finds(true, "does not exist: opencode continues without it");
    place.homes.switches_set = vec!["OPENCODE_PURE".into()];
    place.finds(true, "the variable `OPENCODE_PURE` is set");
}
