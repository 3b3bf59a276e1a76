//! Shows a question on a terminal, complete: long lines wrap.

mod delegation_view;
mod input_view;

use std::io::{self, Write};

use anstyle::Style;
use jiff::Timestamp;
use sekisho_policy::{DangerLevel, Effect};
use sekisho_server::wire::approval::{AnswerResponse, ApprovalStatus, ApprovalView};
use sekisho_server::wire::rule::RuleFields;

use super::approval_ref::short_id;
use super::page_layout::{INDENT, PageLayout, write_indented};
use super::question_title::{call_line, named_line, question_title, tool_name};
use super::status_text::{self, expiry_text, outcome_text};
use crate::input_fields::truncate_fields;
use crate::terminal::{self, ensure_visible, rule_on_one_line, shorten_path, style, visible, wrap};

/// Width of a label.
const LABEL: usize = 10;

/// Writes a question: what would run, how dangerous it is, why it is asked, who asks and where. The time left
/// is computed from `now`; with `None` it is not written, because the caller shows it elsewhere.
pub(super) fn write_question(
    out: &mut impl Write,
    question: &ApprovalView,
    view: &PageLayout,
    now: Option<Timestamp>,
) -> io::Result<()> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    let shown = &question.shown;
    writeln!(
        out,
        "{strong}{}{strong:#}  {faint}{}{faint:#}",
        question_title(question),
        short_id(question.id)
    )?;
    writeln!(out)?;
    input_view::write_form(out, question, view)?;
    writeln!(out)?;
    let mut lines = LabeledLines { out, view };
    for danger in shown.dangers() {
        lines.field(
            danger_name(danger.level),
            danger_style(danger.level),
            &ensure_visible(&danger.sentence()),
        )?;
    }
    for hidden in &shown.hidden {
        lines.field("hidden", style::DENY, &status_text::hidden_character_text(hidden))?;
    }
    for beside in &shown.besides {
        lines.field(
            "with",
            style::CONFIRM,
            &ensure_visible(&format!("{}: {}", beside.name, beside.value)),
        )?;
    }
    for left_out in &shown.left_out {
        lines.field("left out", style::DENY, &ensure_visible(left_out))?;
    }
    lines.plain("why", &ensure_visible(&shown.why))?;
    about(&mut lines, question)?;
    match (question.state, now) {
        (ApprovalStatus::Pending, None) => Ok(()),
        (ApprovalStatus::Pending, Some(now)) => lines.plain("time", &expiry_text(question, now)),
        (state, _) => lines.field(state.name(), state_style(state), &outcome_text(question)),
    }
}

/// Who asks, and where the call would run.
fn about<W: Write>(lines: &mut LabeledLines<'_, W>, question: &ApprovalView) -> io::Result<()> {
    let home = lines.view.home.clone();
    let place = |path: &str| shorten_path(path, home.as_deref());
    lines.plain("tool", &visible(&question.tool_name))?;
    let cwd = || question.cwd.as_deref().map(place);
    let chain: Vec<String> = question.agent_chain.iter().map(|agent| visible(agent).into_owned()).collect();
    let agent = match chain.is_empty() {
        true => question.agent_id.as_deref().map_or("unnamed agent".into(), visible),
        false => chain.join(" → ").into(),
    };
    let fields = [
        ("server", question.server_id.as_deref().map(|text| visible(text).into_owned())),
        ("agent", Some(format!("{agent}, {}", credential(question)))),
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

/// The name of the credential, or its id if it has no name.
fn credential(question: &ApprovalView) -> String {
    match &question.asked_by_name {
        Some(name) if question.asked_by.starts_with("token:") => format!("token `{}`", visible(name)),
        Some(name) => visible(name).into_owned(),
        None => match question.asked_by.strip_prefix("token:") {
            Some(id) => format!("token {}", visible(id.get(id.len().saturating_sub(8)..).unwrap_or(id))),
            None => format!("credential {}", visible(&question.asked_by)),
        },
    }
}

/// A directory that comes from the input, not from the agent.
fn directory(path: &str, place: &dyn Fn(&str) -> String) -> String {
    match path {
        "" => "unknown directory".into(),
        path => format!("{}, from the input", place(path)),
    }
}

/// Writes the rules that could be remembered, numbered.
pub(super) fn write_proposals(
    out: &mut impl Write,
    question: &ApprovalView,
    view: &PageLayout,
) -> io::Result<()> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    if question.proposals.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "{faint}To remember:{faint:#}")?;
    let indent = INDENT + 3;
    for (index, proposal) in question.proposals.iter().enumerate() {
        let mut before = format!("{strong}{:>INDENT$}{strong:#}", index + 1);
        for line in wrap::wrap_words(&ensure_visible(&proposal.also), view.text_width(indent)) {
            writeln!(out, "{before}   {line}")?;
            before = " ".repeat(INDENT);
        }
        for kept in &proposal.rules {
            for line in wrap::wrap_words(&as_written(kept), view.text_width(indent)) {
                writeln!(out, "{:indent$}{faint}{line}{faint:#}", "")?;
            }
        }
    }
    Ok(())
}

/// A rule as written in a config file.
fn as_written(fields: &RuleFields) -> String {
    let text = match fields.clone().rule(Effect::Allow) {
        Ok(kept) => serde_json::to_string(&kept),
        Err(_) => serde_json::to_string(fields),
    };
    rule_on_one_line(&text.unwrap_or_default())
}

pub(super) fn write_input(
    out: &mut impl Write,
    question: &ApprovalView,
    view: &PageLayout,
) -> io::Result<()> {
    writeln!(out)?;
    write_indented(out, &question.shown.json, view)
}

/// Writes the result of an answer.
pub(super) fn write_answer_response(out: &mut impl Write, taken: &AnswerResponse) -> io::Result<()> {
    let question = &taken.approval;
    let colour = state_style(question.state);
    let again = if taken.again { ", as already answered" } else { "" };
    let edited = question.outcome.as_ref().and_then(|outcome| outcome.updated_input.clone());
    let (message, edited) = match edited {
        Some(input) => (call_line(&question.tool_name, question.server_id.as_deref(), input), ", edited"),
        None => {
            let tool = tool_name(&question.tool_name, question.server_id.as_deref());
            (named_line(&tool, &question.shown.message, &question.input), "")
        }
    };
    let line = format!("{} {message}{edited}{again}", short_id(question.id));
    let line = truncate_fields(&line, 400);
    writeln!(out, "{colour}{}{colour:#} {line}", question.state.name())?;
    let Some(kept) = &taken.remembered else { return Ok(()) };
    match kept.scope {
        Some(scope) => {
            for saved in &kept.rules {
                writeln!(out, "remembered for the {scope}: {}", as_written(saved))?;
            }
        }
        None => writeln!(out, "no rule was remembered")?,
    }
    if let Some(message) = &kept.message {
        writeln!(out, "{}", ensure_visible(message))?;
    }
    kept.diff.as_ref().map_or(Ok(()), |diff| terminal::diff(out, diff))
}

struct LabeledLines<'a, W> {
    out: &'a mut W,
    view: &'a PageLayout,
}

impl<W: Write> LabeledLines<'_, W> {
    fn plain(&mut self, label: &str, text: &str) -> io::Result<()> {
        self.field(label, style::FAINT, text)
    }

    fn field(&mut self, label: &str, colour: Style, text: &str) -> io::Result<()> {
        let indent = INDENT + LABEL;
        let mut label = format!("{colour}{label:<LABEL$}{colour:#}");
        for line in wrap::wrap_words(text, self.view.text_width(indent)) {
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

pub(super) fn state_style(state: ApprovalStatus) -> Style {
    match state {
        ApprovalStatus::Pending => style::CONFIRM,
        ApprovalStatus::Approved => style::ALLOW,
        ApprovalStatus::Denied => style::DENY,
        ApprovalStatus::Expired | ApprovalStatus::Aborted => style::FAINT,
    }
}
