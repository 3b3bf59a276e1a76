//! What is said about the demo: something happened, and these lines tell it. Pure.

use std::path::Path;

use sekisho_gate::refusal::PREFIX;
use serde_json::Value;

use super::script::ScriptStep;
use crate::terminal::{truncate, visible};

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DemoEvent {
    /// It begins; whether the terminal's inbox can answer.
    Begins { terminal: bool },
    /// Nothing is asked here, and why.
    Skipped(String),
    /// It has a server of its own, there, and why.
    Scratch { why: String, place: String },
    /// A question is open.
    QuestionOpened { scene: ScriptStep, input: Value },
    /// A rule decided, without a question.
    Decided { scene: ScriptStep, through: Result<Value, String> },
    /// A question was answered.
    Answered { scene: ScriptStep, by: AnsweredBy, answer: DemoAnswer },
    /// The same would not be asked again: it would run, or it would not; and why.
    Remembered { scene: ScriptStep, allowed: bool, why: String },
    /// The same was asked again.
    AskedAgain { scene: ScriptStep, through: Result<(), String> },
    /// Somebody else asks.
    SteppedAside,
    /// Something broke.
    Failed(String),
    /// It is over; whether rules were kept that stay.
    Finished { kept: bool },
}

/// Who answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AnsweredBy {
    /// A person, by name.
    Person(String),
    /// A rule.
    Rule(String),
}

/// An answer, and what it does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DemoAnswer {
    /// Yes, with this input; a person may have changed it.
    Yes { input: Value, changed: bool, written: Option<Result<String, String>> },
    /// No, and what the model is told; the run may have to stop as well.
    No { message: String, stops: bool },
    /// Nobody answered, or it was withdrawn.
    Nothing(String),
}

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Asks,
    Yes,
    No,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MessageLine {
    pub(super) tone: Tone,
    /// What stands before it; nothing where it goes on.
    pub(super) label: String,
    pub(super) text: String,
}

/// Values are shown up to so many columns: the page has all of them.
const WIDEST: usize = 160;

/// The lines that tell of something.
pub(super) fn message_lines(happened: &DemoEvent) -> Vec<MessageLine> {
    match happened {
        DemoEvent::Begins { terminal } => begins(*terminal),
        DemoEvent::Skipped(why) => vec![demo(Tone::Plain, format!("left out: {why}"))],
        DemoEvent::Scratch { why, place } => {
            let text = format!("a server of its own in {}, removed at the end: {}", shown(place), shown(why));
            vec![demo(Tone::Plain, text)]
        }
        DemoEvent::QuestionOpened { scene, input } => {
            let first = about(Tone::Asks, *scene, "asks", format!("may I {}?", doing(*scene, input)));
            vec![first, more(scene.lesson())]
        }
        DemoEvent::Decided { scene, through: Ok(input) } => {
            let text = format!("a rule lets it {}, without a question", doing(*scene, input));
            vec![about(Tone::Yes, *scene, "goes", text)]
        }
        DemoEvent::Decided { scene, through: Err(message) } => {
            vec![about(Tone::No, *scene, "not", format!("without a question: {}", told(message)))]
        }
        DemoEvent::Answered { scene, by, answer } => answered(*scene, by, answer),
        DemoEvent::Remembered { scene, allowed, why } => {
            let then = if *allowed { "it runs" } else { "it is turned back" };
            let text = format!("from now on {then}, and nobody is asked; the demo asks the same again");
            vec![about(Tone::Plain, *scene, "kept", text), more(&shown(why))]
        }
        DemoEvent::AskedAgain { scene, through: Ok(()) } => {
            vec![about(Tone::Yes, *scene, "again", "let through, and nobody was asked".into())]
        }
        DemoEvent::AskedAgain { scene, through: Err(message) } => {
            vec![about(
                Tone::No,
                *scene,
                "again",
                format!("turned back, and nobody was asked: {}", told(message)),
            )]
        }
        DemoEvent::SteppedAside => {
            let text = "somebody else asks here now: the demo has withdrawn its questions, and is over";
            vec![demo(Tone::Plain, text.into())]
        }
        DemoEvent::Failed(why) => vec![demo(Tone::No, format!("it broke off: {}", visible(why)))],
        DemoEvent::Finished { kept } => over(*kept),
    }
}

fn begins(terminal: bool) -> Vec<MessageLine> {
    let how = match terminal {
        true => "answer in the browser, or in another terminal with `sekisho approvals watch`",
        false => "answer in the browser",
    };
    let first = "a make-believe agent asks four things; none of them is really run";
    vec![demo(Tone::Plain, first.into()), more(how)]
}

fn over(kept: bool) -> Vec<MessageLine> {
    let mut lines = vec![
        demo(Tone::Plain, "that was all; `sekisho demo` shows it again".into()),
        more("a real agent asks here after `sekisho install claude-code` (or codex, gemini-cli, opencode)"),
    ];
    if kept {
        lines.push(more(
            "rules that you kept for longer than its session stay: `sekisho rules list` shows them",
        ));
    }
    lines
}

fn answered(scene: ScriptStep, by: &AnsweredBy, answer: &DemoAnswer) -> Vec<MessageLine> {
    match answer {
        DemoAnswer::Yes { input, changed, written } => {
            let who = match by {
                AnsweredBy::Person(name) => format!("approved by {}", visible(name)),
                AnsweredBy::Rule(rule) => format!("let through by a rule that was just kept, {}", visible(rule)),
            };
            let changed = if *changed { ", with a change" } else { "" };
            let does = match written {
                Some(Ok(_)) => "the file in the demo's own directory is changed".to_owned(),
                Some(Err(why)) => format!("nothing is written: {}", visible(why)),
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
                AnsweredBy::Rule(rule) => format!("turned back by a rule, {}", visible(rule)),
            };
            let mut lines = vec![about(Tone::No, scene, "no", format!("{who}: {}", told(message)))];
            if *stops {
                lines.push(more("and its run is stopped: a real agent would end here, and so does the demo"));
            }
            lines
        }
        DemoAnswer::Nothing(why) => vec![about(Tone::Plain, scene, "open", visible(why).into_owned())],
    }
}

/// What a call would do, as a verb.
fn doing(scene: ScriptStep, input: &Value) -> String {
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let json = || format!("{} {}", scene.tool(), shown(&input.to_string()));
    match scene {
        ScriptStep::Read => text("file_path").map_or_else(json, |path| format!("read {}", shown(path))),
        ScriptStep::Change => text("file_path").map_or_else(json, |path| {
            let name = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
            format!("change {}", shown(&name))
        }),
        ScriptStep::Pipeline => text("command").map_or_else(json, |command| format!("run `{}`", shown(command))),
        ScriptStep::Customer => {
            let server = scene.server().unwrap_or_default();
            format!("call {server}/{} with {}", scene.tool(), shown(&input.to_string()))
        }
    }
}

fn told(message: &str) -> String {
    format!("the model is told `{}`", shown(&format!("{PREFIX}{message}")))
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
