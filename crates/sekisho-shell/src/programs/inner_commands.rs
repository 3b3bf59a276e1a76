//! The commands that a command runs: a wrapper's inner command, and the values of options that execute.

use super::arguments::{OptionName, ParseExtent, ParsedArguments, ParsedOption, ValuePosition, is_literal};
use super::awk;
use super::command_profile::{InnerCommand, ObstacleCode};
use super::detail_code::Detail;
use super::leading_words;
use super::placeholder::substitute;
use super::program_entry::ProgramEntry;
use super::sed;
use super::shared_enums::ShellKind;
use super::table_schema::{ExecForm, Grammar, InnerCommandForm, InnerCommandSpec};
use super::value_check::ValueCheck;
use super::value_check_functions::git_config;
use crate::budget::{Budget, cost_of_words};
use crate::word::{Piece, Word};

/// If it is uncertain at which word a command begins, it is never allowed, but a deny must still find it. The
/// first few candidates are kept whole; of the others, only the words that name a command. Keeping all of
/// them whole would cost the square of the text's length.
const WHOLE: usize = 8;
const NAMED: usize = 16;
const MAX_STARTS: usize = 256;

/// The cost of keeping one inner command, besides its words.
const INNER: usize = 64;

/// The inner commands found so far. Each is counted, because one command can use the same words many times.
pub(super) struct InnerCommandList<'b> {
    list: Vec<InnerCommand>,
    pub(super) budget: &'b Budget,
}

impl<'b> InnerCommandList<'b> {
    pub(super) fn new(budget: &'b Budget) -> InnerCommandList<'b> {
        InnerCommandList { list: Vec::new(), budget }
    }

    pub(super) fn push(&mut self, inner: InnerCommand) {
        let words = match &inner {
            InnerCommand::Argv(words) | InnerCommand::Text { words, .. } => cost_of_words(words),
            InnerCommand::Input { .. } | InnerCommand::BangLines | InnerCommand::Unknown { .. } => 0,
        };
        if self.budget.spend(INNER + words) {
            self.list.push(inner);
        }
    }

    pub(super) fn extend(&mut self, more: impl IntoIterator<Item = InnerCommand>) {
        more.into_iter().for_each(|inner| self.push(inner));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The name of the first program among them, as a word.
    pub(super) fn first_program(&self) -> Option<&Word> {
        self.list.iter().find_map(|inner| match inner {
            InnerCommand::Argv(words) => words.first(),
            _ => None,
        })
    }

    /// What was found since the last call.
    pub(super) fn take(&mut self) -> Vec<InnerCommand> {
        std::mem::take(&mut self.list)
    }
}

/// Parses a wrapper's own words and finds the command it runs.
pub(super) fn parse_wrapper<'e>(
    entry: &'e ProgramEntry,
    form: &InnerCommandSpec,
    words: &[Word],
    from: usize,
    inner: &mut InnerCommandList<'_>,
) -> ParsedArguments<'e> {
    let whole = form.dashes || !form.when.is_empty() || form.form == InnerCommandForm::Shell;
    let stop_at = if whole { None } else { Some(form.skip) };
    let mut scan = ParsedArguments::parse(entry, words, from, ParseExtent { stop_at, between: form.between });
    let computed = |seen: &&ParsedOption<'_>| {
        seen.name.is_in(&form.replace)
            && seen.value != ValuePosition::None
            && seen.value_text(words).is_none()
    };
    if let Some(at) = scan.options.iter().find(computed).map(|seen| seen.word) {
        scan.set_obstacle(at, ObstacleCode::Value, Detail::ComputedReplacement);
    }
    if scan.has(&form.unless) {
        return scan;
    }
    if !form.when.is_empty() {
        text_operand(form, words, &scan, inner);
        return scan;
    }
    if scan.uncertain {
        inner.push(InnerCommand::Unknown { word: from, why: Detail::UncertainStart });
        let starts = leading_words::starts(entry, words, from, form.skip);
        if starts.len() > MAX_STARTS {
            inner.budget.exhaust();
        }
        for (number, start) in starts.into_iter().take(MAX_STARTS).enumerate() {
            let end = if number < WHOLE { words.len() } else { words.len().min(start + NAMED) };
            push(form, &scan, words.get(..end).unwrap_or(words), start, inner);
        }
        return scan;
    }
    if form.form == InnerCommandForm::Shell {
        inner.extend(shell_arguments(form, words, &mut scan));
        return scan;
    }
    let start = match (form.dashes, scan.dashes) {
        (true, Some(at)) => at + 1,
        (true, None) => scan.operands.get(form.skip).copied().unwrap_or(words.len()),
        (false, _) => scan.end,
    };
    if form.dashes {
        scan.operands.retain(|at| *at < start);
    }
    if let (true, Some(first)) = (form.or_none, scan.operands.first()) {
        push(form, &scan, words, *first, inner);
    }
    if start < words.len() {
        push(form, &scan, words, start, inner);
    } else if form.input {
        inner.push(InnerCommand::Input { shell: form.shell.unwrap_or(ShellKind::Other) });
    }
    scan
}

/// `su USER -- -c TEXT`: the words after the skipped operands are arguments of a shell.
fn shell_arguments(
    form: &InnerCommandSpec,
    words: &[Word],
    scan: &mut ParsedArguments<'_>,
) -> Option<InnerCommand> {
    let rest = scan.operands.split_off(form.skip.min(scan.operands.len()));
    let first = words.get(*rest.first()?)?;
    let shell = std::iter::once(Word::new(first.span, "sh"));
    Some(InnerCommand::Argv(shell.chain(rest.iter().filter_map(|at| words.get(*at)).cloned()).collect()))
}

/// Standard input by another name.
fn is_standard_input(word: &Word) -> bool {
    const NAMES: [&str; 4] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-"];
    is_literal(word) && NAMES.contains(&word.prefix())
}

/// The commands run because of operands that are not words of a command.
pub(super) fn add_from_operands(
    entry: &ProgramEntry,
    words: &[Word],
    scan: &ParsedArguments<'_>,
    inner: &mut InnerCommandList<'_>,
) {
    let operand = |number: usize| scan.operands.get(number).and_then(|at| words.get(*at));
    if entry.data.sources && operand(0).is_some_and(is_standard_input) {
        inner.push(InnerCommand::Input { shell: ShellKind::Bash });
    }
    if let (true, Some(key), Some(value)) = (entry.data.setting, operand(0), operand(1)) {
        let at = scan.operands.first().copied().unwrap_or_default();
        let unknown = InnerCommand::Unknown { word: at, why: Detail::SettingMayRun };
        match (key.literal(), value.literal()) {
            (Some(key), Some(text)) if git_runs(&key.to_ascii_lowercase()) => {
                inner.extend(of_git_setting(value, &key.to_ascii_lowercase(), &text));
            }
            (Some(_), Some(_)) => {}
            _ => inner.push(unknown),
        }
    }
    let operands = scan.operands.iter().filter_map(|at| words.get(*at));
    for word in operands.filter(|_| entry.data.aliases || entry.data.plus_commands) {
        let text = word.prefix();
        let run = match text.strip_prefix('+') {
            Some(command) if entry.data.plus_commands => {
                command.trim_start_matches([':', ' ']).strip_prefix('!')
            }
            _ if entry.data.aliases => text.split_once('=').map(|(_, text)| text),
            _ => None,
        };
        inner.extend(run.map(|run| InnerCommand::Text {
            words: vec![Word::new(word.span, run)],
            shell: ShellKind::Bash,
        }));
    }
    if entry.data.bang_lines {
        inner.push(InnerCommand::BangLines);
    }
    if let (Some(ValueCheck::AwkProgram), Some(word)) = (&entry.operand_check, operand(0)) {
        let text = |text: String| InnerCommand::Text {
            words: vec![Word::new(word.span, text)],
            shell: ShellKind::Sh,
        };
        inner.extend(awk::texts(word.prefix()).into_iter().map(text));
    }
    if entry.operand_check == Some(ValueCheck::SedScript) {
        let scripts = sed::scripts(entry, words, scan);
        inner.extend(scripts.iter().flat_map(|(word, script)| sed::runs(script, word)));
    }
}

/// `sh -c TEXT name args`, `sh FILE`, `sh` alone.
fn text_operand(
    form: &InnerCommandSpec,
    words: &[Word],
    scan: &ParsedArguments<'_>,
    inner: &mut InnerCommandList<'_>,
) {
    let shell = form.shell.unwrap_or(ShellKind::Other);
    let first = scan.operands.first().copied();
    if scan.uncertain {
        inner.push(InnerCommand::Unknown { word: 0, why: Detail::OptionsUnknown });
    }
    inner.extend(attached_text(words, scan, shell));
    match (scan.has(&form.when), first.and_then(|at| words.get(at).map(|word| (at, word)))) {
        (true, Some((_, word))) => {
            inner.push(InnerCommand::Text { words: vec![word.clone()], shell });
            // The text may run its arguments: `"$@"`, `$1`, and `$0`, which is the first word after it.
            let text = word.literal();
            let uses = |names: &[&str]| {
                text.as_ref().is_none_or(|text| names.iter().any(|name| text.contains(name)))
            };
            let skipped = if uses(&["$0"]) { 1 } else { 2 };
            let is_used = uses(&["$0", "$@", "$*", "$1"]);
            let arguments = scan.operands.iter().skip(skipped).filter_map(|at| words.get(*at)).cloned();
            let arguments: Vec<Word> = arguments.filter(|_| is_used).collect();
            if !arguments.is_empty() {
                inner.push(InnerCommand::Argv(arguments));
            }
        }
        (false, Some((_, word))) if form.input && is_standard_input(word) => {
            inner.push(InnerCommand::Input { shell })
        }
        (false, Some((at, _))) if !scan.has(&form.input_when) => {
            inner.push(InnerCommand::Unknown { word: at, why: Detail::RunsCommandFile });
        }
        _ if form.input => inner.push(InnerCommand::Input { shell }),
        _ => {}
    }
}

/// `fish -c'rm x'`: some shells take the text from the option's own word.
fn attached_text(words: &[Word], scan: &ParsedArguments<'_>, shell: ShellKind) -> Option<InnerCommand> {
    let bundle = scan.options.iter().find(|seen| seen.name == OptionName::Short('c'))?;
    let word = words.get(bundle.word)?;
    let (_, text) = word.prefix().split_once('c')?;
    let text = text.trim_start();
    text.contains(' ').then(|| InnerCommand::Text { words: vec![Word::new(word.span, text)], shell })
}

/// The command that begins at `start`.
fn push(
    form: &InnerCommandSpec,
    scan: &ParsedArguments<'_>,
    words: &[Word],
    start: usize,
    inner: &mut InnerCommandList<'_>,
) {
    let mut start = start;
    while form.assignments && words.get(start).is_some_and(is_assignment) {
        start += 1;
    }
    if let Some(word) = contradiction(form, scan, words) {
        inner.push(InnerCommand::Unknown { word, why: Detail::OptionsContradict });
    }
    let replaced = scan.options.iter().find(|seen| seen.name.is_in(&form.replace));
    let marker = replaced.map(|seen| seen.value_text(words).unwrap_or("{}"));
    // Its input is the output of commands that are judged, as in a substitution.
    let fed = Piece::Substitution { quoted: true };
    let mut argv: Vec<Word> = words
        .iter()
        .skip(start)
        .take(if form.take == 0 { usize::MAX } else { form.take })
        .take_while(|word| !(is_literal(word) && form.until.iter().any(|end| end == word.prefix())))
        .map(|word| {
            marker.map_or_else(|| word.clone(), |text| substitute(word, text, std::slice::from_ref(&fed)))
        })
        .collect();
    // `parallel ::: 'rm x'`: without a command, each word behind is one.
    if argv.is_empty() && !form.until.is_empty() {
        let behind = words.iter().skip(start + 1).cloned();
        inner.extend(behind.map(|word| InnerCommand::Text { words: vec![word], shell: ShellKind::Sh }));
    }
    let Some(last) = argv.last() else { return };
    if form.append && marker.is_none() {
        let span = last.span;
        argv.push(Word { span, pieces: vec![Piece::Substitution { quoted: false }] });
    }
    // Whether the program name is also replaced depends on the implementation, so both are added.
    if let Some(name) = words.get(start).filter(|word| marker.is_some() && argv.first() != Some(word)) {
        let rest = argv.iter().skip(1).cloned();
        inner.push(InnerCommand::Argv(std::iter::once(name.clone()).chain(rest).collect()));
    }
    let as_text = scan.has(&form.text_when);
    match form.form {
        InnerCommandForm::Argv if as_text => {
            inner.push(InnerCommand::Text { words: argv, shell: ShellKind::Sh })
        }
        InnerCommandForm::Argv | InnerCommandForm::Shell => inner.push(InnerCommand::Argv(argv)),
        InnerCommandForm::Text => {
            inner.push(InnerCommand::Text { words: argv, shell: form.shell.unwrap_or(ShellKind::Sh) })
        }
        InnerCommandForm::Subcommand => {
            let name = words.first().cloned();
            inner.push(InnerCommand::Argv(name.into_iter().chain(argv).collect()));
        }
        InnerCommandForm::Mixed => {
            inner.push(InnerCommand::Argv(argv.clone()));
            inner.push(InnerCommand::Text { words: argv, shell: ShellKind::Sh });
            inner.push(InnerCommand::Unknown { word: start, why: Detail::BuiltFromParts });
        }
    }
}

/// `xargs -I{} -n2`: of several options that determine where the words go, only the last counts, and which
/// one that is differs between implementations. One word at a time is compatible with all of them.
fn contradiction(form: &InnerCommandSpec, scan: &ParsedArguments<'_>, words: &[Word]) -> Option<usize> {
    let places = |seen: &&ParsedOption<'_>| {
        let one = || seen.name.is_in("n max-args") && seen.value_text(words) == Some("1");
        seen.name.is_in(&form.replace) || (seen.name.is_in("n max-args L l max-lines") && !one())
    };
    let mut placing = scan.options.iter().filter(places);
    let (first, second) = (placing.next()?, placing.next()?);
    let replaces = |seen: &ParsedOption<'_>| seen.name.is_in(&form.replace);
    let any = replaces(first) || replaces(second) || placing.any(|seen| seen.name.is_in(&form.replace));
    (form.append && any).then_some(second.word)
}

/// `NAME=value`, with a literal name.
fn is_assignment(word: &Word) -> bool {
    let Some((name, _)) = word.prefix().split_once('=') else { return false };
    !name.is_empty() && !name.starts_with('-')
}

/// The commands run by the executing options in `scan`.
pub(super) fn add_from_options(
    entry: &ProgramEntry,
    words: &[Word],
    scan: &ParsedArguments<'_>,
    inner: &mut InnerCommandList<'_>,
) {
    // The commands that `find` runs are found with its expression.
    if entry.data.execs.is_empty() || entry.data.grammar == Grammar::Find {
        return;
    }
    for seen in scan.options.iter().take_while(|_| !inner.budget.is_spent()) {
        let form = entry.data.execs.iter().find(|(option, _)| seen.name.is(option)).map(|(_, form)| *form);
        // Of some values it is known that they run nothing.
        let runs_nothing = form == Some(ExecForm::Unknown)
            && entry
                .value_check(|name| seen.name.is(name))
                .filter(|check| **check == ValueCheck::FzfBindings)
                .is_some_and(|check| check.admits(seen.value_text(words)).is_ok());
        if let Some(form) = form.filter(|_| !runs_nothing) {
            of_option(entry, form, words, seen, inner);
        }
    }
}

fn of_option(
    entry: &ProgramEntry,
    form: ExecForm,
    words: &[Word],
    seen: &ParsedOption<'_>,
    inner: &mut InnerCommandList<'_>,
) {
    let unknown = InnerCommand::Unknown { word: seen.word, why: Detail::OptionRuns };
    let text = |words: Vec<Word>| InnerCommand::Text { words, shell: ShellKind::Sh };
    let Some(value) = seen.value_word(words) else {
        if form != ExecForm::UntilSemicolon {
            inner.push(unknown);
        } else if seen.word + 1 < words.len() {
            inner.push(InnerCommand::Argv(until_semicolon(words, seen.word + 1)));
        }
        return;
    };
    let after = if let ValuePosition::Next(at) = seen.value { at + 1 } else { seen.word + 1 };
    match form {
        ExecForm::Program => inner.push(InnerCommand::Argv(vec![value])),
        ExecForm::Text => inner.push(text(vec![value])),
        ExecForm::UntilSemicolon => {
            let mut argv = vec![value];
            argv.extend(until_semicolon(words, after));
            inner.push(InnerCommand::Argv(argv));
        }
        ExecForm::Again => {
            let name = entry.name.split(' ').next().unwrap_or_default();
            // A blank, for `env -S`.
            let value = match value.literal() {
                Some(text) if text.contains("\\_") => Word::new(value.span, text.replace("\\_", " ")),
                _ => value,
            };
            let own = [Word::new(value.span, name), value];
            inner.push(text(own.into_iter().chain(words.iter().skip(after).cloned()).collect()));
        }
        ExecForm::Ex => {
            let command = value.literal().map(|text| text.trim_start_matches([':', ' ']).to_owned());
            match command.as_deref().map(|text| text.strip_prefix('!')) {
                Some(Some(run)) => inner.push(text(vec![Word::new(value.span, run)])),
                Some(None) => {}
                None => inner.push(unknown),
            }
        }
        ExecForm::GitConfig => git_option(&value, unknown, inner),
        ExecForm::SshOption => of_setting(&value, |key| key.ends_with("command"), unknown, inner),
        ExecForm::ExecEquals => of_setting(&value, |key| key == "exec", unknown, inner),
        ExecForm::Unknown => inner.push(unknown),
    }
}

fn until_semicolon(words: &[Word], from: usize) -> Vec<Word> {
    let found = [Piece::Unknown { quoted: true }];
    let ends = |word: &Word| is_literal(word) && word.prefix() == ";";
    words
        .iter()
        .skip(from)
        .take_while(|word| !ends(word))
        .map(|word| substitute(word, "{}", &found))
        .collect()
}

/// `git -c key=value`: even an unlisted key may make git run something.
fn git_option(value: &Word, unknown: InnerCommand, inner: &mut InnerCommandList<'_>) {
    let setting = value.literal();
    let Some((setting, (key, text))) = setting.as_ref().and_then(|s| Some((s, s.split_once('=')?))) else {
        inner.push(unknown);
        return;
    };
    let key = key.to_ascii_lowercase();
    if git_config(setting) {
        return;
    }
    if git_runs(&key) {
        inner.extend(of_git_setting(value, &key, text));
    } else {
        inner.push(unknown);
    }
}

/// What git runs because of a setting. An alias is shell text only after `!`, otherwise words of git. A
/// setting that turns something off runs nothing.
fn of_git_setting(value: &Word, key: &str, command: &str) -> Option<InnerCommand> {
    if matches!(command, "" | "false" | "true" | "none") {
        return None;
    }
    let command = match command.strip_prefix('!') {
        Some(shell) => shell.to_owned(),
        None if key.starts_with("alias.") => format!("git {command}"),
        None => command.to_owned(),
    };
    Some(InnerCommand::Text { words: vec![Word::new(value.span, command)], shell: ShellKind::Sh })
}

/// `key=text` or `key text`, where some keys name commands.
fn of_setting(
    value: &Word,
    runs: impl Fn(&str) -> bool,
    unknown: InnerCommand,
    inner: &mut InnerCommandList<'_>,
) {
    let Some(setting) = value.literal() else {
        inner.push(unknown);
        return;
    };
    let Some((key, command)) = setting.split_once(['=', ' ']) else { return };
    if !runs(&key.trim().to_ascii_lowercase()) {
        return;
    }
    // A setting that turns something off runs nothing.
    let command = command.trim_start_matches(['=', ' ']);
    if matches!(command, "" | "false" | "true" | "none") {
        return;
    }
    inner.push(InnerCommand::Text { words: vec![Word::new(value.span, command)], shell: ShellKind::Sh });
}

/// Keys of git's config whose value is run.
fn git_runs(key: &str) -> bool {
    const LAST: [&str; 17] = [
        "fsmonitor",
        "pager",
        "editor",
        "sshcommand",
        "askpass",
        "external",
        "textconv",
        "command",
        "clean",
        "smudge",
        "process",
        "program",
        "helper",
        "driver",
        "difffilter",
        "packobjectshook",
        "cmd",
    ];
    let last = key.rsplit('.').next().unwrap_or_default();
    key.starts_with("alias.") || key.starts_with("pager.") || LAST.contains(&last) || last == "gitproxy"
}
