//! The forms a secret may take elsewhere in its row.
//!
//! The input has it as written. Facts and reasons have what bash made of the word, split and normalised
//! as a path. Messages have it with hidden characters escaped.

use std::collections::BTreeSet;

use super::brace_expansion::alternatives;
use super::unquote::unquote;
use super::work_budget::Budget;
use crate::display::{Layout, visible};
use crate::mask::{base64_decode, byte_scan};

/// The minimum length. Shorter values occur in ordinary words.
pub(super) const MIN_LENGTH: usize = 6;
/// Longer secrets are keys and files, not command words, and are only matched as written.
pub(super) const MAX_LENGTH: usize = 4096;
/// How many levels of quotes are removed: `ssh host "bash -c '…'"` has three.
pub(super) const LEVELS: usize = 3;

/// Words before a token in a header that are not secret.
const SCHEMES: [&str; 14] = [
    "apikey",
    "api-key",
    "basic",
    "bearer",
    "bot",
    "digest",
    "dpop",
    "genie-key",
    "jwt",
    "key",
    "negotiate",
    "oauth",
    "splunk",
    "token",
];

/// The secret as written, and as it may occur elsewhere. Incomplete if the budget is spent.
pub(super) fn forms(secret: &str, budget: &mut Budget) -> BTreeSet<String> {
    budget.write(secret.len());
    let mut forms = BTreeSet::from([secret.to_owned(), trimmed(secret).to_owned()]);
    if secret.len() <= MAX_LENGTH && secret.len() >= MIN_LENGTH {
        unquoted(&mut forms, budget);
        grow(&mut forms, budget, |form, _| tokens(form));
        grow(&mut forms, budget, |form, _| percent_decoded(form).into_iter().collect());
        grow(&mut forms, budget, alternatives);
        grow(&mut forms, budget, |form, _| path(form).into_iter().collect());
        grow(&mut forms, budget, |form, _| pieces(form));
        grow(&mut forms, budget, |form, _| written(form));
    }
    forms.retain(|form| form.chars().count() >= MIN_LENGTH);
    forms
}

fn grow(forms: &mut BTreeSet<String>, budget: &mut Budget, more: impl Fn(&str, &mut Budget) -> Vec<String>) {
    let mut grown = Vec::new();
    for form in &*forms {
        let made = more(form, budget);
        let bytes = form.len() + made.iter().map(String::len).sum::<usize>();
        grown.extend(made);
        if !budget.write(bytes) {
            break;
        }
    }
    forms.extend(grown);
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(['\'', '"', ' '])
}

fn unquoted(forms: &mut BTreeSet<String>, budget: &mut Budget) {
    for mut text in forms.clone() {
        for _ in 0..LEVELS {
            let next = unquote(&text).text;
            if next == text || !budget.write(next.len()) {
                break;
            }
            forms.extend([trimmed(&next).to_owned(), next.clone()]);
            text = next;
        }
    }
}

/// The tokens of a header value or of cookies: `Bearer x`, `Token token="x"`, `session=x; theme=dark`.
fn tokens(value: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (scheme, rest) = value.trim().split_once(' ').unwrap_or_default();
    if SCHEMES.iter().any(|known| scheme.trim_end_matches(':').eq_ignore_ascii_case(known)) {
        let token = trimmed(rest);
        found.push(token.to_owned());
        if base64_decode::is_pair(token.as_bytes()) {
            let pair = base64_decode::decode(token.as_bytes()).and_then(|pair| String::from_utf8(pair).ok());
            let password = pair.and_then(|pair| Some(pair.split_once(':')?.1.to_owned()));
            found.extend(password);
        }
    }
    if value.contains(['=']) {
        let values = value.split([' ', ',', ';']).filter_map(|pair| pair.split_once('='));
        let values = values.map(|(_, value)| trimmed(value)).filter(|value| is_generated(value));
        found.extend(values.map(str::to_owned));
    }
    found
}

fn percent_decoded(text: &str) -> Option<String> {
    let (first, _) = text.split_once('%')?;
    let mut decoded = first.as_bytes().to_vec();
    for part in text.split('%').skip(1) {
        let byte = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                decoded.extend_from_slice(part.as_bytes().get(2..).unwrap_or_default());
            }
            None => {
                decoded.push(b'%');
                decoded.extend_from_slice(part.as_bytes());
            }
        }
    }
    String::from_utf8(decoded).ok()
}

/// The secret as part of a normalised path.
fn path(text: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in text.strip_prefix('~').unwrap_or(text).split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    text.contains('/').then(|| names.join("/"))
}

/// Parts of a secret that may occur without the others: its words, the names of a path, the texts around
/// wildcards and braces. A part that looks like a word is ignored; it may be the name of a directory.
fn pieces(text: &str) -> Vec<String> {
    let parts = text.split(['/', '{', '}', ',', '*', '?', '[', ']', '\\', '\'', '"', ' ', '\t', '\n']);
    parts.filter(|part| part.len() < text.len() && !is_plain(part)).map(str::to_owned).collect()
}

/// The form in JSON, and the form in a message for people.
fn written(text: &str) -> Vec<String> {
    let json = serde_json::to_string(text).unwrap_or_default();
    let json = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or_default().to_owned();
    [json, visible(text, Layout::Line).into_owned(), visible(text, Layout::Text).into_owned()].into()
}

/// Whether this looks like a word, a name or a date: `project`, `node_modules`, `Documents`, `README`,
/// `2026-11-16`.
pub(super) fn is_plain(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).all(|word| {
        let tail = word.chars().skip(1);
        let lower = tail.clone().all(char::is_lowercase) && word.chars().all(char::is_alphabetic);
        let short = word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit());
        lower || short || (word.len() <= 10 && word.chars().all(char::is_uppercase))
    })
}

fn is_generated(text: &str) -> bool {
    text.len() >= 8 && byte_scan::mixed(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Budget, forms, is_plain};

    #[track_caller]
    fn check(secret: &str, expected: &[&str]) {
        let forms = forms(secret, &mut Budget::default());
        for form in expected {
            assert!(forms.contains(*form), "{form} of {secret}: {forms:?}");
        }
    }

    #[test]
    fn secret_has_every_form() {
        check(r"pa\$\$w0rd", &[r"pa\$\$w0rd", "pa$$w0rd"]);
        check("aGVsbG8//c2VjcmV0==/", &["aGVsbG8/c2VjcmV0==", "aGVsbG8", "c2VjcmV0=="]);
        check("~/s3cr3t-x/../y0urs-too", &["y0urs-too", "s3cr3t-x"]);
        check("hun{ter,tar{1,2}}SECRET", &["hunterSECRET", "huntar1SECRET", "huntar2SECRET"]);
        check("{s3cretab,s3cretcd}", &["s3cretab", "s3cretcd"]);
        check("Bearer s3cr3t-x", &["s3cr3t-x"]);
        check("Basic YWxhZGRpbjpvcGVuc2VzYW1l", &["YWxhZGRpbjpvcGVuc2VzYW1l", "opensesame"]);
        check("session=abcd1234ef; theme=dark", &["abcd1234ef"]);
        check("s3cret%24x", &["s3cret$x"]);
        check("s3cret\"x", &["s3cret\\\"x"]);
        check("s3cret\u{200b}x", &["s3cret\\u{200b}x"]);
    }

    #[test]
    fn words_are_not_pieces() {
        let forms = forms("x1/project/node_modules/README/Documents/s3cr3t-x", &mut Budget::default());
        let pieces: Vec<&String> = forms.iter().filter(|form| !form.contains('/')).collect();
        assert_eq!(pieces, ["s3cr3t-x"]);
        assert!(!is_plain("hunter2") && !is_plain("kQzWvB") && is_plain("my-project.txt"));
    }

    #[test]
    fn endless_braces_are_not_expanded() {
        assert!(forms(&"{a1,b2}".repeat(40), &mut Budget::default()).len() < 200);
    }
}
