//! Writes the audit record of a call to the spool before the agent is answered.

use std::path::Path;

use jiff::Timestamp;
use sekisho_adapters::ReportedOutcome;
use sekisho_host::Spools;
use sekisho_policy::whole_words::{whole_last_words, whole_values};
use sekisho_policy::{Call, Danger, Decision, Facts, Reason, RuleRef, Verdict, shell_text};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// How many bytes of a call's text are recorded.
const SHOWN: usize = 64 << 10;

/// The session in which `sekisho doctor` makes a call that is always refused, and what it wants to run.
const CANARY: (&str, &str) = ("sekisho-canary", "sekisho approvals approve sekisho-canary");

/// Whether a call is that of the doctor, and was refused. Any other call counts, whatever its session is called.
fn is_canary(call: &Call, decision: Decision) -> bool {
    decision == Decision::Deny
        && call.run_id.as_deref() == Some(CANARY.0)
        && shell_text(call).as_deref() == Some(CANARY.1)
}

/// What the hook did with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallOutcome {
    /// It runs.
    Allowed,
    /// It does not run.
    Denied,
    /// The agent's own prompt decides.
    LeftToAgent,
    /// The run can be resumed once an approver has answered.
    Deferred,
}

impl CallOutcome {
    fn name(self) -> &'static str {
        match self {
            CallOutcome::Allowed => "let_through",
            CallOutcome::Denied => "turned_back",
            CallOutcome::LeftToAgent => "handed_back",
            CallOutcome::Deferred => "put_off",
        }
    }
}

/// A line of the spool.
#[derive(Serialize)]
struct Line<'a, X, B> {
    at: Timestamp,
    kind: &'a str,
    call: Uuid,
    tool: &'a str,
    server: Option<&'a str>,
    agent: Option<&'a str>,
    credential: &'a str,
    execution: Option<X>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
    text: String,
    body: B,
}

/// What is recorded of a verdict.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VerdictBody<'a> {
    outcome: &'a str,
    canary: Option<bool>,
    message: String,
    tool_use_id: Option<&'a str>,
    run_id: Option<&'a str>,
    cwd: Option<&'a str>,
    reasons: &'a [Reason],
    rules: &'a [RuleRef],
    danger: Danger,
    facts: &'a Facts,
}

/// Writes to the spool that the server imports into the audit log.
pub(crate) struct SpoolRecorder {
    spools: Spools,
    credential: String,
}

impl SpoolRecorder {
    pub(crate) fn at(state: &Path) -> SpoolRecorder {
        let uid = rustix::process::getuid().as_raw();
        SpoolRecorder { spools: Spools::at(state), credential: format!("hook:{uid}") }
    }

    /// Records a verdict and its outcome.
    pub(crate) fn record_verdict(
        &self,
        call: &Call,
        verdict: &Verdict,
        outcome: CallOutcome,
    ) -> Result<(), String> {
        let run = (outcome == CallOutcome::Allowed).then(|| id_of("execution", call));
        let decision = match outcome {
            CallOutcome::Denied => Decision::Deny,
            _ => verdict.decision,
        };
        let canary = is_canary(call, decision);
        let body = VerdictBody {
            outcome: outcome.name(),
            canary: canary.then_some(true),
            message: shown(call),
            tool_use_id: call.call_id.as_deref(),
            run_id: call.run_id.as_deref(),
            cwd: call.cwd.as_deref(),
            reasons: &verdict.reasons,
            rules: &verdict.rules,
            danger: verdict.danger.without_spans(),
            facts: &verdict.facts,
        };
        self.write(&Line {
            execution: run,
            // Figures count rows by their decision, and a canary is no call of an agent.
            decision: (!canary).then_some(decision),
            ..self.about("verdict", call, verdict.sentence(), body)
        })
    }

    /// Records how a call ended.
    pub(crate) fn record_end(
        &self,
        call: &Call,
        ending: &ReportedOutcome,
        run: Option<&str>,
    ) -> Result<(), String> {
        let own = || id_of("execution", call).to_string();
        let code = if ending.is_error { "failed" } else { "finished" };
        let body = json!({
            "isError": ending.is_error,
            "durationMs": ending.duration_ms,
            "toolUseId": call.call_id,
            "runId": call.run_id,
            "recordLine": { "code": code },
        });
        let execution = Some(run.map_or_else(own, str::to_owned));
        self.write(&Line { execution, ..self.about("execution", call, code.to_owned(), body) })
    }

    fn about<'a, X, B>(&'a self, kind: &'a str, call: &'a Call, text: String, body: B) -> Line<'a, X, B> {
        Line {
            at: Timestamp::now(),
            kind,
            call: id_of("call", call),
            tool: &call.tool,
            server: call.server.as_ref().map(|server| server.id.as_str()),
            agent: call.agent.as_ref().map(|agent| agent.id.as_str()),
            credential: &self.credential,
            execution: None,
            decision: None,
            text,
            body,
        }
    }

    fn write(&self, line: &impl Serialize) -> Result<(), String> {
        let fresh = fresh_name()?;
        let text = serde_json::to_string(line).map_err(|error| error.to_string())?;
        let written = self.spools.append(&text, fresh);
        written.map_err(|error| format!("the call cannot be recorded: {error}"))
    }
}

/// The text of a call for people: the command, or the input. A very long text keeps both ends and the number
/// of bytes between them.
fn shown(call: &Call) -> String {
    let text = shell_text(call).map_or_else(|| call.input.to_string(), |text| text.into_owned());
    if text.len() <= SHOWN {
        return text;
    }
    let (head, tail) = (whole_values(&text, SHOWN / 2), whole_last_words(&text, SHOWN / 2));
    let left_out = text.len().saturating_sub(head.len()).saturating_sub(tail.len());
    format!("{head} … ({left_out} bytes are left out) … {tail}")
}

/// An id derived from the call, so that the end of the call finds it again without any stored state.
fn id_of(what: &str, call: &Call) -> Uuid {
    let agent = call.agent.as_ref().map(|agent| agent.id.as_str()).unwrap_or_default();
    let parts = [what, agent, call.run_id.as_deref().unwrap_or(""), call.call_id.as_deref().unwrap_or("")];
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let mut bytes = [0; 16];
    for (byte, hashed) in bytes.iter_mut().zip(hash.finalize()) {
        *byte = hashed;
    }
    Builder::from_bytes(bytes)
        .with_variant(uuid::Variant::RFC4122)
        .with_version(uuid::Version::Custom)
        .into_uuid()
}

/// A name for a spool that may have to be created. Later names sort later.
fn fresh_name() -> Result<Uuid, String> {
    let mut chance = [0; 10];
    getrandom::fill(&mut chance).map_err(|error| format!("no randomness: {error}"))?;
    let millis = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0);
    Ok(Builder::from_unix_timestamp_millis(millis, &chance).into_uuid())
}

/// A random number.
pub(crate) fn random_number() -> Result<u64, String> {
    getrandom::u64().map_err(|error| format!("no randomness: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_doctor_tries_and_is_refused_is_a_canary() {
        let call = |run: &str, command: &str| {
            let mut call = Call::new("Bash", json!({ "command": command }));
            call.run_id = Some(run.into());
            call
        };
        let (run, command) = CANARY;
        assert!(is_canary(&call(run, command), Decision::Deny));
        assert!(!is_canary(&call(run, command), Decision::Allow));
        assert!(!is_canary(&call(run, "rm -rf /"), Decision::Deny));
        assert!(!is_canary(&call("another", command), Decision::Deny));
    }
}
