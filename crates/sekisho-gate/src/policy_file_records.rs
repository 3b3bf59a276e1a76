//! Audit records about policy files and trust in them.

use serde_json::{Value, json};

use crate::answer::Actor;
use crate::gate::Gate;
use crate::host_ports::RuleEdit;
use crate::ledger::LedgerError;
use crate::ledger_write_proof::WriteAccess;
use crate::record::{AuditEntry, AuditMessage, EventPayload, Record, RecordKind};
use crate::rulebook::FileEditError;

/// A change of trust in a project's policy file.
#[derive(Clone, Debug, PartialEq)]
pub struct TrustChange {
    /// The root of the project.
    pub root: String,
    /// The path of the policy file.
    pub path: String,
    /// What was done.
    pub action: TrustAction,
}

/// A change of trust.
#[derive(Clone, Debug, PartialEq)]
pub enum TrustAction {
    /// Somebody trusts the file as it is.
    Trusted(TrustedFile),
    /// Somebody trusted the file, and that could not be stored.
    Failed {
        /// The file that was to be trusted.
        file: TrustedFile,
        /// Why it could not be stored.
        error: String,
    },
    /// Trust was revoked.
    Revoked,
}

/// A policy file as somebody trusts it.
#[derive(Clone, Debug, PartialEq)]
pub struct TrustedFile {
    /// The SHA-256 of its text.
    pub sha256: String,
    /// What changed since it was last trusted.
    pub diff: Option<String>,
}

impl TrustChange {
    /// The audit message of this change.
    pub fn audit_message(&self, by: &str) -> AuditMessage {
        let (path, by) = (self.path.clone(), by.to_owned());
        match &self.action {
            TrustAction::Trusted(_) => AuditMessage::Trusted { path, by },
            TrustAction::Failed { error, .. } => AuditMessage::TrustFailed { path, error: error.clone() },
            TrustAction::Revoked => AuditMessage::TrustRevoked { path, by },
        }
    }

    fn body(&self) -> Value {
        let (root, path) = (&self.root, &self.path);
        match &self.action {
            TrustAction::Trusted(file) | TrustAction::Failed { file, .. } => {
                json!({ "root": root, "path": path, "sha256": file.sha256, "diff": file.diff })
            }
            TrustAction::Revoked => json!({ "root": root, "path": path, "revoked": true }),
        }
    }
}

impl Gate {
    /// Records that policy files changed and publishes it to feeds. Who changed them is unknown.
    pub async fn policy_files_changed(&self, generation: u64) -> Result<(), LedgerError> {
        let (text, body) =
            AuditMessage::PolicyFileChanged.into_text_and_body(json!({ "filesGeneration": generation }));
        let entry = AuditEntry::without_call(RecordKind::Rules, self.inner.now(), None, text, body);
        let record = Record { entry, event: Some(EventPayload::RulesChanged) };
        self.inner.ports.ledger.append_records(&WriteAccess::GATE, vec![record]).await
    }

    /// Changes or removes a rule in the user's own policy file, and records who did it. `file` is the name
    /// of the file. If the file was written and the record was not, the error is
    /// [`FileEditError::Ledger`].
    pub async fn edit_rule_in_file(
        &self,
        edit: RuleEdit,
        file: &str,
        by: Actor,
    ) -> Result<(), FileEditError> {
        let (line, file, name) = (edit.line, file.to_owned(), edit.by.clone());
        let before = json!({ "effect": edit.effect, "rule": edit.rule });
        let (message, body) = match &edit.into {
            Some((effect, rule)) => (
                AuditMessage::FileRuleChanged { effect: *effect, file, line, by: name },
                json!({ "effect": effect, "rule": rule, "before": before }),
            ),
            None => (AuditMessage::FileRuleRemoved { effect: edit.effect, file, line, by: name }, before),
        };
        let at = edit.at;
        self.inner.ports.rulebook.edit_in_file(edit).await?;
        let (text, body) = message.into_text_and_body(body);
        let entry = AuditEntry::without_call(RecordKind::Rules, at, Some(by), text, body);
        let record = Record { entry, event: Some(EventPayload::RulesChanged) };
        Ok(self.inner.ports.ledger.append_records(&WriteAccess::GATE, vec![record]).await?)
    }

    /// Records a change of trust. `name` is the display name of the person who made it.
    pub async fn trust_changed(
        &self,
        change: &TrustChange,
        by: Actor,
        name: &str,
    ) -> Result<(), LedgerError> {
        let (text, body) = change.audit_message(name).into_text_and_body(change.body());
        let entry = AuditEntry::without_call(RecordKind::Trust, self.inner.now(), Some(by), text, body);
        self.inner.ports.ledger.append_records(&WriteAccess::GATE, vec![Record { entry, event: None }]).await
    }
}
