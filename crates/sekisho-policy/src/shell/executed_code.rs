//! What a command executes as code: the words that contain or name it, or standard input.

use std::borrow::Cow;

use sekisho_shell::programs::{DangerCode, InnerCommand};
use sekisho_shell::word::Word;

use super::execution_plan::Step;
use crate::paths::normalise_lexically;

/// Options of interpreters whose value may be a separate word (`-W ignore`, `-r module`).
const WITH_VALUE: [&str; 6] = ["-W", "-X", "-I", "-r", "--require", "--import"];
/// Programs that read instructions from a file given by an option: its letters and long names.
const ORDERS: [(&[&str], &str, &[&str]); 3] = [
    (&["make", "gmake", "bmake"], "f", &["file", "makefile"]),
    (&["awk", "gawk", "mawk", "nawk"], "fE", &["file", "exec"]),
    (&["sed", "gsed"], "f", &["file"]),
];

/// What a command executes.
#[derive(Default)]
pub(super) struct ExecutedCode<'s> {
    /// Its standard input.
    pub(super) input: bool,
    /// Words that contain code or name a file with code.
    pub(super) words: Vec<&'s Word>,
    /// File names that are parts of words (`make -fx`).
    pub(super) names: Vec<String>,
}

impl<'s> ExecutedCode<'s> {
    pub(super) fn of(step: &'s Step) -> ExecutedCode<'s> {
        let (words, program) = (step.words.as_slice(), step.profile.program.as_deref().unwrap_or(""));
        let mut given = ExecutedCode::default();
        if runs_commands(step) {
            given.by_shell(step);
        } else if interprets(step) {
            given.by_interpreter(words, program == "deno", true);
        } else if program == "bun" {
            given.by_interpreter(words, true, false);
        } else if let Some((_, letters, names)) = ORDERS.iter().find(|(named, ..)| named.contains(&program)) {
            given.by_option(words, letters, names);
        }
        if step.profile.location.is_elsewhere() {
            given.words.extend(words.first());
        }
        given
    }

    fn by_shell(&mut self, step: &'s Step) {
        for inner in &step.profile.inner_commands {
            match inner {
                InnerCommand::Text { words, .. } => self.words.extend(words),
                InnerCommand::Input { .. } => self.input = true,
                InnerCommand::Argv(_) | InnerCommand::BangLines | InnerCommand::Unknown { .. } => {}
            }
        }
        if self.words.is_empty() {
            let operand = step.words.iter().skip(1).find(|word| !word.prefix().starts_with('-'));
            operand.into_iter().for_each(|word| self.file(word));
        }
    }

    /// Its first operand is the code, or the value of the option before it is. `fed`: without operands it
    /// executes standard input.
    fn by_interpreter(&mut self, words: &'s [Word], subcommands: bool, fed: bool) {
        let mut value = false;
        for (at, word) in words.iter().enumerate().skip(1) {
            let literal = word.literal();
            match literal.as_deref() {
                None if value => self.words.push(word),
                // `$OPTIONS` may be options, or nothing at all.
                None if word.pieces.len() == 1 && word.may_split() => self.words.push(word),
                Some(_) if value => {}
                Some(text) if text.starts_with('-') && text != "-" => {
                    value = WITH_VALUE.contains(&text);
                    continue;
                }
                Some("run" | "eval") if at == 1 && subcommands => {}
                _ => return self.file(word),
            }
            value = false;
        }
        self.input |= fed;
    }

    /// The file given by an option is the code.
    fn by_option(&mut self, words: &'s [Word], letters: &str, names: &[&str]) {
        let mut value = false;
        for word in words.iter().skip(1) {
            if std::mem::take(&mut value) {
                self.file(word);
                continue;
            }
            let (start, whole) = (word.prefix(), word.literal().is_some());
            let rest = match start.strip_prefix("--").map(|long| long.split_once('=').unwrap_or((long, ""))) {
                Some((name, rest)) => names.contains(&name).then_some(rest),
                None => start
                    .strip_prefix('-')
                    .and_then(|cluster| cluster.split_once(|letter| letters.contains(letter)))
                    .map(|(_, rest)| rest),
            };
            match rest {
                None => {}
                Some("") if whole => value = true,
                Some("-") if whole => self.input = true,
                Some(name) if whole && is_input(name) => self.input = true,
                Some(name) if whole => self.names.push(name.to_owned()),
                Some(_) => self.words.push(word),
            }
        }
    }

    fn file(&mut self, word: &'s Word) {
        match word.literal() {
            Some(text) if text == "-" || is_input(&text) => self.input = true,
            _ => self.words.push(word),
        }
    }
}

/// Whether it is a shell, which runs a text or a file as commands whatever its arguments are.
pub(super) fn runs_commands(step: &Step) -> bool {
    let code = step.profile.danger.map(|danger| danger.code);
    matches!(
        code,
        Some(DangerCode::RunsTextOrFileAsCommands | DangerCode::RunsTextAsCommands | DangerCode::SourcesFile)
    )
}

/// Whether it is an interpreter. Interpreters that get a file do not execute standard input.
pub(super) fn interprets(step: &Step) -> bool {
    step.profile.danger.is_some_and(|danger| danger.code == DangerCode::RunsProgram)
}

/// Whether a path is standard input in any spelling (`//dev/./stdin`).
fn is_input(path: &str) -> bool {
    let path = normalise_lexically(path).map_or(Cow::Borrowed(path), Cow::Owned);
    path == "/dev/stdin"
        || path == "/dev/fd/0"
        || path.strip_prefix("/proc/").is_some_and(|rest| rest.ends_with("/fd/0"))
}
