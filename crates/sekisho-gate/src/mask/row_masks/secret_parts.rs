//! Names of paths that contain a secret or a part of one.
//!
//! The policy looks up every word that could be a file: `ECRET` of `-pSECRET`, which may be a bundle of
//! options, `SEC` of `SEC@RET`, `me:SECRET`. None of them may be readable in the facts, unless the
//! message shows the name as a word. So even a secret that looks like a host, a path or an option is
//! masked here.

use std::collections::{BTreeSet, HashSet};
use std::iter;
use std::ops::Range;

use memchr::memmem;

use super::automaton::Automaton;
use super::secret_forms::MIN_LENGTH;

/// Shorter ends and parts occur in ordinary names, and shorter secrets are not secret.
const MIN_END: usize = 3;
const MIN_PART: usize = 4;
/// Stands between two secrets, and in none.
const BETWEEN: char = '\0';
/// Signs where the policy divides a word.
const DIVIDERS: [char; 7] = ['=', ':', '@', '#', ',', '?', '%'];
/// Signs that end a word of a command in quotes.
const WORD_ENDS: [char; 11] = ['"', '\'', '`', ' ', ';', '(', ')', '<', '>', '|', '\\'];
/// Signs of a command in quotes, part of which the policy takes for a path. Names of directories seldom have them.
const TEXT_SIGNS: [char; 8] = ['"', '\'', ' ', '#', '@', '&', ';', '='];

/// The secrets of a row while they are collected.
#[derive(Default)]
pub(super) struct SecretParts {
    secrets: BTreeSet<String>,
}

impl SecretParts {
    /// Adds a secret. Returns its length if it is new.
    pub(super) fn add(&mut self, secret: &str) -> usize {
        let is_secret = secret.chars().count() >= MIN_PART && !secret.contains("[masked:");
        if is_secret && !self.secrets.contains(secret) && self.secrets.insert(secret.replace(BETWEEN, "")) {
            secret.len()
        } else {
            0
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    pub(super) fn finder(&self) -> PartFinder {
        let mut joined = String::from(BETWEEN);
        for secret in &self.secrets {
            joined.push_str(secret);
            joined.push(BETWEEN);
        }
        let whole = self.secrets.iter().filter(|secret| secret.chars().count() >= MIN_LENGTH);
        PartFinder { joined, whole: Automaton::new(whole), readable: HashSet::new() }
    }
}

/// Finds the names of paths that contain a secret or a part of one.
pub(super) struct PartFinder {
    joined: String,
    whole: Automaton,
    /// The words of the messages as the row shows them.
    readable: HashSet<String>,
}

impl PartFinder {
    /// Adds the words of a message without its secrets.
    pub(super) fn add_readable(&mut self, message: &str) {
        let words = message.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')));
        let words = words.chain(message.split_whitespace());
        self.readable.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
    }

    /// The last name of a fact's path, if it is so short that it occurs in ordinary names, but the end or
    /// a part between two signs of a secret and no word of the message.
    pub(super) fn short_end(&self, path: &str) -> Option<Range<usize>> {
        let start = path.rfind('/')? + 1;
        let name = path.get(start..).filter(|name| name.chars().count() < MIN_END && !name.is_empty())?;
        let is_part = self.is_in([name, "\0"].concat().as_bytes()) || self.is_between_signs(name, 1);
        (is_part && !self.readable.contains(name)).then_some(start..path.len())
    }

    /// What is masked in a path because its last name, or a name that looks like text, reveals a secret.
    pub(super) fn in_path(&self, path: &str) -> Vec<Range<usize>> {
        let Some((before, name)) = path.rsplit_once('/') else { return Vec::new() };
        let mut start = 0;
        for name in before.split('/') {
            let is_part = !self.readable.contains(name) && self.is_between_signs(name, MIN_PART);
            if is_part || (name.contains(TEXT_SIGNS) && self.has_hidden_part(name)) {
                return iter::once(start..path.len()).collect();
            }
            start += name.len() + 1;
        }
        if self.readable.contains(name) {
            return Vec::new();
        }
        if self.is_secret(name) {
            return iter::once(self.start_of_secret(path, start)..path.len()).collect();
        }
        let whole = self.whole_secrets(name);
        let mut rest: Vec<&str> = Vec::new();
        let mut done = 0;
        for range in &whole {
            rest.extend(name.get(done..range.start));
            done = range.end;
        }
        rest.extend(name.get(done..));
        if rest.iter().any(|rest| self.has_hidden_part(rest)) {
            return iter::once(self.start_of_secret(path, start)..path.len()).collect();
        }
        whole.into_iter().map(|range| start + range.start..start + range.end).collect()
    }

    /// Where a secret with slashes starts whose last name starts at `start`.
    fn start_of_secret(&self, path: &str, mut start: usize) -> usize {
        while let Some(slash) = start.checked_sub(1) {
            let above = path.get(..slash).and_then(|path| path.rfind('/')).map_or(0, |slash| slash + 1);
            let names = path.get(above..).unwrap_or_default();
            let divided = names.split_once(DIVIDERS).filter(|(first, _)| !first.contains('/'));
            let is_part = self.is_part(names) || divided.is_some_and(|(_, rest)| self.is_part(rest));
            if above == slash || !is_part {
                break;
            }
            start = above;
        }
        start
    }

    fn is_secret(&self, name: &str) -> bool {
        let is_end = name.chars().count() == MIN_END && self.is_in([name, "\0"].concat().as_bytes());
        is_end || self.is_part(name) || self.is_between_signs(name, MIN_END)
    }

    /// Whether a text of at least this length is a part of a secret between two of its signs or ends.
    fn is_between_signs(&self, text: &str, least: usize) -> bool {
        if text.chars().count() < least || !text.contains(|c: char| !is_sign(c)) {
            return false;
        }
        let bytes = self.joined.as_bytes();
        let is_end = |at: Option<&u8>| at.is_none_or(|byte| byte.is_ascii() && is_sign(char::from(*byte)));
        memmem::find_iter(bytes, text.as_bytes()).any(|start| {
            let before = start.checked_sub(1).and_then(|before| bytes.get(before));
            is_end(before) && is_end(bytes.get(start + text.len()))
        })
    }

    /// Where a name contains secrets that are not shown.
    fn whole_secrets(&self, name: &str) -> Vec<Range<usize>> {
        let mut found = self.whole.covered(name);
        found.retain(|range| name.get(range.clone()).is_some_and(|secret| !self.readable.contains(secret)));
        found
    }

    /// Whether a word between signs is a part of a secret.
    pub(super) fn has_hidden_part(&self, text: &str) -> bool {
        let divided = text.split(DIVIDERS).chain(text.split(is_sign)).chain(text.split(WORD_ENDS));
        let in_words = text.split(WORD_ENDS).flat_map(|word| word.split(DIVIDERS));
        let divided = divided.chain(in_words);
        divided.filter(|part| !part.is_empty()).any(|part| self.is_hidden_part(part))
    }

    fn is_hidden_part(&self, part: &str) -> bool {
        !self.readable.contains(part) && (self.is_part(part) || self.is_between_signs(part, MIN_END))
    }

    fn is_part(&self, text: &str) -> bool {
        text.chars().count() >= MIN_PART && self.is_in(text.as_bytes())
    }

    fn is_in(&self, text: &[u8]) -> bool {
        memmem::find(self.joined.as_bytes(), text).is_some()
    }
}

/// Whether a character is no part of a word.
fn is_sign(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use super::SecretParts;

    fn parts() -> SecretParts {
        let mut parts = SecretParts::default();
        for secret in [
            "Tr0ub4dor3xyzQ",
            "-pabcd",
            "xmain.rs",
            "Aa1b/Cc2d Ee3f",
            "Zz9y@Xx8w",
            "evil.example",
            "abc",
            "xK3!pQ7@mW9#zT2",
        ] {
            parts.add(secret);
        }
        parts
    }

    #[test]
    fn name_with_a_part_of_a_secret_is_found_unless_the_message_shows_it() {
        let parts = parts();
        let mut finder = parts.finder();
        finder.add_readable("mysql -p[masked:command-password] main.rs evil:main.rs");
        for (path, shown) in [
            ("/w/r0ub4dor3xyzQ", "/w/§"),
            ("/w/yzQ", "/w/§"),
            ("/w/zQ", "/w/zQ"),
            ("/w/4dor", "/w/§"),
            ("/w/4do", "/w/4do"),
            ("/w/Tr0ub4dor3xyzQ", "/w/§"),
            ("/w/xTr0ub4dor3xyzQx", "/w/x§x"),
            ("/w/abcd", "/w/§"),
            ("/w/main.rs", "/w/main.rs"),
            ("/w/evil:main.rs", "/w/evil:main.rs"),
            ("/w/x:main.rs", "/w/x:main.rs"),
            ("/w/me:Zz9y@Xx8w", "/w/me:§"),
            ("/w/Zz9y", "/w/§"),
            ("/w/me:4dor", "/w/§"),
            ("/w/me=evil.example", "/w/me=§"),
            ("/w/Aa1b/Cc2d Ee3f", "/w/§"),
            ("/w/me:a1b/Cc2d Ee3f", "/w/§"),
            ("/w/Cc2d", "/w/§"),
            ("/w/other", "/w/other"),
            ("/w/abc", "/w/abc"),
            ("/4dor/other", "/4dor/other"),
            ("/mysqldump -uroot -p\"Zz9y", "/§"),
            ("/w/A=[masked:x]&Xx8w", "/w/§"),
            ("/Xx8w\" db > /b.sql", "/§"),
            ("/w/some dir/b.sql", "/w/some dir/b.sql"),
            ("/w/\"xK3!pQ7", "/w/§"),
            ("/w/mW9#zT2\" psql", "/w/§"),
            ("/w/xK3", "/w/§"),
            ("/w/pQ7", "/w/§"),
            ("/w/K3!", "/w/K3!"),
            ("/w/Cc2d/g", "/w/§"),
            ("/w/c2d/g", "/w/c2d/g"),
            ("/w/me%Aa1b/Cc2d", "/w/§"),
            ("yzQ", "yzQ"),
        ] {
            let mut masked = path.to_owned();
            for range in finder.in_path(path).into_iter().rev() {
                masked.replace_range(range, "§");
            }
            assert_eq!(masked, shown, "{path}");
        }
    }

    #[test]
    fn short_end_of_a_secret_is_found_unless_the_message_shows_it() {
        let parts = parts();
        let mut finder = parts.finder();
        finder.add_readable("mysql -p[masked:command-password] main.rs");
        for (path, is_hidden) in [
            ("/w/zQ", true),
            ("/w/Q", true),
            ("/w/T2", true),
            ("/w/rs", true),
            ("/w/-p", false),
            ("/w/z", false),
            ("/w/yzQ", false),
            ("/w/", false),
            ("Q", false),
        ] {
            assert_eq!(finder.short_end(path).is_some(), is_hidden, "{path}");
        }
        finder.add_readable("cp Q x");
        assert_eq!(finder.short_end("/w/Q"), None);
    }
}
