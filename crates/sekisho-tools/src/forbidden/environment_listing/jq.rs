//! Filters of jq that show `env` or `$ENV`.

use super::super::resolved_arguments::Argument;
use super::statements::{any_place, is_letter, occurrences};

/// Whether the filter among the arguments shows the whole environment.
pub(super) fn lists(words: &[Argument]) -> bool {
    filter(words).is_some_and(lists_in_filter)
}

/// The filter among the arguments of `jq`.
fn filter(words: &[Argument]) -> Option<&str> {
    let mut words = words.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => {
                words.nth(1);
            }
            "--indent" | "-L" => {
                words.next();
            }
            "-f" | "--from-file" => return None,
            option if option.starts_with('-') && option.len() > 1 => {}
            filter => return Some(filter),
        }
    }
    None
}

fn lists_in_filter(filter: &str) -> bool {
    // What is in strings is no program, except `\(…)`.
    let bare: String = filter.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
    let texts = filter.split('"').skip(1).step_by(2);
    let inserted = texts.flat_map(|text| text.split("\\(").skip(1));
    let inserted = inserted.map(|text| text.split(')').next().unwrap_or_default());
    let mut parts = std::iter::once(bare.as_str()).chain(inserted);
    parts.any(|part| shows_variable(part) || shows_function(part))
}

/// `$ENV`, but not `$ENV.HOME`
fn shows_variable(filter: &str) -> bool {
    filter.match_indices("$ENV").any(|(at, name)| {
        let after = filter.get(at + name.len()..).unwrap_or_default();
        !after.starts_with(is_letter) && !reads_one(after)
    })
}

/// `env`, but not `env.HOME`, `.env`, `{env: 1}`
fn shows_function(filter: &str) -> bool {
    let is_call = |(at, after): &(usize, &str)| {
        let before = filter.get(..*at).unwrap_or_default();
        let is_field = before.ends_with(['.', '$', '@', '"']) || before.ends_with("::");
        !is_field && !after.trim_start().starts_with(':') && !reads_one(after)
    };
    let shows = |(at, after): (usize, &str)| {
        let before = filter.get(..at).unwrap_or_default();
        let is_key = before.trim_end().ends_with(['{', ','])
            && after.trim_start().starts_with([',', '}'])
            && is_in_object(before);
        !is_key
    };
    any_place(occurrences(filter, "env").filter(is_call), shows)
}

/// Whether the innermost bracket that is open at the end of a text is a brace.
fn is_in_object(before: &str) -> bool {
    let mut open: Vec<char> = Vec::new();
    for c in before.chars() {
        match c {
            '{' | '[' | '(' => open.push(c),
            '}' | ']' | ')' => {
                open.pop();
            }
            _ => {}
        }
    }
    open.last() == Some(&'{')
}

/// `.HOME`, `["HOME"]`, `| .HOME`, `[$name]`
fn reads_one(after: &str) -> bool {
    let after = after.trim_start();
    let path = after.strip_prefix('|').map_or(after, str::trim_start);
    let rest = path.strip_prefix('.').unwrap_or(path);
    let is_name = |c: char| c.is_alphabetic() || c == '_' || c == '"';
    rest.len() < path.len() && rest.starts_with(is_name)
        || rest.strip_prefix('[').is_some_and(|index| index.trim_start().starts_with(['"', '$']))
}
