//! Forbidden commands in a shell text, in any spelling.

use std::cell::RefCell;
use std::collections::BTreeSet;

use sekisho_policy::{PlannedCommand, PlannedCommands, planned_commands};
use sekisho_shell::word::{Piece, Word};

use super::ForbiddenCode;
use super::budget::Budget;
use super::dry_run::{DryRuns, commands_in_sed};
use super::environment_listing::{lists_environment, lists_in};
use super::git_config_text::settings_in_parameters;
use super::git_push::{alias_command, corrects_names, joined, pushes};
use super::inert_text::is_inert;
use super::prefix_lists::shows_variables;
use super::printed_words::TextWords;
use super::proc_environ::{
    ends_in_environment, is_below_proc, is_proc_below_root, is_root, leads_to_process, may_link_to_process,
    names_environment, names_environment_below_root,
};
use super::proc_readers::{finds_process_files, reads_directories, reads_process};
use super::program_text::{is_interpreter, reads_input, runs_scripts};
use super::renamed_programs::WrittenFiles;
use super::resolved_arguments::{Argument, Values, readings};
use super::shell_options::{exports_all, exports_by_assignment, is_export_option, is_shell};
use super::unresolved_words::{quoted, quoted_words};
use super::{
    argument_zero, bare_words, command_escapes, containers, curl_paths, option_commands, program_text,
    python_comments, text_sources, written_documents,
};

/// How many texts inside texts are looked at, besides those that the analysis follows itself.
const MAX_TEXTS: usize = 1024;
/// How many bytes they may have together.
const MAX_BYTES: usize = 256 << 10;

/// Whether a shell text would run a forbidden command: directly, through a wrapper, in a substitution, or in a
/// text that another command runs.
pub fn forbidden_command(text: &str) -> Option<ForbiddenCode> {
    within(text, &Budget::default())
}

fn within(text: &str, budget: &Budget) -> Option<ForbiddenCode> {
    let found = search_texts(text, budget);
    // What was found counts; what was not looked at is not known to be harmless.
    found.or_else(|| budget.is_spent().then_some(ForbiddenCode::TooLargeToCheck))
}

fn search_texts(text: &str, budget: &Budget) -> Option<ForbiddenCode> {
    let mut texts = vec![text.to_owned()];
    let mut seen = BTreeSet::from([text.to_owned()]);
    let (mut at, mut bytes) = (0, 0);
    let dry_runs = DryRuns::default();
    let mut is_followed = true;
    while let Some(next) = texts.get(at).cloned().filter(|_| !budget.is_spent()) {
        let (inner, is_whole) = match examine(&next, &dry_runs, budget) {
            Ok(found) => found,
            Err(code) => return Some(code),
        };
        // Texts in it were followed with it.
        is_followed &= is_whole || at > 0;
        for inner in inner.into_iter().filter(|inner| seen.insert(inner.clone())) {
            bytes += inner.len();
            texts.push(inner);
        }
        if texts.len() > MAX_TEXTS || bytes > MAX_BYTES {
            // Texts are left that nobody has looked at.
            return search_bare_words(text, budget).or(Some(ForbiddenCode::TooLargeToCheck));
        }
        at += 1;
    }
    (!is_followed).then_some(ForbiddenCode::TooLargeToCheck)
}

/// The texts that a text may run, and whether it was followed to its end; or what is forbidden in it.
fn examine(text: &str, dry_runs: &DryRuns, budget: &Budget) -> Result<(Vec<String>, bool), ForbiddenCode> {
    let plan = planned_commands(text);
    let values = text_sources::values(text, &plan);
    let functions = text_sources::function_names(text).into_iter().map(str::to_owned).collect();
    let search = Search {
        values,
        functions,
        texts: RefCell::default(),
        corrects: corrects_names(text),
        only_runs_python: written_documents::are_only_written(&plan, &is_python),
        budget,
    };
    let containers: Vec<&PlannedCommand> =
        plan.commands.iter().filter(|command| containers::is_container(&command.words)).collect();
    // The function or the file of this name could be anything.
    let renames = ["PATH=", "hash", "alias", "ln ", "cp ", "mv "].iter().any(|word| text.contains(word));
    let is_plain = search.functions.is_empty() && !renames;
    let is_inside = |command: &PlannedCommand| {
        let is_in = |outer: &&PlannedCommand| containers::is_inside(&command.words, &outer.words);
        is_plain && budget.spend(containers.len()) && containers.iter().any(is_in)
    };
    let found = plan.commands.iter().find_map(|command| {
        let code = search.command(command)?;
        (code != ForbiddenCode::EnvironmentProgram || !is_inside(command)).then_some(code)
    });
    let found = found.or_else(|| search.environment_files(&plan));
    let found = found.or_else(|| search.program_input(&plan));
    let found = found.or_else(|| exports_by_assignment(&plan));
    let found = found.or_else(|| shows_variables(text).then_some(ForbiddenCode::ListVariables));
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
    let is_followed = dry_runs.follow(text, budget, &mut |inner| search.note(inner));
    Ok((search.texts.take(), is_followed))
}

fn search_bare_words(text: &str, budget: &Budget) -> Option<ForbiddenCode> {
    let search = Search {
        values: Values::new(),
        functions: BTreeSet::new(),
        texts: RefCell::default(),
        corrects: corrects_names(text),
        only_runs_python: false,
        budget,
    };
    bare_words::search(text, &|words| search.arguments(words, true))
}

struct Search<'b> {
    values: Values,
    /// The functions that the text defines. The dry run follows them with their arguments.
    functions: BTreeSet<String>,
    /// Texts that a command may run.
    texts: RefCell<Vec<String>>,
    /// The text mentions a setting with which git runs a subcommand that is spelled alike.
    corrects: bool,
    /// What the text writes or prints is run by nothing but Python.
    only_runs_python: bool,
    budget: &'b Budget,
}

impl Search<'_> {
    fn readings(&self, words: &[Word]) -> Vec<Vec<Argument>> {
        readings(words, &self.values, self.budget)
    }

    fn command(&self, command: &PlannedCommand) -> Option<ForbiddenCode> {
        for arguments in self.readings(&command.words) {
            let is_function = arguments.first().is_some_and(|name| self.functions.contains(&name.text));
            if let Some(code) = self.arguments(&arguments, command.profile.known || is_function) {
                return Some(code);
            }
            // `$SHELL -c …` was analysed without its value.
            let is_literal = command.words.first().is_some_and(|word| word.literal().is_some());
            if !is_literal && arguments.first().is_some_and(is_shell) {
                self.note(&quoted_words(arguments.iter().map(|word| word.text.as_str())));
            }
            // The text of a shell is analysed, not searched for words.
            let is_text = command.profile.program_text && !arguments.first().is_some_and(is_shell)
                || arguments.first().is_some_and(is_interpreter);
            let texts = if is_text { program_text::program_words(&arguments) } else { Vec::new() };
            if let Some(code) = texts.into_iter().find_map(|argument| self.program_text(&argument.text)) {
                return Some(code);
            }
            let only_text = TextWords::of(&arguments);
            let mut words = arguments.iter().enumerate().filter(|(at, _)| !only_text.contains(*at));
            let is_named = words.any(|(_, argument)| names_environment(argument, is_text, self.budget));
            if is_named || reads_process(&arguments) || self.is_fetched(&arguments) {
                return Some(ForbiddenCode::EnvironmentFile);
            }
        }
        None
    }

    /// Checks the arguments of a command. If the program is unknown, it may be a wrapper.
    fn arguments(&self, arguments: &[Argument], is_known: bool) -> Option<ForbiddenCode> {
        let program = arguments.first().map(|program| program.text.as_str()).unwrap_or_default();
        // A comment. `#b/rm` is a path.
        if program.starts_with('#') && !program.contains('/') {
            return None;
        }
        // `#!/usr/bin/env bash` is the first line of a script.
        let is_script_line = |code: &ForbiddenCode| {
            program.starts_with("#!")
                && program.ends_with("/env")
                && *code == ForbiddenCode::EnvironmentProgram
        };
        let code = self.own(arguments).filter(|code| !is_script_line(code));
        if code.is_some() || is_known {
            return code;
        }
        // They only say which processor they are for.
        if arguments.first().is_some_and(|program| ARCHITECTURES.iter().any(|name| program.runs(name))) {
            let command = arguments.iter().skip(1).position(|word| !word.text.starts_with('-'))?;
            return self.arguments(arguments.get(command + 1..)?, false);
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
        if pushing
            || runs(&["git"]) && pushes(arguments, (self.budget, self.corrects), &mut |text| self.note(text))
        {
            return Some(ForbiddenCode::GitPush);
        }
        self.note_inner(arguments, &runs);
        if runs(&["strace", "ltrace"])
            && rest.iter().take_while(|word| word.text.starts_with('-')).any(shows_all)
        {
            return Some(ForbiddenCode::ListVariables);
        }
        if runs(&["ps"]) && shows_environments(rest) {
            return Some(ForbiddenCode::EnvironmentFile);
        }
        if self.budget.spend(rest.len()) && lists_environment(program, rest, self.budget) {
            return Some(ForbiddenCode::ListVariables);
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

    /// Notes the commands in the words of a command.
    fn note_inner(&self, arguments: &[Argument], runs: &dyn Fn(&[&str]) -> bool) {
        let Some((program, rest)) = arguments.split_first() else { return };
        argument_zero::commands(arguments).iter().for_each(|command| self.note(command));
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
        option_commands::commands(program, rest).iter().for_each(|command| self.note(command));
        if let Some(escape) = command_escapes::escape(&program.text) {
            let words = rest.iter().take_while(|word| self.budget.spend(word.text.len() / 4));
            words.flat_map(|word| escape.commands(&word.text)).for_each(|command| self.note(&command));
        }
        if runs(&["sed", "gsed"]) {
            let words = rest.iter().take_while(|word| self.budget.spend(word.text.len()));
            words.flat_map(|word| commands_in_sed(&word.text)).for_each(|command| self.note(&command));
        }
    }

    /// Searches a program in another language.
    fn program_text(&self, text: &str) -> Option<ForbiddenCode> {
        let is_harmless = |text: &str| {
            python_comments::runs_nothing(text) && program_text::called_texts(text, self.budget).is_empty()
        };
        if self.only_runs_python && self.budget.spend(text.len() / 8) && is_harmless(text) {
            return None;
        }
        program_text::search(text, self.budget, &|words| self.own(words), &mut |inner| self.note(inner))
    }

    /// Searches the inputs that commands read as a program in another language.
    fn program_input(&self, plan: &PlannedCommands) -> Option<ForbiddenCode> {
        let commands = || plan.commands.iter().flat_map(|command| self.readings(&command.words));
        let written = WrittenFiles::new(plan, commands());
        // A file that the text writes: `printf … > doc/mk; make -f doc/mk`.
        let reads_written = |arguments: &[Argument]| {
            arguments.first().is_some_and(runs_scripts)
                && arguments.iter().skip(1).any(|word| written.may_be(&word.text))
        };
        if self.documents_list(plan) {
            return Some(ForbiddenCode::ListVariables);
        }
        let is_read = commands().any(|arguments| reads_input(&arguments) || reads_written(&arguments));
        if !is_read && !plan.commands.iter().any(reads_process_output) {
            return None;
        }
        let readings = |word: &Word| self.readings(std::slice::from_ref(word)).into_iter().flatten();
        let documents: Vec<Argument> = plan.redirect_targets.iter().flat_map(readings).collect();
        let printed = commands().flat_map(|arguments| arguments.into_iter().skip(1));
        let languages: BTreeSet<String> =
            commands().filter_map(|arguments| language(arguments.first()?)).collect();
        let printed: Vec<Argument> = printed.collect();
        // What is written is what Python reads, with its comments.
        let is_verbatim = self.only_runs_python
            && plan.redirect_targets.iter().all(|word| word.literal().is_some())
            && !documents.iter().chain(&printed).any(|text| python_comments::may_be_used(&text.text));
        let documents = documents.iter().map(|argument| match is_verbatim {
            true => python_comments::without_comments(&argument.text),
            false => argument.text.clone(),
        });
        let printed = printed.iter().map(|argument| argument.text.clone());
        documents.chain(printed).find_map(|text| {
            let text = text.replace("\\n", "\n").replace("\\t", "\t");
            let lists = languages.iter().any(|language| lists_in(language, &text, self.budget));
            if lists { Some(ForbiddenCode::ListVariables) } else { self.program_text(&text) }
        })
    }

    /// Notes the commands in here-documents and printed texts that a program may read from a file: sources, modules, and
    /// commands of sqlite3, gdb, vim and tmux. True if one of them lists the environment.
    fn documents_list(&self, plan: &PlannedCommands) -> bool {
        let commands: Vec<Vec<Argument>> =
            plan.commands.iter().flat_map(|command| self.readings(&command.words)).collect();
        let programs: Vec<&Argument> = commands.iter().filter_map(|words| words.first()).collect();
        let languages: BTreeSet<String> = programs.iter().filter_map(|program| language(program)).collect();
        let shows_values = |words: &Vec<Argument>| words.iter().any(|word| word.text == "-i");
        let is_interactive = languages.contains("python") && commands.iter().any(shows_values);
        let are_called = programs.iter().any(|program| program_text::reads_files(program));
        let are_compiled = programs.iter().any(|program| program_text::is_compiler(program));
        let mut escapes: Vec<_> =
            programs.iter().filter_map(|program| command_escapes::escape(&program.text)).collect();
        escapes.sort_unstable();
        escapes.dedup();
        if !are_called && escapes.is_empty() {
            return false;
        }
        let targets = plan.redirect_targets.iter();
        let printed = plan.commands.iter().flat_map(|command| command.words.iter().skip(1));
        let texts =
            targets.chain(printed).flat_map(|word| self.readings(std::slice::from_ref(word))).flatten();
        for text in texts.filter(|argument| argument.text.contains([' ', '\n'])) {
            if !self.budget.spend(text.text.len() / 4) {
                return false;
            }
            let text = text.text.replace("\\n", "\n");
            escapes.iter().flat_map(|escape| escape.commands(&text)).for_each(|command| self.note(&command));
            if are_called {
                let text = if are_compiled { program_text::without_comments(&text) } else { text.clone() };
                program_text::called_texts(&text, self.budget).iter().for_each(|text| self.note(text));
            }
            let lists = |language: &String| {
                let names_all = language == "make"
                    && ["$(.VARIABLES", "${.VARIABLES"].iter().any(|name| text.contains(name));
                names_all || lists_in(language, &text, self.budget)
            };
            let shows = |line: &str| {
                line.contains("environ") && lists_in("python", &format!("print({line})"), self.budget)
            };
            if languages.iter().any(lists) || is_interactive && text.lines().any(shows) {
                return true;
            }
        }
        false
    }

    fn note(&self, text: &str) {
        let is_inert = is_inert(text);
        if self.budget.spend(text.len() / if is_inert { 4 } else { 1 }) && !is_inert {
            self.texts.borrow_mut().push(text.to_owned());
        }
    }

    /// Config of git in variables may contain aliases.
    fn note_config(&self, plan: &PlannedCommands) {
        for (name, value) in &plan.assignments {
            let value = value.literal().unwrap_or_default();
            if name.starts_with("GIT_CONFIG_VALUE_") {
                // The key may be that of an alias, or of a command.
                self.note(&alias_command(&value));
                self.note(&value);
            }
            if name == "GIT_CONFIG_PARAMETERS" {
                for (name, value) in settings_in_parameters(&value) {
                    self.note(&alias_command(&value));
                    self.note(&format!("git -c {} status", quoted(&format!("{name}={value}"))));
                }
            }
        }
    }

    /// Redirects, assignments, and names relative to a directory below `/proc`.
    fn environment_files(&self, plan: &PlannedCommands) -> Option<ForbiddenCode> {
        let values = plan.assignments.iter().map(|(_, value)| value);
        // A document that is only written opens nothing. Without a blank it may be the name of a file.
        let is_prose = written_documents::are_only_written(plan, &|_| false);
        let is_target =
            |word: &&Word| !is_prose || !word.literal().is_some_and(|text| text.contains([' ', '\n']));
        let others = plan.redirect_targets.iter().filter(is_target).chain(values);
        let others: Vec<Argument> =
            others.flat_map(|word| self.readings(std::slice::from_ref(word)).into_iter().flatten()).collect();
        let commands: Vec<Vec<Argument>> =
            plan.commands.iter().flat_map(|command| self.readings(&command.words)).collect();
        let mut words: Vec<Argument> = Vec::new();
        for arguments in &commands {
            // `[[ x == *$y* ]]` names no files.
            let is_test = arguments.first().is_some_and(|program| program.text == "[[");
            let only_text = TextWords::of(arguments);
            let is_path = |at: &usize| !is_test && !only_text.contains(*at);
            let places = (0..arguments.len()).filter(is_path);
            words.extend(places.filter_map(|at| arguments.get(at).cloned()));
        }
        let all = || words.iter().chain(&others);
        let is_any = |is: fn(&[Argument]) -> bool| commands.iter().any(|arguments| is(arguments));
        let may_be_it = |argument: &Argument| !argument.is_unknown() && argument.may_end_in("environ");
        let is_below_root = |argument: &Argument| {
            self.budget.spend(argument.text.len() / 16) && names_environment_below_root(argument)
        };
        let found = others.iter().any(|argument| names_environment(argument, false, self.budget))
            || all().any(is_below_proc) && all().any(ends_in_environment)
            || (is_any(changes_to_proc) || is_any(links_to_proc)) && all().any(may_be_it)
            || is_any(changes_to_proc) && is_any(reads_directories)
            || is_any(changes_to_root) && is_any(changes_to_proc_below_root) && all().any(may_be_it)
            || is_any(changes_to_root) && all().any(is_below_root)
            || is_any(links_to_root) && all().any(leads_to_process) && all().any(may_be_it)
            || is_any(finds_process_files) && is_any(runs_for_each)
            || is_any(is_curl) && others.iter().any(|word| self.names_fetched(word, true));
        found.then_some(ForbiddenCode::EnvironmentFile)
    }

    /// Whether `curl` is given a path or a URL of such a file.
    fn is_fetched(&self, arguments: &[Argument]) -> bool {
        is_curl(arguments) && arguments.iter().skip(1).any(|word| self.names_fetched(word, false))
    }

    fn names_fetched(&self, word: &Argument, is_config: bool) -> bool {
        let paths = curl_paths::paths(&word.text, self.budget);
        paths.iter().any(|path| names_environment(&Argument::literal(path), is_config, self.budget))
    }
}

fn is_python(program: &str) -> bool {
    language(&Argument::literal(program)).is_some_and(|language| language == "python")
}

/// `awk -f <(echo …)`
fn reads_process_output(command: &PlannedCommand) -> bool {
    let is_process = |word: &Word| word.pieces.iter().any(|piece| matches!(piece, Piece::Process));
    let program = command.words.first().and_then(Word::literal);
    program.is_some_and(|name| is_interpreter(&Argument::literal(&name)))
        && command.words.iter().any(is_process)
}

/// The language of the programs that an interpreter runs.
fn language(program: &Argument) -> Option<String> {
    let name = program.text.rsplit('/').next().filter(|_| is_interpreter(program))?;
    Some(name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-').to_owned())
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

/// `--interactive=never`, in any abbreviation of the option and of its value.
fn never_asks(long: &str) -> bool {
    let Some((name, value)) = long.split_once('=') else { return false };
    let is_never = ["never", "no", "none"].iter().any(|never| never.starts_with(value));
    "interactive".starts_with(name) && !name.is_empty() && is_never && !value.is_empty()
}

fn is_variable_builtin(program: &Argument) -> bool {
    let names = ["export", "declare", "typeset", "local", "readonly", "set", "shopt", "setopt"];
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
        // With `-f` and `-F` they print functions, with `-a` and `-A` arrays, which are never exported. The list that
        // is assigned to an array is no word: `declare -a x=(1 2)`.
        "declare" | "typeset"
            if rest.iter().all(|word| is_option(&word)) && !['f', 'F', 'a', 'A'].into_iter().any(has) =>
        {
            Some(ForbiddenCode::ListVariables)
        }
        "readonly" if rest.iter().all(|word| is_option(&word)) && !['f', 'a', 'A'].into_iter().any(has) => {
            Some(ForbiddenCode::ListVariables)
        }
        "set" if rest.is_empty() => Some(ForbiddenCode::ListVariables),
        "set" if exports_all(rest) => Some(ForbiddenCode::ExportVariable),
        "shopt" if has('s') && has('o') && rest.iter().any(is_export_option) => {
            Some(ForbiddenCode::ExportVariable)
        }
        "setopt" if rest.iter().any(is_export_option) => Some(ForbiddenCode::ExportVariable),
        _ => None,
    }
}

/// Programs that run a command for another processor.
const ARCHITECTURES: [&str; 7] = ["i386", "i486", "i586", "i686", "x86_64", "linux32", "linux64"];

/// `strace -v`: the environment of the programs that are started.
fn shows_all(option: &Argument) -> bool {
    matches!(option.text.as_str(), "-v" | "--no-abbrev" | "-fv" | "-vf")
}

/// Whether `ps` has options without a dash, one of which is `e`.
fn shows_environments(words: &[Argument]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let letters = text.trim_start_matches('-');
        let is_letters = !letters.is_empty() && letters.chars().all(|c| c.is_ascii_alphabetic());
        let takes_value = match text.len() - letters.len() {
            0 => is_letters && letters.ends_with(['p', 'U', 't', 'q', 'o', 'O', 'k']),
            1 => {
                is_letters && letters.ends_with(['p', 'C', 'u', 'U', 'g', 'G', 't', 's', 'q', 'o', 'O', 'N'])
            }
            _ => {
                !letters.contains('=') && !["forest", "headers", "no-headers", "deselect"].contains(&letters)
            }
        };
        if letters.len() == text.len() && is_letters && letters.contains('e') {
            return true;
        }
        if takes_value {
            words.next();
        }
    }
    false
}

/// `cd /proc/self`, also through a link to the root.
fn changes_to_proc(arguments: &[Argument]) -> bool {
    changes_to(arguments, |word| is_below_proc(word) || leads_to_process(word))
}

/// `cd /`
fn changes_to_root(arguments: &[Argument]) -> bool {
    changes_to(arguments, is_root)
}

/// `cd proc`, which is `/proc` behind `cd /`.
fn changes_to_proc_below_root(arguments: &[Argument]) -> bool {
    changes_to(arguments, is_proc_below_root)
}

fn changes_to(arguments: &[Argument], is_entered: fn(&Argument) -> bool) -> bool {
    let Some((program, rest)) = arguments.split_first() else { return false };
    matches!(program.text.as_str(), "cd" | "pushd") && rest.iter().any(is_entered)
}

/// `ln -s /proc x`
fn links_to_proc(arguments: &[Argument]) -> bool {
    arguments
        .split_first()
        .is_some_and(|(program, rest)| program.runs("ln") && rest.iter().any(may_link_to_process))
}

/// `ln -s / x`
fn links_to_root(arguments: &[Argument]) -> bool {
    let is_root = |word: &Argument| !word.text.is_empty() && word.text.chars().all(|c| c == '/');
    arguments.split_first().is_some_and(|(program, rest)| program.runs("ln") && rest.iter().any(is_root))
}

/// Programs that run a command for each name in their input.
fn runs_for_each(arguments: &[Argument]) -> bool {
    arguments.first().is_some_and(|program| program.runs("xargs") || program.runs("parallel"))
}

fn is_curl(arguments: &[Argument]) -> bool {
    arguments.first().is_some_and(|program| program.runs("curl"))
}

#[cfg(test)]
mod tests;
