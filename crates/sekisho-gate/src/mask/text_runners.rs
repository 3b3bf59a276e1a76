//! Which programs run text that stands in quotes or in a here-document, or may do so.

use std::cell::Cell;

use super::byte_scan::{at, has, part, run};
use super::command_parts::CommandWord;
use super::runner_names::{
    BEFORE_PROGRAM, COMMAND_READERS, INPUT_RUNNERS, NAMING_PROGRAMS, OPTION_RUNNERS, PLAIN_PROGRAMS,
    PROGRAM_DIRECTORIES, RUNNERS, SILENT_PROGRAMS, VARIABLE_ENDS, VARIABLES, WITH_OPTION, WITH_OPTIONS,
    WRAPPERS,
};

/// Longer words name no known program, in bytes.
const MAX_NAME: usize = 64;
/// The longest version in the name of a program, in bytes.
const VERSION: usize = 3;

/// Whether a program's name follows this first word of a command.
pub(super) fn precedes_program(word: &[u8]) -> bool {
    BEFORE_PROGRAM.iter().any(|known| word == known.as_bytes()) || assigned(word).is_some()
}

/// The name and the value of `NAME=value`, `NAME+=value`, `NAME[0]=value`.
pub(super) fn assigned(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let sign = word.iter().position(|byte| *byte == b'=')?;
    let name = part(word, 0, sign);
    let name = name.strip_suffix(b"+").unwrap_or(name);
    let name = name.split(|byte| *byte == b'[').next().unwrap_or(name);
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    (is_name && name.first().is_some_and(|byte| !byte.is_ascii_digit()))
        .then(|| (name, part(word, sign + 1, word.len())))
}

/// How likely a command runs a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextUse {
    /// It is data.
    #[default]
    Data,
    /// It may run.
    Possible,
    /// It runs.
    Code,
}

/// What a word makes of the texts after it.
pub(super) fn word_use(word: &CommandWord, written: &[u8], command: &CommandText<'_>) -> TextUse {
    let plain = unquoted(written);
    let program = program(&plain);
    // `mc alias set …`: a word of its own of another program.
    let is_builtin = matches!(program, b"alias" | b"bind" | b"compgen" | b"complete" | b"trap");
    if is_runner(program) && (word.is_first || !is_builtin) {
        return if is_one_of(OPTION_RUNNERS, program) { TextUse::Possible } else { TextUse::Code };
    }
    if command.has_option(program) || (word.is_first && plain == b".") {
        return TextUse::Code;
    }
    let is_installed = || PROGRAM_DIRECTORIES.iter().any(|directory| plain.starts_with(directory.as_bytes()));
    let is_path = plain.contains(&b'/') && !has(&plain, "://");
    let is_script = word.is_first && command.is_one_of_several && is_path && !is_installed();
    let is_operand = is_one_of(PLAIN_PROGRAMS, command.program);
    let is_value = command.is_after_option && !is_wrapper(command.program);
    if is_script || (!is_operand && !is_value && is_unknown(word, written)) {
        return TextUse::Possible;
    }
    TextUse::Data
}

/// The command around a word.
pub(super) struct CommandText<'b> {
    pub(super) text: &'b [u8],
    pub(super) program: &'b [u8],
    /// Whether the text has other commands.
    pub(super) is_one_of_several: bool,
    /// Whether an option precedes the word.
    pub(super) is_after_option: bool,
    /// Whether the options of each program are in the text, as far as known.
    pub(super) has_option: [Cell<Option<bool>>; WITH_OPTIONS],
}

impl CommandText<'_> {
    /// Whether the text has an option with which this program runs text.
    fn has_option(&self, program: &[u8]) -> bool {
        let known =
            WITH_OPTION.iter().zip(&self.has_option).find(|((name, _), _)| name.as_bytes() == program);
        known.is_some_and(|((_, options), is_found)| {
            let found = is_found.get().unwrap_or_else(|| options.iter().any(|option| has(self.text, option)));
            is_found.set(Some(found));
            found
        })
    }
}

/// Whether a word sets a variable whose value is run.
pub(super) fn sets_run_variable(written: &[u8]) -> bool {
    assigned(&unquoted(written)).is_some_and(|(name, _)| is_run_variable(name))
}

/// Whether the output of this program does not contain its arguments.
pub(super) fn is_silent(program: &[u8]) -> bool {
    is_one_of(SILENT_PROGRAMS, program)
}

/// Whether this program gives another program a new name.
pub(super) fn renames(program: &[u8]) -> bool {
    is_one_of(NAMING_PROGRAMS, program)
}

/// Whether this program runs the one that its arguments name.
pub(super) fn is_wrapper(program: &[u8]) -> bool {
    is_one_of(WRAPPERS, program) || BEFORE_PROGRAM.iter().any(|known| program == known.as_bytes())
}

/// Whether a word names a program that runs text, or an unknown program.
pub(super) fn may_name_runner(written: &[u8]) -> bool {
    is_runner(program(&unquoted(written))) || unquoted_expansion(written) == Expansion::Unquoted
}

/// The name of a program without quotes and directories.
pub(super) fn program_name(written: &[u8]) -> Vec<u8> {
    let plain = unquoted(written);
    let name = plain.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    if name.len() > MAX_NAME { Vec::new() } else { name.to_vec() }
}

/// Whether this program runs and stores none of its arguments.
pub(super) fn is_plain(program: &[u8]) -> bool {
    is_one_of(PLAIN_PROGRAMS, program)
}

/// The word that names the program which runs, behind others that run it: `sudo -n nice $0`.
pub(super) fn program_place<'w>(words: &[&'w [u8]]) -> Option<&'w [u8]> {
    let is_number = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
    let is_before = |word: &[u8]| {
        word.starts_with(b"-") || is_number(word) || is_wrapper(word) || assigned(word).is_some()
    };
    let after_exec = words.iter().position(|word| word.starts_with(b"-exec")).map_or(0, |exec| exec + 1);
    words.iter().skip(after_exec).find(|word| !is_before(word)).copied()
}

/// Whether the program that runs is unknown: `sudo -S $0`, `sudo -S nice $0`.
pub(super) fn is_unknown_program(words: &[&[u8]]) -> bool {
    program_place(words).is_some_and(|word| unquoted_expansion(word) != Expansion::None)
}

/// Whether a command given as an array of words contains a program that may run text.
pub(super) fn any_word<'w>(words: impl IntoIterator<Item = &'w str>) -> bool {
    words.into_iter().any(|word| {
        let name = program(word.as_bytes());
        is_runner(name) || WITH_OPTION.iter().any(|(known, _)| known.as_bytes() == name)
    })
}

/// Whether a command runs its input, so that the input is no password: `sudo -S bash`, `sudo -S -i`.
pub(super) fn runs_input(words: &[&[u8]]) -> bool {
    let redirect = words.iter().position(|word| word.starts_with(b"<")).unwrap_or(words.len());
    let words = words.get(..redirect).unwrap_or_default();
    let is = |word: &[u8], names: &[&str]| is_one_of(names, program(word));
    if let Some(runner) = words.iter().position(|word| is(word, INPUT_RUNNERS)) {
        let arguments = words.iter().skip(runner + 1);
        let is_input =
            |word: &&&[u8]| word.starts_with(b"-") && !word.starts_with(b"--") && word.contains(&b's');
        if arguments.clone().take_while(|word| word.starts_with(b"-")).any(|word| is_input(&word)) {
            return true;
        }
        let mut arguments = arguments;
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

/// Whether one of these programs may run its input or write it to a file: `sudo -S tee x`,
/// `sudo -S sh -c bash`, `su`.
pub(super) fn may_read_commands(words: &[&[u8]]) -> bool {
    let takes_command = |word: &&[u8]| {
        **word == *b"--command"
            || (word.starts_with(b"-") && !word.starts_with(b"--") && word.contains(&b'c'))
    };
    let has_command = words.iter().any(takes_command);
    let asks_shell = words.first().is_some_and(|word| matches!(program(word), b"su" | b"ksu"));
    let names = || words.iter().skip(usize::from(asks_shell)).map(|word| program(word));
    let shell = words.iter().position(|word| is_one_of(INPUT_RUNNERS, program(word)));
    let code = shell.filter(|_| has_command).and_then(|shell| words.get(shell + 1..));
    let has_shell = code.is_some_and(|code| code.iter().any(|word| may_read_input(word)));
    has_shell || (asks_shell && !has_command) || names().any(|name| is_one_of(COMMAND_READERS, name))
}

/// Whether a word of code may read the input of the shell that runs it.
fn may_read_input(word: &[u8]) -> bool {
    let name = program(word);
    word.iter().any(|byte| matches!(byte, b'$' | b'`' | b'<'))
        || has(word, "/dev/")
        || is_one_of(INPUT_RUNNERS, name)
        || matches!(
            name,
            b"eval" | b"source" | b"." | b"read" | b"mapfile" | b"readarray" | b"exec" | b"head" | b"tail"
        )
}

/// Programs that run another one elsewhere and pass their input on to it.
const REMOTE: [&[u8]; 6] = [b"docker", b"kubectl", b"lxc", b"oc", b"podman", b"ssh"];

/// Whether the program at this index gets the input, and no program before it runs it:
/// `sudo nice passwd`, `ssh h passwd`, but not `sh -c x passwd`.
pub(super) fn leads_to(words: &[&[u8]], index: usize) -> bool {
    let before = words.get(..index).unwrap_or_default();
    if words.first().is_some_and(|word| REMOTE.contains(word)) {
        let after_remote = before.get(1..).unwrap_or_default();
        let runs = |word: &&[u8]| {
            is_one_of(INPUT_RUNNERS, program(word)) || is_one_of(COMMAND_READERS, program(word))
        };
        return !after_remote.iter().any(runs);
    }
    // The program in `tee >(sudo -S ls)`.
    let from = before.iter().rposition(|word| *word == b">").map_or(0, |sign| sign + 1);
    let is_before = |word: &&[u8]| {
        let name = program(word);
        let runs_words = matches!(name, b"xargs" | b"parallel" | b"find" | b"eval" | b"busybox");
        let is_number = word.iter().all(u8::is_ascii_digit);
        word.starts_with(b"-") || is_number || assigned(word).is_some() || (is_wrapper(name) && !runs_words)
    };
    before.get(from..).unwrap_or_default().iter().all(is_before)
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
    // `ed25519` is no version of `ed`.
    let letters = if program.len() - digit > VERSION { program } else { letters };
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
    let is_name = || !is_option && assigned(written).is_none() && first_blank(written).is_none();
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

/// Where a word has its first blank outside `${…}`. No program's name has one.
pub(super) fn first_blank(word: &[u8]) -> Option<usize> {
    let mut open = 0_usize;
    word.iter().position(|byte| {
        match byte {
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0 && byte.is_ascii_whitespace()
    })
}
