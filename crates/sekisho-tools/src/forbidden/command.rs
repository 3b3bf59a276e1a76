//! Forbidden commands in a shell text, in any spelling.

use std::cell::RefCell;
use std::collections::BTreeSet;

use sekisho_policy::{PlannedCommand, PlannedCommands, planned_commands};
use sekisho_shell::word::Word;

use super::ForbiddenCode;
use super::bare_words;
use super::budget::Budget;
use super::dry_run::DryRuns;
use super::git_push::{alias_command, joined, pushes};
use super::proc_environ::{ends_in_environment, is_below_proc, names_environment};
use super::program_text::{self, is_interpreter, reads_input};
use super::resolved_arguments::{Argument, Values, readings};
use super::shell_options::{exports_all, exports_by_assignment, is_allexport, is_shell};
use super::text_sources;

/// How many texts inside texts are looked at, besides those that the analysis follows itself.
const MAX_TEXTS: usize = 1024;
/// How many bytes they may have together.
const MAX_BYTES: usize = 256 << 10;

/// Whether a shell text would run a forbidden command: directly, through a wrapper, in a substitution, or in a
/// text that another command runs.
pub fn forbidden_command(text: &str) -> Option<ForbiddenCode> {
    let budget = Budget::default();
    let found = search_texts(text, &budget);
    // What was found counts; what was not looked at is not known to be harmless.
    found.or_else(|| budget.is_spent().then_some(ForbiddenCode::TooLargeToCheck))
}

fn search_texts(text: &str, budget: &Budget) -> Option<ForbiddenCode> {
    let mut texts = vec![text.to_owned()];
    let (mut at, mut bytes) = (0, 0);
    let dry_runs = DryRuns::default();
    while let Some(next) = texts.get(at).cloned().filter(|_| !budget.is_spent()) {
        let inner = match examine(&next, &dry_runs, budget) {
            Ok(inner) => inner,
            Err(code) => return Some(code),
        };
        bytes += inner.iter().map(String::len).sum::<usize>();
        if texts.len() + inner.len() > MAX_TEXTS || bytes > MAX_BYTES {
            // Texts are left that nobody has looked at.
            return search_bare_words(text, budget).or(Some(ForbiddenCode::TooLargeToCheck));
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
fn examine(text: &str, dry_runs: &DryRuns, budget: &Budget) -> Result<Vec<String>, ForbiddenCode> {
    let plan = planned_commands(text);
    let values = text_sources::values(&plan);
    let search = Search { values, texts: RefCell::default(), budget };
    let found = plan.commands.iter().find_map(|command| search.command(command));
    let found = found.or_else(|| search.environment_files(&plan));
    let found = found.or_else(|| search.program_input(&plan));
    let found = found.or_else(|| exports_by_assignment(&plan));
    // A text that was not analysed to its end is looked at once more, word by word, to say what is in it.
    let cut = || search_bare_words(text, budget).unwrap_or(ForbiddenCode::TooLargeToCheck);
    let found = found.or_else(|| plan.is_cut.then(cut));
    if let Some(code) = found {
        return Err(code);
    }
    search.note_config(&plan);
    let commands: Vec<Vec<Argument>> =
        plan.commands.iter().flat_map(|command| search.readings(&command.words)).collect();
    text_sources::find(text, &plan, &commands, (&search.values, budget), &mut |inner| search.note(inner));
    dry_runs.follow(text, budget, &mut |inner| search.note(inner));
    Ok(search.texts.take())
}

fn search_bare_words(text: &str, budget: &Budget) -> Option<ForbiddenCode> {
    let search = Search { values: Values::new(), texts: RefCell::default(), budget };
    bare_words::search(text, &|words| search.arguments(words, true))
}

struct Search<'b> {
    values: Values,
    /// Texts that a command may run.
    texts: RefCell<Vec<String>>,
    budget: &'b Budget,
}

impl Search<'_> {
    fn readings(&self, words: &[Word]) -> Vec<Vec<Argument>> {
        readings(words, &self.values, self.budget)
    }

    fn command(&self, command: &PlannedCommand) -> Option<ForbiddenCode> {
        for arguments in self.readings(&command.words) {
            if let Some(code) = self.arguments(&arguments, command.profile.known) {
                return Some(code);
            }
            let is_text = command.profile.program_text || arguments.first().is_some_and(is_interpreter);
            let texts = arguments.iter().skip(1).filter(|_| is_text);
            if let Some(code) = texts.into_iter().find_map(|argument| self.program_text(&argument.text)) {
                return Some(code);
            }
            if arguments.iter().any(|argument| names_environment(argument, is_text, self.budget)) {
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
        let inner = (1..arguments.len()).take_while(|_| !self.budget.is_spent());
        let inner = inner.filter_map(|from| arguments.get(from..));
        inner
            .filter_map(|inner| self.own(inner))
            .find(|code| matches!(code, ForbiddenCode::RecursiveDelete | ForbiddenCode::GitPush))
    }

    fn own(&self, arguments: &[Argument]) -> Option<ForbiddenCode> {
        let (program, rest) = arguments.split_first()?;
        // All that follows looks at every word.
        let runs =
            |names: &[&str]| names.iter().any(|name| program.runs(name)) && self.budget.spend(rest.len());
        if runs(&["rm"]) && is_recursive_and_forced(rest) {
            return Some(ForbiddenCode::RecursiveDelete);
        }
        if runs(&["rmdir"]) {
            return Some(ForbiddenCode::RemoveDirectory);
        }
        let pushing = runs(&["git-push", "git-send-pack", "git-http-push"]);
        if pushing || runs(&["git"]) && pushes(arguments, self.budget, &mut |text| self.note(text)) {
            return Some(ForbiddenCode::GitPush);
        }
        if runs(&["alias"]) {
            rest.iter().filter_map(|word| word.text.split_once('=')).for_each(|(_, value)| self.note(value));
        }
        if runs(&["set"]) {
            // `set -- rm -rf x; "$@"`, also without the dashes.
            let is_option = |word: &&Argument| word.text.starts_with(['-', '+']);
            let dashes = rest.iter().position(|word| word.text == "--").map(|at| at + 1);
            let from = dashes.unwrap_or_else(|| rest.iter().take_while(is_option).count());
            rest.get(from..).into_iter().for_each(|words| self.note(&joined(words)));
        }
        if runs(&["ps"]) && rest.first().is_some_and(shows_environments) {
            return Some(ForbiddenCode::EnvironmentFile);
        }
        if runs(&["env", "printenv"]) {
            return Some(ForbiddenCode::EnvironmentProgram);
        }
        if is_shell(program) && self.budget.spend(rest.len()) && exports_all(rest) {
            return Some(ForbiddenCode::ExportVariable);
        }
        if is_variable_builtin(program) && self.budget.spend(rest.len()) {
            return builtin(program, rest);
        }
        None
    }

    /// Searches a program in another language.
    fn program_text(&self, text: &str) -> Option<ForbiddenCode> {
        program_text::search(text, self.budget, &|words| self.own(words), &mut |inner| self.note(inner))
    }

    /// Searches the inputs that commands read as a program in another language.
    fn program_input(&self, plan: &PlannedCommands) -> Option<ForbiddenCode> {
        let commands = || plan.commands.iter().flat_map(|command| self.readings(&command.words));
        let targets: BTreeSet<_> = plan.redirect_targets.iter().filter_map(Word::literal).collect();
        // A file that the text writes: `printf … > doc/mk; make -f doc/mk`.
        let reads_written = |arguments: &[Argument]| {
            arguments.first().is_some_and(is_interpreter)
                && arguments.iter().skip(1).any(|word| targets.contains(word.text.as_str()))
        };
        if !commands().any(|arguments| reads_input(&arguments) || reads_written(&arguments)) {
            return None;
        }
        let documents = plan.redirect_targets.iter();
        let documents =
            documents.flat_map(|word| self.readings(std::slice::from_ref(word)).into_iter().flatten());
        let printed = commands().flat_map(|arguments| arguments.into_iter().skip(1));
        documents.chain(printed).find_map(|argument| {
            let text = argument.text.replace("\\n", "\n").replace("\\t", "\t");
            self.program_text(&text)
        })
    }

    fn note(&self, text: &str) {
        if self.budget.spend(text.len()) {
            self.texts.borrow_mut().push(text.to_owned());
        }
    }

    /// Config of git in variables may contain aliases.
    fn note_config(&self, plan: &PlannedCommands) {
        for (name, value) in &plan.assignments {
            let value = value.literal().unwrap_or_default();
            if name.starts_with("GIT_CONFIG_VALUE_") {
                self.note(&alias_command(&value));
            }
            if name == "GIT_CONFIG_PARAMETERS" {
                let settings = value.split('\'').filter_map(|setting| setting.split_once('='));
                settings.for_each(|(_, value)| self.note(&alias_command(value)));
            }
        }
    }

    /// Redirects, assignments, and names relative to a directory below `/proc`.
    fn environment_files(&self, plan: &PlannedCommands) -> Option<ForbiddenCode> {
        let values = plan.assignments.iter().map(|(_, value)| value);
        let others = plan.redirect_targets.iter().chain(values);
        let others: Vec<Argument> =
            others.flat_map(|word| self.readings(std::slice::from_ref(word)).into_iter().flatten()).collect();
        let words = plan.commands.iter().flat_map(|command| self.readings(&command.words));
        let words: Vec<Argument> = words.flatten().collect();
        let all = || words.iter().chain(&others);
        let mut commands = plan.commands.iter().flat_map(|command| self.readings(&command.words));
        let enters_proc = commands.any(|arguments| changes_to_proc(&arguments));
        let found = others.iter().any(|argument| names_environment(argument, false, self.budget))
            || all().any(is_below_proc) && all().any(ends_in_environment)
            || enters_proc && all().any(|argument| argument.may_end_in("environ"));
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
                forced |= "force".starts_with(long) || never_asks(long);
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

/// `--interactive=never`, in any abbreviation of the option.
fn never_asks(long: &str) -> bool {
    let Some((name, value)) = long.split_once('=') else { return false };
    "interactive".starts_with(name) && !name.is_empty() && ["never", "no", "none"].contains(&value)
}

fn is_variable_builtin(program: &Argument) -> bool {
    let names = ["export", "declare", "typeset", "local", "set", "shopt", "setopt"];
    names.contains(&program.text.as_str())
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
        "set" if exports_all(rest) => Some(ForbiddenCode::ExportVariable),
        "shopt" if has('s') && has('o') && rest.iter().any(is_allexport) => {
            Some(ForbiddenCode::ExportVariable)
        }
        "setopt" if rest.iter().any(is_allexport) => Some(ForbiddenCode::ExportVariable),
        _ => None,
    }
}

/// Options of `ps` without a dash, one of which is `e`.
fn shows_environments(word: &Argument) -> bool {
    word.text.contains('e') && word.text.chars().all(|c| c.is_ascii_alphabetic())
}

/// `cd /proc/self`.
fn changes_to_proc(arguments: &[Argument]) -> bool {
    let Some((program, rest)) = arguments.split_first() else { return false };
    matches!(program.text.as_str(), "cd" | "pushd") && rest.iter().any(is_below_proc)
}
