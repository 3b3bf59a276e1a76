//! Command conditions of a rule: leading words, or a glob over the text.

use sekisho_shell::analyse;
use sekisho_shell::normalise;
use sekisho_shell::script::{Script, ScriptItem};
use sekisho_shell::word::{Piece, Span};
use serde::{Deserialize, Serialize};

use crate::error::RuleError;
use crate::rule::{Effect, LayerKind};

/// Represents text that only bash will know. No rule can contain it.
pub(crate) const COMPUTED: char = '\u{0}';

/// The leading words a rule requires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommandWords(pub(crate) Vec<Box<str>>);

impl CommandWords {
    pub(crate) fn new(text: &str) -> CommandWords {
        CommandWords(text.split_whitespace().map(Into::into).collect())
    }

    /// The program name by which the rule is indexed.
    pub(crate) fn program(&self) -> Option<&str> {
        self.0.first().map(AsRef::as_ref)
    }
}

pub(crate) fn basename(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A `command_glob`. For an allow it is split into parts by the same grammar that splits commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommandGlob {
    pub(crate) text: Box<str>,
    /// For an allow: the parts the text must consist of, one to one.
    pub(crate) parts: Vec<GlobPart>,
    pub(crate) quoted: bool,
    /// For a deny or confirm: computed text does not match.
    pub(crate) only_seen: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
/// One part of an allow glob.
pub(crate) enum GlobPart {
    Command(Box<str>),
    Redirect { operator: Box<str>, target: Box<str> },
    Operator(Box<str>),
}

impl CommandGlob {
    /// Parses a glob. An allow must be valid bash without anything computed.
    pub(crate) fn new(text: &str, effect: Effect) -> Result<CommandGlob, RuleError> {
        let normalised = normalise(text);
        let quoted = text.contains(['\'', '"', '\\']);
        if effect.is_wide() {
            return Ok(CommandGlob { text: normalised.into(), parts: Vec::new(), quoted, only_seen: false });
        }
        let fault = |message: &str| {
            RuleError::new("command_glob", format!("`{text}` {message}"))
                .hint("an allow consists of commands and operators; `*` matches text inside one command")
        };
        let script = analyse(&normalised);
        let computed = script.commands.iter().flat_map(|command| &command.words).any(|word| {
            word.pieces.iter().any(|piece| matches!(piece, Piece::Substitution { .. } | Piece::Process))
        });
        if computed || !script.assignments.is_empty() {
            return Err(fault("contains a substitution or an assignment"));
        }
        // A wildcard in place of the program is not a computed name here.
        let opaque =
            script.opaque.iter().any(|part| part.kind != sekisho_shell::script::OpaqueKind::ComputedName);
        if opaque || script.items.is_empty() {
            return Err(fault("is not a command that can be parsed"));
        }
        let parts = script.items.iter().filter_map(|item| part_of(&script, &normalised, *item)).collect();
        Ok(CommandGlob { text: normalised.into(), parts, quoted, only_seen: false })
    }

    /// The same for a shipped rule, which matches only visible text. Computed text could be anything: if it
    /// matched, no text with a variable would ever run under an unrestricted allow.
    pub(crate) fn of_layer(mut self, layer: LayerKind) -> CommandGlob {
        self.only_seen = layer == LayerKind::BuiltIn;
        self
    }

    /// The program of a one-part allow, if the glob names it literally.
    pub(crate) fn program(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [GlobPart::Command(text)] => {
                text.split(' ').next().filter(|word| !word.contains(['*', '?', '\'', '"', '\\']))
            }
            _ => None,
        }
    }
}

fn part_of(script: &Script, text: &str, item: ScriptItem) -> Option<GlobPart> {
    let slice = |span: Span| text.get(span.start as usize..span.end as usize).unwrap_or("");
    Some(match item {
        ScriptItem::Command(index) => {
            let words = script.commands.get(index)?.words.iter().map(|word| slice(word.span));
            GlobPart::Command(words.collect::<Vec<_>>().join(" ").into())
        }
        ScriptItem::Redirect(index) => {
            let redirect = script.redirects.get(index)?;
            let target = slice(redirect.target.span);
            GlobPart::Redirect { operator: redirect.operator.as_str().into(), target: target.into() }
        }
        ScriptItem::Operator(operator) => GlobPart::Operator(operator.into()),
        ScriptItem::Assignment(_) => return None,
    })
}

/// `*` matches any text, `?` one character; nothing else is special. `COMPUTED` in the text matches nothing.
pub(crate) fn glob_matches(glob: &str, text: &str) -> bool {
    if !glob.contains('?') && !text.contains(COMPUTED) {
        return crate::tool_pattern::matches(glob.as_bytes(), text.as_bytes());
    }
    let (mut g, mut t) = (glob.chars(), text.chars());
    let mut star: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let Some(c) = t.clone().next() else { return g.all(|c| c == '*') };
        match g.clone().next() {
            Some('*') => {
                g.next();
                star = Some((g.clone(), t.clone()));
            }
            Some(expected) if c != COMPUTED && (expected == c || expected == '?') => {
                g.next();
                t.next();
            }
            _ => match &mut star {
                // Extend the last star by one character.
                Some((after, from)) if from.clone().next() != Some(COMPUTED) => {
                    from.next();
                    (g, t) = (after.clone(), from.clone());
                }
                _ => return false,
            },
        }
    }
}

/// Whether a text whose `COMPUTED` characters may become anything could match the glob.
pub(crate) fn may_match(glob: &str, text: &str) -> bool {
    let glob: Vec<char> = glob.chars().collect();
    // The reachable positions of the glob; `*` and computed text both stay and advance.
    let close = |reached: &mut Vec<bool>| {
        for at in 0..glob.len() {
            if glob.get(at) == Some(&'*')
                && reached.get(at) == Some(&true)
                && let Some(next) = reached.get_mut(at + 1)
            {
                *next = true;
            }
        }
    };
    let mut reached = vec![false; glob.len() + 1];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    close(&mut reached);
    for c in text.chars() {
        if c == COMPUTED {
            let first = reached.iter().position(|at| *at).unwrap_or(reached.len());
            reached.iter_mut().skip(first).for_each(|at| *at = true);
            continue;
        }
        let mut next = vec![false; glob.len() + 1];
        for (at, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
            let to = match glob.get(at) {
                Some('*') => at,
                Some(expected) if *expected == '?' || *expected == c => at + 1,
                _ => continue,
            };
            if let Some(slot) = next.get_mut(to) {
                *slot = true;
            }
        }
        close(&mut next);
        reached = next;
    }
    reached.last() == Some(&true)
}
