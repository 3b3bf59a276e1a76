//! A glob over one component of a path: which names it matches, and whether two globs have a name in common.
//!
//! Both questions are answered for the most permissive implementation. Case is ignored, and syntax that is
//! not supported (`@(…)`, an unclosed class) matches anything; [`NameGlob::is_exact`] is then false.

use smallvec::SmallVec;

use crate::paths::fold;

/// The longest possible file name.
const MAX_NAME_LENGTH: usize = 255;

/// A glob without slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameGlob {
    units: Vec<GlobToken>,
    exact: bool,
    /// No file name is this long.
    never: bool,
    /// Whether it has a wildcard.
    wild: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum GlobToken {
    /// A case-folded character.
    Char(char),
    /// One character.
    Any,
    /// Any number of characters.
    Many,
    Class(Class),
}

/// `[a-z]`, `[!x]`
#[derive(Clone, Debug, PartialEq, Eq)]
struct Class {
    negated: bool,
    ranges: Vec<(char, char)>,
}

/// Which patterns match a leading dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadingDot {
    /// Only a literal dot, as in bash.
    Written,
    /// Wildcards too, as in most tools.
    Wild,
}

impl NameGlob {
    /// Parses a glob: `*`, `?`, `[…]`, and `\` before a literal character.
    pub fn new(text: &str) -> NameGlob {
        let mut glob = NameGlob { units: Vec::new(), exact: true, never: false, wild: false };
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            let group = rest.as_str().starts_with('(') && "?*+@!".contains(c);
            let unit = match c {
                _ if group => None,
                '*' => Some(GlobToken::Many),
                '?' => Some(GlobToken::Any),
                '[' => class(&mut rest).map(GlobToken::Class),
                '\\' => rest.next().map(GlobToken::Char),
                c => Some(GlobToken::Char(c)),
            };
            match unit {
                None => {
                    glob.exact = false;
                    glob.push(GlobToken::Many);
                    break;
                }
                Some(GlobToken::Char(c)) if c.is_ascii() => {
                    glob.push(GlobToken::Char(c.to_ascii_lowercase()))
                }
                Some(GlobToken::Char(c)) => {
                    fold(c.encode_utf8(&mut [0; 4])).chars().for_each(|c| glob.push(GlobToken::Char(c)))
                }
                Some(unit) => glob.push(unit),
            }
        }
        let shortest = glob.units.iter().filter(|unit| **unit != GlobToken::Many).count();
        // Case folding turns a few characters into two, and none into three.
        glob.never = shortest > 2 * MAX_NAME_LENGTH;
        glob
    }

    /// The glob that matches exactly this name.
    pub(crate) fn of_name(name: &str) -> NameGlob {
        let units: Vec<GlobToken> = fold(name).chars().map(GlobToken::Char).collect();
        NameGlob { never: units.len() > 2 * MAX_NAME_LENGTH, units, exact: true, wild: false }
    }

    fn push(&mut self, unit: GlobToken) {
        self.wild |= !matches!(unit, GlobToken::Char(_));
        if unit != GlobToken::Many || self.units.last() != Some(&GlobToken::Many) {
            self.units.push(match unit {
                GlobToken::Class(class) => class.single().map_or(GlobToken::Class(class), GlobToken::Char),
                unit => unit,
            });
        }
    }

    /// Whether it matches exactly what its text specifies, with letters in either case.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Whether it has a wildcard. A class of one character counts: `[k]eys` is the name of another file than
    /// `keys`.
    pub(crate) fn is_wild(&self) -> bool {
        self.wild
    }

    /// Whether it matches a name.
    pub fn matches(&self, name: &str, dot: LeadingDot) -> bool {
        let hidden = name.starts_with('.') && dot == LeadingDot::Written;
        if self.never || (hidden && self.units.first() != Some(&GlobToken::Char('.'))) {
            return false;
        }
        if name.is_ascii() {
            if !self.fits_ends(name) {
                return false;
            }
            return walk(&self.units, name.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
        }
        // Some programs count bytes where others count characters.
        let loose = |unit: &GlobToken| match unit {
            GlobToken::Any | GlobToken::Class(_) => GlobToken::Many,
            unit => unit.clone(),
        };
        match self.counts() {
            true => walk(&self.units.iter().map(loose).collect::<Vec<_>>(), fold(name).chars()),
            false => walk(&self.units, fold(name).chars()),
        }
    }

    /// False if the first or last character of an ASCII name shows that the glob does not match it.
    pub(crate) fn fits_ends(&self, name: &str) -> bool {
        let fits = |unit: Option<&GlobToken>, byte: Option<&u8>| match (unit, byte) {
            (Some(GlobToken::Char(c)), Some(byte)) => *c == char::from(byte.to_ascii_lowercase()),
            (Some(GlobToken::Char(_)), None) => false,
            _ => true,
        };
        let bytes = name.as_bytes();
        !name.is_ascii() || (fits(self.units.first(), bytes.first()) && fits(self.units.last(), bytes.last()))
    }

    /// Whether it matches a name in every implementation that is case-sensitive.
    pub(crate) fn matches_for_all(&self, name: &str) -> bool {
        self.matches(name, LeadingDot::Wild) && fold(name) == name && (name.is_ascii() || !self.counts())
    }

    /// Whether it constrains the number of characters.
    fn counts(&self) -> bool {
        self.units.iter().any(|unit| matches!(unit, GlobToken::Any | GlobToken::Class(_)))
    }

    /// Whether some name matches both. `dot` is how this glob treats a leading dot; the other matches any.
    pub fn intersects(&self, other: &NameGlob, dot: LeadingDot) -> bool {
        if self.never || other.never || !self.shares_ends(other) {
            return false;
        }
        let written = dot == LeadingDot::Written && self.units.first() != Some(&GlobToken::Char('.'));
        let (rows, columns) = (self.units.len() + 1, other.units.len() + 1);
        // A state is the position in each glob, and whether a character was consumed yet.
        let mut seen: SmallVec<[bool; 512]> = SmallVec::from_elem(false, rows * columns * 2);
        let mut open: SmallVec<[(usize, usize, bool); 32]> = SmallVec::new();
        open.push((0, 0, false));
        while let Some((i, j, begun)) = open.pop() {
            let state = (i * columns + j) * 2 + usize::from(begun);
            match seen.get_mut(state) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            let (mine, theirs) = (self.units.get(i), other.units.get(j));
            if mine == Some(&GlobToken::Many) {
                open.push((i + 1, j, begun));
            }
            if theirs == Some(&GlobToken::Many) {
                open.push((i, j + 1, begun));
            }
            match (mine, theirs) {
                (None, None) => return true,
                (Some(mine), Some(theirs)) if mine.shares(theirs, begun || !written) => {
                    let next = |at, unit: &GlobToken| if *unit == GlobToken::Many { at } else { at + 1 };
                    open.push((next(i, mine), next(j, theirs), true));
                }
                _ => {}
            }
        }
        false
    }

    /// False if the first or last literal characters show that no name matches both.
    fn shares_ends(&self, other: &NameGlob) -> bool {
        let fits = |mine: Option<&GlobToken>, theirs: Option<&GlobToken>| match (mine, theirs) {
            (Some(GlobToken::Char(mine)), Some(GlobToken::Char(theirs))) => mine == theirs,
            _ => true,
        };
        fits(self.units.first(), other.units.first()) && fits(self.units.last(), other.units.last())
    }

    /// Whether both begin with a literal dot.
    pub(crate) fn both_hidden(&self, other: &NameGlob) -> bool {
        let hidden = |glob: &NameGlob| glob.units.first() == Some(&GlobToken::Char('.'));
        hidden(self) && hidden(other)
    }

    /// How many characters both share before either has a wildcard.
    pub(crate) fn common_start(&self, other: &NameGlob) -> usize {
        let same = self
            .units
            .iter()
            .zip(&other.units)
            .take_while(|(mine, theirs)| mine == theirs && matches!(mine, GlobToken::Char(_)));
        same.count()
    }

    /// The number of literal characters.
    pub(crate) fn written(&self) -> usize {
        self.units.iter().filter(|unit| matches!(unit, GlobToken::Char(_))).count()
    }

    /// The name that remains when every wildcard is empty.
    pub(crate) fn shortest(&self) -> String {
        let chars = self.units.iter().filter_map(|unit| match unit {
            GlobToken::Char(c) => Some(*c),
            _ => None,
        });
        chars.collect()
    }
}

/// Greedy: of several stars only the last is ever retried.
fn walk(units: &[GlobToken], name: impl Iterator<Item = char> + Clone) -> bool {
    let (mut at, mut name) = (0, name);
    let mut again: Option<(usize, _)> = None;
    loop {
        if units.get(at) == Some(&GlobToken::Many) {
            at += 1;
            again = Some((at, name.clone()));
            continue;
        }
        match (name.next(), units.get(at)) {
            (None, None) => return true,
            (Some(c), Some(unit)) if unit.has(c) => at += 1,
            (None, Some(_)) => return false,
            (Some(_), _) => {
                let Some((after, from)) = &mut again else { return false };
                if from.next().is_none() {
                    return false;
                }
                (at, name) = (*after, from.clone());
            }
        }
    }
}

/// Characters that make a glob more than a literal: wildcards, classes, escapes, and groups such as `@(a|b)`.
const WILD: [char; 8] = ['*', '?', '[', '\\', '(', '+', '@', '!'];

/// Whether a glob may match other names than its own text, judged by its characters.
pub(crate) fn is_wild(glob: &str) -> bool {
    glob.contains(WILD)
}

/// A literal prefix and suffix of every name that a glob matches, if obvious.
pub(crate) fn literal_ends(glob: &str) -> (&str, &str) {
    let begins = glob.split(WILD).next().unwrap_or_default();
    // An unclosed class, or a group, may match anything from there on.
    let closed = !glob.contains(['(', '[', '\\']);
    (begins, glob.rsplit(WILD).next().filter(|_| closed).unwrap_or_default())
}

impl GlobToken {
    /// Whether a folded character matches.
    fn has(&self, c: char) -> bool {
        match self {
            GlobToken::Char(own) => *own == c,
            GlobToken::Any | GlobToken::Many => true,
            GlobToken::Class(class) => class.has(c),
        }
    }

    /// Whether some character matches both.
    fn shares(&self, other: &GlobToken, dot: bool) -> bool {
        match (self, other) {
            (GlobToken::Char(c), unit) | (unit, GlobToken::Char(c)) => (dot || *c != '.') && unit.has(*c),
            (GlobToken::Class(class), unit) | (unit, GlobToken::Class(class)) => {
                let more = if let GlobToken::Class(class) = unit { class.edges() } else { Vec::new() };
                let printable = ' '..='~';
                let mut some = class.edges().into_iter().chain(more).chain(printable);
                some.any(|c| (dot || c != '.') && self.has(c) && other.has(c))
            }
            _ => true,
        }
    }
}

impl Class {
    /// Whether a folded character, in either case, is in the class.
    fn has(&self, c: char) -> bool {
        let listed = |c: char| self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&c));
        std::iter::once(c).chain(c.to_uppercase()).any(|c| listed(c) != self.negated)
    }

    /// The only character it matches, folded.
    fn single(&self) -> Option<char> {
        match self.ranges.as_slice() {
            [(first, last)] if first == last && !self.negated => {
                let folded = fold(first.encode_utf8(&mut [0; 4]));
                let mut chars = folded.chars();
                chars.next().filter(|_| chars.next().is_none())
            }
            _ => None,
        }
    }

    /// The characters at which its ranges begin or end, folded.
    fn edges(&self) -> Vec<char> {
        let near = |c: char| {
            let code = u32::from(c);
            let near = [code.checked_sub(1), Some(code), code.checked_add(1)];
            near.into_iter().flatten().filter_map(char::from_u32)
        };
        let ends = self.ranges.iter().flat_map(|(first, last)| near(*first).chain(near(*last)));
        let text: String = ends.filter(|c| *c != '/').collect();
        fold(&text).chars().collect()
    }
}

/// Parses a class after its bracket. `None` if it is not closed or not supported.
fn class(rest: &mut std::str::Chars<'_>) -> Option<Class> {
    let mut class = Class { negated: false, ranges: Vec::new() };
    if rest.as_str().starts_with(['!', '^']) {
        class.negated = true;
        rest.next();
    }
    let mut first = true;
    loop {
        let c = match rest.next()? {
            ']' if !first => return Some(class),
            '[' if rest.as_str().starts_with([':', '.', '=']) => {
                class.ranges.extend_from_slice(named(rest)?);
                first = false;
                continue;
            }
            '\\' => rest.next()?,
            c => c,
        };
        first = false;
        let mut ahead = rest.clone();
        let last = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) if last != ']' => {
                rest.next();
                rest.next();
                if last == '\\' { rest.next()? } else { last }
            }
            _ => c,
        };
        // The order of non-ASCII characters depends on the locale, and reversed ranges are not used in
        // practice.
        if last < c || last == '[' || (last != c && !(c.is_ascii() && last.is_ascii())) {
            return None;
        }
        class.ranges.push((c, last));
    }
}

/// Parses `[:alpha:]` after its first bracket. Non-ASCII letters are in every class.
fn named(rest: &mut std::str::Chars<'_>) -> Option<&'static [(char, char)]> {
    const OTHER: (char, char) = ('\u{80}', char::MAX);
    let (name, after) = rest.as_str().strip_prefix(':')?.split_once(":]")?;
    let ranges: &[(char, char)] = match name {
        "alpha" => &[('a', 'z'), ('A', 'Z'), OTHER],
        "lower" => &[('a', 'z'), OTHER],
        "upper" => &[('A', 'Z'), OTHER],
        "digit" => &[('0', '9'), OTHER],
        "xdigit" => &[('0', '9'), ('a', 'f'), ('A', 'F'), OTHER],
        "alnum" => &[('0', '9'), ('a', 'z'), ('A', 'Z'), OTHER],
        "word" => &[('0', '9'), ('a', 'z'), ('A', 'Z'), ('_', '_'), OTHER],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~'), OTHER],
        "graph" => &[('!', '~'), OTHER],
        "print" => &[(' ', '~'), OTHER],
        "space" => &[(' ', ' '), ('\t', '\r'), OTHER],
        "blank" => &[(' ', ' '), ('\t', '\t'), OTHER],
        "cntrl" => &[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}'), OTHER],
        _ => return None,
    };
    *rest = after.chars();
    Some(ranges)
}

#[cfg(test)]
mod tests {
    use super::{LeadingDot, NameGlob};
    use proptest::prelude::*;

    #[track_caller]
    fn check(one: &str, other: &str, expected: bool) {
        let (one, other) = (NameGlob::new(one), NameGlob::new(other));
        assert_eq!(one.intersects(&other, LeadingDot::Written), expected, "{one:?} {other:?}");
    }

    #[test]
    fn globs_intersect_if_a_name_matches_both() {
        check(".env.*", ".env*", true);
        check(".env?local", ".env*", true);
        check(".*local", ".env*", true);
        check(".e[n]v", ".env*", true);
        check(".E[M-O]V", ".env*", true);
        check(".e[!n]v", ".env", true);
        check(".e[!nN]v", ".env", false);
        check(".e[[:alpha:]]v", ".env", true);
        check(".e[[:digit:]]v", ".env", false);
        check("id_r*", "id_rsa", true);
        check("*", "id_rsa", true);
        check("*", ".env*", false);
        check("?env", ".env", false);
        check("[.]env", ".env", true);
        check("*.txt", ".env*", false);
        check("*.toml", "credentials*", true);
        check("*.json", "opencode.json", true);
        check("\\*", "*", true);
        check("\\*", "a*", false);
        check("@(a|b)", "id_rsa", true);
        check("[a", "b", true);
        check("", "a", false);
        assert!(NameGlob::new("*env").intersects(&NameGlob::new(".env"), LeadingDot::Wild));
    }

    #[test]
    fn overlong_name_matches_nothing() {
        assert!(!NameGlob::new(&"?".repeat(600)).intersects(&NameGlob::new("*"), LeadingDot::Wild));
    }

    /// All names of up to six of these characters. The last character stands for all that no glob below
    /// names.
    fn names() -> Vec<String> {
        let mut names = Vec::new();
        let mut last = vec![String::new()];
        for _ in 0..6 {
            last = last.iter().flat_map(|name| ['a', 'b', '.', 'z'].map(|c| format!("{name}{c}"))).collect();
            names.extend(last.iter().cloned());
        }
        names
    }

    /// Three tokens each, so that the shortest name that matches both has at most six characters.
    const GLOB: &str = r"(a|B|\.|\*|\?|\[ab\]|\[!a\]|\[a-b\]|\[\^\.z\]|\[\]A\]|\\a|\\\*){1,3}";

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn intersecting_means_matching_a_common_name(one in GLOB, other in GLOB) {
            let (one, other) = (NameGlob::new(&one), NameGlob::new(&other));
            let names = names();
            for dot in [LeadingDot::Written, LeadingDot::Wild] {
                // A star, or a character outside the alphabet (`\*`, `]`), stands for itself.
                let common = |name: &&String| one.matches(name, dot) && other.matches(name, LeadingDot::Wild);
                let found = names.iter().find(common);
                let odd = ["*", "]", "*]", "]*"].map(String::from);
                let literal = one.shortest() == other.shortest() && one.shortest().contains(['*', ']']);
                if found.is_some() || odd.iter().any(|name| common(&name)) {
                    prop_assert!(one.intersects(&other, dot), "{found:?}");
                } else if !one.shortest().contains(['*', ']']) && !other.shortest().contains(['*', ']']) && !literal {
                    prop_assert!(!one.intersects(&other, dot));
                }
            }
        }
    }
}
