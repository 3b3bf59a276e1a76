//! Commands whose whole shape says what they do: help, a check of the syntax, a module of Python.

use super::arguments::is_literal;
use super::program_entry::ProgramEntry;
use super::program_lookup::ProgramLookup;
use crate::word::Word;

/// `python3 -m pytest`, perhaps with `-u` or `-B` first: the position of the module.
pub(super) fn module_position(entry: &ProgramEntry, words: &[Word]) -> Option<usize> {
    let option =
        words.iter().skip(1).position(|word| !(is_literal(word) && matches!(word.prefix(), "-u" | "-B")))?;
    let is_option = words.get(option + 1).is_some_and(|word| is_literal(word) && word.prefix() == "-m");
    let module = words.get(option + 2).filter(|word| is_option && is_literal(word))?;
    let is_listed = entry.data.modules.split_whitespace().any(|name| name == module.prefix());
    is_listed.then_some(option + 2)
}

/// `bash -n FILE`: the option first, then only names of files. A computed name may be an option, which is checked by those who
/// know the files, but they do not expect one that begins with `+`.
pub(super) fn only_parses(entry: &ProgramEntry, words: &[Word]) -> bool {
    let [_, option, files @ ..] = words else { return false };
    let is_file = |word: &Word| {
        let is_named = !word.prefix().is_empty() && !word.may_split();
        !word.prefix().starts_with(['-', '+'])
            && if is_literal(word) { !word.prefix().is_empty() } else { is_named || !entry.data.plus }
    };
    !entry.data.parses_if.is_empty()
        && is_literal(option)
        && option.prefix() == entry.data.parses_if
        && !files.is_empty()
        && files.iter().all(is_file)
}

/// `kubectl delete --help`: names of known subcommands, since another one may be a plugin, and then the option.
pub(super) fn asks_for_help(programs: &dyn ProgramLookup, program: &ProgramEntry, words: &[Word]) -> bool {
    let [_, subcommands @ .., last] = words else { return false };
    if !is_literal(last) || !program.data.help.split_whitespace().any(|word| word == last.prefix()) {
        return false;
    }
    let mut entry = program;
    for word in subcommands {
        let Some(name) = word.literal() else { return false };
        let Some(sub) = programs.subcommand(entry, name.as_ref()) else { return false };
        entry = sub;
    }
    true
}
