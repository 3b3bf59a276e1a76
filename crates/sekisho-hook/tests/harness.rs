//! A test harness: a home, a project, an installed hook, and a server with scripted answers.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use sekisho_host::{
    InstallScope, Installation, Installations, Locations, RuleDatabase, Spools, UnattendedTimeout,
};
use serde_json::{Value, json};

/// A home with an installed hook.
pub(crate) struct HookHarness {
    directory: tempfile::TempDir,
    pub(crate) installation: Installation,
    /// The agent's working directory.
    pub(crate) began: PathBuf,
    /// Environment variables of the hook; it has no others.
    pub(crate) environment: Vec<(&'static str, String)>,
}

/// The output of a hook.
#[derive(Debug)]
pub(crate) struct HookOutput {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl HookOutput {
    /// Its answer to Claude Code's `PreToolUse`.
    pub(crate) fn decision(&self) -> String {
        let response: Value = serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{self:?}"));
        assert_eq!(self.code, 0, "{self:?}");
        response["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default().into()
    }

    /// The reason given to Claude Code.
    pub(crate) fn reason(&self) -> String {
        let response: Value = serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{self:?}"));
        response["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default().into()
    }

    /// Whether every agent treats it as a block with a reason.
    pub(crate) fn is_block(&self) -> bool {
        self.code == 2 && !self.err.is_empty() && self.out.is_empty()
    }
}

impl HookHarness {
    pub(crate) fn new() -> HookHarness {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        for name in ["objects", "refs"] {
            std::fs::create_dir_all(base.join("project/.git").join(name)).unwrap();
        }
        std::fs::write(base.join("project/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let state = base.join("state");
        let locations = Locations {
            managed: base.join("etc/config.json"),
            global: base.join("config.json"),
            global_is_named: false,
            state: state.clone(),
            home: Some(base.join("home")),
            doors: Vec::new(),
        };
        let installation = Installation {
            version: Installation::VERSION,
            agent: "claude-code".into(),
            reach: InstallScope::Global,
            settings: base.join("agent/settings.json"),
            hook: env!("CARGO_BIN_EXE_sekisho-hook").into(),
            locations,
            socket: Some(state.join("sekisho.sock")),
            database: RuleDatabase::File(state.join("ledger.db")),
            limit_s: 600,
            unattended: UnattendedTimeout::Defer,
            installed_at: jiff::Timestamp::UNIX_EPOCH,
        };
        let began = base.join("project");
        let place = HookHarness { directory, installation, began, environment: Vec::new() };
        place.write(
            "config.json",
            r#"{ "version": 1, "permissions": {
                "allow": [{ "tool": "bash", "command": "make" }], "deny": [{ "tool": "bash", "command": "rm" }] } }"#,
        );
        place.attended(false)
    }

    /// Requires confirmation for `frobnicate` with this timeout, which is much shorter than the agent's.
    pub(crate) fn wait_seconds(&self, seconds: u32) {
        let rules = json!({
            "allow": [{ "tool": "bash", "command": "make" }],
            "confirm": [{ "tool": "bash", "command": "frobnicate", "timeout_s": seconds }],
            "deny": [{ "tool": "bash", "command": "rm" }],
        });
        self.write("config.json", &json!({ "version": 1, "permissions": rules }).to_string());
    }

    pub(crate) fn base(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.base().join("project")
    }

    pub(crate) fn state(&self) -> &Path {
        &self.installation.locations.state
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.base().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Sets whether a user is present at the agent's prompt.
    pub(crate) fn attended(mut self, attended: bool) -> HookHarness {
        self.environment.retain(|(name, _)| !name.starts_with("CLAUDE"));
        let (flag, entry) = if attended { ("1", "cli") } else { ("0", "sdk-cli") };
        self.environment.push(("CLAUDE_CODE_SESSION_ATTENDED", flag.into()));
        self.environment.push(("CLAUDE_CODE_ENTRYPOINT", entry.into()));
        self
    }

    /// Claude Code's request before it runs a command.
    pub(crate) fn before(&self, command: &str, id: &str) -> Value {
        json!({
            "session_id": "s1",
            "transcript_path": "/home/u/.claude/projects/x.jsonl",
            "cwd": self.project(),
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": { "command": command },
            "tool_use_id": id,
        })
    }

    /// Starts the hook for a Bash command of Claude Code.
    pub(crate) fn bash(&self, command: &str) -> HookOutput {
        self.send(&self.before(command, "toolu_1").to_string())
    }

    /// Starts the hook with a text on its standard input.
    pub(crate) fn send(&self, text: &str) -> HookOutput {
        let agent = self.installation.agent.clone();
        let file = Installations::at(self.state()).write(&self.installation).unwrap();
        self.start(&[&agent, "--installation", &file.to_string_lossy()], text)
    }

    /// Starts the hook with the given arguments.
    pub(crate) fn start(&self, arguments: &[&str], text: &str) -> HookOutput {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sekisho-hook"))
            .args(arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (*name, value.as_str())))
            .current_dir(&self.began)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It may have blocked without reading to the end.
        drop(child.stdin.take().unwrap().write_all(text.as_bytes()));
        let output = child.wait_with_output().unwrap();
        HookOutput {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The records it has written to the spool.
    pub(crate) fn record(&self) -> Vec<Value> {
        let spools = Spools::at(self.state()).all().unwrap();
        let lines = spools.iter().flat_map(|spool| spool.lines(0, 1000).unwrap());
        lines.map(|line| serde_json::from_str(&line).unwrap()).collect()
    }

    /// Starts a server that gives these answers, one per connection, and sends on each request it receives.
    /// `None`: it does not answer.
    pub(crate) fn server(&self, answers: Vec<Option<String>>) -> mpsc::Receiver<(String, Value)> {
        std::fs::create_dir_all(self.state()).unwrap();
        let socket = self.installation.socket.clone().unwrap();
        drop(std::fs::remove_file(&socket));
        let listener = UnixListener::bind(socket).unwrap();
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
                let asked = request(&mut BufReader::new(&mut stream));
                tell.send(asked).unwrap();
                match answer {
                    Some(answer) => stream.write_all(answer.as_bytes()).unwrap(),
                    None => held.push(stream),
                }
            }
            // Keep the connections open: the server never hangs up on a waiting caller.
            std::mem::forget(held);
        });
        told
    }
}

/// Reads one request: its path and its body.
fn request(reader: &mut impl BufRead) -> (String, Value) {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        match header.trim().split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse().unwrap(),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (path, serde_json::from_slice(&body).unwrap())
}

/// An HTTP response with a JSON body.
pub(crate) fn answer(status: u16, body: &Value) -> Option<String> {
    let body = body.to_string();
    Some(format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{body}", body.len()))
}

/// The server's allow.
pub(crate) fn yes() -> Option<String> {
    answer(200, &json!({ "behavior": "allow", "executionId": "0197a000-0000-7000-8000-000000000001" }))
}
