//! Settings that hold a password or a token, which git prints like any other.

use memchr::memmem::find;

use super::config::Name;

/// Ends of keys whose values are secret.
const KEYS: [&[u8]; 8] =
    [b"token", b"pass", b"password", b"passwd", b"secret", b"apikey", b"extraheader", b"oauth"];
/// What tokens begin with that are given as the name of a user.
const TOKENS: [&[u8]; 7] = [b"ghp_", b"gho_", b"ghs_", b"ghu_", b"github_pat_", b"glpat-", b"x-access-token"];
/// Names of users are not longer.
const LONGEST_USER: usize = 20;

/// Whether a setting holds a secret, in its value or in its name (`url.https://u:p@h/.insteadOf`).
pub(super) fn is_credential(name: &Name<'_>, value: Option<&[u8]>) -> bool {
    let value = value.unwrap_or_default();
    let by_key = KEYS.iter().any(|key| name.key.ends_with(key));
    (by_key && !matches!(value, b"" | b"true" | b"false"))
        || has_user_info(value)
        || name.subsection.is_some_and(has_user_info)
}

/// Whether there is a URL with a password or a token before its host.
fn has_user_info(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(at) = find(rest, b"://") {
        rest = rest.get(at + 3..).unwrap_or_default();
        let end =
            rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#' | b' ')).unwrap_or(rest.len());
        let authority = rest.get(..end).unwrap_or_default();
        let Some(user) = memchr::memrchr(b'@', authority).and_then(|at| authority.get(..at)) else {
            continue;
        };
        let password = memchr::memchr(b':', user).is_some_and(|colon| colon + 1 < user.len());
        if password || user.len() > LONGEST_USER || TOKENS.iter().any(|token| user.starts_with(token)) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credential(name: &str, value: &str) -> bool {
        is_credential(&Name::new(name.as_bytes()).unwrap(), Some(value.as_bytes()))
    }

    #[test]
    fn passwords_and_tokens_are_told_from_users() {
        for (name, value) in [
            ("remote.o.url", "https://u:p@example.org/a"),
            ("remote.o.pushurl", "https://ghp_0123@example.org/a"),
            ("remote.o.url", "https://0123456789abcdef01234@example.org"),
            ("url.https://u:p@example.org/.insteadof", "x:"),
            ("http.https://example.org/.extraheader", "AUTHORIZATION: basic eA=="),
            ("http.proxy", "http://u:p@127.0.0.1:8080"),
            ("github.token", "x"),
            ("sendemail.smtppass", "x"),
        ] {
            assert!(credential(name, value), "{name} {value}");
        }
        for (name, value) in [
            ("remote.o.url", "https://example.org/a@b:c"),
            ("remote.o.url", "https://user@example.org/a"),
            ("remote.o.url", "git@example.org:a/b"),
            ("remote.o.url", "ssh://git@example.org:22/a"),
            ("http.proxy", "http://127.0.0.1:8080"),
            ("url.git@example.org:.insteadof", "https://example.org/"),
            ("push.followtags", "true"),
        ] {
            assert!(!credential(name, value), "{name} {value}");
        }
    }
}
