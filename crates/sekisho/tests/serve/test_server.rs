//! A running server under test, and requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::test_home::TestHome;

/// Anything slower than this hangs.
pub(crate) const LONG: Duration = Duration::from_secs(120);

/// Tries until there is a result.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = attempt() {
            return found;
        }
        assert!(began.elapsed() < LONG, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) struct TestServer {
    child: Child,
    pub(crate) port: u16,
    /// The link of the first start.
    pub(crate) link: Option<String>,
    /// The log until the server was ready.
    pub(crate) log: Vec<Value>,
    socket: PathBuf,
}

#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) text: String,
}

impl HttpResponse {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{self:?}"))
    }
}

/// Starts sekisho without waiting until it is ready.
#[expect(clippy::disallowed_methods, reason = "the server is a process of its own")]
pub(crate) fn spawn(place: &TestHome, arguments: &[&str], variables: &[(&str, &str)]) -> Child {
    Command::new(snapbox::cmd::cargo_bin!("sekisho"))
        .args(arguments)
        .env_clear()
        .env("HOME", place.home())
        .env("USER", "tester")
        .envs(variables.iter().copied())
        .current_dir(place.home().join("../project"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

impl TestServer {
    /// Starts a server on a free port, and waits until it is ready.
    pub(crate) fn start(place: &TestHome, arguments: &[&str]) -> TestServer {
        TestServer::start_with(place, arguments, &[])
    }

    pub(crate) fn start_with(place: &TestHome, arguments: &[&str], variables: &[(&str, &str)]) -> TestServer {
        let anywhere = ["--listen", "127.0.0.1:0"].into_iter().filter(|_| !arguments.contains(&"--listen"));
        let all: Vec<&str> = ["serve"].into_iter().chain(anywhere).chain(arguments.iter().copied()).collect();
        let mut child = spawn(place, &all, variables);
        let mut log = Vec::new();
        let mut link = None;
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        for line in lines.by_ref() {
            let line = line.unwrap();
            let value: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
            let message = value["message"].as_str().unwrap_or_default().to_owned();
            log.push(value);
            if message.contains("on standard output") {
                let mut line = String::new();
                BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
                link = Some(line.trim().to_owned());
                break;
            }
            if message.contains("signs in another browser") {
                break;
            }
        }
        // Keep reading, or a full pipe would block the server.
        std::thread::spawn(move || lines.for_each(drop));
        let port_of = |value: &Value| value["place"].as_str()?.rsplit_once(':')?.1.parse().ok();
        let port = log.iter().filter(|line| line["message"] == "listens").find_map(port_of);
        let socket = place.home().join(".local/state/sekisho/sekisho.sock");
        TestServer { child, port: port.unwrap_or_else(|| panic!("{log:?}")), link, log, socket }
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.child.id()).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Its memory in bytes, by the name in the kernel's status: `VmRSS` is the current value, `VmHWM` the
    /// peak.
    pub(crate) fn memory(&self, what: &str) -> usize {
        let account = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = account.lines().find_map(|line| line.strip_prefix(what)).unwrap();
        line.trim_matches(|c: char| !c.is_ascii_digit()).parse::<usize>().unwrap() * 1024
    }

    /// Resets the peak memory.
    pub(crate) fn forget_peak(&self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5").unwrap();
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the process to end.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        eventually("the server did not end", || self.child.try_wait().unwrap())
    }

    /// Stops the server as systemd would.
    pub(crate) fn stop(mut self) {
        self.signal(rustix::process::Signal::TERM);
        assert!(self.ended().success());
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.socket.clone()
    }

    /// Sends a request over TCP.
    pub(crate) fn request(
        &self,
        request: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> HttpResponse {
        let text = request_text(&format!("127.0.0.1:{}", self.port), request, headers, body);
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        send(stream, &text)
    }

    /// Sends a request over the socket.
    pub(crate) fn request_over_socket(&self, request: &str, body: Option<&Value>) -> HttpResponse {
        let text = request_text("localhost", request, &[], body);
        let stream = UnixStream::connect(&self.socket).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        send(stream, &text)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Large bodies are written down before the connection is opened: it takes long, and the server waits only some seconds for a request.
fn request_text(host: &str, request: &str, headers: &[(&str, &str)], body: Option<&Value>) -> String {
    let body = body.map(Value::to_string).unwrap_or_default();
    let mut text = format!("{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        text.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
    }
    text + "\r\n" + &body
}

/// One request, such as `GET /path`, and one response.
pub(crate) fn exchange(
    stream: impl Read + Write,
    host: &str,
    request: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> HttpResponse {
    send(stream, &request_text(host, request, headers, body))
}

fn send(mut stream: impl Read + Write, text: &str) -> HttpResponse {
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A peer that closes abruptly has still sent its response.
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, text) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    HttpResponse { status, head: head.to_owned(), text: text.to_owned() }
}
