//! Secrets handed over on standard input: `echo secret | sudo -S …`, `chpasswd <<< me:secret`.

use std::ops::Range;

use super::command::program_word;
use super::detector::Looked;
use super::name;
use super::plain;
use super::scan::{at, before, blanks, part, run, starts};
use super::words::words;

/// How far back from `<<<` its command may start.
const REACH: usize = 256;
/// How many programs may stand between the one that writes and the one that reads.
const STEPS: usize = 3;

/// How many lines of a list are read.
const LINES: usize = 64;

/// A program that reads a secret, and the words one of which must be there.
struct Sink {
    program: &'static str,
    asks: &'static [&'static str],
    takes: Takes,
}

#[derive(Clone, Copy)]
enum Takes {
    /// The first line.
    Line,
    /// Two lines, the second to confirm.
    Lines,
    /// What stands after the colon.
    Pair,
}

const fn sink(program: &'static str, asks: &'static [&'static str], takes: Takes) -> Sink {
    Sink { program, asks, takes }
}

const SINKS: &[Sink] = &[
    sink("sudo", &["-S", "--stdin", "-Sk", "-kS", "-Sv", "-SE", "-nS", "-Su"], Takes::Line),
    sink("su", &[], Takes::Line),
    sink("doas", &[], Takes::Line),
    sink("chpasswd", &[], Takes::Pair),
    sink("newusers", &[], Takes::Pair),
    sink("passwd", &[], Takes::Lines),
    sink("smbpasswd", &[], Takes::Lines),
    sink("pdbedit", &[], Takes::Lines),
    sink("htpasswd", &["-i", "-ni", "-in", "-iB", "-Bi", "-ic", "-ci"], Takes::Line),
    sink("kinit", &[], Takes::Line),
    sink("ecryptfs-add-passphrase", &[], Takes::Line),
    sink("cryptsetup", &[], Takes::Line),
    sink("zfs", &["load-key", "create"], Takes::Line),
    sink("gpg", &["--passphrase-fd"], Takes::Line),
    sink("gpg2", &["--passphrase-fd"], Takes::Line),
    sink("openssl", &["stdin", "-stdin", "fd:0"], Takes::Line),
    sink("ansible-vault", &["encrypt_string"], Takes::Line),
    sink("ssh-add", &[], Takes::Line),
    sink("gh", &["--with-token", "secret"], Takes::Line),
    sink("glab", &["--stdin"], Takes::Line),
    sink("vault", &["-", "login"], Takes::Line),
    sink("pass", &["insert"], Takes::Line),
    sink("secret-tool", &["store"], Takes::Line),
    sink("wrangler", &["secret"], Takes::Line),
    sink("vercel", &["env"], Takes::Line),
    sink("docker", &["secret", "--password-stdin"], Takes::Line),
    sink("podman", &["secret", "--password-stdin"], Takes::Line),
    sink("gcloud", &["secrets"], Takes::Line),
    sink("firebase", &["functions:secrets:set"], Takes::Line),
    sink("systemd-creds", &["encrypt"], Takes::Line),
    sink("systemd-ask-password", &[], Takes::Line),
    sink("wpa_passphrase", &[], Takes::Line),
    sink("snowsql", &[], Takes::Line),
    sink("keepassxc-cli", &[], Takes::Line),
    sink("bw", &["login", "unlock"], Takes::Line),
    sink("mokutil", &[], Takes::Lines),
    sink("vncpasswd", &[], Takes::Lines),
    sink("kubeseal", &[], Takes::Line),
    sink("npm", &["login"], Takes::Line),
    sink("cargo", &["login"], Takes::Line),
    sink("restic", &[], Takes::Line),
    sink("borg", &[], Takes::Line),
    sink("rclone", &["obscure"], Takes::Line),
    sink("sshfs", &["password_stdin"], Takes::Line),
    sink("mysql_config_editor", &[], Takes::Line),
    sink("realm", &["join"], Takes::Line),
    sink("net", &["join"], Takes::Line),
];

/// Flags that say the same under any program.
const ASKS: &[&str] = &[
    "--password-stdin",
    "--passphrase-stdin",
    "--token-stdin",
    "--with-token",
    "--pass-stdin",
    "--key-file=-",
];

/// `echo secret | …`, `printf 'secret\n' | …`
pub(super) fn echoed(bytes: &[u8], hit: Range<usize>) -> Looked {
    let Some((b"echo" | b"printf", end)) = program_word(bytes, &hit) else { return Looked::NOTHING };
    let said = words(bytes, end);
    if let [flag, variable, .., value] = said.as_slice()
        && part(bytes, flag.start, flag.end) == b"-v"
        && name::secret(part(bytes, variable.start, variable.end))
    {
        return Looked::Secrets(taken(bytes, value.clone(), Takes::Line));
    }
    let Some(last) = said.last() else { return Looked::NOTHING };
    let Some(takes) = reader(bytes, last.end) else { return Looked::NOTHING };
    let text = |word: &Range<usize>| part(bytes, word.start, word.end);
    let is_format = |word: &Range<usize>| text(word).starts_with(b"%") && text(word).len() <= 8;
    let value = said.iter().find(|word| !text(word).starts_with(b"-") && !is_format(word));
    value.map_or(Looked::NOTHING, |value| Looked::Secrets(taken(bytes, value.clone(), takes)))
}

/// `… <<< secret`
pub(super) fn here_string(bytes: &[u8], hit: Range<usize>) -> Looked {
    let left = part(bytes, hit.start.saturating_sub(REACH), hit.start);
    let command = left
        .iter()
        .rev()
        .take_while(|byte| !matches!(byte, b';' | b'|' | b'&' | b'\n' | b'(' | b'`'))
        .count();
    let start = hit.start - command;
    let Some(takes) = sink_at(bytes, start, hit.start).or_else(|| read_into(part(bytes, start, hit.start)))
    else {
        return Looked::NOTHING;
    };
    let from = if matches!(at(bytes, hit.end), b' ' | b'\t') { hit.end } else { hit.end.saturating_sub(1) };
    let word = if from == hit.end { words(bytes, from).first().cloned() } else { tight(bytes, hit.end) };
    word.map_or(Looked::NOTHING, |word| Looked::Secrets(taken(bytes, word, takes)))
}

/// `read -r PASSWORD`
fn read_into(command: &[u8]) -> Option<Takes> {
    let mut words = command.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let reads = words.next() == Some(b"read");
    (reads && words.next_back().is_some_and(name::secret)).then_some(Takes::Line)
}

/// `chpasswd <<END`, and lines of `user:secret` up to the end.
pub(super) fn list(bytes: &[u8], hit: Range<usize>) -> Looked {
    let line = run(bytes, hit.end, REACH, |byte| byte != b'\n');
    let command = part(bytes, hit.end, line);
    if !command.windows(2).any(|two| two == b"<<") || command.windows(3).any(|three| three == b"<<<") {
        return Looked::NOTHING;
    }
    let mut found = Vec::new();
    let mut here = line + 1;
    for _ in 0..LINES {
        let end = run(bytes, here, REACH, |byte| !byte.is_ascii_whitespace());
        let Some(start) = past_colon(bytes, here, end) else { break };
        if is_secret(bytes, start, end) {
            found.push(start..end);
        }
        if at(bytes, end) != b'\n' {
            break;
        }
        here = end + 1;
    }
    Looked::Secrets(found)
}

/// A word directly after `<<<`.
fn tight(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let open = run(bytes, from, 1, |byte| matches!(byte, b'"' | b'\''));
    let end = run(bytes, open, REACH, |byte| {
        !byte.is_ascii_whitespace()
            && !matches!(byte, b'"' | b'\'' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'`')
    });
    (end > open).then_some(open..end)
}

/// What the program at the end of the pipe takes.
fn reader(bytes: &[u8], from: usize) -> Option<Takes> {
    let mut here = from;
    for _ in 0..STEPS {
        // Past the quotes and redirects that may end the command.
        here = run(bytes, here, REACH, |byte| !matches!(byte, b'|' | b';' | b'&' | b'\n' | b'(' | b')'));
        if at(bytes, here) != b'|' || at(bytes, here + 1) == b'|' {
            return None;
        }
        here = blanks(bytes, here + 1);
        let end = run(bytes, here, 1024, |byte| !matches!(byte, b'|' | b';' | b'&' | b'\n'));
        if let Some(takes) = sink_at(bytes, here, end) {
            return Some(takes);
        }
        here = end;
    }
    None
}

/// Whether one of the words of this command reads a secret.
fn sink_at(bytes: &[u8], from: usize, to: usize) -> Option<Takes> {
    let command = part(bytes, from, to);
    let split = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'');
    let words: Vec<&[u8]> = command.split(split).filter(|word| !word.is_empty()).take(48).collect();
    let has =
        |wanted: &[&str]| words.iter().any(|word| wanted.iter().any(|wanted| *word == wanted.as_bytes()));
    let programs = words.iter().take_while(|word| !word.starts_with(b"<")).take(8);
    let known = programs.filter_map(|word| word.rsplit(|byte| *byte == b'/').next()).find_map(|word| {
        SINKS.iter().find(|sink| word == sink.program.as_bytes() && (sink.asks.is_empty() || has(sink.asks)))
    });
    known.map(|sink| sink.takes).or_else(|| has(ASKS).then_some(Takes::Line))
}

/// The lines of the value, without the escapes that end them.
fn taken(bytes: &[u8], value: Range<usize>, takes: Takes) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut here = value.start;
    let most = match takes {
        Takes::Line => 1,
        Takes::Lines | Takes::Pair => 3,
    };
    while here < value.end && found.len() < most {
        let end = line_end(bytes, here, value.end);
        let start = match takes {
            Takes::Pair => past_colon(bytes, here, end),
            Takes::Line | Takes::Lines => Some(here),
        };
        // Several words are rather commands for a shell: `echo 'rm -rf x' | su`.
        let is_one_word = end >= value.end || !matches!(at(bytes, end), b' ' | b'\t');
        if let Some(start) = start
            && is_one_word
            && is_secret(bytes, start, end)
        {
            found.push(start..end);
        }
        let escape = run(bytes, end, 4, |byte| byte == b'\\');
        if escape == end || !matches!(at(bytes, escape), b'n' | b'r') {
            break;
        }
        here = escape + 1;
    }
    found
}

fn line_end(bytes: &[u8], from: usize, to: usize) -> usize {
    let mut here = from;
    while here < to {
        let byte = at(bytes, here);
        if byte.is_ascii_whitespace() || (byte == b'\\' && matches!(at(bytes, here + 1), b'n' | b'r' | b'\\'))
        {
            break;
        }
        here += 1;
    }
    here
}

fn past_colon(bytes: &[u8], from: usize, to: usize) -> Option<usize> {
    part(bytes, from, to).iter().position(|byte| *byte == b':').map(|colon| from + colon + 1)
}

fn is_secret(bytes: &[u8], start: usize, end: usize) -> bool {
    let text = part(bytes, start, end);
    let mark = if before(bytes, start) == b'\'' { b'\'' } else { 0 };
    let answer = ["y", "n", "yes", "no", "Y", "N"].iter().any(|answer| text == answer.as_bytes());
    !text.is_empty() && !answer && !plain::reference(text, mark) && !plain::placeholder(text)
}

/// `expect "*assword*"; send "secret\r"`: a line sent as the answer to a prompt for a password.
pub(super) fn sent(bytes: &[u8], hit: Range<usize>) -> Looked {
    let Some((b"send" | b"send_user" | b"sendline", end)) =
        program_word(bytes, &hit).or_else(|| called(bytes, &hit))
    else {
        return Looked::NOTHING;
    };
    let left = part(bytes, hit.start.saturating_sub(REACH / 2), hit.start).to_ascii_lowercase();
    let prompts = [&b"assword"[..], b"assphrase", b"asscode", b"pin:"];
    if !prompts.iter().any(|prompt| left.windows(prompt.len()).any(|found| found == *prompt)) {
        return Looked::NOTHING;
    }
    let from = blanks(bytes, run(bytes, end, 1, |byte| byte == b'('));
    let from = if starts(bytes, from, b"-- ") { blanks(bytes, from + 3) } else { from };
    let Some(word) = tight(bytes, from) else { return Looked::NOTHING };
    let word = word.start..line_end(bytes, word.start, word.end);
    if is_secret(bytes, word.start, word.end) { Looked::Secret(word) } else { Looked::NOTHING }
}

/// `child.sendline('secret')`
fn called<'t>(bytes: &'t [u8], hit: &Range<usize>) -> Option<(&'t [u8], usize)> {
    let end = run(bytes, hit.end, 8, |byte| byte.is_ascii_lowercase());
    (before(bytes, hit.start) == b'.' && at(bytes, end) == b'(').then(|| (part(bytes, hit.start, end), end))
}

/// `host:5432:database:me:secret`
pub(super) fn pgpass(bytes: &[u8], hit: Range<usize>) -> Looked {
    let field = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'*');
    let database = run(bytes, hit.end, 64, field);
    let user = run(bytes, database + 1, 64, field);
    if !field(before(bytes, hit.start)) || database == hit.end || user == database + 1 {
        return Looked::NOTHING;
    }
    if at(bytes, database) != b':' || at(bytes, user) != b':' {
        return Looked::NOTHING;
    }
    let end = run(bytes, user + 1, REACH, |byte| {
        byte.is_ascii_graphic()
            && !matches!(byte, b'"' | b'\'' | b'\\' | b';' | b'|' | b'&' | b'<' | b'>' | b':')
    });
    if is_secret(bytes, user + 1, end) { Looked::Secret(user + 1..end) } else { Looked::NOTHING }
}
