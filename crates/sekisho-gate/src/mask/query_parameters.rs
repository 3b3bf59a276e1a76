//! Which parameters of an SQL query are passwords: `SET password = $1`, `(name, password) VALUES (?, ?)`.

use std::ops::Range;

use memchr::memmem;

use super::byte_scan::{at, part, run};
use super::secret_name;

/// The maximum number of parameters that are read.
const MAX_PARAMETERS: usize = 64;
/// The maximum length of a query.
const MAX_LENGTH: usize = 64 << 10;

/// The indexes of the parameters that are passwords.
pub(super) fn secret(query: &[u8]) -> Vec<usize> {
    if query.len() > MAX_LENGTH {
        return Vec::new();
    }
    let all = parameters(query);
    let inserted = inserted(query);
    let is_secret = |place: &Range<usize>| {
        is_named(part(query, 0, place.start)) || inserted.iter().any(|value| value.contains(&place.start))
    };
    all.into_iter().filter(|(place, _)| is_secret(place)).map(|(_, index)| index).collect()
}

/// The placeholders of a query and their indexes: `$1`, `?`, `%s`.
fn parameters(query: &[u8]) -> Vec<(Range<usize>, usize)> {
    let (mut found, mut here, mut count) = (Vec::new(), 0, 0);
    while here < query.len() && found.len() < MAX_PARAMETERS {
        match (at(query, here), at(query, here + 1)) {
            (mark @ (b'\'' | b'"'), _) => here = run(query, here + 1, query.len(), |byte| byte != mark),
            (b'$', b'1'..=b'9') => {
                let end = run(query, here + 1, 3, |byte| byte.is_ascii_digit());
                let number = part(query, here + 1, end)
                    .iter()
                    .fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
                found.push((here..end, number.saturating_sub(1)));
            }
            (b'?', _) | (b'%', b's') => {
                found.push((here..here + 1, count));
                count += 1;
            }
            _ => {}
        }
        here += 1;
    }
    found
}

/// Whether the text before a value names a password: `password =`, `IDENTIFIED BY`, `WITH PASSWORD`.
fn is_named(left: &[u8]) -> bool {
    let left = left.trim_ascii_end();
    let last = |text: &[u8]| {
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'"' | b'`');
        let length = text.iter().rev().take_while(is_name).count();
        part(text, text.len() - length, text.len()).to_ascii_lowercase()
    };
    match left.strip_suffix(b"=") {
        Some(name) => secret_name::secret(last(name.trim_ascii_end()).trim_ascii()),
        None => {
            let word = last(left);
            let before = left.get(..left.len() - word.len()).unwrap_or_default().trim_ascii_end();
            word == b"password" || (word == b"by" && last(before) == b"identified")
        }
    }
}

/// Where the values of secret columns are in `INSERT INTO t (…) VALUES (…), (…)`.
fn inserted(query: &[u8]) -> Vec<Range<usize>> {
    let lower = query.to_ascii_lowercase();
    let Some(insert) = memmem::find(&lower, b"insert into ") else { return Vec::new() };
    let open = run(&lower, insert, lower.len(), |byte| byte != b'(');
    let Some(values) = memmem::find(part(&lower, open, lower.len()), b"values") else { return Vec::new() };
    let names = list(&lower, open);
    let secret = |at: &usize| {
        names.get(*at).is_some_and(|name| {
            let name = part(&lower, name.start, name.end).trim_ascii();
            secret_name::secret(
                name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name),
            )
        })
    };
    let secret: Vec<usize> = (0..names.len()).filter(secret).collect();
    let (mut found, mut here) = (Vec::new(), open + values);
    for _ in 0..MAX_PARAMETERS {
        here = run(&lower, here, lower.len(), |byte| byte != b'(');
        let row = list(&lower, here);
        let Some(last) = row.last() else { break };
        here = last.end;
        found.extend(secret.iter().filter_map(|at| row.get(*at).cloned()));
    }
    found
}

/// The parts between the commas of a list in parentheses.
fn list(query: &[u8], open: usize) -> Vec<Range<usize>> {
    if at(query, open) != b'(' {
        return Vec::new();
    }
    let close = run(query, open, query.len(), |byte| byte != b')');
    let mut start = open + 1;
    let mut parts = Vec::new();
    while start <= close {
        let end = run(query, start, close - start, |byte| byte != b',');
        parts.push(start..end);
        start = end + 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::secret;

    #[test]
    fn parameters_of_secret_columns_are_found() {
        for (query, found) in [
            ("INSERT INTO users (name, password) VALUES ($1, $2)", &[1][..]),
            ("insert into u (\"password\", n) values (?, ?), (?, ?)", &[0, 2]),
            ("UPDATE t SET password = $2 WHERE id = $1", &[1]),
            ("UPDATE t SET a = %s, api_key = %s WHERE b = %s", &[1]),
            ("CREATE USER x IDENTIFIED BY ?", &[0]),
            ("ALTER USER x WITH PASSWORD $1", &[0]),
            ("SELECT '?' FROM t WHERE token = ?", &[0]),
            ("SELECT * FROM t WHERE name = ?", &[]),
            ("INSERT INTO t (a, b) VALUES (?, ?)", &[]),
            ("INSERT INTO t (password) SELECT 1", &[]),
        ] {
            assert_eq!(secret(query.as_bytes()), found, "{query}");
        }
    }
}
