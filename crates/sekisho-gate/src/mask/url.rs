//! Passwords in URLs. The user, host and path stay.

use std::ops::Range;

use super::byte_scan::{at, before, has, mixed, part, run};
use super::detection::Detection;
use super::non_secret;
use super::random_looking_value;

const STORES: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "sqlserver",
    "mssql",
    "clickhouse",
    "ldap",
    "ldaps",
    "smtp",
    "smtps",
    "nats",
    "kafka",
    "neo4j",
    "bolt",
    "cockroachdb",
    "couchbase",
    "cassandra",
    "oracle",
    "snowflake",
    "influxdb",
    "elasticsearch",
    "memcached",
    "valkey",
    "pg",
    "pgsql",
];

/// Other schemes whose passwords may have an unescaped slash.
const FILES: [&str; 3] = ["ftp", "ftps", "sftp"];

/// A password in the URL of a database, queue or directory.
pub(super) fn connection(bytes: &[u8], hit: Range<usize>) -> Detection {
    if at(bytes, hit.start) == b'@' {
        return found(driver(bytes, hit.start));
    }
    if at(bytes, hit.start) == b':' && at(bytes, hit.start + 1) != b'/' {
        return found(thin(bytes, hit.end));
    }
    if !is_store(bytes, hit.start) {
        return Detection::NOTHING;
    }
    found(
        quoted(bytes, hit.clone())
            .or_else(|| in_authority(bytes, hit.end))
            .or_else(|| across_slashes(bytes, hit.end)),
    )
}

/// A password in any other URL.
pub(super) fn password(bytes: &[u8], hit: Range<usize>) -> Detection {
    if is_store(bytes, hit.start) {
        return Detection::NOTHING;
    }
    let is_file =
        FILES.iter().any(|scheme| scheme_before(bytes, hit.start).eq_ignore_ascii_case(scheme.as_bytes()));
    let across = || across_slashes(bytes, hit.end).filter(|_| is_file);
    found(quoted(bytes, hit.clone()).or_else(|| in_authority(bytes, hit.end)).or_else(across))
}

fn found(range: Option<Range<usize>>) -> Detection {
    range.map_or(Detection::NOTHING, Detection::Secret)
}

fn is_store(bytes: &[u8], scheme_end: usize) -> bool {
    let scheme = scheme_before(bytes, scheme_end);
    let base = scheme.split(|byte| *byte == b'+').next().unwrap_or_default();
    STORES.iter().any(|store| base.eq_ignore_ascii_case(store.as_bytes()))
}

fn scheme_before(bytes: &[u8], scheme_end: usize) -> &[u8] {
    let left = part(bytes, scheme_end.saturating_sub(32), scheme_end);
    let length = left.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'+').count();
    part(bytes, scheme_end - length, scheme_end)
}

fn ends_url(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || byte.is_ascii_control()
        || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
}

/// Passwords without a meaning beside a token.
const FILLS: [&[u8]; 3] = [b"x-oauth-basic", b"x", b""];

/// The maximum length of a password in quotes.
const MAX_PASSWORD: usize = 128;

/// `scheme://user:'pass word'@host`, `'scheme://user:pass word@host'`: a password with blanks or signs, in
/// quotes of its own or in those of the URL.
fn quoted(bytes: &[u8], hit: Range<usize>) -> Option<Range<usize>> {
    let is_name =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'%' | b'~');
    let user = run(bytes, hit.end, MAX_PASSWORD, is_name);
    if at(bytes, user) != b':' {
        return None;
    }
    let mark = at(bytes, user + 1);
    let secret = if matches!(mark, b'"' | b'\'') {
        let close = run(bytes, user + 2, MAX_PASSWORD, |byte| byte != mark && byte != b'\n');
        (at(bytes, close) == mark && at(bytes, close + 1) == b'@').then_some(user + 2..close)
    } else {
        let mark = before(bytes, hit.start - scheme_before(bytes, hit.start).len());
        let end = run(bytes, user + 1, MAX_PASSWORD, |byte| {
            byte != mark && !matches!(byte, b'@' | b'\n' | b'/' | b'?' | b'\\')
        });
        let is_quoted = matches!(mark, b'"' | b'\'') && at(bytes, end) == b'@' && is_name(at(bytes, end + 1));
        let starts_here = !at(bytes, user + 1).is_ascii_whitespace();
        let has_blank = part(bytes, user + 1, end).contains(&b' ');
        (is_quoted && starts_here && has_blank).then_some(user + 1..end)
    }?;
    let value = part(bytes, secret.start, secret.end);
    let is_secret =
        !value.is_empty() && !non_secret::reference(value, mark) && !non_secret::placeholder(value);
    is_secret.then_some(secret)
}

fn in_authority(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let end = run(bytes, start, bytes.len(), |byte| !ends_url(byte) && !matches!(byte, b'/' | b'?' | b'#'));
    let authority = part(bytes, start, end);
    let user_end = authority.iter().rposition(|byte| *byte == b'@')?;
    let user = part(authority, 0, user_end);
    let secret = match user.iter().position(|byte| *byte == b':') {
        // A token as the user, and a meaningless password.
        Some(colon)
            if colon >= 20 && mixed(part(user, 0, colon)) && !part(user, 0, colon).contains(&b'-') =>
        {
            start..start + user_end
        }
        Some(colon) if FILLS.contains(&part(user, colon + 1, user.len())) && colon >= 8 => {
            start..start + user_end
        }
        Some(colon) => start + colon + 1..start + user_end,
        // A token as the user.
        None if user.len() >= 16 && mixed(user) => start..start + user_end,
        None if user.len() >= 12 && random_looking_value::password(user) => start..start + user_end,
        None if is_project_key(user, part(authority, user_end + 1, authority.len())) => {
            start..start + user_end
        }
        None => return None,
    };
    let value = part(bytes, secret.start, secret.end);
    (!value.is_empty() && !non_secret::reference(value, 0) && !non_secret::placeholder(value))
        .then_some(secret)
}

/// `https://key@o1.ingest.sentry.io/42`: the key of a project that collects errors.
fn is_project_key(user: &[u8], host: &[u8]) -> bool {
    let is_collector = ["sentry", "glitchtip", "bugsink"].iter().any(|name| has(host, name));
    is_collector && user.len() >= 8 && user.iter().all(u8::is_ascii_alphanumeric) && mixed(user)
}

/// `scheme://user:pass/word@host`: an unescaped slash in a password, which database drivers often
/// accept.
fn across_slashes(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let end = run(bytes, start, 512, |byte| !ends_url(byte));
    let url = part(bytes, start, end);
    let colon = url.iter().position(|byte| *byte == b':')?;
    let slash = url.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'))?;
    let at_sign = url.iter().rposition(|byte| *byte == b'@')?;
    let port = part(url, colon + 1, slash).iter().all(u8::is_ascii_digit);
    (colon < slash && slash < at_sign && !port).then_some(start + colon + 1..start + at_sign)
}

/// `jdbc:oracle:thin:user/secret@host`
fn thin(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let user = run(bytes, start, 64, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let end = run(bytes, user + 1, 256, |byte| !ends_url(byte) && byte != b'@');
    (user > start && at(bytes, user) == b'/' && end > user + 1 && at(bytes, end) == b'@')
        .then_some(user + 1..end)
}

/// `me:secret@tcp(db:3306)/app`, as Go drivers take it, with the `@` here.
fn driver(bytes: &[u8], sign: usize) -> Option<Range<usize>> {
    let left = part(bytes, sign.saturating_sub(256), sign);
    let start = sign - left.iter().rev().take_while(|byte| !ends_url(**byte)).count();
    let name =
        run(bytes, start, 64, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let start = if at(bytes, name) == b'=' { name + 1 } else { start };
    let user = run(bytes, start, 64, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'%' | b'$' | b'{' | b'}')
    });
    let value = part(bytes, user + 1, sign);
    let is_secret = !value.is_empty() && !value.starts_with(b"//") && !non_secret::reference(value, 0);
    (user > start && at(bytes, user) == b':' && is_secret && !non_secret::placeholder(value))
        .then_some(user + 1..sign)
}

/// Parameters that hold the key of a service, although their names do not say so.
pub(super) const PARAMETERS: &[&str] = &[
    "?appid=", "&appid=", "?app_id=", "&app_id=", "?wskey=", "&wskey=", "?ak=", "&ak=", "?tk=", "&tk=",
    "?api=", "&api=",
];

/// `https://host/data?appid=…`
pub(super) fn parameter(bytes: &[u8], hit: Range<usize>) -> Detection {
    let end = run(bytes, hit.end, 256, |byte| !ends_url(byte) && !matches!(byte, b'&' | b'#' | b';' | b')'));
    let is_key = random_looking_value::value(part(bytes, hit.end, end));
    found(is_key.then_some(hit.end..end))
}

/// Words near a URL that say that it is a channel of conda.
const CHANNELS: &[&str] = &["conda", "mamba", "channel", "quetz", "pixi"];

/// `https://host/t/token/channel` of conda. The topics of forums have the same path.
pub(super) fn channel(bytes: &[u8], hit: Range<usize>) -> Detection {
    let left = part(bytes, hit.start.saturating_sub(256), hit.start);
    let length = left.iter().rev().take_while(|byte| !ends_url(**byte)).count();
    let host = part(left, left.len() - length, left.len());
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    let end = run(bytes, hit.end, 256, is_token);
    let token = part(bytes, hit.end, end);
    let ends = at(bytes, end) == b'/' || at(bytes, end) == 0 || ends_url(at(bytes, end));
    let context = left.to_ascii_lowercase();
    let is_channel = CHANNELS.iter().any(|word| has(&context, word));
    let is_topic = !token.iter().any(u8::is_ascii_uppercase) && token.contains(&b'-');
    let is_secret = match is_channel {
        true => token.len() >= 6 && mixed(token),
        false => !is_topic && random_looking_value::password(token) && at(bytes, end) == b'/',
    };
    let is_url = has(host, "://") && ends && !non_secret::placeholder(token);
    found((is_url && is_secret).then_some(hit.end..end))
}

/// `rtmp://host/app/key`
pub(super) fn stream(bytes: &[u8], hit: Range<usize>) -> Detection {
    let end = run(bytes, hit.end, 512, |byte| !ends_url(byte));
    // A slash in the query separates nothing: the text before it is already the key.
    let path = run(bytes, hit.end, end - hit.end, |byte| byte != b'?');
    let slash = part(bytes, hit.end, path).iter().rposition(|byte| *byte == b'/');
    let start = slash.map_or(end, |slash| hit.end + slash + 1);
    let key = part(bytes, start, end);
    if key.len() >= 12 && mixed(key) && !non_secret::reference(key, 0) {
        Detection::Secret(start..end)
    } else {
        Detection::NOTHING
    }
}

/// A Telegram bot token: its number, a colon, and a key that starts with `AA`.
pub(super) fn telegram(bytes: &[u8], hit: Range<usize>) -> Detection {
    let left = part(bytes, hit.start.saturating_sub(13), hit.start);
    let digits = left.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let key = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !(6..=12).contains(&digits) || at(bytes, hit.end - 1) != b'A' || at(bytes, hit.end - 2) != b'A' {
        return Detection::NOTHING;
    }
    if run(bytes, hit.end, 32, key) - hit.end < 32 {
        return Detection::NOTHING;
    }
    Detection::Secret(hit.start - digits..run(bytes, hit.end, bytes.len(), key))
}
