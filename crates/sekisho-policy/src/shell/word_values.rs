//! Every text a computed word may become.

use sekisho_shell::word::{Piece, Span, Word};

use super::computed_operands::{ANYTHING, NAME, REVISION, WILDCARD, is_find, own_words};
use super::execution_plan::{MAX_VALUES, ROOTED, Step};
use super::find_expression;
use super::harmless_variables::is_users_variable;
use super::output_kind::OutputKind;
use super::pipeline_inputs::{PipelineInputs, cost_of_feeds};
use super::plan_context::{COMPARE_COST, PlanContext, compare_cost};
use super::safe_listing_programs::{Listing, listing};
use super::touched_paths::{TouchedPath, paths_of_step};
use crate::command_pattern::COMPUTED;
use crate::paths;
use crate::tool_globs::last_names;

/// The largest number of values of one word, and of nested loops over loop variables.
const MAX_SPELLINGS: usize = MAX_VALUES - 1;
const MAX_LOOP_DEPTH: usize = 4;

/// The working directory, as `$PWD` gives it.
const HERE: char = '\u{5}';
/// An absolute path that a command prints: `$(pwd)`, `$(git rev-parse --show-toplevel)`, `$(which x)`.
const DIRECTORY: char = '\u{6}';

impl<'a> PlanContext<'a> {
    /// Every text a word of a command may become.
    pub(super) fn possible_values(self, step: &Step, word: &Word, inserted: Option<char>) -> Vec<String> {
        let values = self.unfinished_values(step.text, word, inserted, 0);
        // The shell expands `$PWD` before a program goes elsewhere (`git -C d`).
        let moves = step.shell_directories.is_some() || step.profile.elsewhere;
        let value = |value: String| match moves && value.contains([HERE, DIRECTORY]) {
            true => ANYTHING.into(),
            false => with_directories(&value),
        };
        values.into_iter().map(value).collect()
    }

    /// Every text a word may become, with [`HERE`] and [`DIRECTORY`] in it.
    fn unfinished_values(
        self,
        text: usize,
        word: &Word,
        inserted: Option<char>,
        depth: usize,
    ) -> Vec<String> {
        let mut spellings = vec![String::new()];
        let mut substitutions = self.substitutions(text, word, inserted).into_iter();
        let pieces =
            word.pieces.iter().filter(|piece| !matches!(piece, Piece::Literal(text) if text == ROOTED));
        // Beside other text, a piece that may be empty changes the path: `"$USER/etc/shadow"`. The value of a loop
        // may be joined later; without quotes an empty one vanishes.
        let has_others = pieces.count() > 1;
        let is_joined = |quoted: bool| has_others || (depth > 0 && quoted);
        let maybe = |c: char, quoted: bool| match is_joined(quoted) {
            true => vec![c.into(), String::new()],
            false => vec![c.into()],
        };
        for piece in &word.pieces {
            let next = match piece {
                Piece::Literal(known) => vec![known.clone()],
                Piece::Glob(_) => vec![WILDCARD.into()],
                Piece::Tilde(name) => vec![self.directory(name)],
                Piece::Variable { name, .. } if name == "HOME" => vec![self.directory("")],
                Piece::Variable { name, .. } if name == "PWD" => vec![self.directory("+")],
                Piece::Variable { name, quoted } if is_users_variable(name) => maybe(COMPUTED, *quoted),
                Piece::Variable { name, quoted } => {
                    let mut values = self.values(text, name, *quoted, depth);
                    // At the end of its input, `read` empties the variable.
                    let is_set = self.is_set_at(text, word.span, name) && !self.is_read(name);
                    if is_joined(*quoted) && !is_set {
                        values.push(String::new());
                    }
                    values
                }
                Piece::Substitution { quoted } => match substitutions.next().unwrap_or(ANYTHING) {
                    // What `find` inserts is never empty.
                    COMPUTED if inserted == Some(COMPUTED) => vec![COMPUTED.into()],
                    printed => maybe(printed, *quoted),
                },
                Piece::Process => {
                    substitutions.next();
                    vec![COMPUTED.into()]
                }
                Piece::Unknown { .. } => vec![ANYTHING.into()],
            };
            if spellings.len() * next.len() > MAX_SPELLINGS {
                return vec![ANYTHING.into()];
            }
            spellings = spellings
                .iter()
                .flat_map(|start| next.iter().map(move |end| format!("{start}{end}")))
                .collect();
        }
        spellings
    }

    /// The commands, such as `read`, that set a variable.
    pub(super) fn readers(self, name: &str) -> impl Iterator<Item = &'a Step> {
        let reads = move |step: &&Step| step.profile.assigns.iter().any(|assigned| assigned == name);
        self.plan.steps.iter().filter(reads)
    }

    pub(super) fn is_read(self, name: &str) -> bool {
        !self.plan.budget.spend(self.plan.steps.len()) || self.readers(name).next().is_some()
    }

    fn directory(self, tilde: &str) -> String {
        match (tilde, self.context.home.as_deref()) {
            ("", Some(home)) => home.into(),
            ("+", _) => HERE.into(),
            _ => ANYTHING.into(),
        }
    }

    /// The values of a variable that a text sets itself. Another shell (`bash -c`) does not get them.
    pub(super) fn values(self, text: usize, name: &str, quoted: bool, depth: usize) -> Vec<String> {
        if depth >= MAX_LOOP_DEPTH {
            return vec![ANYTHING.into()];
        }
        let mut values = Vec::new();
        let looped = self.plan.loop_values.get(name).map(Vec::as_slice).unwrap_or_default();
        let readers: Vec<&Step> = self.readers(name).take(MAX_VALUES).collect();
        // The whole text is searched for the input of a command.
        let work = self.plan.steps.len() * (1 + readers.len());
        if looped.len() + readers.len() > MAX_SPELLINGS || !self.plan.budget.spend(work) {
            return vec![ANYTHING.into()];
        }
        if looped.iter().any(|(other, _)| *other != text) || readers.iter().any(|step| step.text != text) {
            return vec![ANYTHING.into()];
        }
        for (text, at) in looped {
            let script = self.plan.texts.get(*text).map(|text| &text.script);
            if let Some(assignment) = script.and_then(|script| script.assignments.get(*at)) {
                values.extend(self.unfinished_values(*text, &assignment.value, None, depth + 1));
            }
        }
        for step in readers {
            values.push(match step.command.filter(|_| reads_whole_line(step)) {
                Some(command) => self.fed(step.text, command).into(),
                None => ANYTHING.into(),
            });
        }
        values.sort_unstable();
        values.dedup();
        // An unquoted value is expanded as a glob again.
        let expands = |value: &String| !quoted && value.contains(['*', '?', '[', '\\']);
        if values.is_empty() || values.len() > MAX_SPELLINGS || values.iter().any(expands) {
            return vec![ANYTHING.into()];
        }
        values
    }

    /// What the substitutions in a word print, in order.
    fn substitutions(self, text: usize, word: &Word, inserted: Option<char>) -> Vec<char> {
        let is_one = |piece: &&Piece| matches!(piece, Piece::Substitution { .. } | Piece::Process);
        let count = word.pieces.iter().filter(is_one).count();
        let Some(script) = self.plan.texts.get(text).map(|text| &text.script).filter(|_| count > 0) else {
            return Vec::new();
        };
        // Every substitution of the text is checked.
        if !self.plan.budget.spend(script.substitutions.len() + count * count) {
            return vec![ANYTHING; count];
        }
        let within = |outer: Span, inner: Span| inner.start >= outer.start && inner.end <= outer.end;
        let inside: Vec<_> = script.substitutions.iter().filter(|one| within(word.span, one.span)).collect();
        let outermost = |span: Span| inside.iter().filter(|other| within(other.span, span)).count() == 1;
        let mut own: Vec<_> = inside.iter().filter(|one| outermost(one.span)).collect();
        own.sort_by_key(|one| one.span.start);
        if let Some(inserted) = inserted {
            return vec![if inside.is_empty() { inserted } else { ANYTHING }; count];
        }
        if own.len() != count {
            return vec![ANYTHING; count];
        }
        let stages =
            own.iter().map(|one| PipelineInputs::of(script, &one.shape).and_then(|feeds| feeds.pipeline()));
        // Bash drops zeros, which joins names.
        stages.map(|stages| stages.map_or(ANYTHING, |stages| self.printed(text, &stages, false))).collect()
    }

    /// What a command reads from standard input.
    pub(super) fn fed(self, text: usize, command: usize) -> char {
        let reader = self.plan.step_of(text, command).and_then(|at| self.plan.steps.get(at));
        if let Some(known) = reader.and_then(|step| step.cache.input.get()) {
            return *known;
        }
        let input = self.find_input(text, command, reader);
        if let Some(step) = reader {
            let _ = step.cache.input.set(input);
        }
        input
    }

    fn find_input(self, text: usize, command: usize, reader: Option<&Step>) -> char {
        let Some(script) = self.plan.texts.get(text).map(|text| &text.script) else { return ANYTHING };
        if !self.plan.budget.spend(cost_of_feeds(script)) {
            return ANYTHING;
        }
        let shapes = script.substitutions.iter().map(|one| &one.shape).chain([&script.items]);
        let mut feeds = shapes.filter_map(|shape| PipelineInputs::of(script, shape)?.of_command(command));
        let Some(zeros) = reader.map_or(Some(false), takes_zeros) else { return ANYTHING };
        match feeds.next().map_or(ANYTHING, |stages| self.printed(text, &stages, zeros)) {
            DIRECTORY => ANYTHING,
            printed => printed,
        }
    }

    /// What a pipeline prints; its last stage comes first. Its reader expects names that end with zeros, or
    /// with line ends.
    fn printed(self, text: usize, stages: &[usize], zeros: bool) -> char {
        for (after, stage) in stages.iter().enumerate() {
            let step = self.stage(text, *stage);
            let prints = step.and_then(|step| *step.cache.prints.get_or_init(|| self.prints(step)));
            // If a stage ends names differently than the next one expects, names are joined or split.
            let ends = step.is_some_and(|step| prints_zeros(step) == Some(zeros));
            return match prints {
                Some(OutputKind::Lines | OutputKind::Names) if !ends => ANYTHING,
                Some(OutputKind::Lines) => continue,
                // A listing program may search its input instead.
                Some(OutputKind::Names) if after + 1 < stages.len() => ANYTHING,
                Some(OutputKind::Names) => NAME,
                Some(OutputKind::Revisions) => REVISION,
                Some(OutputKind::Fixed) => COMPUTED,
                Some(OutputKind::Directory) => DIRECTORY,
                None => ANYTHING,
            };
        }
        ANYTHING
    }

    /// The command of a stage, inside wrappers that add nothing. `None` if a redirect changes its input or
    /// output.
    fn stage(self, text: usize, command: usize) -> Option<&'a Step> {
        let script = &self.plan.texts.get(text)?.script;
        let mut redirects = script.commands.get(command)?.redirects.iter();
        let silent = redirects.all(|at| {
            script.redirects.get(*at).is_some_and(|redirect| {
                redirect.operator == "2>" && redirect.target.literal().as_deref() == Some("/dev/null")
            })
        });
        let steps = &self.plan.steps;
        let mut at = self.plan.step_of(text, command)?;
        while steps.get(at)?.profile.transparent {
            if !self.plan.budget.spend(steps.len()) {
                return None;
            }
            let runs = |(_, step): &(usize, &Step)| {
                step.parent == Some(at) && step.command.is_none() && step.text == text
            };
            let mut inner = steps.iter().enumerate().skip(at + 1).filter(runs);
            let (only, None) = (inner.next(), inner.next()) else { return None };
            at = only?.0;
        }
        steps.get(at).filter(|_| silent)
    }

    /// What a command prints, if it is on the closed list and reads only in the workspace.
    fn prints(self, step: &Step) -> Option<OutputKind> {
        // Its words, and their targets, are compared with all protected patterns.
        let work = step.words.iter().map(|word| 2 * COMPARE_COST + compare_cost(word.prefix())).sum();
        if !self.plan.budget.spend(work) {
            return None;
        }
        if is_find(step) {
            let fine = find_expression::names_nothing_protected(&step.words, &self.policy.protected);
            return (fine && self.looks_inside(step, &[])).then_some(OutputKind::Names);
        }
        let Listing { prints, globs, starts, .. } = listing(step)?;
        if prints != OutputKind::Lines && self.may_get_option(step) {
            return None;
        }
        if prints != OutputKind::Names {
            return Some(prints);
        }
        let fine = !globs.iter().any(|glob| self.chooses_protected(step, glob));
        (fine && self.looks_inside(step, &starts)).then_some(OutputKind::Names)
    }

    /// Whether a computed word of a listing command may be an option that lists other files, such as `-A` of `ls`.
    fn may_get_option(self, step: &Step) -> bool {
        let before_dashes = step
            .words
            .iter()
            .enumerate()
            .skip(1)
            .take_while(|(_, word)| word.literal().as_deref() != Some("--"));
        let mut words = before_dashes.filter(|(_, word)| word.literal().is_none() && word.may_be_option());
        words.any(|(at, word)| match word.pieces.first() {
            // What it expands to is looked up before the command itself is allowed.
            Some(Piece::Glob(_)) => !step.profile.option_globs.contains(&at),
            Some(Piece::Variable { name, .. }) => !self.is_known_to_be_no_option(step, name),
            _ => true,
        })
    }

    /// Whether every value of a variable is written in a loop of the text, and none begins with a dash.
    fn is_known_to_be_no_option(self, step: &Step, name: &str) -> bool {
        let looped = self.plan.loop_values.get(name).map(Vec::as_slice).unwrap_or_default();
        if !self.plan.budget.spend(looped.len()) || looped.is_empty() || self.is_read(name) {
            return false;
        }
        looped.iter().all(|(text, at)| {
            let script = self.plan.texts.get(*text).map(|text| &text.script);
            let value = script.and_then(|script| script.assignments.get(*at)?.value.literal());
            // Without quotes, each of its words may be an option.
            *text == step.text
                && value.is_some_and(|value| {
                    !value.is_empty() && value.split_whitespace().all(|part| !part.starts_with('-'))
                })
        })
    }

    /// Whether a glob that selects files may select a protected one.
    fn chooses_protected(self, step: &Step, glob: &str) -> bool {
        if glob.starts_with('!') {
            return false;
        }
        let searches = step.profile.program.as_deref() == Some("rg");
        last_names(glob).is_none_or(|names| {
            names.iter().any(|name| {
                // For `rg` a glob also re-includes hidden files; for others `*` is equivalent to none.
                let all = name.chars().all(|c| c == '*') && !searches;
                let named = || {
                    !self.plan.budget.spend(compare_cost(name))
                        || self.policy.protected.secret_pattern_for_name_glob(name).is_some()
                };
                !all && named()
            })
        })
    }

    /// Whether a listing command lists files of the workspace.
    fn looks_inside(self, step: &Step, starts: &[&Word]) -> bool {
        let climbs = |word: &Word| paths::climbs(word.prefix());
        let layer_rule = starts.iter().flat_map(|word| step.directories.paths_of(word));
        let leads =
            |path: &str| self.is_inside(path) && self.resolved(path).is_some_and(|path| self.is_inside(path));
        !step.words.iter().any(climbs)
            && step.directories.iter().all(|directory| directory.is_some_and(|path| self.is_inside(path)))
            && layer_rule.into_iter().all(|path| path.is_some_and(|path| self.is_inside(&path)))
            && paths_of_step(step).iter().all(|touched| match touched {
                TouchedPath::Path(path) | TouchedPath::Glob { base: path, .. } => leads(path),
                // Judged with the command itself.
                TouchedPath::Computed | TouchedPath::Partly { .. } => true,
                TouchedPath::Unknown => false,
            })
    }
}

/// A value with its directories: relative ones at the start. Behind other text (`/$PWD/x`) they lead to another
/// place than either says.
fn with_directories(value: &str) -> String {
    let value = value.strip_prefix(ROOTED).unwrap_or(value);
    let Some(at) = value.rfind([HERE, DIRECTORY]) else { return value.to_owned() };
    let before = value.get(..at).unwrap_or_default();
    let starts = before.is_empty()
        || (before.starts_with("--") && before.ends_with('=') && before.matches('=').count() == 1);
    if !starts {
        return ANYTHING.into();
    }
    value.replace(HERE, ".").replace(DIRECTORY, &COMPUTED.to_string())
}

/// Whether the names that a command prints end with zeros. `None` if unknown.
fn prints_zeros(step: &Step) -> Option<bool> {
    match is_find(step) {
        true => find_expression::prints_zeros(&step.words),
        false => Some(listing(step).is_some_and(|listing| listing.zeros)),
    }
}

/// Whether a command expects its input names to end with zeros. `None` if its options contradict each other.
fn takes_zeros(step: &Step) -> Option<bool> {
    match step.profile.program.as_deref() {
        Some("xargs" | "gxargs") => {
            let ends = ends_of_xargs(own_words(step)?);
            let zeros = ends.contains(&true);
            (!zeros || !ends.contains(&false)).then_some(zeros)
        }
        // `read -d ''`
        _ => {
            let mut words = step.words.iter().skip(1).map(Word::prefix);
            Some(words.any(|word| word.starts_with('-') && word.ends_with('d')))
        }
    }
}

/// For each option of `xargs` that determines where a name ends: whether this is at a zero.
fn ends_of_xargs<'w>(mut words: impl Iterator<Item = &'w str>) -> Vec<bool> {
    let mut ends = Vec::new();
    while let Some(word) = words.next() {
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            match name {
                "null" => ends.push(true),
                "delimiter" => ends.push(value.or_else(|| words.next()) == Some("\\0")),
                "max-args" | "max-procs" | "max-chars" if value.is_none() => {
                    words.next();
                }
                _ => {}
            }
            continue;
        }
        let mut letters = word.strip_prefix('-').unwrap_or_default().chars();
        while let Some(letter) = letters.next() {
            let rest = letters.as_str();
            match letter {
                '0' => ends.push(true),
                'r' | 't' | 'x' | 'p' | 'o' => {}
                'd' | 'E' | 'I' | 'L' | 'n' | 'P' | 's' | 'a' => {
                    let value = if rest.is_empty() { words.next() } else { Some(rest) };
                    if letter == 'd' {
                        ends.push(value == Some("\\0"));
                    }
                    break;
                }
                _ => break,
            }
        }
    }
    ends
}

/// `read NAME`, `read -r NAME`, `read -r -d '' NAME`: a whole line, or everything up to a zero.
fn reads_whole_line(step: &Step) -> bool {
    let words: Option<Vec<_>> = step.words.iter().skip(1).map(Word::literal).collect();
    let words = words.unwrap_or_default();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let rest = match words.as_slice() {
        ["-r", "-d", "", rest @ ..] | ["-d", "", "-r", rest @ ..] | ["-rd", "", rest @ ..] => rest,
        ["-r", rest @ ..] | rest => rest,
    };
    matches!(rest, [name] if !name.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::ends_of_xargs;

    #[test]
    fn only_delimiter_options_decide_where_names_end() {
        let check = |words: &str, expected: &[bool]| {
            assert_eq!(ends_of_xargs(words.split(' ')), expected, "{words}");
        };
        check("-0", &[true]);
        check("-r0 -n 1", &[true]);
        check("-n1 -P 4", &[]);
        check("-n 10 --max-args -0", &[]);
        check("--null --delimiter=\\n", &[true, false]);
        check("--delimiter \\0", &[true]);
        check("-0 -d \\n", &[true, false]);
        check("-rd\\0", &[true]);
        // The value of another option.
        check("-E -0", &[]);
        check("-I \\0", &[]);
        check("-I0", &[]);
        check("-i0", &[]);
        check("-l0 -e0", &[]);
    }
}
