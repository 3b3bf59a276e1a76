//! `{a,b}` and `{1..3}`.

use super::fields::unknown;
use super::spans::{End, length_until};

/// How many words one word may become. More are not followed.
const MAX_WORDS: usize = 256;

/// How many characters they may have together.
const MAX_LENGTH: usize = 256 << 10;

/// The words that a word becomes. Those that are too many are not known.
pub(super) fn alternatives(word: &str) -> Vec<String> {
    let mut words = vec![word.to_owned()];
    let mut at = if word.contains('{') { 0 } else { 1 };
    let mut length = word.len();
    while let Some(next) = words.get(at) {
        match expanded(next) {
            Some(Some(more)) if words.len() + more.len() <= MAX_WORDS && length <= MAX_LENGTH => {
                length += more.iter().map(String::len).sum::<usize>();
                words.splice(at..=at, more).for_each(drop);
            }
            Some(_) => {
                words.splice(at..=at, [unknown()]).for_each(drop);
                at += 1;
            }
            None => at += 1,
        }
    }
    words
}

/// The words of the first list; nothing inside if they are too many.
fn expanded(word: &str) -> Option<Option<Vec<String>>> {
    let (open, parts, close) = list(word)?;
    let before = word.get(..open)?;
    let after = word.get(close + 1..)?;
    let parts = if parts.len() > 1 { Some(parts) } else { sequence(parts.first()?)? };
    let whole = |part: String| format!("{before}{part}{after}");
    Some(parts.map(|parts| parts.into_iter().map(whole).collect()))
}

/// The first unquoted `{…}` with a comma or two dots: its place, its parts, and its end.
fn list(word: &str) -> Option<(usize, Vec<String>, usize)> {
    let (mut quote, mut previous, mut depth) = (None, ' ', 0_usize);
    let mut found: Option<(usize, Vec<String>)> = None;
    let mut expansion = 0;
    for (at, c) in word.char_indices() {
        if at < expansion {
            continue;
        }
        let is_plain = quote.is_none() && previous != '\\';
        match (c, &mut found) {
            ('\'' | '"' | '`', _) if is_plain => quote = Some(c),
            (c, _) if quote == Some(c) && previous != '\\' => quote = None,
            // An expansion is no list.
            ('(' | '{', None) if previous == '$' => {
                let end = if c == '(' { End::Parenthesis } else { End::Brace };
                expansion = at + 2 + length_until(word.get(at + 1..)?, end)?;
            }
            ('{', None) if is_plain => found = Some((at, vec![String::new()])),
            ('}', Some((open, parts))) if is_plain && depth == 0 => {
                return (parts.len() > 1 || parts.concat().contains(".."))
                    .then(|| (*open, parts.clone(), at));
            }
            (',', Some((_, parts))) if is_plain && depth == 0 => {
                parts.push(String::new());
                previous = c;
                continue;
            }
            ('{', Some(_)) if is_plain => depth += 1,
            ('}', Some(_)) if is_plain => depth -= 1,
            _ => {}
        }
        if let Some((open, parts)) = &mut found
            && at > *open
        {
            parts.last_mut()?.push(c);
        }
        previous = c;
    }
    None
}

/// `1..3`, `3..1`, `a..f`, `1..9..2`; nothing inside if they are too many. `None` if it is no sequence.
fn sequence(range: &str) -> Option<Option<Vec<String>>> {
    let (from, to) = range.split_once("..")?;
    let (to, step) = to.split_once("..").unwrap_or((to, "1"));
    let step = usize::try_from(step.parse::<i64>().ok()?.unsigned_abs()).ok()?.max(1);
    let is_padded =
        |text: &str| text.trim_start_matches('-').len() > 1 && text.trim_start_matches('-').starts_with('0');
    if is_padded(from) || is_padded(to) {
        return Some(None);
    }
    let (first, last, is_letter) = match (from.parse::<i64>(), to.parse::<i64>()) {
        (Ok(from), Ok(to)) => (from, to, false),
        _ => {
            let one = |text: &str| Some(text.chars().next()?).filter(|c| c.is_ascii() && text.len() == 1);
            (i64::from(u32::from(one(from)?)), i64::from(u32::from(one(to)?)), true)
        }
    };
    if first.abs_diff(last) >= MAX_WORDS as u64 {
        return Some(None);
    }
    let shown = |code: i64| match is_letter {
        true => u32::try_from(code).ok().and_then(char::from_u32).map(String::from).unwrap_or_default(),
        false => code.to_string(),
    };
    Some(Some(if first <= last {
        (first..=last).step_by(step).map(shown).collect()
    } else {
        (last..=first).rev().step_by(step).map(shown).collect()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_expanded() {
        for (word, expected) in [
            ("a{b,c}d", "abd acd"),
            ("{1..3}", "1 2 3"),
            ("{c..a}", "c b a"),
            ("{a,{b,c}}", "a b c"),
            ("'{a,b}'", "'{a,b}'"),
            ("${a,b}", "${a,b}"),
            ("{a}", "{a}"),
            ("{a,b", "{a,b"),
            ("{r..m..5}", "r m"),
            ("${x}{r,m}", "${x}r ${x}m"),
            ("$(a {b,c}){r,m}", "$(a {b,c})r $(a {b,c})m"),
            ("{1..100000}", "\0"),
        ] {
            assert_eq!(alternatives(word).join(" "), expected, "{word}");
        }
        assert!(alternatives(&"{a,b}".repeat(40)).len() <= MAX_WORDS);
    }
}
