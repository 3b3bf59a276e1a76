//! The statements of a program in any language, as far as they say whether a value is shown. A text is read once, so
//! that many places in it cost little more than one.

/// How many places that use the whole environment are looked at. A program with more of them is taken for a listing.
pub(super) const MOST_PLACES: usize = 64;

/// Words that show a value, or go through it.
const SHOWING: [&str; 43] = [
    "print",
    "println",
    "printf",
    "pprint",
    "pp",
    "p",
    "puts",
    "say",
    "echo",
    "dump",
    "dumps",
    "Dumper",
    "repr",
    "str",
    "list",
    "sorted",
    "items",
    "write",
    "log",
    "debug",
    "info",
    "warn",
    "warning",
    "error",
    "exception",
    "critical",
    "fatal",
    "raise",
    "assert",
    "exit",
    "table",
    "dir",
    "inspect",
    "stringify",
    "keys",
    "values",
    "entries",
    "print_r",
    "var_dump",
    "var_export",
    "json_encode",
    "show",
    "for",
];

/// Words that are often names of variables. They count only where they are called.
const SHORT: [&str; 3] = ["p", "pp", "str"];
/// Functions that start a program with the environment in the field `env` of their last argument.
const STARTERS: [&str; 9] =
    ["exec", "execa", "execaSync", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"];
/// How far the function around an object is looked for, in characters.
const LONGEST_CALL: usize = 512;

/// Whether a word shows something there, by the text behind it: `p(x)` and `p x`, not `p = x`, `p.x` or `p in x`.
fn is_used(word: &str, after: &str) -> bool {
    if !SHORT.contains(&word) || after.starts_with('(') {
        return true;
    }
    let argument = after.trim_start_matches([' ', '\t']);
    let is_operator =
        ["in ", "of ", "is ", "as ", "and ", "or "].iter().any(|name| argument.starts_with(name));
    let starts_argument = |c: char| is_letter(c) || "(\"'$@:%[{*&".contains(c);
    argument.len() < after.len() && argument.starts_with(starts_argument) && !is_operator
}

/// The name of the function that gets the object whose fields a text ends in: `spawn` for `spawn(a, { b,`.
fn function_around(before: &str) -> &str {
    let (mut closed, mut is_in_object) = (0_usize, false);
    for (at, c) in before.char_indices().rev().take(LONGEST_CALL) {
        match c {
            ')' | ']' | '}' => closed += 1,
            '(' | '[' | '{' if closed > 0 => closed -= 1,
            '{' if !is_in_object => is_in_object = true,
            '(' if is_in_object => {
                let name = before.get(..at).unwrap_or_default();
                return name.rsplit(|c: char| !is_letter(c)).next().unwrap_or_default();
            }
            '(' | '[' | '{' | ';' => return "",
            _ => {}
        }
    }
    ""
}

/// The parts of a text between separators, and the first of some words in each.
pub(super) struct Parts {
    /// Where each part begins, and where the first of the words in it ends.
    parts: Vec<(usize, Option<usize>)>,
}

impl Parts {
    pub(super) fn new(text: &str, separators: &[char], words: &[&str]) -> Parts {
        let mut parts: Vec<(usize, Option<usize>)> = vec![(0, None)];
        let mut start = 0;
        for (at, c) in text.char_indices().filter(|(_, c)| !is_letter(*c)) {
            let after = text.get(at..).unwrap_or_default();
            let is_listed =
                text.get(start..at).is_some_and(|word| words.contains(&word) && is_used(word, after));
            if let Some((_, end)) = parts.last_mut().filter(|_| is_listed) {
                end.get_or_insert(at);
            }
            start = at + c.len_utf8();
            if separators.contains(&c) {
                parts.push((start, None));
            }
        }
        Parts { parts }
    }

    /// Whether one of the words is before a place in its part.
    pub(super) fn has_before(&self, at: usize) -> bool {
        self.part(at).1.is_some_and(|end| end <= at)
    }

    fn part(&self, at: usize) -> (usize, Option<usize>) {
        let next = self.parts.partition_point(|(start, _)| *start <= at);
        next.checked_sub(1).and_then(|last| self.parts.get(last)).copied().unwrap_or_default()
    }
}

/// The statements of a program.
pub(super) struct Statements<'t> {
    text: &'t str,
    parts: Parts,
}

impl<'t> Statements<'t> {
    pub(super) fn new(text: &'t str) -> Statements<'t> {
        Statements { text, parts: Parts::new(text, &[';', '\n'], &SHOWING) }
    }

    /// The statement around a place, up to the place.
    pub(super) fn before(&self, at: usize) -> &'t str {
        self.text.get(self.parts.part(at).0..at).unwrap_or_default()
    }

    /// Whether a function around a place shows what it is given, or a loop goes through it.
    pub(super) fn shows_before(&self, at: usize) -> bool {
        self.parts.has_before(at)
    }

    /// Whether a name that gets a value in the statement around a place is shown elsewhere.
    pub(super) fn is_kept_and_shown(&self, at: usize) -> bool {
        let Some((name, _)) = self.before(at).split_once('=') else { return false };
        // `f(name=…)`
        if name.contains('(') {
            return false;
        }
        let name = name.split_whitespace().next_back().unwrap_or_default();
        self.shows(name.trim_start_matches(['%', '@', '$']))
    }

    /// Whether the whole value of a name is shown.
    pub(super) fn shows(&self, name: &str) -> bool {
        let is_shown = |(at, after): (usize, &str)| {
            let reads_one = after.starts_with(['[', '{'])
                || after
                    .strip_prefix('.')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
            // `name = …`, also as an argument
            let gets_value = after.trim_start().strip_prefix('=').is_some_and(|rest| !rest.starts_with('='));
            let is_passed = || {
                let before = self.text.get(..at).unwrap_or_default().trim_end();
                let is_in_list = before.ends_with(['{', ',']);
                let is_key = is_in_list && after.starts_with(':');
                // `spawn('npm', [], { env })`
                let is_short_field = || {
                    let is_whole = after.trim_start().starts_with([',', '}']);
                    name == "env" && is_in_list && is_whole && STARTERS.contains(&function_around(before))
                };
                is_key
                    || is_short_field()
                    || ["env=", "env =", "env:"].iter().any(|end| before.ends_with(end))
            };
            !reads_one && !gets_value && self.shows_before(at) && !is_passed()
        };
        !name.is_empty() && occurrences(self.text, name).any(is_shown)
    }

    /// Whether the value at a place is the environment of another program, or a part of it: `env={**os.environ, …}`.
    /// `ends` are the ways to write the name of that argument.
    pub(super) fn is_passed(&self, at: usize, ends: &[&str]) -> bool {
        let before = self.before(at);
        let is_passed = |end: &&str| {
            let Some(start) = before.rfind(*end) else { return false };
            let inner = before.get(start + end.len()..).unwrap_or_default().trim().replace("{}", "");
            let is_built = ["{", "dict(", "Object.assign("].iter().any(|opening| inner.starts_with(opening));
            // `env = …` is a variable.
            let is_argument = !before.get(..start).unwrap_or_default().trim().is_empty();
            is_argument && (inner.is_empty() || is_built && !inner.contains(['}', ')']))
        };
        ends.iter().any(is_passed)
    }
}

/// Whether one of the places lists the environment, or there are too many to look at.
pub(super) fn any_place<T>(mut places: impl Iterator<Item = T>, lists: impl FnMut(T) -> bool) -> bool {
    places.by_ref().take(MOST_PLACES).any(lists) || places.next().is_some()
}

/// The places of a name that is no part of another, with the text behind it.
pub(super) fn occurrences<'t>(program: &'t str, name: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
    program.match_indices(name).filter_map(move |(at, _)| {
        let before = program.get(..at)?.chars().next_back();
        let after = program.get(at + name.len()..)?;
        let is_whole = !before.is_some_and(is_letter) && !after.starts_with(is_letter);
        is_whole.then_some((at, after))
    })
}

pub(super) fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
