//! What the operators of a parameter expansion make of a value: `${v#x}`, `${v/a/b}`, `${v,,}`, `${v:1:2}`.

use regex::{Captures, Regex, RegexBuilder};

use super::budget::Budget;

/// How many comparisons of a pattern one operator may cost. Operators that may cost more are not followed.
const MAX_COMPARISONS: usize = 1 << 21;
/// How many comparisons cost as much as one unit of the budget.
const COMPARISONS_PER_UNIT: usize = 64;
/// What each character of an extended pattern costs.
const COMPILE_COST: usize = 48;
/// How large a compiled pattern may be, in bytes.
const MAX_SIZE: usize = 64 << 10;

/// The value after an operator, or `None` if the operator or the value is not followed.
pub(super) fn applied(value: &str, operator: &str, budget: &Budget) -> Option<String> {
    if operator.is_empty() {
        return Some(value.to_owned());
    }
    if !is_affordable(value, operator, budget) {
        return None;
    }
    if has_list(operator) {
        return with_lists(value, operator, budget);
    }
    let is_any = |known: &[&str]| known.contains(&operator);
    if is_any(&[",,", "@L"]) {
        return Some(value.to_lowercase());
    }
    if is_any(&["^^", "@U"]) {
        return Some(value.to_uppercase());
    }
    if is_any(&["~~"]) {
        return Some(value.chars().map(swapped).collect());
    }
    if is_any(&[",", "^", "~", "@u"]) {
        let mut rest = value.chars();
        let first = rest.next().map(|first| match operator {
            "," => first.to_ascii_lowercase(),
            "~" => swapped(first),
            _ => first.to_ascii_uppercase(),
        });
        return Some(first.into_iter().chain(rest).collect());
    }
    if let Some(range) = operator.strip_prefix(':') {
        let letters: Vec<char> = value.chars().collect();
        return Some(slice(&letters, range)?.iter().collect());
    }
    if let Some(change) = operator.strip_prefix('/') {
        return Some(replaced(value, change));
    }
    trimmed(value, operator)
}

/// Takes what the comparisons of a pattern may cost: `#` and `%` compare at each end, `/` at each start and end, and a
/// pattern with a star at each letter between them.
fn is_affordable(value: &str, operator: &str, budget: &Budget) -> bool {
    let length = value.len().max(1);
    let is_star = operator.contains('*');
    let once = if is_star { length.saturating_mul(operator.len()) } else { operator.len() };
    let places = match operator.chars().next() {
        Some('/') if is_star => length.saturating_mul(length),
        Some('#' | '%' | '/') => length,
        _ => 1,
    };
    let comparisons = once.saturating_mul(places).max(length);
    comparisons <= MAX_COMPARISONS && budget.spend(comparisons / COMPARISONS_PER_UNIT)
}

/// `+(a)` and its like.
fn has_list(operator: &str) -> bool {
    operator.starts_with(['#', '%', '/'])
        && ["@(", "?(", "*(", "+(", "!("].iter().any(|list| operator.contains(list))
}

/// The length of what a pattern without stars matches.
fn fixed_length(pattern: &[char]) -> Option<usize> {
    let (mut at, mut length) = (0, 0);
    while let Some(c) = pattern.get(at) {
        at += match c {
            '*' => return None,
            '\\' if at + 1 < pattern.len() => 2,
            '[' => class_length(pattern.get(at..)?).unwrap_or(1),
            _ => 1,
        };
        length += 1;
    }
    Some(length)
}

fn swapped(c: char) -> char {
    if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
}

/// The part that `offset:length` names; both may be negative.
pub(super) fn slice<'t, T>(all: &'t [T], range: &str) -> Option<&'t [T]> {
    let (offset, length) = range.split_once(':').map_or((range, None), |(at, length)| (at, Some(length)));
    let from_end =
        |at: isize| if at < 0 { all.len().checked_sub(at.unsigned_abs()) } else { Some(at.unsigned_abs()) };
    let start = from_end(number(offset)?)?.min(all.len());
    let end = match length.map(number) {
        None => all.len(),
        Some(length) => match length? {
            length if length < 0 => from_end(length)?,
            length => start.saturating_add(length.unsigned_abs()).min(all.len()),
        },
    };
    all.get(start..end)
}

fn number(text: &str) -> Option<isize> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')').trim();
    if text.is_empty() { Some(0) } else { text.parse().ok() }
}

/// The text that replaces what was found: `&` stands for it, if it is not quoted.
fn filled(text: &str, found: &[char]) -> String {
    let mut done = String::new();
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (_, '\\') => done.extend(letters.next()),
            (None, '&') => done.extend(found),
            (_, c) => done.push(c),
        }
    }
    done
}

/// An operator with extended patterns: `${v##+(a)}`, `${v//@(a|b)/c}`.
fn with_lists(value: &str, operator: &str, budget: &Budget) -> Option<String> {
    if !budget.spend(operator.len() * COMPILE_COST) {
        return None;
    }
    if let Some(change) = operator.strip_prefix('/') {
        let (is_all, change) = change.strip_prefix('/').map_or((false, change), |change| (true, change));
        let (pattern, text) = split_change(change);
        let (sign, pattern) = match pattern.chars().next() {
            Some(sign @ ('#' | '%')) if !is_all => (Some(sign), pattern.get(1..)?),
            _ => (None, pattern),
        };
        let expression = expression(pattern)?;
        let expression = match sign {
            Some('#') => format!("^(?:{expression})"),
            Some(_) => format!("(?:{expression})$"),
            None => expression,
        };
        let compiled = compiled(&expression)?;
        let change = |found: &Captures<'_>| {
            let letters: Vec<char> = found.get(0).map_or("", |found| found.as_str()).chars().collect();
            // An empty match replaces nothing.
            if letters.is_empty() { String::new() } else { filled(text, &letters) }
        };
        return Some(compiled.replacen(value, usize::from(!is_all), change).into_owned());
    }
    let sign = operator.chars().next()?;
    let rest = operator.get(1..)?;
    let (is_longest, pattern) = rest.strip_prefix(sign).map_or((false, rest), |rest| (true, rest));
    let compiled = compiled(&format!("^(?:{})$", expression(pattern)?))?;
    let ends: Vec<usize> = value.char_indices().map(|(at, _)| at).chain([value.len()]).collect();
    let fits = |at: &&usize| {
        let cut = if sign == '#' { value.get(..**at) } else { value.get(**at..) };
        cut.is_some_and(|cut| compiled.is_match(cut))
    };
    // The longest prefix ends last, the longest suffix begins first.
    let at = if is_longest == (sign == '#') { ends.iter().rev().find(fits) } else { ends.iter().find(fits) };
    let kept = at.map(|at| if sign == '#' { value.get(*at..) } else { value.get(..*at) });
    kept.unwrap_or(Some(value)).map(str::to_owned)
}

fn compiled(expression: &str) -> Option<Regex> {
    RegexBuilder::new(expression).size_limit(MAX_SIZE).dot_matches_new_line(true).build().ok()
}

/// An extended pattern as a regular expression. `!(…)` is not followed.
fn expression(pattern: &str) -> Option<String> {
    let letters = bare(pattern);
    let mut done = String::new();
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(c) = letters.get(at).copied() {
        at += 1;
        let is_list = letters.get(at) == Some(&'(');
        match c {
            '!' if is_list => return None,
            '@' | '?' | '*' | '+' if is_list => {
                open.push(c);
                done.push_str("(?:");
                at += 1;
            }
            ')' if !open.is_empty() => {
                done.push(')');
                done.extend(open.pop().filter(|sign| *sign != '@'));
            }
            '|' if !open.is_empty() => done.push('|'),
            '*' => done.push_str(".*"),
            '?' => done.push('.'),
            '[' => {
                let length = class_length(letters.get(at - 1..)?)?;
                let class: String = letters.get(at - 1..at - 1 + length)?.iter().collect();
                done.push_str(&class.replacen("[!", "[^", 1));
                at += length - 1;
            }
            '\\' => {
                done.push_str(&regex::escape(&letters.get(at)?.to_string()));
                at += 1;
            }
            c => done.push_str(&regex::escape(&c.to_string())),
        }
    }
    open.is_empty().then_some(done)
}

/// The pattern and the text of `pattern/text`.
fn split_change(change: &str) -> (&str, &str) {
    let at = change
        .char_indices()
        .skip(1)
        .find(|(at, c)| *c == '/' && !change.get(..*at).is_some_and(|left| left.ends_with('\\')));
    at.map_or((change, ""), |(at, _)| {
        (change.get(..at).unwrap_or(change), change.get(at + 1..).unwrap_or_default())
    })
}

/// `/pattern/text`, `//pattern/text`, `/#pattern/text`, `/%pattern/text`, without the first slash.
fn replaced(value: &str, change: &str) -> String {
    let (is_all, change) = change.strip_prefix('/').map_or((false, change), |change| (true, change));
    let (pattern, text) = split_change(change);
    let (at_start, at_end) = (!is_all && pattern.starts_with('#'), !is_all && pattern.starts_with('%'));
    let pattern: Vec<char> =
        bare(if at_start || at_end { pattern.get(1..).unwrap_or_default() } else { pattern });
    let text = |found: &[char]| filled(text, found);
    let letters: Vec<char> = value.chars().collect();
    let mut done = String::new();
    let mut here = 0;
    let mut is_done = false;
    if pattern.is_empty() && at_start {
        return text(&[]) + value;
    }
    if pattern.is_empty() && at_end {
        return value.to_owned() + &text(&[]);
    }
    let fixed = fixed_length(&pattern);
    while here < letters.len() {
        let (least, most) = fixed.map_or((here + 1, letters.len()), |length| (here + length, here + length));
        let ends = (least..=most).rev().filter(|end| *end <= letters.len());
        let mut ends = ends.filter(|end| !at_end || *end == letters.len());
        let found = if is_done || (at_start && here > 0) || pattern.is_empty() {
            None
        } else {
            ends.find(|end| matches(&pattern, letters.get(here..*end).unwrap_or_default()))
        };
        match found {
            Some(end) => {
                done.push_str(&text(letters.get(here..end).unwrap_or_default()));
                here = end;
                is_done = !is_all;
            }
            None => {
                done.extend(letters.get(here));
                here += 1;
            }
        }
    }
    done
}

/// `#pattern`, `##pattern`, `%pattern`, `%%pattern`.
fn trimmed(value: &str, operator: &str) -> Option<String> {
    let letters: Vec<char> = value.chars().collect();
    let sign = operator.chars().next().filter(|sign| matches!(sign, '#' | '%'))?;
    let rest = operator.get(1..)?;
    let (is_longest, pattern) = rest.strip_prefix(sign).map_or((false, rest), |rest| (true, rest));
    let pattern = bare(pattern);
    let kept = |cut: usize| match sign {
        '#' => letters.split_at_checked(cut),
        _ => letters.split_at_checked(letters.len() - cut).map(|(kept, cut)| (cut, kept)),
    };
    let fits = |cut: &usize| kept(*cut).is_some_and(|(cut, _)| matches(&pattern, cut));
    let cut = match (fixed_length(&pattern), is_longest) {
        (Some(length), _) => Some(length).filter(|length| *length <= letters.len()).filter(fits),
        (None, true) => (0..=letters.len()).rev().find(fits),
        (None, false) => (0..=letters.len()).find(fits),
    };
    kept(cut.unwrap_or(0)).map(|(_, kept)| kept.iter().collect())
}

/// The letters without quotes.
fn bare(text: &str) -> Vec<char> {
    text.chars().filter(|c| !matches!(c, '"' | '\'')).collect()
}

/// Whether a pattern of `*`, `?` and `[…]` matches a whole text.
pub(super) fn matches(pattern: &[char], text: &[char]) -> bool {
    let (mut at, mut here) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        let step = match (pattern.get(at), text.get(here)) {
            (None, None) => return true,
            (Some('*'), _) => {
                star = Some((at, here));
                at += 1;
                continue;
            }
            (Some('?'), Some(_)) => Some(1),
            (Some('\\'), Some(c)) if at + 1 < pattern.len() => (pattern.get(at + 1) == Some(c)).then_some(2),
            (Some('['), Some(c)) => class(pattern.get(at..).unwrap_or_default(), *c),
            (Some(wanted), Some(c)) if wanted == c => Some(1),
            _ => None,
        };
        match (step, star) {
            (Some(length), _) => {
                at += length;
                here += 1;
            }
            (None, Some((starred, from))) if from < text.len() => {
                star = Some((starred, from + 1));
                (at, here) = (starred + 1, from + 1);
            }
            (None, _) => return false,
        }
    }
}

/// The length of `[…]` at the start of a pattern, if it contains the letter.
fn class(pattern: &[char], letter: char) -> Option<usize> {
    let length = class_length(pattern)? - 1;
    let inner = pattern.get(1..length)?;
    let (is_negated, inner) = match inner {
        ['!' | '^', rest @ ..] => (true, rest),
        _ => (false, inner),
    };
    let in_range =
        inner.windows(3).any(|part| matches!(part, [from, '-', to] if (*from..=*to).contains(&letter)));
    let has = |name: &str, is_in: bool| is_in && inner.iter().collect::<String>().contains(name);
    let is_named = inner.contains(&':')
        && (has("[:alpha:]", letter.is_ascii_alphabetic())
            || has("[:digit:]", letter.is_ascii_digit())
            || has("[:alnum:]", letter.is_ascii_alphanumeric())
            || has("[:upper:]", letter.is_ascii_uppercase())
            || has("[:lower:]", letter.is_ascii_lowercase())
            || has("[:space:]", letter.is_ascii_whitespace())
            || has("[:blank:]", matches!(letter, ' ' | '\t'))
            || has("[:punct:]", letter.is_ascii_punctuation())
            || has("[:xdigit:]", letter.is_ascii_hexdigit()));
    let is_listed = inner.contains(&letter) && !inner.contains(&':');
    (is_negated != (in_range || is_listed || is_named)).then_some(length + 1)
}

/// The length of `[…]` at the start of a pattern, with the classes in it.
fn class_length(pattern: &[char]) -> Option<usize> {
    // A bracket at the first place is an ordinary letter.
    let mut at = 2;
    if pattern.get(1) == Some(&'[') && pattern.get(2) == Some(&':') {
        at = 1;
    }
    loop {
        match pattern.get(at)? {
            ']' => return Some(at + 1),
            '[' if pattern.get(at + 1) == Some(&':') => {
                at += pattern.get(at + 2..)?.iter().position(|c| *c == ']')? + 3;
            }
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results are those of bash.
    #[test]
    fn operators_are_applied() {
        let budget = Budget::default();
        for (value, operator, expected) in [
            ("xm", "/x/r", "rm"),
            ("raam", "//a/", "rm"),
            ("raam", "//a", "rm"),
            ("xmx", "/#x/r", "rmx"),
            ("xrx", "/%x/m", "xrm"),
            ("r?m", "/\\?", "rm"),
            ("rqqm", "/q*q/", "rm"),
            ("rxm", "/[a-z]x/r", "rm"),
            ("abcrm", "#*c", "rm"),
            ("a/b/rm", "##*/", "rm"),
            ("a/b/rm", "#*/", "b/rm"),
            ("rm.tar.gz", "%%.*", "rm"),
            ("rm.tar.gz", "%.*", "rm.tar"),
            ("rm", "#x", "rm"),
            ("xrmx", ":1:2", "rm"),
            ("xxrm", ": -2", "rm"),
            ("rmxx", ":0:-2", "rm"),
            ("RM", ",,", "rm"),
            ("Rm", ",", "rm"),
            ("rM", "~~", "Rm"),
            ("rm", "^^", "RM"),
            ("r1m", "//[[:digit:]]/", "rm"),
            ("m", "/#/r", "rm"),
            ("m", "/m/r&", "rm"),
            ("m", "/m/r\\&", "r&"),
            ("m", "/m/'&'", "&"),
            ("aarm", "##+(a)", "rm"),
            ("aarm", "#+(a)", "arm"),
            ("rmaa", "%%+(a)", "rm"),
            ("abrm", "#@(ab|c)", "rm"),
            ("rxxm", "/+(x)", "rm"),
            ("rxym", "//@(x|y)", "rm"),
            ("r.m", "//?([.])", "rm"),
            ("xrm", "/#@(x)", "rm"),
            ("r", "/%/m", "rm"),
        ] {
            assert_eq!(applied(value, operator, &budget).as_deref(), Some(expected), "{value} {operator}");
        }
        for operator in ["@P", "[", "!", ":x", "/"] {
            // They are not followed, or change nothing, and never fail.
            applied("é/a", operator, &budget);
        }
        assert_eq!(applied(&"a".repeat(2000), "%a", &budget), Some("a".repeat(1999)));
        assert_eq!(applied(&("a".repeat(2000) + "rm"), "//a/", &budget).as_deref(), Some("rm"));
        assert_eq!(applied(&"a".repeat(1000), "//a*b/", &budget), None);
        assert!(!budget.is_spent());
    }
}
