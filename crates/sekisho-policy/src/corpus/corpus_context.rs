//! The context of a corpus file: workspace, time, links and files.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::in_memory_files::InMemoryFiles;
use super::symlink_resolution::follow;
use crate::default_protected_paths::ContentCheck;
use crate::facts::{Fact, FactQuery, Facts};
use crate::file_search_query::FileSearchOutcome;
use crate::judge_context::JudgeContext;
use crate::policy::Policy;
use crate::protected_file_search::{FileTree as _, find_protected};
use crate::repository::Repository;

/// The contents of a `surroundings` block. Without one: a workspace at `/w`, a home at `/home/u`, New Year
/// 2026, and someone to answer.
pub(super) struct CorpusContext {
    now: Timestamp,
    root: Option<String>,
    home: Option<String>,
    pub(super) cwd: Option<String>,
    can_confirm: bool,
    links: BTreeMap<String, String>,
    unknown: Vec<String>,
    files: BTreeMap<String, String>,
}

impl Default for CorpusContext {
    fn default() -> CorpusContext {
        CorpusContext {
            now: Timestamp::constant(1_767_225_600, 0),
            root: Some("/w".into()),
            home: Some("/home/u".into()),
            cwd: Some("/w".into()),
            can_confirm: true,
            links: BTreeMap::new(),
            unknown: Vec::new(),
            files: BTreeMap::new(),
        }
    }
}

impl CorpusContext {
    /// Parses a block: `name: value` lines, and `from -> to` lines for links.
    pub(super) fn read(&mut self, text: &str) -> Result<(), String> {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some((from, to)) = line.split_once(" -> ") {
                self.links.insert(from.trim().into(), to.trim().into());
                continue;
            }
            let (name, value) =
                line.split_once(':').ok_or_else(|| format!("`{line}` is neither a setting nor a link"))?;
            let value = value.trim();
            let place = || Some(value.to_owned()).filter(|value| value != "none");
            match name.trim() {
                "root" => self.root = place(),
                "home" => self.home = place(),
                "cwd" => self.cwd = place(),
                "now" => self.now = value.parse().map_err(|_| format!("`{value}` is not a time"))?,
                "can_confirm" => {
                    self.can_confirm =
                        value.parse().map_err(|_| format!("`{value}` is neither true nor false"))?;
                }
                "unknown" => self.unknown.push(value.into()),
                "file" => {
                    let (path, text) = value.split_once(" = ").unwrap_or((value, ""));
                    self.files.insert(path.into(), text.into());
                }
                other => return Err(format!("unknown setting `{other}`")),
            }
        }
        Ok(())
    }

    /// The judge context of one call, with the facts it needs.
    pub(super) fn judge_context(&self, policy: &Policy, queries: Vec<FactQuery>) -> JudgeContext {
        let mut facts = Facts::default();
        let mut files = InMemoryFiles::new(&self.files, &self.links);
        for query in queries {
            let fact = match &query {
                FactQuery::Resolve(path) => self.resolve(path).map(Fact::Resolved),
                // Repositories here are plain, and no file name begins with `-`.
                FactQuery::Repository(_) => Some(Fact::Repository(Repository::Plain)),
                FactQuery::TrackedLinks(_) => Some(Fact::TrackedLinks(false)),
                FactQuery::GlobOption { .. } => Some(Fact::GlobOption(false)),
                FactQuery::Files(_) => self.search(policy, &mut files, &query).map(Fact::Files),
                FactQuery::Contents(path) => {
                    let path = self.resolve(path);
                    path.map(|path| Fact::Contents(files.secrecy(&path, ContentCheck::Key)))
                }
            };
            if let Some(fact) = fact {
                facts.insert(query, fact);
            }
        }
        let Self { now, can_confirm, .. } = *self;
        let (root, home) = (self.root.clone(), self.home.clone());
        JudgeContext { now, root, home, can_confirm, requires_approval: false, facts }
    }

    fn search(
        &self,
        policy: &Policy,
        files: &mut InMemoryFiles<'_>,
        query: &FactQuery,
    ) -> Option<FileSearchOutcome> {
        let mut query = query.clone();
        for path in query.paths_mut() {
            *path = self.place(path)?;
        }
        let FactQuery::Files(search) = query else { return None };
        find_protected(policy, files, &search, self.root.as_deref(), self.home.as_deref())
    }

    /// The target of a path, resolved component by component like in the kernel.
    fn resolve(&self, path: &str) -> Option<String> {
        if self.unknown.iter().any(|unknown| unknown == path) {
            return None;
        }
        follow(&self.links, &self.place(path)?)
    }

    /// A path with the home directory expanded.
    fn place(&self, path: &str) -> Option<String> {
        Some(match path.strip_prefix('~') {
            Some(rest) => format!("{}{rest}", self.home.as_deref()?),
            None => path.to_owned(),
        })
    }
}
