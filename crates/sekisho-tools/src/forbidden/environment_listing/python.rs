//! Python programs that show `os.environ`.

use super::statements::{Parts, Statements, any_place, is_letter, occurrences};

/// Methods that read or change single variables.
const METHODS: [&str; 6] = [".get(", ".pop(", ".setdefault(", ".update(", ".clear(", ".__contains__("];
/// How the environment of another program is given.
const ARGUMENTS: [&str; 3] = ["env=", "env =", "environ="];

/// Whether a program shows the whole environment.
pub(super) fn lists(program: &str) -> bool {
    shows_environment(program) || shows_module(program)
}

fn shows_environment(program: &str) -> bool {
    if !program.contains("environ") {
        return false;
    }
    let statements = Statements::new(program);
    let loops = Parts::new(program, &[';', '\n', '(', '[', '{'], &["for"]);
    let uses_whole = |(at, after): &(usize, &str)| {
        let after = after.trim_start();
        let reads_one = after.starts_with('[') || METHODS.iter().any(|method| after.starts_with(method));
        let before = before(program, *at);
        // `/proc/self/environ` is a path.
        let is_path = before.ends_with('/');
        // `'A' in os.environ`
        let asks = before.ends_with(" in") && !loops.has_before(*at);
        let imports = before.ends_with("import") && !after.starts_with("as ");
        let counts = before
            .strip_suffix("len(")
            .is_some_and(|before| !before.ends_with(is_letter) && after.starts_with(')'));
        !(reads_one || is_path || asks || imports || counts)
    };
    let shows = |(at, after): (usize, &str)| {
        if let Some(name) = after.trim_start().strip_prefix("as ") {
            // `from os import environ as e`
            let name = name.trim_start().split(|c: char| !is_letter(c)).next().unwrap_or_default();
            return statements.shows(name);
        }
        if let Some(shows) = copies_and_shows(program, at, &statements) {
            return shows;
        }
        let start = before(program, at).len();
        !statements.is_passed(start, &ARGUMENTS)
            && (loops.has_before(at) || statements.shows_before(at) || statements.is_kept_and_shown(at))
    };
    let names = ["environ", "environb"];
    any_place(names.iter().flat_map(|name| occurrences(program, name)).filter(uses_whole), shows)
}

/// For `env = {k: v for k, v in os.environ.items() if k != 'A'}`: whether the copy is shown. `None` if it is no such copy,
/// or if more is done with the variables.
fn copies_and_shows(program: &str, at: usize, statements: &Statements<'_>) -> Option<bool> {
    let open = dictionary_around(program.get(..at)?)?;
    let (inner, _) = program.get(open + 1..)?.split_once('}')?;
    let calls_others = inner.match_indices('(').any(|(place, _)| {
        let before = inner.get(..place).unwrap_or_default().trim_end();
        !PLAIN_CALLS.contains(&before.rsplit(|c: char| !is_letter(c)).next().unwrap_or_default())
    });
    if calls_others || inner.contains('{') || open + inner.len() < at {
        return None;
    }
    if statements.is_passed(open, &ARGUMENTS) {
        return Some(false);
    }
    let name = statements.before(open).trim_end().strip_suffix('=')?.trim();
    let is_name = !name.is_empty() && name.chars().all(is_letter);
    let is_passed_on = |(place, after): (usize, &str)| {
        let before = program.get(..place).unwrap_or_default().trim_end();
        let next = after.trim_start();
        let gets_value = next.starts_with('=') && !next.starts_with("==");
        gets_value || after.starts_with('[') || ARGUMENTS.iter().any(|end| before.ends_with(end))
    };
    is_name.then(|| !occurrences(program, name).all(is_passed_on))
}

/// What may be called for each variable without showing it.
const PLAIN_CALLS: [&str; 8] = ["endswith", "in", "items", "keys", "lower", "startswith", "str", "upper"];
/// How far the brace of a dictionary is looked for, in characters.
const LONGEST_DICTIONARY: usize = 512;

/// The place of the brace of the dictionary that a text ends in.
fn dictionary_around(before: &str) -> Option<usize> {
    let mut closed = 0_usize;
    for (at, c) in before.char_indices().rev().take(LONGEST_DICTIONARY) {
        match c {
            ')' | ']' | '}' => closed += 1,
            '(' | '[' | '{' if closed > 0 => closed -= 1,
            '{' => return Some(at),
            '(' | '[' | ';' => return None,
            _ => {}
        }
    }
    None
}

/// What is before the whole expression: `os.` is a part of it.
fn before(program: &str, at: usize) -> &str {
    let before = program.get(..at).unwrap_or_default();
    before.strip_suffix("os.").unwrap_or(before).trim_end()
}

/// `print(os.__dict__)`, `print(vars(os))`
fn shows_module(program: &str) -> bool {
    let names = ["os.__dict__", "vars(os)"];
    if !names.iter().any(|name| program.contains(name)) {
        return false;
    }
    let statements = Statements::new(program);
    let uses_whole = |(_, after): &(usize, &str)| {
        !after.starts_with(['[', '.']) || after.starts_with(".items") || after.starts_with(".values")
    };
    let shows = |(at, _): (usize, &str)| statements.shows_before(at) || statements.is_kept_and_shown(at);
    any_place(names.iter().flat_map(|name| occurrences(program, name)).filter(uses_whole), shows)
}
