//! A process that runs the demo, its output, and an approver.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::serve::test_server::{HttpResponse, LONG, exchange, spawn};
use crate::test_home::TestHome;

/// The end of the demo's credential.
pub(crate) const ENDING: &str = "-000064656d6f";

type Lines = Arc<Mutex<Vec<String>>>;

pub(crate) struct DemoProcess {
    child: Child,
    err: Lines,
    out: Lines,
}

impl DemoProcess {
    /// Starts sekisho with text output.
    pub(crate) fn start(place: &TestHome, arguments: &[&str]) -> DemoProcess {
        DemoProcess::start_with(place, arguments, &[("SEKISHO_LOG_FORMAT", "text"), ("NO_COLOR", "1")])
    }

    pub(crate) fn start_with(
        place: &TestHome,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> DemoProcess {
        let mut child = spawn(place, arguments, variables);
        let err = gather(child.stderr.take().unwrap());
        let out = gather(child.stdout.take().unwrap());
        DemoProcess { child, err, out }
    }

    /// Starts a server on a free port, with the demo.
    pub(crate) fn serve(place: &TestHome, arguments: &[&str]) -> DemoProcess {
        let all: Vec<&str> =
            ["serve", "--listen", "127.0.0.1:0"].into_iter().chain(arguments.iter().copied()).collect();
        DemoProcess::start(place, &all)
    }

    /// Waits for a line that contains a text.
    pub(crate) fn says(&self, text: &str) -> String {
        let found = || self.err.lock().unwrap().iter().find(|line| line.contains(text)).cloned();
        within(found).unwrap_or_else(|| panic!("`{text}` was not printed:\n{}", self.said()))
    }

    /// All output so far.
    pub(crate) fn said(&self) -> String {
        self.err.lock().unwrap().join("\n")
    }

    /// The link it printed.
    pub(crate) fn link(&self) -> String {
        within(|| self.out.lock().unwrap().first().cloned()).unwrap_or_else(|| panic!("{}", self.said()))
    }

    /// The port it listens on.
    pub(crate) fn port(&self) -> u16 {
        let line = self.says("listens   http://127.0.0.1:");
        line.rsplit_once(':').unwrap().1.parse().unwrap()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    pub(crate) fn ended(&mut self) -> ExitStatus {
        within(|| self.child.try_wait().unwrap())
            .unwrap_or_else(|| panic!("it did not end:\n{}", self.said()))
    }
}

impl Drop for DemoProcess {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("output:\n{}", self.said());
        }
        // Give it the chance to remove its directories.
        if self.child.try_wait().unwrap().is_none() {
            self.signal(Signal::TERM);
            let _ = within(|| self.child.try_wait().unwrap());
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn gather(stream: impl Read + Send + 'static) -> Lines {
    let lines = Lines::default();
    let kept = Arc::clone(&lines);
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            kept.lock().unwrap().push(line);
        }
    });
    lines
}

/// The directory of the demo, from one of its questions.
pub(crate) fn directory(question: &Value) -> std::path::PathBuf {
    std::path::PathBuf::from(question["root"].as_str().unwrap_or_else(|| panic!("{question}")))
}

/// Tries until there is a result, for a while.
pub(crate) fn within<T>(mut try_it: impl FnMut() -> Option<T>) -> Option<T> {
    let began = Instant::now();
    loop {
        match try_it() {
            None if began.elapsed() < LONG => std::thread::sleep(Duration::from_millis(20)),
            found => return found,
        }
    }
}

/// An approver.
pub(crate) struct TestApprover {
    port: u16,
    headers: Vec<(&'static str, String)>,
}

impl TestApprover {
    /// Signs in with a token from this machine's database.
    pub(crate) fn known(place: &TestHome, port: u16) -> TestApprover {
        let made = place.run(&["token", "create", "--name", "mai", "--role", "approver"]);
        assert_eq!(made.code, 0, "{}", made.err);
        TestApprover { port, headers: vec![("Authorization", format!("Bearer {}", made.out.trim()))] }
    }

    /// Signs in with a link.
    pub(crate) fn by_link(link: &str) -> TestApprover {
        let (address, secret) = link.split_once("/#link=").unwrap();
        let port = address.rsplit_once(':').unwrap().1.parse().unwrap();
        let mut person = TestApprover { port, headers: vec![("Origin", address.to_owned())] };
        let answer = person.ask("POST /api/session", Some(&json!({ "link": secret })));
        assert_eq!(answer.status, 200, "{answer:?}");
        let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        person.headers.push(("Cookie", cookie.split(';').next().unwrap().to_owned()));
        person.headers.push(("X-Sekisho-Page", answer.json()["pageKey"].as_str().unwrap().to_owned()));
        person
    }

    fn ask(&self, request: &str, body: Option<&Value>) -> HttpResponse {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        exchange(stream, &format!("127.0.0.1:{}", self.port), request, &headers, body)
    }

    /// The open questions, oldest first.
    pub(crate) fn open(&self) -> Vec<Value> {
        let found = self.ask("GET /api/approvals?state=pending", None).json();
        let mut open = found["approvals"].as_array().unwrap().clone();
        open.reverse();
        open
    }

    /// Waits until this many questions are open.
    pub(crate) fn sees(&self, many: usize) -> Vec<Value> {
        within(|| Some(self.open()).filter(|open| open.len() == many))
            .unwrap_or_else(|| panic!("expected {many} questions, found {:?}", self.open()))
    }

    /// Waits for the question about a tool.
    pub(crate) fn question(&self, tool: &str) -> Value {
        within(|| self.open().into_iter().find(|question| question["toolName"] == tool))
            .unwrap_or_else(|| panic!("no question about {tool}: {:?}", self.open()))
    }

    /// Answers the question about a tool, once it is open.
    pub(crate) fn answer(&self, tool: &str, answer: &Value) -> Value {
        let question = self.question(tool);
        let answered = self.try_answer(&question, answer);
        assert_eq!(answered.status, 200, "{answered:?}");
        answered.json()
    }

    pub(crate) fn try_answer(&self, question: &Value, answer: &Value) -> HttpResponse {
        let id = question["id"].as_str().unwrap();
        self.ask(&format!("POST /api/approvals/{id}/answer"), Some(answer))
    }
}
