//! The lines that the demo prints for each event. Pure functions.

use std::path::Path;

use serde_json::Value;

use super::script::{CUSTOMER, DemoCall, NAME, ScriptStep};
use crate::terminal::{truncate, visible};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum DemoEvent {
    /// The demo starts. `terminal`: `approvals watch` can answer.
    Begins {
        terminal: bool,
    },
    /// The demo does not run, and why.
    Skipped(String),
    /// The demo uses a temporary server in this directory.
    Scratch(String),
    /// The message that the run starts with.
    Task(String),
    /// The agent says something.
    Says(String),
    QuestionOpened(DemoCall),
    /// A rule decided, without a question: the call ran, or the model receives this message. `explains`: say why,
    /// which is enough once.
    Decided {
        call: DemoCall,
        through: Result<(), String>,
        explains: bool,
    },
    /// A question has ended.
    Answered {
        call: DemoCall,
        by: AnsweredBy,
        answer: DemoAnswer,
    },
    /// Nobody answers. From now on the demo asks again without saying so.
    AsksOn,
    /// The same call would not be asked again: it would run or be denied, and why.
    Remembered {
        allowed: bool,
        why: String,
    },
    /// The same call was asked again.
    AskedAgain {
        through: Result<(), String>,
    },
    /// Nobody answered until the time of the run was over.
    GaveUp,
    /// Another agent is asking.
    SteppedAside,
    Failed(String),
    /// The demo has ended.
    Finished,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AnsweredBy {
    Person(String),
    Rule(String),
}

/// An answer and its effect.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DemoAnswer {
    /// Approved; a person may have changed the input.
    Yes { changed: bool, effect: Effect },
    /// Denied, with the message for the model. `stops`: the run must stop too.
    No { message: String, stops: bool },
    /// Nobody answered in time.
    Expired,
    /// The question was withdrawn, and why.
    Withdrawn(String),
}

/// What an approved call did.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect {
    /// It ran, and these lines show it.
    Ran(Vec<String>),
    Failed(String),
    /// The tool does not exist, so nothing runs.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Asks,
    Yes,
    No,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MessageLine {
    pub(super) tone: Tone,
    /// The label before the text; empty on continuation lines.
    pub(super) label: String,
    pub(super) text: String,
}

/// Maximum width of a value, in columns. The page shows it in full.
const WIDEST: usize = 160;
/// Maximum number of lines of what a call printed.
const MOST_LINES: usize = 6;

/// The lines for an event.
pub(super) fn message_lines(event: &DemoEvent) -> Vec<MessageLine> {
    match event {
        DemoEvent::Begins { terminal } => begins(*terminal),
        DemoEvent::Skipped(why) => vec![labelled(NAME, Tone::Plain, format!("skipped: {why}"))],
        DemoEvent::Scratch(place) => {
            let text = format!("on a temporary server in {}, which is removed at the end", shown(place));
            vec![labelled(NAME, Tone::Plain, text)]
        }
        DemoEvent::Task(text) => vec![labelled("task", Tone::Plain, shown(text))],
        DemoEvent::Says(text) => vec![labelled("agent", Tone::Plain, shown(text))],
        DemoEvent::QuestionOpened(call) => {
            let step = ScriptStep::of_tool(&call.tool);
            let first = about(Tone::Asks, step, "asks", format!("may I {}?", doing(call)));
            vec![first, more(step.lesson())]
        }
        DemoEvent::Decided { call, through: Ok(()), explains } => {
            let step = ScriptStep::of_tool(&call.tool);
            let mut lines = vec![about(Tone::Yes, step, "runs", doing(call))];
            if *explains {
                lines.push(more(ScriptStep::Look.lesson()));
            }
            lines
        }
        DemoEvent::Decided { call, through: Err(message), .. } => {
            let text = format!("without a question: {}", model_message(message));
            vec![about(Tone::No, ScriptStep::of_tool(&call.tool), "not", text)]
        }
        DemoEvent::Answered { call, by, answer } => answered(call, by, answer),
        DemoEvent::AsksOn => {
            vec![more("the demo asks for an hour, without printing more until somebody answers")]
        }
        DemoEvent::Remembered { allowed, why } => {
            let then = if *allowed { "it runs" } else { "it is denied" };
            let text = format!("from now on {then} without a question; the demo asks again");
            vec![about(Tone::Plain, ScriptStep::Customer, "kept", text), more(&shown(why))]
        }
        DemoEvent::AskedAgain { through } => {
            let (tone, text) = match through {
                Ok(()) => (Tone::Yes, "allowed without a question".into()),
                Err(message) => (Tone::No, format!("denied without a question: {}", model_message(message))),
            };
            vec![about(tone, ScriptStep::Customer, "again", text)]
        }
        DemoEvent::GaveUp => {
            vec![labelled(NAME, Tone::Plain, "nobody answered, so the agent has stopped".into())]
        }
        DemoEvent::SteppedAside => {
            let text = "another agent is asking now: the demo has withdrawn its questions and ended";
            vec![labelled(NAME, Tone::Plain, text.into())]
        }
        DemoEvent::Failed(why) => vec![labelled(NAME, Tone::No, format!("failed: {}", visible(why)))],
        DemoEvent::Finished => over(),
    }
}

fn begins(terminal: bool) -> Vec<MessageLine> {
    let how = match terminal {
        true => "answer in the browser, or in another terminal with `sekisho approvals watch`",
        false => "answer in the browser",
    };
    let first = "an agent works in a temporary directory; your files and your config are not touched";
    vec![labelled(NAME, Tone::Plain, first.into()), more(how)]
}

fn over() -> Vec<MessageLine> {
    vec![
        labelled(NAME, Tone::Plain, "the demo is over; `sekisho demo` runs it again".into()),
        more("to connect a real agent, run `sekisho install claude-code` (or codex, gemini-cli, opencode)"),
    ]
}

fn answered(call: &DemoCall, by: &AnsweredBy, answer: &DemoAnswer) -> Vec<MessageLine> {
    let step = ScriptStep::of_tool(&call.tool);
    match answer {
        DemoAnswer::Yes { changed, effect } => {
            let who = match by {
                AnsweredBy::Person(name) => format!("approved by {}", visible(name)),
                AnsweredBy::Rule(rule) => format!("allowed by a rule that was just saved, {}", visible(rule)),
            };
            let changed = if *changed { ", with a change" } else { "" };
            let (does, result): (String, &[String]) = match effect {
                Effect::Ran(result) => (ran(call), result),
                Effect::Failed(why) => (format!("it failed: {}", shown(why)), &[]),
                Effect::Nothing => (format!("the agent would now {}", doing(call)), &[]),
            };
            let mut lines = vec![about(Tone::Yes, step, "yes", format!("{who}{changed}: {does}"))];
            lines.extend(result.iter().take(MOST_LINES).map(|line| more(&format!("  {}", shown(line)))));
            if result.len() > MOST_LINES {
                lines.push(more("  …"));
            }
            lines
        }
        DemoAnswer::No { message, stops } => {
            let who = match by {
                AnsweredBy::Person(name) => format!("denied by {}", visible(name)),
                AnsweredBy::Rule(rule) => format!("denied by a rule, {}", visible(rule)),
            };
            let mut lines = vec![about(Tone::No, step, "no", format!("{who}: {}", model_message(message)))];
            if *stops {
                lines.push(more("and the run is stopped, so the demo ends here"));
            }
            lines
        }
        DemoAnswer::Expired => {
            let text = "nobody answered in time: the call does not run, and the model is told why";
            vec![about(Tone::No, step, "expired", text.into())]
        }
        DemoAnswer::Withdrawn(why) => {
            vec![about(Tone::Plain, step, "gone", format!("the question was withdrawn: {}", shown(why)))]
        }
    }
}

/// What a call would do, as a verb phrase.
fn doing(call: &DemoCall) -> String {
    let text = |field: &str| call.input.get(field).and_then(Value::as_str).map(shown);
    let phrase = match call.tool.as_str() {
        "read" => text("path").map(|path| format!("read {path}")),
        "grep" => text("pattern").map(|pattern| format!("search for `{pattern}`")),
        "edit" => file_name(call).map(|name| format!("change {name}")),
        "shell_exec" => text("command").map(|command| format!("run `{command}`")),
        _ => None,
    };
    phrase.unwrap_or_else(|| {
        let server = if call.tool == CUSTOMER.0 { format!("{}/", CUSTOMER.1) } else { String::new() };
        format!("call {server}{} with {}", visible(&call.tool), shown(&call.input.to_string()))
    })
}

/// What a call did. The result follows.
fn ran(call: &DemoCall) -> String {
    match (ScriptStep::of_tool(&call.tool), file_name(call)) {
        (ScriptStep::Change, Some(name)) => format!("{name} is changed on disk"),
        (ScriptStep::Command, _) => "it ran in the sandbox".into(),
        _ => "it ran".into(),
    }
}

fn file_name(call: &DemoCall) -> Option<String> {
    let path = call.input.get("path").and_then(Value::as_str)?;
    Some(shown(&Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy())))
}

fn model_message(message: &str) -> String {
    format!("the model receives `{}`", shown(message))
}

fn shown(text: &str) -> String {
    truncate(&visible(text), WIDEST).into_owned()
}

fn labelled(label: &str, tone: Tone, text: String) -> MessageLine {
    MessageLine { tone, label: label.into(), text }
}

fn about(tone: Tone, step: ScriptStep, label: &str, text: String) -> MessageLine {
    labelled(&format!("{} {label}", step.number()), tone, text)
}

fn more(text: &str) -> MessageLine {
    labelled("", Tone::Plain, text.to_owned())
}
