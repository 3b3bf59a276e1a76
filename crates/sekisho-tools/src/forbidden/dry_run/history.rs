//! History expansion (`!!`, `!$`, `^a^b`).

use super::parser::words;

/// How many commands of the history are followed.
pub(super) const MAX_EVENTS: usize = 64;

/// Whether a text switches history expansion on.
pub(super) fn is_switched_on(text: &str) -> bool {
    text.contains("histexpand")
        || text.match_indices("set -").any(|(at, _)| {
            let options = text.get(at + 5..).unwrap_or_default();
            options.split(char::is_whitespace).next().is_some_and(|letters| letters.contains('H'))
        })
}

/// The text with the history expansions of each line in their places.
pub(super) fn expanded(text: &str) -> String {
    if !text.contains(['!', '^']) {
        return text.to_owned();
    }
    let mut events: Vec<String> = Vec::new();
    for line in text.lines() {
        let replaced = expanded_line(line, &events).unwrap_or_else(|| line.to_owned());
        events.push(replaced);
        if events.len() > MAX_EVENTS {
            break;
        }
    }
    let rest = text.lines().skip(events.len()).map(str::to_owned);
    events.iter().cloned().chain(rest).map(|line| line + "\n").collect()
}

/// A line with its expansions in place. `None` if one of them names no line before.
fn expanded_line(line: &str, events: &[String]) -> Option<String> {
    if let Some(change) = line.strip_prefix('^') {
        let mut parts = change.splitn(3, '^');
        let (old, new) = (parts.next()?, parts.next().unwrap_or_default());
        return Some(events.last()?.replacen(old, new, 1) + parts.next().unwrap_or_default());
    }
    let mut done = String::new();
    let mut rest = line;
    let mut in_single = false;
    let mut in_double = false;
    while let Some(c) = rest.chars().next() {
        let next = rest.chars().nth(1);
        let mut length = c.len_utf8();
        match c {
            '\'' if !in_double => in_single = !in_single,
            '"' if !in_single => in_double = !in_double,
            '\\' if !in_single => length += next.map_or(0, char::len_utf8),
            '!' if !in_single && next.is_some_and(|c| !c.is_whitespace() && !"=(\"".contains(c)) => {
                let (text, used) = reference(rest.get(1..)?, events, &done)?;
                done.push_str(&text);
                rest = rest.get(used + 1..)?;
                continue;
            }
            _ => {}
        }
        done.push_str(rest.get(..length)?);
        rest = rest.get(length..)?;
    }
    Some(done)
}

/// What follows `!`: the text that it stands for, and its length.
fn reference(text: &str, events: &[String], before: &str) -> Option<(String, usize)> {
    let first = text.chars().next()?;
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()) + from
    };
    let (event, used) = match first {
        '!' => (events.last()?.clone(), 1),
        '$' | '^' | '*' | ':' => (events.last()?.clone(), 0),
        '#' => (before.to_owned(), 1),
        '0'..='9' => {
            let number: usize = text.get(..digits(0))?.parse().ok()?;
            (events.get(number.checked_sub(1)?)?.clone(), digits(0))
        }
        '-' => {
            let number: usize = text.get(1..digits(1))?.parse().ok()?;
            (events.get(events.len().checked_sub(number)?)?.clone(), digits(1))
        }
        '?' => {
            let inner = text.get(1..)?;
            let end = inner.find('?').unwrap_or(inner.len());
            let part = inner.get(..end)?;
            let event = events.iter().rev().find(|event| event.contains(part))?;
            (event.clone(), (end + 2).min(text.len()))
        }
        _ => {
            let end = text.find(|c: char| c.is_whitespace() || ":;&|\"'`)$^*".contains(c));
            let name = text.get(..end.unwrap_or(text.len()))?;
            (events.iter().rev().find(|event| event.starts_with(name))?.clone(), name.len())
        }
    };
    let rest = text.get(used..)?;
    let (chosen, length) = designated(&event, rest);
    let (changed, more) = modified(chosen, rest.get(length..)?);
    Some((changed, used + length + more))
}

/// The words that `:1`, `:$`, `:*`, `:1-2` and their like choose, and how long that is.
fn designated(event: &str, text: &str) -> (String, usize) {
    let inner = text.strip_prefix(':').unwrap_or(text);
    let colon = text.len() - inner.len();
    let all = words(event);
    let last = all.len().saturating_sub(1);
    let number = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let number = text.get(..end).and_then(|digits| digits.parse::<usize>().ok());
        number.map(|number| (number, end))
    };
    let (from, length) = match inner.chars().next() {
        Some('^') => (1, 1),
        Some('$') => (last, 1),
        Some('*') => {
            let chosen = all.get(1..).unwrap_or_default().join(" ");
            return (chosen, colon + 1);
        }
        Some('-') if colon > 0 => (0, 0),
        Some('0'..='9') if colon > 0 => number(inner).unwrap_or((0, 1)),
        _ => return (event.to_owned(), 0),
    };
    let rest = inner.get(length..).unwrap_or_default();
    let (to, more) = match rest.chars().next() {
        Some('*') => (last, 1),
        Some('-') => match rest.get(1..).and_then(number) {
            Some((to, digits)) => (to, digits + 1),
            None if rest.starts_with("-$") => (last, 2),
            None => (last.saturating_sub(1), 1),
        },
        _ => (from, 0),
    };
    (all.get(from..=to.min(last)).unwrap_or_default().join(" "), colon + length + more)
}

/// The text after `:s/a/b/`, `:gs/a/b/`, `:h`, `:t`, `:r`, `:e`, `:p`, and how long they are.
fn modified(text: String, modifiers: &str) -> (String, usize) {
    let mut text = text;
    let mut rest = modifiers;
    while let Some(inner) = rest.strip_prefix(':') {
        let (is_all, inner) = match inner.strip_prefix(['g', 'a']) {
            Some(inner) => (true, inner),
            None => (false, inner),
        };
        let mut letters = inner.chars();
        let mut next = inner.get(1..).unwrap_or_default();
        text = match letters.next() {
            Some('s') => {
                let Some(delimiter) = letters.next() else { break };
                let mut parts = letters.as_str().splitn(3, delimiter);
                let (old, new) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                next = parts.next().unwrap_or_default();
                text.replacen(old, &new.replace('&', old), if is_all { usize::MAX } else { 1 })
            }
            Some('h') => text.rsplit_once('/').map_or(text.clone(), |(head, _)| head.to_owned()),
            Some('t') => text.rsplit('/').next().unwrap_or_default().to_owned(),
            Some('r') => text.rsplit_once('.').map_or(text.clone(), |(root, _)| root.to_owned()),
            Some('e') => text.rsplit_once('.').map_or_else(String::new, |(_, end)| format!(".{end}")),
            Some('p' | 'q' | 'x') => text,
            _ => break,
        };
        rest = next;
    }
    (text, modifiers.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results are those of bash.
    #[test]
    fn lines_before_are_put_in_place() {
        for (text, expected) in [
            ("echo a b\n!!", "echo a b"),
            ("echo a b\nx !$", "x b"),
            ("echo a b\nx !^", "x a"),
            ("echo a b\n!*", "a b"),
            ("echo a b\n!!:1*", "a b"),
            ("echo a b\n!!:1-2", "a b"),
            ("echo a b\n!:0", "echo"),
            ("xm -r\n^x^r", "rm -r"),
            ("xm -r\n!!:s/x/r/", "rm -r"),
            ("xmx\n!!:gs/x/r/", "rmr"),
            ("a\nb\n!1", "a"),
            ("a\nb\n!-2", "a"),
            ("cat x\nls\n!c", "cat x"),
            ("cat x\nls\n!?at?", "cat x"),
            ("ls a/b.c\necho !$:h !$:t !$:r", "echo a b.c a/b"),
            ("echo a\necho '!!' \\!!", "echo '!!' \\!!"),
            ("echo a\n! true", "! true"),
            ("[ a != b ]", "[ a != b ]"),
        ] {
            assert_eq!(expanded(text).lines().last(), Some(expected), "{text}");
        }
        for text in ["!", "!!", "^", "!-9", "!x", "!?", "a\n!!:", "a\n!:s", "a\n!$:s/", "\u{e9}\n!\u{e9}"] {
            expanded(text);
        }
        assert!(
            is_switched_on("set -eH") && is_switched_on("set -o histexpand") && !is_switched_on("set -e; H")
        );
    }
}
