//! Commands that a text runs in ways that only bash follows, but spells out itself: `X=rm; $X x`, `$(echo rm) x`,
//! `echo 'rm x' | bash`. They are searched for denies. The parts that compute them stay unknown, so nothing found here can
//! lead to an allow, and finding too much is no harm.

use sekisho_shell::script::{Command, OpaqueKind, RedirectKind, Script, ScriptItem};
use sekisho_shell::word::{Piece, Span, Word};

use super::execution_plan::{ExecutionPlan, Step, StepPosition, legible};
use super::working_directories::WorkingDirectories;

/// The largest number of names that a computed one may become, and of texts that one command prints.
const MAX_NAMES: usize = 16;
const MAX_TEXTS: usize = 64;

impl ExecutionPlan {
    /// Adds the commands that the text spells out for a command whose name or script is computed.
    pub(super) fn add_spelled(&mut self, step: usize, depth: u16, directories: &mut WorkingDirectories) {
        let Some(outer) = self.steps.get(step) else { return };
        let (text, span) = (outer.text, outer.span);
        let place = StepPosition { text, span, parent: Some(step), command: None, depth: depth + 1 };
        let is_shell = matches!(
            outer.profile.program.as_deref(),
            Some("source" | "." | "bash" | "sh" | "dash" | "zsh" | "ksh")
        );
        let commands = self.spelled_commands(outer);
        let texts = if is_shell { self.printed_operands(step) } else { Vec::new() };
        for words in commands {
            self.add_step(words, place, false, directories);
        }
        for text in texts {
            self.add_text(text, Some(step), depth + 1, directories);
        }
    }

    /// The commands that one with a computed name, or a computed subcommand, may become.
    fn spelled_commands(&self, step: &Step) -> Vec<Vec<Word>> {
        let (text, words) = (step.text, step.words.as_slice());
        let is_program = words.first().is_some_and(|word| word.literal().is_none());
        let is_subcommand = !is_program && step.profile.leading_open && step.profile.depth > 1;
        let at = usize::from(is_subcommand);
        if !(is_program || is_subcommand) {
            return Vec::new();
        }
        let (Some(before), Some(first), Some(rest)) = (words.get(..at), words.get(at), words.get(at + 1..))
        else {
            return Vec::new();
        };
        let Some(plan_text) = self.texts.get(text).filter(|_| first.literal().is_none()) else {
            return Vec::new();
        };
        let script = &plan_text.script;
        if !self.budget.spend(script.commands.len() + script.assignments.len() + script.opaque.len()) {
            return Vec::new();
        }
        let written =
            plan_text.source.get(first.span.start as usize..first.span.end as usize).unwrap_or_default();
        if matches!(written.trim_matches('"'), "$@" | "$*" | "$1" | "${@}" | "${*}" | "${1}") {
            let arguments = arguments_of_functions(script).into_iter();
            return arguments.map(|words| before.iter().cloned().chain(words).collect()).collect();
        }
        let with_rest = |name: String| {
            let name = name.split_whitespace().map(|part| Word::new(first.span, part));
            before.iter().cloned().chain(name).chain(rest.iter().cloned()).collect()
        };
        names(script, first, written).into_iter().map(with_rest).collect()
    }

    /// The texts that other commands print into a command's standard input.
    pub(super) fn printed_input(&self, step: usize) -> Vec<String> {
        let mut at = self.steps.get(step);
        let command = loop {
            let Some(step) = at else { return Vec::new() };
            match (step.command, step.parent.and_then(|parent| self.steps.get(parent))) {
                (Some(command), _) => break (step.text, command),
                (None, Some(outer)) if outer.text == step.text => at = Some(outer),
                (None, _) => return Vec::new(),
            }
        };
        let Some(script) = self.texts.get(command.0).map(|text| &text.script) else { return Vec::new() };
        let shapes = script.substitutions.iter().map(|one| &one.shape).chain([&script.items]);
        let size: usize = script.substitutions.iter().map(|one| one.shape.len()).sum();
        if !self.budget.spend(size + script.items.len()) {
            return Vec::new();
        }
        shapes
            .flat_map(|shape| feeders(shape, command.1))
            .filter_map(|at| printed(script, at))
            .take(MAX_TEXTS)
            .collect()
    }

    /// The texts that the substitutions among a command's words print, such as `<(echo 'rm x')`.
    fn printed_operands(&self, step: usize) -> Vec<String> {
        let Some(step) = self.steps.get(step) else { return Vec::new() };
        let Some(script) = self.texts.get(step.text).map(|text| &text.script) else { return Vec::new() };
        let words = step.words.iter().filter(|word| word.pieces.contains(&Piece::Process));
        let mut texts = Vec::new();
        for word in words.take(MAX_NAMES) {
            if !self.budget.spend(script.commands.len()) {
                return texts;
            }
            texts.extend(printed_inside(script, word.span));
        }
        texts
    }
}

/// The commands before a `|` that leads to a command.
fn feeders(shape: &[ScriptItem], command: usize) -> Vec<usize> {
    let Some(at) = shape.iter().position(|item| *item == ScriptItem::Command(command)) else {
        return Vec::new();
    };
    let before = shape.get(..at).unwrap_or_default();
    let before: Vec<&ScriptItem> =
        before.iter().rev().filter(|item| !matches!(item, ScriptItem::Redirect(_))).collect();
    if !matches!(before.first(), Some(ScriptItem::Operator("|" | "|&"))) {
        return Vec::new();
    }
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for item in before.into_iter().skip(1) {
        match item {
            ScriptItem::Operator("}" | ")" | "done" | "fi") => depth += 1,
            ScriptItem::Operator("{" | "(" | "for" | "while" | "until" | "if") => {
                depth = depth.saturating_sub(1)
            }
            ScriptItem::Operator(";" | "&&" | "||" | "&") if depth == 0 => break,
            ScriptItem::Command(at) => found.push(*at),
            _ => {}
        }
    }
    found
}

fn printed_inside(script: &Script, span: Span) -> Vec<String> {
    let inside = |command: &Command| command.span.start >= span.start && command.span.end <= span.end;
    let commands = script.commands.iter().enumerate().filter(|(_, command)| inside(command));
    commands.filter_map(|(at, _)| printed(script, at)).take(MAX_TEXTS).collect()
}

/// The text that a command prints, if its words say it: `echo`, `printf`, and `cat` with a here-document.
fn printed(script: &Script, at: usize) -> Option<String> {
    let command = script.commands.get(at)?;
    let name = command.words.first()?.literal()?;
    let mut words: Vec<String> =
        command.words.iter().skip(1).map(|word| legible(word).trim_end_matches(' ').to_owned()).collect();
    let text = match name.rsplit('/').next()? {
        "echo" => {
            let options = words
                .iter()
                .take_while(|word| matches!(word.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en"))
                .count();
            words.drain(..options);
            words.join(" ")
        }
        "printf" => {
            let format = if words.is_empty() { return None } else { words.remove(0) };
            match format.contains('%') {
                true => words.iter().fold(String::new(), |text, word| {
                    text + &format.replacen("%s", word, 1).replacen("%b", word, 1)
                }),
                false => format,
            }
        }
        "cat" | "tee" => {
            let here = command.redirects.iter().filter_map(|at| script.redirects.get(*at));
            let is_here = |kind| matches!(kind, RedirectKind::HereDocument | RedirectKind::HereString);
            legible(&here.into_iter().find(|redirect| is_here(redirect.kind))?.target)
        }
        _ => return None,
    };
    Some(text.replace("\\n", "\n"))
}

/// The names that a computed one may become.
fn names(script: &Script, word: &Word, written: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    for piece in &word.pieces {
        let next: Vec<String> = match piece {
            Piece::Literal(text) => vec![text.clone()],
            Piece::Variable { name, .. } => assigned_values(script, name),
            Piece::Substitution { .. } => printed_inside(script, word.span),
            Piece::Unknown { .. } => default_value(written).into_iter().collect(),
            // `/bin/r[m]` names one program; other wildcards may name any.
            Piece::Glob(text) => match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
                Some(set) if !set.contains(['-', '!', '^', '[', ':']) => {
                    set.chars().map(String::from).collect()
                }
                _ => return Vec::new(),
            },
            Piece::Tilde(_) | Piece::Process => return Vec::new(),
        };
        if names.len() * next.len() > MAX_NAMES {
            return Vec::new();
        }
        names = names.iter().flat_map(|start| next.iter().map(move |end| format!("{start}{end}"))).collect();
    }
    names
}

/// The values that the text assigns to a variable, also by `export` and similar commands.
fn assigned_values(script: &Script, name: &str) -> Vec<String> {
    const DECLARING: [&str; 5] = ["export", "declare", "typeset", "readonly", "local"];
    let own = script.assignments.iter().filter(|assignment| assignment.name == name);
    let own = own.filter_map(|assignment| assignment.value.literal().map(|value| value.into_owned()));
    let declares = |command: &&Command| {
        command
            .words
            .first()
            .and_then(Word::literal)
            .is_some_and(|program| DECLARING.contains(&program.as_ref()))
    };
    let declared = script.commands.iter().filter(declares).flat_map(|command| command.words.iter().skip(1));
    let declared = declared.filter_map(|word| {
        let text = word.literal()?;
        text.split_once('=').filter(|(variable, _)| *variable == name).map(|(_, value)| value.to_owned())
    });
    own.chain(declared).take(MAX_NAMES + 1).collect()
}

/// The text in `${X:-text}` and similar forms.
fn default_value(written: &str) -> Option<String> {
    let inside = written.trim_matches('"').strip_prefix("${")?.strip_suffix('}')?;
    let (_, text) = inside.split_once(['-', '=', '+'])?;
    Some(text.trim_matches(['"', '\'']).to_owned())
}

/// What functions get as arguments, if the text defines any: the words after the first of every command.
fn arguments_of_functions(script: &Script) -> Vec<Vec<Word>> {
    let defines = script.opaque.iter().any(|part| part.kind == OpaqueKind::Function);
    let behind = |command: &Command| command.words.get(1..).unwrap_or_default().to_vec();
    let commands = script.commands.iter().filter(|command| defines && command.words.len() > 1);
    commands.map(behind).take(MAX_NAMES).collect()
}
