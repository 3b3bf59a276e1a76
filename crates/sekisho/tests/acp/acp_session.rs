//! An editor and an agent with `sekisho acp` between them. The test plays both.
//!
//! The agent's program only connects its standard input and output with two named pipes of the test.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};

use crate::serve::test_server::{LONG, TestServer, eventually};
use crate::test_home::TestHome;

/// Connects its standard streams with the pipes.
const AGENT: &str = r#"cat <"$1" & exec cat >"$2""#;
/// The same, but reads nothing after the first line. It keeps its input open.
const DEAF_AGENT: &str = r#"head -n 1 >"$2"; exec 3<&0; exec cat <"$1""#;

pub(crate) struct AcpSession {
    child: Child,
    editor: Option<ChildStdin>,
    agent: File,
    at_editor: Receiver<Vec<u8>>,
    at_agent: Receiver<Vec<u8>>,
    errors: Receiver<Vec<u8>>,
    _pipes: tempfile::TempDir,
}

/// Starts the proxy with these arguments.
pub(crate) fn spawn_proxy(place: &TestHome, arguments: &[&str], variables: &[(&str, &str)]) -> Child {
    proxy_command(place, arguments, variables).spawn().unwrap()
}

/// The proxy with these arguments, and pipes.
#[expect(clippy::disallowed_methods, reason = "the proxy is a process of its own")]
pub(crate) fn proxy_command(place: &TestHome, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(snapbox::cmd::cargo_bin!("sekisho"));
    command
        .arg("acp")
        .args(arguments)
        .env_clear()
        .env("HOME", place.home())
        .env("USER", "tester")
        .env("PATH", "/usr/bin:/bin")
        .envs(variables.iter().copied())
        .current_dir(place.home().join("../project"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The memory of a process as `/proc` tells it, in bytes.
pub(crate) fn memory(child: &Child, what: &str) -> usize {
    let account = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = account.lines().find_map(|line| line.strip_prefix(what)).unwrap();
    line.trim_matches(|c: char| !c.is_ascii_digit()).parse::<usize>().unwrap() * 1024
}

fn lines_of(file: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(file);
        loop {
            let mut line = Vec::new();
            match reader.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => drop(sender.send(line)),
            }
        }
    });
    receiver
}

fn named_pipe(path: &Path) -> File {
    mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).unwrap();
    // For both: opening does not wait for the other side.
    OpenOptions::new().read(true).write(true).open(path).unwrap()
}

impl AcpSession {
    pub(crate) fn start(place: &TestHome) -> AcpSession {
        AcpSession::start_with(place, &[], &[])
    }

    pub(crate) fn start_with(place: &TestHome, options: &[&str], variables: &[(&str, &str)]) -> AcpSession {
        AcpSession::start_agent(place, AGENT, options, variables)
    }

    /// With an agent that reads only the first line.
    pub(crate) fn start_deaf(place: &TestHome) -> AcpSession {
        AcpSession::start_agent(place, DEAF_AGENT, &[], &[])
    }

    fn start_agent(
        place: &TestHome,
        agent_program: &str,
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> AcpSession {
        let pipes = tempfile::tempdir().unwrap();
        let [out, into] = ["out", "in"].map(|name| pipes.path().join(name));
        let (agent, heard) = (named_pipe(&out), named_pipe(&into));
        let agent_command =
            ["--", "sh", "-c", agent_program, "sh", out.to_str().unwrap(), into.to_str().unwrap()];
        let arguments: Vec<&str> = options.iter().copied().chain(agent_command).collect();
        let mut child = spawn_proxy(place, &arguments, variables);
        AcpSession {
            editor: child.stdin.take(),
            agent,
            at_editor: lines_of(child.stdout.take().unwrap()),
            at_agent: lines_of(heard),
            errors: lines_of(child.stderr.take().unwrap()),
            child,
            _pipes: pipes,
        }
    }

    /// Begins the session `talk` in the project.
    pub(crate) fn begin(place: &TestHome) -> AcpSession {
        let mut session = AcpSession::start(place);
        session.open(place);
        session
    }

    /// The most memory that the proxy has had, in bytes.
    pub(crate) fn peak_memory(&self) -> usize {
        memory(&self.child, "VmHWM")
    }

    /// Whether the proxy takes a line of the agent, or has taken none for some time.
    pub(crate) fn agent_can_send(&mut self, line: &[u8]) -> bool {
        let mut pipe = [PollFd::new(&self.agent, PollFlags::OUT)];
        let patience = Timespec { tv_sec: 2, tv_nsec: 0 };
        let has_room = poll(&mut pipe, Some(&patience)).unwrap() > 0;
        if has_room {
            self.agent_sends(line);
        }
        has_room
    }

    /// Opens the session `talk` in the project.
    pub(crate) fn open(&mut self, place: &TestHome) {
        let project = place.home().join("../project").canonicalize().unwrap();
        let new = json!({ "id": "new", "method": "session/new", "params": { "cwd": project } });
        self.editor_sends(format!("{new}\n").as_bytes());
        self.agent_receives();
        self.agent_sends(b"{\"id\":\"new\",\"result\":{\"sessionId\":\"talk\"}}\n");
        self.editor_receives();
    }

    pub(crate) fn editor_sends(&mut self, line: &[u8]) {
        self.editor.as_mut().unwrap().write_all(line).unwrap();
    }

    pub(crate) fn agent_sends(&mut self, line: &[u8]) {
        self.agent.write_all(line).unwrap();
    }

    #[track_caller]
    pub(crate) fn editor_receives(&self) -> Vec<u8> {
        self.at_editor.recv_timeout(LONG).unwrap()
    }

    #[track_caller]
    pub(crate) fn agent_receives(&self) -> Vec<u8> {
        self.at_agent.recv_timeout(LONG).unwrap()
    }

    /// The next line on standard error.
    #[track_caller]
    pub(crate) fn error(&self) -> String {
        String::from_utf8(self.errors.recv_timeout(LONG).unwrap()).unwrap()
    }

    /// The agent asks for permission, with options of all kinds.
    pub(crate) fn ask(&mut self, id: i64, call: &Value) {
        let kinds = ["allow_always", "allow_once", "reject_always", "reject_once"];
        let options =
            kinds.map(|kind| json!({ "optionId": format!("option {kind}"), "name": "", "kind": kind }));
        self.ask_with(id, call, &json!(options));
    }

    pub(crate) fn ask_with(&mut self, id: i64, call: &Value, options: &Value) {
        self.agent_sends(&request_line(id, call, options));
    }

    /// The agent says something about its call.
    pub(crate) fn update(&mut self, kind: &str, call: &Value) {
        let mut update = call.clone();
        update["sessionUpdate"] = kind.into();
        let message =
            json!({ "method": "session/update", "params": { "sessionId": "talk", "update": update } });
        self.agent_sends(format!("{message}\n").as_bytes());
        self.editor_receives();
    }

    /// The editor says something about the session. The agent need not read it.
    pub(crate) fn editor_notifies(&mut self, method: &str) {
        let message = json!({ "method": method, "params": { "sessionId": "talk" } });
        self.editor_sends(format!("{message}\n").as_bytes());
    }

    /// The outcome that the agent receives for a request: `cancelled`, or the option.
    #[track_caller]
    pub(crate) fn outcome(&self, id: i64) -> String {
        let response: Value = serde_json::from_slice(&self.agent_receives()).unwrap();
        assert_eq!((&response["jsonrpc"], &response["id"]), (&json!("2.0"), &json!(id)), "{response}");
        let outcome = &response["result"]["outcome"];
        match outcome["outcome"].as_str().unwrap() {
            "selected" => outcome["optionId"].as_str().unwrap().to_owned(),
            other => other.to_owned(),
        }
    }

    /// The editor is gone. Returns how the proxy ended.
    pub(crate) fn close_editor(&mut self) -> ExitStatus {
        drop(self.editor.take());
        self.ended()
    }

    /// The editor closes its end, and does not wait.
    pub(crate) fn hang_up(&mut self) {
        drop(self.editor.take());
    }

    pub(crate) fn ended(&mut self) -> ExitStatus {
        eventually("the proxy did not end", || self.child.try_wait().unwrap())
    }
}

/// A request for permission.
pub(crate) fn request_line(id: i64, call: &Value, options: &Value) -> Vec<u8> {
    let params = json!({ "sessionId": "talk", "toolCall": call, "options": options });
    let request =
        json!({ "jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params });
    format!("{request}\n").into_bytes()
}

impl Drop for AcpSession {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server with a person who answers.
pub(crate) struct Inbox {
    pub(crate) place: TestHome,
    pub(crate) server: TestServer,
    token: String,
}

impl Inbox {
    pub(crate) fn new() -> Inbox {
        Inbox::with_rules(&json!({ "deny": [{ "tool": "bash", "command": "touch denied" }] }))
    }

    pub(crate) fn with_rules(permissions: &Value) -> Inbox {
        let place = TestHome::new();
        let rules = json!({ "version": 1, "permissions": permissions });
        TestHome::write(&place.global(), rules.to_string());
        let server = TestServer::start(&place, &[]);
        let token = place.run(&["token", "create", "--name", "person", "--role", "approver"]).out;
        Inbox { place, server, token: token.trim().to_owned() }
    }

    fn request(&self, request: &str, body: Option<&Value>) -> Value {
        let authorization = format!("Bearer {}", self.token);
        let response = self.server.request(request, &[("Authorization", &authorization)], body);
        assert_eq!(response.status, 200, "{response:?}");
        response.json()
    }

    /// The only open question, as soon as there is one.
    #[track_caller]
    pub(crate) fn question(&self) -> Value {
        eventually("no question", || {
            let open = self.request("GET /api/approvals?state=pending", None);
            open["approvals"].as_array().unwrap().first().cloned()
        })
    }

    pub(crate) fn answer(&self, question: &Value, answer: &Value) {
        let mut body = answer.clone();
        body["digest"] = question["digest"].clone();
        let id = question["id"].as_str().unwrap();
        self.request(&format!("POST /api/approvals/{id}/answer"), Some(&body));
    }

    /// Waits until a question is no longer open. Returns it.
    pub(crate) fn ended(&self, question: &Value) -> Value {
        let id = question["id"].as_str().unwrap();
        eventually("the question stays open", || {
            let now = self.request(&format!("GET /api/approvals/{id}"), None);
            (now["state"] != "pending").then_some(now)
        })
    }

    /// The audit log with this text in it, as soon as it is there.
    #[track_caller]
    pub(crate) fn recorded(&self, text: &str) {
        eventually(text, || self.place.run(&["audit", "search", "--json"]).out.contains(text).then_some(()));
    }
}
