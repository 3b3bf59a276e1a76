//! Whether the output of some commands is executed by others: through a pipe, a substitution, or a file that
//! one writes and the other runs. Data in variables is not followed.

use std::collections::HashSet;

use sekisho_shell::programs::{DangerCode, PathUseKind};
use sekisho_shell::script::{Redirect, RedirectKind, Script, ScriptItem};
use sekisho_shell::word::{Piece, Span, Word};

use super::executed_code::ExecutedCode;
use super::execution_plan::{ExecutionPlan, Step};
use super::pipeline_inputs::{PipelineInputs, changes_input};
use super::working_directories::{PossiblePaths, WorkingDirectories};

/// The commands that execute the output of one of the sources.
pub(super) fn executors_of_output(plan: &ExecutionPlan, source: fn(&Step) -> bool) -> Vec<&Step> {
    let Some(flow) = DataFlow::of(plan, source) else { return Vec::new() };
    plan.steps.iter().filter(|step| flow.is_run_by(step)).collect()
}

struct DataFlow<'p> {
    plan: &'p ExecutionPlan,
    /// The spans of the sources in each text, in order.
    sources: Vec<Vec<Span>>,
    /// The commands of each text that read the output of a source.
    fed: Vec<HashSet<usize>>,
    /// The files that contain the output of a source.
    written: HashSet<String>,
}

impl<'p> DataFlow<'p> {
    /// `None` if there is no source.
    fn of(plan: &'p ExecutionPlan, source: fn(&Step) -> bool) -> Option<DataFlow<'p>> {
        let mut sources = vec![Vec::new(); plan.texts.len()];
        for step in plan.steps.iter().filter(|step| source(step)) {
            // A wrapper prints what its inner command prints.
            let mut next = Some(step);
            while let Some(step) = next {
                if let Some(sources) = sources.get_mut(step.text) {
                    sources.push(step.span);
                }
                next = step.parent.and_then(|parent| plan.steps.get(parent));
            }
        }
        if sources.iter().all(Vec::is_empty) {
            return None;
        }
        sources.iter_mut().for_each(|spans| {
            spans.sort_unstable();
            spans.dedup();
        });
        let mut flow = DataFlow { plan, sources, fed: Vec::new(), written: HashSet::new() };
        flow.fed = plan.texts.iter().enumerate().map(|(at, text)| flow.fed_in(at, &text.script)).collect();
        let bring = plan.steps.iter().filter(|step| flow.brings(step));
        let mut written: HashSet<String> = bring.flat_map(|step| flow.written_by(step)).collect();
        written.extend((0..plan.texts.len()).flat_map(|text| flow.written_by_groups(text)));
        written.retain(|file| !file.starts_with("/dev/") && file != "-");
        flow.written = written;
        Some(flow)
    }

    /// Whether there is a source in a range of a text.
    fn is_in(&self, text: usize, span: Span) -> bool {
        let spans = self.sources.get(text).map_or(&[][..], Vec::as_slice);
        let first = spans.partition_point(|source| source.start < span.start);
        let mut inside = spans.iter().skip(first).take_while(|source| source.start < span.end);
        inside.any(|source| source.end <= span.end)
    }

    fn fed_in(&self, text: usize, script: &Script) -> HashSet<usize> {
        if self.sources.get(text).is_none_or(Vec::is_empty) {
            return HashSet::new();
        }
        let source =
            |at: usize| script.commands.get(at).is_some_and(|command| self.is_in(text, command.span));
        let shapes = script.substitutions.iter().map(|substitution| substitution.shape.as_slice());
        let fed = shapes.chain([script.items.as_slice()]).flat_map(|shape| {
            match PipelineInputs::of(script, shape) {
                Some(feeds) => feeds.carried(source),
                // The structure is unknown: everything that follows may get the output.
                None => commands(shape).skip_while(|at| !source(*at)).skip(1).collect(),
            }
        });
        fed.collect()
    }

    /// The command of its text that a step is, or is inside of.
    fn command_of(&self, step: &Step) -> Option<usize> {
        let mut at = step;
        loop {
            match at.command {
                Some(command) => return Some(command),
                None => at = self.plan.steps.get(at.parent?).filter(|parent| parent.text == step.text)?,
            }
        }
    }

    fn is_fed(&self, step: &Step) -> bool {
        let fed = self.fed.get(step.text);
        self.command_of(step).is_some_and(|at| fed.is_some_and(|fed| fed.contains(&at)))
    }

    /// Whether a command writes the output of a source.
    fn brings(&self, step: &Step) -> bool {
        self.is_in(step.text, step.span) || self.is_fed(step)
    }

    fn redirects(&self, step: &Step) -> impl Iterator<Item = &'p Redirect> {
        let script = self.plan.texts.get(step.text).map(|text| &text.script);
        let command = self.command_of(step).and_then(|at| script?.commands.get(at));
        let places = command.map_or(&[][..], |command| command.redirects.as_slice());
        places.iter().filter_map(move |at| script?.redirects.get(*at))
    }

    fn written_by(&self, step: &Step) -> Vec<String> {
        let directories = &step.directories;
        let mut files: Vec<String> = Vec::new();
        for path in step.profile.paths.iter().filter(|path| path.access == PathUseKind::Write) {
            match (&path.text, step.words.get(path.word)) {
                (Some(text), _) => files.extend(names_of_text(directories, text)),
                (None, Some(word)) => files.extend(names_of(directories, word)),
                (None, None) => {}
            }
        }
        for redirect in self.redirects(step).filter(|redirect| redirect.kind == RedirectKind::Write) {
            files.extend(names_of(directories, &redirect.target));
        }
        files.extend(remote_names(step).iter().flat_map(|name| names_of_text(directories, name)));
        files
    }

    /// The redirects of groups and loops in a text that has a source. It is not checked which of them
    /// contains the source.
    fn written_by_groups(&self, text: usize) -> Vec<String> {
        let has_source = self.sources.get(text).is_some_and(|sources| !sources.is_empty());
        let Some(text) = self.plan.texts.get(text).filter(|_| has_source) else { return Vec::new() };
        let owned: HashSet<usize> =
            text.script.commands.iter().flat_map(|command| command.redirects.iter().copied()).collect();
        let others = text.script.redirects.iter().enumerate().filter(|(at, _)| !owned.contains(at));
        let written = others.filter(|(_, redirect)| redirect.kind == RedirectKind::Write);
        written.flat_map(|(_, redirect)| names_of(&text.start, &redirect.target)).collect()
    }

    fn is_run_by(&self, step: &Step) -> bool {
        let given = ExecutedCode::of(step);
        let holds = |word: &Word| {
            (word.literal().is_none() && self.is_in(step.text, word.span))
                || names_of(&step.directories, word).iter().any(|name| self.written.contains(name))
        };
        let names = given.names.iter().flat_map(|name| names_of_text(&step.directories, name));
        let comes_in = || {
            self.is_fed(step)
                || self.redirects(step).any(|redirect| changes_input(redirect) && holds(&redirect.target))
        };
        given.words.into_iter().any(holds)
            || names.into_iter().any(|name| self.written.contains(&name))
            || (given.input && comes_in())
    }
}

fn commands(shape: &[ScriptItem]) -> impl Iterator<Item = usize> {
    shape.iter().filter_map(|item| match item {
        ScriptItem::Command(at) => Some(*at),
        _ => None,
    })
}

/// Every name a word may have as a file: the resolved path, or the word itself if that is unknown.
fn names_of(directories: &WorkingDirectories, word: &Word) -> Vec<String> {
    let spelled = word.pieces.iter().map(|piece| match piece {
        Piece::Literal(text) => Some(text.clone()),
        Piece::Tilde(name) => Some(format!("~{name}")),
        Piece::Variable { name, .. } => Some(format!("${name}")),
        _ => None,
    });
    either(directories.paths_of(word), spelled.collect::<Option<String>>())
}

fn names_of_text(directories: &WorkingDirectories, text: &str) -> Vec<String> {
    either(directories.paths_of_text(text), Some(text.to_owned()))
}

fn either(paths: PossiblePaths, spelled: Option<String>) -> Vec<String> {
    let unknown = paths.iter().any(Option::is_none);
    let mut names: Vec<String> = paths.into_iter().flatten().collect();
    let plain = |text: String| {
        let segments = text.split('/').enumerate();
        let kept = segments.filter(|(at, segment)| *segment != "." && (*at == 0 || !segment.is_empty()));
        kept.map(|(_, segment)| segment).collect::<Vec<_>>().join("/")
    };
    names.extend(spelled.filter(|text| unknown && !text.is_empty()).map(plain));
    names
}

/// The file names that a download takes from its addresses: `curl -O`, `wget`.
fn remote_names(step: &Step) -> Vec<String> {
    // For an address with a query, the part before its `?`, which is a glob to the shell.
    let words: Vec<&str> = step.words.iter().skip(1).map(Word::prefix).collect();
    let short = |word: &str| word.starts_with('-') && !word.starts_with("--");
    let named = match step.profile.program.as_deref() {
        Some("curl") => {
            words.iter().any(|word| (short(word) && word.contains('O')) || word.starts_with("--remote-name"))
        }
        Some(_) => {
            uses_network(step) && !step.profile.paths.iter().any(|path| path.access == PathUseKind::Write)
        }
        None => false,
    };
    let name = |word: &str| {
        let address = word.split(['?', '#']).next().unwrap_or("");
        let (_, name) = address.split_once("://").map_or(address, |(_, rest)| rest).rsplit_once('/')?;
        (!name.is_empty()).then(|| name.to_owned())
    };
    words.iter().filter(|word| named && !word.starts_with('-')).filter_map(|word| name(word)).collect()
}

/// Whether a command uses the network.
pub(super) fn uses_network(step: &Step) -> bool {
    let code = step.profile.danger.map(|danger| danger.code);
    matches!(code, Some(DangerCode::ReachesNetwork | DangerCode::ReachesNetworkAndWritesFiles))
}
