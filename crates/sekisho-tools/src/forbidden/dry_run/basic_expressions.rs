//! The regular expressions of `sed` and `grep`.

use regex::{Regex, RegexBuilder};

/// How large a compiled expression may be, in bytes.
const MAX_SIZE: usize = 64 << 10;

/// A basic or extended expression. `None` if some of it is not followed.
pub(super) fn compiled(pattern: &str, is_extended: bool, ignores_case: bool) -> Option<Regex> {
    let mut expression = String::new();
    let mut rest = pattern;
    let is_special = |c: char| "(){}+?|".contains(c);
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '\\' => {
                let next = rest.chars().nth(1)?;
                length += next.len_utf8();
                match next {
                    next if is_special(next) && !is_extended => expression.push(next),
                    'w' => expression.push_str("[0-9A-Za-z_]"),
                    'W' => expression.push_str("[^0-9A-Za-z_]"),
                    's' => expression.push_str("[ \\t\\n\\r]"),
                    'S' => expression.push_str("[^ \\t\\n\\r]"),
                    '<' => expression.push_str("\\b{start}"),
                    '>' => expression.push_str("\\b{end}"),
                    '`' => expression.push_str("\\A"),
                    '\'' => expression.push_str("\\z"),
                    next @ ('b' | 'B' | 'n' | 't') => expression.extend(['\\', next]),
                    // Others mean something else to sed.
                    next if next.is_alphanumeric() => return None,
                    next => expression.extend(['\\', next]),
                }
            }
            '[' => {
                let (class, used) = class(rest)?;
                expression.push_str(&class);
                length = used;
            }
            '*' if expression.is_empty() => expression.push_str("\\*"),
            c if is_special(c) && !is_extended => expression.extend(['\\', c]),
            c => expression.push(c),
        }
        rest = rest.get(length..)?;
    }
    RegexBuilder::new(&expression)
        .size_limit(MAX_SIZE)
        .case_insensitive(ignores_case)
        .dot_matches_new_line(true)
        .build()
        .ok()
}

/// The class at the start of a text as an expression, and its length. A backslash is an ordinary letter in it.
fn class(text: &str) -> Option<(String, usize)> {
    let length = class_length(text)?;
    let mut done = String::from("[");
    let inner = text.get(1..length - 1)?;
    let (negation, inner) = match inner.strip_prefix('^') {
        Some(rest) => ("^", rest),
        None => ("", inner),
    };
    done.push_str(negation);
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        if rest.starts_with("[:") {
            length = rest.find(":]")? + 2;
            done.push_str(rest.get(..length)?);
        } else if rest.starts_with("[=") || rest.starts_with("[.") {
            return None;
        } else if rest.starts_with("\\n") {
            done.push('\n');
            length = 2;
        } else {
            let is_range = c == '-' && rest.len() > 1 && rest.len() < inner.len();
            if !c.is_alphanumeric() && !is_range {
                done.push('\\');
            }
            done.push(c);
        }
        rest = rest.get(length..)?;
    }
    Some((done.replace("\\ ", " ").replace("\\\n", "\n").replace("\\\t", "\t") + "]", length))
}

/// The length of `[…]` at the start of a text.
pub(super) fn class_length(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let first = inner.strip_prefix('^').unwrap_or(inner);
    let mut at = text.len() - first.len() + usize::from(first.starts_with(']'));
    loop {
        let rest = text.get(at..)?;
        let named =
            [("[:", ":]"), ("[=", "=]"), ("[.", ".]")].iter().find(|(open, _)| rest.starts_with(open));
        match (named, rest.chars().next()?) {
            (Some((_, close)), _) => at += rest.find(close)? + 2,
            (None, ']') => return Some(at + 1),
            (None, c) => at += c.len_utf8(),
        }
    }
}
