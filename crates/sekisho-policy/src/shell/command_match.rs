//! Matches the `command` and `command_glob` of a rule against one command of a plan, or against the whole
//! text.

use std::borrow::Cow;

use sekisho_shell::normalise;
use sekisho_shell::programs::ProgramLocation;
use sekisho_shell::script::ScriptItem;
use sekisho_shell::word::Piece;

use super::bare_words::RawText;
use super::execution_plan::{ExecutionPlan, Step, StepTexts};
use crate::command_pattern::{
    COMPUTED, CommandGlob, CommandWords, GlobPart, basename, glob_matches, may_match,
};
use crate::match_result::MatchResult;
use crate::rule::Effect;

impl CommandWords {
    /// An allow needs the literal leading words, and the program itself rather than one with its name
    /// elsewhere.
    fn allows(&self, step: &Step) -> bool {
        let Some((program, rest)) = self.0.split_first() else { return false };
        let mut words = step.words.iter().map(|word| word.literal());
        let named = words.next().flatten().is_some_and(|word| {
            *word == **program
                || (step.profile.location == ProgramLocation::SystemDirectory
                    && basename(&word) == &**program)
        });
        named && rest.iter().all(|expected| words.next().flatten().is_some_and(|word| *word == **expected))
    }

    /// A built-in allow also uses the program table, which knows the options before a subcommand.
    fn lists(&self, step: &Step) -> bool {
        let location = step.profile.location;
        // In a directory of the project, what a preset allows: the table has checked that.
        let is_meant = !location.is_elsewhere() || step.profile.preset.is_some();
        is_meant && is_prefix(&self.0, &step.profile.leading_words)
    }

    /// A deny or confirm matches every spelling of the command.
    fn touches(&self, step: &Step) -> MatchResult {
        let profile = &step.profile;
        // Words beyond the length of the rule do not matter.
        let literal: Vec<Cow<'_, str>> =
            step.words.iter().take(self.0.len()).map_while(|word| word.literal()).collect();
        let mut based = literal.clone();
        if let Some(name) = based.first_mut() {
            *name = basename(name).to_owned().into();
        }
        let readings = || profile.leading_alternatives.iter().chain([&profile.leading_words]);
        if readings().any(|words| is_prefix(&self.0, words))
            || is_prefix(&self.0, &literal)
            || is_prefix(&self.0, &based)
        {
            return MatchResult::Yes;
        }
        // `git $x` may be `git push`. What follows begins the rule but is shorter.
        let opens = literal.len() < step.words.len() && starts(&self.0, &based);
        // `git -C d $x` as well.
        let may_lead = profile.leading_open && readings().any(|words| starts(&self.0, words));
        if opens || may_lead { MatchResult::Unknown } else { MatchResult::No }
    }
}

fn is_prefix(rule: &[Box<str>], words: &[impl AsRef<str>]) -> bool {
    rule.len() <= words.len() && starts(rule, words)
}

fn starts(rule: &[Box<str>], words: &[impl AsRef<str>]) -> bool {
    rule.iter().zip(words).all(|(a, b)| **a == *b.as_ref())
}

impl CommandGlob {
    /// Whether an allow glob of one part matches a command.
    fn allows(&self, plan: &ExecutionPlan, step: &Step) -> bool {
        let [GlobPart::Command(glob)] = self.parts.as_slice() else { return false };
        self.allows_part(glob, plan, step)
    }

    fn allows_part(&self, glob: &str, plan: &ExecutionPlan, step: &Step) -> bool {
        let program = glob.split(' ').next().unwrap_or("");
        let identity = match step.profile.location {
            ProgramLocation::Bare | ProgramLocation::SystemDirectory => true,
            // A program elsewhere must be named explicitly.
            ProgramLocation::ProjectDirectory | ProgramLocation::Elsewhere => {
                step.words.first().and_then(|word| word.literal()).is_some_and(|w| *w == *program)
            }
        };
        let text = if self.quoted { source_text(plan, step) } else { evaluated_text(plan, step, true) };
        identity && glob_matches(glob, &text) && names_outside(step, &[glob])
    }

    /// Whether an allow glob with operators matches the whole text, with parts and operators one to one.
    fn allows_whole(&self, plan: &ExecutionPlan) -> bool {
        let Some(text) = plan.texts.first().filter(|text| text.script.opaque.is_empty()) else {
            return false;
        };
        self.parts.len() > 1
            && text.script.items.len() == self.parts.len()
            && self.parts.iter().zip(&text.script.items).all(|(part, item)| match (part, item) {
                (GlobPart::Command(glob), ScriptItem::Command(index)) => plan
                    .steps
                    .iter()
                    .find(|step| step.text == 0 && step.command == Some(*index))
                    .is_some_and(|step| self.allows_part(glob, plan, step)),
                (GlobPart::Redirect { operator, target }, ScriptItem::Redirect(index)) => {
                    text.script.redirects.get(*index).is_some_and(|redirect| {
                        redirect.operator == **operator
                            && redirect.target.literal().is_some_and(|found| glob_matches(target, &found))
                    })
                }
                (GlobPart::Operator(expected), ScriptItem::Operator(found)) => **expected == **found,
                _ => false,
            })
    }

    /// Whether a deny or confirm glob matches a command.
    fn touches(&self, plan: &ExecutionPlan, step: &Step) -> MatchResult {
        let texts = step.cache.texts.get_or_init(|| texts_of(plan, step));
        if texts.known.iter().any(|text| glob_matches(&self.text, text)) {
            return MatchResult::Yes;
        }
        let may = !self.only_seen && texts.computed.iter().any(|text| may_match(&self.text, text));
        if may { MatchResult::Unknown } else { MatchResult::No }
    }

    /// Whether a deny or confirm glob matches the text as a whole.
    fn touches_whole(&self, plan: &ExecutionPlan) -> bool {
        plan.texts.iter().any(|text| {
            let normalised = text.normalised.get_or_init(|| normalise(&text.source));
            glob_matches(&self.text, &text.source) || glob_matches(&self.text, normalised)
        })
    }
}

/// Whether a rule names the option that makes a program run or read something else, if the command has one. The texts are
/// the words or the glob of the rule.
fn names_outside(step: &Step, texts: &[&str]) -> bool {
    let Some(option) = &step.profile.outside else { return true };
    texts.iter().any(|text| text.split(['*', '?', ' ', '=']).any(|word| word == option))
}

/// Every spelling of a command that a deny glob is compared with.
fn texts_of(plan: &ExecutionPlan, step: &Step) -> StepTexts {
    let evaluated = evaluated_text(plan, step, false);
    let program = step.words.first().and_then(|word| word.literal()).unwrap_or_default();
    let based = evaluated.replacen(program.as_ref(), basename(&program), 1);
    let mut texts = vec![source_text(plan, step), evaluated, based];
    for words in step.profile.leading_alternatives.iter().chain([&step.profile.leading_words]) {
        let leading = words.join(" ");
        // `git -C d $x` may be `git push`.
        texts.extend(step.profile.leading_open.then(|| format!("{leading} {COMPUTED}")));
        texts.push(leading);
    }
    texts.sort_unstable();
    texts.dedup();
    let (computed, known) = texts.into_iter().partition(|text| text.contains(COMPUTED));
    StepTexts { known, computed }
}

/// A command with its evaluated words, and `COMPUTED` for text that only bash will know. With `bare`, a
/// program from a system directory is given by its name, and globs and tildes stay as written, because an
/// allow glob may contain them.
pub(crate) fn evaluated_text(plan: &ExecutionPlan, step: &Step, bare: bool) -> String {
    let source = plan.texts.get(step.text).map_or("", |text| text.source.as_str());
    let mut text = String::new();
    for (at, word) in step.words.iter().enumerate() {
        if at > 0 {
            text.push(' ');
        }
        if let Some(literal) = word.literal() {
            let system = at == 0 && bare && step.profile.location == ProgramLocation::SystemDirectory;
            text.push_str(if system { basename(&literal) } else { &literal });
            continue;
        }
        let written = bare
            && word
                .pieces
                .iter()
                .all(|piece| matches!(piece, Piece::Literal(_) | Piece::Glob(_) | Piece::Tilde(_)));
        if written {
            text.push_str(source.get(word.span.start as usize..word.span.end as usize).unwrap_or("\0"));
            continue;
        }
        for piece in &word.pieces {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                _ => text.push(COMPUTED),
            }
        }
    }
    text
}

/// A command's words as written, separated by single blanks.
fn source_text(plan: &ExecutionPlan, step: &Step) -> String {
    let source = plan.texts.get(step.text).map_or("", |text| text.source.as_str());
    let words = step
        .words
        .iter()
        .map(|word| source.get(word.span.start as usize..word.span.end as usize).unwrap_or(""));
    words.collect::<Vec<_>>().join(" ")
}

/// What a rule's `command` and `command_glob` are compared with.
#[derive(Clone, Copy)]
pub(crate) enum CommandSubject<'a> {
    /// Nothing: the shell text could not be parsed.
    Unread,
    /// The text as a whole.
    Whole(&'a ExecutionPlan),
    /// One of its commands.
    Step(&'a ExecutionPlan, &'a Step),
    /// A text that is too large to judge. Only denies and confirms are searched.
    Raw(&'a RawText<'a>),
}

/// Whether the shell conditions of a rule hold. `listed`: it is a built-in rule.
pub(crate) fn match_command(
    words: Option<&CommandWords>,
    glob: Option<&CommandGlob>,
    effect: Effect,
    listed: bool,
    asked: CommandSubject<'_>,
) -> MatchResult {
    if words.is_none() && glob.is_none() {
        return MatchResult::Yes;
    }
    match asked {
        CommandSubject::Unread => MatchResult::Unknown,
        CommandSubject::Raw(_) if !effect.is_wide() => MatchResult::No,
        CommandSubject::Raw(raw) => MatchResult::of(
            words.is_none_or(|words| raw.has_words(&words.0))
                && glob.is_none_or(|glob| raw.matches(&glob.text)),
        ),
        CommandSubject::Whole(plan) if !effect.is_wide() => {
            MatchResult::of(words.is_none() && glob.is_some_and(|glob| glob.allows_whole(plan)))
        }
        CommandSubject::Whole(plan) => {
            // Conditions that match a single command are decided for that command, by priority; a deny is
            // final anyway.
            let whole = |glob: &CommandGlob| {
                glob.touches_whole(plan)
                    && (effect == Effect::Deny
                        || !plan.steps.iter().any(|step| glob.touches(plan, step) == MatchResult::Yes))
            };
            MatchResult::of(words.is_none() && glob.is_some_and(whole))
        }
        CommandSubject::Step(plan, step) if effect.is_wide() => {
            let words = words.map_or(MatchResult::Yes, |words| words.touches(step));
            words.and(glob.map_or(MatchResult::Yes, |glob| glob.touches(plan, step)))
        }
        CommandSubject::Step(plan, step) => {
            let named = words.is_none_or(|words| if listed { words.lists(step) } else { words.allows(step) });
            let texts: Vec<&str> = words.into_iter().flat_map(|words| &words.0).map(|word| &**word).collect();
            let covers = listed || glob.is_some() || names_outside(step, &texts);
            MatchResult::of(named && covers && glob.is_none_or(|glob| glob.allows(plan, step)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{COMPUTED, CommandWords, ExecutionPlan, MatchResult, evaluated_text};

    #[test]
    fn only_computed_pieces_are_replaced() {
        let check = |text: &str, bare: bool, expected: &str| {
            let plan = ExecutionPlan::new(text, Some("/w"), None);
            let found = evaluated_text(&plan, plan.steps.first().unwrap(), bare);
            assert_eq!(found, expected.replace('_', &COMPUTED.to_string()), "{text}");
        };
        check("frob a\"$x\"b", false, "frob a_b");
        check("frob a\"$x\"b", true, "frob a_b");
        check("frob a?", false, "frob a_");
        check("frob a? ~/b", true, "frob a? ~/b");
    }

    #[test]
    fn deny_is_unknown_while_its_words_are_computed() {
        let check = |rule: &str, text: &str, expected: MatchResult| {
            let plan = ExecutionPlan::new(text, Some("/w"), None);
            let step = plan.steps.first().unwrap();
            assert_eq!(CommandWords::new(rule).touches(step), expected, "{rule}: {text}");
        };
        check("git push", "git push origin", MatchResult::Yes);
        check("git push", "git -C d push", MatchResult::Yes);
        check("git push", "git $x", MatchResult::Unknown);
        check("git push", "git -C d $x", MatchResult::Unknown);
        check("git push", "git", MatchResult::No);
        check("git push", "git log $x", MatchResult::No);
        check("frob a b", "frob a $x", MatchResult::Unknown);
        check("frob a b", "frob a", MatchResult::No);
        check("frob a b", "frob c $x", MatchResult::No);
        check("frob", "other $x", MatchResult::No);
        check("git -C d", "/usr/bin/git -C d status", MatchResult::Yes);
        check("git -C d", "git -C $x status", MatchResult::Unknown);
    }
}
