//! Which workspace a call belongs to. A request says where it is, never what its root is.
//!
//! The root is the registered project that the caller's directory lies in, and it stays that for the session: a caller
//! that walks into another project does not get that one's rules, except where they tighten. A hook knows where its session
//! began before any call of it did, and says so; then it is that project or none.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use sekisho_gate::asker::Session;

/// How many sessions' roots are remembered. One that was forgotten finds its root anew.
const REMEMBERED: usize = 16_384;

/// The registered projects, and which of them sessions belong to.
#[derive(Debug)]
pub(crate) struct Workspaces {
    roots: Vec<String>,
    sessions: Mutex<HashMap<Session, Option<String>>>,
}

impl Workspaces {
    pub(crate) fn new(roots: &[String]) -> Workspaces {
        Workspaces { roots: roots.to_vec(), sessions: Mutex::default() }
    }

    /// The root that a session has, if it has one; none for a session that is not known.
    pub(crate) fn known(&self, session: &Session) -> Option<Option<String>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(session).cloned()
    }

    /// The root for a caller in a directory, in its session, which `began` somewhere if it says so; `bound` are the roots its
    /// token may use, empty for any.
    pub(crate) fn root(
        &self,
        cwd: Option<&str>,
        began: Option<&str>,
        session: Option<Session>,
        bound: &[String],
    ) -> Option<String> {
        if let Some(root) = session.as_ref().and_then(|session| self.known(session)) {
            return root;
        }
        // Looked up without holding up the others: a directory may be slow to answer.
        let may = || self.roots.iter().filter(|root| bound.is_empty() || bound.contains(root));
        let found = || match began {
            Some(began) => may().find(|root| *root == began).cloned(),
            None => {
                let cwd = Path::new(cwd?).canonicalize().ok()?;
                may().filter(|root| cwd.starts_with(root)).max_by_key(|root| root.len()).cloned()
            }
        };
        let found = found();
        let Some(session) = session else { return found };
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.len() >= REMEMBERED && !sessions.contains_key(&session) {
            sessions.clear();
        }
        sessions.entry(session).or_insert(found).clone()
    }
}
