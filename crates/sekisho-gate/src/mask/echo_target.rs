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
