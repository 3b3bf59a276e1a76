//! Closed lists of variables and assignments that an allowed command may have.

use std::collections::BTreeSet;

use sekisho_shell::programs::is_special_in_zsh;
use sekisho_shell::script::Assignment;
use sekisho_shell::word::{Piece, Word};

/// Variables whose value is the user's own and not secret.
const VARIABLES: &[&str] =
    &["HOME", "PWD", "USER", "LOGNAME", "HOSTNAME", "UID", "EUID", "LANG", "TERM", "SHELL", "?", "#", "$"];

/// Further variables that say where things are and are not secret. Their values name directories that anybody may have
/// put links into, so they are known only to programs that open no files.
const PRINTED: &[&str] = &[
    "PATH",
    "OLDPWD",
    "TMPDIR",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "SHLVL",
    "BASH_VERSION",
    "OSTYPE",
    "HOSTTYPE",
    "MACHTYPE",
    "PPID",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "COLORTERM",
    "TERM_PROGRAM",
    "DISPLAY",
    "NODE_ENV",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "JAVA_HOME",
    "GOPATH",
    "GOROOT",
    "NVM_DIR",
    "CI",
    "COLUMNS",
    "LINES",
    "LC_ALL",
    "TZ",
    "XDG_SESSION_TYPE",
    "MANPATH",
];

/// Whether a program opens no files and evaluates no word, so that it may print further variables.
fn only_prints(program: &str) -> bool {
    matches!(program, "echo" | "printf" | "test" | "[" | ":")
}

/// The first variable or other expansion in the words of a command that is not on the list, as written.
pub(crate) fn unlisted_in_command(program: &str, words: &[Word], own: &BTreeSet<String>) -> Option<String> {
    let is_printed = |name: &str| is_printable_in(program, name);
    words.iter().find_map(|word| unlisted(word, own, &is_printed))
}

/// Whether a variable is one of the user's own, whose value no text can have chosen.
pub(crate) fn is_users_variable(name: &str) -> bool {
    VARIABLES.contains(&name)
}

/// The first variable or other expansion in a word that is not on the list, as written.
pub(crate) fn unlisted_expansion(word: &Word, own: &BTreeSet<String>) -> Option<String> {
    unlisted(word, own, &|_| false)
}

/// Whether a variable may be printed by a command.
pub(crate) fn is_printable_in(program: &str, name: &str) -> bool {
    only_prints(program) && PRINTED.contains(&name)
}

fn unlisted(word: &Word, own: &BTreeSet<String>, is_printed: &dyn Fn(&str) -> bool) -> Option<String> {
    word.pieces.iter().find_map(|piece| match piece {
        Piece::Variable { name, .. } if is_users_variable(name) || own.contains(name) || is_printed(name) => {
            None
        }
        Piece::Variable { name, .. } => Some(format!("${name}")),
        Piece::Tilde(name) if name.is_empty() || name == "+" => None,
        Piece::Tilde(name) => Some(format!("~{name}")),
        Piece::Unknown { .. } => Some("an expansion".into()),
        Piece::Literal(_) | Piece::Glob(_) | Piece::Substitution { .. } | Piece::Process => None,
    })
}

/// Whether an assignment before a command only changes the look of its output.
pub(crate) fn is_harmless_assignment(assignment: &Assignment) -> bool {
    assignment.value.literal().is_some_and(|value| is_harmless_value(&assignment.name, &value))
}

/// Whether a variable with this value only changes the look of output, or how `read` splits its line.
pub(crate) fn is_harmless_value(name: &str, value: &str) -> bool {
    let plain = |extra: &str| value.chars().all(|c| c.is_ascii_alphanumeric() || extra.contains(c));
    match name {
        "LC_ALL" | "LANG" | "LC_CTYPE" | "LC_COLLATE" | "LC_MESSAGES" | "LC_NUMERIC" | "LC_TIME" => {
            is_locale(value)
        }
        // A time zone name. With a leading colon or slash it would be a file.
        "TZ" => plain("/_+-") && !value.starts_with('/') && !value.contains(".."),
        "NO_COLOR" | "CLICOLOR" | "CLICOLOR_FORCE" | "FORCE_COLOR" | "CI" => plain(""),
        // Zsh evaluates these as arithmetic, so the name of a variable could run commands.
        "COLUMNS" | "LINES" => value.is_empty() || is_number(value),
        // For `read` only.
        "IFS" => value.chars().all(|c| " \t\n,:;|".contains(c)),
        "TERM" => matches!(value, "dumb" | "xterm" | "xterm-256color"),
        "PAGER" | "GIT_PAGER" | "MANPAGER" | "SYSTEMD_PAGER" => value == "cat",
        "GIT_OPTIONAL_LOCKS" | "GIT_TERMINAL_PROMPT" => value == "0",
        "RUST_BACKTRACE" | "RUST_LIB_BACKTRACE" => matches!(value, "0" | "1" | "full"),
        "CARGO_TERM_COLOR" => matches!(value, "always" | "auto" | "never"),
        "PYTHONUNBUFFERED" | "PYTHONDONTWRITEBYTECODE" => matches!(value, "0" | "1"),
        // For other systems, `go` runs programs named for them that `PATH` leads to.
        "GOOS" | "GOARCH" => value.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()),
        "RUST_TEST_THREADS" | "CARGO_INCREMENTAL" | "CGO_ENABLED" | "PYTHONHASHSEED" => is_number(value),
        "NEXT_TELEMETRY_DISABLED" | "DO_NOT_TRACK" => is_number(value),
        // Programs of the project may do other things then, as they may in production; they run only if they are allowed.
        "NODE_ENV" | "RAILS_ENV" | "APP_ENV" | "MIX_ENV" => matches!(value, "test" | "development"),
        // Levels by module: `info`, `my_crate=debug,other=warn`.
        "RUST_LOG" => plain("_=,:-"),
        _ => false,
    }
}

fn is_number(value: &str) -> bool {
    (1..=6).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a text is the name of a locale: `C`, `en_US.UTF-8`. It is never a path or an option.
fn is_locale(value: &str) -> bool {
    let (language, encoding) = value.split_once('.').map_or((value, None), |(name, rest)| (name, Some(rest)));
    let (language, country) =
        language.split_once('_').map_or((language, None), |(name, rest)| (name, Some(rest)));
    let is_language = matches!(language, "" | "C" | "POSIX")
        || (matches!(language.len(), 2 | 3) && language.bytes().all(|b| b.is_ascii_lowercase()));
    let is_country = |name: &str| name.len() == 2 && name.bytes().all(|b| b.is_ascii_uppercase());
    let is_encoding = |name: &str| {
        let name = name.to_ascii_lowercase();
        matches!(name.as_str(), "utf-8" | "utf8" | "eucjp" | "sjis" | "koi8-r")
            || name.strip_prefix("iso-8859-").or(name.strip_prefix("iso8859-")).is_some_and(|number| {
                matches!(number.len(), 1 | 2) && number.bytes().all(|b| b.is_ascii_digit())
            })
    };
    let is_whole = language.is_empty() && (country.is_some() || encoding.is_some());
    is_language && country.is_none_or(is_country) && encoding.is_none_or(is_encoding) && !is_whole
}

/// Whether an allowed text may assign a variable of this name: it has no meaning for bash or other programs. A variable of
/// the environment keeps its new value for the programs that follow, so names in capitals are a closed list.
pub(crate) fn is_assignable_name(name: &str) -> bool {
    const CAPITALS: [&str; 58] = [
        "FILE", "FILES", "FILENAME", "DIR", "DIRS", "FOLDER", "NAME", "NAMES", "ROOT", "BASE", "SRC", "DST",
        "DEST", "OUT", "OUTPUT", "INPUT", "IN", "LOG", "LOGFILE", "VERSION", "VER", "TAG", "BRANCH",
        "COMMIT", "SHA", "HASH", "REV", "URL", "PORT", "REPO", "PROJECT", "PATTERN", "QUERY", "WORD", "TEXT",
        "MSG", "MESSAGE", "TITLE", "COUNT", "TOTAL", "NUM", "SIZE", "LINE", "START", "STOP", "RESULT",
        "STATUS", "CODE", "RC", "PKG", "PACKAGE", "MODULE", "CLASS", "ID", "PID", "VALUE", "ITEM", "TODAY",
    ];
    let mut letters = name.chars();
    let is_letter = letters.next().is_some_and(|c| c.is_ascii_uppercase()) && letters.next().is_none();
    let is_lower = is_loop_name(name) && name.starts_with(|c: char| c.is_ascii_lowercase());
    (is_lower && !name.starts_with("npm_") && !name.starts_with("ps"))
        || is_letter
        || CAPITALS.contains(&name)
}

/// Whether a name may be a loop variable of an allowed text: it has no meaning for bash, zsh or other programs.
pub(crate) fn is_loop_name(name: &str) -> bool {
    let lower = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let taken = matches!(name, "_" | "histchars" | "auto_resume") || is_special_in_zsh(name);
    lower && !taken && !name.contains("proxy")
}
