//! Words that only a shell can resolve: substitutions, values that are read, elements of arrays, operators.
//!
//! One rule covers them: such a word may be any text that the command itself prints, assigns or passes on. `$(echo rm)
//! -rf x` is searched as `rm -rf x`. Texts without the words of a forbidden command are left out, so ordinary commands
//! cost nothing.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use sekisho_policy::{PlannedCommand, PlannedCommands};
use sekisho_shell::word::{Piece, Word};

use super::budget::Budget;
use super::git_push::corrects_names;
use super::resolved_arguments::Argument;
use super::shell_options::is_shell;

/// Programs that are forbidden whatever their arguments are.
const PROGRAMS: [&str; 7] =
    ["rmdir", "git-push", "git-send-pack", "git-http-push", "env", "printenv", "export"];
/// Builtins that set the variables they name to what they read.
const READERS: [&str; 4] = ["read", "mapfile", "readarray", "getopts"];

/// The texts of a command that may take the place of a word.
pub(super) struct KnownTexts {
    texts: BTreeSet<String>,
    /// Variables that get a value in a way that is not followed.
    computed: BTreeSet<String>,
    /// Of each text.
    relevance: OnceCell<Vec<Relevance>>,
}

/// What a text in the place of a word may make of a command.
struct Relevance {
    /// Some of the name of a forbidden program.
    names_part: bool,
    /// It could be options.
    is_short: bool,
    names_push: bool,
}

impl KnownTexts {
    /// `functions` are those that the text defines: the dry run follows them with their arguments.
    pub(super) fn new(plan: &PlannedCommands, functions: &BTreeSet<&str>) -> KnownTexts {
        let mut found =
            KnownTexts { texts: BTreeSet::new(), computed: BTreeSet::new(), relevance: OnceCell::new() };
        found.add_assignments(plan);
        for command in &plan.commands {
            let name = command.words.first().and_then(Word::literal);
            if !name.is_some_and(|name| functions.contains(name.as_ref())) {
                found.add_command(command);
            }
        }
        let inputs = plan.redirect_targets.iter().filter_map(Word::literal);
        inputs.for_each(|text| found.add(&text));
        if plan.assignments.iter().any(|(name, _)| name == "IFS") {
            let split: Vec<String> =
                found.texts.iter().map(|text| text.replace([',', ':', ';', '|', '/'], " ")).collect();
            found.texts.extend(split);
        }
        found
    }

    /// The texts with the words of a forbidden command.
    pub(super) fn dangerous(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str).filter(|text| is_dangerous(text))
    }

    /// Gives a command of quoted words to `note` with each text in the place of a part, if that could be forbidden.
    pub(super) fn replace(&self, place: &str, command: &str, budget: &Budget, note: &mut dyn FnMut(&str)) {
        for known in self.relevant(command) {
            let replaced = command.replace(place, &escaped(known.trim()));
            if !budget.spend(replaced.len()) {
                return;
            }
            if is_dangerous(&replaced) {
                note(&replaced);
            }
        }
    }

    /// Gives the command to `note` with each text in the place of the words that are not resolved, if that could be
    /// forbidden.
    pub(super) fn fill_in(&self, command: &PlannedCommand, budget: &Budget, note: &mut dyn FnMut(&str)) {
        let has_gap =
            |(at, word): (usize, &Word)| word.pieces.iter().any(|piece| self.is_open(piece, at == 0));
        if !command.words.iter().enumerate().any(has_gap) {
            return;
        }
        let rest = self.filled(&command.words, "");
        let names_program =
            command.words.first().is_some_and(|word| has_gap((0, word)) && word.pieces.len() == 1);
        for known in self.relevant(&rest) {
            // A sentence is no command: `"$@"; echo 'then git push'`.
            if names_program && !may_begin_command(known) {
                continue;
            }
            let filled = self.filled(&command.words, known);
            if !budget.spend(2 * filled.len()) {
                return;
            }
            if is_dangerous(&filled) {
                note(&filled);
            }
        }
    }

    /// The texts with which a command could become forbidden.
    fn relevant<'k>(&'k self, command: &str) -> impl Iterator<Item = &'k String> {
        let (has_rm, has_git) = (command.contains("rm"), command.contains("git"));
        let of = |text: &str| -> Relevance {
            let small = text.to_lowercase();
            Relevance {
                names_part: PARTS.iter().any(|part| small.contains(part)),
                is_short: text.len() < LONGEST_OPTIONS,
                names_push: small.contains("push"),
            }
        };
        let all = self.relevance.get_or_init(|| self.texts.iter().map(|text| of(text)).collect());
        self.texts.iter().zip(all).filter_map(move |(text, relevance)| {
            let is_relevant =
                relevance.names_part || has_rm && relevance.is_short || has_git && relevance.names_push;
            is_relevant.then_some(text)
        })
    }

    fn add(&mut self, text: &str) {
        let text = text.replace("\\n", "\n").replace("\\t", "\t");
        if !text.trim().is_empty() {
            self.texts.insert(text);
        }
    }

    fn add_assignments(&mut self, plan: &PlannedCommands) {
        let mut all = Vec::new();
        for (name, value) in &plan.assignments {
            match value.literal() {
                Some(value) => {
                    self.add(&value);
                    // `${a#x}`, `${a,,}`
                    let small = value.to_lowercase();
                    small.contains("rm").then(|| self.add("rm"));
                    all.push(value.into_owned());
                }
                None => drop(self.computed.insert(name.clone())),
            }
        }
        // `a[0]=rm; a[1]=-rf`
        self.add(&all.join(" "));
    }

    fn add_command(&mut self, command: &PlannedCommand) {
        let words: Vec<String> =
            command.words.iter().map(|word| word.literal().unwrap_or_default().into_owned()).collect();
        let Some((name, rest)) = words.split_first() else { return };
        match name.as_str() {
            // Its words do not take the place of its own name.
            "" => {}
            // The first names a file; the dry run passes on the others.
            "." | "source" => {}
            "echo" => self.add(&joined(rest)),
            "printf" => {
                let is_assigned = rest.first().is_some_and(|word| word == "-v");
                let (named, rest) =
                    rest.split_at_checked(if is_assigned { 2 } else { 0 }).unwrap_or_default();
                self.computed.extend(named.get(1).cloned());
                self.add(&formatted(rest));
            }
            name if READERS.contains(&name) => {
                self.computed.extend(rest.iter().filter(|word| !word.starts_with('-')).cloned());
            }
            "declare" | "typeset" | "local" | "readonly" => {
                for (name, value) in rest.iter().filter_map(|word| word.split_once('=')) {
                    self.add(value);
                    // `declare -n b=a` makes `b` another name of `a`.
                    self.computed.extend([name.to_owned(), value.to_owned()]);
                }
            }
            // `tee` writes its input, which is here already.
            name if !command.profile.known || name == "set" || is_shell(&Argument::literal(name)) => {
                self.add(&joined(rest));
                rest.iter().for_each(|word| self.add(word));
            }
            _ => {}
        }
    }

    /// Whether a piece of a word is not resolved.
    fn is_open(&self, piece: &Piece, is_program: bool) -> bool {
        match piece {
            Piece::Substitution { .. } | Piece::Unknown { .. } => true,
            // The dry run knows the positional parameters.
            Piece::Variable { name, .. } if is_positional(name) => false,
            Piece::Variable { name, .. } => is_program || self.computed.contains(name),
            Piece::Literal(_) | Piece::Glob(_) | Piece::Tilde(_) | Piece::Process => false,
        }
    }

    /// The command as a shell text.
    fn filled(&self, words: &[Word], text: &str) -> String {
        let mut filled = String::new();
        for (at, word) in words.iter().enumerate() {
            if at > 0 {
                filled.push(' ');
            }
            if word.pieces.is_empty() {
                filled.push_str("''");
            }
            for piece in &word.pieces {
                let is_one = match piece {
                    Piece::Variable { quoted, .. }
                    | Piece::Substitution { quoted }
                    | Piece::Unknown { quoted } => *quoted,
                    _ => true,
                };
                match piece {
                    piece if self.is_open(piece, at == 0) && is_one => filled.push_str(&quoted(text)),
                    piece if self.is_open(piece, at == 0) => filled.push_str(&split(text)),
                    Piece::Literal(text) => filled.push_str(&quoted(text)),
                    Piece::Glob(glob) => filled.push_str(glob),
                    Piece::Variable { name, quoted } => {
                        let (before, after) = if *quoted { ("\"${", "}\"") } else { ("${", "}") };
                        filled.extend([before, name, after]);
                    }
                    _ => filled.push('x'),
                }
            }
        }
        filled
    }
}

fn is_positional(name: &str) -> bool {
    matches!(name, "@" | "*") || name.chars().all(|c| c.is_ascii_digit())
}

fn joined(words: &[String]) -> String {
    let is_option = |word: &&String| matches!(word.as_str(), "-e" | "-n" | "-E" | "-ne" | "-en" | "--");
    words.iter().skip_while(is_option).map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// What `printf` prints, roughly: each `%s` is the next word, and the rest follows.
pub(super) fn formatted(words: &[String]) -> String {
    let Some((format, values)) = words.split_first() else { return String::new() };
    let mut values = values.iter();
    let mut printed = String::new();
    for (at, part) in format.split('%').enumerate() {
        let rest = part.trim_start_matches(['s', 'b', 'q']).trim_start_matches("(d)");
        if at > 0 {
            printed.push_str(values.next().map_or("", String::as_str));
        }
        printed.push_str(if at > 0 { rest } else { part });
    }
    for value in values {
        printed.push(' ');
        printed.push_str(value);
    }
    printed
}

pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", escaped(text))
}

/// A text as it stands inside single quotes.
fn escaped(text: &str) -> String {
    text.replace('\'', "'\\''")
}

/// Words as arguments in a shell text, each of them as it is.
pub(super) fn quoted_words<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn split(text: &str) -> String {
    quoted_words(text.split_whitespace())
}

/// Whether the first word of a text may be a forbidden program, or one that runs another.
fn may_begin_command(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    let is_sentence = first.len() > 1 && first.chars().all(|c| c.is_ascii_alphabetic());
    !is_sentence || text.split_whitespace().nth(1).is_none() || {
        PARTS.iter().any(|part| first.contains(part)) || BEGINNINGS.contains(&first.as_str())
    }
}

/// Programs that run the command behind them.
const BEGINNINGS: [&str; 16] = [
    "bash", "builtin", "busybox", "command", "doas", "eval", "exec", "nice", "nohup", "setsid", "sh",
    "stdbuf", "sudo", "time", "timeout", "xargs",
];

/// Parts of the names of all forbidden programs.
const PARTS: [&str; 6] = ["rm", "git", "push", "env", "export", "environ"];
/// Longer texts are no options of `rm`.
const LONGEST_OPTIONS: usize = 256;

/// Whether a text contains the words of a forbidden command, whatever they mean there.
pub(super) fn is_dangerous(text: &str) -> bool {
    // The quotes of a filled text are in the middle of a word: `-r'f'`.
    let bare = match text.contains(['\'', '"', '\\']) {
        true => Cow::Owned(text.replace(['\'', '"', '\\'], "")),
        false => Cow::Borrowed(text),
    };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let (mut has_rm, mut has_git, mut has_push) = (false, false, false);
    let (mut is_recursive, mut is_forced) = (false, false);
    for word in bare.split(|c: char| !is_part(c)).filter(|word| !word.is_empty()) {
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        match word.strip_prefix('-').map(|option| (option, option.strip_prefix('-'))) {
            Some((_, Some(long))) => {
                is_recursive |= "recursive".starts_with(long);
                // `--interactive=never` does the same.
                is_forced |= "force".starts_with(long) || "interactive".starts_with(long);
            }
            Some((letters, None)) => {
                is_recursive |= letters.contains(['r', 'R']);
                is_forced |= letters.contains('f');
            }
            None if PROGRAMS.iter().any(|name| is(name)) => return true,
            None => {
                has_rm |= is("rm");
                has_git |= is("git");
                has_push |= is("push");
            }
        }
    }
    has_rm && is_recursive && is_forced
        || has_git && (has_push || corrects_names(&bare))
        || bare.contains("compgen")
        || (bare.contains("env") || bare.contains("ENV")) && LISTS.iter().any(|name| bare.contains(name))
}

/// Parts of programs that list the environment or read it from a file.
const LISTS: [&str; 7] = ["environ", "process.env", "getenv", "Deno.env", "Bun.env", "ENVIRON", "_ENV"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printf_is_followed_roughly() {
        for (words, expected) in [
            (&["rm"][..], "rm"),
            (&["%s ", "rm", "-rf", "x"], "rm  -rf x"),
            (&["%s -rf x", "rm"], "rm -rf x"),
            (&["rm %s x", "-rf"], "rm -rf x"),
            (&["a"], "a"),
            (&[], ""),
        ] {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            assert_eq!(formatted(&words), expected);
        }
    }
}
