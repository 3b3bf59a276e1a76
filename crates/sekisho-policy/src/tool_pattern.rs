//! Tool patterns over the whole name: `*` is any text, everything else is literal, case is ignored.

use smallvec::SmallVec;

use crate::paths::fold;

/// A case-folded name, for comparison with folded patterns. Most names are already folded and are borrowed;
/// other short ASCII names need no allocation either.
pub(crate) enum FoldedName<'a> {
    AsItIs(&'a [u8]),
    Changed(SmallVec<[u8; 64]>),
}

impl<'a> FoldedName<'a> {
    pub(crate) fn new(name: &'a str) -> FoldedName<'a> {
        // Checking every byte is faster than stopping early, because the loop is vectorised.
        let foldable = |byte: &u8| byte.is_ascii_uppercase() | !byte.is_ascii();
        if !name.as_bytes().iter().fold(false, |any, byte| any | foldable(byte)) {
            FoldedName::AsItIs(name.as_bytes())
        } else if name.is_ascii() {
            let mut folded = SmallVec::from_slice(name.as_bytes());
            folded.make_ascii_lowercase();
            FoldedName::Changed(folded)
        } else {
            FoldedName::Changed(SmallVec::from_vec(fold(name).into_bytes()))
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            FoldedName::AsItIs(name) => name,
            FoldedName::Changed(name) => name,
        }
    }
}

/// Whether a folded pattern matches a whole folded name.
pub(crate) fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let mut literals = pattern.split(|byte| *byte == b'*');
    let first = literals.next().unwrap_or_default();
    let Some(rest) = name.strip_prefix(first) else { return false };
    // `split` gives one element for a pattern without a star: then nothing may remain.
    let Some(last) = literals.next_back() else { return rest.is_empty() };
    let Some(mut rest) = rest.strip_suffix(last) else { return false };
    for literal in literals.filter(|literal| !literal.is_empty()) {
        match memchr::memmem::find(rest, literal) {
            Some(at) => rest = rest.get(at + literal.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

/// A literal that every matching name must contain, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PatternLiteral<'a> {
    /// The name begins with it.
    Prefix(&'a [u8]),
    /// The name ends with it.
    Suffix(&'a [u8]),
    /// The name contains it.
    Inside(&'a [u8]),
}

/// Longer literals inside a name are cut: finding one costs its length at each position of the name.
const MAX_INSIDE_LENGTH: usize = 32;

impl<'a> PatternLiteral<'a> {
    pub(crate) fn literal(self) -> &'a [u8] {
        match self {
            PatternLiteral::Prefix(literal)
            | PatternLiteral::Suffix(literal)
            | PatternLiteral::Inside(literal) => literal,
        }
    }

    /// Whether a name that contains the literal certainly matches the pattern.
    pub(crate) fn is_sufficient(self, pattern: &[u8]) -> bool {
        let mut literals = pattern.split(|byte| *byte == b'*').filter(|literal| !literal.is_empty());
        literals.next() == Some(self.literal())
            && literals.next().is_none()
            && match self {
                PatternLiteral::Prefix(_) => pattern.ends_with(b"*"),
                PatternLiteral::Suffix(_) => pattern.starts_with(b"*"),
                PatternLiteral::Inside(_) => true,
            }
    }
}

/// The literals of a folded pattern; none for `*`.
pub(crate) fn pattern_literals(pattern: &[u8]) -> impl Iterator<Item = PatternLiteral<'_>> {
    let stars = pattern.iter().filter(|byte| **byte == b'*').count();
    pattern.split(|byte| *byte == b'*').enumerate().filter(|(_, literal)| !literal.is_empty()).map(
        move |(index, literal)| {
            if index == 0 {
                PatternLiteral::Prefix(literal)
            } else if index == stars {
                PatternLiteral::Suffix(literal)
            } else {
                PatternLiteral::Inside(literal.get(..MAX_INSIDE_LENGTH).unwrap_or(literal))
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::{FoldedName, PatternLiteral, matches, pattern_literals};
    use proptest::prelude::*;

    #[track_caller]
    fn check(pattern: &str, name: &str, expected: bool) {
        let (pattern, folded) = (FoldedName::new(pattern), FoldedName::new(name));
        assert_eq!(matches(pattern.bytes(), folded.bytes()), expected, "{name}");
    }

    #[test]
    fn patterns_cover_the_whole_name() {
        check("git_*", "git_status", true);
        check("git_*", "git_", true);
        check("git_*", "git", false);
        check("git_*", "my_git_status", false);
        check("*_file", "read_file", true);
        check("*_file", "read_files", false);
        check("*", "", true);
        check("**", "anything", true);
        check("a*b*c", "a-b-c", true);
        check("a*b*c", "abc", true);
        check("a*b*c", "acb", false);
        check("ab*ba", "aba", false);
        check("*a*a*", "a", false);
        check("read", "READ", true);
        check("read", "reader", false);
        check("", "", true);
        check("", "a", false);
    }

    #[test]
    fn case_is_folded_within_a_script_and_never_into_ascii() {
        check("ÄB*", "äbc", true);
        check("*Ж", "ж", true);
        // The Kelvin sign lower-cases to an ASCII k; here, as in JavaScript, it is not that letter.
        check("k*", "\u{212a}ill", false);
        check("\u{212a}*", "\u{212a}ill", true);
    }

    #[test]
    fn literals_occur_in_every_match() {
        let found = |pattern: &'static str| pattern_literals(pattern.as_bytes()).collect::<Vec<_>>();
        assert_eq!(found("a*"), [PatternLiteral::Prefix(b"a")]);
        assert_eq!(found("*a"), [PatternLiteral::Suffix(b"a")]);
        assert_eq!(found("*a*"), [PatternLiteral::Inside(b"a")]);
        assert_eq!(
            found("a**b*c"),
            [PatternLiteral::Prefix(b"a"), PatternLiteral::Inside(b"b"), PatternLiteral::Suffix(b"c")]
        );
        assert_eq!(found("abc"), [PatternLiteral::Prefix(b"abc")]);
        assert_eq!(found("**"), []);
        assert!(
            PatternLiteral::Prefix(b"a").is_sufficient(b"a*")
                && PatternLiteral::Prefix(b"a").is_sufficient(b"a**")
        );
        assert!(!PatternLiteral::Prefix(b"a").is_sufficient(b"a"));
        assert!(!PatternLiteral::Prefix(b"a").is_sufficient(b"a*b"));
        assert!(PatternLiteral::Inside(b"a").is_sufficient(b"*a*"));
    }

    proptest! {
        #[test]
        fn matching_equals_a_naive_matcher(pattern in "[ab*]{0,8}", name in "[ab]{0,10}") {
            fn textbook(p: &[u8], n: &[u8]) -> bool {
                match p.split_first() {
                    None => n.is_empty(),
                    Some((b'*', rest)) => (0..=n.len()).any(|at| textbook(rest, &n[at..])),
                    Some((byte, rest)) => n.first() == Some(byte) && textbook(rest, &n[1..]),
                }
            }
            prop_assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), textbook(pattern.as_bytes(), name.as_bytes()));
        }
    }
}
