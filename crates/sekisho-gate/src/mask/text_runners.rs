//! Which commands run text that stands in quotes or in a here-document, or may do so.

use std::ops::Range;

use super::byte_scan::{at, has, part, run};

/// A word of a command.
pub(super) struct CommandWord {
    pub(super) range: Range<usize>,
    /// Whether it names the program to run.
    pub(super) is_first: bool,
}

/// Programs that run text: shells, interpreters, editors, and programs with an option that takes a
/// command.
const RUNNERS: &[&str] = &[
    "Rscript",
    "alias",
    "apt",
    "apt-get",
    "ash",
    "at",
    "autossh",
    "awk",
    "bash",
    "batch",
    "bind",
    "bun",
    "busybox",
    "compgen",
    "complete",
    "crontab",
    "csh",
    "dash",
    "deno",
    "ed",
    "entr",
    "eval",
    "ex",
    "expect",
    "fish",
    "flock",
    "ftp",
    "gawk",
    "gdb",
    "git",
    "gmake",
    "hg",
    "hyperfine",
    "ksh",
    "less",
    "lftp",
    "lua",
    "luajit",
    "m4",
    "make",
    "man",
    "mapfile",
    "mawk",
    "mksh",
    "mosh",
    "nawk",
    "nc",
    "ncat",
    "netcat",
    "node",
    "nodejs",
    "nu",
    "nvim",
    "osascript",
    "parallel",
    "perl",
    "php",
    "posh",
    "powershell",
    "pwsh",
    "python",
    "rbash",
    "readarray",
    "rsync",
    "ruby",
    "runuser",
    "scp",
    "screen",
    "script",
    "sed",
    "sftp",
    "sh",
    "socat",
    "source",
    "split",
    "ssh",
    "su",
    "tar",
    "tclsh",
    "tcsh",
    "tmux",
    "trap",
    "vi",
    "vim",
    "watch",
    "xargs",
    "yash",
    "zip",
    "zsh",
];

/// Programs that run text only with an option or word that contains one of these.
const WITH_OPTION: &[(&str, &[&str])] = &[
    ("ansible", &["shell", "raw", "command", "script"]),
    ("aws", &["send-command"]),
    ("az", &["run-command"]),
    ("env", &["-S", "--split", "-iS", "-vS", "-uS", "-0S"]),
    ("mariadb", &["\\!", "system"]),
    ("mysql", &["\\!", "system"]),
    ("npm", &["-c", "--call"]),
    ("npx", &["-c", "--call"]),
    ("psql", &["\\!", "\\o", "\\g", "program", "PROGRAM"]),
    ("sqlite3", &[".s", ".sh"]),
    ("sudo", &["-s", "-i", "--shell", "--login", "-Si", "-Ss", "-is", "-nS"]),
];

/// Variables whose value is run, or that decide what runs.
const VARIABLES: &[&str] =
    &["PATH", "BASH_ENV", "ENV", "LESSOPEN", "LESSCLOSE", "SHELL", "PS0", "PS1", "PS4"];
const VARIABLE_ENDS: &[&str] = &["PAGER", "EDITOR", "VISUAL", "COMMAND", "ASKPASS", "BROWSER"];

/// Words before the name of a program.
const BEFORE_PROGRAM: &[&str] = &[
    "!", "{", "builtin", "command", "coproc", "do", "elif", "else", "env", "exec", "if", "nohup", "sudo",
    "then", "time", "until", "while",
];

/// Whether a program's name follows this first word of a command.
pub(super) fn precedes_program(word: &[u8]) -> bool {
    BEFORE_PROGRAM.iter().any(|known| word == known.as_bytes()) || assigned(word).is_some()
}

/// The name and the value of `NAME=value`, `NAME+=value`, `NAME[0]=value`.
fn assigned(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let sign = word.iter().position(|byte| *byte == b'=')?;
    let name = part(word, 0, sign);
    let name = name.strip_suffix(b"+").unwrap_or(name);
    let name = name.split(|byte| *byte == b'[').next().unwrap_or(name);
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    (is_name && name.first().is_some_and(|byte| !byte.is_ascii_digit()))
        .then(|| (name, part(word, sign + 1, word.len())))
}

/// Whether one of these words runs text.
pub(super) fn any(bytes: &[u8], words: &[CommandWord]) -> bool {
    let writes = bytes.contains(&b'>');
    // Programs that run text with an option, found so far.
    let mut with_option = [false; WITH_OPTION.len()];
    let runs = |word: &CommandWord| {
        let written = part(bytes, word.range.start, word.range.end);
        let plain = unquoted(written);
        if let Some((name, _)) = assigned(&plain)
            && is_run_variable(name)
        {
            return true;
        }
        let program = program(&plain);
        for ((known, _), is_found) in WITH_OPTION.iter().zip(&mut with_option) {
            *is_found |= known.as_bytes() == program;
        }
        let is_path = writes && plain.contains(&b'/');
        is_runner(program) || is_unknown(word, written) || word.is_first && (plain == b"." || is_path)
    };
    // `${x@P}` expands the substitutions in a value.
    let is_run = has(bytes, "@P}") || words.iter().any(runs);
    let has_one = |options: &[&str]| options.iter().any(|option| has(bytes, option));
    is_run || WITH_OPTION.iter().zip(with_option).any(|((_, options), is_found)| is_found && has_one(options))
}

/// Whether a command given as an array of words contains a program that may run text.
pub(super) fn any_word<'w>(words: impl IntoIterator<Item = &'w str>) -> bool {
    words.into_iter().any(|word| {
        let name = program(word.as_bytes());
        is_runner(name) || WITH_OPTION.iter().any(|(known, _)| known.as_bytes() == name)
    })
}

/// Programs that run their input unless a script or `-c` is given.
const INPUT_RUNNERS: &[&str] = &[
    "ash", "at", "bash", "batch", "csh", "dash", "fish", "ksh", "lua", "mksh", "node", "nodejs", "perl",
    "php", "posh", "python", "rbash", "ruby", "sh", "tclsh", "tcsh", "xargs", "yash", "zsh",
];

/// Whether a command runs its input, so that the input is no password: `sudo -S bash`, `sudo -S -i`.
pub(super) fn runs_input(words: &[&[u8]]) -> bool {
    let redirect = words.iter().position(|word| word.starts_with(b"<")).unwrap_or(words.len());
    let words = words.get(..redirect).unwrap_or_default();
    let is = |word: &[u8], names: &[&str]| is_one_of(names, program(word));
    if let Some(runner) = words.iter().position(|word| is(word, INPUT_RUNNERS)) {
        let mut arguments = words.iter().skip(runner + 1);
        return arguments.all(|word| *word == b"-" || (word.starts_with(b"-") && !word.contains(&b'c')));
    }
    let is_sudo = words.first().is_some_and(|word| is(word, &["sudo"]));
    let is_shell = |word: &[u8]| {
        matches!(word, b"--shell" | b"--login")
            || (word.starts_with(b"-")
                && !word.starts_with(b"--")
                && word.iter().any(|byte| matches!(byte, b's' | b'i')))
    };
    is_sudo
        && words.iter().any(|word| is_shell(word))
        && words.iter().skip(1).all(|word| word.starts_with(b"-"))
}

fn unquoted(word: &[u8]) -> Vec<u8> {
    let is_quote = |byte: u8| matches!(byte, b'\'' | b'"');
    let next = word.iter().skip(1).copied().chain([0]);
    // The `$` of `$'…'` belongs to the quote.
    let plain = word
        .iter()
        .copied()
        .zip(next)
        .filter(|(byte, next)| !is_quote(*byte) && *byte != b'\\' && !(*byte == b'$' && is_quote(*next)));
    plain.map(|(byte, _)| byte).collect()
}

/// The program that a word may name: `/bin/sh`, `x=sh`, `python3.12`.
fn program(word: &[u8]) -> &[u8] {
    let value = assigned(word).map_or(word, |(_, value)| value);
    let name = value.rsplit(|byte| *byte == b'/').next().unwrap_or(value);
    let stem = name.iter().position(|byte| *byte == b'.').map_or(name, |dot| part(name, 0, dot));
    if stem.is_empty() { name } else { stem }
}

fn is_runner(program: &[u8]) -> bool {
    is_one_of(RUNNERS, program)
}

/// Whether a program is in a sorted list, with or without its version: `perl5`, `bash-static`.
fn is_one_of(names: &[&str], program: &[u8]) -> bool {
    let is_in = |name: &[u8]| names.binary_search_by(|known| known.as_bytes().cmp(name)).is_ok();
    let digit = program.iter().position(u8::is_ascii_digit).unwrap_or(program.len());
    let letters = part(program, 0, digit);
    let letters = letters.strip_suffix(b"-").unwrap_or(letters);
    is_in(program) || is_in(letters) || program.strip_suffix(b"-static").is_some_and(is_in)
}

fn is_run_variable(name: &[u8]) -> bool {
    VARIABLES.iter().any(|known| name == known.as_bytes())
        || VARIABLE_ENDS.iter().any(|end| name.ends_with(end.as_bytes()))
}

/// Whether a word may name a program that is unknown: `$x`, `r?`, `{eval,x}`. Without quotes it may also
/// become several words, so any word of a command counts.
fn is_unknown(word: &CommandWord, written: &[u8]) -> bool {
    if matches!(written, b"[" | b"[[") || (word.is_first && assigned(written).is_some()) {
        return false;
    }
    let expansion = unquoted_expansion(written);
    let is_option = written.strip_prefix(b"\"").unwrap_or(written).starts_with(b"-");
    let is_name = || !is_option && assigned(written).is_none() && !has_blank(written);
    match expansion {
        Expansion::Unquoted => true,
        Expansion::Quoted => word.is_first || is_name(),
        Expansion::None => false,
    }
}

/// Whether bash expands a part of a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Expansion {
    None,
    /// Only within double quotes, so it stays one word, or by an escape.
    Quoted,
    Unquoted,
}

fn unquoted_expansion(word: &[u8]) -> Expansion {
    let (mut found, mut here, mut in_quotes) = (Expansion::None, 0, false);
    while here < word.len() {
        match (at(word, here), at(word, here + 1)) {
            (b'\\', _) => here += 1,
            (b'"', _) => in_quotes = !in_quotes,
            (b'$', b'"') if !in_quotes => {}
            (b'$', b'\'') if !in_quotes => {
                let length = run(word, here + 2, word.len(), |byte| byte != b'\'') - here;
                // An escape may stand for any sign.
                if part(word, here, here + length).contains(&b'\\') {
                    return Expansion::Unquoted;
                }
                here += length;
            }
            (b'\'', _) if !in_quotes => here = run(word, here + 1, word.len(), |byte| byte != b'\''),
            (b'$' | b'`', _) if in_quotes => found = Expansion::Quoted,
            (b'$' | b'`' | b'*' | b'?' | b'[', _) if !in_quotes => return Expansion::Unquoted,
            (b'{', _) if !in_quotes && part(word, here, word.len()).contains(&b',') => {
                return Expansion::Unquoted;
            }
            _ => {}
        }
        here += 1;
    }
    found
}

/// Whether a word has a blank outside `${…}`, as no program's name has.
fn has_blank(word: &[u8]) -> bool {
    let mut open = 0_usize;
    word.iter().any(|byte| {
        match byte {
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0 && byte.is_ascii_whitespace()
    })
}

#[cfg(test)]
mod tests {
    use super::{INPUT_RUNNERS, RUNNERS};

    #[test]
    fn names_are_in_order() {
        assert!(RUNNERS.is_sorted() && INPUT_RUNNERS.is_sorted());
    }
}
