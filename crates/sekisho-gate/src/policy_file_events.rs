//! What happens to policy files, on the record.

use serde_json::{Value, json};

use crate::write_access::WriteAccess;
use crate::answer::Actor;
use crate::gate::Gate;
use crate::ledger::LedgerError;
use crate::record::{EventPayload, AuditEntry, RecordKind, Record, AuditMessage};

/// A change of trust in a project's policy file.
#[derive(Clone, Debug, PartialEq)]
pub struct TrustChange {
    /// The project.
    pub root: String,
    /// Its policy file.
    pub path: String,
    /// What was done.
    pub action: TrustAction,
}

/// What was done about trust in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum TrustAction {
    /// Somebody trusts the file as it is.
    Trusted(TrustedFile),
    /// Somebody did, and it could not be kept.
    Failed {
        /// The file.
        file: TrustedFile,
        /// Why.
        error: String,
    },
    /// Nobody does any longer.
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
    /// Its line for the record.
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
    /// Records that policy files changed, which is also how those who listen hear of it. Nobody can say who changed them.
    pub async fn policy_files_changed(&self, generation: u64) -> Result<(), LedgerError> {
        let (text, body) = AuditMessage::PolicyFileChanged.into_text_and_body(json!({ "filesGeneration": generation }));
        let entry = AuditEntry::without_call(RecordKind::Rules, self.inner.now(), None, text, body);
        let record = Record { entry, event: Some(EventPayload::RulesChanged) };
        self.inner.ports.ledger.append_records(&WriteAccess::GATE, vec![record]).await
    }

    /// Records a change of trust; `name` is what people call whoever made it.
    pub async fn trust_changed(&self, change: &TrustChange, by: Actor, name: &str) -> Result<(), LedgerError> {
        let (text, body) = change.audit_message(name).into_text_and_body(change.body());
        let entry = AuditEntry::without_call(RecordKind::Trust, self.inner.now(), Some(by), text, body);
        self.inner.ports.ledger.append_records(&WriteAccess::GATE, vec![Record { entry, event: None }]).await
    }
}
