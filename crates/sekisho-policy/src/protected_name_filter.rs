//! A fast check whether a file name may be protected, for thousands of names.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use crate::backup_names::backed_up_name;
use crate::name_glob::{LeadingDot, is_wild, literal_ends};
use crate::paths::fold;
use crate::protected_paths::ProtectedList;
use crate::protected_pattern::Segment;

/// The last components of all patterns on the list.
pub struct ProtectedNameFilter<'a> {
    list: &'a ProtectedList,
    /// Names without wildcards, folded.
    literal: HashSet<String, FixedState>,
    /// The globs whose last component has wildcards, by one byte of every name they match.
    wild: HashMap<Byte, Vec<(Ends, u32)>, FixedState>,
    /// Some pattern ends with any name.
    all: bool,
}

impl<'a> ProtectedNameFilter<'a> {
    pub(crate) fn new(list: &'a ProtectedList) -> ProtectedNameFilter<'a> {
        let literal = list.plain_names().map(str::to_owned).collect();
        let mut names = ProtectedNameFilter { list, literal, wild: HashMap::default(), all: false };
        for (at, glob) in list.globs() {
            match glob.rsplit('/').next().unwrap_or_default() {
                // It protects everything below.
                "" | "**" => names.all = true,
                last if is_wild(last) => {
                    let ends = Ends::of(last);
                    names.wild.entry(ends.byte()).or_default().push((ends, at));
                }
                last => drop(names.literal.insert(fold(last))),
            }
        }
        names
    }

    /// Whether a name may be protected in a directory that is not. Only `false` is certain.
    pub fn may_protect(&self, name: &str) -> bool {
        let original = backed_up_name(name);
        self.lists(name)
            || (original.len() != name.len()
                && (self.lists(original) || self.lists(original.trim_start_matches('.'))))
    }

    fn lists(&self, name: &str) -> bool {
        let is_folded = name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let folded = if is_folded { Cow::Borrowed(name) } else { Cow::Owned(fold(name)) };
        let matches = |at: u32| match self.list.last_part(at) {
            Some(Segment::Name(glob)) => glob.matches(name, LeadingDot::Wild),
            Some(Segment::Deep) | None => true,
        };
        let last = folded.bytes().next_back().map(Byte::Last);
        let first = folded.bytes().next().map(Byte::First);
        let alike =
            [last, first, Some(Byte::None)].into_iter().flatten().filter_map(|byte| self.wild.get(&byte));
        self.all
            || self.literal.contains(folded.as_ref())
            || alike.flatten().any(|(ends, at)| ends.fit(&folded) && matches(*at))
    }
}

/// A byte that all names matched by a glob have in common.
#[derive(PartialEq, Eq, Hash)]
enum Byte {
    Last(u8),
    First(u8),
    None,
}

/// Prefix and suffix of every name that a glob matches, folded.
struct Ends {
    begins: String,
    ends: String,
}

impl Ends {
    fn of(glob: &str) -> Ends {
        let (begins, ends) = literal_ends(glob);
        Ends { begins: fold(begins), ends: fold(ends) }
    }

    fn byte(&self) -> Byte {
        let last = self.ends.bytes().next_back().map(Byte::Last);
        last.or_else(|| self.begins.bytes().next().map(Byte::First)).unwrap_or(Byte::None)
    }

    fn fit(&self, folded: &str) -> bool {
        folded.ends_with(&self.ends) && folded.starts_with(&self.begins)
    }
}

#[cfg(test)]
mod tests {
    use super::ProtectedNameFilter;
    use crate::protected_paths::{ListedPattern, ProtectedList};
    use proptest::prelude::*;

    #[test]
    fn plain_names_and_globs_match_in_either_case() {
        let list = ProtectedList::with_changes(&[], std::iter::empty());
        let names = ProtectedNameFilter::new(&list);
        for name in [".env", ".ENV.local", "id_ed25519", "server.PEM", "terraform.tfstate", "\u{212a}ey.pem"]
        {
            assert!(names.may_protect(name), "{name}");
        }
        for name in ["main.rs", "README.md", "index.html", "ä", "Makefile"] {
            assert!(!names.may_protect(name), "{name}");
        }
    }

    #[test]
    fn upper_case_name_is_folded() {
        let list = ProtectedList::new(std::iter::once(ListedPattern { pattern: "key", group: None }));
        assert!(ProtectedNameFilter::new(&list).may_protect("KEY"));
    }

    proptest! {
        #[test]
        fn filter_misses_no_protected_name(
            entry in r"(\*\*/|/|)([abK.*?ä]{1,3}|\{a,b\}|\*\*|\[!?ab\]|\\a|a@\(b\)|[ab]\[a)(/([abK.*?ä]{1,3}|\*\*|a\[!?ab\]b)){0,2}/?",
            above in "(/[abk]{1,2}){0,2}",
            name in "[abABkK.ä\u{212a}]{1,4}",
        ) {
            let list = ProtectedList::new(std::iter::once(ListedPattern { pattern: &entry, group: None }));
            // Files in a protected directory are found in another way.
            let is_protected = |path: &str| list.protecting_pattern(path, Some("/w"), Some("/w")).is_some();
            let above = format!("/w{above}");
            let inside = is_protected(&above);
            let protected = is_protected(&format!("{above}/{name}"));
            prop_assert!(!protected || inside || ProtectedNameFilter::new(&list).may_protect(&name));
        }
    }
}
