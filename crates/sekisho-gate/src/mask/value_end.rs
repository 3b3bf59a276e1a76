//! Where an unquoted value ends: with the quotes, the line or the connection string around it, and not
//! at the first sign that a shell would read.
//!
//! The audit log must still show every command. So a value takes blanks and shell signs only where the
//! text around it holds data, and never a word that could run something.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, has, part, run};
use super::connection_string;
use super::nearby_value;
use super::non_secret;
use super::secret_name;

/// How far the text around a value is read, in bytes.
const REACH: usize = 256;

/// Words that run something. None of them is taken for a part of a value.
const COMMANDS: &[&str] = &[
    "ansible",
    "apt",
    "awk",
    "aws",
    "base64",
    "bash",
    "brew",
    "bun",
    "bzip2",
    "cargo",
    "chmod",
    "chown",
    "cp",
    "crontab",
    "curl",
    "dash",
    "dd",
    "deno",
    "dnf",
    "docker",
    "echo",
    "env",
    "eval",
    "exec",
    "find",
    "gcloud",
    "git",
    "go",
    "grep",
    "halt",
    "helm",
    "kill",
    "killall",
    "kubectl",
    "ln",
    "make",
    "mkfs",
    "mv",
    "mysql",
    "mysqldump",
    "nc",
    "node",
    "nohup",
    "npm",
    "npx",
    "perl",
    "pg_dump",
    "php",
    "pip",
    "pip3",
    "pkill",
    "poweroff",
    "printenv",
    "psql",
    "python",
    "python3",
    "reboot",
    "redis-cli",
    "rm",
    "rsync",
    "ruby",
    "run",
    "scp",
    "sed",
    "sh",
    "shutdown",
    "source",
    "ssh",
    "su",
    "sudo",
    "systemctl",
    "tar",
    "tee",
    "terraform",
    "touch",
    "unlink",
    "wget",
    "xargs",
    "yarn",
    "zsh",
];

/// The end of the value at `from`, if what is around it says so. `None`: it is a shell word.
pub(super) fn around(bytes: &[u8], named: &Range<usize>, from: usize) -> Option<usize> {
    if matches!(at(bytes, from), b'$' | b'"' | b'\'' | b'`' | b'<' | b'(' | b'{' | b'[')
        || matches!(before(bytes, named.start), b'&' | b'?')
    {
        return None;
    }
    if let Some(end) = in_header(bytes, named, from) {
        return Some(end);
    }
    let is_tight = from == named.end + 1 && at(bytes, named.end) == b'=';
    if is_tight && connection_string::is_part(bytes, named, from) {
        return in_connection(bytes, named.start, from);
    }
    if is_tight && let Some(container) = opening_quote(bytes, named.start) {
        return in_quotes(bytes, from, &container);
    }
    on_line(bytes, named, from)
}

/// `-H 'name: value'`: the rest of a header in quotes.
fn in_header(bytes: &[u8], named: &Range<usize>, from: usize) -> Option<usize> {
    let mark = before(bytes, named.start);
    let left = part(bytes, named.start.saturating_sub(REACH), named.start.saturating_sub(1));
    let flag = left.trim_ascii_end();
    let is_flag = flag.ends_with(b" -H") || flag.ends_with(b" --header") || flag.ends_with(b" --header=");
    let end = run(bytes, from, REACH, |byte| byte != mark && !matches!(byte, b'\n' | b'\\' | b'$' | b'`'));
    let is_header = matches!(mark, b'"' | b'\'') && is_flag && at(bytes, named.end) == b':';
    (is_header && at(bytes, end) == mark).then_some(end)
}

/// The quote that opens before a name.
struct OpeningQuote {
    mark: u8,
    /// Whether what it holds is an argument that assigns a value, and not a command.
    is_data: bool,
}

/// `'NAME=`, `"a=b,NAME=`: the quote at the start of the word that ends in this name.
fn opening_quote(bytes: &[u8], name: usize) -> Option<OpeningQuote> {
    let start = name.saturating_sub(REACH);
    let left = part(bytes, start, name);
    let word = left.iter().rev().take_while(|byte| !byte.is_ascii_whitespace()).count();
    let head = left.len() - word;
    let marks = |byte: &u8| matches!(byte, b'"' | b'\'');
    let word = part(left, head, left.len());
    let open = word.iter().position(marks)?;
    let mark = at(word, open);
    let is_only = part(word, open + 1, word.len()).iter().all(|byte| !marks(byte));
    let is_escaped = before(word, open) == b'\\';
    if !is_only || is_escaped || matches!(part(word, open + 1, word.len()), [b'{' | b'[' | b'(', ..]) {
        return None;
    }
    Some(OpeningQuote { mark, is_data: is_data(part(left, 0, head + open)) })
}

/// Programs that run the text after `-e`.
const INTERPRETERS: &[&str] = &[
    "perl",
    "ruby",
    "node",
    "deno",
    "bun",
    "php",
    "lua",
    "osascript",
    "mysql",
    "mariadb",
    "sed",
    "awk",
    "Rscript",
    "groovy",
    "julia",
    "ssh",
    "bash",
    "sh",
    "zsh",
    "xterm",
];

/// Words after which a quoted text assigns a value.
const ASSIGNING: &[&str] =
    &["export", "env", "set", "declare", "typeset", "local", "readonly", "setenv", "ENV", "ARG"];

/// Whether an argument of data follows this text: the value of a flag, an element of a list.
fn is_data(left: &[u8]) -> bool {
    let command =
        left.rsplit(|byte| matches!(byte, b';' | b'|' | b'&' | b'\n' | b'`')).next().unwrap_or_default();
    let text = command.trim_ascii_end();
    if matches!(text.last(), Some(b',' | b'[')) {
        return !text.ends_with(b"c\",") && !text.ends_with(b"c',");
    }
    let last = text.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let flag = last.strip_suffix(b"=").unwrap_or(last);
    if last == b"-" {
        return text.trim_ascii() == b"-";
    }
    if !flag.starts_with(b"-") {
        return ASSIGNING.iter().any(|word| last == word.as_bytes());
    }
    let name = flag.strip_prefix(b"--").or_else(|| flag.strip_prefix(b"-")).unwrap_or(flag);
    let is_short = !flag.starts_with(b"--") && name.len() <= 4;
    let runs = (is_short && name.ends_with(b"c"))
        || ["command", "eval", "exec", "execute", "run", "x"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
    let mut words = command.split(u8::is_ascii_whitespace);
    let is_code =
        name == b"e" && words.any(|word| INTERPRETERS.iter().any(|program| word == program.as_bytes()));
    !name.is_empty() && !runs && !is_code
}

fn in_quotes(bytes: &[u8], from: usize, container: &OpeningQuote) -> Option<usize> {
    let ends = |byte: u8| byte == container.mark || matches!(byte, b'\n' | b'\\');
    let close = run(bytes, from, REACH, |byte| !ends(byte));
    if at(bytes, close) != container.mark {
        return None;
    }
    let end = before_next_pair(bytes, from, close);
    let text = part(bytes, from, end);
    is_one(text, container.is_data).then_some(end)
}

/// Where the next pair starts, or the end: `&name=`, `; name=`, ` name=`, `,name=`.
fn before_next_pair(bytes: &[u8], from: usize, end: usize) -> usize {
    let is_next = |sign: usize| {
        let name = blanks(bytes, sign + 1);
        let name_end = run(bytes, name, 64, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'[' | b']')
        });
        (name_end > name && at(bytes, name_end) == b'=') || name >= end
    };
    (from..end)
        .find(|sign| match at(bytes, *sign) {
            b'&' | b';' | b' ' => is_next(*sign),
            b',' => nearby_value::opens_option(bytes, sign + 1),
            _ => false,
        })
        .unwrap_or(end)
}

/// A connection string ends a value at a semicolon. In XML that of an entity belongs to the value. The
/// value has blanks only if the string is in quotes.
fn in_connection(bytes: &[u8], name: usize, from: usize) -> Option<usize> {
    let left = part(bytes, name.saturating_sub(REACH), name);
    let is_quoted = left.iter().rev().find(|byte| matches!(byte, b'"' | b'\'' | b'\n')) != Some(&b'\n')
        && left.iter().any(|byte| matches!(byte, b'"' | b'\''));
    let mut here = from;
    while here - from < REACH {
        here = run(bytes, here, REACH, |byte| {
            !matches!(byte, b';' | b'&' | b'"' | b'\'' | b'`' | b'\\' | b'\n' | b'\r' | b'<' | b'>' | 0)
        });
        match connection_string::entity(bytes, here) {
            Some(end) => here = end,
            None if at(bytes, here) == b'&' => here += 1,
            None => break,
        }
    }
    let is_closed = is_quoted && matches!(at(bytes, here), b';' | b'"' | b'\'' | b'\\');
    let end =
        if is_closed { here } else { run(bytes, from, here - from, |byte| !byte.is_ascii_whitespace()) };
    let text = part(bytes, from, end);
    let plain = text.split(|byte| matches!(byte, b'&' | b';')).collect::<Vec<_>>().concat();
    is_one(&plain, true).then_some(end)
}

/// The rest of a line of settings: `NAME=value`, `name: value`.
fn on_line(bytes: &[u8], named: &Range<usize>, from: usize) -> Option<usize> {
    let start = line_start(bytes, named.start)?;
    let sign = part(bytes, named.end, from).trim_ascii();
    let end = run(bytes, from, REACH, |byte| !matches!(byte, b'\n' | b'\r'));
    let end = if matches!(at(bytes, end), 0 | b'\n' | b'\r') { end } else { return None };
    let end = from + without_comment(part(bytes, from, end)).len();
    let text = part(bytes, from, end);
    let is_text = text.iter().all(|byte| !matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'{' | b'}'));
    let is_ended = !matches!(text.last(), Some(b',' | b'{' | b'(' | b'|' | b'&' | b';'));
    let is_tight = sign == b"=" && from == named.end + 1;
    let is_sign = sign.is_empty() || matches!(sign, b"=" | b":");
    if !is_text || !is_ended || !is_sign || is_call(text) || (!is_tight && is_type(text)) {
        return None;
    }
    let is_setting = is_among_settings(bytes, start, end, at(sign, 0));
    if !text.iter().any(u8::is_ascii_whitespace) {
        let is_made = text.iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
        let is_data = is_tight && is_setting;
        return (is_one(text, is_data) && (is_tight || is_made) && before_next_pair(bytes, from, end) == end)
            .then_some(end);
    }
    let name = part(bytes, named.start, named.end);
    let is_phrase = is_tight || (sign == b":" && secret_name::any_password(name) && is_phrase(text));
    let has_sign = text.iter().any(|byte| matches!(byte, b';' | b'|' | b'&' | b'<' | b'>' | b'='));
    (is_setting && is_phrase && is_one(text, true) && !has_sign).then_some(end)
}

/// Where the line of this name starts, if nothing but its indent and `export` precedes the name.
fn line_start(bytes: &[u8], name: usize) -> Option<usize> {
    let left = part(bytes, name.saturating_sub(64), name);
    let left = left.strip_suffix(b"export ").unwrap_or(left);
    let indent = left.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'-')).count();
    let start = name.saturating_sub(64) + left.len() - indent;
    matches!(before(bytes, start), 0 | b'\n').then_some(start)
}

fn without_comment(line: &[u8]) -> &[u8] {
    let comment = line.windows(2).position(|two| matches!(two, b" #" | b" ;"));
    part(line, 0, comment.unwrap_or(line.len())).trim_ascii_end()
}

/// `name(…)`: a call in code.
fn is_call(text: &[u8]) -> bool {
    let Some(open) = text.iter().position(|byte| *byte == b'(') else { return false };
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'!' | b'?');
    let tail = text.strip_suffix(b";").unwrap_or(text);
    part(text, 0, open).iter().all(is_name)
        && (matches!(tail.last(), Some(b')' | b'?' | b']')) || has(text, ")."))
}

/// `A | B`, `Option<String>`, `&'a str`: a type in code.
fn is_type(text: &[u8]) -> bool {
    text.contains(&b'<') && text.contains(&b'>')
        || text.contains(&b'|')
        || has(text, "&&")
        || has(text, "::")
        || has(text, "?.")
        || has(text, "!.")
        || has(text, "=>")
        || text.starts_with(b"&")
}

/// Whether this text is one value and hides no command. `is_data`: it may have blanks and shell signs.
pub(super) fn is_one(text: &[u8], is_data: bool) -> bool {
    let signs = |byte: &u8| matches!(byte, b';' | b'|' | b'&' | b'<' | b'>');
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let is_plain = |word: &[u8]| {
        !word.starts_with(b"-")
            && !word.contains(&b'/')
            && !COMMANDS.iter().any(|command| word.eq_ignore_ascii_case(command.as_bytes()))
    };
    let is_made = |word: &[u8]| word.iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    let mut words = text.split(|byte| signs(byte) || blank(byte)).filter(|word| !word.is_empty());
    words.next().is_some()
        && words.all(|word| is_plain(word) && (is_data || is_made(word)))
        && (is_data || !text.iter().any(blank))
        && !text.contains(&b'`')
        && !has(text, "$(")
        && !has(text, "${")
        && !has(text, "[masked:")
}

/// Words of instructions and labels, which nobody uses in a passphrase.
const INSTRUCTIONS: &[&str] = &[
    "the",
    "of",
    "is",
    "your",
    "must",
    "be",
    "not",
    "min",
    "max",
    "characters",
    "chars",
    "length",
    "field",
    "input",
    "change",
    "reset",
    "forgot",
    "new",
    "current",
    "empty",
    "required",
    "see",
    "here",
    "enter",
    "please",
    "password",
    "passwort",
    "user",
    "login",
    "string",
    "type",
    "and",
    "or",
    "if",
    "was",
    "has",
];

/// Whether a value of several words is a passphrase and no sentence.
fn is_phrase(text: &[u8]) -> bool {
    let words = || text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_word = |word: &[u8]| {
        word.iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'!') || *byte >= 0x80)
            && !non_secret::prose(word)
            && !INSTRUCTIONS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
    };
    let is_lower = text.first().is_some_and(u8::is_ascii_lowercase);
    (2..=6).contains(&words().count())
        && words().all(is_word)
        && (is_lower || text.iter().any(u8::is_ascii_digit))
}

/// Whether the line before or after is a setting of the same form.
fn is_among_settings(bytes: &[u8], start: usize, end: usize, sign: u8) -> bool {
    let left = part(bytes, start.saturating_sub(REACH), start.saturating_sub(1));
    let previous = left.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let next = run(bytes, end, REACH, |byte| byte != b'\n') + 1;
    let next = part(bytes, next, run(bytes, next, REACH, |byte| byte != b'\n'));
    is_setting(previous, sign) || is_setting(next, sign)
}

fn is_setting(line: &[u8], sign: u8) -> bool {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"export ").or_else(|| line.strip_prefix(b"- ")).unwrap_or(line);
    let name = run(line, 0, 64, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
    let value = part(line, name + 1, line.len());
    let is_alone = match sign {
        b'=' => matches!(value.first(), Some(b'"' | b'\'')) || !value.iter().any(u8::is_ascii_whitespace),
        _ => value.is_empty() || value.starts_with(b" "),
    };
    name > 0 && sign != 0 && at(line, name) == sign && is_alone
}
