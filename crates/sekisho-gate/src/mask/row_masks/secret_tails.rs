//! Names of paths that are the end of a secret.
//!
//! `-pSECRET` may be a bundle of options whose last one takes a file, so the policy looks up `ECRET`,
//! `CRET` and so on. None of them may be readable in the facts, unless the command itself shows it.

use std::collections::{BTreeSet, HashSet};

/// Shorter ends occur in ordinary names, and shorter secrets are not secret.
const MIN_END: usize = 3;
const MIN_SECRET: usize = 4;

/// The ends of the secrets of a row.
#[derive(Default)]
pub(super) struct SecretTails {
    /// The secrets, each written backwards.
    reversed: BTreeSet<String>,
    /// The words of the commands as the row shows them.
    readable: HashSet<String>,
}

impl SecretTails {
    pub(super) fn add(&mut self, secret: &str) {
        if secret.chars().count() >= MIN_SECRET && !secret.contains(|c: char| c == '/' || c.is_whitespace()) {
            self.reversed.insert(secret.chars().rev().collect());
        }
    }

    /// Adds the words of a command without its secrets.
    pub(super) fn add_readable(&mut self, command: &str) {
        let words = command.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')));
        self.readable.extend(words.filter(|word| word.len() >= MIN_END).map(str::to_owned));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.reversed.is_empty()
    }

    /// Where the last name of a path starts, if it is the end of a secret.
    pub(super) fn in_path(&self, path: &str) -> Option<usize> {
        let (before, name) = path.rsplit_once('/')?;
        if name.chars().count() < MIN_END || self.readable.contains(name) {
            return None;
        }
        let end: String = name.chars().rev().collect();
        let next = self.reversed.range(end.clone()..).next()?;
        next.starts_with(&end).then_some(before.len() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::SecretTails;

    #[test]
    fn end_of_a_secret_is_found_unless_the_command_shows_it() {
        let mut tails = SecretTails::default();
        tails.add("Tr0ub4dor3xyzQ");
        tails.add("-pabcd");
        tails.add("xmain.rs");
        tails.add_readable("mysql -p[masked:command-password] main.rs");
        for (path, found) in [
            ("/w/r0ub4dor3xyzQ", true),
            ("/w/yzQ", true),
            ("/w/zQ", false),
            ("/w/Tr0ub4dor3xyzQ", true),
            ("/w/abcd", true),
            ("/w/main.rs", false),
            ("/w/other", false),
            ("yzQ", false),
        ] {
            assert_eq!(tails.in_path(path).is_some(), found, "{path}");
        }
    }
}
