use super::*;
use crate::agents::hook_invocation::HookInvocation;
use crate::agents::opencode_plugin::hook_command;

#[test]
fn unreadable_settings_are_refused_with_a_position() {
    for (agent, text, expected) in [
        (Agent::ClaudeCode, "{\n  // mine\n  \"a\": 1\n}", "settings:2:3: "),
        (
            Agent::ClaudeCode,
            "{\n  \"a\": 1,\n}",
            "settings:3:1: trailing comma, and Claude Code reads strict JSON only",
        ),
        (Agent::ClaudeCode, "{", "settings:1:1: "),
        (Agent::ClaudeCode, "[]", "settings: the top level is not an object"),
        (Agent::ClaudeCode, "{\"hooks\": []}", "settings: `hooks` is not an object"),
        (Agent::ClaudeCode, "{\"hooks\": {\"PreToolUse\": {}}}", "settings: `PreToolUse` is not a list"),
        (Agent::GeminiCli, "{ \"a\": 1, }", "settings:1:"),
        (Agent::GeminiCli, "{ 'a': 1 }", "settings:1:3: "),
        (Agent::OpenCode, "{ \"plugin\": \"a\" }", "settings: `plugin` is not a list"),
        (Agent::OpenCode, "{ \"plugin\": [ }", "settings:1:"),
        (Agent::Codex, "a = \n", "settings:1:"),
        (Agent::Codex, "[hooks]\nPreToolUse = 1\n", "settings: `PreToolUse` is not a list of tables"),
        (Agent::Codex, "hooks = \"hooks.json\"\n", "settings: `hooks` is not a table"),
    ] {
        let message = fault(agent, text);
        assert!(message.starts_with(expected), "{agent}: {text}: {message}");
    }
}

#[test]
fn duplicate_key_is_refused() {
    let twice = "{ \"hooks\": { }, \"hooks\": { } }";
    assert!(fault(Agent::ClaudeCode, twice).contains("is there twice"));
    let twice = "{ \"plugin\": [\"a\"], \"plugin\": [\"b\"] }";
    assert!(fault(Agent::OpenCode, twice).contains("is there twice"));
}

#[test]
fn paths_with_spaces_and_quotes_work() {
    for agent in Agent::ALL {
        let odd = HookEntry {
            hook: "/opt/it's \"my\" hook/$HOME/sekisho-hook".into(),
            installation: "/home/ü ü/sekisho/hooks/opencode-1.json".into(),
            ..entry(agent)
        };
        let text = hook_settings(agent).add("", &odd).unwrap();
        let wired = hook_settings(agent).installed_hooks(&text, &odd.installation).unwrap();
        assert!(!wired.is_empty(), "{agent}: {text}");
        assert_eq!(hook_settings(agent).add(&text, &odd).unwrap(), text);
        match &wired[0].start {
            HookInvocation::Program(words) => assert_eq!(words[0], odd.hook.to_str().unwrap()),
            HookInvocation::Shell(line) => {
                let words = shell_line::words(line);
                let [.., hook, _, _, installation] = &words[..] else { panic!("{words:?}") };
                assert_eq!(hook, odd.hook.to_str().unwrap());
                assert_eq!(installation, odd.installation.to_str().unwrap());
            }
            HookInvocation::Plugin(file) => assert_eq!(*file, odd.installation.with_extension("js")),
        }
    }
}

#[test]
fn hook_command_is_read_from_the_plugin() {
    let entry = entry(Agent::OpenCode);
    let words = hook_command(&opencode_plugin(&entry).1).unwrap();
    let installation = entry.installation.to_str().unwrap();
    assert_eq!(words, ["/opt/sekisho/sekisho-hook", "opencode", "--installation", installation]);
    assert_eq!(hook_command("export const Sekisho = 1"), None);
}
