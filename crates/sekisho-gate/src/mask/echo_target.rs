//! Whether `echo` writes to a file or flag for secrets.

use super::byte_scan::{at, blanks, part, run};
use super::secret_name;

/// The maximum distance to the flag before a command, in bytes.
const REACH: usize = 64;
/// The maximum length of a path.
const PATH: usize = 256;

/// `> secrets/db_password.txt`, `| tee ~/.vault_pass`: whether the output goes to a file that holds a
/// secret.
pub(super) fn is_secret_file(bytes: &[u8], from: usize) -> bool {
    // Skips the quote around the last word.
    let from = run(bytes, from, 1, |byte| matches!(byte, b'"' | b'\''));
    let sign = run(bytes, blanks(bytes, from), 3, |byte| matches!(byte, b'>' | b'|'));
    let writes = matches!(part(bytes, blanks(bytes, from), sign), b">" | b">>" | b">|");
    let start = if writes { Some(sign) } else { tee(bytes, sign) };
    start.is_some_and(|start| {
        let start = run(bytes, blanks(bytes, start), 1, |byte| matches!(byte, b'"' | b'\''));
        let end = run(bytes, start, PATH, |byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'~' | b'$' | b'{' | b'}')
        });
        names_secret(part(bytes, start, end))
    })
}

/// `cat > password.txt`: whether a command writes its input to a file that holds a secret.
pub(super) fn writes_secret_file(command: &[u8]) -> bool {
    let mut words = command.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_cat = words.clone().any(|word| matches!(word, b"cat" | b"tee"));
    let target = words.clone().find_map(|word| word.strip_prefix(b">").filter(|path| path.len() > 1));
    let target = target
        .or_else(|| words.find(|word| matches!(*word, b">" | b">>" | b"tee")).and_then(|_| words.next()));
    is_cat && target.is_some_and(|path| names_secret(path.strip_prefix(b">").unwrap_or(path)))
}

/// `TOKEN=$(echo`, `--password "$(echo`, `mysql -p"$(echo`: whether the output is the value of a secret.
pub(super) fn is_secret_value(bytes: &[u8], start: usize) -> bool {
    let left = part(bytes, start.saturating_sub(REACH), start);
    let Some(left) = left.strip_suffix(b"$(") else { return false };
    let left = left.strip_suffix(b"\"").unwrap_or(left);
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let name_before = |text: &[u8]| {
        let length = text.iter().rev().take_while(is_name).count();
        text.len() - length
    };
    let joined = left.strip_suffix(b"=").or_else(|| left.strip_suffix(b" ")).unwrap_or(left);
    let word = part(joined, name_before(joined), joined.len());
    let is_option = word.starts_with(b"-");
    if joined.len() < left.len() && (is_option || left.ends_with(b"=")) {
        let name = word.strip_prefix(b"--").or_else(|| word.strip_prefix(b"-")).unwrap_or(word);
        if secret_name::secret(name) {
            return true;
        }
    }
    // The short option of a listed program.
    let command = left.rsplit(|byte| matches!(byte, b';' | b'|' | b'&' | b'\n')).next().unwrap_or(left);
    let takes_password = ["mysql", "mysqldump", "mariadb", "sshpass", "login", "7z", "zip"];
    matches!(word, b"-p" | b"-P")
        && command
            .split(u8::is_ascii_whitespace)
            .any(|word| takes_password.iter().any(|known| word == known.as_bytes()))
}

/// Skips `tee` and its flags.
fn tee(bytes: &[u8], pipe_end: usize) -> Option<usize> {
    let mut here = blanks(bytes, pipe_end);
    for _ in 0..4 {
        let end = run(bytes, here, 16, |byte| !byte.is_ascii_whitespace());
        let word = part(bytes, here, end);
        here = blanks(bytes, end);
        match word {
            b"tee" if at(bytes, here) != b'-' => return Some(here),
            b"tee" => return Some(blanks(bytes, run(bytes, here, 16, |byte| !byte.is_ascii_whitespace()))),
            b"sudo" => {}
            _ => return None,
        }
    }
    None
}

fn names_secret(path: &[u8]) -> bool {
    let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let file = file.strip_prefix(b".").unwrap_or(file);
    let is_code = [&b".rs"[..], b".py", b".js", b".ts", b".go", b".md", b".sh", b".html", b".log", b".pub"]
        .iter()
        .any(|end| file.ends_with(end));
    let stem = file.split(|byte| *byte == b'.').next().unwrap_or(file);
    let is_pass = stem.eq_ignore_ascii_case(b"pw") || stem.eq_ignore_ascii_case(b"pass");
    // Lists of users and passwords. Other detectors mask only the passwords in them.
    let is_list = [&b"pgpass"[..], b"htpasswd", b"passwd"].contains(&stem);
    !is_code && !is_list && (is_pass || secret_name::secret(stem))
}

/// `--password-file <(echo`, `--password-command "echo`, `GIT_ASKPASS='echo`: whether the words before
/// need a secret.
pub(super) fn expects_secret(bytes: &[u8], echo: usize) -> bool {
    let left = part(bytes, echo.saturating_sub(REACH), echo);
    let joint = left
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b' ' | b'"' | b'\'' | b'\\' | b'<' | b'(' | b'=' | b':'))
        .count();
    let (left, joints) = (part(left, 0, left.len() - joint), part(left, left.len() - joint, left.len()));
    let length = left
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        .count();
    let name = part(left, left.len() - length, left.len());
    let is_substituted = joints.ends_with(b"<(") && left.len() > length;
    let is_sshpass = name == b"-f" && left.ends_with(b"sshpass -f");
    joint > 0 && (is_sshpass || secret_name::source(name) || (is_substituted && secret_name::secret(name)))
}
