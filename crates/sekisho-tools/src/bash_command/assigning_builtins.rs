//! Builtins that assign variables by name or run other commands, and so can make a listed name start another program.
//!
//! `printf -v 'BASH_CMDS[ls]' /bin/id; ls` starts `id`, and so do another `PATH` and `compgen -C id`.

use sekisho_shell::word::Word;

/// Builtins that change what a name or a variable means, or run a command, whatever their words are.
const ALWAYS: [&str; 21] = [
    "alias", "bind", "compgen", "complete", "compopt", "declare", "enable", "export", "fc", "getopts",
    "hash", "let", "local", "readonly", "set", "shopt", "source", ".", "typeset", "unalias", "unset",
];
/// Builtins that assign the variables that they name.
const READERS: [&str; 3] = ["mapfile", "read", "readarray"];

/// Whether a command assigns a variable other than an ordinary one in small letters. `words` are all of its words.
pub(super) fn assigns(words: &[Word]) -> bool {
    let text = |word: &Word| word.literal().map(|text| text.into_owned());
    let Some((name, rest)) = words.split_first().and_then(|(name, rest)| Some((text(name)?, rest))) else {
        return false;
    };
    match name.as_str() {
        name if ALWAYS.contains(&name) => true,
        // `-v NAME`, also in one word or computed. It has no other options.
        "printf" => rest.first().is_some_and(|word| text(word).is_none_or(|text| text.starts_with("-v"))),
        // `-p NAME`, after and among other options.
        "wait" => {
            let may_name = |text: String| text.starts_with('-') && text.contains('p');
            rest.iter().any(|word| text(word).is_none_or(may_name))
        }
        name if READERS.contains(&name) => {
            let is_plain =
                |word: &Word| text(word).is_some_and(|text| is_option(&text) || is_plain_name(&text));
            !rest.iter().all(is_plain)
        }
        _ => false,
    }
}

/// Options without a value in the same word that could name a variable.
fn is_option(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|letters| letters.chars().all(|c| "rstdnNpuei0".contains(c)))
}

/// A name that no shell and no program gives a meaning.
fn is_plain_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit())
}
