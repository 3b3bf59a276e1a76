//! Where the text of a shell comes from, if no command names it as a command: inputs, files that the text itself
//! writes, values, positional parameters, defaults of expansions.
//!
//! The rules find too much rather than too little, but only where something in the text can run another text.

use std::collections::BTreeSet;

use sekisho_policy::{PlannedCommand, PlannedCommands};
use sekisho_shell::programs::InnerCommand;
use sekisho_shell::word::Word;

use super::budget::Budget;
use super::git_push::joined;
use super::program_text::{is_interpreter, names_runner, quoted_texts};
use super::resolved_arguments::{Argument, Values};
use super::shell_options::is_shell;
use super::unresolved_words::{KnownTexts, is_dangerous, quoted, quoted_words};
use super::{git_settings, renamed_programs, script_files};

/// Builtins that take assignments as words.
const DECLARATIONS: [&str; 5] = ["declare", "typeset", "local", "readonly", "export"];
/// Builtins that set the variables they name to what they read.
const READERS: [&str; 3] = ["read", "mapfile", "readarray"];
/// Builtins that run texts given as words.
const EVALUATORS: [&str; 6] = ["compgen", "complete", "history", "fc", "bind", "trap"];
/// Ends of the names of variables that hold commands.
const COMMAND_VARIABLES: [&str; 14] = [
    "EDITOR",
    "VISUAL",
    "PAGER",
    "_COMMAND",
    "BROWSER",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "_DIFF",
    "_ASKPASS",
    "LESSOPEN",
    "LESSCLOSE",
    "TAR_OPTIONS",
];
/// Ends of the names of variables that hold options or programs of another language, and what runs them.
const LANGUAGE_VARIABLES: [(&str, &str); 2] = [("MAKEFLAGS", "make"), ("PERL5DB", "perl -e")];
/// Variables that hold programs that make runs.
const MAKE_VARIABLES: [&str; 10] = ["AR", "AS", "CC", "CPP", "CXX", "FC", "LD", "LEX", "RM", "YACC"];
/// Something in a text that evaluates the subscripts of a value once more.
const SUBSCRIPT_EVALUATIONS: [&str; 4] = ["((", "let ", " -i", "["];
/// Something in a text that evaluates a whole value once more.
const EVALUATIONS: [&str; 3] = ["@P}", "${!", "PS4"];
/// Letters of the options of `xargs` and `parallel` that have a value, and the long ones with a value in the next word.
const APPENDING_VALUES: &str = "adEIjLnPs";
const LONG_APPENDING_VALUES: [&str; 6] =
    ["--arg-file", "--delimiter", "--jobs", "--max-args", "--max-chars", "--max-procs"];

/// The literal values that the text gives to variables.
pub(super) fn values(text: &str, plan: &PlannedCommands) -> Values {
    // Bash has values of its own: `rm${IFS}-rf`, `$SHELL -c`.
    let known = [("IFS", " "), ("SHELL", "/bin/bash")];
    let mut values: Values =
        known.into_iter().map(|(name, value)| (name.to_owned(), vec![value.to_owned()])).collect();
    let mut give =
        |name: &str, value: &str| values.entry(name.to_owned()).or_default().push(value.to_owned());
    for (name, value) in &plan.assignments {
        if let Some(value) = value.literal() {
            give(name, &value);
        }
    }
    for command in &plan.commands {
        let words: Vec<String> =
            command.words.iter().map(|word| word.literal().unwrap_or_default().into_owned()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            [name, rest @ ..] if DECLARATIONS.contains(name) => {
                rest.iter()
                    .filter_map(|word| word.split_once('='))
                    .for_each(|(name, value)| give(name, value));
            }
            ["printf", "-v", name, rest @ ..] => rest.iter().for_each(|text| give(name, text)),
            [name, rest @ ..] if READERS.contains(name) => {
                let texts: Vec<_> = plan.redirect_targets.iter().filter_map(Word::literal).collect();
                let names = rest.iter().filter(|word| !word.starts_with('-')).take(MOST_READ);
                names.for_each(|name| {
                    texts.iter().take(MOST_READ).for_each(|text| give(name, text.trim_end()));
                });
            }
            _ => {}
        }
    }
    for all in values.values_mut().filter(|all| all.len() > 1 && text.contains("+=")) {
        // `a=rm; a+=' -rf'`
        all.insert(0, all.concat());
    }
    values
}

/// How many variables and inputs of one `read` are looked at.
const MOST_READ: usize = 16;

/// Finds the texts that may be run and gives them to `note`.
pub(super) fn find(
    text: &str,
    plan: &PlannedCommands,
    commands: &[Vec<Argument>],
    (values, budget): (&Values, &Budget),
    note: &mut dyn FnMut(&str),
) {
    let source = Source { plan, commands, budget };
    let functions = function_names(text);
    let known = KnownTexts::new(plan, &functions);
    if source.runs_other_text() {
        source.printed().iter().for_each(|text| note(&text.replace("\\n", "\n")));
        known.dangerous().for_each(&mut *note);
    } else {
        // A script may run its arguments.
        source
            .commands
            .iter()
            .filter(runs_script)
            .for_each(|arguments| note(&joined(words_behind(arguments))));
    }
    let passed_on: Vec<_> =
        commands.iter().filter_map(|arguments| arguments_that_are_run(arguments)).collect();
    if !passed_on.is_empty() {
        for (program, words) in &passed_on {
            let words = joined(
                words
                    .get(usize::from(words.first().is_some_and(|word| word.text == "--"))..)
                    .unwrap_or_default(),
            );
            note(&words);
            // `perl -e 'exec "rm", @ARGV' x -rf y`
            let names = quoted_texts(&program.text).take(MOST_READ).map(|name| format!("{name} {words}"));
            names.filter(|text| is_dangerous(text)).for_each(|text| note(&text));
        }
        known.dangerous().for_each(&mut *note);
    }
    plan.commands.iter().for_each(|command| known.fill_in(command, budget, note));
    renamed_programs::find(plan, commands, budget, note);
    source.appended_arguments(&known, note);
    source.words_of_builtins(note);
    git_settings::find(commands, values, note);
    source.variables_with_commands(note);
    if uses_positional(text) {
        source.positional(text.contains(NOT_FOUND), &functions, note);
    }
    if let Some(inner) = with_defaults(text) {
        note(&inner);
    }
    let evaluates = |evaluations: &[&str]| evaluations.iter().any(|evaluation| text.contains(evaluation));
    let is_long = text.len() >= LONG_TEXT;
    if evaluates(&EVALUATIONS) {
        quoted_substitutions(text, is_long, budget, note);
    } else if evaluates(&SUBSCRIPT_EVALUATIONS) {
        substitutions_in_subscripts(text, is_long, budget, note);
        // `s='$(…)'; [[ -v "a[$s]" ]]`
        let values = values.values().flatten().take_while(|value| budget.spend(value.len() / 8));
        values.for_each(|value| substitutions(value, is_long, budget, note));
    }
}

/// Whether a command runs a script that it is given.
fn runs_script(arguments: &&Vec<Argument>) -> bool {
    match arguments.split_first() {
        Some((program, rest)) if is_shell(program) => {
            let is_short = |word: &Argument| word.text.starts_with('-') && !word.text.starts_with("--");
            let is_given = |word: &Argument| is_short(word) && word.text.contains('c');
            let has_start_file = rest.iter().any(|word| word.text.ends_with("file"));
            // `bash -n` only reads.
            let is_run = !rest.iter().take_while(|word| is_short(word)).any(|word| word.text.contains('n'));
            !rest.is_empty() && is_run && (has_start_file || !rest.iter().any(is_given))
        }
        Some((program, _)) => matches!(program.text.as_str(), "." | "source"),
        None => false,
    }
}

/// The arguments of a command. `. path/env`: the name of a file that is read is no command.
fn words_behind(arguments: &[Argument]) -> &[Argument] {
    let reads = arguments.first().is_some_and(|program| matches!(program.text.as_str(), "." | "source"));
    arguments.get(if reads { 2 } else { 1 }..).unwrap_or_default()
}

/// The function that bash calls with the words of a command that does not exist.
const NOT_FOUND: &str = "command_not_found_handle";

/// The words behind a program in another language that may run them, or its input: `perl -e 'system @ARGV' rm -rf x`.
fn arguments_that_are_run(arguments: &[Argument]) -> Option<(&Argument, &[Argument])> {
    let program = arguments.iter().position(|word| names_runner(&word.text))?;
    arguments.first().filter(|first| is_interpreter(first))?;
    Some((arguments.get(program)?, arguments.get(program + 1..)?))
}

struct Source<'p> {
    plan: &'p PlannedCommands,
    commands: &'p [Vec<Argument>],
    budget: &'p Budget,
}

impl Source<'_> {
    /// Whether some shell reads its commands from its input, or from a file that the text may have made.
    fn runs_other_text(&self) -> bool {
        let reads_input = self.plan.commands.iter().any(|command| {
            command.profile.inner_commands.iter().any(|inner| matches!(inner, InnerCommand::Input { .. }))
        });
        let runs_file = || {
            self.commands.iter().any(|arguments| runs_script(&arguments))
                && !script_files::are_of_others(self.plan, self.commands, self.budget)
        };
        let starts_with_file = |(name, _): &(String, Word)| name == "BASH_ENV" || name == "ENV";
        reads_input
            || runs_file()
            || renamed_programs::runs_written_file(self.plan, self.commands)
            || self.plan.assignments.iter().any(starts_with_file)
    }

    /// What commands may print, and what is written in the text as the input of a command.
    fn printed(&self) -> Vec<String> {
        let mut found = self.inputs();
        for arguments in self.commands {
            let rest = words_behind(arguments);
            found.push(joined(rest));
            found.extend(rest.iter().filter(|word| word.text.contains(' ')).map(|word| word.text.clone()));
        }
        found
    }

    /// Here-documents and here-strings. Names of files are among them, which are no harm.
    fn inputs(&self) -> Vec<String> {
        self.plan.redirect_targets.iter().filter_map(Word::literal).map(|text| text.into_owned()).collect()
    }

    /// What `echo` and `printf` print, and what is written in the text as the input of a command.
    fn written(&self) -> Vec<String> {
        let mut found = self.inputs();
        for arguments in self.commands {
            let is_printer = |program: &Argument| program.runs("echo") || program.runs("printf");
            if arguments.first().is_some_and(is_printer) {
                found.push(joined(arguments.get(1..).unwrap_or_default()));
            }
        }
        found
    }

    /// `xargs rm <<< '-rf x'`, `echo rm -rf x | xargs nice`. What other commands print is not known.
    fn appended_arguments(&self, known: &KnownTexts, note: &mut dyn FnMut(&str)) {
        let appends = |arguments: &&Vec<Argument>| {
            arguments
                .first()
                .is_some_and(|program| ["xargs", "parallel"].iter().any(|name| program.runs(name)))
        };
        let mut written = None;
        for appending in self.commands.iter().filter(appends) {
            let command = behind_options(appending.get(1..).unwrap_or_default());
            let before = quoted_words(command.iter().map(|word| word.text.as_str()));
            // Without a command it prints them.
            let before = if command.is_empty() { "echo".to_owned() } else { before };
            // `xargs -I{} rm -r{} x`
            if let Some(place) = placeholder(appending) {
                known.replace(place, &before, self.budget, note);
            }
            for text in written.get_or_insert_with(|| self.written()) {
                if !self.budget.spend(before.len() + text.len()) {
                    return;
                }
                note(&format!("{before} {text}"));
                // `xargs -0 sh -c` gets it as one word.
                if command.iter().any(is_shell) {
                    note(&format!("{before} {}", quoted(text.trim())));
                }
            }
        }
    }

    /// Commands in variables that programs read.
    fn variables_with_commands(&self, note: &mut dyn FnMut(&str)) {
        let is_make = |program: &Argument| program.runs("make") || program.runs("gmake");
        let makes = self.commands.iter().any(|arguments| arguments.first().is_some_and(is_make));
        for (name, value) in &self.plan.assignments {
            let value = value.literal().unwrap_or_default();
            let is_read = COMMAND_VARIABLES.iter().any(|end| name.ends_with(end));
            if is_read || makes && MAKE_VARIABLES.contains(&name.as_str()) {
                note(&value);
            }
            if is_read {
                // `TAR_OPTIONS='--checkpoint-action=exec=rm\ x'`
                value.replace('\\', "").split("exec=").skip(1).for_each(&mut *note);
            }
            for (end, program) in LANGUAGE_VARIABLES {
                if name.ends_with(end) {
                    note(&format!("{program} {}", quoted(&value)));
                }
            }
        }
    }

    /// Texts and commands in the words of builtins.
    fn words_of_builtins(&self, note: &mut dyn FnMut(&str)) {
        for arguments in self.commands {
            let Some((program, rest)) = arguments.split_first() else { continue };
            match program.text.as_str() {
                name if EVALUATORS.contains(&name) => rest.iter().for_each(|word| note(&word.text)),
                "eval" => note(&joined(rest)),
                // A value that ends in a blank makes the next word an alias too.
                "alias" => note(&values_of(rest)),
                // `bash -c "$a"`
                _ if is_shell(program) => {
                    rest.iter().filter(|word| word.text.contains(' ')).for_each(|word| note(&word.text));
                }
                _ => {}
            }
        }
    }

    /// The arguments of functions, shells and `set`, in place of `$1`, `$@` and `$0`.
    fn positional(&self, with_program: bool, functions: &BTreeSet<&str>, note: &mut dyn FnMut(&str)) {
        // The dry run follows functions with their arguments.
        let calls_function = |words: &[Word]| {
            let name = words.first().and_then(Word::literal);
            name.is_some_and(|name| functions.contains(name.as_ref()))
        };
        let commands = self.plan.commands.iter().filter(|command| !calls_function(&command.words));
        let literals = |words: &[Word]| -> Vec<String> {
            words.iter().filter_map(Word::literal).map(|word| word.into_owned()).collect()
        };
        // The commands with words that are not known.
        let open: Vec<String> = self
            .plan
            .commands
            .iter()
            .filter_map(|using| {
                let known = literals(&using.words);
                (known.len() < using.words.len()).then(|| known.join(" "))
            })
            .collect();
        for given in
            commands.filter(|command| is_source_of_arguments(&command.words) || may_be_script(command))
        {
            let words = literals(given.words.get(usize::from(!with_program)..).unwrap_or_default());
            // It would end the options of the command that uses them.
            let words = words.into_iter().filter(|word| word != "--").collect::<Vec<_>>().join(" ");
            note(&words);
            for known in open.iter().take_while(|_| !self.budget.is_spent()) {
                for text in [format!("{known} {words}"), format!("{words} {known}")] {
                    if self.budget.spend(text.len() / 4) && is_dangerous(&text) {
                        note(&text);
                    }
                }
            }
        }
    }
}

/// `x="\$(…)"`: substitutions in texts, with quotes and backslashes left out.
fn quoted_substitutions(text: &str, is_long: bool, budget: &Budget, note: &mut dyn FnMut(&str)) {
    if text.contains(['\'', '\\']) {
        substitutions(text, is_long, budget, note);
    }
}

/// The substitutions in a text, with quotes and backslashes left out.
fn substitutions(text: &str, is_long: bool, budget: &Budget, note: &mut dyn FnMut(&str)) {
    if !text.contains(['$', '`']) {
        return;
    }
    let bare = text.replace(['\'', '"', '\\'], "");
    for (at, opening) in bare.match_indices("$(") {
        let inner = bare.get(at + opening.len()..).and_then(|rest| rest.split_once(')'));
        match inner {
            Some((inner, _)) if budget.spend(inner.len()) => {
                // In a long text there are many that are no more than what they seem.
                if !is_long || is_dangerous(inner) {
                    note(inner);
                }
            }
            _ => break,
        }
    }
    let inner = bare.split('`').skip(1).step_by(2);
    inner.filter(|inner| !is_long || is_dangerous(inner)).for_each(&mut *note);
}

/// `[[ 'a[$(…)]' -eq 0 ]]`: substitutions behind a name and an open bracket, with quotes and backslashes left out.
fn substitutions_in_subscripts(text: &str, is_long: bool, budget: &Budget, note: &mut dyn FnMut(&str)) {
    if !text.contains(['\'', '\\']) || !budget.spend(text.len() / 16) {
        return;
    }
    let bare = text.replace(['\'', '"', '\\'], "");
    let (mut brackets, mut parentheses, mut in_backticks, mut previous) = (0_usize, 0_usize, false, ' ');
    for (at, c) in bare.char_indices() {
        let is_begun = brackets > 0;
        let end = match c {
            '(' if is_begun && previous == '$' => Some(')'),
            '`' if is_begun && !in_backticks => Some('`'),
            _ => None,
        };
        match c {
            '[' if is_begun || previous.is_alphanumeric() || previous == '_' => brackets += 1,
            ']' if parentheses == 0 => brackets = brackets.saturating_sub(1),
            '(' if end.is_some() => parentheses += 1,
            ')' => parentheses = parentheses.saturating_sub(1),
            '`' => in_backticks = end.is_some(),
            _ => {}
        }
        if let Some(end) = end {
            let rest = bare.get(at + 1..).unwrap_or_default();
            let inner = rest.split_once(end).map_or(rest, |(inner, _)| inner);
            if !budget.spend(inner.len() + 1) {
                return;
            }
            if !is_long || is_dangerous(inner) {
                note(inner);
            }
        }
        previous = c;
    }
}

/// Longer texts are scripts.
const LONG_TEXT: usize = 2048;

/// The values of `alias a='rm ' b='-rf x'`, one after the other.
fn values_of(words: &[Argument]) -> String {
    let values = words.iter().filter_map(|word| word.text.split_once('=')).map(|(_, value)| value);
    values.collect::<Vec<_>>().join(" ")
}

/// The words behind the options of `xargs` or `parallel`.
fn behind_options(words: &[Argument]) -> &[Argument] {
    let mut at = 0;
    while let Some(letters) = words.get(at).and_then(|word| word.text.strip_prefix('-')) {
        at += 1;
        if letters == "-" {
            break;
        }
        // A value ends the word, or is the next one.
        let value =
            letters.find(|c: char| APPENDING_VALUES.contains(c)).filter(|_| !letters.starts_with('-'));
        let is_long = LONG_APPENDING_VALUES.iter().any(|option| option.strip_prefix('-') == Some(letters));
        at += usize::from(is_long || value.is_some_and(|value| value + 1 == letters.len()));
    }
    words.get(at..).unwrap_or_default()
}

/// What `xargs -I` replaces.
fn placeholder(words: &[Argument]) -> Option<&str> {
    let at = words.iter().position(|word| word.text.starts_with("-I"))?;
    let inside = words.get(at)?.text.get(2..).filter(|text| !text.is_empty());
    inside.or_else(|| words.get(at + 1).map(|word| word.text.as_str())).filter(|text| !text.is_empty())
}

/// The names of the functions that the text defines.
pub(super) fn function_names(text: &str) -> BTreeSet<&str> {
    let is_end = |c: char| c.is_whitespace() || ";&|(){}".contains(c);
    let before = text.match_indices('(').filter_map(|(at, _)| {
        let rest = text.get(at + 1..)?.trim_start();
        let name = text.get(..at)?.trim_end_matches([' ', '\t']);
        let start = name.rfind(is_end).map_or(0, |at| at + 1);
        name.get(start..).filter(|_| rest.starts_with(')'))
    });
    let named = text.match_indices("function ").filter_map(|(at, keyword)| {
        let rest = text.get(at + keyword.len()..)?.trim_start();
        rest.split(is_end).next()
    });
    before.chain(named).filter(|name| !name.is_empty()).collect()
}

/// Whether a command may be a script that the text writes. Programs of the system are none.
fn may_be_script(command: &PlannedCommand) -> bool {
    let name = command.words.first().and_then(Word::literal);
    !command.profile.known && !name.is_some_and(|name| name.starts_with('/'))
}

/// Programs that pass words on as positional parameters.
fn is_source_of_arguments(words: &[Word]) -> bool {
    let program = words.first().and_then(Word::literal).map(|name| Argument::literal(&name));
    program.is_some_and(|program| program.text == "set" || is_shell(&program))
}

/// `$@`, `$*`, `$1` and so on, also in braces.
fn uses_positional(text: &str) -> bool {
    text.match_indices('$').any(|(at, _)| {
        let rest = text.get(at + 1..).unwrap_or_default();
        rest.strip_prefix('{')
            .unwrap_or(rest)
            .starts_with(['@', '*', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    })
}

/// The text with the default of each expansion in its place: `${x:-rm} -rf y`. `None` if there is none.
fn with_defaults(text: &str) -> Option<String> {
    let mut replaced = String::new();
    let mut rest = text;
    let mut any = false;
    while let Some((before, after)) = rest.split_once("${") {
        replaced.push_str(before);
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '*' | '[' | ']');
        let name = after.find(|c: char| !is_name(c)).unwrap_or(after.len());
        let operator = after.get(name..).unwrap_or_default();
        let operator = operator.strip_prefix(':').unwrap_or(operator);
        match operator.strip_prefix(['-', '=', '+']).and_then(|value| value.split_once('}')) {
            Some((value, after)) => {
                any = true;
                replaced.push_str(value.trim_start_matches('$').trim_matches(['"', '\'']));
                rest = after;
            }
            None => {
                replaced.push_str("${");
                rest = after;
            }
        }
    }
    replaced.push_str(rest);
    any.then_some(replaced)
}
