//! Policies with their expected verdicts, written as Markdown that can be run.
//!
//! A corpus file is Markdown. Its fenced blocks contain layers (`json layer=global`), the context of the
//! calls (`surroundings`) and calls with their verdicts, one per line (`calls`). A block applies to its own
//! section and the sections below it. A layer replaces a layer of the same kind from an outer section. The
//! format is described in `spec/corpus/README.md`, next to the shipped corpus.
//!
//! Parsing and running are pure, because users run their own files with the same code.

mod call_line;
mod corpus_context;
mod in_memory_files;
mod symlink_resolution;

use std::fmt;

use crate::call::Call;
use crate::exact_json;
use crate::jsonc_deserializer;
use crate::judge::{judge, required_facts};
use crate::judge_context::JudgeContext;
use crate::layer::{BrokenLayer, Layer, LayerTrust};
use crate::policy::{Layers, Policy};
use crate::reason::Reason;
use crate::rule::{Effect, LayerKind, Rule};
use crate::verdict::Verdict;
use corpus_context::CorpusContext;
pub use in_memory_files::InMemoryFiles;

/// The result of running a corpus file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of calls judged.
    pub calls: usize,
    /// Everything that did not match the file.
    pub failures: Vec<Failure>,
}

/// One mismatch or error in a corpus file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The file name.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The headings above it.
    pub section: String,
    /// What went wrong.
    pub fault: FailureKind,
}

/// What can go wrong in a corpus file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A call got another verdict than expected.
    Verdict {
        /// The call, as written.
        call: String,
        /// The expected verdict.
        expected: String,
        /// The actual verdict.
        got: String,
    },
    /// The file itself has an error.
    Text(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: ", self.file, self.line, self.section)?;
        match &self.fault {
            FailureKind::Verdict { call, expected, got } => {
                write!(f, "`{call}`: expected `{expected}`, got `{got}`")
            }
            FailureKind::Text(message) => f.write_str(message),
        }
    }
}

/// A config text in a corpus file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusConfig {
    /// The line at which its text begins.
    pub line: usize,
    /// The kind of layer.
    pub layer: LayerKind,
    /// Whether loading it is expected to fail.
    pub broken: bool,
    /// The text in config file format. Rules of the database and of sessions have the same format.
    pub text: String,
}

/// Judges the calls of a corpus file.
pub type JudgeFn<'a> = &'a dyn Fn(&Policy, &Call, &JudgeContext) -> Verdict;

/// Judges every call of a corpus file.
pub fn run(name: &str, text: &str) -> Report {
    run_with(name, text, &judge)
}

/// Like [`run`], with another function than [`judge`] to judge the calls.
pub fn run_with(name: &str, text: &str, judging: JudgeFn<'_>) -> Report {
    let mut runner = Runner { name, judging, report: Report::default(), sections: vec![Section::default()] };
    for part in parts(text) {
        match part {
            MarkdownPart::Heading { level, title } => runner.enter(level, title),
            MarkdownPart::Block(block) => runner.block(&block),
        }
    }
    runner.report
}

/// All config texts of a corpus file.
pub fn configs(text: &str) -> Vec<CorpusConfig> {
    let blocks = parts(text).into_iter().filter_map(|part| match part {
        MarkdownPart::Block(block) => Some(block),
        MarkdownPart::Heading { .. } => None,
    });
    let config = |block: Block<'_>| match BlockKind::of(block.info) {
        Ok(BlockKind::Layer(kind)) => Some(CorpusConfig {
            line: block.line,
            layer: kind.layer,
            broken: kind.broken,
            text: full_form(&block.text),
        }),
        _ => None,
    };
    blocks.filter_map(config).collect()
}

/// A verdict in the notation of a corpus file: the decision and its first reason.
pub fn describe(verdict: &Verdict) -> String {
    let cite = |index: &usize| {
        verdict.rules.get(*index).map_or_else(String::new, |rule| match rule.layer() {
            LayerKind::BuiltIn => "built-in".into(),
            layer => format!("{layer}:{}", rule.line()),
        })
    };
    let decision = verdict.decision;
    match verdict.reasons.first() {
        None => format!("{decision}, without a reason"),
        Some(Reason::Rule { rule }) => format!("{decision} by {}", cite(rule)),
        Some(Reason::NotEvaluated { rule }) => format!("{decision}, {} not evaluated", cite(rule)),
        Some(Reason::ProtectedPath { pattern, .. }) => format!("{decision}, protected {pattern}"),
        Some(Reason::ProtectedAmong { pattern, .. }) => format!("{decision}, among them {pattern}"),
        Some(Reason::ConfigBroken { layer, .. }) => format!("{decision}, {layer} broken"),
        Some(Reason::FieldMissing { field }) => format!("{decision}, field missing {field}"),
        Some(Reason::FieldUnreadable { field }) => format!("{decision}, field unreadable {field}"),
        Some(reason) => format!("{decision}, {}", code(reason)),
    }
}

/// A reason's wire code, with spaces between words.
fn code(reason: &Reason) -> String {
    let written = serde_json::to_value(reason).unwrap_or_default();
    written.get("code").and_then(serde_json::Value::as_str).unwrap_or("?").replace('_', " ")
}

enum MarkdownPart<'a> {
    Heading { level: usize, title: &'a str },
    Block(Block<'a>),
}

/// A fenced block.
struct Block<'a> {
    /// The words after the opening fence.
    info: &'a str,
    /// The line at which the text begins.
    line: usize,
    text: String,
}

/// The headings and fenced blocks of a Markdown text, in order. An unclosed block extends to the end of the
/// text.
fn parts(text: &str) -> Vec<MarkdownPart<'_>> {
    let mut parts = Vec::new();
    let mut lines = (1..).zip(text.lines());
    while let Some((number, line)) = lines.next() {
        let hashes = line.chars().take_while(|c| *c == '#').count();
        if let Some(title) = line.get(hashes..).and_then(|rest| rest.strip_prefix(' '))
            && hashes > 0
        {
            parts.push(MarkdownPart::Heading { level: hashes, title: title.trim() });
        } else if let Some(info) = line.strip_prefix("```") {
            let body: Vec<&str> =
                lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim_end() != "```").collect();
            parts.push(MarkdownPart::Block(Block {
                info: info.trim(),
                line: number + 1,
                text: body.join("\n"),
            }));
        }
    }
    parts
}

/// The kind of a block, by the words after its fence.
enum BlockKind {
    Layer(LayerBlock),
    Surroundings,
    Calls,
    /// A block of another language.
    Other,
}

struct LayerBlock {
    layer: LayerKind,
    standing: Option<LayerTrust>,
    broken: bool,
}

impl BlockKind {
    fn of(info: &str) -> Result<BlockKind, String> {
        let mut words = info.split_whitespace();
        match words.next() {
            Some("surroundings") => return Ok(BlockKind::Surroundings),
            Some("calls") => return Ok(BlockKind::Calls),
            Some("json" | "jsonc") => {}
            _ => return Ok(BlockKind::Other),
        }
        let mut layer = None;
        let (mut standing, mut broken) = (None, false);
        for word in words {
            match word {
                "layer=managed" => layer = Some(LayerKind::Managed),
                "layer=global" => layer = Some(LayerKind::Global),
                "layer=project" => layer = Some(LayerKind::Project),
                "layer=database" => layer = Some(LayerKind::Database),
                "layer=session" => layer = Some(LayerKind::Session),
                "trusted" => standing = Some(LayerTrust::Full),
                "outside-root" => standing = Some(LayerTrust::OutsideRoot),
                "broken" => broken = true,
                other => return Err(format!("unknown word `{other}` after the fence")),
            }
        }
        Ok(layer.map_or(BlockKind::Other, |layer| BlockKind::Layer(LayerBlock { layer, standing, broken })))
    }
}

/// Wraps a text with only rule lists into a full config. Every rule keeps its line.
fn full_form(text: &str) -> String {
    if text.contains("\"version\"") {
        text.into()
    } else {
        format!("{{ \"version\": 1, \"permissions\": {text}\n}}")
    }
}

/// The blocks of one section.
#[derive(Default)]
struct Section<'a> {
    level: usize,
    title: &'a str,
    loaded: Vec<Layer>,
    broken: Vec<BrokenLayer>,
    world: Vec<String>,
}

impl Section<'_> {
    fn speaks_of(&self, kind: LayerKind) -> bool {
        self.loaded.iter().any(|layer| layer.kind == kind)
            || self.broken.iter().any(|broken| broken.kind == kind)
    }
}

struct Runner<'a> {
    name: &'a str,
    judging: JudgeFn<'a>,
    report: Report,
    /// The current section and its ancestors, outermost first.
    sections: Vec<Section<'a>>,
}

impl<'a> Runner<'a> {
    fn enter(&mut self, level: usize, title: &'a str) {
        self.sections.retain(|section| section.level < level);
        self.sections.push(Section { level, title, ..Section::default() });
    }

    fn fail(&mut self, line: usize, fault: FailureKind) {
        let titles: Vec<&str> =
            self.sections.iter().map(|section| section.title).filter(|title| !title.is_empty()).collect();
        let section = titles.join(" / ");
        self.report.failures.push(Failure { file: self.name.into(), line, section, fault });
    }

    fn block(&mut self, block: &Block<'a>) {
        let done = match BlockKind::of(block.info) {
            Ok(BlockKind::Layer(kind)) => self.layer(&kind, block),
            Ok(BlockKind::Surroundings) => {
                let section = self.sections.last_mut();
                CorpusContext::default()
                    .read(&block.text)
                    .map(|()| section.into_iter().for_each(|section| section.world.push(block.text.clone())))
            }
            Ok(BlockKind::Calls) => {
                self.calls(block);
                Ok(())
            }
            Ok(BlockKind::Other) => Ok(()),
            Err(message) => Err(message),
        };
        if let Err(message) = done {
            self.fail(block.line, FailureKind::Text(message));
        }
    }

    fn layer(&mut self, kind: &LayerBlock, block: &Block<'_>) -> Result<(), String> {
        let name = kind.layer.name();
        let read = read_layer(kind.layer, &block.text);
        let Some(section) = self.sections.last_mut() else { return Ok(()) };
        match (read, kind.broken) {
            (Ok(mut layer), false) => {
                layer.trust = kind.standing.unwrap_or(layer.trust);
                section.loaded.push(layer);
                Ok(())
            }
            (Err(error), true) => {
                section.broken.push(BrokenLayer { kind: kind.layer, name: name.into(), error });
                Ok(())
            }
            (Err(error), false) => Err(format!("the {name} layer does not load: {error}")),
            (Ok(_), true) => Err(format!("the {name} layer is marked broken, but loads")),
        }
    }

    /// The layers and the context that apply here.
    fn setting(&self) -> (Layers, CorpusContext) {
        let mut layers = Layers::default();
        let mut world = CorpusContext::default();
        for (depth, section) in self.sections.iter().enumerate() {
            let below = || self.sections.iter().skip(depth + 1);
            let counts = |kind: LayerKind| !below().any(|deeper| deeper.speaks_of(kind));
            layers.loaded.extend(section.loaded.iter().filter(|layer| counts(layer.kind)).cloned());
            layers.broken.extend(section.broken.iter().filter(|broken| counts(broken.kind)).cloned());
            for text in &section.world {
                // Errors were reported when the block was read.
                let _ = world.read(text);
            }
        }
        (layers, world)
    }

    fn calls(&mut self, block: &Block<'_>) {
        let (layers, world) = self.setting();
        let policy = Policy::compile(layers);
        for (number, line) in (block.line..).zip(block.text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            self.report.calls += 1;
            let Some((call, expected)) = line.rsplit_once("=>") else {
                self.fail(number, FailureKind::Text("a call needs a verdict: `CALL => VERDICT`".into()));
                continue;
            };
            let (written, expected) =
                (call.trim(), expected.split_whitespace().collect::<Vec<_>>().join(" "));
            let call = match call_line::read(written, world.cwd.as_deref()) {
                Ok(call) => call,
                Err(message) => {
                    self.fail(number, FailureKind::Text(format!("`{written}`: {message}")));
                    continue;
                }
            };
            let context = world.judge_context(&policy, required_facts(&policy, &call));
            let got = describe(&(self.judging)(&policy, &call, &context));
            if got != expected {
                self.fail(number, FailureKind::Verdict { call: written.into(), expected, got });
            }
        }
    }
}

/// Parses a layer: a config file, or the stored rules of the database or a session.
fn read_layer(kind: LayerKind, text: &str) -> Result<Layer, String> {
    if !matches!(kind, LayerKind::Database | LayerKind::Session) {
        return Layer::parse(kind, kind.name(), &full_form(text)).map_err(|error| error.to_string());
    }
    let lists = exact_json::read(text)?;
    let lists = lists.get("permissions").unwrap_or(&lists);
    let mut rules = Vec::new();
    for effect in [Effect::Allow, Effect::Confirm, Effect::Deny] {
        let list = lists.get(effect.name()).and_then(serde_json::Value::as_array);
        for rule in list.into_iter().flatten() {
            let rule: Rule = jsonc_deserializer::read(kind.name(), &rule.to_string())
                .map_err(|error| error.to_string())?;
            rules.push((effect, rule));
        }
    }
    Layer::from_rules(kind, kind.name(), rules).map_err(|error| error.to_string())
}
