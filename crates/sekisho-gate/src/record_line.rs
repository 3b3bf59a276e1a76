//! What the lines of the record say: codes, and the sentences people read.
//!
//! A line that tells of a verdict or a question has none: the reasons in its body say it.

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_policy::{Effect, say};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::answer::{Role, Scope};

/// The field of a line's body that holds its code.
const FIELD: &str = "recordLine";

/// What a line of the record says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum RecordLine {
    /// A call is too large to be told of.
    TooLarge,
    /// A question was answered with yes.
    Approved {
        /// Who answered.
        by: String,
    },
    /// A question was answered with no.
    Denied {
        /// Who answered.
        by: String,
    },
    /// Nobody answered in time.
    Expired,
    /// The caller did not wait for the answer.
    CallerLeft,
    /// A question was called off.
    CalledOff {
        /// Why, in the words of whoever did.
        why: String,
    },
    /// The caller was told that the call may run.
    LetThrough,
    /// The caller was told that it may not.
    Told,
    /// An approved call may not run after all.
    TurnedBack {
        /// Why, for people.
        why: String,
    },
    /// A tool finished.
    Finished,
    /// A tool failed.
    Failed,
    /// A rule was added.
    RuleAdded {
        /// What it does.
        effect: Effect,
        /// Which.
        id: Uuid,
        /// By whom.
        by: String,
    },
    /// A rule was changed.
    RuleChanged {
        /// What it does.
        effect: Effect,
        /// Which.
        id: Uuid,
        /// By whom.
        by: String,
    },
    /// A rule was removed.
    RuleRemoved {
        /// What it did.
        effect: Effect,
        /// Which.
        id: Uuid,
        /// By whom.
        by: String,
    },
    /// A rule of the user's own file was changed.
    FileRuleChanged {
        /// What it does now.
        effect: Effect,
        /// The file.
        file: String,
        /// The line it began at.
        line: u32,
        /// By whom.
        by: String,
    },
    /// A rule of the user's own file was removed.
    FileRuleRemoved {
        /// What it did.
        effect: Effect,
        /// The file.
        file: String,
        /// The line it began at.
        line: u32,
        /// By whom.
        by: String,
    },
    /// An answer became a rule.
    Remembered {
        /// What the rule does.
        effect: Effect,
        /// Where it holds.
        scope: Scope,
        /// By whom.
        by: String,
    },
    /// A policy file changed.
    PolicyFileChanged,
    /// A project's file is trusted.
    Trusted {
        /// The file.
        path: String,
        /// By whom.
        by: String,
    },
    /// A project's file is not trusted after all.
    TrustFailed {
        /// The file.
        path: String,
        /// What went wrong, for people.
        error: String,
    },
    /// A project's file is no longer trusted.
    TrustRevoked {
        /// The file.
        path: String,
        /// By whom.
        by: String,
    },
    /// A token was made.
    TokenMade {
        /// Its name.
        name: String,
    },
    /// A token was revoked.
    TokenRevoked {
        /// Its name.
        name: String,
    },
    /// A token was made by following a link.
    SignedIn {
        /// Its name.
        name: String,
    },
    /// The holder of a token signed out.
    SignedOut {
        /// Its name.
        name: String,
    },
    /// A link to sign in was made.
    LinkMade {
        /// The name of the token it makes.
        name: String,
        /// The role of that token.
        role: Role,
    },
    /// Old raw inputs were forgotten.
    InputsForgotten {
        /// Of calls that ended before this moment.
        before: Timestamp,
        /// How many, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inputs: Option<u64>,
    },
    /// Old rows were removed.
    RowsRemoved {
        /// Rows from before this moment.
        before: Timestamp,
    },
    /// A new key signs the record.
    KeyAdded {
        /// Its number.
        key: u32,
    },
    /// A line of a hook's spool could not be read.
    SpoolUnread,
    /// The heads of all chains.
    Checkpoint {
        /// How many chains there are.
        chains: usize,
    },
}

impl RecordLine {
    /// The sentence of a line, and its body with the code in it.
    pub fn told(self, mut body: Value) -> (String, Value) {
        let (sentence, code) = (self.sentence(), json!(self));
        match &mut body {
            Value::Null => body = json!({ FIELD: code }),
            Value::Object(fields) => drop(fields.insert(FIELD.into(), code)),
            _ => {}
        }
        (sentence, body)
    }

    /// What a line of the record says, by its body as it was kept; none where it has no code, or one of another version.
    pub fn kept(body: &Value) -> Option<RecordLine> {
        let code = body.get(FIELD).or_else(|| body.get("about")?.get(FIELD))?;
        RecordLine::deserialize(code).ok()
    }

    /// For people.
    pub fn sentence(&self) -> String {
        let sentence = match self {
            RecordLine::TooLarge => "a call too large to be told of".into(),
            RecordLine::Approved { by } => format!("approved by {by}"),
            RecordLine::Denied { by } => format!("denied by {by}"),
            RecordLine::Expired => "expired".into(),
            RecordLine::CallerLeft => "aborted: the caller went away".into(),
            RecordLine::CalledOff { why } => format!("aborted: {why}"),
            RecordLine::LetThrough => "let through".into(),
            RecordLine::Told => "told".into(),
            RecordLine::TurnedBack { why } => format!("turned back after all: {why}"),
            RecordLine::Finished => "finished".into(),
            RecordLine::Failed => "failed".into(),
            RecordLine::Checkpoint { chains } => format!("checkpoint over {chains} chains"),
            other => other.sentence_of_upkeep(),
        };
        say(sentence).into_owned()
    }

    /// The sentence of a line that is about no call.
    fn sentence_of_upkeep(&self) -> String {
        match self {
            RecordLine::RuleAdded { effect, id, by } => format!("{effect} rule {id} added by {by}"),
            RecordLine::RuleChanged { effect, id, by } => format!("{effect} rule {id} changed by {by}"),
            RecordLine::RuleRemoved { effect, id, by } => format!("{effect} rule {id} removed by {by}"),
            RecordLine::FileRuleChanged { effect, file, line, by } => {
                format!("{effect} rule at {file}:{line} changed by {by}")
            }
            RecordLine::FileRuleRemoved { effect, file, line, by } => {
                format!("{effect} rule at {file}:{line} removed by {by}")
            }
            RecordLine::Remembered { effect, scope, by } => {
                format!("{effect} remembered for {scope} by {by}")
            }
            RecordLine::PolicyFileChanged => "a policy file changed".into(),
            RecordLine::Trusted { path, by } => format!("`{path}` trusted by {by}"),
            RecordLine::TrustFailed { path, error } => {
                format!("`{path}` was not trusted after all: {error}")
            }
            RecordLine::TrustRevoked { path, by } => format!("`{path}` is no longer trusted, by {by}"),
            RecordLine::TokenMade { name } => format!("token `{name}` made"),
            RecordLine::TokenRevoked { name } => format!("token `{name}` revoked"),
            RecordLine::SignedIn { name } => format!("token `{name}` signed in by a link"),
            RecordLine::SignedOut { name } => format!("token `{name}` signed out"),
            RecordLine::LinkMade { name, role } => format!("a link to sign in `{name}` as {role} was made"),
            RecordLine::InputsForgotten { before, inputs: Some(inputs) } => {
                format!("{inputs} raw inputs of calls that ended before {before:.0} are forgotten")
            }
            RecordLine::InputsForgotten { before, inputs: None } => {
                format!("raw inputs of calls that ended before {before:.0} are forgotten")
            }
            RecordLine::RowsRemoved { before } => format!("rows from before {before:.0} are removed"),
            RecordLine::KeyAdded { key } => format!("key {key} signs the record from now on"),
            RecordLine::SpoolUnread => "a line of a hook's spool could not be read".into(),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_in_its_body() {
        let line = RecordLine::TokenMade { name: "phone".into() };
        let (text, body) = line.clone().told(json!({ "id": 1 }));
        assert_eq!(text, "token `phone` made");
        assert_eq!(body, json!({ "id": 1, "recordLine": { "code": "token_made", "name": "phone" } }));
        assert_eq!(RecordLine::kept(&json!({ "by": {}, "about": body })), Some(line.clone()));
        assert_eq!(RecordLine::kept(&body), Some(line));
        let (_, body) = RecordLine::Told.told(Value::Null);
        assert_eq!(RecordLine::kept(&body), Some(RecordLine::Told));
    }

    #[test]
    fn a_line_of_another_version_has_no_code() {
        for body in [Value::Null, json!({ "id": 1 }), json!({ "recordLine": { "code": "sold" } })] {
            assert_eq!(RecordLine::kept(&body), None);
        }
    }
}
