//! Decides about a call: judges it, records it, and asks the server if a human has to decide.

use std::mem::ManuallyDrop;
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use sekisho_adapters::{HookDecision, HookEvent, HookRequest, ReportedOutcome, UserPresence, derive_call_id};
use sekisho_host::{
    EarlierDecision, HookPolicy, HookSession, Installation, PublishedRulesFile, UnattendedTimeout, Workspace,
    look_up, policy_for_hook,
};
use sekisho_policy::{
    Call, Decision, Digest, IdClaim, JudgeContext, OnTimeout, Verdict, judge_analysed,
    required_facts_and_analysis,
};

use crate::server_client::{self, CanUseToolRequest, CanUseToolResponse, ServerError};
use crate::spool_recorder::{CallOutcome, SpoolRecorder};
use crate::watchdog::AnswerDeadline;

/// How long to wait for a human if no rule says.
const WAIT: Duration = Duration::from_secs(120);
/// A permission request within this many seconds of an equal call is about that call.
const SAME_CALL_S: i64 = 60;
/// The server's timeout is this much later than ours, so that the hook decides what a timeout means.
const SERVER_TIMEOUT_MARGIN: Duration = Duration::from_secs(2);

/// One invocation of the hook of one installation.
pub(crate) struct Hook {
    installation: Installation,
    budget: AnswerDeadline,
    recorder: SpoolRecorder,
}

/// A call with everything the hook knows about it.
struct CallContext<'a> {
    request: &'a HookRequest,
    call: Call,
    digest: String,
    session: Option<HookSession>,
}

impl Hook {
    pub(crate) fn new(installation: Installation, budget: AnswerDeadline) -> Hook {
        let recorder = SpoolRecorder::at(&installation.locations.state);
        Hook { installation, budget, recorder }
    }

    /// Decides about a call that wants to run. The decision is recorded before it is answered; a call that
    /// cannot be recorded does not run.
    pub(crate) fn decide(&self, request: &HookRequest) -> Result<HookDecision, String> {
        // The process ends right after it answers; freeing memory would only delay it.
        let mut known = ManuallyDrop::new(self.call_context(request)?);
        if let Some(reply) = self.earlier_decision(&known) {
            return Ok(reply);
        }
        if known.call.call_id.is_none() {
            known.call.call_id = Some(self.make_id(&known)?);
        }
        let workspace = workspace(&known)?;
        let policy = ManuallyDrop::new(policy_for_hook(&self.installation, &workspace));
        let verdict = ManuallyDrop::new(self.judge(&known.call, &workspace, &policy));
        match verdict.decision {
            Decision::Deny => {
                self.recorder.record_verdict(&known.call, &verdict, CallOutcome::Denied)?;
                Ok(HookDecision::Deny { reason: verdict.sentence(), interrupt: false })
            }
            // The server would allow it by the same rule.
            Decision::Allow if request.needs_human() => self.ask_agent_prompt(
                &known,
                &verdict,
                "no rule can allow a call to leave the agent's sandbox",
            ),
            Decision::Allow if self.is_policy_complete(&policy, &known.call) => {
                self.recorder.record_verdict(&known.call, &verdict, CallOutcome::Allowed)?;
                Ok(HookDecision::Allow { reason: verdict.sentence(), input: None })
            }
            Decision::Allow | Decision::Confirm => self.ask_server(&known, &workspace, &verdict),
        }
    }

    /// Records how a call ended.
    pub(crate) fn record_end(&self, request: &HookRequest, ending: &ReportedOutcome) -> Result<(), String> {
        let mut known = self.call_context(request)?;
        if known.call.call_id.is_none() {
            let ordinal = known.session.as_ref().map_or(0, |session| session.count_of(&known.digest));
            known.call.call_id = Some(derive_call_id(request, ordinal)?);
        }
        let id = known.call.call_id.as_deref().unwrap_or_default();
        let run = known.session.as_ref().and_then(|session| session.execution_of(id));
        if let (Some(run), Some(socket)) = (&run, &self.installation.socket) {
            let report = serde_json::json!({ "isError": ending.is_error, "durationMs": ending.duration_ms });
            if server_client::report_execution(socket, run, &report).is_ok() {
                return Ok(());
            }
        }
        self.recorder.record_end(&known.call, ending, run.as_deref())
    }

    fn call_context<'a>(&self, request: &'a HookRequest) -> Result<CallContext<'a>, String> {
        let state = &self.installation.locations.state;
        let session = request.call.run_id.as_deref().filter(|id| !id.is_empty());
        let session = session.map(|id| HookSession::of(state, request.agent.name(), id));
        let digest = Digest::of(&request.call)?.to_string();
        // The installation says which agent this is, not the request.
        let call = Call { agent: Some(IdClaim::proven(request.agent.name())), ..request.call.clone() };
        Ok(CallContext { request, call, digest, session })
    }

    /// An id for a call whose protocol has none. Equal calls of a session are counted; without a session, a
    /// random number makes every call unique.
    fn make_id(&self, known: &CallContext<'_>) -> Result<String, String> {
        let ordinal = match &known.session {
            Some(session) => session.ordinal(&known.digest).map_err(|error| error.to_string())?,
            None => crate::spool_recorder::random_number()?,
        };
        derive_call_id(known.request, ordinal)
    }

    /// An agent may report a call twice: before it runs, and when its own rules want permission too.
    fn earlier_decision(&self, known: &CallContext<'_>) -> Option<HookDecision> {
        if known.request.event != HookEvent::PermissionRequest || known.request.needs_human() {
            return None;
        }
        let since = Timestamp::now().as_second() - SAME_CALL_S;
        match known.session.as_ref()?.earlier_decision(&known.digest, since)? {
            EarlierDecision::HandedBack => Some(HookDecision::NoDecision),
            EarlierDecision::LetThrough => {
                Some(HookDecision::Allow { reason: "a human allowed this call".into(), input: None })
            }
        }
    }

    fn judge(&self, call: &Call, workspace: &Workspace, policy: &HookPolicy) -> Verdict {
        let home = self.installation.locations.home.as_deref();
        let mut context = ManuallyDrop::new(JudgeContext::at(Timestamp::now()));
        context.root = workspace.root.to_str().map(Into::into);
        context.home = home.and_then(Path::to_str).map(Into::into);
        let (queries, analysis) = required_facts_and_analysis(&policy.policy, call);
        context.facts = look_up(&policy.policy, &queries, context.root.as_deref(), home);
        judge_analysed(&policy.policy, call, &context, analysis)
    }

    /// Whether an allow by this policy is final. A session may have rules that only the server knows, and a
    /// database that others write to is known only while a server listens to it.
    fn is_policy_complete(&self, policy: &HookPolicy, call: &Call) -> bool {
        let run = call.run_id.as_deref().map(|run| format!("run:{run}"));
        let own_rules = run.is_some_and(|run| policy.sessions.contains(&run));
        let served = || PublishedRulesFile::at(&self.installation.locations.state).is_server_running();
        !own_rules && (!policy.shared || served())
    }

    fn ask_server(
        &self,
        known: &CallContext<'_>,
        workspace: &Workspace,
        verdict: &Verdict,
    ) -> Result<HookDecision, String> {
        let Some(socket) = &self.installation.socket else { return self.without_server(known, verdict) };
        let wait = self.answer_timeout(verdict);
        let deferring = known.request.can_defer
            && known.request.attendance == UserPresence::Headless
            && self.installation.unattended == UnattendedTimeout::Defer;
        // A deferred approval stays open when the hook exits; any other ends with it.
        let on_timeout = if deferring { "park" } else { "deny" };
        let timeout_ms = (!deferring)
            .then(|| u64::try_from((wait + SERVER_TIMEOUT_MARGIN).as_millis()).unwrap_or(u64::MAX));
        let call = &known.call;
        let id = call.call_id.as_deref().unwrap_or_default();
        let question = CanUseToolRequest {
            tool_name: &call.tool,
            input: &call.input,
            tool_use_id: id,
            server_id: call.server.as_ref().map(|server| server.id.as_str()),
            run_id: call.run_id.as_deref(),
            agent_id: known.request.agent.name(),
            cwd: call.cwd.as_deref(),
            timeout_ms,
            on_timeout: Some(on_timeout),
            always_ask: true,
            // A root that is not UTF-8 cannot be registered.
            project_root: Some(workspace.root.to_str().unwrap_or("/")),
        };
        match server_client::ask(socket, &question, Instant::now() + wait) {
            Ok(CanUseToolResponse::Allow { input, execution }) => {
                if let Some(session) = &known.session {
                    // A failure here only costs a second approval and the execution id for the end of the
                    // call.
                    let _ = session.record_allow(&known.digest, Timestamp::now().as_second(), id, &execution);
                }
                Ok(HookDecision::Allow { reason: "allowed by sekisho".into(), input })
            }
            Ok(CanUseToolResponse::Deny { reason, interrupt }) => {
                Ok(HookDecision::Deny { reason, interrupt })
            }
            Err(ServerError::NotRunning) => self.without_server(known, verdict),
            Err(ServerError::Failed(why)) => {
                self.recorder.record_verdict(call, verdict, CallOutcome::Denied)?;
                Ok(HookDecision::Deny {
                    reason: format!("the server could not be asked: {why}"),
                    interrupt: false,
                })
            }
            Err(ServerError::TimedOut | ServerError::Disconnected) => {
                self.timed_out(known, verdict, deferring, wait)
            }
        }
    }

    /// How long to wait for a human: as the rule says, and never longer than the agent waits for the hook.
    fn answer_timeout(&self, verdict: &Verdict) -> Duration {
        let left = self.budget.wait_until.saturating_duration_since(Instant::now());
        match (verdict.wait.on_timeout, verdict.wait.timeout_s) {
            (Some(OnTimeout::Park), _) => left,
            (_, Some(seconds)) => Duration::from_secs(u64::from(seconds)).min(left),
            (_, None) => WAIT.min(left),
        }
    }

    /// No approver answered in time.
    fn timed_out(
        &self,
        known: &CallContext<'_>,
        verdict: &Verdict,
        deferring: bool,
        wait: Duration,
    ) -> Result<HookDecision, String> {
        let seconds = wait.as_secs();
        if deferring {
            let reason = format!(
                "nobody answered within {seconds} s; the approval stays open: resume the run once it is answered"
            );
            self.recorder.record_verdict(&known.call, verdict, CallOutcome::Deferred)?;
            return Ok(HookDecision::Defer { reason });
        }
        self.ask_agent_prompt(known, verdict, &format!("nobody answered within {seconds} s"))
    }

    fn without_server(&self, known: &CallContext<'_>, verdict: &Verdict) -> Result<HookDecision, String> {
        self.ask_agent_prompt(known, verdict, "no sekisho server is running; start one with `sekisho serve`")
    }

    /// Leaves the decision to the agent's own prompt if it has one and a user is present; otherwise denies.
    fn ask_agent_prompt(
        &self,
        known: &CallContext<'_>,
        verdict: &Verdict,
        why: &str,
    ) -> Result<HookDecision, String> {
        let sentence = verdict.sentence();
        if !known.request.can_ask() {
            self.recorder.record_verdict(&known.call, verdict, CallOutcome::Denied)?;
            let reason = format!("this call needs a human's approval ({sentence}), and {why}");
            return Ok(HookDecision::Deny { reason, interrupt: false });
        }
        self.recorder.record_verdict(&known.call, verdict, CallOutcome::LeftToAgent)?;
        if let Some(session) = &known.session {
            let _ = session.record_agent_prompt(&known.digest, Timestamp::now().as_second());
        }
        match known.request.event {
            HookEvent::PermissionRequest => Ok(HookDecision::NoDecision),
            _ => Ok(HookDecision::Ask { reason: format!("sekisho: {sentence}") }),
        }
    }
}

/// The workspace of the call. The first call of a session fixes the root.
fn workspace(known: &CallContext<'_>) -> Result<Workspace, String> {
    let cwd = known.call.cwd.as_deref().ok_or("the agent did not send its working directory")?;
    // Agents start their hooks in their own directory; the directory a call names may be the model's choice.
    let start_directory =
        std::env::current_dir().map_err(|error| format!("the agent's directory is unknown: {error}"))?;
    let found = match &known.session {
        Some(session) => session.workspace(&start_directory, Path::new(cwd)),
        None => Workspace::find(None, Some(&start_directory), Path::new(cwd)),
    };
    found.map_err(|error| error.to_string())
}
