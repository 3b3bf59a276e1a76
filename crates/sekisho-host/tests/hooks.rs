//! What hooks find on this machine: stored rules, compiled policies, sessions, installations.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use sekisho_host::{
    EarlierDecision, HookPolicy, HookSession, InstallScope, Installation, Installations, PublishedRules,
    PublishedRulesFile, RuleDatabase, UnattendedTimeout, Workspace, policy_for_hook,
};
use sekisho_policy::{Call, Decision, Effect, JudgeContext, Rule, judge};
use serde_json::json;

use crate::test_machine::{TestMachine, config};

fn installation(machine: &TestMachine) -> Installation {
    Installation {
        version: Installation::VERSION,
        agent: "claude-code".into(),
        reach: InstallScope::Global,
        settings: machine.root.join("settings.json"),
        hook: "/usr/bin/true".into(),
        locations: machine.locations.clone(),
        socket: None,
        database: RuleDatabase::File(machine.locations.state.join("ledger.db")),
        limit_s: 600,
        unattended: UnattendedTimeout::Defer,
        installed_at: jiff::Timestamp::UNIX_EPOCH,
    }
}

fn workspace(machine: &TestMachine) -> Workspace {
    Workspace::find(None, None, &machine.root).unwrap()
}

fn policy(machine: &TestMachine) -> HookPolicy {
    policy_for_hook(&installation(machine), &workspace(machine))
}

fn decide(policy: &HookPolicy, tool: &str) -> Decision {
    let context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
    judge(&policy.policy, &Call::new(tool, json!({})), &context).decision
}

fn rule(effect: Effect, tool: &str) -> (Effect, Rule) {
    (effect, serde_json::from_value(json!({ "tool": tool })).unwrap())
}

fn published(machine: &TestMachine, rules: Vec<(Effect, Rule)>) -> PublishedRulesFile {
    let published = PublishedRulesFile::at(&machine.locations.state);
    published.publish(&PublishedRules::new(7, false, rules, vec!["run:own".into()])).unwrap();
    published
}

#[test]
fn published_rules_count() {
    let machine = TestMachine::new();
    TestMachine::write(&machine.locations.global, config("allow", "a"));
    assert_eq!(decide(&policy(&machine), "a"), Decision::Allow, "no database, no stored rules");
    let published = published(&machine, vec![rule(Effect::Deny, "a"), rule(Effect::Allow, "b")]);
    let found = policy(&machine);
    assert_eq!((decide(&found, "a"), decide(&found, "b")), (Decision::Deny, Decision::Allow));
    assert_eq!((found.generation, found.sessions.as_slice()), (7, &["run:own".to_owned()][..]));

    published.withdraw().unwrap();
    published.withdraw().unwrap();
    assert_eq!(decide(&policy(&machine), "a"), Decision::Allow);
    TestMachine::write(&machine.locations.state.join("ledger.db"), "rows");
    assert_eq!(decide(&policy(&machine), "a"), Decision::Confirm, "a database whose rules are not published");
}

#[test]
fn unreadable_published_rules_never_allow() {
    let machine = TestMachine::new();
    TestMachine::write(&machine.locations.global, config("allow", "a"));
    let published = published(&machine, Vec::new());
    for wrong in ["", "{", "[]", r#"{"format":2,"generation":1,"shared":false,"rules":[],"sessions":[]}"#] {
        TestMachine::write(published.file(), wrong);
        assert_eq!(decide(&policy(&machine), "a"), Decision::Confirm, "{wrong}");
    }
    // An invalid rule makes the layer broken; the others count.
    let text = r#"{"format":1,"generation":1,"shared":false,"sessions":[],"rules":[["deny",{"tool":"x"}],["allow",{"tool":""}]]}"#;
    TestMachine::write(published.file(), text);
    let found = policy(&machine);
    assert_eq!((decide(&found, "a"), decide(&found, "x")), (Decision::Confirm, Decision::Deny));
}

#[test]
fn running_server_is_recognised_by_its_lock() {
    let machine = TestMachine::new();
    let published = PublishedRulesFile::at(&machine.locations.state);
    assert!(!published.is_server_running());
    let held = published.lock_as_server().unwrap().unwrap();
    assert!(published.is_server_running());
    assert!(published.lock_as_server().unwrap().is_none(), "one is enough");
    drop(held);
    // A process that another test starts at this moment holds the lock until its own program runs.
    while published.is_server_running() {
        std::thread::yield_now();
    }
    // Many concurrent readers are not a server.
    let seen = std::thread::scope(|threads| {
        let looking: Vec<_> =
            (0..8).map(|_| threads.spawn(|| (0..500).any(|_| published.is_server_running()))).collect();
        looking.into_iter().any(|thread| thread.join().unwrap())
    });
    assert!(!seen);
}

#[test]
fn compiled_policy_is_reused_until_something_changes() {
    let machine = TestMachine::new();
    TestMachine::write(&machine.locations.global, config("allow", "a"));
    let written = |at: SystemTime| {
        let file = std::fs::File::options().append(true).open(&machine.locations.global).unwrap();
        file.set_modified(at).unwrap();
    };
    // It stays young, however long this takes.
    written(SystemTime::now() + Duration::from_secs(3600));
    assert!(!policy(&machine).from_cache);
    assert!(!policy(&machine).from_cache, "a file this young could still change unnoticed");
    written(SystemTime::now());
    // The change time of the file cannot be set back, so the test waits.
    std::thread::sleep(Duration::from_millis(2100));
    assert!(!policy(&machine).from_cache);
    let kept = policy(&machine);
    assert!(kept.from_cache);
    assert_eq!((decide(&kept, "a"), decide(&kept, "b")), (Decision::Allow, Decision::Confirm));

    let changes: [(&str, PathBuf); 3] = [
        ("a project file", machine.project()),
        ("one above the root", machine.root.parent().unwrap().join(".sekisho/config.json")),
        ("the administrator's", machine.locations.managed.clone()),
    ];
    for (what, path) in changes {
        TestMachine::write(&path, config("deny", "a"));
        let found = policy(&machine);
        assert!(!found.from_cache && decide(&found, "a") == Decision::Deny, "{what}");
        std::fs::remove_file(&path).unwrap();
        assert!(policy(&machine).from_cache, "{what} is gone again");
    }
    let published = published(&machine, vec![rule(Effect::Deny, "a")]);
    assert_eq!(decide(&policy(&machine), "a"), Decision::Deny);
    published.withdraw().unwrap();
    TestMachine::write(&machine.locations.global, config("deny", "a"));
    assert_eq!(decide(&policy(&machine), "a"), Decision::Deny);
}

#[test]
fn truncated_compiled_policy_is_compiled_again() {
    let machine = TestMachine::new();
    TestMachine::write(&machine.locations.global, config("allow", "a"));
    std::thread::sleep(Duration::from_millis(2100));
    policy(&machine);
    let directory = machine.locations.state.join("policy");
    let file = directory.read_dir().unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&file).unwrap();
    for end in [0, 1, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&file, &whole[..end]).unwrap();
        let found = policy(&machine);
        assert!(!found.from_cache, "{end}");
        assert_eq!((decide(&found, "a"), decide(&found, "b")), (Decision::Allow, Decision::Confirm));
    }
}

#[test]
fn session_root_is_fixed_by_its_first_call() {
    let machine = TestMachine::new();
    let (sub, above) = (machine.root.join("sub"), machine.root.parent().unwrap());
    let session = HookSession::of(&machine.locations.state, "claude-code", "one");
    let named = session.workspace(&sub, above).unwrap();
    assert_eq!(
        (named.root.as_path(), named.cwd.as_path()),
        (machine.root.as_path(), above),
        "what a call names is no root"
    );
    let moved = session.workspace(above, above).unwrap();
    assert_eq!((moved.root.as_path(), moved.cwd.as_path()), (machine.root.as_path(), above));
    let other = HookSession::of(&machine.locations.state, "codex", "one");
    assert_eq!(other.workspace(above, above).unwrap().root, above, "another agent's session is another one");
    assert!(session.workspace(&sub, &machine.root.join("nowhere")).is_err());
}

#[test]
fn session_counts_equal_calls_and_remembers_decisions() {
    let machine = TestMachine::new();
    let session = HookSession::of(&machine.locations.state, "gemini-cli", "one");
    assert_eq!(session.count_of("d"), 0);
    let counted = std::thread::scope(|threads| {
        let counting: Vec<_> = (0..8).map(|_| threads.spawn(|| session.ordinal("d").unwrap())).collect();
        counting.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<u64>>()
    });
    let mut sorted = counted.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 2, 3, 4, 5, 6, 7, 8], "{counted:?}");
    assert_eq!((session.count_of("d"), session.ordinal("e").unwrap()), (8, 1));

    assert_eq!(session.earlier_decision("d", 0), None);
    session.record_agent_prompt("d", 100).unwrap();
    assert_eq!(session.earlier_decision("d", 100), Some(EarlierDecision::HandedBack));
    assert_eq!((session.earlier_decision("d", 101), session.earlier_decision("e", 0)), (None, None));
    session.record_allow("d", 200, "call", "run").unwrap();
    assert_eq!(
        session.earlier_decision("d", 100),
        Some(EarlierDecision::LetThrough),
        "the last decision counts"
    );
    assert_eq!((session.execution_of("call").as_deref(), session.execution_of("d")), (Some("run"), None));
}

#[test]
fn installation_is_read_back_and_malformed_ones_are_rejected() {
    let machine = TestMachine::new();
    let installations = Installations::at(&machine.locations.state);
    let written = installation(&machine);
    let path = installations.write(&written).unwrap();
    assert_eq!(Installation::read(&path).unwrap(), written);
    let all = installations.all().unwrap();
    assert!(all.len() == 1 && all[0].0 == path && all[0].1.as_ref().unwrap() == &written);
    let text = std::fs::read_to_string(&path).unwrap();
    for (what, wrong) in [
        ("another form", text.replace("\"version\": 1", "\"version\": 2")),
        ("a field that nobody knows", text.replacen('{', "{\"loosen\": true,", 1)),
        ("nothing", String::new()),
    ] {
        TestMachine::write(&path, wrong);
        let error = Installation::read(&path).unwrap_err().to_string();
        assert!(error.contains("sekisho install"), "{what}: {error}");
    }
    assert!(installations.remove(&path).unwrap() && !installations.remove(&path).unwrap());
    assert!(Installation::read(&path).unwrap_err().to_string().contains("missing"));
}

#[test]
fn agents_may_not_write_sekishos_own_files() {
    let machine = TestMachine::new();
    let everything = r#"{ "version": 1, "permissions": { "allow": [{ "tool": "write" }, { "tool": "bash", "command": "cp" }] } }"#;
    TestMachine::write(&machine.locations.global, everything);
    let base = machine.root.parent().unwrap().parent().unwrap();
    let installed = Installation {
        hook: base.join("bin/sekisho-hook"),
        settings: base.join("elsewhere/claude/settings.json"),
        ..installation(&machine)
    };
    let write = |path: &PathBuf| {
        let workspace = workspace(&machine);
        let policy = policy_for_hook(&installed, &workspace).policy;
        let call = Call::new("Write", json!({ "file_path": path, "content": "x" }));
        let call = call.in_directory(machine.root.to_str().unwrap());
        let mut context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
        context.facts =
            sekisho_host::look_up(&policy, &sekisho_policy::required_facts(&policy, &call), None, None);
        judge(&policy, &call, &context).decision
    };
    let (beside, plugin) = (base.join("bin/sekisho"), base.join("elsewhere/claude/plugins/x.js"));
    assert_eq!(write(&beside), Decision::Allow, "nothing is installed yet");
    Installations::at(&machine.locations.state).write(&installed).unwrap();
    assert_eq!((write(&installed.hook), write(&beside)), (Decision::Deny, Decision::Deny));
    assert_eq!((write(&installed.settings), write(&plugin)), (Decision::Confirm, Decision::Confirm));
    assert_eq!(write(&base.join("bin/sekisho-sandbox")), Decision::Deny, "it enforces the sandbox");
    assert_eq!(write(&base.join("bin/other")), Decision::Allow);
    // Where this program is, also without a hook.
    let own = std::env::current_exe().unwrap();
    assert_eq!(write(&own), Decision::Deny);
    for name in ["sekisho", "sekisho-hook", "sekisho-sandbox"] {
        assert_eq!(write(&own.with_file_name(name)), Decision::Deny, "{name}");
    }
    assert_eq!(write(&own.with_file_name("other")), Decision::Allow);
}
