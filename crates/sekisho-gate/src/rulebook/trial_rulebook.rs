//! A rulebook with other stored rules, to try a rule before it is stored.

use std::sync::Arc;

use super::stored_layers::StoredLayers;
use super::{ActivePolicy, Rulebook};
use crate::caller::{CallerEnvironment, Session};
use crate::rule_store::StoredRule;

/// A rulebook with other stored rules. Real judgements never use it, and nothing can be stored in it.
#[derive(Debug)]
pub struct TrialRulebook(Rulebook);

impl Rulebook {
    /// The same files with these rules instead of the stored ones. If the stored rules cannot be read,
    /// that stays so.
    pub fn trial_with(&self, rules: Vec<StoredRule>) -> TrialRulebook {
        let before = self.stored_layers();
        let mut kept = StoredLayers::read(rules, &before);
        kept.unread.clone_from(&before.unread);
        let trial = Rulebook::new(Arc::clone(&self.files), Arc::clone(&self.stored));
        *trial.kept.write().unwrap_or_else(std::sync::PoisonError::into_inner) = Arc::new(kept);
        TrialRulebook(trial)
    }
}

impl TrialRulebook {
    /// The policy that would be active for a caller in a directory of a workspace, in its session.
    pub fn in_force(
        &self,
        environment: &CallerEnvironment,
        cwd: Option<&str>,
        session: Option<&Session>,
    ) -> ActivePolicy {
        self.0.active_policy(environment, cwd, session)
    }

    /// The underlying rulebook, for judging only.
    pub(crate) fn rulebook(&self) -> &Rulebook {
        &self.0
    }
}
