//! Passes lines between the editor and the agent, and answers the agent's requests for permission.
//!
//! Each direction is a task of its own, so that neither waits for the other. A question is answered once: whoever
//! removes it from the open questions, its decision or its cancellation, writes the response.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::process::ChildStdout;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::agent_process::{AgentProcess, received_signals};
use super::approver::{Approver, Decision};
use super::envelope::{Content, Envelope, object_in, text_of};
use super::known_calls::{CallKey, KnownCalls};
use super::lines::{self, LARGEST, LineError};
use super::notes::print_note;
use super::permission_request::{METHOD, Outcome, PermissionRequest, cancel_notification, error_response};
use super::tool_call::{JudgedCall, judged_call};
use crate::failure::Failure;
use crate::spawn;

/// How long an agent has to end by itself once the editor is gone.
const GRACE: Duration = Duration::from_secs(10);
/// How long to wait for the agent's last output and for reports to the server once the agent has ended.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// The longest message that is read as a whole, in bytes: read, it takes many times its size.
const LARGEST_READ: usize = 1 << 20;
/// How many questions may be open at once.
const MOST_OPEN: usize = 64;
/// The agent must not be able to answer its own questions.
const NOT_PASSED_ON: &[&str] = &["SEKISHO_TOKEN"];
/// What is recorded with a call that was allowed and not run.
const NOT_EXPRESSIBLE: &str = "not run: the input was changed, and ACP cannot tell the agent another input";
const NOT_OFFERED: &str = "not run: the agent offers no option to allow the call once";
const NOT_WAITED_FOR: &str = "not run: the request for permission was cancelled before the answer arrived";

/// What has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// One side sends nothing more, or receives nothing more.
    Direction,
    /// The editor can send nothing more. What it sent may not be read yet.
    InputClosed,
    /// A line was too long to be checked.
    TooLong,
    /// Everything was written to the editor.
    Written,
    /// The editor reads no more.
    EditorGone,
}

/// The state that both directions share.
struct Proxy {
    approver: Approver,
    /// `None` once the editor is gone: nothing can be answered any more.
    to_agent: Mutex<Option<mpsc::Sender<Vec<u8>>>>,
    state: Mutex<State>,
    /// `None` once the agent has ended.
    reports: Mutex<Option<mpsc::UnboundedSender<Report>>>,
}

struct State {
    known: KnownCalls,
    open: HashMap<u64, OpenQuestion>,
    next: u64,
}

/// A request for permission that is not answered yet. Dropping it withdraws the question.
struct OpenQuestion {
    request: Arc<PermissionRequest>,
    /// Closed when this is dropped.
    _waiting: oneshot::Sender<()>,
}

/// How an allowed call ended.
struct Report {
    execution: String,
    is_error: bool,
    output: Option<&'static str>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the agent and runs until it has ended. Returns its exit code.
pub(super) async fn run(approver: Approver, program: &OsStr, arguments: &[OsString]) -> Result<i32, Failure> {
    let (mut signals, mut children) = (received_signals()?, signal(SignalKind::child())?);
    let mut child = spawn::start_agent(program, arguments, NOT_PASSED_ON).map_err(|error| {
        let why = error.to_string().to_lowercase();
        Failure::new(format!("`{}` cannot be started: {why}", program.display()))
    })?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Failure::new("the agent has no pipes"));
    };
    let mut agent = AgentProcess::new(child);
    let (proxy, reporter) = Proxy::new(approver, lines::write_lines(stdin).0);
    let mut ends = start_passing(&proxy, stdout);
    let (mut too_long, mut written) = (false, false);
    let code = loop {
        let ended = tokio::select! {
            Some(signal) = signals.recv() => {
                agent.pass_on(signal);
                continue;
            }
            _ = children.recv() => match agent.exit_code()? {
                Some(code) => break code,
                None => continue,
            },
            () = agent.send_when_due() => continue,
            Some(ended) = ends.recv() => ended,
        };
        if ended == Ended::InputClosed {
            agent.end_after(GRACE);
            continue;
        }
        too_long |= ended == Ended::TooLong;
        written |= matches!(ended, Ended::Written | Ended::EditorGone);
        proxy.close();
        let at_once = matches!(ended, Ended::TooLong | Ended::EditorGone);
        agent.end_after(if at_once { Duration::ZERO } else { GRACE });
    };
    proxy.close();
    if !written {
        // A process that the agent left behind may hold its output open.
        let _ = timeout(LAST_WORDS, all_written(&mut ends)).await;
    }
    proxy.end_reports();
    let _ = timeout(LAST_WORDS, reporter).await;
    Ok(if too_long { 1 } else { code })
}

/// Starts both directions. The channel tells what has ended.
fn start_passing(proxy: &Arc<Proxy>, from_agent: ChildStdout) -> mpsc::Receiver<Ended> {
    let (sender, ends) = mpsc::channel(8);
    let (to_editor, written) = lines::write_lines(std::io::stdout());
    let passing = pass_to_agent(proxy.clone(), lines::read_lines(std::io::stdin()));
    tokio::spawn(tell(sender.clone(), passing));
    let passing = pass_to_editor(proxy.clone(), lines::read_lines(from_agent), to_editor);
    tokio::spawn(tell(sender.clone(), passing));
    let writing = async move {
        match written.await {
            Ok(Ok(())) => Ended::Written,
            _ => Ended::EditorGone,
        }
    };
    tokio::spawn(tell(sender.clone(), writing));
    // Lines may wait for an agent that reads nothing, and then the end of our input is not read either.
    let closed = lines::until_closed(std::io::stdin());
    let closing = async move {
        let _ = closed.await;
        Ended::InputClosed
    };
    tokio::spawn(tell(sender, closing));
    ends
}

async fn tell(sender: mpsc::Sender<Ended>, what: impl Future<Output = Ended>) {
    // Nobody listens any more once the agent has ended.
    let _ = sender.send(what.await).await;
}

async fn all_written(ends: &mut mpsc::Receiver<Ended>) {
    while let Some(ended) = ends.recv().await {
        if matches!(ended, Ended::Written | Ended::EditorGone) {
            return;
        }
    }
}

/// Reads the next line. Says so on standard error if it cannot be read.
async fn next_line(lines: &mut Lines, side: &str) -> Result<Vec<u8>, Ended> {
    match lines.recv().await {
        Some(Ok(line)) => Ok(line),
        None => Err(Ended::Direction),
        Some(Err(LineError::TooLong)) => {
            print_note(&format!(
                "{side} sent a line of more than {LARGEST} bytes, which cannot be checked; the agent is ended"
            ));
            Err(Ended::TooLong)
        }
        Some(Err(LineError::Failed(error))) => {
            print_note(&format!("cannot read from {side}: {}", error.to_string().to_lowercase()));
            Err(Ended::Direction)
        }
    }
}

/// The session and the id of a call, if an update changes what it does.
fn changed_call(params: &Map<String, Value>) -> Option<(Option<&str>, Option<&str>)> {
    let update = params.get("update").and_then(Value::as_object)?;
    let is_changed = ["kind", "name", "title", "rawInput", "content", "locations"]
        .iter()
        .any(|field| update.contains_key(*field));
    let call = update.get("toolCallId").and_then(Value::as_str)?;
    is_changed.then_some((params.get("sessionId").and_then(Value::as_str), Some(call)))
}

type Lines = mpsc::Receiver<Result<Vec<u8>, LineError>>;

async fn pass_to_agent(proxy: Arc<Proxy>, mut lines: Lines) -> Ended {
    loop {
        let line = match next_line(&mut lines, "the editor").await {
            Ok(line) => line,
            Err(ended) => return ended,
        };
        let cancelled = proxy.observe_editor(&text_of(&line));
        if !proxy.send(line).await {
            return Ended::Direction;
        }
        if let Some(session) = cancelled {
            proxy.cancel_questions(|request| request.session == session).await;
        }
    }
}

async fn pass_to_editor(proxy: Arc<Proxy>, mut lines: Lines, to_editor: mpsc::Sender<Vec<u8>>) -> Ended {
    loop {
        let line = match next_line(&mut lines, "the agent").await {
            Ok(line) => line,
            Err(ended) => return ended,
        };
        if proxy.handle_agent(&text_of(&line)).await {
            continue;
        }
        if to_editor.send(line).await.is_err() {
            return Ended::Direction;
        }
    }
}

/// Reports ends of calls, one after the other. A report that fails only leaves the call without its end.
async fn report_ends(proxy: Arc<Proxy>, mut reports: mpsc::UnboundedReceiver<Report>) {
    while let Some(Report { execution, is_error, output }) = reports.recv().await {
        let _ = proxy.approver.report(&execution, is_error, output).await;
    }
}

impl Proxy {
    /// The proxy, and the task that reports ends of calls.
    fn new(approver: Approver, to_agent: mpsc::Sender<Vec<u8>>) -> (Arc<Proxy>, JoinHandle<()>) {
        let (sender, reports) = mpsc::unbounded_channel();
        let state = State { known: KnownCalls::new(), open: HashMap::new(), next: 0 };
        let proxy = Arc::new(Proxy {
            approver,
            to_agent: Mutex::new(Some(to_agent)),
            state: Mutex::new(state),
            reports: Mutex::new(Some(sender)),
        });
        let reporter = tokio::spawn(report_ends(proxy.clone(), reports));
        (proxy, reporter)
    }

    /// Sends a line to the agent. `false` if the agent reads no more.
    async fn send(&self, line: Vec<u8>) -> bool {
        let sender = lock(&self.to_agent).clone();
        match sender {
            Some(sender) => sender.send(line).await.is_ok(),
            None => false,
        }
    }

    /// Withdraws all questions and closes the agent's input, after what was already sent.
    fn close(&self) {
        let sender = lock(&self.to_agent).take();
        let open = std::mem::take(&mut lock(&self.state).open);
        let Some(sender) = sender else { return };
        tokio::spawn(async move {
            for question in open.into_values() {
                let _ = sender.send(question.request.response(Outcome::Cancelled)).await;
            }
        });
    }

    /// Notes what the editor says. Returns the session that it cancels.
    fn observe_editor(&self, text: &str) -> Option<String> {
        let Content::Message(Envelope { method: Some(method), id }) = Content::of(text) else { return None };
        match method.as_str() {
            "session/cancel" => match object_in(text, "params")?.remove("sessionId") {
                Some(Value::String(session)) => Some(session),
                _ => None,
            },
            _ if text.contains("\"cwd\"") => {
                lock(&self.state).known.session_requested(&method, id, &object_in(text, "params")?);
                None
            }
            _ => None,
        }
    }

    /// Notes what the agent says. Returns whether it was answered here and is not for the editor.
    async fn handle_agent(self: &Arc<Self>, text: &str) -> bool {
        match Content::of(text) {
            Content::Nothing => false,
            Content::Unclear => {
                print_note(
                    "a line of the agent was not passed on: it is not one JSON-RPC message, or not a clear one",
                );
                true
            }
            Content::Message(Envelope { method: Some(method), id }) => match method.as_str() {
                METHOD => {
                    let params = if text.len() <= LARGEST_READ { object_in(text, "params") } else { None };
                    self.request_permission(id, params).await;
                    true
                }
                "$/cancel_request" => {
                    let id = object_in(text, "params").and_then(|mut params| params.remove("requestId"));
                    self.cancel_questions(|request| Some(&request.id) == id.as_ref()).await
                }
                "session/update" => {
                    self.observe_update(text).await;
                    false
                }
                _ => false,
            },
            Content::Message(Envelope { method: None, id: Some(id) }) => {
                self.observe_response(text, &id);
                false
            }
            Content::Message(Envelope { method: None, id: None }) => false,
        }
    }

    async fn observe_update(&self, text: &str) {
        let params = if text.len() <= LARGEST_READ { object_in(text, "params") } else { None };
        let Some(params) = params else {
            // It may have changed what was said before, and what is asked now.
            lock(&self.state).known.forget_calls();
            if self.cancel_questions(|_| true).await {
                print_note(
                    "cancelled: the agent sent an update that cannot be read while a question was open",
                );
            }
            return;
        };
        let ended = lock(&self.state).known.session_updated(&params, text.len());
        if let Some(ended) = ended {
            self.report(ended.execution, ended.is_error, None);
        }
        if let Some(changed) = changed_call(&params) {
            // Parsers differ in which of two ids they take.
            let is_clear = text.matches("\"toolCallId\"").count() == 1;
            let is_changed = |request: &PermissionRequest| {
                !is_clear || (Some(request.session.as_str()) == changed.0 && request.call_id() == changed.1)
            };
            if self.cancel_questions(is_changed).await {
                print_note("cancelled: the agent changed the call while the question was open");
            }
        }
    }

    fn observe_response(&self, text: &str, id: &Value) {
        let mut state = lock(&self.state);
        if state.known.awaits(id) {
            state.known.session_started(id, object_in(text, "result").as_ref());
        }
    }

    fn report(&self, execution: String, is_error: bool, output: Option<&'static str>) {
        if let Some(reports) = lock(&self.reports).as_ref() {
            let _ = reports.send(Report { execution, is_error, output });
        }
    }

    /// The reporter ends once all reports are sent.
    fn end_reports(&self) {
        lock(&self.reports).take();
    }

    /// Answers a request for permission, or begins to.
    async fn request_permission(self: &Arc<Self>, id: Option<Value>, params: Option<Map<String, Value>>) {
        let Some(id) = id else {
            return print_note(
                "the agent asked for permission without a request id, so nothing was answered",
            );
        };
        let params = params.ok_or("`params` is not an object that can be read");
        let request = params.and_then(|params| PermissionRequest::read(id.clone(), params));
        let request = match request {
            Ok(request) => Arc::new(request),
            Err(why) => {
                print_note(&format!("the agent's request for permission is refused: {why}"));
                self.send(error_response(&id, why)).await;
                return;
            }
        };
        let Some((number, withdrawn)) = self.open(&request) else {
            print_note(&format!(
                "rejected: the editor is gone, or {MOST_OPEN} requests for permission are open"
            ));
            self.send(request.response(Outcome::RejectOnce)).await;
            return;
        };
        let (call, cwd) = match self.call_of(&request) {
            Ok(asked) => asked,
            Err(why) => return self.answer(&request, number, "a call", Decision::Failed(why.into())).await,
        };
        let proxy = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = proxy.decide(&request, number, call, &cwd) => {}
                _ = withdrawn => {}
            }
        });
    }

    /// What is asked about a request, and the directory of its session. The error says why that is not known: without
    /// the directory, the rules of its project would not count.
    fn call_of(&self, request: &PermissionRequest) -> Result<(JudgedCall, String), &'static str> {
        let mut state = lock(&self.state);
        let cwd =
            state.known.directory_of(&request.session).ok_or("the directory of its session is not known")?;
        if request.call_id().is_none() {
            return Err("its tool call has no `toolCallId`");
        }
        let call = state.known.complete(&request.session, &request.tool_call);
        Ok((judged_call(&call, &cwd)?, cwd))
    }

    /// Remembers an open question. The receiver is closed when it is withdrawn. `None` if too many are open, or the
    /// agent's input is closed.
    fn open(&self, request: &Arc<PermissionRequest>) -> Option<(u64, oneshot::Receiver<()>)> {
        let mut state = lock(&self.state);
        if state.open.len() >= MOST_OPEN || lock(&self.to_agent).is_none() {
            return None;
        }
        let (waiting, withdrawn) = oneshot::channel();
        let number = state.next;
        state.next += 1;
        state.open.insert(number, OpenQuestion { request: request.clone(), _waiting: waiting });
        Some((number, withdrawn))
    }

    /// Asks the server about a request and answers it.
    async fn decide(
        self: &Arc<Self>,
        request: &Arc<PermissionRequest>,
        number: u64,
        call: JudgedCall,
        cwd: &str,
    ) {
        let decision = self.approver.decide(&call, &request.session, cwd).await;
        // Not cancelled from here on, so that the answer and its record do not differ.
        let (proxy, request) = (self.clone(), request.clone());
        tokio::spawn(async move { proxy.answer(&request, number, &call.tool, decision).await });
    }

    async fn answer(&self, request: &PermissionRequest, number: u64, tool: &str, decision: Decision) {
        let key = request.call_id().map(|id| (request.session.clone(), id.to_owned()));
        let open = lock(&self.state).open.remove(&number).is_some();
        if !open {
            if let Decision::Allowed { execution } | Decision::AllowedWithOtherInput { execution } = decision
            {
                self.report(execution, true, Some(NOT_WAITED_FOR));
            }
            return;
        }
        let interrupt = matches!(decision, Decision::Denied { interrupt: true, .. });
        let outcome = self.outcome(request, tool, decision, key);
        self.send(request.response(outcome)).await;
        if interrupt {
            // The human wants the agent to stop: this is how an editor says so.
            self.send(cancel_notification(&request.session)).await;
            self.cancel_questions(|other| other.session == request.session).await;
        }
    }

    /// The outcome of a decision, after it was recorded.
    fn outcome(
        &self,
        request: &PermissionRequest,
        tool: &str,
        decision: Decision,
        key: Option<CallKey>,
    ) -> Outcome {
        match decision {
            Decision::Allowed { execution } if request.offers(Outcome::AllowOnce) => {
                if let Some(key) = key {
                    lock(&self.state).known.call_allowed(key, execution);
                }
                Outcome::AllowOnce
            }
            Decision::Allowed { execution } => {
                print_note(&format!("cancelled `{tool}`: {NOT_OFFERED}"));
                self.report(execution, true, Some(NOT_OFFERED));
                Outcome::Cancelled
            }
            Decision::AllowedWithOtherInput { execution } => {
                print_note(&format!("rejected `{tool}`: {NOT_EXPRESSIBLE}"));
                self.report(execution, true, Some(NOT_EXPRESSIBLE));
                Outcome::RejectOnce
            }
            Decision::Denied { reason, .. } => {
                print_note(&format!("rejected `{tool}`: {reason}"));
                Outcome::RejectOnce
            }
            Decision::Failed(why) => {
                print_note(&format!("rejected `{tool}`: it could not be judged: {why}"));
                Outcome::RejectOnce
            }
        }
    }

    /// Withdraws open questions and answers their requests as cancelled. Returns whether there were any.
    async fn cancel_questions(&self, which: impl Fn(&PermissionRequest) -> bool) -> bool {
        let cancelled: Vec<OpenQuestion> = {
            let mut state = lock(&self.state);
            state
                .open
                .extract_if(|_, question| which(question.request.as_ref()))
                .map(|(_, question)| question)
                .collect()
        };
        let any = !cancelled.is_empty();
        for OpenQuestion { request, _waiting: waiting } in cancelled {
            drop(waiting);
            self.send(request.response(Outcome::Cancelled)).await;
        }
        any
    }
}
