//! What decides where `cd` goes and what a name means: variables and options of the shell, and the commands that set them.

use sekisho_shell::word::Word;

/// Variables that say where `cd` goes, what a name means, or what a shell runs by itself.
pub(super) const VARIABLES: [&str; 16] = [
    "BASH_ALIASES",
    "CDPATH",
    "DIRSTACK",
    "HOME",
    "OLDPWD",
    "PROMPT_COMMAND",
    "PS0",
    "PWD",
    "aliases",
    "cdpath",
    "chpwd_functions",
    "dirstack",
    "functions",
    "histchars",
    "precmd_functions",
    "preexec_functions",
];
/// Commands that set the variables in their arguments.
pub(super) const SETTERS: [&str; 16] = [
    "declare",
    "export",
    "float",
    "getopts",
    "integer",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "typeset",
    "unset",
    "vared",
    "wait",
];
/// Letters and names of options of the shell that change neither `cd` nor what a name runs.
const LETTERS: &str = "abefhHmnouvxCE";
const OPTIONS: [&str; 24] = [
    "allexport",
    "braceexpand",
    "checkwinsize",
    "dotglob",
    "emacs",
    "errexit",
    "errtrace",
    "expand_aliases",
    "extglob",
    "failglob",
    "globstar",
    "histappend",
    "histexpand",
    "inherit_errexit",
    "monitor",
    "nocaseglob",
    "nocasematch",
    "noclobber",
    "nounset",
    "nullglob",
    "pipefail",
    "verbose",
    "vi",
    "xtrace",
];

/// Whether `set` or `shopt` changes only options that are known to change neither.
pub(super) fn sets_known_options(name: &str, arguments: &[Word]) -> bool {
    let words: Option<Vec<_>> = arguments.iter().map(Word::literal).collect();
    let is_known = |word: &str| match word.strip_prefix(['-', '+']) {
        Some("-") => true,
        Some(letters) if name == "shopt" => letters.chars().all(|letter| "supqo".contains(letter)),
        Some(letters) => letters.chars().all(|letter| LETTERS.contains(letter)),
        None => OPTIONS.contains(&word),
    };
    words.is_some_and(|words| {
        // Behind `--`, `set` sets arguments.
        let ends = |word: &str| word == "--" && name == "set";
        words.iter().take_while(|word| !ends(word)).all(|word| is_known(word))
    })
}

/// Whether a command sets one of the variables, or one that is not known.
pub(super) fn sets_variables(setter: &str, arguments: &[Word], source: &str) -> bool {
    // In a format or a value the name is only text.
    let names = match (setter, arguments.first().map(Word::prefix)) {
        ("printf", Some("-v")) => arguments.get(1..2).unwrap_or_default(),
        ("printf", Some(first)) if first.starts_with("-v") => arguments.get(..1).unwrap_or_default(),
        ("printf", _) => return false,
        ("wait", _) if !arguments.iter().any(|word| word.prefix().starts_with("-p")) => return false,
        _ => arguments,
    };
    // Without the others, `cd` is what it was.
    let variables: &[&str] = if setter == "unset" { &["HOME", "OLDPWD", "PWD"] } else { &VARIABLES };
    let may_be_name = |start: &str| start.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_reference = |start: &str| {
        matches!(setter, "declare" | "typeset" | "local") && start.starts_with('-') && start.contains('n')
    };
    let mut is_value = false;
    names.iter().any(|word| {
        let start = word.prefix();
        // `read -p "Go $USER?" x`
        let is_skipped = std::mem::replace(
            &mut is_value,
            setter == "read" && start.starts_with('-') && start.ends_with(['p', 't', 'n', 'd']),
        );
        if is_skipped {
            return false;
        }
        let name = start.split(['=', '[', '+']).next().unwrap_or_default();
        let written = source.get(word.span.start as usize..word.span.end as usize).unwrap_or_default();
        // `m=(…)`
        let has_name = written.split_once('=').is_some_and(|(name, _)| !name.is_empty() && may_be_name(name));
        let is_cut = word.literal().is_none() && may_be_name(start) && !has_name;
        let is_one =
            |variable: &&str| name == *variable || start.starts_with('-') && name.ends_with(*variable);
        is_cut || is_reference(start) || variables.iter().any(is_one)
    })
}

/// Whether a text names a command that changes the directory.
pub(super) fn mentions(text: &str) -> bool {
    let plain = text.replace(['\\', '\'', '"'], "");
    let is_name = |word: &str| matches!(word, "cd" | "chdir" | "popd" | "pushd");
    plain.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').any(is_name)
}
