//! Passwords in arguments of programs not in the table, recognised by the arguments next to them.

use std::ops::Range;

use super::byte_scan::{at, before, has, mixed, part, quote, run};
use super::command_word_cache::CommandWordCache;
use super::detection::Detection;
use super::non_secret;
use super::random_looking_value;

/// How far back a command may start, in bytes.
const REACH: usize = 256;

/// Flags that take a password in many programs, and other values in others.
pub(super) const FLAGS: &[&str] =
    &[" -p ", " -P ", " -w ", " -pw ", " -pwd ", " -t ", " --value ", " --value="];

/// Services whose script is run straight from the network and takes a token under `-t`.
const SERVICES: &[&str] = &["codecov", "codacy", "coveralls"];

/// Flags that name a user.
const USERS: &[&str] = &[
    "-u",
    "-U",
    "-l",
    "-D",
    "-user",
    "-username",
    "-login",
    "--user",
    "--username",
    "--login",
    "--user-name",
    "--uid",
    "--principal",
];

/// Programs that run another program as a user, or take a directory, port or process under such a flag.
const OTHERS: &[&str] = &[
    "sudo",
    "doas",
    "su",
    "runuser",
    "setpriv",
    "mkdir",
    "docker",
    "podman",
    "ssh",
    "scp",
    "sftp",
    "rsync",
    "nmap",
    "cp",
    "tar",
    "ps",
    "pgrep",
    "pkill",
    "lsof",
    "git",
    "install",
    "chroot",
    "npx",
    "npm",
    "pnpm",
    "yarn",
    "cargo",
    "find",
    "grep",
    "useradd",
    "usermod",
    "crontab",
    "systemd-run",
    "ss",
    "netstat",
    "journalctl",
];

/// `anything -u me -p s3cretX1`: a user is named, and the value of the short flag looks like a
/// password.
pub(super) fn flagged(bytes: &[u8], hit: Range<usize>) -> Detection {
    let (mark, start) = quote(bytes, hit.end).unwrap_or((b' ', hit.end));
    let end = run(bytes, start, REACH, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\' | b';' | b'|' | b'<' | b'>' | b'`')
    });
    let is_ended = match at(bytes, end) {
        0 | b'\t' | b'\n' | b'\\' | b';' | b'|' | b'"' | b'\'' => true,
        next => next == mark,
    };
    let text = part(bytes, start, end);
    let left = match part(bytes, hit.start, hit.end) {
        _ if !is_ended => return Detection::NOTHING,
        b" -t " if is_report(bytes, &hit, text) => return Detection::Secret(start..end),
        b" --value " | b" --value=" if is_stored(bytes, &hit, text) => return Detection::Secret(start..end),
        b" -t " | b" --value " | b" --value=" => return Detection::NOTHING,
        _ => command_before(bytes, hit.start),
    };
    if !is_password(text) && !is_login_password(left, text) {
        return Detection::NOTHING;
    }
    let right = part(bytes, end, run(bytes, end, REACH, |byte| !ends_command(byte)));
    let words = || left.split(u8::is_ascii_whitespace).chain(right.split(u8::is_ascii_whitespace));
    let name = left.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or_default();
    let program = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
    let is_other = left
        .split(u8::is_ascii_whitespace)
        .any(|word| OTHERS.iter().any(|other| word == other.as_bytes() || program == other.as_bytes()));
    let has_user = words().any(|word| {
        let flag = word.split(|byte| *byte == b'=').next().unwrap_or(word);
        USERS.iter().any(|user| flag == user.as_bytes())
    });
    if is_other || !has_user { Detection::NOTHING } else { Detection::Secret(start..end) }
}

/// `bash <(curl -s https://codecov.io/bash) -t …`
fn is_report(bytes: &[u8], hit: &Range<usize>, word: &[u8]) -> bool {
    let left = part(bytes, hit.start.saturating_sub(REACH), hit.start);
    let line = left.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    part(bytes, hit.start, hit.end) == b" -t "
        && (random_looking_value::is_uuid(word) || random_looking_value::value(word))
        && SERVICES.iter().any(|service| has(line, service))
}

/// `eas secret:create --name API --value …`: the value of a secret that a command stores.
fn is_stored(bytes: &[u8], hit: &Range<usize>, text: &[u8]) -> bool {
    let names = |word: &[u8]| {
        let mut pieces = word.split(|byte| matches!(byte, b':' | b'-' | b'_'));
        !word.starts_with(b"-")
            && !has(word, "[masked:")
            && pieces.any(|piece| matches!(piece, b"secret" | b"secrets"))
    };
    mixed(text)
        && command_before(bytes, hit.start).split(u8::is_ascii_whitespace).any(names)
        && !has(text, "[masked:")
        && !non_secret::value(text, 0)
}

/// `tool login -u me -p s3cret`: the command logs in, so the value may be short.
fn is_login_password(command: &[u8], text: &[u8]) -> bool {
    let is_number = text.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':'));
    command.split(u8::is_ascii_whitespace).any(|word| word == b"login")
        && text.len() >= 4
        && !is_number
        && !text.contains(&b'/')
        && !has(text, "[masked:")
        && !non_secret::value(text, 0)
        && !text.starts_with(b"-")
}

fn is_password(word: &[u8]) -> bool {
    let is_path = word.contains(&b'/') || word.starts_with(b"-") || word.starts_with(b"$");
    !is_path
        && !has(word, "[masked:")
        && (random_looking_value::password(word) || random_looking_value::unlike_words(word))
        && !non_secret::value(word, 0)
}

/// The words of the command before this position.
fn command_before(bytes: &[u8], start: usize) -> &[u8] {
    let left = part(bytes, start.saturating_sub(REACH), start);
    let length = left.iter().rev().take_while(|byte| !ends_command(**byte)).count();
    part(left, left.len() - length, left.len())
}

fn ends_command(byte: u8) -> bool {
    matches!(byte, b';' | b'|' | b'&' | b'\n' | b'(' | b')' | b'`' | b'{' | b'}')
}

/// Scripts that take a target.
pub(super) const SCRIPTS: &[&str] = &[".py", "impacket-"];

/// `GetUserSPNs.py corp.local/me:s3cret`, `impacket-wmiexec corp/me:s3cret@host`: a domain, a user and
/// a password.
pub(super) fn domain_login(bytes: &[u8], hit: Range<usize>, commands: &mut CommandWordCache) -> Detection {
    let end =
        run(bytes, hit.end, 32, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if !matches!(at(bytes, end), b' ' | b'\t') || before(bytes, hit.start) == b'.' {
        return Detection::NOTHING;
    }
    let words = commands.words(bytes, end).ranges.into_iter();
    Detection::Secrets(words.filter_map(|word| after_user(bytes, word)).collect())
}

/// The password of `domain/user:password` and `domain/user:password@host`.
fn after_user(bytes: &[u8], word: Range<usize>) -> Option<Range<usize>> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'$');
    let domain = run(bytes, word.start, 64, is_name);
    let user = run(bytes, domain + 1, 64, is_name);
    let is_login = domain > word.start
        && at(bytes, domain) == b'/'
        && user > domain + 1
        && at(bytes, user) == b':'
        && user < word.end;
    let from = run(bytes, user + 1, 1, |byte| matches!(byte, b'"' | b'\''));
    let host = part(bytes, from, word.end).iter().rposition(|byte| *byte == b'@');
    let end = host.map_or(word.end, |host| from + host);
    let end = if matches!(before(bytes, end), b'"' | b'\'') { end - 1 } else { end };
    let text = part(bytes, from, end.max(from));
    // `image/name:tag`, `host/path:8080`: a password is long or precedes a host.
    let is_password =
        host.is_some() || random_looking_value::password(text) || random_looking_value::unlike_words(text);
    (is_login
        && is_password
        && !has(text, "[masked:")
        && !text.is_empty()
        && !non_secret::reference(text, 0)
        && !non_secret::placeholder(text))
    .then_some(from..end)
}
