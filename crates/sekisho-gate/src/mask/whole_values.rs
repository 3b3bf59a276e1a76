//! Whether a command runs values and parameters only as a whole, from their first word on.
//!
//! `run() { "$@"; }; run mysql -psecret` runs `mysql`, and the password behind it is never a program. A
//! part of a value may be one: `x="sshpass -p shred"; ${x##* }`.

use memchr::memmem;

use super::byte_scan::{at, before, part, run};
use super::program_arguments;

/// Words that take a value or the parameters apart, or that reach them by another name.
const TAKES_APART: [&str; 13] = [
    "shift", "set ", "read", "IFS", "getopts", "mapfile", "declare", "typeset", "local -n", "BASH_", "$(",
    "`", "$_",
];

/// Whether nothing in this text takes a value apart that it runs.
pub(super) fn runs_only_whole(bytes: &[u8]) -> bool {
    !TAKES_APART.iter().any(|word| memmem::find(bytes, word.as_bytes()).is_some())
        && !has_loop_over_values(bytes)
        && expansions_are_whole(bytes)
        && !renames_listed_program(bytes)
}

/// `for x in $y`, `for x; do`, `select x in $y`
fn has_loop_over_values(bytes: &[u8]) -> bool {
    let selects = memmem::find(bytes, b"select ").is_some() && memmem::find(bytes, b" in ").is_some();
    selects
        || memmem::find_iter(bytes, b"for ").any(|start| {
            let end = run(bytes, start, 256, |byte| !matches!(byte, b';' | b'\n'));
            let head = part(bytes, start, end);
            head.contains(&b'$') || memmem::find(head, b" in ").is_none()
        })
}

/// Whether there are no expansions but `$name`, `${name}`, `${name[@]}`, `$1`, `$@` and `$*`.
fn expansions_are_whole(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'$', bytes).all(|sign| match at(bytes, sign + 1) {
        b'{' => {
            let name = run(bytes, sign + 2, 64, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let end = run(bytes, name, 3, |byte| matches!(byte, b'[' | b'@' | b'*' | b']'));
            let is_all = matches!(part(bytes, name, end), b"" | b"[@]" | b"[*]" | b"@" | b"*");
            let is_first = matches!(part(bytes, sign + 2, name), b"" | b"0" | b"1" | b"?")
                || at(bytes, sign + 2).is_ascii_alphabetic();
            is_all && is_first && at(bytes, end) == b'}'
        }
        b'2'..=b'9' => false,
        _ => true,
    })
}

/// `mysql() { … }`: whether a function has the name of a program that takes secrets.
fn renames_listed_program(bytes: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let by_sign = memmem::find_iter(bytes, b"(").any(|sign| {
        let left = part(bytes, sign.saturating_sub(64), sign).trim_ascii_end();
        let length = left.iter().rev().take_while(|byte| is_name(byte)).count();
        length > 0 && program_arguments::named(part(left, left.len() - length, left.len())).is_some()
    });
    by_sign
        || memmem::find_iter(bytes, b"function ").any(|word| {
            let start = word + b"function ".len();
            let end = run(bytes, start, 64, |byte| is_name(&byte));
            before(bytes, end) != b' ' && program_arguments::named(part(bytes, start, end)).is_some()
        })
}

#[cfg(test)]
mod tests {
    use super::runs_only_whole;

    #[test]
    fn only_values_from_their_first_word_on_are_whole() {
        for (command, is_whole) in [
            ("run() { \"$@\"; }; run mysql -px", true),
            ("retry() { for i in 1 2; do \"$@\" && return; done; }; retry sshpass -p x ssh h", true),
            ("X='mysql -px'; $X -e y", true),
            ("cmd=(mysql -px); \"${cmd[@]}\"", true),
            ("X='sshpass -p shred'; ${X##* }", false),
            ("x=(sshpass -p shred); \"${x[2]}\"", false),
            ("x=(sshpass -p shred); \"${x[@]:2}\"", false),
            ("f() { $3; }; f sshpass -p shred", false),
            ("f() { shift 2; \"$@\"; }; f sshpass -p shred", false),
            ("f() { for a in \"$@\"; do $a; done; }; f sshpass -p shred", false),
            ("f() { for a; do $a; done; }; f sshpass -p shred", false),
            ("mkpasswd() { \"$1\"; }; mkpasswd shred", false),
            ("function mkpasswd { \"$1\"; }; mkpasswd shred", false),
            ("true sshpass -p shred; $_", false),
            ("set -- sshpass -p shred; $1", false),
        ] {
            assert_eq!(runs_only_whole(command.as_bytes()), is_whole, "{command}");
        }
    }
}
