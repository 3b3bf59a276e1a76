//! A home with a policy of 200 rules, an installed hook, and a running server.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Failure;

/// The agent's session.
const SESSION: &str = "81cdaabf-8306-42b4-a18f-6ff73e0b824e";

/// The home and its server.
pub(super) struct HookFixture {
    directory: tempfile::TempDir,
    server: Child,
}

impl Drop for HookFixture {
    fn drop(&mut self) {
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

/// The path of the real program behind a name: a shim in front of an interpreter costs more than the
/// interpreter.
pub(super) fn program_path(program: &str, arguments: &[&str]) -> Result<String, Failure> {
    let output =
        Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn build_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release")
}

impl HookFixture {
    pub(super) fn new() -> Result<HookFixture, Failure> {
        let directory = tempfile::tempdir()?;
        let home = directory.path();
        std::fs::create_dir_all(home.join("work"))?;
        std::fs::create_dir_all(home.join(".claude"))?;
        std::fs::create_dir_all(home.join(".config/sekisho"))?;
        std::fs::write(home.join(".config/sekisho/config.json"), policy())?;
        let sekisho = |arguments: &[&str]| {
            let mut command = Command::new(build_directory().join("sekisho"));
            command
                .args(arguments)
                .env_clear()
                .env("HOME", home)
                .env("USER", "bench")
                .env("PATH", "/usr/bin:/bin");
            command.current_dir(home).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        if !sekisho(&["install", "claude-code", "--yes"]).status()?.success() {
            return Err("`sekisho install` failed; build with `make hook` first".into());
        }
        let server = sekisho(&["serve", "--listen", "127.0.0.1:0"]).spawn()?;
        let fixture = HookFixture { directory, server };
        fixture.wait_for(&fixture.state().join("sekisho.sock"))?;
        fixture.wait_for(&fixture.state().join("policy/kept.json"))?;
        fixture.install_for_server()?;
        // A compiled policy is stored only once its files are old enough not to change unnoticed.
        std::thread::sleep(Duration::from_millis(2500));
        Ok(fixture)
    }

    pub(super) fn home(&self) -> &Path {
        self.directory.path()
    }

    fn state(&self) -> PathBuf {
        self.home().join(".local/state/sekisho")
    }

    fn wait_for(&self, path: &Path) -> Result<(), Failure> {
        let end = Instant::now() + Duration::from_secs(20);
        while !path.exists() {
            if Instant::now() > end {
                return Err(format!("the server did not make {}", path.display()).into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn installation(&self) -> Result<PathBuf, Failure> {
        let found = self.state().join("hooks").read_dir()?.flatten().map(|entry| entry.path());
        Ok(found
            .into_iter()
            .find(|path| path.extension().is_some_and(|ending| ending == "json"))
            .ok_or("nothing was installed")?)
    }

    /// An installation whose session has its own rules, which only the server knows: the server decides every
    /// call.
    fn install_for_server(&self) -> Result<(), Failure> {
        let other_state = self.home().join("other_state");
        std::fs::create_dir_all(other_state.join("policy"))?;
        let mut rules: Value =
            serde_json::from_slice(&std::fs::read(self.state().join("policy/kept.json"))?)?;
        rules["sessions"] = json!([format!("run:{SESSION}")]);
        std::fs::write(other_state.join("policy/kept.json"), rules.to_string())?;
        let mut installation: Value = serde_json::from_slice(&std::fs::read(self.installation()?)?)?;
        installation["locations"]["state"] = json!(other_state);
        std::fs::write(self.home().join("server-installation.json"), installation.to_string())?;
        Ok(())
    }

    fn hook_command(&self, installation: &Path) -> Vec<String> {
        let hook = build_directory().join("sekisho-hook");
        let arguments = [hook.as_path(), Path::new("claude-code"), Path::new("--installation"), installation];
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect()
    }

    pub(super) fn local_hook(&self) -> Vec<String> {
        self.installation().map(|installation| self.hook_command(&installation)).unwrap_or_default()
    }

    pub(super) fn server_hook(&self) -> Vec<String> {
        self.hook_command(&self.home().join("server-installation.json"))
    }

    /// The program that only exits, built like the hook.
    pub(super) fn exit_program(&self) -> Result<String, Failure> {
        let exits = build_directory().join("exits");
        if exits.exists() {
            Ok(exits.to_string_lossy().into_owned())
        } else {
            Err("build `exits` with `make hook`".into())
        }
    }

    /// Claude Code's request before it runs a command that a rule allows.
    pub(super) fn input(&self) -> Result<PathBuf, Failure> {
        let path = self.home().join("input.json");
        let work = self.home().join("work");
        let input = json!({
            "session_id": SESSION,
            "transcript_path": self.home().join(".claude/projects/x.jsonl"),
            "cwd": work,
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": { "command": "cargo test --workspace 2>&1 | tail -20", "description": "run the tests" },
            "tool_use_id": "toolu_01GATE0000000000000000A1",
        });
        std::fs::write(&path, input.to_string())?;
        Ok(path)
    }
}

/// 200 rules of common kinds.
fn policy() -> String {
    let mut allow: Vec<Value> = vec![json!({ "tool": "bash", "command": "cargo test" })];
    let mut deny: Vec<Value> = Vec::new();
    for n in 0..100 {
        allow.push(json!({ "tool": "bash", "command": format!("tool{n} build") }));
    }
    for n in 0..39 {
        allow.push(json!({ "tool_pattern": format!("read_thing{n}_*") }));
        allow.push(json!({ "tool": "read", "path": format!("src/part{n}/**") }));
    }
    for n in 0..21 {
        deny.push(json!({ "tool": "bash", "command": format!("danger{n}") }));
    }
    json!({ "version": 1, "permissions": { "allow": allow, "deny": deny } }).to_string()
}
