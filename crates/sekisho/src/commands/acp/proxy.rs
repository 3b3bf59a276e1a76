//! Answers the agent's requests for permission, and keeps what both directions share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::approver::{Approver, Decision};
use super::call_fields::RequestedCall;
use super::editor_requests::{EditorRequests, is_same_id};
use super::envelope::{Content, Envelope};
use super::known_calls::{KnownCalls, UnaskedCall, include_running};
use super::lines::{LARGEST, Line, LineError};
use super::notes::print_note;
use super::open_questions::{self, OpenQuestions, RemovedQuestion};
use super::permission_request::{METHOD, Outcome, PermissionRequest, cancel_notification, error_response};
use super::raw_fields::field_of;
use super::shell_directories::ShellDirectories;
use super::tool_call::{AskedCall, asked_call};

/// The longest request for permission, in bytes: read, it takes many times its size.
const LARGEST_READ: usize = 1 << 20;
/// The longest id that is read, in bytes of JSON.
pub(super) const LARGEST_ID: usize = 8 << 10;
/// How many ends of calls may wait to be reported.
const MOST_REPORTS: usize = 1024;
/// How often a call is judged: others may change the directory meanwhile.
const MOST_JUDGEMENTS: usize = 8;
/// Why a call is not judged any more.
const MOVES_ALWAYS: &str = "the shell of its session moves all the time";
/// What is recorded with a call that was allowed and not run.
const NOT_EXPRESSIBLE: &str = "not run: the input was changed, and ACP cannot tell the agent another input";
const NOT_OFFERED: &str = "not run: the agent offers no option to allow the call once";
const JUDGED_AGAIN: &str = "not run: another call may have changed the directory, so it is judged again";
const NOT_WAITED_FOR: &str = "not run: the request for permission was cancelled before the answer arrived";

/// What has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// One side sends nothing more, or receives nothing more.
    Direction,
    /// The editor can send or receive nothing more. What it sent may not be read yet.
    Closed,
    /// A line was too long to be checked.
    TooLong,
    /// Everything was written to the editor.
    Written,
    /// The editor reads no more.
    EditorGone,
}

/// The state that both directions share.
pub(super) struct Proxy {
    approver: Approver,
    /// `None` once the editor is gone: nothing can be answered any more.
    to_agent: Mutex<Option<mpsc::Sender<Line>>>,
    pub(super) state: Mutex<State>,
    /// `None` once the agent has ended.
    reports: Mutex<Option<mpsc::Sender<Report>>>,
}

pub(super) struct State {
    pub(super) known: KnownCalls,
    pub(super) questions: OpenQuestions,
    pub(super) editor_requests: EditorRequests,
    /// No questions are taken any more.
    is_editor_gone: bool,
    was_line_too_long: bool,
}

/// A call as it was judged: with where the shell might be, and where it may be besides if the call is allowed.
struct JudgedQuestion {
    call: AskedCall,
    /// The directory of the session.
    cwd: String,
    shell: ShellDirectories,
    leads_to: ShellDirectories,
}

/// A question about which the server has decided.
struct Decided<'d> {
    number: u64,
    session: &'d str,
    values: &'d Map<String, Value>,
}

enum TakenQuestion {
    Taken(RemovedQuestion),
    /// Somebody else has answered it.
    Gone,
    /// The shell may be where the call was not judged.
    Moved,
}

/// How an allowed call ended.
struct Report {
    execution: String,
    is_error: bool,
    output: Option<&'static str>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the next line. Says so on standard error if it cannot be read.
pub(super) async fn next_line(lines: &mut Lines, side: &str) -> Result<Line, Ended> {
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

pub(super) type Lines = mpsc::Receiver<Result<Line, LineError>>;

/// Reports ends of calls, one after the other. A report that fails only leaves the call without its end.
async fn report_ends(proxy: Arc<Proxy>, mut reports: mpsc::Receiver<Report>) {
    while let Some(Report { execution, is_error, output }) = reports.recv().await {
        let _ = proxy.approver.report(&execution, is_error, output).await;
    }
}

impl Proxy {
    /// The proxy, and the task that reports ends of calls.
    pub(super) fn new(approver: Approver, to_agent: mpsc::Sender<Line>) -> (Arc<Proxy>, JoinHandle<()>) {
        let (sender, reports) = mpsc::channel(MOST_REPORTS);
        let state = State {
            known: KnownCalls::new(),
            questions: OpenQuestions::new(),
            editor_requests: EditorRequests::default(),
            is_editor_gone: false,
            was_line_too_long: false,
        };
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
    pub(super) async fn send(&self, line: impl Into<Line>) -> bool {
        let sender = lock(&self.to_agent).clone();
        match sender {
            Some(sender) => sender.send(line.into()).await.is_ok(),
            None => false,
        }
    }

    /// Withdraws all questions and closes the agent's input, after what was already sent.
    pub(super) fn close(&self) {
        let sender = lock(&self.to_agent).take();
        self.withdraw_all(sender);
    }

    /// Why no more lines of one side are passed on.
    pub(super) fn passing_ended(&self, ended: Ended) {
        lock(&self.state).was_line_too_long |= ended == Ended::TooLong;
    }

    /// Whether one side sent a line that is too long to be checked.
    pub(super) fn was_line_too_long(&self) -> bool {
        lock(&self.state).was_line_too_long
    }

    pub(super) fn is_editor_gone(&self) -> bool {
        lock(&self.state).is_editor_gone
    }

    /// Nobody waits for answers any more: withdraws all questions and takes no new ones.
    pub(super) fn editor_gone(&self) {
        let sender = lock(&self.to_agent).clone();
        self.withdraw_all(sender);
    }

    fn withdraw_all(&self, to_agent: Option<mpsc::Sender<Line>>) {
        let open = {
            let mut state = lock(&self.state);
            state.is_editor_gone = true;
            state.questions.withdraw(|_| true)
        };
        let Some(to_agent) = to_agent else { return };
        tokio::spawn(async move {
            for question in open {
                let _ = to_agent.send(question.request.response(Outcome::Cancelled).into()).await;
            }
        });
    }

    /// Notes what the agent says. Returns whether it was answered here and is not for the editor.
    pub(super) async fn handle_agent(self: &Arc<Self>, text: &str) -> bool {
        match Content::of(text) {
            Content::Nothing => false,
            Content::Unclear => {
                print_note(
                    "a line of the agent was not passed on: it is not one JSON-RPC message, or not a clear one",
                );
                true
            }
            Content::Message(Envelope { method: Some(method), id }) => match (method.as_str(), id) {
                (METHOD, id) => {
                    self.request_permission(id, text).await;
                    true
                }
                ("$/cancel_request", None | Some(Value::Null)) => {
                    let id = field_of(text, "params").and_then(|params| field_of(params, "requestId"));
                    let id = id.filter(|id| id.len() <= LARGEST_ID);
                    let id: Option<Value> = id.and_then(|id| serde_json::from_str(id).ok());
                    let is_it = |request: &PermissionRequest| {
                        id.as_ref().is_some_and(|id| is_same_id(id, &request.id))
                    };
                    self.cancel_questions(is_it).await
                }
                ("session/update", id) => {
                    self.observe_update(text).await;
                    match id.filter(|id| !id.is_null()) {
                        Some(id) => !self.pass_request(&id).await,
                        None => false,
                    }
                }
                (_, None | Some(Value::Null)) => false,
                (_, Some(id)) => !self.pass_request(&id).await,
            },
            Content::Message(Envelope { method: None, id: Some(id) }) => {
                self.observe_response(text, &id);
                false
            }
            Content::Message(Envelope { method: None, id: None }) => false,
        }
    }

    /// Whether a request of the agent may be passed on to the editor. Otherwise it was answered.
    async fn pass_request(&self, id: &Value) -> bool {
        if self.cancel_reused(id).await {
            return false;
        }
        let has_room = lock(&self.state).editor_requests.add(id);
        if !has_room {
            print_note("a request of the agent was not passed on: too many wait for the editor");
            self.send(error_response(id, "too many requests wait for the editor")).await;
        }
        has_room
    }

    /// Cancels the question with this id: the response to another request with it would answer the question. Returns
    /// whether there is one.
    async fn cancel_reused(&self, id: &Value) -> bool {
        let is_reused = self.cancel_questions(|request| is_same_id(&request.id, id)).await;
        if is_reused {
            print_note("cancelled: the agent used the id of an open request for permission again");
        }
        is_reused
    }

    fn observe_response(&self, text: &str, id: &Value) {
        let mut state = lock(&self.state);
        if state.known.awaits(id) {
            let failed = field_of(text, "error").is_some_and(|error| error.trim() != "null");
            state.known.session_started(id, field_of(text, "result").filter(|_| !failed));
        }
    }

    pub(super) fn report(&self, execution: String, is_error: bool, output: Option<&'static str>) {
        if let Some(reports) = lock(&self.reports).as_ref() {
            // Without room, the call only stays without its end.
            let _ = reports.try_send(Report { execution, is_error, output });
        }
    }

    /// The reporter ends once all reports are sent.
    pub(super) fn end_reports(&self) {
        lock(&self.reports).take();
    }

    /// Answers a request for permission, or begins to.
    async fn request_permission(self: &Arc<Self>, id: Option<Value>, text: &str) {
        let Some(id) = id.filter(|id| !id.is_null()) else {
            return print_note(
                "the agent asked for permission without a request id, so nothing was answered",
            );
        };
        if self.cancel_reused(&id).await {
            return;
        }
        let params = if text.len() <= LARGEST_READ { field_of(text, "params") } else { None };
        let is_used = lock(&self.state).editor_requests.contains(&id);
        let read = match (params, is_used) {
            (_, true) => Err("its id is that of a request to the editor"),
            (None, _) => Err("it is too large, or has no `params` that can be read"),
            (Some(params), _) => PermissionRequest::read(id.clone(), params),
        };
        let (request, call) = match read {
            Ok((request, call)) => (Arc::new(request), call),
            Err(why) => {
                print_note(&format!("the agent's request for permission is refused: {why}"));
                self.send(error_response(&id, why)).await;
                return;
            }
        };
        let Some((number, withdrawn)) = self.open(&request, text.len()) else {
            print_note(&format!(
                "rejected: the editor is gone, or {} requests for permission or {} bytes of them are open",
                open_questions::MOST,
                open_questions::MOST_BYTES
            ));
            self.send(request.response(Outcome::RejectOnce)).await;
            return;
        };
        let judged = self.values_of(&request, number, &call).and_then(|values| {
            let judged = self.judge(&request.session, number, &values)?;
            Ok((values, judged))
        });
        let (values, judged) = match judged {
            Ok(judged) => judged,
            Err(why) => return self.fail(number, why).await,
        };
        let proxy = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = proxy.decide(&request, number, &values, judged) => {}
                _ = withdrawn => {}
            }
        });
    }

    /// Rejects a request that cannot be judged.
    async fn fail(&self, number: u64, why: &str) {
        let question = lock(&self.state).questions.remove(number);
        if let Some(question) = question {
            self.respond(question, "a call", Decision::Failed(why.into())).await;
        }
    }

    /// The directory of a session, and where its shell may be. The error says that it is not known: without it, the rules of
    /// its project would not count.
    pub(super) fn directory_of(&self, session: &str) -> Result<(String, ShellDirectories), &'static str> {
        let mut state = lock(&self.state);
        let known = state.known.directory_of(session).ok_or("the directory of its session is not known")?;
        Ok((known.0.to_owned(), known.1.clone()))
    }

    /// What was said about the call of a request. The error says why that is not known.
    fn values_of(
        &self,
        request: &PermissionRequest,
        number: u64,
        call: &RequestedCall<'_>,
    ) -> Result<Map<String, Value>, &'static str> {
        let (cwd, _) = self.directory_of(&request.session)?;
        let said = lock(&self.state).known.complete(&request.session, call)?;
        let values = said.values();
        self.asked_about(request, values.as_ref().ok(), &cwd);
        let values = values?;
        match lock(&self.state).questions.set_asked(number, said) {
            true => Ok(values),
            false => Err("too much is asked about at once"),
        }
    }

    /// What a call means where the shell of its session may be now. What is asked about at the same time may run first, and so
    /// may calls about which nobody is asked.
    fn judge(
        &self,
        session: &str,
        number: u64,
        values: &Map<String, Value>,
    ) -> Result<JudgedQuestion, &'static str> {
        let (cwd, mut shell) = self.directory_of(session)?;
        let running: Vec<UnaskedCall> = {
            let mut state = lock(&self.state);
            let State { known, questions, .. } = &mut *state;
            questions.beside(number, session).for_each(|led| shell.include(led));
            known.unasked(session, None)
        };
        // Not while the state is locked: signals and the end of the editor must not wait for it.
        include_running(&mut shell, &cwd, &running);
        let call = asked_call(values, &cwd, &shell)?;
        let leads_to = shell.added_by(&cwd, &call.command);
        lock(&self.state).questions.set_leads_to(number, leads_to.clone());
        Ok(JudgedQuestion { call, cwd, shell, leads_to })
    }

    /// Remembers an open question. The receiver is closed when it is withdrawn. `None` if there is no room, or the agent's
    /// input is closed.
    fn open(&self, request: &Arc<PermissionRequest>, bytes: usize) -> Option<(u64, oneshot::Receiver<()>)> {
        let mut state = lock(&self.state);
        if state.is_editor_gone {
            return None;
        }
        state.questions.add(request, bytes)
    }

    /// Asks the server about a request and answers it. If the shell may be elsewhere by then, the call is judged there, too.
    async fn decide(
        self: &Arc<Self>,
        request: &PermissionRequest,
        number: u64,
        values: &Map<String, Value>,
        mut judged: JudgedQuestion,
    ) {
        for _ in 0..MOST_JUDGEMENTS {
            let decision = self.approver.decide(&judged.call.meanings, &request.session).await;
            // Not cancelled from here on, so that the answer and its record do not differ.
            let (proxy, session, values) = (self.clone(), request.session.clone(), values.clone());
            let answered = tokio::spawn(async move {
                let decided = Decided { number, session: &session, values: &values };
                proxy.answer(decided, judged, decision).await
            });
            match answered.await {
                Ok(Some(next)) => judged = next,
                Ok(None) | Err(_) => return,
            }
        }
        self.fail(number, MOVES_ALWAYS).await;
    }

    /// Answers a request, unless what was judged is not the call any more: then it returns what is to be judged.
    async fn answer(
        &self,
        decided: Decided<'_>,
        mut judged: JudgedQuestion,
        decision: Decision,
    ) -> Option<JudgedQuestion> {
        let mut left = MOST_JUDGEMENTS;
        let question = loop {
            match self.take_question(&decided, &judged, &decision) {
                TakenQuestion::Taken(question) => break question,
                TakenQuestion::Gone => {
                    self.report_not_run(decision, NOT_WAITED_FOR);
                    return None;
                }
                TakenQuestion::Moved => {}
            }
            left -= 1;
            let next = match self.judge(decided.session, decided.number, decided.values) {
                Ok(next) if left > 0 => next,
                judged => {
                    self.report_not_run(decision, JUDGED_AGAIN);
                    self.fail(decided.number, judged.err().unwrap_or(MOVES_ALWAYS)).await;
                    return None;
                }
            };
            if next.call.meanings.iter().any(|meaning| !judged.call.meanings.contains(meaning)) {
                self.report_not_run(decision, JUDGED_AGAIN);
                return Some(next);
            }
            judged = next;
        };
        let request = question.request.clone();
        let interrupt = matches!(decision, Decision::Denied { interrupt: true, .. });
        let tool = judged.call.meanings.first().map_or("a call", |meaning| &meaning.tool);
        self.respond(question, tool, decision).await;
        if interrupt {
            // The human wants the agent to stop: this is how an editor says so.
            self.send(cancel_notification(&request.session)).await;
            self.cancel_questions(|other| other.session == request.session).await;
        }
        None
    }

    async fn respond(&self, question: RemovedQuestion, tool: &str, decision: Decision) {
        let outcome = self.outcome(&question.request, tool, decision);
        self.send(question.request.response(outcome)).await;
    }

    fn report_not_run(&self, decision: Decision, why: &'static str) {
        if let Decision::Allowed { execution } | Decision::AllowedWithOtherInput { execution } = decision {
            self.report(execution, true, Some(why));
        }
    }

    /// Removes a question that is answered. If its command may run, that is remembered at once, so that no other request is
    /// judged in between.
    fn take_question(
        &self,
        decided: &Decided<'_>,
        judged: &JudgedQuestion,
        decision: &Decision,
    ) -> TakenQuestion {
        let mut state = lock(&self.state);
        let State { known, questions, .. } = &mut *state;
        let Decision::Allowed { execution } = decision else {
            return questions.remove(decided.number).map_or(TakenQuestion::Gone, TakenQuestion::Taken);
        };
        let is_there = known.places_of(decided.session).is_some_and(|(cwd, places)| {
            let beside = questions.beside(decided.number, decided.session);
            *cwd == judged.cwd && places.into_iter().chain(beside).all(|led| judged.shell.covers(cwd, led))
        });
        if !is_there && questions.is_open(decided.number) {
            return TakenQuestion::Moved;
        }
        let Some(question) = questions.remove(decided.number) else { return TakenQuestion::Gone };
        let request = &question.request;
        if request.offers(Outcome::AllowOnce) {
            known.call_allowed((request.session.clone(), request.call.clone()), execution.clone());
            known.shell_led_to(&request.session, &judged.leads_to);
        }
        TakenQuestion::Taken(question)
    }

    /// The outcome of a decision, after it was recorded.
    fn outcome(&self, request: &PermissionRequest, tool: &str, decision: Decision) -> Outcome {
        match decision {
            Decision::Allowed { .. } if request.offers(Outcome::AllowOnce) => Outcome::AllowOnce,
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
    pub(super) async fn cancel_questions(&self, which: impl Fn(&PermissionRequest) -> bool) -> bool {
        let cancelled = lock(&self.state).questions.withdraw(which);
        let any = !cancelled.is_empty();
        self.respond_cancelled(cancelled).await;
        any
    }

    pub(super) async fn respond_cancelled(&self, cancelled: Vec<RemovedQuestion>) {
        for question in cancelled {
            self.send(question.request.response(Outcome::Cancelled)).await;
        }
    }
}
