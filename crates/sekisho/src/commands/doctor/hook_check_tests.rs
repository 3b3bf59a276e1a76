//! The hook checks on good and on bad installations, and the canary against hooks that misbehave.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use sekisho_adapters::Agent;
use sekisho_host::{InstallScope, Installation, Locations, RuleDatabase, UnattendedTimeout};

use super::diagnostic::Diagnostic;
use super::hook_checks;
use super::tests::{fine, ill, warned};
use crate::agents::{HookEntry, HookOutput, hook_settings, opencode_plugin};
use crate::commands::install::hook_binary;
use crate::commands::install::install_target::InstallStatus;

const ME: u32 = 1000;

#[test]
fn the_program() {
    let hook = Path::new("/opt/sekisho-hook");
    fine(&hook_checks::check_binary(Agent::Codex, hook, &Ok(())));
    ill(
        &hook_checks::check_binary(Agent::Codex, hook, &Err(("it does not exist".into(), "x".into()))),
        "it does not exist",
    );
}

#[test]
fn unsuitable_hook_program() {
    let place = tempfile::tempdir().unwrap();
    let me = rustix::process::geteuid().as_raw();
    let mode =
        |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let hook = place.path().join("sekisho-hook");
    let wrong = |hook: &Path| hook_binary::check_hook_binary(hook, me).unwrap_err().0;
    assert!(wrong(&hook).contains("does not exist"));
    assert!(wrong(place.path()).contains("not a file"));
    std::fs::write(&hook, "").unwrap();
    mode(&hook, 0o644);
    assert!(wrong(&hook).contains("not executable"));
    mode(&hook, 0o775);
    assert!(wrong(&hook).contains("others can write"));
    mode(&hook, 0o755);
    assert_eq!(hook_binary::check_hook_binary(&hook, me), Ok(()));
    mode(place.path(), 0o777);
    assert!(wrong(&hook).contains("others can write"));
    mode(place.path(), 0o755);
    assert!(
        hook_binary::check_hook_binary(&hook, if me == 0 { me } else { ME + me }).is_ok() == (me == 0),
        "owned by another user"
    );
}

#[test]
fn settings_that_call_the_hook() {
    let at = Path::new("/home/u/.claude/settings.json");
    let called = |standing: &InstallStatus| hook_checks::check_settings(Agent::ClaudeCode, at, standing);
    fine(&called(&InstallStatus::InPlace));
    ill(&called(&InstallStatus::Missing), "no call is decided");
    ill(&called(&InstallStatus::Changed("  a\n- b\n+ c\n".into())), "2 lines differ: - b");
    ill(&called(&InstallStatus::Unreadable("x:1:2: no".into())), "x:1:2: no");
}

#[test]
fn agents_without_a_hook_or_with_two() {
    warned(&hook_checks::unhooked_agent(Agent::Codex, "~/.codex"), "no hook is installed");
    assert_eq!(hook_checks::interactive_programs(&[]), None);
    warned(
        &hook_checks::interactive_programs(&["bash"]).unwrap(),
        "does not ask the hook about text it types into that program",
    );
    let of = |reach: InstallScope| Installation {
        version: Installation::VERSION,
        agent: "codex".into(),
        reach,
        settings: PathBuf::new(),
        hook: PathBuf::new(),
        locations: Locations {
            managed: PathBuf::new(),
            global: PathBuf::new(),
            global_is_named: false,
            state: PathBuf::new(),
            home: None,
            doors: Vec::new(),
        },
        socket: None,
        database: RuleDatabase::Shared,
        limit_s: 1,
        unattended: UnattendedTimeout::Deny,
        installed_at: Timestamp::now(),
    };
    let (global, here) = (of(InstallScope::Global), of(InstallScope::Project("/w".into())));
    let twice = |own: &[&Installation]| hook_checks::double_installation(Agent::Codex, own, Path::new("/w"));
    assert_eq!((twice(&[&global]), twice(&[&here]), twice(&[])), (None, None, None));
    warned(&twice(&[&global, &here]).unwrap(), "twice");
}

/// An agent whose settings call a hook of the test.
struct HookFixture {
    place: tempfile::TempDir,
    agent: Agent,
}

impl HookFixture {
    /// The hook is a script; `None`: it does not exist.
    fn new(agent: Agent, script: Option<&str>) -> HookFixture {
        let place = tempfile::tempdir().unwrap();
        let fixture = HookFixture { place, agent };
        let entry = fixture.entry();
        if let Some(script) = script {
            sekisho_testkit::write_executable(&entry.hook, &format!("#!/bin/sh\n{script}\n"));
        }
        std::fs::write(&entry.settings, hook_settings(agent).add("", &entry).unwrap()).unwrap();
        let (file, text) = opencode_plugin(&entry);
        std::fs::write(file, text).unwrap();
        fixture
    }

    fn entry(&self) -> HookEntry {
        let at = |name: &str| self.place.path().join(name);
        HookEntry {
            hook: at("sekisho-hook"),
            installation: at("opencode-1.json"),
            limit_s: 600,
            settings: at("settings"),
        }
    }

    fn tried(&self, patience: Duration) -> Vec<Diagnostic> {
        hook_checks::run_canary(self.agent, hook_settings(self.agent), &self.entry(), patience)
    }

    #[track_caller]
    fn one(&self) -> Diagnostic {
        let found = self.tried(Duration::from_secs(120));
        assert_eq!(found.len(), 1, "{found:#?}");
        found[0].clone()
    }
}

/// A script that answers only to a canary call with the expected arguments.
fn answers(agent: Agent, answer: &str) -> String {
    format!(
        "[ \"$1 $2\" = '{agent} --installation' ] || exit 7\n\
         read -r told; case $told in *sekisho-canary*) ;; *) exit 8 ;; esac\n{answer}"
    )
}

/// A denial in the form of each agent.
fn no(agent: Agent, reason: &str) -> String {
    let denial = match agent {
        Agent::ClaudeCode | Agent::Codex => format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"{reason}"}}}}"#
        ),
        Agent::GeminiCli | Agent::OpenCode => format!(r#"{{"decision":"deny","reason":"{reason}"}}"#),
    };
    format!("echo '{denial}'")
}

const REASON: &str = "an agent may not change or answer its own checkpoint";

#[test]
fn hook_that_denies_the_canary_passes() {
    for agent in Agent::ALL {
        fine(&HookFixture::new(agent, Some(&answers(agent, &no(agent, REASON)))).one());
        let by_code = answers(agent, &format!("echo '{REASON}' >&2; exit 2"));
        fine(&HookFixture::new(agent, Some(&by_code)).one());
    }
}

#[test]
fn hook_that_allows_or_says_nothing_is_a_problem() {
    let allow = [
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#,
        r#"echo '{"decision":"allow"}'"#,
        "echo garbage",
        "true",
    ];
    for agent in [Agent::ClaudeCode, Agent::Codex, Agent::GeminiCli] {
        for answer in allow {
            ill(&HookFixture::new(agent, Some(&answers(agent, answer))).one(), "would have run");
        }
    }
    ill(
        &HookFixture::new(Agent::OpenCode, Some(&answers(Agent::OpenCode, allow[1]))).one(),
        "would have run",
    );
}

#[test]
fn failing_hook_is_a_problem_and_blocks_behind_a_shell() {
    for script in ["exit 1", "kill -9 $$", "exit 2"] {
        ill(&HookFixture::new(Agent::ClaudeCode, Some(script)).one(), "would have run");
        for agent in [Agent::GeminiCli, Agent::Codex] {
            let found = HookFixture::new(agent, Some(script)).one();
            ill(&found, "blocks, but not because of a rule: ");
            ill(&found, "sekisho: the hook ended with ");
        }
        ill(&HookFixture::new(Agent::OpenCode, Some(script)).one(), "blocks, but not because of a rule");
    }
    for agent in [Agent::GeminiCli, Agent::Codex] {
        ill(&HookFixture::new(agent, None).one(), "sekisho: the hook ended with 127");
    }
    for agent in [Agent::ClaudeCode, Agent::OpenCode] {
        ill(&HookFixture::new(agent, None).one(), "does not work: it could not be started");
    }
}

#[test]
fn hanging_hook_times_out() {
    for agent in Agent::ALL {
        // Do not wait for the end of the hook, which would be another error.
        let fixture = HookFixture::new(agent, Some("exec sleep 600"));
        let found = fixture.tried(Duration::from_millis(300));
        ill(&found[0], "it did not answer within");
    }
}

#[test]
fn settings_without_the_deciding_event_are_a_problem() {
    let fixture = HookFixture::new(
        Agent::ClaudeCode,
        Some(&answers(Agent::ClaudeCode, &no(Agent::ClaudeCode, REASON))),
    );
    let text = std::fs::read_to_string(fixture.entry().settings).unwrap();
    std::fs::write(fixture.entry().settings, text.replace("\"PreToolUse\"", "\"PostToolBatch\"")).unwrap();
    ill(&fixture.one(), "no hook is called at PreToolUse");
}

#[test]
fn hook_gets_none_of_our_environment() {
    let script = "[ \"$(env | grep -vc -e ^PATH= -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=)\" = 0 ] || exit 9\n";
    let all = format!("{script}{}", answers(Agent::ClaudeCode, &no(Agent::ClaudeCode, REASON)));
    fine(&HookFixture::new(Agent::ClaudeCode, Some(&all)).one());
}

#[test]
fn hook_output_is_shown() {
    let answered = Ok(HookOutput { stdout: "ok".into(), stderr: "hm".into(), code: Some(0) });
    ill(
        &hook_checks::check_canary(Agent::ClaudeCode, hook_settings(Agent::ClaudeCode), &answered),
        "(exit code 0): okhm",
    );
}
