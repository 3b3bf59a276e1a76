//! Calls that the hook decides without the server.

use sekisho_host::{PublishedRules, PublishedRulesFile, RuleDatabase};
use sekisho_policy::{Effect, Rule};
use serde_json::json;

use crate::harness::{HookHarness, yes};

#[test]
fn decision_is_recorded_before_it_is_answered() {
    let place = HookHarness::new();
    let allowed = place.bash("make test");
    assert_eq!(allowed.decision(), "allow", "{allowed:?}");
    let denied = place.bash("rm -rf /");
    assert_eq!(denied.decision(), "deny");
    assert!(denied.reason().contains("`rm`") || denied.reason().contains("\"rm\""), "{denied:?}");
    let record = place.record();
    let told: Vec<_> = record.iter().map(|line| (&line["decision"], &line["body"]["outcome"])).collect();
    assert_eq!(told, [(&json!("allow"), &json!("let_through")), (&json!("deny"), &json!("turned_back"))]);
    assert_eq!(record[0]["body"]["message"], "make test");
    assert_eq!((&record[0]["agent"], &record[0]["tool"]), (&json!("claude-code"), &json!("Bash")));
    assert!(record[0]["execution"].is_string() && record[1]["execution"].is_null());
}

#[test]
fn end_of_a_call_is_recorded_with_its_execution() {
    let place = HookHarness::new();
    place.bash("make test");
    let mut after = place.before("make test", "toolu_1");
    after["hook_event_name"] = json!("PostToolUse");
    after["tool_response"] = json!({ "stdout": "", "stderr": "", "interrupted": false });
    after["duration_ms"] = json!(101);
    let noted = place.send(&after.to_string());
    assert_eq!(noted.code, 0, "{noted:?}");
    let record = place.record();
    assert_eq!(record[1]["kind"], "execution");
    assert_eq!((&record[1]["execution"], &record[1]["call"]), (&record[0]["execution"], &record[0]["call"]));
    assert_eq!(record[1]["body"]["durationMs"], 101);
}

#[test]
fn nothing_in_the_environment_loosens() {
    let mut place = HookHarness::new();
    place.write("loose.json", r#"{ "version": 1, "permissions": { "allow": [{ "tool": "bash" }] } }"#);
    let loose = place.base().join("loose.json").to_string_lossy().into_owned();
    place.write("elsewhere/sekisho/config.json", &std::fs::read_to_string(&loose).unwrap());
    let elsewhere = place.base().join("elsewhere").to_string_lossy().into_owned();
    for (name, value) in [
        ("SEKISHO_CONFIG", &loose),
        ("SEKISHO_PROJECT_ROOT", &elsewhere),
        ("XDG_CONFIG_HOME", &elsewhere),
        ("XDG_STATE_HOME", &elsewhere),
        ("HOME", &elsewhere),
        ("CLAUDE_PROJECT_DIR", &elsewhere),
        ("DATABASE_URL", &elsewhere),
    ] {
        place.environment.push((name, value.clone()));
    }
    place.environment.push(("TOOL_APPROVAL_ENABLED", "false".into()));
    assert_eq!(place.bash("frobnicate").decision(), "deny", "nobody can be asked");
    assert_eq!(place.bash("rm x").decision(), "deny");
}

#[test]
fn only_the_server_knows_session_rules() {
    let place = HookHarness::new();
    let rules = PublishedRules::new(3, false, Vec::new(), vec!["run:s1".into()]);
    PublishedRulesFile::at(place.state()).publish(&rules).unwrap();
    assert_eq!(place.bash("make test").decision(), "deny", "it may be denied for this session");
    let asked = place.server(vec![yes()]);
    assert_eq!(place.bash("make test").decision(), "allow");
    assert_eq!(asked.recv().unwrap().1["toolName"], "Bash");
}

#[test]
fn shared_database_counts_only_while_a_server_runs() {
    let mut place = HookHarness::new();
    place.installation.database = RuleDatabase::Shared;
    assert_eq!(place.bash("make test").decision(), "deny", "nothing is known of it");
    let published = PublishedRulesFile::at(place.state());
    let rule: Rule = serde_json::from_value(json!({ "tool": "bash", "command": "just" })).unwrap();
    published.publish(&PublishedRules::new(3, true, vec![(Effect::Allow, rule)], Vec::new())).unwrap();
    assert_eq!(place.bash("just build").decision(), "deny", "nobody listens");
    let held = published.lock_as_server().unwrap();
    assert_eq!(place.bash("just build").decision(), "allow");
    drop(held);
    assert_eq!(place.bash("just build").decision(), "deny");
}

#[test]
fn session_keeps_its_first_root() {
    let mut place = HookHarness::new();
    place.bash("make test");
    // Another project does not become this session's, even if its user trusts it.
    std::fs::create_dir_all(place.base().join("other/.git")).unwrap();
    place.write("other/.git/HEAD", "ref: refs/heads/main\n");
    place.write(
        "other/.sekisho/config.json",
        r#"{ "version": 1, "permissions": { "allow": [{ "tool": "bash", "command": "frob" }] } }"#,
    );
    let workspace = sekisho_host::Workspace::find(None, None, &place.base().join("other")).unwrap();
    let trust = sekisho_host::TrustStore::at(place.state());
    trust.accept(&trust.propose(&workspace).unwrap(), "me", jiff::Timestamp::UNIX_EPOCH).unwrap();
    let mut walked = place.before("frob", "toolu_2");
    walked["cwd"] = json!(workspace.root);
    assert_eq!(place.send(&walked.to_string()).decision(), "deny");
    walked["session_id"] = json!("s2");
    assert_eq!(
        place.send(&walked.to_string()).decision(),
        "deny",
        "a directory that a call names begins nothing"
    );
    walked["session_id"] = json!("s3");
    place.began = workspace.root;
    assert_eq!(place.send(&walked.to_string()).decision(), "allow", "a session that begins there");
}

#[test]
fn installation_determines_the_agent() {
    let place = HookHarness::new();
    let rule = r#"{ "tool": "bash", "command": "frob", "agent": "claude-code" }"#;
    place.write("config.json", &format!(r#"{{ "version": 1, "permissions": {{ "allow": [{rule}] }} }}"#));
    assert_eq!(place.bash("frob").decision(), "allow");
    let mut sub_agent = place.before("", "toolu_2");
    sub_agent["tool_name"] = json!("Task");
    sub_agent["tool_input"] =
        json!({ "description": "look around", "prompt": "look", "subagent_type": "Explore" });
    assert_eq!(place.send(&sub_agent.to_string()).decision(), "allow", "its own calls are judged");
}
