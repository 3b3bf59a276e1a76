//! Globs that agents pass to their search tools, and what they may match.
//!
//! Every agent has its own glob library, so a glob is read as the most permissive of them would: braces are
//! alternatives and may contain a slash or a `..` (`{/etc,x}/*`, `{.,}./x`), and a class of one character is
//! that character (`[.][.]`).

use crate::name_glob::NameGlob;

/// The largest number of alternatives.
const MAX_ALTERNATIVES: usize = 64;

/// The longest glob that is parsed, in bytes; and the longest for one name.
pub(crate) const MAX_GLOB_LENGTH: usize = 4096;
const MAX_NAME_GLOB_LENGTH: usize = 256;

/// The largest total size in bytes of all alternatives of a glob, including those that still have braces.
const MAX_BYTES: usize = 16 << 10;

/// All alternatives of a glob's braces. `None` if there are too many, if they are too long, or if they are
/// uncertain.
pub(crate) fn alternatives(glob: &str) -> Option<Vec<String>> {
    if glob.len() > MAX_GLOB_LENGTH {
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
        if done.len() + open.len() >= MAX_ALTERNATIVES || bytes > MAX_BYTES {
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
        if done.len() + open.len() + parts.len() > MAX_ALTERNATIVES {
            return None;
        }
        open.extend(parts.iter().rev().map(|part| format!("{before}{part}{after}")));
    }
    Some(done)
}

/// Whether a brace or a comma may be literal: after a `\`, or in a class. Only classes without brackets,
/// braces and commas are parsed.
fn may_quote_braces(glob: &str) -> bool {
    let plain_class = |rest: &str| {
        let (class, closed) = rest.split_once(']').map_or((rest, false), |(class, _)| (class, true));
        let listed = class.strip_prefix(['!', '^']).unwrap_or(class);
        closed && !listed.is_empty() && !listed.contains(['[', '{', '}', ','])
    };
    glob.contains('\\') || glob.split('[').skip(1).any(|rest| !plain_class(rest))
}

/// The alternatives between a brace that was just opened and its end, and the rest.
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

/// The directory that a glob without braces starts from. `None` if it can climb out of it.
pub(crate) fn base_directory(glob: &str) -> Option<&str> {
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

/// Whether all alternatives of a glob select only files below the directory that the glob is relative to.
pub(crate) fn stays_below(glob: &str) -> bool {
    let stays = |alternative: &String| {
        let start = base_directory(alternative).filter(|start| !start.starts_with(['/', '~']));
        start.is_some_and(|_| alternative.split('/').all(|name| name != ".."))
    };
    alternatives(glob).is_some_and(|alternatives| alternatives.iter().all(stays))
}

/// The last components of all alternatives of a glob. `None` if they are unknown: it may then select any
/// file.
pub(crate) fn last_names(glob: &str) -> Option<Vec<String>> {
    let last = |reading: String| {
        let name = reading.rsplit('/').next().unwrap_or(&reading);
        (name.len() <= MAX_NAME_GLOB_LENGTH).then(|| name.to_owned())
    };
    alternatives(glob)?.into_iter().map(last).collect()
}

/// The names a glob selects, in all alternatives of its braces. `None` if they are unknown.
pub(crate) fn named_files(glob: &str) -> Option<Vec<String>> {
    let names = last_names(glob)?;
    // `src/` selects everything below it. A name without a dot may be a directory too, so what it selects is
    // also unknown.
    let chooses_names =
        |name: &String| !name.is_empty() && name.contains('.') && NameGlob::new(name).is_exact();
    names.iter().all(chooses_names).then_some(names)
}

/// Whether there are so few globs that each directory of a search can keep a copy.
pub(crate) fn are_few(globs: &[String]) -> bool {
    globs.len() <= 4 * MAX_ALTERNATIVES && globs.iter().map(String::len).sum::<usize>() <= 2 * MAX_GLOB_LENGTH
}

/// A glob that certainly excludes what it names: a name without slashes, braces and classes.
pub(crate) fn certain(glob: &str) -> Option<String> {
    let plain = glob.len() <= MAX_NAME_GLOB_LENGTH
        && !glob.contains(['/', '{', '}', '[', '\\'])
        && NameGlob::new(glob).is_exact();
    plain.then(|| glob.to_owned())
}

/// The largest number of globs in one field. If there are more, it is unknown which files the call selects.
pub(crate) const MAX_GLOBS: usize = 64;

/// The globs of a field that contains several, separated by blanks or commas. `None` if there are too many.
pub(crate) fn filters(text: &str) -> Option<Vec<&str>> {
    if text.len() > MAX_GLOB_LENGTH {
        return None;
    }
    let divided = |word: &'_ str| word.contains('{');
    let words = text.split_whitespace();
    let pieces: Vec<&str> = words
        .flat_map(|word| if divided(word) { vec![word] } else { word.split(',').collect() })
        .filter(|piece| !piece.is_empty())
        .collect();
    (pieces.len() <= MAX_GLOBS).then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::{alternatives, base_directory};

    #[track_caller]
    fn check(glob: &str, expected: Option<&[&str]>) {
        let starts = alternatives(glob).and_then(|readings| {
            readings.iter().map(|reading| base_directory(reading).map(str::to_owned)).collect()
        });
        let expected = expected.map(|dirs| dirs.iter().map(|dir| (*dir).to_owned()).collect::<Vec<_>>());
        assert_eq!(starts, expected, "{glob}");
    }

    #[test]
    fn glob_base_directory_ends_before_wildcards() {
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
    fn climbing_glob_is_unknown() {
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
    fn literal_brace_separates_nothing() {
        for glob in
            ["[^{]env.[^,}]*[.l]", "{[a,b],c}", "\\{a,b}", "[[:alpha:]{]x,y}", "[]{]a,b}", "[!]{]a,b}", "{[a"]
        {
            check(glob, None);
        }
        check("app/[id]/*.{ts,tsx}", Some(&["app", "app"]));
    }

    #[test]
    fn long_globs_are_unknown() {
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
