//! Files that `curl` is told to read. It decodes URLs and has braces of its own: `file:///proc/self/%65nviron`.

use super::budget::Budget;

/// If there are more combinations of names in braces, these are taken for any name.
const MAX_PATHS: usize = 16;
/// In longer words too, in bytes.
const MAX_LENGTH: usize = 512;

/// The paths that a word of a command of `curl` may name, besides the word itself.
pub(super) fn paths(word: &str, budget: &Budget) -> Vec<String> {
    let is_plain = !word.contains(['%', '{']) && !word.to_ascii_lowercase().contains("file:");
    let most = if word.len() > MAX_LENGTH { 1 } else { MAX_PATHS };
    if is_plain || !budget.spend(most * word.len()) {
        return Vec::new();
    }
    let mut found = alternatives(&decoded(word));
    let files: Vec<String> = found.iter().filter_map(|text| file(text)).collect();
    found.extend(files);
    found
}

/// The path in `file://host/path`.
fn file(text: &str) -> Option<String> {
    let at = text.to_ascii_lowercase().find("file:")?;
    let rest = text.get(at + "file:".len()..)?;
    // A query and a fragment are no part of the path.
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let Some(rest) = rest.strip_prefix("//") else { return Some(rest.to_owned()) };
    rest.find('/').and_then(|at| rest.get(at..)).map(str::to_owned)
}

/// The text with what `%65` stands for.
fn decoded(text: &str) -> String {
    let mut done = String::new();
    let mut parts = text.split('%');
    done.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let code = part.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let letter = code.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(u8::is_ascii);
        match letter {
            Some(byte) => {
                done.push(char::from(byte));
                done.push_str(part.get(2..).unwrap_or_default());
            }
            None => {
                done.push('%');
                done.push_str(part);
            }
        }
    }
    done
}

/// The text with each of the names in braces, also if there is only one. A range is a class of letters already.
fn alternatives(text: &str) -> Vec<String> {
    if text.len() > MAX_LENGTH {
        return vec![with_any_names(text)];
    }
    let mut found = vec![String::new()];
    let mut rest = text;
    while let Some((before, names, after)) = braces(rest) {
        let names: Vec<&str> = names.split(',').collect();
        let names = if found.len() * names.len() > MAX_PATHS { vec!["*"] } else { names };
        let with = |start: &String| -> Vec<String> {
            names.iter().map(|name| format!("{start}{before}{name}")).collect()
        };
        found = found.iter().flat_map(with).collect();
        rest = after;
    }
    found.into_iter().map(|start| start + rest).collect()
}

fn with_any_names(text: &str) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some((before, _, after)) = braces(rest) {
        done.push_str(before);
        done.push('*');
        rest = after;
    }
    done + rest
}

/// What is before the first braces, inside and behind them.
fn braces(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (names, after) = rest.split_once('}')?;
    Some((before, names, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_become_paths() {
        for (word, expected) in [
            ("file:///proc/self/%65nviron", "/proc/self/environ"),
            ("file://localhost/proc/self/{environ}", "/proc/self/environ"),
            ("FILE:/proc/{1,self}/environ", "/proc/self/environ"),
            ("/a/{b,c}", "/a/c"),
            ("file:%65%2", "e%2"),
            ("file:///proc/self/environ?x", "/proc/self/environ"),
            ("file:///proc/self/environ#x", "/proc/self/environ"),
            ("file:///proc/self/{environ,maps}?x", "/proc/self/environ"),
            ("%", "%"),
            ("%zz%41", "%zzA"),
            ("{", "{"),
        ] {
            let found = paths(word, &Budget::default());
            assert!(found.iter().any(|path| path == expected), "{word}: {found:?}");
        }
    }

    #[test]
    fn many_braces_do_not_multiply() {
        assert!(paths(&"{a,b,c}".repeat(70), &Budget::default()).len() <= 2 * MAX_PATHS);
    }
}
