use snapbox::{assert_data_eq, str};

use super::*;

#[test]
fn new_file_has_the_expected_text() {
    assert_data_eq!(
        added(Agent::Codex, ""),
        str![[r#"
[[hooks.PreToolUse]]

[[hooks.PreToolUse.hooks]]
type = "command"
command = """/bin/sh -c '"$0" "$@" && exit 0; echo "sekisho: the hook ended with $?, so the call is blocked; see: sekisho doctor" >&2; exit 2' /opt/sekisho/sekisho-hook codex --installation /home/u/.local/state/sekisho/hooks/codex-1.json"""
timeout = 600

[[hooks.PermissionRequest]]

[[hooks.PermissionRequest.hooks]]
type = "command"
command = """/bin/sh -c '"$0" "$@" && exit 0; echo "sekisho: the hook ended with $?, so the call is blocked; see: sekisho doctor" >&2; exit 2' /opt/sekisho/sekisho-hook codex --installation /home/u/.local/state/sekisho/hooks/codex-1.json"""
timeout = 600

[[hooks.PostToolUse]]

[[hooks.PostToolUse.hooks]]
type = "command"
command = """/bin/sh -c '"$0" "$@" && exit 0; echo "sekisho: the hook ended with $?, so the call is blocked; see: sekisho doctor" >&2; exit 2' /opt/sekisho/sekisho-hook codex --installation /home/u/.local/state/sekisho/hooks/codex-1.json"""
timeout = 600

[hooks.state."/home/u/.codex/config.toml:pre_tool_use:0:0"]
trusted_hash = "sha256:c29068f5312a8018d9acc1388de91a24661bde49f7a935f9af0a04cf23ffcbc9"

[hooks.state."/home/u/.codex/config.toml:permission_request:0:0"]
trusted_hash = "sha256:d14ea805378260004e887ad7d88525dbda2028a7c01bdbfa18a6df83e69c9664"

[hooks.state."/home/u/.codex/config.toml:post_tool_use:0:0"]
trusted_hash = "sha256:3a7651d33ef90643d896099dff553f0844545a6b4533ed208c3fe6c99c216334"

"#]]
    );
    assert_eq!(removed(Agent::Codex, &added(Agent::Codex, "")), "");
}

/// Every form in which hooks may be written, and files without hooks.
const FORMS: &[&str] = &[
    "# mine\nmodel = \"gpt-5\" # good\n\n[features]\nweb_search = true\n",
    "[hooks]\n\n[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"other\" # theirs\n\n[projects.\"/w\"]\ntrust_level = \"trusted\"\n",
    "[hooks]\nPreToolUse = [{ hooks = [{ type = \"command\", command = \"other\" }] }] # theirs\n\n[tui]\nx = 1\n",
    "hooks = { PreToolUse = [{ hooks = [{ type = \"command\", command = \"other\" }] }] }\n\n[tui]\nx = 1\n",
    "hooks.Stop = [{ hooks = [] }]\nmodel = \"x\"\n",
    "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"other\"\n\n[hooks.state.\"/home/u/.codex/config.toml:stop:0:0\"]\ntrusted_hash = \"sha256:0\"\n\n[zzz]\na = 1\n",
    "[hooks.state]\n\"/home/u/.codex/config.toml:stop:0:0\" = { trusted_hash = \"sha256:0\" }\n",
    "\n\n# only a comment\n",
];

#[test]
fn everything_else_is_unchanged() {
    for text in FORMS {
        add_and_remove(Agent::Codex, text);
        renewed(Agent::Codex, text);
    }
}

#[test]
fn trust_moves_with_the_positions() {
    let with = added(Agent::Codex, "");
    let theirs = "\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"theirs\"\n\n[hooks.state.\"/home/u/.codex/config.toml:pre_tool_use:1:0\"]\ntrusted_hash = \"sha256:theirs\"\n";
    let both = format!("{with}{theirs}");
    let left = toml_settings::value(&removed(Agent::Codex, &both)).unwrap();
    let state = serde_json::json!({
        "/home/u/.codex/config.toml:pre_tool_use:0:0": { "trusted_hash": "sha256:theirs" }
    });
    assert_eq!(left["hooks"]["state"], state);
    // An update keeps the positions.
    let other = HookEntry { limit_s: 60, ..entry(Agent::Codex) };
    let renewed = toml_settings::value(&hook_settings(Agent::Codex).add(&both, &other).unwrap()).unwrap();
    assert_eq!(renewed["hooks"]["PreToolUse"][1]["hooks"][0]["command"], "theirs");
    let states = renewed["hooks"]["state"].as_object().unwrap();
    assert_eq!(states.len(), 4);
    assert_eq!(states["/home/u/.codex/config.toml:pre_tool_use:1:0"]["trusted_hash"], "sha256:theirs");
}

#[test]
fn missing_or_wrong_trust_is_renewed() {
    let with = added(Agent::Codex, "");
    let hash = with.lines().find(|line| line.starts_with("trusted_hash")).unwrap();
    for spoilt in [
        with.replacen(hash, "trusted_hash = \"sha256:other\"", 1),
        with.replacen(hash, &format!("{hash}\nenabled = false"), 1),
        with.replacen(&format!("{hash}\n"), "", 1),
    ] {
        assert_ne!(spoilt, with);
        let now = added(Agent::Codex, &spoilt);
        assert_eq!(toml_settings::value(&now), toml_settings::value(&with), "{now}");
    }
}
