//! `{a,b}` and `{1..3}`.

/// How many words one word may become. More are not followed.
const MAX_WORDS: usize = 128;

/// Longer words are not followed.
const MAX_LENGTH: usize = 1024;

/// The words that a word becomes.
pub(super) fn alternatives(word: &str) -> Vec<String> {
    let mut words = vec![word.to_owned()];
    let mut at = usize::from(word.len() > MAX_LENGTH);
    while let Some(next) = words.get(at) {
        match expanded(next) {
            Some(more) if words.len() + more.len() <= MAX_WORDS => {
                words.splice(at..=at, more).for_each(drop);
            }
            _ => at += 1,
        }
    }
    words
}

/// The words of the first list.
fn expanded(word: &str) -> Option<Vec<String>> {
    let (open, parts, close) = list(word)?;
    let before = word.get(..open)?;
    let after = word.get(close + 1..)?;
    let parts = if parts.len() > 1 { parts } else { sequence(parts.first()?)? };
    Some(parts.into_iter().map(|part| format!("{before}{part}{after}")).collect())
}

/// The first unquoted `{…}` with a comma or two dots: its place, its parts, and its end.
fn list(word: &str) -> Option<(usize, Vec<String>, usize)> {
    let (mut quote, mut previous, mut depth) = (None, ' ', 0_usize);
    let mut found: Option<(usize, Vec<String>)> = None;
    for (at, c) in word.char_indices() {
        let is_plain = quote.is_none() && previous != '\\';
        match (c, &mut found) {
            ('\'' | '"' | '`', _) if is_plain => quote = Some(c),
            (c, _) if quote == Some(c) && previous != '\\' => quote = None,
            // An expansion is no list.
            ('(' | '{', None) if previous == '$' => return None,
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

/// `1..3`, `3..1`, `a..f`
fn sequence(range: &str) -> Option<Vec<String>> {
    let (from, to) = range.split_once("..")?;
    let to = to.split("..").next()?;
    let (first, last, is_letter) = match (from.parse::<i64>(), to.parse::<i64>()) {
        (Ok(from), Ok(to)) => (from, to, false),
        _ => {
            let one = |text: &str| Some(text.chars().next()?).filter(|c| c.is_ascii() && text.len() == 1);
            (i64::from(u32::from(one(from)?)), i64::from(u32::from(one(to)?)), true)
        }
    };
    if first.abs_diff(last) >= MAX_WORDS as u64 {
        return None;
    }
    let shown = |code: i64| match is_letter {
        true => u32::try_from(code).ok().and_then(char::from_u32).map(String::from).unwrap_or_default(),
        false => code.to_string(),
    };
    Some(if first <= last {
        (first..=last).map(shown).collect()
    } else {
        (last..=first).rev().map(shown).collect()
    })
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
            ("{1..100000}", "{1..100000}"),
        ] {
            assert_eq!(alternatives(word).join(" "), expected, "{word}");
        }
        assert!(alternatives(&"{a,b}".repeat(40)).len() <= MAX_WORDS);
    }
}
