//! Paths that no pattern of the protected list matches, noted while facts are collected.

use std::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::policy::Policy;
use crate::protected_paths::{Listing, ProtectedList};

/// The most paths that are kept. Most commands name fewer; others are compared again.
const MAX_KEPT: usize = 16;

/// Paths that are unlisted wherever home and workspace are, so that the verdict need not compare them again.
#[derive(Default)]
pub(crate) struct UnlistedPaths {
    kept: RefCell<SmallVec<[Box<str>; 4]>>,
    /// The list that they were compared with.
    list: RefCell<Option<Arc<ProtectedList>>>,
}

impl UnlistedPaths {
    /// Compares a path with the list, and notes it if it is not on it. Whether the file's contents decide.
    pub(crate) fn depends_on_contents(&self, policy: &Policy, path: &str) -> bool {
        if self.has(policy, path) {
            return false;
        }
        let listing = policy.protected.listing(path);
        if listing == Listing::Unlisted {
            self.note(policy, path);
        }
        listing == Listing::ByContents
    }

    /// Whether a path is known to be unlisted by this policy.
    pub(crate) fn has(&self, policy: &Policy, path: &str) -> bool {
        let list = self.list.borrow();
        list.as_ref().is_some_and(|list| std::ptr::eq(&**list, &*policy.protected))
            && self.kept.borrow().iter().any(|kept| **kept == *path)
    }

    fn note(&self, policy: &Policy, path: &str) {
        let mut list = self.list.borrow_mut();
        let mut kept = self.kept.borrow_mut();
        if list.is_none() {
            *list = Some(policy.protected.shared());
        }
        // Facts are collected with one policy.
        let same = list.as_ref().is_some_and(|list| std::ptr::eq(&**list, &*policy.protected));
        if same && kept.len() < MAX_KEPT {
            kept.push(path.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Layers;

    #[test]
    fn paths_are_kept_for_one_policy() {
        let policy = || Policy::compile(Layers::from(Vec::new()));
        let (own, other) = (policy(), policy());
        let paths = UnlistedPaths::default();
        assert!(!paths.depends_on_contents(&own, "/w/a") && !paths.depends_on_contents(&own, "/w/.env"));
        assert!(paths.depends_on_contents(&own, "/w/a.pem"));
        assert!(paths.has(&own, "/w/a") && !paths.has(&own, "/w/.env") && !paths.has(&own, "/w/a.pem"));
        assert!(!paths.has(&other, "/w/a"));
        assert!(!paths.depends_on_contents(&other, "/w/b"));
        assert!(!paths.has(&other, "/w/b") && !paths.has(&own, "/w/b"));
    }

    #[test]
    fn few_paths_are_kept() {
        let policy = Policy::compile(Layers::from(Vec::new()));
        let paths = UnlistedPaths::default();
        let names: Vec<String> = (0..=MAX_KEPT).map(|at| format!("/w/{at}")).collect();
        assert!(!names.iter().any(|path| paths.depends_on_contents(&policy, path)));
        assert_eq!(names.iter().filter(|path| paths.has(&policy, path)).count(), MAX_KEPT);
    }
}
