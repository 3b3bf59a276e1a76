//! Looks up facts in the real workspace.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use sekisho_policy::{
    ContentCheck, Fact, FactQuery, Facts, FileKind, FileSearchOutcome, FileSecrecy, FileTree, Policy,
    Repository, SearchLimitReached, find_protected,
};

use super::workspace::{Workspace, text};

/// Looks up facts and caches the answers: the workspace does not change.
pub(crate) struct FactLookup<'a> {
    workspace: &'a Workspace,
    known: RefCell<HashMap<FactQuery, Fact>>,
}

impl<'a> FactLookup<'a> {
    pub(crate) fn new(workspace: &'a Workspace) -> FactLookup<'a> {
        FactLookup { workspace, known: RefCell::default() }
    }

    pub(crate) fn find(&self, policy: &Policy, queries: Vec<FactQuery>) -> Facts {
        let mut facts = Facts::default();
        for query in queries {
            let known = self.known.borrow().get(&query).cloned();
            let fact = known.unwrap_or_else(|| {
                let fact = self.look_up(policy, &query);
                self.known.borrow_mut().insert(query.clone(), fact.clone());
                fact
            });
            facts.insert(query, fact);
        }
        facts
    }

    fn look_up(&self, policy: &Policy, query: &FactQuery) -> Fact {
        match query {
            FactQuery::Resolve(path) => Fact::Resolved(text(&resolve(Path::new(&self.place(path))))),
            FactQuery::Repository(directory) => Fact::Repository(repository(Path::new(directory))),
            FactQuery::TrackedLinks(_) => Fact::TrackedLinks(false),
            FactQuery::GlobOption { directory, pattern } => {
                Fact::GlobOption(expands_to_option(directory, pattern))
            }
            FactQuery::Files(_) => {
                let mut query = query.clone();
                query.paths_mut().for_each(|path| *path = self.place(path));
                let FactQuery::Files(search) = query else { panic!("{query:?}") };
                let (root, home) = (self.workspace.root(), self.workspace.home());
                let found = find_protected(policy, &mut RealFiles, &search, Some(&root), Some(&home));
                Fact::Files(found.unwrap_or(FileSearchOutcome::TooMany))
            }
            FactQuery::Contents(_) => Fact::Contents(FileSecrecy::Secret),
        }
    }

    fn place(&self, path: &str) -> String {
        match path.strip_prefix('~') {
            Some(rest) => format!("{}{rest}", self.workspace.home()),
            None => path.to_owned(),
        }
    }
}

/// The real files of the workspace.
struct RealFiles;

impl FileTree for RealFiles {
    fn list(&mut self, directory: &str) -> Result<Vec<(String, FileKind)>, SearchLimitReached> {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let paths = names.map(|name| (format!("{directory}/{name}"), name));
        Ok(paths.filter_map(|(path, name)| Some((name, self.kind(&path)?))).collect())
    }

    fn kind(&mut self, path: &str) -> Option<FileKind> {
        let kind = std::fs::symlink_metadata(path).ok()?.file_type();
        Some(match (kind.is_symlink(), kind.is_dir()) {
            (true, _) => FileKind::Link,
            (_, true) => FileKind::Directory,
            _ => FileKind::File,
        })
    }

    fn resolve(&mut self, path: &str) -> Option<String> {
        std::fs::canonicalize(path).ok().map(|path| text(&path))
    }

    fn secrecy(&mut self, _: &str, _: ContentCheck) -> FileSecrecy {
        FileSecrecy::Secret
    }

    fn negated_ignore_patterns(&mut self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn is_ignored(&mut self, _: &str, _: &str) -> bool {
        false
    }

    fn tracked_files(
        &mut self,
        _: &str,
        _: &str,
        _: bool,
        _: Option<&dyn Fn(&str) -> bool>,
    ) -> Option<Vec<String>> {
        None
    }

    fn repository_root(&mut self, directory: &str) -> Option<String> {
        Path::new(directory).ancestors().find(|place| place.join(".git").exists()).map(text)
    }
}

/// The most permissive facts: a script that is not allowed with them is not allowed with the real ones.
pub(crate) fn permissive_facts(queries: Vec<FactQuery>) -> Facts {
    let facts = queries.into_iter().map(|query| {
        let fact = match &query {
            FactQuery::Resolve(path) => Fact::Resolved(path.clone()),
            FactQuery::Repository(_) => Fact::Repository(Repository::Plain),
            FactQuery::TrackedLinks(_) => Fact::TrackedLinks(false),
            FactQuery::GlobOption { .. } => Fact::GlobOption(false),
            FactQuery::Files(_) => Fact::Files(FileSearchOutcome::Protected(Vec::new())),
            FactQuery::Contents(_) => Fact::Contents(FileSecrecy::NoSecret),
        };
        (query, fact)
    });
    facts.collect::<Vec<_>>().into()
}

/// Follows links as far as the path exists.
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

/// Lets bash expand the pattern. It comes from a variable, so that it is only matched, not evaluated.
fn expands_to_option(directory: &str, pattern: &str) -> bool {
    let script = r#"cd -- "$1" 2>/dev/null || exit 1; IFS=; for name in $2; do case $name in -*) exit 0;; esac; done; exit 1"#;
    let status = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", script, "glob", directory, pattern])
        .status()
        .expect("bash starts");
    status.success()
}
