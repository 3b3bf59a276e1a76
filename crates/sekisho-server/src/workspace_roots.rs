//! Finds the workspace root of a call from the directory its caller states.
//!
//! The root is the registered project that contains the caller's directory, and it stays the same for the
//! session: a caller that enters another project does not get that project's rules, except where they
//! tighten. A hook also sends the directory in which its session began. If that directory is a registered
//! project, it is the root; otherwise there is no root.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sekisho_gate::caller::Session;
use sekisho_host::real_path;

/// How many sessions' roots are remembered. The root of a forgotten session is looked up again.
const REMEMBERED: usize = 16_384;

/// The registered projects, and the project of each session.
#[derive(Debug)]
pub(crate) struct WorkspaceRoots {
    roots: Vec<String>,
    sessions: Mutex<SessionRoots>,
}

impl WorkspaceRoots {
    pub(crate) fn new(roots: &[String]) -> WorkspaceRoots {
        let sessions = SessionRoots { most: REMEMBERED, count: 0, credentials: HashMap::new() };
        WorkspaceRoots { roots: roots.to_vec(), sessions: Mutex::new(sessions) }
    }

    fn sessions(&self) -> MutexGuard<'_, SessionRoots> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The root of a known session, which may be none. `None` for an unknown session.
    pub(crate) fn known_root(&self, session: &Session) -> Option<Option<String>> {
        self.sessions().get(session)
    }

    /// The root for a caller in a directory. `began` is the directory where the session began, if known;
    /// `bound` are the roots its token may use, empty for any.
    pub(crate) fn root(
        &self,
        cwd: Option<&str>,
        began: Option<&str>,
        session: Option<Session>,
        bound: &[String],
    ) -> Option<String> {
        if let Some(root) = session.as_ref().and_then(|session| self.known_root(session)) {
            return root;
        }
        // Looked up without holding the lock: the file system may be slow.
        let may = || self.roots.iter().filter(|root| bound.is_empty() || bound.contains(root));
        let found = || match began {
            Some(began) => {
                let began = real_path(Path::new(began));
                may().find(|root| Path::new(root) == began).cloned()
            }
            None => {
                let cwd = real_path(Path::new(cwd?));
                may().filter(|root| cwd.starts_with(root)).max_by_key(|root| root.len()).cloned()
            }
        };
        let found = found();
        let Some(session) = session else { return found };
        self.sessions().put(session, found)
    }
}

/// The roots of sessions. When there are too many, the credential with the most sessions forgets its oldest:
/// other credentials keep their roots, however many conversations one credential begins.
#[derive(Debug)]
struct SessionRoots {
    most: usize,
    count: usize,
    credentials: HashMap<String, CredentialSessions>,
}

/// The sessions of one credential, and the order in which they began.
#[derive(Debug, Default)]
struct CredentialSessions {
    roots: HashMap<Session, Option<String>>,
    order: VecDeque<Session>,
}

impl SessionRoots {
    fn get(&self, session: &Session) -> Option<Option<String>> {
        self.credentials.get(&session.credential)?.roots.get(session).cloned()
    }

    /// Stores the root of a session unless it has one. Returns the root it has.
    fn put(&mut self, session: Session, root: Option<String>) -> Option<String> {
        if let Some(before) = self.get(&session) {
            return before;
        }
        let own = self.credentials.entry(session.credential.clone()).or_default();
        own.order.push_back(session.clone());
        own.roots.insert(session, root.clone());
        self.count += 1;
        if self.count > self.most {
            self.forget_one();
        }
        root
    }

    fn forget_one(&mut self) {
        let most = self.credentials.values_mut().max_by_key(|own| own.order.len());
        if let Some(own) = most
            && let Some(oldest) = own.order.pop_front()
        {
            own.roots.remove(&oldest);
            self.count = self.count.saturating_sub(1);
            if own.order.is_empty() {
                self.credentials.remove(&oldest.credential);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use sekisho_gate::caller::Session;

    use super::SessionRoots;

    fn session(credential: &str, scope: usize) -> Session {
        Session { credential: credential.into(), agent: None, scope: scope.to_string() }
    }

    #[test]
    fn many_conversations_of_one_credential_leave_others_their_roots() {
        let mut sessions = SessionRoots { most: 8, count: 0, credentials: HashMap::new() };
        let root = || Some("/project".to_owned());
        for scope in 0..3 {
            sessions.put(session("other", scope), root());
        }
        for scope in 0..100 {
            sessions.put(session("many", scope), root());
            assert!((0..3).all(|scope| sessions.get(&session("other", scope)) == Some(root())));
        }
        // It keeps its own newest sessions, and the first root of a session stays.
        assert_eq!(sessions.put(session("many", 99), None), root());
        assert_eq!(sessions.get(&session("many", 94)), None);
        assert_eq!(sessions.get(&session("many", 95)), Some(root()));
        assert_eq!((sessions.count, sessions.credentials.len()), (8, 2));
    }
}
