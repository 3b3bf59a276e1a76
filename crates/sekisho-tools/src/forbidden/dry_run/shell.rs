//! The state of a shell that runs nothing: it follows steps and keeps what is known.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::budget::Budget;
use super::super::expansion_operators::matches;
use super::super::git_config_text::aliases_in_config;
use super::super::git_push::alias_command;
use super::fields::{Field, UNKNOWN, is_known, readable, unknown, unmarked};
use super::files::{Files, resolved};
use super::history;
use super::parser::parse;
use super::seen_texts::SeenTexts;
use super::sinks::Sink;
use super::spans::word_length;
use super::syntax::Stage;
use super::variables::{Elements, Variables};

/// How much work all dry runs for one command may do: roughly the steps, and the characters divided by eight.
pub(super) const WORK: usize = 1 << 18;
/// Shells inside shells and functions inside functions that are followed.
const MAX_LEVEL: usize = 20;
/// Lists inside lists that are followed.
const MAX_LISTS: usize = 64;
/// A loop, or one step, gets this part of the work that is left.
pub(super) const SHARES: usize = 4;
/// How many names of files are compared for one unit of work.
const NAMES_AT_ONCE: usize = 32;
/// Longer outputs are not kept.
const MAX_OUTPUT: usize = 64 << 10;

/// What a subshell gets a copy of.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    pub(super) variables: Variables,
    pub(super) functions: BTreeMap<String, Rc<Stage>>,
    pub(super) aliases: BTreeMap<String, String>,
    pub(super) directory: String,
    /// Where `cd -` and `popd` go.
    pub(super) previous_directory: String,
}

impl Environment {
    /// How much a copy costs.
    fn size(&self) -> usize {
        self.variables.size() + 2 * (self.functions.len() + self.aliases.len())
    }
}

/// What ends a list early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    /// `break`, and how many loops it ends.
    Break(usize),
    Continue(usize),
    Return,
    Exit,
}

pub(super) struct Shell<'b> {
    pub(super) environment: Rc<Environment>,
    pub(super) files: Files,
    /// What is left of the standard input.
    pub(super) input: String,
    /// Inputs that `exec 3<…` opened.
    pub(super) descriptors: BTreeMap<u32, String>,
    pub(super) output: String,
    /// Whether the last command succeeded, if that is known.
    pub(super) status: Option<bool>,
    pub(super) flow: Flow,
    /// Whether conditions that are not known are taken to hold. The other way is followed too, but what it sets is forgotten.
    pub(super) holds: bool,
    /// The bodies that functions have had, also where that is not reached.
    pub(super) former_functions: BTreeMap<String, Vec<Rc<Stage>>>,
    /// `$0`
    pub(super) program: Option<String>,
    pub(super) depth: usize,
    /// The values that `local` replaced.
    pub(super) locals: Vec<(String, Option<Elements>)>,
    /// A text that is not known was run, and may have set anything.
    pub(super) is_open: bool,
    /// Something was not followed because it is too deep.
    pub(super) is_cut: bool,
    /// Steps around this one that may not be reached.
    pub(super) doubts: usize,
    /// Steps around this one that change nothing.
    pub(super) asides: usize,
    /// Variables of a step around this one have other values.
    pub(super) is_varied: bool,
    /// Loops around this step in its function.
    pub(super) loops: usize,
    /// Functions and sourced files around this step.
    pub(super) callers: usize,
    /// How often each function is around this step.
    pub(super) active: BTreeMap<String, usize>,
    /// `$_`
    pub(super) last_argument: String,
    /// What `trap` runs.
    pub(super) traps: Vec<String>,
    /// `set -x`
    pub(super) traces: bool,
    /// What the history contains, as far as the text says.
    pub(super) events: Vec<String>,
    /// `bash -i`: lines before may be named.
    pub(super) expands_history: bool,
    /// Where descriptors write to.
    pub(super) outputs: BTreeMap<u32, Sink>,
    /// `exec > file`
    pub(super) output_file: Option<String>,
    /// `shopt -u patsub_replacement`
    pub(super) keeps_ampersands: bool,
    /// `shopt -s nocasematch`
    pub(super) ignores_case: bool,
    /// What programs may have printed whose output is not known.
    pub(super) printable: Vec<String>,
    level: usize,
    lists: usize,
    /// What all dry runs of the text have met.
    pub(super) seen: &'b RefCell<SeenTexts>,
    left: &'b Cell<usize>,
    /// The work for what is followed aside. What is reached needs none of it, so it cannot be starved.
    aside_left: &'b Cell<usize>,
    /// The work that is kept for what follows a loop.
    kept: Cell<usize>,
    budget: &'b Budget,
    pub(super) note: &'b mut dyn FnMut(&str),
}

impl<'b> Shell<'b> {
    pub(super) fn new(
        holds: bool,
        (left, aside_left, budget): (&'b Cell<usize>, &'b Cell<usize>, &'b Budget),
        seen: &'b RefCell<SeenTexts>,
        note: &'b mut dyn FnMut(&str),
    ) -> Shell<'b> {
        Shell {
            environment: Rc::default(),
            files: Files::default(),
            input: String::new(),
            descriptors: BTreeMap::new(),
            output: String::new(),
            status: Some(true),
            flow: Flow::Next,
            holds,
            former_functions: BTreeMap::new(),
            program: None,
            depth: 0,
            locals: Vec::new(),
            is_open: false,
            is_cut: false,
            doubts: 0,
            asides: 0,
            is_varied: false,
            loops: 0,
            callers: 0,
            active: BTreeMap::new(),
            last_argument: unknown(),
            traps: Vec::new(),
            traces: false,
            events: Vec::new(),
            expands_history: false,
            outputs: BTreeMap::new(),
            output_file: None,
            keeps_ampersands: false,
            ignores_case: false,
            printable: seen.borrow().words.clone(),
            seen,
            level: 0,
            lists: 0,
            left,
            aside_left,
            kept: Cell::new(0),
            budget,
            note,
        }
    }
}

impl Shell<'_> {
    /// Takes some of the work that a dry run may do. False if nothing is left: the loop around it, or the dry run, then
    /// ends.
    pub(super) fn spend(&self, amount: usize) -> bool {
        let left = self.left.get().saturating_sub(amount + 1).max(self.kept.get());
        self.left.set(left);
        left > self.kept.get() && self.budget.spend(amount + 1)
    }

    /// Takes the work of a step that can be left out. False if that is too much; then nothing is taken.
    pub(super) fn afford(&self, amount: usize) -> bool {
        amount <= self.left.get().saturating_sub(self.kept.get()) / SHARES && self.spend(amount)
    }

    /// Follows steps with a part of the work that is left. False if that is spent.
    pub(super) fn with_share(&mut self, shares: usize, run: impl FnOnce(&mut Self)) -> bool {
        let outer = self.kept.get();
        let left = self.left.get();
        self.kept.set(left - left.saturating_sub(outer) / shares);
        run(self);
        let is_left = self.left.get() > self.kept.get();
        self.kept.set(outer);
        is_left
    }

    /// Follows steps with a part of the work that is left for what is aside.
    pub(super) fn with_work_aside(&mut self, shares: usize, run: impl FnOnce(&mut Self)) {
        let outer = (std::mem::replace(&mut self.left, self.aside_left), self.kept.get());
        // Inside another one, what that one keeps is kept.
        if self.asides == 1 {
            self.kept.set(0);
        }
        self.with_share(shares, run);
        self.left = outer.0;
        self.kept.set(outer.1);
    }

    /// Whether most of the work for what is aside is left.
    pub(super) fn has_work_aside(&self) -> bool {
        self.aside_left.get() > WORK / 4
    }

    pub(super) fn budget(&self) -> &Budget {
        self.budget
    }

    pub(super) fn variables(&self) -> &Variables {
        &self.environment.variables
    }

    pub(super) fn variables_mut(&mut self) -> &mut Variables {
        &mut self.environment_mut().variables
    }

    pub(super) fn environment_mut(&mut self) -> &mut Environment {
        if Rc::strong_count(&self.environment) > 1 {
            self.spend(self.environment.size());
        }
        Rc::make_mut(&mut self.environment)
    }

    pub(super) fn print(&mut self, text: &str) {
        self.see_text(text);
        if let Some(path) = self.output_file.take() {
            self.write_file(&path, text, true);
            self.output_file = Some(path);
            return;
        }
        if self.output.len() + text.len() <= MAX_OUTPUT && self.afford(text.len() / 8) {
            self.output.push_str(text);
        } else if !self.output.ends_with(UNKNOWN) {
            self.output.push(UNKNOWN);
        }
    }

    /// Follows steps and returns what they print.
    pub(super) fn captured(&mut self, run: impl FnOnce(&mut Self)) -> String {
        let output = std::mem::take(&mut self.output);
        let file = self.output_file.take();
        run(self);
        self.output_file = file;
        std::mem::replace(&mut self.output, output)
    }

    /// What `set -x` shows before each command: `PS4` is expanded.
    pub(super) fn follow_trace(&mut self) {
        let prompt =
            self.variables().text("PS4").filter(|prompt| prompt.contains(['$', '`'])).map(str::to_owned);
        if let Some(prompt) = prompt.filter(|_| self.traces) {
            self.traces = false;
            self.document(&prompt);
            self.traces = true;
        }
    }

    /// Follows steps that cannot change this shell.
    pub(super) fn in_subshell(&mut self, run: impl FnOnce(&mut Self)) {
        let environment = Rc::clone(&self.environment);
        run(self);
        self.environment = environment;
        self.flow = Flow::Next;
    }

    /// Follows steps one level deeper, if that is not too deep.
    pub(super) fn nested(&mut self, run: impl FnOnce(&mut Self)) {
        self.level += 1;
        if self.level <= MAX_LEVEL {
            run(self);
        } else {
            self.cut();
            self.status = None;
            self.print(&unknown());
        }
        self.level -= 1;
    }

    /// Follows a list inside others, if that is not too deep.
    pub(super) fn deeper(&mut self, run: impl FnOnce(&mut Self)) {
        self.lists += 1;
        if self.lists <= MAX_LISTS {
            run(self);
        } else {
            self.cut();
        }
        self.lists -= 1;
    }

    /// Notes that something is too deep to be followed. A function that calls itself if some condition holds ends
    /// somewhere.
    pub(super) fn cut(&mut self) {
        self.is_cut |= self.doubts == 0;
    }

    /// What `$(…)` becomes.
    pub(super) fn substitution(&mut self, text: &str) -> String {
        if !self.spend(text.len() / 8) {
            return unknown();
        }
        // `$(<file)`
        let file = text.trim().strip_prefix('<').filter(|rest| !rest.starts_with(['<', '(']));
        if let Some(path) = file.map(str::trim).filter(|path| word_length(path) == Ok(path.len())) {
            let path = self.text(path);
            return self.read_file(&path).trim_end_matches('\n').to_owned();
        }
        let script = parse(text);
        self.is_cut |= script.is_cut;
        let output =
            self.captured(|shell| shell.nested(|shell| shell.in_subshell(|shell| shell.list(&script.steps))));
        output.trim_end_matches('\n').to_owned()
    }

    /// The path that `<(…)` or `>(…)` becomes.
    pub(super) fn process(&mut self, text: &str, is_read: bool) -> String {
        let path = self.files.descriptor();
        if is_read {
            let output = self.substitution(text);
            self.files.write(&path, &format!("{output}\n"), false, false);
        } else {
            self.files.add_reader(&path, text);
        }
        path
    }

    /// Follows a text in this shell.
    pub(super) fn run_text(&mut self, text: &str) {
        self.is_open |= !is_known(text);
        self.note_filled_text(text);
        self.keep_events(text);
        if self.spend(text.len() / 8) {
            let text = readable(text);
            let expands = self.expands_history || history::is_switched_on(&text);
            let expanded = match expands {
                true => history::expanded(&text, &|length| self.spend(length / 8)),
                false => Some(text),
            };
            // Something is left that nobody has looked at, whatever it depends on.
            let Some(text) = expanded else {
                self.is_cut = true;
                return;
            };
            let script = parse(&text);
            self.is_cut |= script.is_cut;
            self.nested(|shell| shell.list(&script.steps));
        }
    }

    /// Follows a text in a new shell with arguments.
    pub(super) fn run_script(&mut self, text: &str, program: Option<String>, arguments: Vec<String>) {
        let outer = std::mem::replace(&mut self.program, program);
        let (loops, callers) = (std::mem::take(&mut self.loops), std::mem::take(&mut self.callers));
        self.in_subshell(|shell| {
            shell.variables_mut().set_positional(arguments);
            shell.run_text(text);
        });
        (self.program, self.loops, self.callers) = (outer, loops, callers);
    }

    /// Follows what `trap` was given, with what the text has set in the end.
    pub(super) fn run_traps(&mut self) {
        self.flow = Flow::Next;
        for text in std::mem::take(&mut self.traps) {
            self.in_subshell(|shell| shell.run_text(&text));
        }
    }

    pub(super) fn path(&self, path: &str) -> String {
        resolved(&self.environment.directory, path)
    }

    /// What a file contains. Files that the text has not written are not known.
    pub(super) fn read_file(&mut self, path: &str) -> String {
        match path {
            "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => std::mem::take(&mut self.input),
            "/dev/null" => String::new(),
            _ => {
                let whole = self.path(path);
                let content = || program_content(&whole).or_else(|| program_content(path));
                self.known_file(path).or_else(content).unwrap_or_else(unknown)
            }
        }
    }

    pub(super) fn known_file(&self, path: &str) -> Option<String> {
        let descriptor = path.strip_prefix("/dev/fd/").or(path.strip_prefix("/proc/self/fd/"));
        let descriptor = descriptor.and_then(|number| number.parse().ok());
        let opened = descriptor.and_then(|number: u32| self.descriptors.get(&number));
        let path = self.path(path);
        // It is compared with the names of all files.
        let names = self.files.count() / NAMES_AT_ONCE;
        let by_name = || if names == 0 || self.spend(names) { self.files.read_by_name(&path) } else { None };
        let copied = || by_name().filter(|text| is_program_content(text));
        let content = opened.map(String::as_str).or_else(|| self.files.read(&path)).or_else(copied)?;
        self.spend(content.len() / 8).then(|| content.to_owned())
    }

    /// Follows the other texts that a file may contain, as the file is followed.
    pub(super) fn follow_others(&mut self, path: &str, run: impl Fn(&mut Self, &str)) {
        let whole = self.path(path);
        for text in self.files.others(&whole) {
            if self.spend(text.len() / 8) {
                self.aside(|shell| run(shell, &text));
            }
        }
    }

    pub(super) fn write_file(&mut self, path: &str, text: &str, appends: bool) {
        if text.contains('[') && text.to_ascii_lowercase().contains("[alias") {
            for (name, value) in aliases_in_config(text) {
                (self.note)(&alias_command(&value));
                self.keep_alias(&name, value);
            }
        }
        if is_git_config(path) {
            self.note_settings(text);
        }
        let path = self.path(path);
        let descriptor = path.strip_prefix("/dev/fd/").or(path.strip_prefix("/proc/self/fd/"));
        let number = descriptor.and_then(|number| number.parse::<u32>().ok());
        if let Some(sink) = number.and_then(|number| self.outputs.get(&number)).cloned() {
            return self.write_to(sink, text);
        }
        if let Some(commands) = self.files.reader(&path).map(str::to_owned) {
            let input = std::mem::replace(&mut self.input, text.to_owned());
            self.nested(|shell| shell.in_subshell(|shell| shell.run_text(&commands)));
            self.input = input;
        } else if path != "/dev/null"
            && self.spend(text.len() / 8)
            && !self.files.write(&path, text, appends, self.asides > 0)
        {
            self.cut();
        }
    }

    /// A wildcard may stand for the files that the text has written: `touch -- -rf; rm *`.
    pub(super) fn with_file_names(&self, field: Field) -> Vec<Field> {
        let (parent, pattern) = field.text.rsplit_once('/').unwrap_or(("", &field.text));
        if is_known(&field.text) || pattern.len() > MAX_PATTERN {
            return vec![field];
        }
        let letters: Vec<char> = unmarked(pattern).chars().collect();
        let directory = self.path(parent);
        let names = self.files.names_in(&directory).filter(|name| {
            name.len() <= MAX_PATTERN
                && self.spend(name.len())
                && matches(&letters, &name.chars().collect::<Vec<_>>())
        });
        let prefix = if parent.is_empty() { String::new() } else { format!("{parent}/") };
        let mut fields: Vec<Field> = names.map(|name| Field::new(format!("{prefix}{name}"))).collect();
        fields.push(field);
        fields
    }
}

/// The relative path that `$PWD/doc` may be, whose start is not known.
pub(super) fn here(path: &str) -> Option<&str> {
    path.strip_prefix(UNKNOWN).map(|rest| rest.trim_start_matches('/'))
}

/// Whether git reads its settings from a file of this name.
fn is_git_config(path: &str) -> bool {
    ["git/config", ".gitconfig", "config.worktree"].iter().any(|end| path.ends_with(end))
}

/// Stands for what a forbidden program contains: a copy of it, under whatever name, runs the program.
pub(super) fn program_content(path: &str) -> Option<String> {
    let (_, name) = path.rsplit_once('/').filter(|(directory, _)| directory.ends_with("bin"))?;
    // Copies of `env` are as forbidden as those of `printenv`, which looks up no program.
    let name = if name == "env" { "printenv" } else { name };
    matches!(name, "rm" | "rmdir" | "git" | "printenv").then(|| {
        // A script's path is its first argument; git takes it for the directory to work in.
        let option = if name == "git" { " -C" } else { "" };
        format!("#!/usr/bin/{name}{option}\n")
    })
}

/// Whether a text stands for a forbidden program.
pub(super) fn is_program_content(text: &str) -> bool {
    text.strip_prefix("#!/usr/bin/").is_some_and(|rest| {
        ["rm\n", "rmdir\n", "git -C\n", "printenv\n"].iter().any(|name| rest.starts_with(name))
    })
}

/// Longer patterns and names are not compared.
const MAX_PATTERN: usize = 256;
