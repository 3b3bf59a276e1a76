//! Other rules than there are: to try a rule before it is kept.

use std::sync::Arc;

use super::kept::Kept;
use super::{InForce, Rulebook};
use crate::asker::{Around, Session};
use crate::rules::StoredRule;

/// A rulebook with other kept rules. Nothing that is judged for real sees it, and nothing can be kept in it.
#[derive(Debug)]
pub struct Supposed(Rulebook);

impl Rulebook {
    /// The same files, with these rules in the place of the kept ones. Where those cannot be read, that stays so.
    pub fn supposing(&self, rules: Vec<StoredRule>) -> Supposed {
        let before = self.kept();
        let mut kept = Kept::read(rules, &before);
        kept.unread.clone_from(&before.unread);
        let supposed = Rulebook::new(Arc::clone(&self.files), Arc::clone(&self.stored));
        *supposed.kept.write().unwrap_or_else(std::sync::PoisonError::into_inner) = Arc::new(kept);
        Supposed(supposed)
    }
}

impl Supposed {
    /// The policy that would be in force for a caller in a directory of a workspace, in its session.
    pub fn in_force(&self, around: &Around, cwd: Option<&str>, session: Option<&Session>) -> InForce {
        self.0.in_force(around, cwd, session)
    }

    /// The rulebook it is, for judging and nothing else.
    pub(crate) fn rulebook(&self) -> &Rulebook {
        &self.0
    }
}
