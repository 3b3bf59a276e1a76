//! History expansion (`!!`, `!$`, `^a^b`).

use std::cell::Cell;

use super::parser::words;

/// How many commands of the history are followed.
pub(super) const MAX_EVENTS: usize = 64;
/// How much longer a text may become, in bytes.
const MAX_GROWTH: usize = 64 << 10;

/// Whether a text switches history expansion on.
pub(super) fn is_switched_on(text: &str) -> bool {
    text.contains("histexpand")
        || text.match_indices("set -").any(|(at, _)| {
            let options = text.get(at + 5..).unwrap_or_default();
            options.split(char::is_whitespace).next().is_some_and(|letters| letters.contains('H'))
        })
}

/// The text with the history expansions of each line in their places. `None` if it becomes too long, if a line behind the
/// first [`MAX_EVENTS`] may contain one, or if `spend` refuses the work, which is given in bytes.
pub(super) fn expanded(text: &str, spend: &dyn Fn(usize) -> bool) -> Option<String> {
    if !text.contains(['!', '^']) {
        return Some(text.to_owned());
    }
    let limit = text.len() + MAX_GROWTH;
    let mut history = History { events: Vec::new(), size: 0, limit, spend, is_cut: Cell::new(false) };
    for line in text.lines() {
        let replaced = history.expanded_line(line).unwrap_or_else(|| line.to_owned());
        if history.is_cut.get() {
            return None;
        }
        history.size += replaced.len();
        history.events.push(replaced);
        if history.events.len() > MAX_EVENTS {
            break;
        }
    }
    let rest = || text.lines().skip(history.events.len());
    // Expansions in them are not followed.
    if rest().any(|line| !spend(line.len()) || refers_to_history(line)) {
        return None;
    }
    let rest = rest().map(str::to_owned);
    Some(history.events.iter().cloned().chain(rest).map(|line| line + "\n").collect())
}

/// Whether a line may contain an expansion. Quotes are not followed.
fn refers_to_history(line: &str) -> bool {
    line.starts_with('^')
        || line.match_indices('!').any(|(at, _)| {
            let (before, after) = line.split_at_checked(at).unwrap_or_default();
            let next = after.chars().nth(1);
            // `$!`, `${!x}`, `[!a]`
            !before.ends_with(['$', '{', '[', '\\'])
                && next.is_some_and(|c| !c.is_whitespace() && !"=(\"".contains(c))
        })
}

/// The lines before, with their expansions in place.
struct History<'s> {
    events: Vec<String>,
    /// How long they are together.
    size: usize,
    /// How long they may become.
    limit: usize,
    spend: &'s dyn Fn(usize) -> bool,
    /// A line became too long, or its work too much.
    is_cut: Cell<bool>,
}

impl History<'_> {
    /// Takes some work. `None` if that is too much.
    fn pay(&self, length: usize) -> Option<()> {
        let is_paid = (self.spend)(length);
        self.is_cut.set(self.is_cut.get() || !is_paid);
        is_paid.then_some(())
    }

    /// Takes the work of a text of this length. `None` if it is too long.
    fn allow(&self, length: usize) -> Option<()> {
        if self.size + length > self.limit {
            self.is_cut.set(true);
            return None;
        }
        self.pay(length)
    }

    /// A line with its expansions in place. `None` if one of them names no line before.
    fn expanded_line(&self, line: &str) -> Option<String> {
        self.allow(line.len())?;
        if let Some(change) = line.strip_prefix('^') {
            let mut parts = change.splitn(3, '^');
            let (old, new) = (parts.next()?, parts.next().unwrap_or_default());
            let last = self.events.last()?;
            self.allow(last.len() + change.len())?;
            return Some(last.replacen(old, new, 1) + parts.next().unwrap_or_default());
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
                    let (text, used) = self.reference(rest.get(1..)?, &done)?;
                    self.allow(done.len() + text.len())?;
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
    fn reference(&self, text: &str, before: &str) -> Option<(String, usize)> {
        let events = &self.events;
        let first = text.chars().next()?;
        let digits = |from: usize| {
            let rest = text.get(from..).unwrap_or_default();
            rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()) + from
        };
        let (event, used) = match first {
            '!' => (events.last()?.as_str(), 1),
            '$' | '^' | '*' | ':' => (events.last()?.as_str(), 0),
            '#' => (before, 1),
            '0'..='9' => {
                let number: usize = text.get(..digits(0))?.parse().ok()?;
                (events.get(number.checked_sub(1)?)?.as_str(), digits(0))
            }
            '-' => {
                let number: usize = text.get(1..digits(1))?.parse().ok()?;
                (events.get(events.len().checked_sub(number)?)?.as_str(), digits(1))
            }
            '?' => {
                let inner = text.get(1..)?;
                let end = inner.find('?').unwrap_or(inner.len());
                let part = inner.get(..end)?;
                self.pay(self.size)?;
                let event = events.iter().rev().find(|event| event.contains(part))?;
                (event.as_str(), (end + 2).min(text.len()))
            }
            _ => {
                let end = text.find(|c: char| c.is_whitespace() || ":;&|\"'`)$^*".contains(c));
                let name = text.get(..end.unwrap_or(text.len()))?;
                (events.iter().rev().find(|event| event.starts_with(name))?.as_str(), name.len())
            }
        };
        self.allow(event.len())?;
        let rest = text.get(used..)?;
        let (chosen, length) = designated(event, rest);
        let (changed, more) = self.modified(chosen, rest.get(length..)?)?;
        Some((changed, used + length + more))
    }

    /// The text after `:s/a/b/`, `:gs/a/b/`, `:h`, `:t`, `:r`, `:e`, `:p`, and how long they are. `None` if that is too
    /// much work.
    fn modified(&self, text: String, modifiers: &str) -> Option<(String, usize)> {
        let mut text = text;
        let mut rest = modifiers;
        while let Some(inner) = rest.strip_prefix(':') {
            let (is_all, inner) = match inner.strip_prefix(['g', 'a']) {
                Some(inner) => (true, inner),
                None => (false, inner),
            };
            let mut letters = inner.chars();
            let mut next = inner.get(1..).unwrap_or_default();
            self.allow(text.len())?;
            text = match letters.next() {
                Some('s') => {
                    let Some(delimiter) = letters.next() else { break };
                    let mut parts = letters.as_str().splitn(3, delimiter);
                    let (old, new) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                    next = parts.next().unwrap_or_default();
                    let most = if is_all { usize::MAX } else { 1 };
                    self.allow(new.len() + new.matches('&').count() * old.len())?;
                    let new = new.replace('&', old);
                    self.allow(text.len() + text.matches(old).take(most).count() * new.len())?;
                    text.replacen(old, &new, most)
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
        Some((text, modifiers.len() - rest.len()))
    }
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
            let found = expanded(text, &|_| true).unwrap();
            assert_eq!(found.lines().last(), Some(expected), "{text}");
        }
        for text in ["!", "!!", "^", "!-9", "!x", "!?", "a\n!!:", "a\n!:s", "a\n!$:s/", "\u{e9}\n!\u{e9}"] {
            expanded(text, &|_| true);
        }
        assert!(
            is_switched_on("set -eH") && is_switched_on("set -o histexpand") && !is_switched_on("set -e; H")
        );
    }
    /// Each line is as long as all before it, or each modifier makes it longer.
    #[test]
    fn texts_that_grow_are_cut() {
        for text in [
            format!(": a\n{}", "!! !!\n".repeat(17)),
            format!(": {}\n{}", "a".repeat(1_000), "!!:gs/a/&&/:p\n".repeat(7)),
            format!(": a\n!!{}", ":gs/a/aaaa/".repeat(12)),
            format!(": a{}", " !#".repeat(17)),
        ] {
            assert_eq!(expanded(&text, &|_| true), None, "{text}");
        }
        assert_eq!(expanded("a\n!!", &|_| false), None);
        let lines = ":\n".repeat(MAX_EVENTS + 6);
        assert_eq!(expanded(&format!("{lines}rm !*"), &|_| true), None);
        assert_eq!(expanded(&format!("{lines}^x^y"), &|_| true), None);
        assert!(expanded(&format!("! :\n{lines}[ a != b ]; echo $! ${{!x}} [!a] \\!x"), &|_| true).is_some());
        let long = format!(": {}\necho !$", "a".repeat(50_000));
        assert!(expanded(&long, &|_| true).is_some());
    }
}
