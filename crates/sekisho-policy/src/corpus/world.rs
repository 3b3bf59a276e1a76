//! The world of a corpus file: where the calls happen, when, and where links lead.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::surroundings::{Fact, Facts, Need, Repository, Surroundings};

/// How many links a path may lead through, as in the kernel.
const MOST_LINKS: usize = 40;

/// What a `surroundings` block says. Without one: a workspace at `/w`, a home at `/home/u`, New Year 2026, somebody to ask.
pub(super) struct World {
    now: Timestamp,
    root: Option<String>,
    home: Option<String>,
    pub(super) cwd: Option<String>,
    can_confirm: bool,
    links: BTreeMap<String, String>,
    unknown: Vec<String>,
}

impl Default for World {
    fn default() -> World {
        World {
            now: Timestamp::constant(1_767_225_600, 0),
            root: Some("/w".into()),
            home: Some("/home/u".into()),
            cwd: Some("/w".into()),
            can_confirm: true,
            links: BTreeMap::new(),
            unknown: Vec::new(),
        }
    }
}

impl World {
    /// Reads a block: `name: value` lines, and `from -> to` lines for links.
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
                "now" => self.now = value.parse().map_err(|_| format!("`{value}` is no moment"))?,
                "can_confirm" => {
                    self.can_confirm =
                        value.parse().map_err(|_| format!("`{value}` is neither true nor false"))?;
                }
                "unknown" => self.unknown.push(value.into()),
                other => return Err(format!("`{other}` is no part of the surroundings")),
            }
        }
        Ok(())
    }

    /// The surroundings of one call, with the facts it needs.
    pub(super) fn around(&self, needs: Vec<Need>) -> Surroundings {
        let mut facts = Facts::default();
        for need in needs {
            let fact = match &need {
                Need::Resolve(path) => self.resolve(path).map(Fact::Resolved),
                // Repositories here are plain, and no file is named like an option.
                Need::Repository(_) => Some(Fact::Repository(Repository::Plain)),
                Need::TrackedLinks(_) => Some(Fact::TrackedLinks(false)),
                Need::GlobOption { .. } => Some(Fact::GlobOption(false)),
            };
            if let Some(fact) = fact {
                facts.insert(need, fact);
            }
        }
        let Self { now, can_confirm, .. } = *self;
        Surroundings { now, root: self.root.clone(), home: self.home.clone(), can_confirm, facts }
    }

    /// Where a path leads, walked segment by segment as the kernel does it.
    fn resolve(&self, path: &str) -> Option<String> {
        if self.unknown.iter().any(|unknown| unknown == path) {
            return None;
        }
        let home = self.home.as_deref();
        let path = &match path.strip_prefix('~') {
            Some(rest) => format!("{}{rest}", home?),
            None => path.to_owned(),
        };
        let mut ahead: Vec<String> = path.split('/').rev().map(Into::into).collect();
        let mut here: Vec<String> = Vec::new();
        let mut followed = 0;
        while let Some(segment) = ahead.pop() {
            match segment.as_str() {
                "" | "." => continue,
                ".." => {
                    here.pop();
                    continue;
                }
                _ => here.push(segment),
            }
            let Some(target) = self.links.get(&format!("/{}", here.join("/"))) else { continue };
            followed += 1;
            if followed > MOST_LINKS {
                return None;
            }
            here.pop();
            if target.starts_with('/') {
                here.clear();
            }
            ahead.extend(target.split('/').rev().map(Into::into));
        }
        Some(format!("/{}", here.join("/")))
    }
}
