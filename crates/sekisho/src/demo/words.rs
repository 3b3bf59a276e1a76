//! What is said about the demo: something happened, and these lines tell it. Pure.

use std::path::Path;

use sekisho_gate::refusal::PREFIX;
use serde_json::Value;

use super::script::Scene;
use crate::terminal::{cut, visible};

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Happened {
    /// It begins; whether the terminal's inbox can answer.
    Begins { terminal: bool },
    /// Nothing is asked here, and why.
    LeftOut(String),
    /// It has a server of its own, there, and why.
    Scratch { why: String, place: String },
    /// A question is open.
    Asked { scene: Scene, input: Value },
    /// A rule decided, without a question.
    Decided { scene: Scene, through: Result<Value, String> },
    /// A question was answered.
    Answered { scene: Scene, by: Who, answer: Answered },
    /// The same would not be asked again: it would run, or it would not; and why.
    Remembered { scene: Scene, allowed: bool, why: String },
    /// The same was asked again.
    Again { scene: Scene, through: Result<(), String> },
    /// Somebody else asks.
    Aside,
    /// Something broke.
    Broke(String),
    /// It is over.
    Over,
}

/// Who answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// A person, by name.
    Person(String),
    /// A rule.
    Rule(String),
}

/// An answer, and what it does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answered {
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
pub(super) struct Line {
    pub(super) tone: Tone,
    /// What stands before it; nothing where it goes on.
    pub(super) label: String,
    pub(super) text: String,
}

/// Values are shown up to so many columns: the page has all of them.
const WIDEST: usize = 160;

/// The lines that tell of something.
pub(super) fn lines(happened: &Happened) -> Vec<Line> {
    match happened {
        Happened::Begins { terminal } => begins(*terminal),
        Happened::LeftOut(why) => vec![demo(Tone::Plain, format!("left out: {why}"))],
        Happened::Scratch { why, place } => {
            let text = format!("a server of its own in {}, removed at the end: {}", shown(place), shown(why));
            vec![demo(Tone::Plain, text)]
        }
        Happened::Asked { scene, input } => {
            let first = about(Tone::Asks, *scene, "asks", format!("may I {}?", doing(*scene, input)));
            vec![first, more(scene.point())]
        }
        Happened::Decided { scene, through: Ok(input) } => {
            let first = about(Tone::Yes, *scene, "runs", format!("at once: {}", doing(*scene, input)));
            vec![first, more(if *scene == Scene::Read { scene.point() } else { "a rule allows it" })]
        }
        Happened::Decided { scene, through: Err(message) } => {
            vec![about(Tone::No, *scene, "not", format!("without a question: {}", told(message)))]
        }
        Happened::Answered { scene, by, answer } => answered(*scene, by, answer),
        Happened::Remembered { scene, allowed, why } => {
            let then = if *allowed { "it runs" } else { "it is turned back" };
            let text = format!("from now on {then}, and nobody is asked; the demo asks the same again");
            vec![about(Tone::Plain, *scene, "kept", text), more(&shown(why))]
        }
        Happened::Again { scene, through: Ok(()) } => {
            vec![about(Tone::Yes, *scene, "again", "let through, and nobody was asked".into())]
        }
        Happened::Again { scene, through: Err(message) } => {
            vec![about(
                Tone::No,
                *scene,
                "again",
                format!("turned back, and nobody was asked: {}", told(message)),
            )]
        }
        Happened::Aside => {
            let text = "somebody else asks here now: the demo has withdrawn its questions, and is over";
            vec![demo(Tone::Plain, text.into())]
        }
        Happened::Broke(why) => vec![demo(Tone::No, format!("it broke off: {}", visible(why)))],
        Happened::Over => over(),
    }
}

fn begins(terminal: bool) -> Vec<Line> {
    let how = match terminal {
        true => "answer in the browser, or in another terminal with `sekisho approvals watch`",
        false => "answer in the browser",
    };
    let first =
        "a make-believe agent makes four calls; none of them is really run, and your config is not changed";
    vec![demo(Tone::Plain, first.into()), more(how)]
}

fn over() -> Vec<Line> {
    vec![
        demo(Tone::Plain, "that was all; `sekisho demo` shows it again".into()),
        more("a real agent asks here after `sekisho install claude-code` (or codex, gemini-cli, opencode)"),
    ]
}

fn answered(scene: Scene, by: &Who, answer: &Answered) -> Vec<Line> {
    match answer {
        Answered::Yes { input, changed, written } => {
            let who = match by {
                Who::Person(name) => format!("approved by {}", visible(name)),
                Who::Rule(rule) => format!("let through by a rule that was just kept, {}", visible(rule)),
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
        Answered::No { message, stops } => {
            let who = match by {
                Who::Person(name) => format!("denied by {}", visible(name)),
                Who::Rule(rule) => format!("turned back by a rule, {}", visible(rule)),
            };
            let mut lines = vec![about(Tone::No, scene, "no", format!("{who}: {}", told(message)))];
            if *stops {
                lines.push(more("and its run is stopped: a real agent would end here, and so does the demo"));
            }
            lines
        }
        Answered::Nothing(why) => vec![about(Tone::Plain, scene, "open", visible(why).into_owned())],
    }
}

/// What a call would do, as a verb.
fn doing(scene: Scene, input: &Value) -> String {
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let json = || format!("{} {}", scene.tool(), shown(&input.to_string()));
    match scene {
        Scene::Change => text("file_path").map_or_else(json, |path| {
            let name = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
            format!("change {}", shown(&name))
        }),
        Scene::Read | Scene::Pipeline => {
            text("command").map_or_else(json, |command| format!("run `{}`", shown(command)))
        }
        Scene::Customer => {
            let server = scene.server().unwrap_or_default();
            format!("call {server}/{} with {}", scene.tool(), shown(&input.to_string()))
        }
    }
}

fn told(message: &str) -> String {
    format!("the model is told `{}`", shown(&format!("{PREFIX}{message}")))
}

fn shown(text: &str) -> String {
    cut(&visible(text), WIDEST).into_owned()
}

fn demo(tone: Tone, text: String) -> Line {
    Line { tone, label: super::script::NAME.into(), text }
}

fn about(tone: Tone, scene: Scene, label: &str, text: String) -> Line {
    Line { tone, label: format!("{} {label}", scene.number()), text }
}

fn more(text: &str) -> Line {
    Line { tone: Tone::Plain, label: String::new(), text: text.to_owned() }
}
