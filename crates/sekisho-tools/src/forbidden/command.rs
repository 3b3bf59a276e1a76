//! Forbidden commands in a shell text, in any spelling.

use std::cell::RefCell;

use sekisho_policy::{PlannedCommand, PlannedCommands, planned_commands};
use sekisho_shell::programs::InnerCommand;

use super::ForbiddenCode;
use super::arguments::{Argument, Values, readings};
use super::bare_words;
use super::environment_file::{ends_in_environment, is_below_proc, names_environment};
use super::git::{joined, pushes};

/// How many texts inside texts are looked at, besides those that the analysis follows itself.
const MAX_TEXTS: usize = 256;
/// How many bytes they may have together.
const MAX_BYTES: usize = 256 << 10;

/// Whether a shell text would run a forbidden command: directly, through a wrapper, in a substitution, or in a
/// text that another command runs.
pub fn forbidden_command(text: &str) -> Option<ForbiddenCode> {
    let mut texts = vec![text.to_owned()];
    let (mut at, mut bytes) = (0, 0);
    while let Some(next) = texts.get(at).cloned() {
        let inner = match examine(&next) {
            Ok(inner) => inner,
            Err(code) => return Some(code),
        };
        bytes += inner.iter().map(String::len).sum::<usize>();
        if texts.len() + inner.len() > MAX_TEXTS || bytes > MAX_BYTES {
            return search_bare_words(text);
        }
        for inner in inner {
            if !texts.contains(&inner) {
                texts.push(inner);
            }
        }
        at += 1;
    }
    None
}

/// The texts that a text may run, or what is forbidden in it.
fn examine(text: &str) -> Result<Vec<String>, ForbiddenCode> {
    let plan = planned_commands(text);
    let search = Search { values: values(&plan), texts: RefCell::default() };
    let found = plan.commands.iter().find_map(|command| search.command(command));
    let found = found.or_else(|| search.environment_files(&plan));
    // A text that was not analysed to its end is looked at once more, word by word.
    let found = found.or_else(|| plan.is_cut.then(|| search_bare_words(text)).flatten());
    if let Some(code) = found {
        return Err(code);
    }
    search.note_input(&plan);
    Ok(search.texts.take())
}

fn search_bare_words(text: &str) -> Option<ForbiddenCode> {
    let search = Search { values: Values::new(), texts: RefCell::default() };
    bare_words::search(text, &|words| search.arguments(words, true))
}

/// The literal values that the text assigns to variables.
fn values(plan: &PlannedCommands) -> Values {
    // Bash sets it to blanks: `rm${IFS}-rf`.
    let mut values = Values::from([("IFS".to_owned(), vec![" ".to_owned()])]);
    for (name, value) in &plan.assignments {
        if let Some(value) = value.literal() {
            values.entry(name.clone()).or_default().push(value.into_owned());
        }
    }
    values
}

struct Search {
    values: Values,
    /// Texts that a command may run.
    texts: RefCell<Vec<String>>,
}

impl Search {
    fn command(&self, command: &PlannedCommand) -> Option<ForbiddenCode> {
        for arguments in readings(&command.words, &self.values) {
            if let Some(code) = self.arguments(&arguments, command.profile.known) {
                return Some(code);
            }
            let is_text = command.profile.program_text;
            if arguments.iter().any(|argument| names_environment(argument, is_text)) {
                return Some(ForbiddenCode::EnvironmentFile);
            }
        }
        None
    }

    /// Checks the arguments of a command. If the program is unknown, it may be a wrapper.
    fn arguments(&self, arguments: &[Argument], is_known: bool) -> Option<ForbiddenCode> {
        let code = self.own(arguments);
        if code.is_some() || is_known {
            return code;
        }
        // Only what is unmistakable: `env` is also a subcommand of many programs.
        let inner = (1..arguments.len()).filter_map(|from| arguments.get(from..));
        inner
            .filter_map(|inner| self.own(inner))
            .find(|code| matches!(code, ForbiddenCode::RecursiveDelete | ForbiddenCode::GitPush))
    }

    fn own(&self, arguments: &[Argument]) -> Option<ForbiddenCode> {
        let (program, rest) = arguments.split_first()?;
        let runs = |names: &[&str]| names.iter().any(|name| program.runs(name));
        if runs(&["rm"]) && is_recursive_and_forced(rest) {
            return Some(ForbiddenCode::RecursiveDelete);
        }
        if runs(&["rmdir"]) {
            return Some(ForbiddenCode::RemoveDirectory);
        }
        let pushing = runs(&["git-push", "git-send-pack", "git-http-push"]);
        if pushing || runs(&["git"]) && pushes(arguments, &mut |text| self.note(text)) {
            return Some(ForbiddenCode::GitPush);
        }
        if runs(&["alias"]) {
            rest.iter().filter_map(|word| word.text.split_once('=')).for_each(|(_, value)| self.note(value));
        }
        if runs(&["env", "printenv"]) {
            return Some(ForbiddenCode::EnvironmentProgram);
        }
        builtin(program, rest)
    }

    fn note(&self, text: &str) {
        self.texts.borrow_mut().push(text.to_owned());
    }

    /// If a shell reads commands from its input, what other commands may print are texts too.
    fn note_input(&self, plan: &PlannedCommands) {
        let reads = |command: &PlannedCommand| {
            command.profile.inner_commands.iter().any(|inner| matches!(inner, InnerCommand::Input { .. }))
        };
        if !plan.commands.iter().any(reads) {
            return;
        }
        for command in &plan.commands {
            for arguments in readings(&command.words, &self.values) {
                let rest = arguments.get(1..).unwrap_or_default();
                self.note(&joined(rest));
                rest.iter().filter(|word| word.text.contains(' ')).for_each(|word| self.note(&word.text));
            }
        }
    }

    /// Redirects, assignments, and names relative to a directory below `/proc`.
    fn environment_files(&self, plan: &PlannedCommands) -> Option<ForbiddenCode> {
        let values = plan.assignments.iter().map(|(_, value)| value);
        let others = plan.redirect_targets.iter().chain(values);
        let others: Vec<Argument> = others
            .flat_map(|word| readings(std::slice::from_ref(word), &self.values).into_iter().flatten())
            .collect();
        let words = plan.commands.iter().flat_map(|command| readings(&command.words, &self.values));
        let words: Vec<Argument> = words.flatten().collect();
        let all = || words.iter().chain(&others);
        let found = others.iter().any(|argument| names_environment(argument, false))
            || all().any(is_below_proc) && all().any(ends_in_environment);
        found.then_some(ForbiddenCode::EnvironmentFile)
    }
}

/// Short options in any bundle, long ones in any abbreviation. GNU `rm` takes options after operands too.
fn is_recursive_and_forced(arguments: &[Argument]) -> bool {
    let (mut recursive, mut forced) = (false, false);
    for argument in arguments.iter().map(|argument| argument.text.as_str()).take_while(|text| *text != "--") {
        match (argument.strip_prefix("--"), argument.strip_prefix('-')) {
            (Some(long), _) if !long.is_empty() => {
                recursive |= "recursive".starts_with(long);
                forced |= "force".starts_with(long);
            }
            (None, Some(short)) => {
                recursive |= short.contains(['r', 'R']);
                forced |= short.contains('f');
            }
            _ => {}
        }
    }
    recursive && forced
}

/// Builtins that export variables or print all of them.
fn builtin(program: &Argument, rest: &[Argument]) -> Option<ForbiddenCode> {
    let is_option = |word: &&Argument| word.text.len() > 1 && word.text.starts_with(['-', '+']);
    let options = || rest.iter().take_while(is_option).map(|word| word.text.as_str());
    let has = |letter: char| options().any(|word| word.starts_with('-') && word.contains(letter));
    match program.text.as_str() {
        "export" => Some(ForbiddenCode::ExportVariable),
        "declare" | "typeset" | "local" if has('x') => Some(ForbiddenCode::ExportVariable),
        // With `-f` and `-F` they print functions.
        "declare" | "typeset" if rest.iter().all(|word| is_option(&word)) && !has('f') && !has('F') => {
            Some(ForbiddenCode::ListVariables)
        }
        "set" if rest.is_empty() => Some(ForbiddenCode::ListVariables),
        "set" if has('a') && !options().any(|word| word == "--") => Some(ForbiddenCode::ExportVariable),
        "set" if rest.windows(2).any(sets_allexport) => Some(ForbiddenCode::ExportVariable),
        _ => None,
    }
}

/// `-o allexport`, also at the end of a bundle.
fn sets_allexport(pair: &[Argument]) -> bool {
    let is_o = |text: &str| text.starts_with('-') && text.ends_with('o');
    matches!(pair, [option, name] if is_o(&option.text) && name.text == "allexport")
}
