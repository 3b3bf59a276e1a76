//! What happens to policy files, on the record.

use serde_json::{Value, json};

use crate::access::WriteAccess;
use crate::answer::By;
use crate::gate::Gate;
use crate::ledger::LedgerError;
use crate::premises::RuleEdit;
use crate::record::{Change, Entry, Kind, Record, RecordLine};
use crate::rulebook::FileEditError;

/// A change of trust in a project's policy file.
#[derive(Clone, Debug, PartialEq)]
pub struct TrustChange {
    /// The project.
    pub root: String,
    /// Its policy file.
    pub path: String,
    /// What was done.
    pub what: TrustStep,
}

/// What was done about trust in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum TrustStep {
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
    pub fn line(&self, by: &str) -> RecordLine {
        let (path, by) = (self.path.clone(), by.to_owned());
        match &self.what {
            TrustStep::Trusted(_) => RecordLine::Trusted { path, by },
            TrustStep::Failed { error, .. } => RecordLine::TrustFailed { path, error: error.clone() },
            TrustStep::Revoked => RecordLine::TrustRevoked { path, by },
        }
    }

    fn body(&self) -> Value {
        let (root, path) = (&self.root, &self.path);
        match &self.what {
            TrustStep::Trusted(file) | TrustStep::Failed { file, .. } => {
                json!({ "root": root, "path": path, "sha256": file.sha256, "diff": file.diff })
            }
            TrustStep::Revoked => json!({ "root": root, "path": path, "revoked": true }),
        }
    }
}

impl Gate {
    /// Records that policy files changed, which is also how those who listen hear of it. Nobody can say who changed them.
    pub async fn policy_files_changed(&self, generation: u64) -> Result<(), LedgerError> {
        let (text, body) = RecordLine::PolicyFileChanged.told(json!({ "filesGeneration": generation }));
        let entry = Entry::plain(Kind::Rules, self.inner.now(), None, text, body);
        let record = Record { entry, change: Some(Change::RulesChanged) };
        self.inner.ports.ledger.note(&WriteAccess::GATE, vec![record]).await
    }

    /// Changes or removes a rule of the user's own file, and records who did. `file` is its name.
    pub async fn edit_rule_in_file(&self, edit: RuleEdit, file: &str, by: By) -> Result<(), FileEditError> {
        let (line, file, name) = (edit.line, file.to_owned(), edit.by.clone());
        let before = json!({ "effect": edit.effect, "rule": edit.rule });
        let (said, body) = match &edit.into {
            Some((effect, rule)) => (
                RecordLine::FileRuleChanged { effect: *effect, file, line, by: name },
                json!({ "effect": effect, "rule": rule, "before": before }),
            ),
            None => (RecordLine::FileRuleRemoved { effect: edit.effect, file, line, by: name }, before),
        };
        let at = edit.at;
        self.inner.ports.rulebook.edit_in_file(edit).await?;
        let (text, body) = said.told(body);
        let entry = Entry::plain(Kind::Rules, at, Some(by), text, body);
        let record = Record { entry, change: Some(Change::RulesChanged) };
        Ok(self.inner.ports.ledger.note(&WriteAccess::GATE, vec![record]).await?)
    }

    /// Records a change of trust; `name` is what people call whoever made it.
    pub async fn trust_changed(&self, change: &TrustChange, by: By, name: &str) -> Result<(), LedgerError> {
        let (text, body) = change.line(name).told(change.body());
        let entry = Entry::plain(Kind::Trust, self.inner.now(), Some(by), text, body);
        self.inner.ports.ledger.note(&WriteAccess::GATE, vec![Record { entry, change: None }]).await
    }
}
