//! What a search left out, and the sentences about it.

use std::collections::BTreeSet;

use super::walk::WalkReport;
use crate::file_access::StopReason;

/// The most names of protected files that are kept.
const MAX_NAMES: usize = 20;

/// Protected files and directories that a search left out.
#[derive(Debug, Default)]
pub(crate) struct ProtectedFiles {
    count: u64,
    /// The first of them, in order.
    names: BTreeSet<String>,
}

impl ProtectedFiles {
    pub(crate) fn add(&mut self, name: String) {
        self.count += 1;
        self.keep(name);
    }

    fn keep(&mut self, name: String) {
        self.names.insert(name);
        if self.names.len() > MAX_NAMES {
            self.names.pop_last();
        }
    }

    pub(crate) fn merge(&mut self, other: ProtectedFiles) {
        self.count += other.count;
        other.names.into_iter().for_each(|name| self.keep(name));
    }

    /// The sentence about them.
    pub(crate) fn note(&self, did: &str) -> Option<String> {
        if self.count == 0 {
            return None;
        }
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let more = self.count.saturating_sub(names.len() as u64);
        let more = if more == 0 { String::new() } else { format!(", and {more} more") };
        Some(format!("{} {did}: {}{more}.", counted(self.count, "protected path"), names.join(", ")))
    }
}

/// A number with its noun.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    match (count, noun.ends_with("ch")) {
        (1, _) => format!("1 {noun}"),
        (_, true) => format!("{count} {noun}es"),
        (_, false) => format!("{count} {noun}s"),
    }
}

/// The sentences about what a walk could not look at.
pub(crate) fn walk_notes(report: &WalkReport) -> Vec<String> {
    let were = |count: u64| if count == 1 { "directory was" } else { "directories were" };
    let mut notes = Vec::new();
    let mut add = |count: u64, what: &str| {
        if count > 0 {
            notes.push(format!("{count} {} left out: {what}.", were(count)));
        }
    };
    add(report.unreadable, "no permission, or replaced during the search");
    add(report.too_deep, "the path is too long");
    add(report.too_large, "more than a million entries; the first million were searched");
    add(report.of_kernel, "the kernel makes its files when they are read");
    if report.unused_ignore_files > 0 {
        let files = counted(report.unused_ignore_files, "ignore file");
        notes.push(format!("{files} not used: a link, not a regular file, or too large."));
    }
    if report.stopped == Some(StopReason::OutOfTime) {
        notes.push("The time limit was reached, so not everything was searched. Search fewer files.".into());
    }
    notes
}
