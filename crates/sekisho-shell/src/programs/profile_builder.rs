//! Builds the [`CommandProfile`] of a command from its words.

use std::borrow::Cow;

use super::arguments::{ParseExtent, ParsedArguments, ParsedOption, ValuePosition, is_literal};
use super::command_profile::{
    CommandProfile, InnerCommand, Obstacle, ObstacleCode, PathUseKind, ProgramDanger, ProgramLocation,
    UsedOption, UsedPath,
};
use super::command_shapes::{asks_for_help, module_position, only_parses};
use super::detail_code::Detail;
use super::evaluated_words;
use super::find;
use super::inner_commands::{self, InnerCommandList};
use super::leading_words;
use super::leaving_options::leaves_directory;
use super::operands;
use super::preset_words;
use super::program_entry::ProgramEntry;
use super::program_lookup::{ProgramLookup, last_component, locate, versioned};
use super::ps;
use super::removal_words::danger_of_removal;
use super::shared_enums::{BuiltinList, PresetList, ShellKind};
use super::table_schema::Grammar;
use super::test_expression;
use super::value_check::ValueCheck;
use crate::budget::{Budget, cost_of_words};
use crate::word::Word;

/// The cost of a profile besides its words.
const READING: usize = 512;
/// The largest number of words in an alternative, and the largest number of alternatives.
const MAX_WORDS: usize = 8;
const MAX_ALTERNATIVES: usize = 256;

/// Builds the profile of a command.
pub(super) fn build_profile(programs: &dyn ProgramLookup, words: &[Word], budget: &Budget) -> CommandProfile {
    // The leading words, and everything else noted about each word, are copies.
    budget.spend(READING + 2 * cost_of_words(words));
    let nothing = |detail| CommandProfile::unknown(Obstacle::new(0, ObstacleCode::ComputedName, detail));
    let Some(first) = words.first() else { return nothing(Detail::NoProgram) };
    let Some(path) = first.literal() else {
        let mut profile = nothing(Detail::ComputedProgram);
        // `~/bin/rm` and `$HOME/bin/rm` still end in a name that a deny can match.
        profile.program = last_component(first);
        profile.leading_open = profile.program.is_none();
        profile.leading_words = profile.program.iter().cloned().collect();
        return profile;
    };
    let (located, name) = locate(&path);
    let (entry, exact) = match programs.program(name) {
        Some(entry) => (Some(entry), true),
        None => (versioned(programs, name), false),
    };
    let mut profile = match entry {
        Some(entry) => known(programs, entry, name, words, budget),
        None => unknown(name, words),
    };
    profile.program = Some(name.to_owned());
    profile.location = located;
    let in_project = located == ProgramLocation::ProjectDirectory && profile.preset == Some(PresetList::Dev);
    if located.is_elsewhere() {
        profile.harmless = Err(Obstacle::new(0, ObstacleCode::Elsewhere, Detail::ProgramElsewhere));
    }
    if located.is_elsewhere() || (!exact && entry.is_some()) {
        profile.builtin = None;
        profile.preset = profile.preset.filter(|_| in_project && exact);
    }
    if profile.preset.is_some() && in_project {
        // It must be in the workspace, with links followed. The Python of an environment is a link to the system's.
        let directory = path.rsplit_once('/').map(|(directory, _)| directory.to_owned());
        let checked = if name.starts_with("python") { directory } else { Some(path.into_owned()) };
        profile.paths.push(UsedPath { word: 0, text: checked, access: PathUseKind::Read });
    }
    profile
}

fn unknown(name: &str, words: &[Word]) -> CommandProfile {
    let obstacle = Obstacle::naming(0, ObstacleCode::UnknownProgram, Detail::UnknownProgram, name.to_owned());
    let mut profile = CommandProfile::unknown(obstacle);
    let names = [name.to_owned()];
    (profile.leading_words, profile.leading_open) = leading_words::plain(&names, words, 1);
    let operands: Vec<usize> = (1..words.len())
        .filter(|at| words.get(*at).is_some_and(|word| !word.prefix().starts_with('-')))
        .collect();
    offer(&mut profile, leading_words::operands(&names, words, &operands));
    // `git-push`, even from git's own directory, is `git push`.
    if let (Some(sub), Some(first)) = (name.strip_prefix("git-").filter(|sub| !sub.is_empty()), words.first())
    {
        let mut argv = vec![Word::new(first.span, "git"), Word::new(first.span, sub)];
        argv.extend(words.iter().skip(1).cloned());
        profile.inner_commands.push(InnerCommand::Argv(argv));
    }
    profile
}

/// Adds alternative leading words, unless they are already present.
fn offer(profile: &mut CommandProfile, alternative: Vec<String>) {
    if !profile.leading_words.starts_with(&alternative)
        && !profile.leading_alternatives.contains(&alternative)
    {
        profile.leading_alternatives.push(alternative);
    }
}

/// The cost of one file named by a glob.
const MENTIONED: usize = 16 << 10;

/// The files that an option's value names without being a path itself.
fn mentioned(
    check: Option<&ValueCheck>,
    words: &[Word],
    seen: &ParsedOption<'_>,
    at: usize,
) -> Vec<UsedPath> {
    let Some(text) = seen.value_text(words) else { return Vec::new() };
    let texts = match check {
        Some(ValueCheck::Names) => operands::named_plainly(text),
        _ => {
            let file = text.strip_prefix('@').or_else(|| text.split_once(['@', '<']).map(|(_, file)| file));
            file.into_iter().map(|file| file.split(';').next().unwrap_or_default().to_owned()).collect()
        }
    };
    let read = |text| UsedPath { word: at, text: Some(text), access: PathUseKind::Read };
    texts.into_iter().filter(|text: &String| !text.is_empty()).map(read).collect()
}

/// Whether the only operand makes the otherwise required option unnecessary.
fn suffices_alone(entry: &ProgramEntry, words: &[Word], scan: &ParsedArguments<'_>) -> bool {
    let (Some(check), [at]) = (&entry.alone_check, scan.operands.as_slice()) else { return false };
    let text = words.get(*at).filter(|word| is_literal(word)).map(Word::prefix);
    text.is_some_and(|text| text.contains('.')) && check.admits(text).is_ok()
}

/// A substitution in literal text, which bash runs where it evaluates a subscript: `a[$(rm x)]`.
fn hidden_text(word: &Word) -> Option<InnerCommand> {
    let text = word.literal().filter(|text| text.contains("$(") || text.contains('`'))?;
    let words = vec![Word::new(word.span, format!(": {text}"))];
    Some(InnerCommand::Text { words, shell: ShellKind::Bash })
}

/// What has been found on the way down to the subcommand.
struct ProfileBuilder<'t> {
    programs: &'t dyn ProgramLookup,
    entry: &'t ProgramEntry,
    names: Vec<String>,
    /// Positions of `names` among the words.
    name_words: Vec<usize>,
    at: usize,
    profile: CommandProfile,
    inner: InnerCommandList<'t>,
    soft: Option<Obstacle>,
    hard: Option<Obstacle>,
}

fn known(
    programs: &dyn ProgramLookup,
    entry: &ProgramEntry,
    name: &str,
    words: &[Word],
    budget: &Budget,
) -> CommandProfile {
    let mut profile = CommandProfile::unknown(Obstacle::new(0, ObstacleCode::NotListed, Detail::NotListed));
    profile.known = true;
    let mut descent = ProfileBuilder {
        programs,
        entry,
        names: vec![name.to_owned()],
        name_words: Vec::new(),
        at: 1,
        profile,
        inner: InnerCommandList::new(budget),
        soft: None,
        hard: None,
    };
    if let [_, only] = words
        && is_literal(only)
        && entry.data.alone.split_whitespace().any(|word| word == only.prefix())
    {
        return descent.alone(words);
    }
    if only_parses(entry, words) {
        return descent.parses(words);
    }
    if let Some(at) = module_position(entry, words) {
        descent.inherit();
        return descent.module(words, at);
    }
    if asks_for_help(programs, entry, words) {
        return descent.help(words);
    }
    descent.inherit();
    while descent.down(words) {}
    let before = descent.at.saturating_sub(1);
    if !descent.entry.data.modules.is_empty()
        && before > 0
        && let Some(at) = module_position(descent.entry, words.get(before..).unwrap_or_default())
    {
        return descent.module(words, before + at);
    }
    descent.leaf(words)
}

impl<'t> ProfileBuilder<'t> {
    /// A program that only prints help. The rule that allows it names the program and the option; a rule that names the
    /// subcommand still matches.
    fn help(self, words: &[Word]) -> CommandProfile {
        let (whole, _) = leading_words::plain(&self.names, words, 1);
        let preset = self.entry.data.help_in;
        let mut profile = self.only_printing(words, preset);
        if whole.len() > 2 {
            profile.leading_words = whole.first().into_iter().chain(whole.last()).cloned().collect();
            profile.leading_alternatives.push(whole);
        }
        profile
    }

    /// A program that is only asked for its version.
    fn alone(self, words: &[Word]) -> CommandProfile {
        let preset = self.entry.data.alone_in;
        self.only_printing(words, preset)
    }

    /// A program that only prints. It is on the longer list unless it belongs to a preset.
    fn only_printing(mut self, words: &[Word], preset: Option<PresetList>) -> CommandProfile {
        (self.profile.leading_words, _) = leading_words::plain(&self.names, words, 1);
        self.profile.depth = 2;
        self.profile.preset = preset;
        if self.profile.preset.is_none() {
            self.profile.builtin = Some(BuiltinList::Full);
            self.profile.harmless = Ok(());
        }
        self.profile
    }

    /// An interpreter that runs a module, which is judged as the program of its name. The rule that allows it names the module.
    fn module(mut self, words: &[Word], at: usize) -> CommandProfile {
        let (module, _) = leading_words::plain(&self.names, words, at.saturating_sub(1));
        let (whole, _) = leading_words::plain(&self.names, words, 1);
        self.profile.leading_words = module;
        offer(&mut self.profile, whole);
        self.profile.depth = 3;
        self.profile.preset = Some(PresetList::Dev);
        self.inner.push(InnerCommand::Argv(words.get(at..).unwrap_or_default().to_vec()));
        self.profile.inner_commands = self.inner.take();
        self.profile
    }

    /// Notes which program a command starts that may download it, if it is known.
    fn note_installed(&mut self) {
        let directory = &self.entry.data.installed;
        let Some(word) = self.inner.first_program().filter(|_| !directory.is_empty()) else { return };
        let name = word.prefix();
        if is_literal(word) && ValueCheck::PlainName.admits(Some(name)).is_ok() {
            let path = format!("{directory}/{name}");
            let text = Some(path.clone());
            self.profile.paths.push(UsedPath { word: self.at, text, access: PathUseKind::Read });
            self.profile.installed = Some(path);
        }
    }

    /// A shell that only parses files.
    fn parses(self, words: &[Word]) -> CommandProfile {
        let mut profile = self.alone(words);
        let read = |word| UsedPath { word, text: None, access: PathUseKind::Read };
        profile.paths.extend((2..words.len()).map(read));
        let is_computed = |at: &usize| words.get(*at).is_some_and(|word| !is_literal(word));
        profile.option_words.extend((2..words.len()).filter(is_computed));
        profile
    }

    /// Applies a program's properties to all its subcommands.
    fn inherit(&mut self) {
        let data = &self.entry.data;
        let profile = &mut self.profile;
        self.name_words.push(self.at.saturating_sub(1));
        profile.repository |= data.repository;
        profile.walks_directories |= data.walks;
        profile.elsewhere |= data.elsewhere;
        profile.program_text |= data.program_text;
        profile.changes_shell |= data.changes_shell;
        profile.transparent = data.transparent;
        profile.depth = data.depth.map_or(profile.depth, usize::from);
        profile.never_bare = data.never_bare.unwrap_or(profile.never_bare);
        profile.never_by_subcommand = self.names.len() > 1 && data.never_bare == Some(true);
        if let Some(danger) = &data.danger {
            profile.danger = Some(ProgramDanger { level: danger.level, code: danger.code });
            profile.danger_words.clone_from(&self.name_words);
        }
    }

    /// Descends to the subcommand, if there is one.
    fn down(&mut self, words: &[Word]) -> bool {
        let entry = self.entry;
        if !entry.has_subs {
            return false;
        }
        let scan =
            ParsedArguments::parse(entry, words, self.at, ParseExtent { stop_at: Some(0), between: false });
        // Options may come before a computed subcommand.
        let is_computed = words.get(scan.end).is_some_and(|word| word.literal().is_none());
        if scan.uncertain || is_computed {
            self.alternatives(words);
        }
        let Some(name) = words.get(scan.end).and_then(Word::literal) else { return false };
        let Some(sub) = self.programs.subcommand(entry, name.as_ref()) else { return false };
        self.absorb(words, scan.end, scan);
        self.profile.inner_commands.append(&mut self.inner.take());
        self.entry = sub;
        self.names.push(name.into_owned());
        self.inherit();
        true
    }

    /// Adds the results of one level's own options, and continues after `end`.
    fn absorb(&mut self, words: &[Word], end: usize, scan: ParsedArguments<'t>) {
        inner_commands::add_from_options(self.entry, words, &scan, &mut self.inner);
        self.details(words, &scan);
        let dashed = self.dashed_value(words, &scan);
        self.hard = self.hard.take().or(scan.obstacle).or(dashed);
        self.profile.option_globs.extend(scan.globs);
        self.profile.option_words.extend(scan.computed);
        self.profile.splitting_words.extend(scan.splitting);
        self.at = end + 1;
    }

    /// A value of an option that the program may take for an option. Git's subcommands such as `log` take `-q` out of all
    /// words first, so in `-S -q -S --output=f` the value of the first `-S` is `-S`; and for the programs of presets, a
    /// letter that has a value in one subcommand may have none in another.
    fn dashed_value(&self, words: &[Word], scan: &ParsedArguments<'_>) -> Option<Obstacle> {
        let is_read_twice = self.profile.repository && self.names.len() >= 2;
        if self.entry.data.dashed_values || !(is_read_twice || self.entry.data.preset.is_some()) {
            return None;
        }
        let mut values = scan.options.iter().filter_map(|seen| match seen.value {
            ValuePosition::Next(at) => Some(at),
            ValuePosition::None | ValuePosition::Attached(_) => None,
        });
        let dashed = values.find(|at| {
            words
                .get(*at)
                .is_some_and(|word| word.may_be_option() && !(is_literal(word) && word.prefix() == "-"))
        })?;
        Some(Obstacle::new(dashed, ObstacleCode::Value, Detail::UnprovenValue))
    }

    /// Other positions at which the subcommand could be.
    fn alternatives(&mut self, words: &[Word]) {
        let starts = leading_words::starts(self.entry, words, self.at, 0);
        if starts.len() > MAX_ALTERNATIVES {
            self.inner.budget.exhaust();
        }
        for start in starts.into_iter().take(MAX_ALTERNATIVES) {
            let near = words.get(..words.len().min(start + MAX_WORDS)).unwrap_or(words);
            let (mut other, open) = leading_words::plain(&self.names, near, start);
            self.profile.leading_open |= open && other.len() == self.names.len();
            other.truncate(MAX_WORDS);
            if !self.profile.leading_alternatives.contains(&other) {
                self.profile.leading_alternatives.push(other);
            }
        }
    }

    /// Directories, dangers and paths that come from options.
    fn details(&mut self, words: &[Word], scan: &ParsedArguments<'t>) {
        let entry = self.entry;
        for seen in &scan.options {
            let at = if let ValuePosition::Next(at) = seen.value { at } else { seen.word };
            if seen.name.is_in(&entry.data.directory) {
                match seen.value {
                    ValuePosition::Next(_) => self.profile.directories.push(at),
                    // Glued to its option: where the directory begins in the word is not passed on.
                    _ => {
                        self.profile.elsewhere = true;
                        self.profile.directory_unknown = true;
                    }
                }
                self.soft.get_or_insert_with(|| {
                    Obstacle::new(at, ObstacleCode::Directory, Detail::OtherDirectory)
                });
            }
            let check = entry.value_check(|name| seen.name.is(name));
            let access = match check {
                Some(check) if check.is_path_to_read() => PathUseKind::Read,
                Some(ValueCheck::Write) => PathUseKind::Write,
                Some(ValueCheck::Names | ValueCheck::AtFile) => {
                    let text = seen.value_text(words).unwrap_or_default();
                    // Each of them is a path that is looked up and matched against rules.
                    if self.inner.budget.spend(MENTIONED * text.matches(['{', '}', ',']).count()) {
                        self.profile.paths.extend(mentioned(check, words, seen, at));
                    }
                    continue;
                }
                _ => continue,
            };
            let text = matches!(seen.value, ValuePosition::Attached(_))
                .then(|| seen.value_text(words).map(str::to_owned));
            self.profile.paths.push(UsedPath { word: at, text: text.flatten(), access });
        }
        self.note_outside(words, scan);
        for danger in &entry.data.danger_if {
            let worse = self.profile.danger.as_ref().is_none_or(|known| known.level <= danger.level);
            let options =
                scan.options.iter().filter(|seen| seen.name.is_in(&danger.options)).map(|seen| seen.word);
            let operands =
                scan.operands.iter().copied().filter(|at| is_operand_in(words.get(*at), &danger.operands));
            let causes: Vec<usize> = options.chain(operands).collect();
            if worse && !causes.is_empty() {
                let found = ProgramDanger { level: danger.level, code: danger.code };
                // In `rm -rf` both words matter, in `find -delete` only the option.
                if self.profile.danger.is_none() {
                    self.profile.danger_words.clear();
                }
                self.profile.danger_words.extend(causes);
                self.profile.danger_words.sort_unstable();
                self.profile.danger_words.dedup();
                self.profile.danger = Some(found);
            }
        }
    }

    /// Notes the first option that a user's allow does not include.
    fn note_outside(&mut self, words: &[Word], scan: &ParsedArguments<'t>) {
        let entry = self.entry;
        let leaves = |seen: &ParsedOption<'_>| leaves_directory(seen, words);
        // `-p no:NAME` of pytest, unlike `-p NAME`.
        let is_listed = |seen: &ParsedOption<'_>| {
            let check = entry.value_check(|name| seen.name.is(name));
            check.is_some_and(|check| {
                matches!(check, ValueCheck::OneOf(_)) && check.admits(seen.value_text(words)).is_ok()
            })
        };
        let outside = scan.options.iter().find(|seen| {
            (seen.name.is_in(&entry.data.outside) && !is_listed(seen))
                || (seen.name.is_in(&entry.data.outside_paths) && leaves(seen))
        });
        if self.profile.outside.is_none() {
            self.profile.outside = outside.map(|seen| seen.name.written());
        }
    }

    /// Notes the words that zsh evaluates, and the commands in them.
    fn note_evaluated(&mut self, words: &[Word], scan: &ParsedArguments<'_>) {
        let Some(which) = self.entry.data.arithmetic else { return };
        self.profile.evaluated_words = evaluated_words::evaluated_words(which, words, scan);
        let evaluated = self.profile.evaluated_words.iter().filter_map(|at| words.get(*at));
        self.inner.extend(evaluated.filter_map(hidden_text));
    }

    /// Parses the remaining words as the command's own.
    fn leaf(mut self, words: &[Word]) -> CommandProfile {
        let entry = self.entry;
        let from = self.at;
        let scan = match (&entry.data.inner, entry.data.grammar) {
            (Some(form), _) => inner_commands::parse_wrapper(entry, form, words, from, &mut self.inner),
            (None, Grammar::Find) => {
                let scan = find::parse_find(entry, words, from, &mut self.inner);
                self.soft = find::executes(words, &self.inner);
                scan
            }
            (None, _) => {
                ParsedArguments::parse(entry, words, from, ParseExtent { stop_at: None, between: false })
            }
        };
        self.finish(words, scan)
    }

    /// Other commands that do the same as this one, so that rules for them apply.
    fn offer_same_commands(&mut self, words: &[Word], scan: &ParsedArguments<'t>) {
        let entry = self.entry;
        for same in entry.data.acts_as.lines().filter(|line| !line.is_empty()) {
            let rest = words.iter().skip(self.at).map_while(Word::literal);
            let words = same.split(' ').map(str::to_owned).chain(rest.map(Cow::into_owned));
            offer(&mut self.profile, words.take(MAX_WORDS).collect());
        }
        for other in &entry.data.acts_if {
            if scan.has(&other.options) && (other.and.is_empty() || scan.has(&other.and)) {
                for same in other.same.lines().filter(|line| !line.is_empty()) {
                    let operands =
                        scan.operands.iter().filter_map(|at| words.get(*at)).map_while(Word::literal);
                    let words = same.split(' ').map(str::to_owned).chain(operands.map(Cow::into_owned));
                    offer(&mut self.profile, words.take(MAX_WORDS).collect());
                }
            }
        }
    }

    /// The preset whose trust the words stay within.
    fn preset_of(&self, words: &[Word], scan: &ParsedArguments<'_>) -> Option<PresetList> {
        let entry = self.entry;
        let is_local = entry.data.installed.is_empty() || self.profile.installed.is_some();
        let stays = |preset: &PresetList| preset_words::stay_inside(*preset, entry, words, scan);
        entry.data.preset.filter(|preset| is_local && stays(preset))
    }

    fn finish(mut self, words: &[Word], scan: ParsedArguments<'t>) -> CommandProfile {
        let entry = self.entry;
        let (leading, open) = leading_words::plain(&self.names, words, self.at);
        self.profile.leading_words = leading;
        self.profile.leading_open |= open;
        if !scan.operands.iter().copied().eq(self.at..self.at + scan.operands.len()) {
            offer(&mut self.profile, leading_words::operands(&self.names, words, &scan.operands));
        }
        self.offer_same_commands(words, &scan);
        self.profile.starts.extend(entry.data.starts.split_whitespace().map(str::to_owned));
        let missing = !entry.data.needs.is_empty()
            && !scan.begins_with(&entry.data.needs)
            && !suffices_alone(entry, words, &scan);
        self.profile.walks_directories |= scan.has(&entry.data.walks_if);
        self.profile.elsewhere |= scan.has(&entry.data.elsewhere_if);
        if self.profile.walks_directories {
            let used = |seen: &ParsedOption<'_>| UsedOption {
                name: seen.name.bare(),
                value: seen.value_text(words).map(str::to_owned),
            };
            self.profile.options = scan.options.iter().map(used).collect();
            self.profile.operands.clone_from(&scan.operands);
        }
        inner_commands::add_from_operands(entry, words, &scan, &mut self.inner);
        self.note_installed();
        let operand = operands::check_operands(entry, words, &scan, &mut self.profile);
        let shape = match entry.data.grammar {
            Grammar::Test => {
                let bracket = self.names.first().is_some_and(|name| name == "[");
                test_expression::check_test_expression(words, bracket).err()
            }
            Grammar::Ps => ps::check_words(words).err(),
            _ => None,
        };
        self.note_evaluated(words, &scan);
        let of_preset = self.preset_of(words, &scan);
        self.absorb(words, words.len(), scan);
        self.profile.builtin = entry.data.builtin;
        let missing = missing.then(|| Obstacle::new(0, ObstacleCode::MissingOption, Detail::NeedsOption));
        let form = self.hard.take().or(shape).or(operand).or(missing);
        let is_inside = form.is_none() && self.soft.is_none() && self.profile.outside.is_none();
        self.profile.preset = of_preset.filter(|_| is_inside);
        let unlisted = self.unlisted(words);
        // For a command of a preset, say what keeps it out of the preset.
        let obstacle = if entry.data.preset.is_some() { form.or(unlisted) } else { unlisted.or(form) };
        self.profile.harmless = obstacle.or(self.soft).map_or(Ok(()), Err);
        let evaluates = match entry.data.grammar {
            Grammar::Test => test_expression::may_evaluate(words),
            _ => entry.data.evaluates && self.profile.harmless.is_err(),
        };
        self.profile.changes_shell |= evaluates;
        if self.profile.changes_shell && entry.data.inner.is_none() {
            self.inner.extend(words.iter().skip(1).filter_map(hidden_text));
        }
        self.profile.inner_commands.append(&mut self.inner.take());
        note_removal(&mut self.profile, words);
        if self.profile.builtin.is_some() && self.profile.harmless.is_ok() {
            // The program text was given and has been analysed; what other uses of the program do does not
            // apply here.
            self.profile.program_text = false;
            self.profile.danger = None;
            self.profile.danger_words.clear();
        }
        self.profile
    }

    /// The obstacle of a command that has no known harmless use.
    fn unlisted(&self, words: &[Word]) -> Option<Obstacle> {
        let data = &self.entry.data;
        if data.builtin.is_some() || data.judged {
            return None;
        }
        let name = self.names.join(" ");
        let (code, detail) = if !self.entry.has_subs || words.len() <= 1 {
            (ObstacleCode::NotListed, Detail::NoHarmlessUse)
        } else {
            (ObstacleCode::UnknownSubcommand, Detail::NoHarmlessSubcommand)
        };
        Some(Obstacle::naming(0, code, detail, name))
    }
}

fn note_removal(profile: &mut CommandProfile, words: &[Word]) {
    if let Some((danger, word)) = danger_of_removal(profile.danger.as_ref(), words) {
        profile.danger = Some(danger);
        profile.danger_words = vec![0, word];
    }
}

/// Whether an operand is in a list: as it is, or by its beginning.
fn is_operand_in(operand: Option<&Word>, list: &str) -> bool {
    let Some(operand) = operand.filter(|_| !list.is_empty()) else { return false };
    let is_meant = |pattern: &str| match pattern.strip_suffix('*') {
        Some(beginning) => operand.prefix().starts_with(beginning) && operand.prefix() != beginning,
        None => is_literal(operand) && operand.prefix() == pattern,
    };
    list.split_whitespace().any(is_meant)
}
