//! A question as a person at a terminal sees it. All of it: what does not fit a line goes on in the next.

mod forms;

use std::io::{self, Write};

use anstyle::Style;
use jiff::Timestamp;
use sekisho_gate::display::message;
use sekisho_policy::{Call, DangerLevel, Effect, Named};
use sekisho_server::wire::approval::{AnswerTaken, Question, QuestionState};
use sekisho_server::wire::rule::RuleFields;
use serde_json::Value;

use super::id::short_id;
use super::layout::{INDENT, View, block};
use super::words::{self, ended, fate};
use crate::terminal::{self, rule, said, short, style, visible, wrap};

/// How much room a label takes.
const LABEL: usize = 10;

/// Writes a question: what would run, how dangerous that is, why it is asked, who asks and where. The time that is left is
/// written as it is `now`; without that, it is told elsewhere.
pub(super) fn question(
    out: &mut impl Write,
    question: &Question,
    view: &View,
    now: Option<Timestamp>,
) -> io::Result<()> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    let shown = &question.shown;
    writeln!(out, "{strong}{}{strong:#}  {faint}{}{faint:#}", said(&shown.title), short_id(question.id))?;
    writeln!(out)?;
    forms::form(out, question, view)?;
    writeln!(out)?;
    let mut lines = Lines { out, view };
    for danger in shown.dangers() {
        lines.field(danger_name(danger.level), danger_style(danger.level), &said(&danger.why()))?;
    }
    for hidden in &shown.hidden {
        lines.field("hidden", style::DENY, &words::hidden(hidden))?;
    }
    for beside in &shown.besides {
        lines.field("with", style::CONFIRM, &said(&format!("{}: {}", beside.name, beside.value)))?;
    }
    for left_out in &shown.left_out {
        lines.field("left out", style::DENY, &said(left_out))?;
    }
    lines.plain("why", &said(&shown.why))?;
    about(&mut lines, question)?;
    match (question.state, now) {
        (QuestionState::Pending, None) => Ok(()),
        (QuestionState::Pending, Some(now)) => lines.plain("time", &fate(question, now)),
        (state, _) => lines.field(state.name(), state_style(state), &ended(question)),
    }
}

/// Who asks, and where it would run.
fn about<W: Write>(lines: &mut Lines<'_, W>, question: &Question) -> io::Result<()> {
    let home = lines.view.home.clone();
    let place = |path: &str| short(path, home.as_deref());
    lines.plain("tool", &visible(&question.tool_name))?;
    let cwd = || question.cwd.as_deref().map(place);
    let agent = question.agent_id.as_deref().map_or("an agent without a name".into(), visible);
    let fields = [
        ("server", question.server_id.as_deref().map(|text| visible(text).into_owned())),
        ("agent", Some(format!("{agent}, with {}", credential(question)))),
        ("run", question.run_id.as_deref().map(|text| visible(text).into_owned())),
        ("workspace", question.workspace_id.as_deref().map(|text| visible(text).into_owned())),
        ("in", question.shown.directory.as_deref().map(|path| directory(path, &place)).or_else(cwd)),
        (
            "project",
            question.root.as_deref().filter(|root| question.cwd.as_deref() != Some(*root)).map(place),
        ),
    ];
    for (label, text) in fields {
        if let Some(text) = text {
            lines.plain(label, &text)?;
        }
    }
    Ok(())
}

/// The credential by what people call it; by its id where it has no name.
fn credential(question: &Question) -> String {
    match &question.asked_by_name {
        Some(name) if question.asked_by.starts_with("token:") => format!("the token `{}`", visible(name)),
        Some(name) => visible(name).into_owned(),
        None => visible(&question.asked_by).into_owned(),
    }
}

/// A directory that the input names, and not the agent.
fn directory(path: &str, place: &dyn Fn(&str) -> String) -> String {
    match path {
        "" => "a directory that cannot be told".into(),
        path => format!("{}, by its input", place(path)),
    }
}

/// Writes the rules that remembering would keep, numbered.
pub(super) fn proposals(out: &mut impl Write, question: &Question, view: &View) -> io::Result<()> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    if question.proposals.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "{faint}To remember:{faint:#}")?;
    let indent = INDENT + 3;
    for (index, proposal) in question.proposals.iter().enumerate() {
        let mut before = format!("{strong}{:>INDENT$}{strong:#}", index + 1);
        for kept in &proposal.rules {
            let text = as_written(kept);
            for line in wrap::sentence(&text, view.room(indent)) {
                writeln!(out, "{before}   {line}")?;
                before = " ".repeat(INDENT);
            }
        }
        for line in wrap::sentence(&format!("also: {}", said(&proposal.also)), view.room(indent)) {
            writeln!(out, "{:indent$}{faint}{line}{faint:#}", "")?;
        }
    }
    Ok(())
}

/// A rule as it stands in a config file.
fn as_written(fields: &RuleFields) -> String {
    let text = match fields.clone().rule(Effect::Allow) {
        Ok(kept) => serde_json::to_string(&kept),
        Err(_) => serde_json::to_string(fields),
    };
    rule(&text.unwrap_or_default())
}

/// Writes the whole input.
pub(super) fn input(out: &mut impl Write, question: &Question, view: &View) -> io::Result<()> {
    writeln!(out)?;
    block(out, &question.shown.json, view)
}

/// Writes what an answer came to.
pub(super) fn taken(out: &mut impl Write, taken: &AnswerTaken) -> io::Result<()> {
    let question = &taken.approval;
    let colour = state_style(question.state);
    let again = if taken.again { ", as it was before" } else { "" };
    let edited = question.outcome.as_ref().and_then(|outcome| outcome.updated_input.clone());
    let (message, edited) = match edited {
        Some(input) => (message_with(question, input), ", edited"),
        None => (question.shown.message.clone(), ""),
    };
    let message = message.replace('\n', " ");
    let line = format!("{} {}{edited}{again}", short_id(question.id), said(&message));
    let line = terminal::cut(&line, 400);
    writeln!(out, "{colour}{}{colour:#} {line}", question.state.name())?;
    let Some(kept) = &taken.remembered else { return Ok(()) };
    match kept.scope {
        Some(scope) => {
            for saved in &kept.rules {
                writeln!(out, "remembered for the {scope}: {}", as_written(saved))?;
            }
        }
        None => writeln!(out, "nothing was remembered")?,
    }
    if let Some(message) = &kept.message {
        writeln!(out, "{}", said(message))?;
    }
    kept.diff.as_ref().map_or(Ok(()), |diff| terminal::diff(out, diff))
}

/// What the question is about with another input.
fn message_with(question: &Question, input: Value) -> String {
    let mut call = Call::new(question.tool_name.clone(), input);
    call.server = question.server_id.clone().map(Named::claimed);
    message(&call)
}

/// Lines under labels.
struct Lines<'a, W> {
    out: &'a mut W,
    view: &'a View,
}

impl<W: Write> Lines<'_, W> {
    fn plain(&mut self, label: &str, text: &str) -> io::Result<()> {
        self.field(label, style::FAINT, text)
    }

    fn field(&mut self, label: &str, colour: Style, text: &str) -> io::Result<()> {
        let indent = INDENT + LABEL;
        let mut label = format!("{colour}{label:<LABEL$}{colour:#}");
        for line in wrap::sentence(text, self.view.room(indent)) {
            writeln!(self.out, "{:INDENT$}{label}{line}", "")?;
            label = " ".repeat(LABEL);
        }
        Ok(())
    }
}

fn danger_name(level: DangerLevel) -> &'static str {
    match level {
        DangerLevel::None => "harmless",
        DangerLevel::Caution => "caution",
        DangerLevel::Danger => "DANGER",
    }
}

pub(super) fn danger_style(level: DangerLevel) -> Style {
    match level {
        DangerLevel::None => style::ALLOW,
        DangerLevel::Caution => style::CONFIRM,
        DangerLevel::Danger => style::DENY,
    }
}

pub(super) fn state_style(state: QuestionState) -> Style {
    match state {
        QuestionState::Pending => style::CONFIRM,
        QuestionState::Approved => style::ALLOW,
        QuestionState::Denied => style::DENY,
        QuestionState::Expired | QuestionState::Aborted => style::FAINT,
    }
}
