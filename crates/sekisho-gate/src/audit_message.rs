//! What an audit record says: codes, and the sentences people read.
//!
//! A record about a verdict or an approval has no code. The reasons in its body say what happened.

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_policy::{Effect, say};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::answer::{Role, RuleScope};

/// The field of a record's body that holds the code.
const FIELD: &str = "recordLine";

/// What an audit record says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
#[schemars(rename = "RecordLine")]
pub enum AuditMessage {
    /// The call is too large to describe.
    TooLarge,
    /// A human or a rule approved a call.
    Approved {
        /// Who or what answered.
        by: String,
    },
    /// A human or a rule denied a call.
    Denied {
        /// Who or what answered.
        by: String,
    },
    /// Nobody answered in time.
    Expired,
    /// The caller did not wait for the answer.
    CallerLeft,
    /// An approval was cancelled.
    CalledOff {
        /// The reason given.
        why: String,
    },
    /// The call was allowed to run.
    LetThrough,
    /// The caller received the refusal.
    Told,
    /// An approved call may not run after all.
    TurnedBack {
        /// Why, as displayed to people.
        why: String,
    },
    /// A tool finished.
    Finished,
    /// A tool failed.
    Failed,
    /// A rule was added.
    RuleAdded {
        /// The effect of the rule.
        effect: Effect,
        /// The id of the rule.
        id: Uuid,
        /// Who added it.
        by: String,
    },
    /// A rule was changed.
    RuleChanged {
        /// The effect of the rule.
        effect: Effect,
        /// The id of the rule.
        id: Uuid,
        /// Who changed it.
        by: String,
    },
    /// A rule was removed.
    RuleRemoved {
        /// The effect of the rule.
        effect: Effect,
        /// The id of the rule.
        id: Uuid,
        /// Who removed it.
        by: String,
    },
    /// A rule in the user's own policy file was changed.
    FileRuleChanged {
        /// The effect of the changed rule.
        effect: Effect,
        /// The name of the file.
        file: String,
        /// The line where the rule started.
        line: u32,
        /// Who changed it.
        by: String,
    },
    /// A rule in the user's own policy file was removed.
    FileRuleRemoved {
        /// The effect of the rule.
        effect: Effect,
        /// The name of the file.
        file: String,
        /// The line where the rule started.
        line: u32,
        /// Who removed it.
        by: String,
    },
    /// An answer was stored as a rule.
    Remembered {
        /// The effect of the rule.
        effect: Effect,
        /// Where the rule applies.
        scope: RuleScope,
        /// Who answered.
        by: String,
    },
    /// A policy file changed.
    PolicyFileChanged,
    /// A project's policy file was trusted.
    Trusted {
        /// The path of the file.
        path: String,
        /// Who trusts it.
        by: String,
    },
    /// Trust in a project's policy file could not be stored.
    TrustFailed {
        /// The path of the file.
        path: String,
        /// What went wrong, as displayed to people.
        error: String,
    },
    /// A project's policy file is no longer trusted.
    TrustRevoked {
        /// The path of the file.
        path: String,
        /// Who revoked the trust.
        by: String,
    },
    /// A token was created.
    TokenMade {
        /// Its name.
        name: String,
    },
    /// A token was revoked.
    TokenRevoked {
        /// Its name.
        name: String,
    },
    /// A sign-in link created a token.
    SignedIn {
        /// Its name.
        name: String,
    },
    /// The holder of a token signed out.
    SignedOut {
        /// Its name.
        name: String,
    },
    /// A sign-in link was created.
    LinkMade {
        /// The name of the token it creates.
        name: String,
        /// The role of that token.
        role: Role,
    },
    /// Old raw inputs were deleted.
    InputsForgotten {
        /// The calls ended before this time.
        before: Timestamp,
        /// How many inputs, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inputs: Option<u64>,
    },
    /// Old audit rows were removed.
    RowsRemoved {
        /// The rows are older than this.
        before: Timestamp,
    },
    /// A new key signs the audit log.
    KeyAdded {
        /// The number of the key.
        key: u32,
    },
    /// A line of a hook's spool could not be read.
    SpoolUnread,
    /// A checkpoint: the heads of all chains.
    Checkpoint {
        /// The number of chains.
        chains: usize,
    },
}

impl AuditMessage {
    /// The sentence, and the body with the code added.
    pub fn into_text_and_body(self, mut body: Value) -> (String, Value) {
        let (sentence, code) = (self.sentence(), json!(self));
        match &mut body {
            Value::Null => body = json!({ FIELD: code }),
            Value::Object(fields) => drop(fields.insert(FIELD.into(), code)),
            _ => {}
        }
        (sentence, body)
    }

    /// Reads the code from a stored body. None if there is no code, or a code of another version.
    pub fn from_body(body: &Value) -> Option<AuditMessage> {
        let code = body.get(FIELD).or_else(|| body.get("about")?.get(FIELD))?;
        AuditMessage::deserialize(code).ok()
    }

    /// The sentence people read.
    pub fn sentence(&self) -> String {
        let sentence = match self {
            AuditMessage::TooLarge => "the call is too large to describe".into(),
            AuditMessage::Approved { by } => format!("approved by {by}"),
            AuditMessage::Denied { by } => format!("denied by {by}"),
            AuditMessage::Expired => "expired".into(),
            AuditMessage::CallerLeft => "aborted: the caller disconnected".into(),
            AuditMessage::CalledOff { why } => format!("aborted: {why}"),
            AuditMessage::LetThrough => "allowed to run".into(),
            AuditMessage::Told => "refusal delivered".into(),
            AuditMessage::TurnedBack { why } => format!("not run after all: {why}"),
            AuditMessage::Finished => "finished".into(),
            AuditMessage::Failed => "failed".into(),
            AuditMessage::Checkpoint { chains } => format!("checkpoint over {chains} chains"),
            other => other.maintenance_sentence(),
        };
        say(sentence).into_owned()
    }

    /// The sentence of a record that is not about a call.
    fn maintenance_sentence(&self) -> String {
        match self {
            AuditMessage::RuleAdded { effect, id, by } => format!("{effect} rule {id} added by {by}"),
            AuditMessage::RuleChanged { effect, id, by } => format!("{effect} rule {id} changed by {by}"),
            AuditMessage::RuleRemoved { effect, id, by } => format!("{effect} rule {id} removed by {by}"),
            AuditMessage::FileRuleChanged { effect, file, line, by } => {
                format!("{effect} rule at {file}:{line} changed by {by}")
            }
            AuditMessage::FileRuleRemoved { effect, file, line, by } => {
                format!("{effect} rule at {file}:{line} removed by {by}")
            }
            AuditMessage::Remembered { effect, scope, by } => {
                format!("{effect} remembered for {scope} by {by}")
            }
            AuditMessage::PolicyFileChanged => "a policy file changed".into(),
            AuditMessage::Trusted { path, by } => format!("`{path}` trusted by {by}"),
            AuditMessage::TrustFailed { path, error } => {
                format!("trust in `{path}` could not be stored: {error}")
            }
            AuditMessage::TrustRevoked { path, by } => format!("trust in `{path}` revoked by {by}"),
            AuditMessage::TokenMade { name } => format!("token `{name}` created"),
            AuditMessage::TokenRevoked { name } => format!("token `{name}` revoked"),
            AuditMessage::SignedIn { name } => format!("token `{name}` created by a sign-in link"),
            AuditMessage::SignedOut { name } => format!("token `{name}` signed out"),
            AuditMessage::LinkMade { name, role } => {
                format!("sign-in link for `{name}` created with the role {role}")
            }
            AuditMessage::InputsForgotten { before, inputs: Some(inputs) } => {
                format!("{inputs} raw inputs of calls that ended before {before:.0} deleted")
            }
            AuditMessage::InputsForgotten { before, inputs: None } => {
                format!("raw inputs of calls that ended before {before:.0} deleted")
            }
            AuditMessage::RowsRemoved { before } => format!("rows from before {before:.0} removed"),
            AuditMessage::KeyAdded { key } => format!("key {key} signs the audit log from now on"),
            AuditMessage::SpoolUnread => "a line of a hook's spool could not be read".into(),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_is_read_from_its_body() {
        let line = AuditMessage::TokenMade { name: "phone".into() };
        let (text, body) = line.clone().into_text_and_body(json!({ "id": 1 }));
        assert_eq!(text, "token `phone` created");
        assert_eq!(body, json!({ "id": 1, "recordLine": { "code": "token_made", "name": "phone" } }));
        assert_eq!(AuditMessage::from_body(&json!({ "by": {}, "about": body })), Some(line.clone()));
        assert_eq!(AuditMessage::from_body(&body), Some(line));
        let (_, body) = AuditMessage::Told.into_text_and_body(Value::Null);
        assert_eq!(AuditMessage::from_body(&body), Some(AuditMessage::Told));
    }

    #[test]
    fn message_of_another_version_has_no_code() {
        for body in [Value::Null, json!({ "id": 1 }), json!({ "recordLine": { "code": "sold" } })] {
            assert_eq!(AuditMessage::from_body(&body), None);
        }
    }
}
