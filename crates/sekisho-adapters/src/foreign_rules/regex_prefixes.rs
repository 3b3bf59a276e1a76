//! Recognises the few regular expressions that are plain commands: words, alternatives in one pair of
//! parentheses, `\s`, `\.`.

/// Maximum number of alternatives expanded.
const MOST: usize = 16;

/// The texts a command must begin with, if the expression says no more than that. The flag says that a whole
/// word must end there.
pub(super) fn literal_prefixes(regex: &str) -> Option<(Vec<String>, bool)> {
    let body = regex.strip_suffix(".*").unwrap_or(regex);
    let (body, ends) = match body.strip_suffix("\\b") {
        // `\b` also matches before `-` and `.`, so at the end of a prefix it adds nothing.
        Some(body) => (body, false),
        None => match body.strip_suffix("\\s").or_else(|| body.strip_suffix("\\s+")) {
            Some(body) => (body, true),
            None => (body, false),
        },
    };
    let mut texts = vec![String::new()];
    let mut rest = body.chars();
    while let Some(c) = rest.next() {
        let choices = match c {
            '(' => group(&mut rest)?,
            '\\' => vec![escaped(&mut rest)?],
            c if is_literal(c) => vec![c.to_string()],
            _ => return None,
        };
        let longer =
            texts.iter().flat_map(|text| choices.iter().map(move |choice| format!("{text}{choice}")));
        texts = longer.collect();
        if texts.len() > MOST {
            return None;
        }
    }
    texts.iter().all(|text| !text.trim().is_empty()).then_some((texts, ends))
}

fn group(rest: &mut std::str::Chars<'_>) -> Option<Vec<String>> {
    let text = rest.as_str();
    let end = text.find(')')?;
    let (inside, after) = text.split_at_checked(end)?;
    let inside = inside.strip_prefix("?:").unwrap_or(inside);
    *rest = after.strip_prefix(')')?.chars();
    // What follows a group may repeat it or make it optional.
    let choices: Vec<String> = inside.split('|').map(str::to_owned).collect();
    choices.iter().all(|choice| !choice.is_empty() && choice.chars().all(is_literal)).then_some(choices)
}

fn escaped(rest: &mut std::str::Chars<'_>) -> Option<String> {
    match rest.next()? {
        's' => {
            if let Some(after) = rest.as_str().strip_prefix('+') {
                *rest = after.chars();
            }
            Some(" ".into())
        }
        c @ ('.' | '-' | '/') => Some(c.to_string()),
        _ => None,
    }
}

/// A literal character. Quantifiers are not literal, so what they follow is never read as plain.
fn is_literal(c: char) -> bool {
    c.is_ascii_alphanumeric() || " -_/=:,@%".contains(c)
}
