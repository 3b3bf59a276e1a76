//! Settings that hold a password or a token, which git prints like any other.

use memchr::memmem::find;

use sekisho_policy::git_config::SettingName;

/// Suffixes of keys whose values are secret.
const KEYS: [&[u8]; 8] =
    [b"token", b"pass", b"password", b"passwd", b"secret", b"apikey", b"extraheader", b"oauth"];
/// Prefixes of tokens that are used as user names.
const TOKENS: [&[u8]; 7] = [b"ghp_", b"gho_", b"ghs_", b"ghu_", b"github_pat_", b"glpat-", b"x-access-token"];
/// Suffixes of URL parameters whose values are secret.
const PARAMETERS: [&[u8]; 7] =
    [b"token", b"secret", b"password", b"passwd", b"api_key", b"apikey", b"signature"];
/// What precedes a secret in a command: in what a helper prints, or in a header.
const IN_COMMANDS: [&[u8]; 6] =
    [b"password=", b"passwd=", b"token=", b"secret=", b"authorization:", b"token:"];
/// User names are not longer than this.
const LONGEST_USER: usize = 20;

/// Whether a setting holds a secret, in its value or in its name (`url.https://u:p@h/.insteadOf`).
pub(super) fn is_credential(name: &SettingName<'_>, value: Option<&[u8]>) -> bool {
    let value = value.unwrap_or_default();
    let by_key = KEYS.iter().any(|key| name.key.ends_with(key));
    (by_key && !matches!(value, b"" | b"true" | b"false"))
        || in_url(value)
        || in_command(value)
        || name.subsection.is_some_and(in_url)
}

/// Whether a value is a command of the shell that contains a password or a token (`credential.helper`, an alias).
fn in_command(value: &[u8]) -> bool {
    let has = |lower: &[u8]| IN_COMMANDS.iter().any(|before| find(lower, before).is_some());
    value.starts_with(b"!") && has(&value.to_ascii_lowercase())
}

/// Whether a text contains a URL with a password or a token, before or after its host.
fn in_url(text: &[u8]) -> bool {
    has_user_info(text) || find(text, b"://").is_some_and(|at| has_token(text.get(at..).unwrap_or_default()))
}

/// Whether a part of a path or query is a token, or a parameter with one.
fn has_token(url: &[u8]) -> bool {
    let divides = |byte: &u8| matches!(byte, b'/' | b'?' | b'&' | b';' | b'#' | b' ');
    url.split(divides).any(|part| {
        let (name, value) = match memchr::memchr(b'=', part) {
            Some(at) => part.split_at(at),
            None => (&[][..], part),
        };
        let value = value.strip_prefix(b"=").unwrap_or(value);
        let name = name.to_ascii_lowercase();
        let by_name = PARAMETERS.iter().any(|parameter| name.ends_with(parameter));
        (by_name && !value.is_empty())
            || TOKENS.iter().any(|token| value.len() > token.len() && value.starts_with(token))
    })
}

/// Whether a text contains a URL with a password or a token before its host.
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
        is_credential(&SettingName::new(name.as_bytes()).unwrap(), Some(value.as_bytes()))
    }

    #[test]
    fn passwords_and_tokens_are_distinguished_from_users() {
        for (name, value) in [
            ("remote.o.url", "https://u:p@example.org/a"),
            ("remote.o.pushurl", "https://ghp_0123@example.org/a"),
            ("remote.o.url", "https://0123456789abcdef01234@example.org"),
            ("url.https://u:p@example.org/.insteadof", "x:"),
            ("http.https://example.org/.extraheader", "AUTHORIZATION: basic eA=="),
            ("http.proxy", "http://u:p@127.0.0.1:8080"),
            ("remote.o.url", "https://example.org/r?private_token=x"),
            ("remote.o.url", "https://example.org/r.git?a=b&Access_Token=x"),
            ("remote.o.url", "https://example.org/r?a=glpat-0123"),
            ("remote.o.url", "https://example.org/ghp_0123/r"),
            ("url.https://example.org/r?token=x.insteadof", "x:"),
            ("github.token", "x"),
            ("sendemail.smtppass", "x"),
            ("credential.helper", "!f() { echo username=u; echo Password=x; }; f"),
            ("alias.get", "!curl -H 'Private-Token: x' https://example.org"),
            ("alias.get", "!curl -H 'Authorization: basic x' https://example.org"),
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
            ("credential.helper", "store"),
            ("credential.helper", "!gh auth git-credential"),
            ("alias.find", "log --grep=password=x"),
            ("remote.o.url", "https://example.org/token/secret.git?ref=main"),
            ("remote.o.url", "https://example.org/r?token="),
            ("remote.o.url", "https://u:@example.org/a"),
            ("remote.o.url", "https://0123456789abcdef0123@example.org"),
            ("remote.o.url", "https://example.org/ghp_"),
        ] {
            assert!(!credential(name, value), "{name} {value}");
        }
    }
}
