//! The facts that judging asks for, looked up in the real workspace.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use sekisho_policy::{Fact, Facts, Need, Repository};

use super::workspace::{Workspace, text};

/// Looks facts up, remembering the answers: the workspace does not change.
pub(crate) struct Finder<'a> {
    workspace: &'a Workspace,
    known: RefCell<HashMap<Need, Fact>>,
}

impl<'a> Finder<'a> {
    pub(crate) fn new(workspace: &'a Workspace) -> Finder<'a> {
        Finder { workspace, known: RefCell::default() }
    }

    pub(crate) fn find(&self, needs: Vec<Need>) -> Facts {
        let mut facts = Facts::default();
        for need in needs {
            let known = self.known.borrow().get(&need).cloned();
            let fact = known.unwrap_or_else(|| {
                let fact = self.look_up(&need);
                self.known.borrow_mut().insert(need.clone(), fact.clone());
                fact
            });
            facts.insert(need, fact);
        }
        facts
    }

    fn look_up(&self, need: &Need) -> Fact {
        match need {
            Need::Resolve(path) => {
                let path = match path.strip_prefix('~') {
                    Some(rest) => format!("{}{rest}", self.workspace.home()),
                    None => path.clone(),
                };
                Fact::Resolved(text(&resolve(Path::new(&path))))
            }
            Need::Repository(directory) => Fact::Repository(repository(Path::new(directory))),
            Need::TrackedLinks(_) => Fact::TrackedLinks(false),
            Need::GlobOption { directory, pattern } => {
                Fact::GlobOption(expands_to_option(directory, pattern))
            }
        }
    }
}

/// The most inviting facts there could be: what is not allowed with them is not allowed with the real ones.
pub(crate) fn inviting(needs: Vec<Need>) -> Facts {
    let facts = needs.into_iter().map(|need| {
        let fact = match &need {
            Need::Resolve(path) => Fact::Resolved(path.clone()),
            Need::Repository(_) => Fact::Repository(Repository::Plain),
            Need::TrackedLinks(_) => Fact::TrackedLinks(false),
            Need::GlobOption { .. } => Fact::GlobOption(false),
        };
        (need, fact)
    });
    facts.collect::<Vec<_>>().into()
}

/// Links followed as far as the path exists.
fn resolve(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(found), _, _) => found,
        (Err(_), Some(parent), Some(name)) => resolve(parent).join(name),
        _ => path.to_owned(),
    }
}

/// The nearest repository, ordinary or bare. Those of the workspace that name programs all name `x.sh`.
fn repository(directory: &Path) -> Repository {
    let directory = resolve(directory);
    let config = directory.ancestors().find_map(|place| {
        let bare = place.join("HEAD").is_file() && place.join("objects").is_dir();
        let at = if place.join(".git").exists() { place.join(".git") } else { place.to_owned() };
        (bare || at != place).then(|| std::fs::read_to_string(at.join("config")).unwrap_or_default())
    });
    match config {
        Some(config) if config.contains("x.sh") => Repository::NamesPrograms { what: "x.sh".into() },
        _ => Repository::Plain,
    }
}

/// Lets bash expand the pattern. It comes from a variable, so that nothing in it is evaluated, only matched.
fn expands_to_option(directory: &str, pattern: &str) -> bool {
    let script = r#"cd -- "$1" 2>/dev/null || exit 1; IFS=; for name in $2; do case $name in -*) exit 0;; esac; done; exit 1"#;
    let status = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", script, "glob", directory, pattern])
        .status()
        .expect("bash starts");
    status.success()
}
