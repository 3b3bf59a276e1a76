//! A run as a terminal shows it: streamed text, and a card for each tool call.

use std::collections::BTreeMap;

use anstyle::Style;
use serde_json::Value;

use super::result_summary::summary;
use super::run_update::RunUpdate;
use super::text_flow::TextFlow;
use crate::commands::approvals::call_line;
use crate::input_fields::truncate_fields;
use crate::terminal::{ensure_visible, style, truncate, visible, wrap};

/// The longest line where there is no terminal.
const LONGEST: usize = 400;

/// Something to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A part of the model's text.
    Text(String),
    /// Whole lines about the run.
    Note(String),
}

/// What was printed last.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Last {
    Nothing,
    Text,
    /// The card of a call.
    Card(String),
    Note,
}

#[derive(Debug)]
pub(super) struct RunPrinter {
    /// None: there is no terminal.
    width: Option<usize>,
    flow: TextFlow,
    is_in_text: bool,
    last: Last,
    /// The calls by their ids, as they are shown.
    calls: BTreeMap<String, String>,
}

impl RunPrinter {
    pub(super) fn new(width: Option<usize>) -> RunPrinter {
        let flow = TextFlow::new(width.map(|width| width.saturating_sub(1)));
        RunPrinter { width, flow, is_in_text: false, last: Last::Nothing, calls: BTreeMap::new() }
    }

    /// Whether the cursor may be in the middle of a line.
    pub(super) fn is_in_text(&self) -> bool {
        self.is_in_text
    }

    /// Something else was printed, such as a question.
    pub(super) fn interrupt(&mut self) {
        self.last = Last::Note;
    }

    /// A line about this call was printed, such as the user's answer. What becomes of it can follow below.
    pub(super) fn continue_card(&mut self, id: String) {
        self.last = Last::Card(id);
    }

    /// Ends the line in the middle of a text, because something else is printed.
    pub(super) fn end_line(&mut self) -> Vec<Piece> {
        vec![Piece::Text(self.flow.end())]
    }

    /// What to print for an update.
    pub(super) fn print(&mut self, update: &RunUpdate) -> Vec<Piece> {
        match update {
            RunUpdate::UserMessage(text) => {
                let strong = style::STRONG;
                let label = format!("{strong}you{strong:#}  ");
                self.note(&self.lines(&label, 5, text))
            }
            RunUpdate::TextStart => self.begin_text(),
            RunUpdate::TextDelta(text) => vec![Piece::Text(self.flow.add(text))],
            RunUpdate::TextEnd => self.end_text(),
            RunUpdate::ToolCall { id, tool, args } => self.call(id, tool, args),
            RunUpdate::Result { id, content, edited } => {
                let mut lines = summary(content);
                if let Some(input) = edited {
                    let tool = self.calls.get(id).map_or("", |call| name_of(call));
                    lines.insert(0, format!("edited: {}", call_line(tool, None, input.clone())));
                }
                self.end_of_call(id, (style::ALLOW, "✓"), lines)
            }
            RunUpdate::Error { id, interrupted: true, .. } => {
                self.end_of_call(id, (style::CONFIRM, "✗"), vec!["interrupted".into()])
            }
            RunUpdate::Error { id, message, .. } => {
                self.end_of_call(id, (style::DENY, "✗"), summary(message))
            }
            RunUpdate::Denied { id, reason, code } => {
                self.end_of_call(id, (style::DENY, "✗"), vec![denial(code, reason.as_deref())])
            }
            RunUpdate::Folded { messages } => self
                .faint(&format!("older results of {messages} messages are sent to the model as references")),
            RunUpdate::Asked { .. } | RunUpdate::StepFinish | RunUpdate::Finish(_) => Vec::new(),
        }
    }

    /// A line about the run.
    pub(super) fn faint(&mut self, text: &str) -> Vec<Piece> {
        let (faint, width) = (style::FAINT, self.width.unwrap_or(usize::MAX));
        let lines = wrap::wrap_words(&ensure_visible(text), width.saturating_sub(1));
        let lines: Vec<String> = lines.iter().map(|line| format!("{faint}{line}{faint:#}")).collect();
        self.note(&lines)
    }

    /// Lines about the run, after an empty line unless it is another note.
    pub(super) fn note(&mut self, lines: &[String]) -> Vec<Piece> {
        let mut pieces = self.end_text();
        let gap = self.gap(matches!(self.last, Last::Text | Last::Card(_)));
        self.last = Last::Note;
        pieces.push(Piece::Note(format!("{gap}{}\n", lines.join("\n"))));
        pieces
    }

    /// An empty line between different things, on a terminal.
    fn gap(&self, is_wanted: bool) -> &'static str {
        if is_wanted && self.width.is_some() { "\n" } else { "" }
    }

    /// A text of several lines after a label.
    fn lines(&self, label: &str, indent: usize, text: &str) -> Vec<String> {
        let width = self.width.map_or(usize::MAX, |width| width.saturating_sub(indent + 1).max(20));
        let mut lines = Vec::new();
        for line in text.lines() {
            for line in wrap::wrap_words(&visible(line), width) {
                let before = if lines.is_empty() { label.to_owned() } else { " ".repeat(indent) };
                lines.push(format!("{before}{line}"));
            }
        }
        lines
    }

    fn begin_text(&mut self) -> Vec<Piece> {
        // A text that did not end is taken back.
        let mut pieces = match self.is_in_text {
            true => self.faint("the model begins again:"),
            false => Vec::new(),
        };
        pieces.push(Piece::Note(self.gap(self.last != Last::Nothing).into()));
        self.is_in_text = true;
        self.last = Last::Text;
        pieces
    }

    fn end_text(&mut self) -> Vec<Piece> {
        match std::mem::replace(&mut self.is_in_text, false) {
            true => vec![Piece::Text(self.flow.end())],
            false => Vec::new(),
        }
    }

    fn call(&mut self, id: &str, tool: &str, args: &Value) -> Vec<Piece> {
        let shown = call_line(tool, None, args.clone());
        self.calls.insert(id.to_owned(), shown.clone());
        let mut pieces = self.end_text();
        let gap = self.gap(self.last == Last::Text);
        self.last = Last::Card(id.to_owned());
        pieces.push(Piece::Note(format!("{gap}{}\n", self.card(style::STRONG, "▸", &shown))));
        pieces
    }

    fn card(&self, colour: Style, mark: &str, shown: &str) -> String {
        let width = self.width.map_or(LONGEST, |width| width.saturating_sub(3));
        let shown = truncate_fields(shown, width).into_owned();
        let (name, rest) = shown.split_at(name_of(&shown).len());
        let strong = style::STRONG;
        format!("{colour}{mark}{colour:#} {strong}{name}{strong:#}{rest}")
    }

    /// The end of a call: below its card, or with its name if something else came in between.
    fn end_of_call(&mut self, id: &str, (colour, mark): (Style, &str), lines: Vec<String>) -> Vec<Piece> {
        let mut pieces = self.end_text();
        let is_below = matches!(&self.last, Last::Card(last) if last == id);
        let shown = self.calls.get(id).cloned().unwrap_or_else(|| id.to_owned());
        let mut text = String::new();
        if !is_below {
            text.push_str(&format!("{}\n", self.card(colour, mark, &shown)));
        }
        let width = self.width.map_or(LONGEST, |width| width.saturating_sub(5));
        let faint = style::FAINT;
        for (index, line) in lines.iter().enumerate() {
            let before = match is_below && index == 0 {
                true => format!("{colour}{mark}{colour:#}"),
                false => " ".into(),
            };
            let line = ensure_visible(line).into_owned();
            text.push_str(&format!("  {before} {faint}{}{faint:#}\n", truncate(&line, width)));
        }
        if is_below && lines.is_empty() {
            text.push_str(&format!("  {colour}{mark}{colour:#}\n"));
        }
        // A further result names its call.
        self.last = Last::Card(String::new());
        pieces.push(Piece::Note(text));
        pieces
    }
}

/// The name of the tool, at the beginning of a shown call.
fn name_of(shown: &str) -> &str {
    shown.split_once(": ").map_or(shown, |(name, _)| name)
}

/// Why a call was refused.
fn denial(code: &str, reason: Option<&str>) -> String {
    let reason = reason.filter(|reason| !reason.is_empty());
    match (code, reason) {
        ("denied", Some(reason)) => format!("denied: {reason}"),
        ("denied", None) => "denied".into(),
        ("expired", _) => "not run: nobody answered in time".into(),
        (_, Some(reason)) => format!("not run: {reason}"),
        (code, None) => format!("not run: {}", code.replace('_', " ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn printed(updates: &[RunUpdate]) -> String {
        let mut printer = RunPrinter::new(Some(40));
        let pieces = updates.iter().flat_map(|update| printer.print(update));
        let text: String = pieces
            .map(|piece| match piece {
                Piece::Text(text) | Piece::Note(text) => text,
            })
            .collect();
        anstream::adapter::strip_str(&text).to_string()
    }

    fn says(text: &str) -> [RunUpdate; 3] {
        [RunUpdate::TextStart, RunUpdate::TextDelta(text.into()), RunUpdate::TextEnd]
    }

    fn calls(id: &str, command: &str) -> RunUpdate {
        RunUpdate::ToolCall { id: id.into(), tool: "shell_exec".into(), args: json!({ "command": command }) }
    }

    fn result(id: &str, content: &str) -> RunUpdate {
        RunUpdate::Result { id: id.into(), content: content.into(), edited: None }
    }

    #[test]
    fn texts_and_cards_are_apart() {
        let mut updates = says("I look around.").to_vec();
        updates.extend([calls("1", "ls"), result("1", "a\nb")]);
        updates.extend([
            calls("2", "make"),
            RunUpdate::Error { id: "2".into(), message: String::new(), interrupted: true },
        ]);
        updates.extend(says("Done."));
        assert_eq!(
            printed(&updates),
            "I look around.\n\n▸ shell_exec: ls\n  ✓ a\n    b\n▸ shell_exec: make\n  ✗ interrupted\n\nDone.\n"
        );
    }

    #[test]
    fn cards_show_fields_and_no_json() {
        let card = |args| printed(&[RunUpdate::ToolCall { id: "1".into(), tool: "grep".into(), args }]);
        assert_eq!(card(json!({ "pattern": "main" })), "▸ grep: pattern main\n");
        let long = json!({ "glob": "*.rs", "pattern": "a text that is too long for the card" });
        assert_eq!(card(long), "▸ grep: glob *.rs · …\n");
    }

    #[test]
    fn result_names_its_call_if_another_came_in_between() {
        let updates = [calls("1", "ls"), calls("2", "pwd"), result("1", "a"), result("2", "/b")];
        assert_eq!(
            printed(&updates),
            "▸ shell_exec: ls\n▸ shell_exec: pwd\n✓ shell_exec: ls\n    a\n✓ shell_exec: pwd\n    /b\n"
        );
    }

    #[test]
    fn refusals_say_why() {
        for (code, reason, expected) in [
            ("denied", Some("use a branch"), "denied: use a branch"),
            ("denied", None, "denied"),
            ("denied_by_rule", Some("a human pushes"), "not run: a human pushes"),
            ("expired", None, "not run: nobody answered in time"),
        ] {
            assert_eq!(denial(code, reason), expected);
        }
    }

    #[test]
    fn text_that_is_taken_back_is_announced() {
        let mut updates = vec![RunUpdate::TextStart, RunUpdate::TextDelta("Half a ".into())];
        updates.extend(says("Whole."));
        assert_eq!(printed(&updates), "Half a\n\nthe model begins again:\n\nWhole.\n");
    }
}
