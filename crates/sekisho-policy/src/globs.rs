//! Globs that agents hand to their search tools: where could they lead?
//!
//! Every agent brings its own glob library, so a glob is read as the most willing of them would: braces are alternatives
//! and may hide a slash or a `..` (`{/etc,x}/*`, `{.,}./x`), and a class of one character is that character (`[.][.]`).

use crate::name_glob::NameGlob;

/// More alternatives than any search asks for.
const MOST_ALTERNATIVES: usize = 64;

/// The longest glob that is read, in bytes; and the longest for one name.
pub(crate) const LONGEST: usize = 4096;
const LONGEST_NAME: usize = 256;

/// How many bytes all readings of a glob may have, those included that still have braces.
const MOST_BYTES: usize = 16 << 10;

/// Every reading of a glob's braces. `None` if there are too many, if they are too long, or if they cannot be told.
pub(crate) fn alternatives(glob: &str) -> Option<Vec<String>> {
    if glob.len() > LONGEST {
        return None;
    }
    if !glob.contains('{') {
        return Some(vec![glob.to_owned()]);
    }
    if may_quote_braces(glob) {
        return None;
    }
    let mut done = Vec::new();
    let mut open = vec![glob.to_owned()];
    let mut bytes = 0_usize;
    while let Some(text) = open.pop() {
        bytes += text.len();
        if done.len() + open.len() >= MOST_ALTERNATIVES || bytes > MOST_BYTES {
            return None;
        }
        let Some((before, inside)) = text.split_once('{') else {
            done.push(text);
            continue;
        };
        let (parts, after) = split_braces(inside)?;
        if parts.len() == 1 && inside.contains("..") {
            return None;
        }
        if done.len() + open.len() + parts.len() > MOST_ALTERNATIVES {
            return None;
        }
        open.extend(parts.iter().rev().map(|part| format!("{before}{part}{after}")));
    }
    Some(done)
}

/// Whether a brace or a comma may stand for itself: behind a `\`, or in a class. Of classes only those without brackets,
/// braces and commas in them are read.
fn may_quote_braces(glob: &str) -> bool {
    let plain_class = |rest: &str| {
        let (class, closed) = rest.split_once(']').map_or((rest, false), |(class, _)| (class, true));
        let listed = class.strip_prefix(['!', '^']).unwrap_or(class);
        closed && !listed.is_empty() && !listed.contains(['[', '{', '}', ','])
    };
    glob.contains('\\') || glob.split('[').skip(1).any(|rest| !plain_class(rest))
}

/// The alternatives between a brace just opened and its end, and what follows.
fn split_braces(text: &str) -> Option<(Vec<&str>, &str)> {
    let (mut depth, mut start) = (0_usize, 0_usize);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                parts.push(text.get(start..at)?);
                start = at + 1;
                if c == '}' {
                    return Some((parts, text.get(start..)?));
                }
            }
            _ => {}
        }
    }
    None
}

/// The directory a glob without braces starts from. `None` if it can climb out of it.
pub(crate) fn start(glob: &str) -> Option<&str> {
    if glob.contains('\\') {
        return None;
    }
    let wild = glob.find(['*', '?', '[', '(']).unwrap_or(glob.len());
    let (fixed, rest) = glob.split_at_checked(wild)?;
    let first = fixed.rfind('/').map_or(0, |slash| slash + 1);
    let climbs = |segment: &str| {
        let plain: String = segment.chars().filter(|c| !"[]".contains(*c)).collect();
        plain == ".." || segment.split(['(', ')', '|']).any(|piece| piece == "..")
    };
    if !rest.is_empty() && glob.get(first..)?.split('/').any(climbs) {
        return None;
    }
    match first {
        0 => Some("."),
        1 => Some("/"),
        _ => fixed.get(..first - 1),
    }
}

/// Whether every reading of a glob names files below the directory that it is held against, and no others.
pub(crate) fn stays_below(glob: &str) -> bool {
    let stays = |reading: &String| {
        let start = start(reading).filter(|start| !start.starts_with(['/', '~']));
        start.is_some_and(|_| reading.split('/').all(|name| name != ".."))
    };
    alternatives(glob).is_some_and(|readings| readings.iter().all(stays))
}

/// The last names of all readings of a glob. None where they cannot be told: it may choose any file then.
pub(crate) fn last_names(glob: &str) -> Option<Vec<String>> {
    let last = |reading: String| {
        let name = reading.rsplit('/').next().unwrap_or(&reading);
        (name.len() <= LONGEST_NAME).then(|| name.to_owned())
    };
    alternatives(glob)?.into_iter().map(last).collect()
}

/// The names a glob chooses, in every reading of its braces; none where that cannot be told.
pub(crate) fn named_files(glob: &str) -> Option<Vec<String>> {
    let names = last_names(glob)?;
    // `src/` chooses all that lies below, and so may any name that is a directory's.
    let chooses_names =
        |name: &String| !name.is_empty() && name.contains('.') && NameGlob::new(name).is_exact();
    names.iter().all(chooses_names).then_some(names)
}

/// Whether globs are so few that each place of a search can keep a copy.
pub(crate) fn are_few(globs: &[String]) -> bool {
    globs.len() <= 4 * MOST_ALTERNATIVES && globs.iter().map(String::len).sum::<usize>() <= 2 * LONGEST
}

/// A glob that leaves out what its text says: a name without slashes, braces and classes.
pub(crate) fn certain(glob: &str) -> Option<String> {
    let plain = glob.len() <= LONGEST_NAME
        && !glob.contains(['/', '{', '}', '[', '\\'])
        && NameGlob::new(glob).is_exact();
    plain.then(|| glob.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{alternatives, start};

    #[track_caller]
    fn check(glob: &str, expected: Option<&[&str]>) {
        let starts = alternatives(glob)
            .and_then(|readings| readings.iter().map(|reading| start(reading).map(str::to_owned)).collect());
        let expected = expected.map(|dirs| dirs.iter().map(|dir| (*dir).to_owned()).collect::<Vec<_>>());
        assert_eq!(starts, expected, "{glob}");
    }

    #[test]
    fn a_glob_starts_where_its_wildcards_begin() {
        check("src/a*.rs", Some(&["src"]));
        check("*.rs", Some(&["."]));
        check("/*", Some(&["/"]));
        check("/etc/*", Some(&["/etc"]));
        check("../x/*", Some(&["../x"]));
        check("../README.md", Some(&[".."]));
        check("**/*.{ts,tsx}", Some(&[".", "."]));
        check("{src,test}/**/*.{test,spec}.ts", Some(&["src", "src", "test", "test"]));
        check("app/[id]/page.tsx", Some(&["app"]));
    }

    #[test]
    fn alternatives_are_read_one_by_one() {
        check("{/etc,x}/*", Some(&["/etc", "x"]));
        check("{,x}/etc/*", Some(&["/etc", "x/etc"]));
        check("{a,{b,/c}}/*", Some(&["a", "b", "/c"]));
        check("{.,}./x*", Some(&["..", "."]));
    }

    #[test]
    fn a_glob_that_can_climb_cannot_be_told() {
        for glob in [
            "*/../../etc/*",
            "*/{..,a}/x",
            "[.][.]/etc/*",
            ".[.]/x",
            "\\.\\./x*",
            "@(..|a)/x",
            "{..}/x",
            "{a",
            "a{1..3}",
        ] {
            check(glob, None);
        }
        check(&"{a,b}".repeat(8), None);
    }

    #[test]
    fn a_brace_that_stands_for_itself_divides_nothing() {
        for glob in
            ["[^{]env.[^,}]*[.l]", "{[a,b],c}", "\\{a,b}", "[[:alpha:]{]x,y}", "[]{]a,b}", "[!]{]a,b}", "{[a"]
        {
            check(glob, None);
        }
        check("app/[id]/*.{ts,tsx}", Some(&["app", "app"]));
    }

    #[test]
    fn long_globs_cannot_be_told() {
        for braces in ["{", "{}", "{a}", "{,}", "{a,b,c,d}", "{{{a", "a,"] {
            check(&braces.repeat(1_000_000 / braces.len()), None);
            check(&braces.repeat(3_000 / braces.len()).replacen("a,", "{a,", 1), None);
        }
        check(&format!("{}a{}", "{".repeat(2_000), "}".repeat(2_000)), None);
        let many = |count: usize| format!("*.{{{}}}", vec!["a"; count].join(","));
        assert_eq!(alternatives(&many(60)).map(|found| found.len()), Some(60));
        check(&many(65), None);
    }
}
