//! Everything a shell text would run, including the inner commands of wrappers, before any rule is matched.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use sekisho_shell::programs::{self, CommandProfile, Detail, InnerCommand, ShellKind};
use sekisho_shell::script::{Command, Redirect, RedirectKind, Script};
use sekisho_shell::word::{Piece, Span, Word};
use sekisho_shell::{Budget, analyse_within, cost_of_words};

use super::and_chain::AndChain;
use super::assigned_variables::{AssignedVariables, replace_assigned};
use super::bang_lines::bang_lines;
use super::job_counts::know_jobs;
use super::loops::{loop_assignments, may_repeat};
use super::output_kind::OutputKind;
use super::paths_of_words::PathsOfWords;
use super::unlisted_paths::UnlistedPaths;
use super::working_directories::{WorkingDirectories, home_directory, may_go_home, names_working_directory};
use crate::file_search_query::FileSearch;
use crate::reason::Reason;

/// The deepest nesting of wrappers that is followed. Deeper ones are too complex to judge.
const MAX_WRAPPER_DEPTH: u16 = 32;

/// The cost of keeping and judging one command besides its words, and how often its words are copied.
const STEP: usize = 1024;
const COPIES: usize = 4;
/// The cost of following one inner command.
const INNER: usize = 128;

/// An analysed shell text.
pub(crate) struct ExecutionPlan {
    /// The text itself first, then the texts inside it (`bash -c '…'`).
    pub(crate) texts: Vec<PlanText>,
    /// Every simple command, in execution order; an inner command follows its wrapper.
    pub(crate) steps: Vec<Step>,
    /// Commands that are run but unknown.
    pub(crate) unknown: Vec<UnknownCommand>,
    /// The remaining budget for analysing and judging the text. If it is used up, some commands were not
    /// followed.
    pub(crate) budget: Budget,
    /// Loop variables, and those that `read` sets: known to be set only by this text.
    pub(crate) variables: BTreeSet<String>,
    /// The values that `for` sets them to, by name: texts and positions of the assignments, the first
    /// [`MAX_VALUES`] of each.
    pub(crate) loop_values: HashMap<String, Vec<(usize, usize)>>,
    /// A protected path that the text mentions anywhere. Computed on first use.
    pub(crate) elsewhere: OnceCell<Option<Reason>>,
    /// Whether the text only reads. Computed on first use.
    pub(crate) only_reads: OnceCell<bool>,
    /// The commands that list files, one of each kind. Computed on first use.
    pub(crate) listers: OnceCell<Vec<Lister>>,
    /// Whether no listed name contains a slash. Computed on first use.
    pub(crate) lists_bare_names: OnceCell<bool>,
    /// Paths that are known not to be protected.
    pub(crate) unlisted: UnlistedPaths,
    /// The step of each command of a text.
    steps_of_commands: HashMap<(usize, usize), usize>,
    /// Whether a directory in it may depend on the home directory.
    goes_home: bool,
    /// Start and length in words of each command inside wrappers, with its steps.
    begun: HashMap<(usize, u32, usize), Vec<usize>>,
}

/// The largest number of values of one variable that are distinguished.
pub(crate) const MAX_VALUES: usize = 65;

/// One analysed text.
pub(crate) struct PlanText {
    pub(crate) source: String,
    /// The text as it is matched. Computed when a deny first needs it.
    pub(crate) normalised: OnceCell<String>,
    pub(crate) script: Script,
    /// Positions of the assignments that `for` makes, in order.
    pub(crate) looped: Vec<usize>,
    /// The variables that it assigns itself.
    pub(crate) assigned: AssignedVariables,
    /// The command that runs it; `None` for the call's own text.
    pub(crate) parent: Option<usize>,
    /// One step for each set of directories that its commands may run in.
    pub(crate) directory_samples: Vec<usize>,
    /// The directories at its start.
    pub(crate) start: WorkingDirectories,
}

/// One simple command.
pub(crate) struct Step {
    pub(crate) words: Vec<Word>,
    pub(crate) profile: CommandProfile,
    /// Index of the text that contains it.
    pub(crate) text: usize,
    /// Its span in that text.
    pub(crate) span: Span,
    /// The command that runs it.
    pub(crate) parent: Option<usize>,
    /// Position in its script's commands; `None` for a wrapper's inner command.
    pub(crate) command: Option<usize>,
    /// The directories it may run in.
    pub(crate) directories: WorkingDirectories,
    /// The directories of the shell that starts it, if it changes directory itself (`git -C d`).
    pub(crate) shell_directories: Option<Box<WorkingDirectories>>,
    /// The approximate number of bytes a glob is compared with.
    pub(crate) size: usize,
    /// What was worked out about it.
    pub(crate) cache: StepCache,
}

/// What is worked out about a command on first use.
#[derive(Default)]
pub(crate) struct StepCache {
    /// The texts that deny globs are compared with.
    pub(crate) texts: OnceCell<StepTexts>,
    /// What it prints.
    pub(crate) prints: OnceCell<Option<OutputKind>>,
    /// What it reads from standard input, as one character.
    pub(crate) input: OnceCell<char>,
    /// The searches whose results it reads. `None` for an unknown one.
    pub(crate) searches: OnceCell<Vec<Option<FileSearch>>>,
    /// The paths that its words may name.
    pub(crate) possible: OnceCell<PathsOfWords>,
}

impl Step {
    /// The directories in which the shell opens redirects.
    pub(super) fn redirect_directories(&self) -> &WorkingDirectories {
        self.shell_directories.as_deref().unwrap_or(&self.directories)
    }
}

/// A command that lists files.
pub(crate) struct Lister {
    /// The first command of its kind.
    pub(crate) step: usize,
    /// There are others with the same words in the same directories.
    pub(crate) is_repeated: bool,
}

/// Something that is run but unknown.
pub(crate) struct UnknownCommand {
    pub(crate) parent: usize,
    pub(crate) why: Detail,
}

impl ExecutionPlan {
    /// Analyses a text that runs in a directory.
    pub(crate) fn new(source: &str, cwd: Option<&str>, home: Option<&str>) -> ExecutionPlan {
        ExecutionPlan::within(Budget::default(), source, cwd, home)
    }

    /// Like [`new`](Self::new), with the rest of a budget that other texts have used.
    pub(crate) fn within(
        budget: Budget,
        source: &str,
        cwd: Option<&str>,
        home: Option<&str>,
    ) -> ExecutionPlan {
        ExecutionPlan::followed(budget, source, cwd, home).0
    }

    /// Like [`within`](Self::within), also telling where a shell may be at the end.
    pub(super) fn followed(
        budget: Budget,
        source: &str,
        cwd: Option<&str>,
        home: Option<&str>,
    ) -> (ExecutionPlan, WorkingDirectories) {
        let mut plan = ExecutionPlan {
            texts: Vec::new(),
            steps: Vec::new(),
            unknown: Vec::new(),
            budget,
            variables: BTreeSet::new(),
            elsewhere: OnceCell::new(),
            only_reads: OnceCell::new(),
            loop_values: HashMap::new(),
            listers: OnceCell::new(),
            lists_bare_names: OnceCell::new(),
            unlisted: UnlistedPaths::default(),
            steps_of_commands: HashMap::new(),
            goes_home: false,
            begun: HashMap::new(),
        };
        let mut directories = WorkingDirectories::new(cwd, home);
        plan.add_text(source.to_owned(), None, 0, &mut directories);
        (plan, directories)
    }

    /// The same plan as if it had been made with another home directory and had this budget left. `None` if
    /// the home directory may have been used.
    pub(super) fn with_home(mut self, home: Option<&str>, budget: Budget) -> Option<ExecutionPlan> {
        if self.goes_home {
            return None;
        }
        let home = home_directory(home);
        for text in &mut self.texts {
            text.start.set_home(&home);
        }
        for step in &mut self.steps {
            step.directories.set_home(&home);
            step.shell_directories.iter_mut().for_each(|directories| directories.set_home(&home));
            // These are known without the home directory.
            let possible = std::mem::take(&mut step.cache.possible);
            step.cache = StepCache { possible, ..StepCache::default() };
        }
        self.budget = budget;
        self.elsewhere = OnceCell::new();
        self.only_reads = OnceCell::new();
        self.listers = OnceCell::new();
        self.lists_bare_names = OnceCell::new();
        Some(self)
    }

    /// The approximate number of bytes a glob is compared with for the whole text.
    pub(crate) fn size(&self) -> usize {
        let steps = self.steps.iter().map(|step| step.size);
        self.texts.iter().map(|text| text.source.len()).chain(steps).sum()
    }

    /// The step of a command of a text.
    pub(crate) fn step_of(&self, text: usize, command: usize) -> Option<usize> {
        self.steps_of_commands.get(&(text, command)).copied()
    }

    /// Whether everything it runs is known. Unknown parts need confirmation, whatever rules match.
    pub(crate) fn is_complete(&self) -> bool {
        !self.budget.is_spent() && self.unknown.is_empty()
    }

    pub(super) fn add_text(
        &mut self,
        source: String,
        parent: Option<usize>,
        depth: u16,
        directories: &mut WorkingDirectories,
    ) {
        let mut script = analyse_within(&source, &self.budget);
        let looped = loop_assignments(&script);
        let mut assigned = replace_assigned(&mut script, &looped, &source, &self.budget);
        let mut unsplit = std::mem::take(&mut assigned.unsplit).into_iter().peekable();
        let computed = assigned.assignments.iter().filter_map(|at| script.assignments.get(*at));
        self.variables.extend(computed.map(|assignment| assignment.name.clone()));
        let words = script.commands.iter().map(|command| cost_of_words(&command.words)).sum::<usize>();
        if !self.budget.spend(source.len() + words + directories.cost()) {
            return;
        }
        let text = self.texts.len();
        for (at, assignment) in looped.iter().filter_map(|at| Some((*at, script.assignments.get(*at)?))) {
            match self.loop_values.get_mut(&assignment.name) {
                Some(values) if values.len() >= MAX_VALUES => {}
                Some(values) => values.push((text, at)),
                None => {
                    self.variables.insert(assignment.name.clone());
                    self.loop_values.insert(assignment.name.clone(), vec![(text, at)]);
                }
            }
        }
        let mut commands = script.commands.clone();
        know_outputs(&mut commands, &script, &source, &self.budget);
        if may_repeat(&script, &source) {
            directories.add_unknown();
        }
        let mut way = AndChain::new(&script);
        let negated = |span: Span| {
            source.get(..span.start as usize).is_some_and(|before| before.trim_end().ends_with('!'))
        };
        let negated: Vec<bool> = commands.iter().map(|command| negated(command.span)).collect();
        let first = self.steps.len();
        let (normalised, start) = (OnceCell::new(), directories.clone());
        self.texts.push(PlanText {
            source,
            normalised,
            script,
            looped,
            assigned,
            parent,
            directory_samples: Vec::new(),
            start,
        });
        for (index, (command, negated)) in commands.into_iter().zip(negated).enumerate() {
            way.enter_command(index, directories);
            let place = StepPosition { text, span: command.span, parent, command: Some(index), depth };
            let certain = way.next_requires_success(index) && command.keeps_directory && !negated;
            let step = self.steps.len();
            self.add_step(command.words, place, certain, directories);
            if let Some((_, words)) = unsplit.next_if(|(at, _)| *at == index) {
                let place = StepPosition { parent: Some(step), command: None, depth: depth + 1, ..place };
                self.add_step(words, place, false, directories);
            }
            if self.budget.is_spent() {
                return;
            }
        }
        self.note_places(text, first);
    }

    /// Notes steps of a text that represent all directories it passes through.
    fn note_places(&mut self, text: usize, first: usize) {
        let mut places: Vec<usize> = Vec::new();
        for (at, step) in self.steps.iter().enumerate().skip(first).filter(|(_, step)| step.text == text) {
            let known = |place: &usize| {
                self.steps
                    .get(*place)
                    .is_some_and(|s| s.redirect_directories() == step.redirect_directories())
            };
            if !places.iter().any(known) {
                places.push(at);
            }
        }
        if let Some(text) = self.texts.get_mut(text) {
            text.directory_samples = places;
        }
    }

    pub(super) fn add_step(
        &mut self,
        mut words: Vec<Word>,
        place: StepPosition,
        certain: bool,
        directories: &mut WorkingDirectories,
    ) {
        let size = cost_of_words(&words);
        let cost = COPIES * (size + directories.cost());
        if place.depth > MAX_WRAPPER_DEPTH {
            self.budget.exhaust();
        }
        if !self.budget.spend(STEP + cost) {
            return;
        }
        let is_cut = directories.iter().any(is_cut_without_quotes);
        words.iter_mut().for_each(|word| know_home(word, is_cut));
        if place.command.is_none() && self.is_known(&words, place, directories) {
            return;
        }
        let profile = programs::profile_command_within(&words, &self.budget);
        self.goes_home |= may_go_home(&profile, &words);
        let own = own_directories(directories, &profile, &words);
        let moves = !profile.directories.is_empty() || profile.elsewhere;
        let shell_directories = (own != *directories).then(|| Box::new(directories.clone()));
        directories.apply_command(&profile, &words, certain);
        self.variables.extend(profile.assigns.iter().cloned());
        let inner = profile.inner_commands.clone();
        self.budget.spend(inner.len() * INNER);
        let step = self.steps.len();
        let StepPosition { text, span, parent, command, depth } = place;
        // A wrapper runs its inner command in the directory it changed to.
        let mut gone = own.of_wrapped(profile.elsewhere);
        if let Some(command) = command {
            self.steps_of_commands.insert((text, command), step);
        }
        self.steps.push(Step {
            words,
            profile,
            text,
            span,
            parent,
            command,
            directories: own,
            shell_directories,
            size,
            cache: StepCache::default(),
        });
        let directories = if moves { &mut gone } else { directories };
        let before = directories.clone();
        for inner in inner {
            if self.budget.is_spent() {
                return;
            }
            let place = StepPosition { text, span, parent: Some(step), command: None, depth: depth + 1 };
            self.add_inner(inner, step, place, directories);
        }
        self.add_spelled(step, depth, directories);
        // A `cd` of an inner command may or may not affect this shell.
        directories.merge(&before);
    }

    /// Adds a command that another one runs.
    fn add_inner(
        &mut self,
        inner: InnerCommand,
        step: usize,
        place: StepPosition,
        directories: &mut WorkingDirectories,
    ) {
        match inner {
            InnerCommand::Argv(words) if words.is_empty() => {}
            InnerCommand::Argv(words) => self.add_step(words, place, false, directories),
            InnerCommand::Text { words, shell } => self.add_inner_text(&words, shell, place, directories),
            InnerCommand::Input { shell } => match self.fed(step) {
                Some(word) => self.add_inner_text(&[word], shell, place, directories),
                None => {
                    self.unknown.push(UnknownCommand { parent: step, why: Detail::RunsInput });
                    for text in self.printed_input(step) {
                        self.add_text(text, Some(step), place.depth, directories);
                    }
                }
            },
            InnerCommand::BangLines => {
                let fed = self.fed(step).map(|word| legible(&word));
                for text in bang_lines(fed.into_iter().chain(self.printed_input(step))) {
                    self.add_text(text, Some(step), place.depth, directories);
                }
            }
            InnerCommand::Unknown { why, .. } => self.unknown.push(UnknownCommand { parent: step, why }),
        }
    }

    /// Whether a command inside wrappers is already a step. If a wrapper's options are unknown, its inner
    /// command may begin at several words, and inside each of these at the same words again: twice as many
    /// with every wrapper.
    fn is_known(&mut self, words: &[Word], place: StepPosition, directories: &WorkingDirectories) -> bool {
        let start = words.first().map_or(0, |word| word.span.start);
        let begun = self.begun.entry((place.text, start, words.len())).or_default();
        let same = |at: &usize| {
            let step = self.steps.get(*at);
            step.is_some_and(|step| step.words == words && step.directories == *directories)
        };
        if begun.iter().any(same) {
            return true;
        }
        begun.push(self.steps.len());
        false
    }

    /// The here-document or here-string that a command reads, if it has one.
    fn fed(&self, step: usize) -> Option<Word> {
        let step = self.steps.get(step)?;
        let script = &self.texts.get(step.text)?.script;
        let command = script.commands.get(step.command?)?;
        let mut redirects = command.redirects.iter().filter_map(|at| script.redirects.get(*at));
        let here = |redirect: &&Redirect| {
            matches!(redirect.kind, RedirectKind::HereDocument | RedirectKind::HereString)
        };
        redirects.rfind(here).map(|redirect| redirect.target.clone())
    }

    fn add_inner_text(
        &mut self,
        words: &[Word],
        shell: ShellKind,
        place: StepPosition,
        directories: &mut WorkingDirectories,
    ) {
        let parent = place.parent.unwrap_or(0);
        let literal: Option<Vec<_>> = words.iter().map(Word::literal).collect();
        if literal.is_none() {
            // The known part is still analysed, so that a deny finds its commands.
            self.unknown.push(UnknownCommand { parent, why: Detail::ComputedText });
        }
        if shell == ShellKind::Other {
            self.unknown.push(UnknownCommand { parent, why: Detail::OtherShell });
        }
        if place.depth > MAX_WRAPPER_DEPTH {
            self.budget.exhaust();
            return;
        }
        let text = literal.map_or_else(|| words.iter().map(legible).collect(), |words| words.join(" "));
        self.add_text(text, Some(parent), place.depth, directories);
    }
}

/// Where a command comes from.
#[derive(Clone, Copy)]
pub(super) struct StepPosition {
    pub(super) text: usize,
    pub(super) span: Span,
    pub(super) parent: Option<usize>,
    pub(super) command: Option<usize>,
    pub(super) depth: u16,
}

/// Whether a directory's name is split, or read as a glob, if it is not quoted. An unknown name may be.
pub(crate) fn is_cut_without_quotes(directory: Option<&str>) -> bool {
    directory.is_none_or(|path| path.contains(|c: char| c.is_whitespace() || "*?[\\".contains(c)))
}

/// `$HOME` and `$PWD` at the start of a word are the same as `~` and `~+`, unless the directory's name is
/// split.
fn know_home(word: &mut Word, is_cut: bool) {
    if let Some(first) = word.pieces.first_mut()
        && let Piece::Variable { name, quoted } = first
    {
        let tilde = match name.as_str() {
            "HOME" => "",
            "PWD" if *quoted || !is_cut => "+",
            _ => return,
        };
        *first = Piece::Tilde(tilde.into());
    }
}

/// Whether the output of a command cannot begin with a dash: an absolute path, or the name of a commit.
fn is_rooted(words: &[Word]) -> bool {
    let literal: Option<Vec<_>> = words.iter().map(Word::literal).collect();
    let literal = literal.unwrap_or_default();
    match literal.iter().map(AsRef::as_ref).collect::<Vec<&str>>().as_slice() {
        ["pwd"] | ["git", "rev-parse", "--show-toplevel"] => true,
        ["git", "rev-parse", rest @ ..] => {
            rest.iter().all(|word| matches!(*word, "HEAD" | "--short" | "--verify"))
        }
        _ => false,
    }
}

/// Notes what is known about the output of substitutions.
fn know_outputs(commands: &mut [Command], script: &Script, source: &str, budget: &Budget) {
    for word in commands.iter_mut().flat_map(|command| &mut command.words) {
        know_root(word, script, budget);
    }
    know_jobs(commands, script, source, budget);
}

/// Prefix of a path known to be absolute. No text contains the control character.
pub(crate) const ROOTED: &str = "//\u{7}";

/// The directories in which a program opens files. Git adds up its `-C`; others may use only the last one, or use it
/// for the words behind it, so that the shell's directory counts too.
fn own_directories(
    directories: &WorkingDirectories,
    profile: &CommandProfile,
    words: &[Word],
) -> WorkingDirectories {
    let changes = &profile.directories;
    let mut own = directories.within(changes, words);
    let others = words.iter().enumerate().filter(|(at, _)| !changes.contains(at));
    let names_it = !changes.is_empty() && others.map(|(_, word)| word).any(names_working_directory);
    if profile.directory_unknown || names_it || (changes.len() > 1 && !profile.repository) {
        own.set_unknown();
    } else if !changes.is_empty() && !profile.repository {
        own.merge(directories);
    }
    own
}

/// A word that is a substitution whose output has no leading dash cannot be an option. The substitution must
/// contain only that command: `$(pwd >/dev/null; echo -x)` prints something else.
fn know_root(word: &mut Word, script: &Script, budget: &Budget) {
    if !matches!(word.pieces.as_slice(), [Piece::Substitution { .. }]) {
        return;
    }
    // Every part of the script is checked.
    let parts =
        script.commands.len() + script.redirects.len() + script.assignments.len() + script.opaque.len();
    if !budget.spend(parts) {
        return;
    }
    let inside = |span: Span| span.start >= word.span.start && span.end <= word.span.end;
    let mut commands = script.commands.iter().filter(|command| inside(command.span));
    let (Some(only), None) = (commands.next(), commands.next()) else { return };
    let alone = !script.redirects.iter().any(|redirect| inside(redirect.span))
        && !script.assignments.iter().any(|assignment| inside(assignment.span))
        && !script.opaque.iter().any(|opaque| inside(opaque.span));
    if alone && is_rooted(&only.words) {
        word.pieces.insert(0, Piece::Literal(ROOTED.into()));
    }
}

/// A word of a computed text with its unknown pieces filled in, followed by a blank.
pub(super) fn legible(word: &Word) -> String {
    let pieces = word.pieces.iter().map(|piece| match piece {
        Piece::Literal(text) => text.as_str(),
        _ => "x",
    });
    pieces.chain([" "]).collect()
}

/// Every spelling of a command that a deny glob is compared with.
#[derive(Debug)]
pub(crate) struct StepTexts {
    pub(super) known: Vec<String>,
    /// With [`COMPUTED`](crate::command_pattern::COMPUTED) in them.
    pub(super) computed: Vec<String>,
}
