//! The line for the record, written before the agent is answered.

use std::path::Path;

use jiff::Timestamp;
use sekisho_adapters::Ending;
use sekisho_host::Spools;
use sekisho_policy::{Call, Decision, Verdict, shell_text};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// How much of what a call is about is written down.
const SHOWN: usize = 64 << 10;

/// The session in which `sekisho doctor` makes a call that is always refused, and what it wants to run.
const CANARY: (&str, &str) = ("sekisho-canary", "sekisho approvals approve sekisho-canary");

/// Whether a call is that of the doctor, and was refused. Any other call counts, whatever its session is called.
fn is_canary(call: &Call, decision: Decision) -> bool {
    decision == Decision::Deny
        && call.run_id.as_deref() == Some(CANARY.0)
        && shell_text(call).as_deref() == Some(CANARY.1)
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It runs.
    LetThrough,
    /// It does not.
    TurnedBack,
    /// The agent's own prompt decides.
    HandedBack,
    /// The run can be resumed once somebody has answered.
    PutOff,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Outcome::LetThrough => "let_through",
            Outcome::TurnedBack => "turned_back",
            Outcome::HandedBack => "handed_back",
            Outcome::PutOff => "put_off",
        }
    }
}

/// Writes to the spool that the server takes into the log.
pub(crate) struct Recorder {
    spools: Spools,
    credential: String,
}

impl Recorder {
    pub(crate) fn at(state: &Path) -> Recorder {
        let uid = rustix::process::getuid().as_raw();
        Recorder { spools: Spools::at(state), credential: format!("hook:{uid}") }
    }

    /// Records a verdict and what became of it.
    pub(crate) fn judged(&self, call: &Call, verdict: &Verdict, outcome: Outcome) -> Result<(), String> {
        let run = (outcome == Outcome::LetThrough).then(|| id_of("execution", call));
        let decision = match outcome {
            Outcome::TurnedBack => Decision::Deny,
            _ => verdict.decision,
        };
        let canary = is_canary(call, decision);
        let mut line = self.about("verdict", call);
        put(&mut line, "execution", json!(run));
        // Figures count rows by their decision, and a canary is no call of an agent.
        if !canary {
            put(&mut line, "decision", json!(decision));
        }
        put(&mut line, "text", json!(verdict.sentence()));
        let body = json!({
            "outcome": outcome.name(),
            "canary": canary.then_some(true),
            "message": shown(call),
            "toolUseId": call.call_id,
            "runId": call.run_id,
            "cwd": call.cwd,
            "reasons": verdict.reasons,
            "rules": verdict.rules,
            "danger": verdict.danger,
            "facts": verdict.facts,
        });
        put(&mut line, "body", body);
        self.write(&line)
    }

    /// Records how a call ended.
    pub(crate) fn ended(&self, call: &Call, ending: &Ending, run: Option<&str>) -> Result<(), String> {
        let mut line = self.about("execution", call);
        let own = || id_of("execution", call).to_string();
        put(&mut line, "execution", json!(run.map_or_else(own, str::to_owned)));
        let code = if ending.is_error { "failed" } else { "finished" };
        put(&mut line, "text", json!(code));
        let body = json!({
            "isError": ending.is_error,
            "durationMs": ending.duration_ms,
            "toolUseId": call.call_id,
            "runId": call.run_id,
            "recordLine": { "code": code },
        });
        put(&mut line, "body", body);
        self.write(&line)
    }

    fn about(&self, kind: &str, call: &Call) -> Value {
        json!({
            "at": Timestamp::now(),
            "kind": kind,
            "call": id_of("call", call),
            "tool": call.tool,
            "server": call.server.as_ref().map(|server| &server.id),
            "agent": call.agent.as_ref().map(|agent| &agent.id),
            "credential": self.credential,
        })
    }

    fn write(&self, line: &Value) -> Result<(), String> {
        let fresh = fresh_name()?;
        let written = self.spools.append(&line.to_string(), fresh);
        written.map_err(|error| format!("the call cannot be put on the record: {error}"))
    }
}

fn put(line: &mut Value, field: &str, value: Value) {
    if let Value::Object(fields) = line {
        fields.insert(field.to_owned(), value);
    }
}

/// What a person reads of a call: the command, or the input; of a very long one its two ends, and how much is between.
fn shown(call: &Call) -> String {
    let text = shell_text(call).map_or_else(|| call.input.to_string(), |text| text.into_owned());
    let length = text.chars().count();
    if length <= SHOWN {
        return text;
    }
    let head: String = text.chars().take(SHOWN / 2).collect();
    let tail: String = text.chars().skip(length - SHOWN / 2).collect();
    format!("{head} … ({} characters are left out) … {tail}", length - SHOWN)
}

/// An id that follows from the call, so that its end finds it again without anything being kept.
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

/// The name of a spool that may have to be begun; later ones come later in their order.
fn fresh_name() -> Result<Uuid, String> {
    let mut chance = [0; 10];
    getrandom::fill(&mut chance).map_err(|error| format!("no randomness: {error}"))?;
    let millis = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0);
    Ok(Builder::from_unix_timestamp_millis(millis, &chance).into_uuid())
}

/// A number that no other call has.
pub(crate) fn by_chance() -> Result<u64, String> {
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
