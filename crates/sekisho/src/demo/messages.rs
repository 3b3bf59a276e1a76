//! The lines that the demo prints for each event. Pure functions.

use std::path::Path;

use sekisho_gate::refusal::PREFIX;
use serde_json::Value;

use super::script::ScriptStep;
use crate::terminal::{truncate, visible};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum DemoEvent {
    /// The demo starts. `terminal`: `approvals watch` can answer.
    Begins {
        terminal: bool,
    },
    /// The demo does not run, and why.
    Skipped(String),
    /// The demo uses a temporary server in `place`, and why.
    Scratch {
        why: String,
        place: String,
    },
    QuestionOpened {
        scene: ScriptStep,
        input: Value,
    },
    /// A rule decided, without a question.
    Decided {
        scene: ScriptStep,
        through: Result<Value, String>,
    },
    /// A question was answered.
    Answered {
        scene: ScriptStep,
        by: AnsweredBy,
        answer: DemoAnswer,
    },
    /// The same call would not be asked again: it would run or be denied, and why.
    Remembered {
        scene: ScriptStep,
        allowed: bool,
        why: String,
    },
    /// The same call was asked again.
    AskedAgain {
        scene: ScriptStep,
        through: Result<(), String>,
    },
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
    /// Approved with this input, which a person may have changed.
    Yes { input: Value, changed: bool, written: Option<Result<String, String>> },
    /// Denied, with the message for the model. `stops`: the run must stop too.
    No { message: String, stops: bool },
    /// Nobody answered, or the question was withdrawn.
    Nothing(String),
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

/// The lines for an event.
pub(super) fn message_lines(event: &DemoEvent) -> Vec<MessageLine> {
    match event {
        DemoEvent::Begins { terminal } => begins(*terminal),
        DemoEvent::Skipped(why) => vec![demo(Tone::Plain, format!("skipped: {why}"))],
        DemoEvent::Scratch { why, place } => {
            let text =
                format!("using a temporary server in {}, removed at the end: {}", shown(place), shown(why));
            vec![demo(Tone::Plain, text)]
        }
        DemoEvent::QuestionOpened { scene, input } => {
            let first = about(Tone::Asks, *scene, "asks", format!("may I {}?", doing(*scene, input)));
            vec![first, more(scene.lesson())]
        }
        DemoEvent::Decided { scene, through: Ok(input) } => {
            let text = format!("without a question: {}", doing(*scene, input));
            let why = if *scene == ScriptStep::Read { scene.lesson() } else { "a rule allows it" };
            vec![about(Tone::Yes, *scene, "runs", text), more(why)]
        }
        DemoEvent::Decided { scene, through: Err(message) } => {
            vec![about(Tone::No, *scene, "not", format!("without a question: {}", model_message(message)))]
        }
        DemoEvent::Answered { scene, by, answer } => answered(*scene, by, answer),
        DemoEvent::Remembered { scene, allowed, why } => {
            let then = if *allowed { "it runs" } else { "it is denied" };
            let text = format!("from now on {then} without a question; the demo asks again");
            vec![about(Tone::Plain, *scene, "kept", text), more(&shown(why))]
        }
        DemoEvent::AskedAgain { scene, through: Ok(()) } => {
            vec![about(Tone::Yes, *scene, "again", "allowed without a question".into())]
        }
        DemoEvent::AskedAgain { scene, through: Err(message) } => {
            vec![about(
                Tone::No,
                *scene,
                "again",
                format!("denied without a question: {}", model_message(message)),
            )]
        }
        DemoEvent::SteppedAside => {
            let text = "another agent is asking now: the demo has withdrawn its questions and ended";
            vec![demo(Tone::Plain, text.into())]
        }
        DemoEvent::Failed(why) => vec![demo(Tone::No, format!("failed: {}", visible(why)))],
        DemoEvent::Finished => over(),
    }
}

fn begins(terminal: bool) -> Vec<MessageLine> {
    let how = match terminal {
        true => "answer in the browser, or in another terminal with `sekisho approvals watch`",
        false => "answer in the browser",
    };
    let first = "a demo agent makes four calls; none is really run, and your config is not changed";
    vec![demo(Tone::Plain, first.into()), more(how)]
}

fn over() -> Vec<MessageLine> {
    vec![
        demo(Tone::Plain, "the demo is over; `sekisho demo` runs it again".into()),
        more("to connect a real agent, run `sekisho install claude-code` (or codex, gemini-cli, opencode)"),
    ]
}

fn answered(scene: ScriptStep, by: &AnsweredBy, answer: &DemoAnswer) -> Vec<MessageLine> {
    match answer {
        DemoAnswer::Yes { input, changed, written } => {
            let who = match by {
                AnsweredBy::Person(name) => format!("approved by {}", visible(name)),
                AnsweredBy::Rule(rule) => format!("allowed by a rule that was just saved, {}", visible(rule)),
            };
            let changed = if *changed { ", with a change" } else { "" };
            let does = match written {
                Some(Ok(_)) => "the demo changed its own file".to_owned(),
                Some(Err(why)) => format!("nothing was written: {}", visible(why)),
                None => format!("the agent would now {}", doing(scene, input)),
            };
            let mut lines = vec![about(Tone::Yes, scene, "yes", format!("{who}{changed}: {does}"))];
            if let (Some(Ok(content)), ", with a change") = (written, changed) {
                lines.push(more("it now reads"));
                lines.extend(content.lines().map(|line| more(&format!("  {}", shown(line)))));
            }
            lines
        }
        DemoAnswer::No { message, stops } => {
            let who = match by {
                AnsweredBy::Person(name) => format!("denied by {}", visible(name)),
                AnsweredBy::Rule(rule) => format!("denied by a rule, {}", visible(rule)),
            };
            let mut lines = vec![about(Tone::No, scene, "no", format!("{who}: {}", model_message(message)))];
            if *stops {
                lines.push(more("and the run is stopped: a real agent would end here, and so does the demo"));
            }
            lines
        }
        DemoAnswer::Nothing(why) => vec![about(Tone::Plain, scene, "open", visible(why).into_owned())],
    }
}

/// What a call would do, as a verb phrase.
fn doing(scene: ScriptStep, input: &Value) -> String {
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let json = || format!("{} {}", scene.tool(), shown(&input.to_string()));
    match scene {
        ScriptStep::Change => text("file_path").map_or_else(json, |path| {
            let name = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
            format!("change {}", shown(&name))
        }),
        ScriptStep::Read | ScriptStep::Pipeline => {
            text("command").map_or_else(json, |command| format!("run `{}`", shown(command)))
        }
        ScriptStep::Customer => {
            let server = scene.server().unwrap_or_default();
            format!("call {server}/{} with {}", scene.tool(), shown(&input.to_string()))
        }
    }
}

fn model_message(message: &str) -> String {
    format!("the model receives `{}`", shown(&format!("{PREFIX}{message}")))
}

fn shown(text: &str) -> String {
    truncate(&visible(text), WIDEST).into_owned()
}

fn demo(tone: Tone, text: String) -> MessageLine {
    MessageLine { tone, label: super::script::NAME.into(), text }
}

fn about(tone: Tone, scene: ScriptStep, label: &str, text: String) -> MessageLine {
    MessageLine { tone, label: format!("{} {label}", scene.number()), text }
}

fn more(text: &str) -> MessageLine {
    MessageLine { tone: Tone::Plain, label: String::new(), text: text.to_owned() }
}
