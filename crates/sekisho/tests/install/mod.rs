//! Installs hooks in agents' settings and removes them, with the real binary.

mod doctor;
mod refusals;
mod settings_edits;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::test_home::{CommandOutput, TestHome};

pub(crate) const AGENTS: [&str; 4] = ["claude-code", "codex", "gemini-cli", "opencode"];

/// A home with a test hook instead of the real one.
pub(crate) struct InstallFixture {
    pub(crate) place: TestHome,
}

/// Denies every call, in the format of the calling agent.
const REFUSES: &str = r#"#!/bin/sh
read -r told
case $1 in
claude-code|codex) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"an agent may not answer its own checkpoint"}}' ;;
*) echo '{"decision":"deny","reason":"an agent may not answer its own checkpoint"}' ;;
esac
"#;

impl InstallFixture {
    pub(crate) fn new() -> InstallFixture {
        let stand = InstallFixture { place: TestHome::new() };
        stand.hook_is(REFUSES);
        stand
    }

    pub(crate) fn hook(&self) -> PathBuf {
        self.place.home().join("bin/sekisho-hook")
    }

    pub(crate) fn hook_is(&self, script: &str) {
        std::fs::create_dir_all(self.hook().parent().unwrap()).unwrap();
        sekisho_testkit::write_executable(&self.hook(), script);
    }

    /// The default settings file of an agent.
    pub(crate) fn settings(&self, agent: &str) -> PathBuf {
        self.place.home().join(match agent {
            "claude-code" => ".claude/settings.json",
            "codex" => ".codex/config.toml",
            "gemini-cli" => ".gemini/settings.json",
            _ => ".config/opencode/opencode.json",
        })
    }

    /// `sekisho install AGENT …` with our hook.
    pub(crate) fn install(&self, arguments: &[&str]) -> CommandOutput {
        let hook = self.hook();
        let all = ["install"].into_iter().chain(arguments.iter().copied());
        let all: Vec<&str> = all.chain(["--hook", hook.to_str().unwrap()]).collect();
        self.place.run(&all)
    }

    #[track_caller]
    pub(crate) fn installed(&self, arguments: &[&str]) -> String {
        let output = self.install(&[arguments, &["--yes"]].concat());
        assert_eq!(output.code, 0, "{arguments:?}: {}{}", output.out, output.err);
        output.out
    }

    #[track_caller]
    pub(crate) fn uninstalled(&self, arguments: &[&str]) -> String {
        let output = self.place.run(&[&["uninstall"], arguments, &["--yes"]].concat());
        assert_eq!(output.code, 0, "{arguments:?}: {}{}", output.out, output.err);
        output.out
    }

    /// The installation files.
    pub(crate) fn installations(&self) -> Vec<PathBuf> {
        let entries = self.place.home().join(".local/state/sekisho/hooks").read_dir();
        let paths = entries.unwrap().map(|entry| entry.unwrap().path());
        // `doctor` leaves a directory for its canary there.
        let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
        paths.sort();
        paths
    }
}

pub(crate) fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}
