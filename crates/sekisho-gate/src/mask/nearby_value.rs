//! Values next to their name instead of directly after it: in the next field, on the next line, or with
//! escapes in between.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, has, is_visible, part, quote, run, starts_any_case};
use super::secret_name;

/// How much whitespace may separate a name from its value.
const GAP: usize = 128;
/// How many lines a block may have.
const LINES: usize = 64;

/// `"name": "DB_PASSWORD", "value": "…"`, `name: DB_PASSWORD` and `value: …` on the next line,
/// `<key>password</key> <string>…`, `key="password" value="…"`: where the value starts.
pub(super) fn value(bytes: &[u8], named: &Range<usize>) -> Option<usize> {
    let name_end = named.end;
    if let Some(next) = tag(bytes, name_end)
        .or_else(|| attribute(bytes, named))
        .or_else(|| argument(bytes, named))
        .or_else(|| form_part(bytes, named))
        .or_else(|| logged(bytes, named))
    {
        return Some(next);
    }
    let closed = quote(bytes, name_end).map(|(_, end)| end);
    let blank = |byte: u8| byte.is_ascii_whitespace();
    // `"path": ["db", "password"], "value": "…"`
    let listed = closed.map(|closed| run(bytes, run(bytes, closed, GAP, blank), 1, |byte| byte == b']'));
    let comma = run(bytes, listed.unwrap_or(name_end), GAP, blank);
    let next = run(bytes, run(bytes, comma, 1, |byte| byte == b','), GAP, blank);
    let parted = closed.is_some() || next > comma || part(bytes, name_end, next).contains(&b'\n');
    let name = quote(bytes, next).map_or(next, |(_, open)| open);
    let end = run(bytes, name, 16, |byte| byte.is_ascii_alphabetic());
    let word = part(bytes, name, end);
    let is_value = ["value", "parametervalue", "optionvalue", "val"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known.as_bytes()));
    let sign = blanks(bytes, quote(bytes, end).map_or(end, |(_, end)| end));
    (parted && next > name_end && is_value && matches!(at(bytes, sign), b':' | b'='))
        .then(|| blanks(bytes, sign + 1))
}

/// `<property name="password">…`
fn attribute(bytes: &[u8], named: &Range<usize>) -> Option<usize> {
    let (_, closed) = quote(bytes, named.end)?;
    let left = part(bytes, named.start.saturating_sub(GAP), named.start.saturating_sub(1));
    let open = left.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    let is_naming = open.is_empty() || left.ends_with(b"name=") || left.ends_with(b"key=");
    (at(bytes, closed) == b'>' && is_naming).then_some(closed + 1)
}

/// `set("password", "…")`, `environ["password"] = "…"`
fn argument(bytes: &[u8], named: &Range<usize>) -> Option<usize> {
    let (_, closed) = quote(bytes, named.end)?;
    let left = part(bytes, named.start.saturating_sub(4), named.start.saturating_sub(1));
    let (sign, opened) = match left.trim_ascii_end().last() {
        Some(b'(') => (closed, b','),
        Some(b'[') if at(bytes, closed) == b']' => (blanks(bytes, closed + 1), b'='),
        _ => return None,
    };
    // A path and its value, as `sops --set` takes them.
    if opened == b'=' && sign > closed + 1 && quote(bytes, sign).is_some() {
        return Some(sign);
    }
    let from = blanks(bytes, sign + 1);
    let is_value = at(bytes, sign) == opened && !(opened == b',' && is_translated(bytes, named, from));
    (is_value && quote(bytes, from).is_some()).then_some(from)
}

/// Functions that return the UI text for a name.
const TRANSLATORS: &[&str] = &[
    "t",
    "$t",
    "_t",
    "tr",
    "_",
    "__",
    "i18n",
    "gettext",
    "trans",
    "translate",
    "msg",
    "message",
    "label",
    "lang",
];

/// `t('password', 'Enter it')`: whether the second argument is a UI text. A sentence counts as one for
/// any call except setters.
fn is_translated(bytes: &[u8], named: &Range<usize>, from: usize) -> bool {
    let Some((mark, open)) = quote(bytes, from) else { return false };
    let text = part(bytes, open, run(bytes, open, GAP, |byte| byte != mark && byte != b'\n'));
    let left = part(bytes, named.start.saturating_sub(32), named.start);
    let left = part(left, 0, left.iter().rposition(|byte| *byte == b'(').unwrap_or(0));
    let length = left
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
        .count();
    let call = part(left, left.len() - length, left.len());
    let is_sentence = text.contains(&b' ')
        && text.first().is_some_and(u8::is_ascii_uppercase)
        && !["set", "put", "with", "add"].iter().any(|setter| starts_any_case(call, 0, setter));
    let is_translator = TRANSLATORS.iter().any(|known| call == known.as_bytes());
    !text.iter().any(u8::is_ascii_digit) && (is_translator || is_sentence)
}

/// `Content-Disposition: form-data; name="password"`, a blank line, the value.
fn form_part(bytes: &[u8], named: &Range<usize>) -> Option<usize> {
    let left = part(bytes, named.start.saturating_sub(GAP), named.start);
    if !has(left, "form-data") {
        return None;
    }
    let mut here = quote(bytes, named.end)?.1;
    // Skips the other headers of the part.
    for _ in 0..4 {
        here = run(bytes, here, GAP, |byte| !matches!(byte, b'\n' | b'\r' | b'\\'));
        let next = line_break(bytes, here)?;
        if let Some(body) = line_break(bytes, next) {
            return Some(body);
        }
        here = next;
    }
    None
}

/// Skips a line end, escaped or not.
fn line_break(bytes: &[u8], from: usize) -> Option<usize> {
    let ends = [&b"\r\n"[..], b"\n", b"\\r\\n", b"\\n"];
    ends.iter()
        .find(|end| bytes.get(from..).is_some_and(|rest| rest.starts_with(end)))
        .map(|end| from + end.len())
}

/// `##vso[task.setvariable variable=TOKEN;issecret=true]…`
fn logged(bytes: &[u8], named: &Range<usize>) -> Option<usize> {
    let is_variable = part(bytes, 0, named.start).ends_with(b"variable=");
    let end = run(bytes, named.end, GAP, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b';' | b'='));
    (is_variable && at(bytes, end) == b']').then_some(end + 1)
}

/// Skips the mark that opens a CDATA section in XML.
pub(super) fn marked(bytes: &[u8], from: usize) -> usize {
    if starts_any_case(bytes, from, "<![CDATA[") { from + 9 } else { from }
}

/// `password: &str = "…"`: skips the type.
pub(super) fn typed(bytes: &[u8], from: usize) -> Option<usize> {
    let sign = run(bytes, from, 48, |byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'&' | b'_' | b'[' | b']' | b'<' | b'>' | b'.' | b':' | b' ')
    });
    let value = blanks(bytes, sign + 1);
    let is_assigned = at(bytes, sign) == b'=' && before(bytes, sign) == b' ' && value > sign + 1;
    (is_assigned && sign > from && quote(bytes, value).is_some()).then_some(value)
}

fn tag(bytes: &[u8], name_end: usize) -> Option<usize> {
    if !starts_any_case(bytes, name_end, "</key>") {
        return None;
    }
    let next = run(bytes, name_end + 6, GAP, |byte| byte.is_ascii_whitespace());
    starts_any_case(bytes, next, "<string>").then_some(next + 8)
}

/// `password%3Dsecret%26`, `%22password%22%3A%22secret%22`
pub(super) fn escaped(bytes: &[u8], name_end: usize) -> Option<Range<usize>> {
    let mark = |from: usize| if starts_any_case(bytes, from, "%22") { from + 3 } else { from };
    let sign = mark(name_end);
    if !starts_any_case(bytes, sign, "%3D") && !starts_any_case(bytes, sign, "%3A") {
        return None;
    }
    let start = mark(sign + 3);
    let mut here = start;
    loop {
        here = run(bytes, here, bytes.len(), |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'+' | b'!' | b'*')
        });
        let ends = ["%26", "%22", "%2C", "%20", "%3B", "%7D"];
        if at(bytes, here) != b'%' || ends.iter().any(|end| starts_any_case(bytes, here, end)) {
            return Some(start..here);
        }
        here += 1;
    }
}

/// The lines under `password: |`. Each must be one word, so that commands cannot be hidden in a block.
pub(super) fn block(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    let closed = quote(bytes, named.end).map_or(named.end, |(_, end)| end);
    let sign = blanks(bytes, closed + 1);
    if at(bytes, closed) != b':' || !matches!(at(bytes, sign), b'|' | b'>') {
        return None;
    }
    let line_end = blanks(bytes, run(bytes, sign + 1, 2, |byte| matches!(byte, b'-' | b'+' | b'0'..=b'9')));
    let mut here = run(bytes, line_end, 1, |byte| byte == b'\r');
    let mut found: Option<Range<usize>> = None;
    for _ in 0..LINES {
        if at(bytes, here) != b'\n' {
            break;
        }
        let start = run(bytes, here + 1, GAP, |byte| byte == b' ' || byte == b'\t');
        let end = run(bytes, start, bytes.len(), |byte| !byte.is_ascii_whitespace());
        if start == here + 1 || end == start || (found.is_some() && at(bytes, blanks(bytes, end)) > b' ') {
            break;
        }
        if part(bytes, start, end).ends_with(b":") {
            break;
        }
        found = Some(found.map_or(start, |range| range.start)..end);
        here = run(bytes, blanks(bytes, end), 1, |byte| byte == b'\r');
    }
    found
}

/// `"<your key>"`: a placeholder.
pub(super) fn is_placeholder(bytes: &[u8], open: usize, mark: u8) -> bool {
    let end =
        run(bytes, open, GAP, |byte| byte.is_ascii_alphabetic() || matches!(byte, b'<' | b' ' | b'_' | b'-'));
    at(bytes, open) == b'<' && at(bytes, end) == b'>' && at(bytes, end + 1) == mark
}

/// The end of a concatenated text: `"ab" + "cd"`. Each piece must be one word.
pub(super) fn joined(bytes: &[u8], close: usize, mark: u8) -> usize {
    let mut end = close;
    for _ in 0..16 {
        let Some((_, closed)) = quote(bytes, end) else { break };
        let blank = |byte: u8| byte.is_ascii_whitespace();
        let sign = run(bytes, closed, 32, blank);
        let next = run(bytes, run(bytes, sign, 1, |byte| matches!(byte, b'+' | b'.')), 32, blank);
        let Some((found, open)) = quote(bytes, next).filter(|_| at(bytes, sign) != at(bytes, next)) else {
            break;
        };
        let inside = |byte: u8| {
            byte != found
                && byte.is_ascii_graphic()
                && !matches!(byte, b'\\' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b'`')
        };
        let inner = run(bytes, open, GAP, inside);
        if inner == open || quote(bytes, inner).is_none() || !matches!(mark, b'"' | b'\'' | b'`') {
            break;
        }
        end = inner;
    }
    end
}

/// `'a' + b`, `'a' . $b`: whether code appends more to the text that closes here.
pub(super) fn is_continued(bytes: &[u8], close: usize) -> bool {
    let Some((_, closed)) = quote(bytes, close) else { return false };
    let sign = blanks(bytes, closed);
    let next = at(bytes, blanks(bytes, sign + 1));
    match at(bytes, sign) {
        b'+' => next.is_ascii_alphabetic() || matches!(next, b'_' | b'$' | b'('),
        b'.' => next == b'$',
        _ => false,
    }
}

/// The first line of a triple-quoted text: `"""` and the value on the next line. It must be one word.
pub(super) fn long_text(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    let sign = blanks(bytes, quote(bytes, named.end).map_or(named.end, |(_, end)| end));
    let open = blanks(bytes, sign + 1);
    let marks = part(bytes, open, open + 3);
    if !matches!(at(bytes, sign), b'=' | b':') || !matches!(marks, b"\"\"\"" | b"'''") {
        return None;
    }
    let start = run(bytes, open + 3, GAP, |byte| byte.is_ascii_whitespace());
    let end = run(bytes, start, bytes.len(), |byte| byte.is_ascii_graphic() && byte != at(bytes, open));
    (end > start).then_some(start..end)
}

/// Whether `PWD` is part of a connection string and not the shell's working directory.
pub(super) fn is_in_connection(bytes: &[u8], named: &Range<usize>) -> bool {
    let left = part(bytes, named.start.saturating_sub(GAP), named.start).trim_ascii_end();
    let words = [&b"uid="[..], b"user id=", b"server=", b"dsn=", b"driver=", b"data source=", b"database="];
    left.ends_with(b";") && words.iter().any(|word| has(&left.to_ascii_lowercase(), word))
}

/// `PWD={secret}`, as ODBC quotes values with a semicolon. In code the braces contain a variable name.
pub(super) fn braced(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    let open = named.end + 2;
    if part(bytes, named.end, open) != b"={" || !is_in_connection(bytes, named) {
        return None;
    }
    let end = run(bytes, open, GAP, |byte| {
        is_visible(byte) && !matches!(byte, b'}' | b'(' | b'[' | b'{' | b'"' | b'\'')
    });
    let text = part(bytes, open, end);
    let is_name = text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    (at(bytes, end) == b'}' && !is_name).then_some(open..end)
}

/// Words that start a line of settings next to one with a password: `host …`, `user …`.
const SETTINGS: &[&str] = &[
    "host", "user", "username", "login", "account", "machine", "port", "server", "from", "auth", "tls",
    "protocol", "domain", "realm", "email", "hostname", "remote", "default", "defaults",
];

/// Whether the previous line is one of settings.
pub(super) fn is_in_settings(bytes: &[u8], named: &Range<usize>) -> bool {
    let left = part(bytes, named.start.saturating_sub(GAP), named.start).trim_ascii_end();
    let line = left.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_start();
    let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    words <= 3 && SETTINGS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Words before a quoted text that people write or search: `git commit -m 'token: …'`.
const MESSAGES: &[&str] =
    &["--grep=", "--grep ", " -m ", "--message=", "--message ", "--title ", "--subject ", "--body "];

/// `'token: expire it after a day'`: whether the value after the colon is the first word of a message and
/// not that of a header.
pub(super) fn is_message(bytes: &[u8], named: &Range<usize>, from: usize) -> bool {
    let left = part(bytes, 0, named.start.saturating_sub(1));
    let is_written = MESSAGES.iter().any(|message| left.ends_with(message.as_bytes()));
    let first = run(bytes, from, GAP, |byte| byte.is_ascii_alphabetic());
    let second = at(bytes, first + 1);
    let is_sentence = before(bytes, from) == b' '
        && first > from
        && at(bytes, first) == b' '
        && (second.is_ascii_alphabetic() || second == b'[');
    is_written || is_sentence
}

/// Programs whose `--password` takes a value only after `=`. Otherwise they ask for it.
const PROMPTING: &[&str] = &["mysql", "mariadb"];

/// `mysql --password shop`: whether the next word is not the value of this flag.
pub(super) fn is_prompted(bytes: &[u8], named: &Range<usize>) -> bool {
    let is_prompting = |word: &[u8]| {
        let program = word.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        PROMPTING.iter().any(|known| program.starts_with(known.as_bytes())) && program != b"mysqlsh"
    };
    part(bytes, named.start, named.end) == b"password" && command_words(bytes, named).any(is_prompting)
}

/// The words of the command before this name.
fn command_words<'t>(bytes: &'t [u8], named: &Range<usize>) -> impl Iterator<Item = &'t [u8]> {
    let left = part(bytes, named.start.saturating_sub(2 * GAP), named.start);
    let command = left.rsplit(|byte| matches!(byte, b';' | b'|' | b'&' | b'\n' | b'(' | b'`')).next();
    command.unwrap_or_default().split(u8::is_ascii_whitespace)
}

/// Programs whose `--secret` takes the name of a stored secret.
const STORES: &[&str] = &["gcloud", "docker", "podman", "nerdctl", "buildah", "firebase"];

/// `gcloud secrets versions access latest --secret=db`: whether the flag takes the name of a secret.
pub(super) fn is_stored(bytes: &[u8], named: &Range<usize>) -> bool {
    let is_store = |word: &[u8]| STORES.iter().any(|store| word == store.as_bytes());
    command_words(bytes, named).any(is_store) || is_switch(bytes, named)
}

/// `pulumi config set --secret name value`: whether the flag only says that the value is secret.
fn is_switch(bytes: &[u8], named: &Range<usize>) -> bool {
    let word =
        |from: usize| run(bytes, from, GAP, |byte| is_visible(byte) && !matches!(byte, b';' | b'|' | b'&'));
    let name = blanks(bytes, named.end);
    let value = blanks(bytes, word(name));
    let has_both = word(name) > name && word(value) > value && at(bytes, value) != b'-';
    let is_name = secret_name::secret(part(bytes, name, word(name)));
    (has_both || is_name) && command_words(bytes, named).any(|word| word == b"pulumi")
}

/// `--set-secrets=DB_PASSWORD=db:latest`: whether the flag takes pairs of a variable and a stored secret.
pub(super) fn is_reference(bytes: &[u8], named: &Range<usize>) -> bool {
    let left = part(bytes, named.start.saturating_sub(2 * GAP), named.start);
    let word = left.rsplit(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    word.starts_with(b"--") && has(word, "-secrets=")
}

/// Options of a mount that have no value.
const MOUNTS: &[&str] = &[
    "ro",
    "rw",
    "auto",
    "noauto",
    "user",
    "users",
    "nouser",
    "exec",
    "noexec",
    "suid",
    "nosuid",
    "dev",
    "nodev",
    "nofail",
    "_netdev",
    "noperm",
    "nobrl",
    "seal",
    "soft",
    "hard",
    "defaults",
    "noatime",
    "serverino",
    "mfsymlinks",
    "nounix",
    "guest",
    "sync",
    "async",
];

/// `password=…,uid=1000`, `pwd:…,roles:[`, `pass=…,ro 0 0`: whether the comma before this position ends
/// the value, because another option follows.
pub(super) fn opens_option(bytes: &[u8], from: usize) -> bool {
    let end = run(bytes, from, 32, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let name = part(bytes, from, end);
    let is_name =
        name.len() >= 2 && name.iter().all(|byte| !byte.is_ascii_digit() && !byte.is_ascii_uppercase());
    let is_mount = MOUNTS.iter().any(|option| name == option.as_bytes());
    let sign = quote(bytes, end).map_or(end, |(_, closed)| closed);
    match at(bytes, sign) {
        b'=' | b':' => is_name || is_field(name),
        0 | b',' | b' ' | b'\t' | b'\n' => is_mount,
        _ => false,
    }
}

/// `connectTimeout`, `Database`, `SSL_MODE`: letters that form words.
fn is_field(name: &[u8]) -> bool {
    let is_letters = name.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let lower = name.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    is_letters && name.len() >= 3 && (lower == 0 || lower * 2 >= name.len())
}

/// Configuration directives that take their value after a blank.
const DIRECTIVES: &[&str] = &[
    "requirepass",
    "masterauth",
    "masterpass",
    "rootpw",
    "bindpw",
    "auth_pass",
    "insecure-password",
    "plain-text-password-value",
    "encrypted-password",
];

/// Words that say whose password follows: `username me secret …`, `neighbor 10.0.0.2 password …`.
const OWNERS: &[&str] = &["username", "user", "enable", "neighbor", "poll"];

/// Whether the words before announce a value: `machine host login me password …`, `ENV PASSWORD …`,
/// `set -x PASSWORD …`, or the name itself is a directive that takes a value.
pub(super) fn is_announced(bytes: &[u8], named: &Range<usize>) -> bool {
    let left = part(bytes, named.start.saturating_sub(GAP), named.start);
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    // A variable of nginx.
    if left.ends_with(b"set $") {
        return true;
    }
    if !left.is_empty() && !left.last().is_some_and(blank) && !left.ends_with(b"\\n") {
        return is_directive(part(bytes, named.start, named.end));
    }
    let mut words =
        left.rsplit(|byte| blank(byte) || matches!(byte, b'"' | b'\'')).filter(|word| !word.is_empty());
    let (last, earlier) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let sets =
        matches!(last, b"ENV" | b"ARG" | b"setenv" | b"SetEnv" | b"proxy_set_header" | b"fastcgi_param")
            || (earlier == b"set" && matches!(last, b"-x" | b"-gx" | b"-Ux" | b"-g"));
    let line = left.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_owned =
        line.split(blank).any(|word| OWNERS.iter().any(|owner| word.eq_ignore_ascii_case(owner.as_bytes())))
            && !matches!(last, b"the" | b"a" | b"new" | b"their" | b"your");
    let is_shared = left.ends_with(b": ") && part(bytes, named.start, named.end) == b"PSK";
    sets || is_shared
        || (is_owned && is_last(bytes, named.end))
        || earlier.ends_with(b"login")
        // AppleScript.
        || (earlier == b"name" && has(line, "user name "))
        || is_directive(part(bytes, named.start, named.end))
}

/// Whether the rest of the line is one value, possibly with its encoding number before it. Then it is
/// not prose.
fn is_last(bytes: &[u8], from: usize) -> bool {
    let line = part(bytes, from, run(bytes, from, GAP, |byte| !matches!(byte, b'\n' | b'\r')));
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    match (words.next(), words.next(), words.next()) {
        (Some(word), None, None) => word.iter().any(u8::is_ascii_digit),
        (Some([digit]), Some(_), None) => digit.is_ascii_digit(),
        _ => false,
    }
}

fn is_directive(name: &[u8]) -> bool {
    DIRECTIVES.iter().any(|directive| name.eq_ignore_ascii_case(directive.as_bytes()))
}
