//! Parses options and operands the way the program itself would: bundles, attached values, `--`, order.

use super::command_profile::{Obstacle, ObstacleCode};
use super::detail_code::Detail;
use super::program_entry::{Arity, OptionKind, ProgramEntry};
use super::table_schema::Grammar;
use crate::word::{Piece, Word};

/// The name of an option that was found, without its dashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionName<'e> {
    Short(char),
    /// The full name, even if it was abbreviated.
    Long(&'e str),
}

impl OptionName<'_> {
    /// Whether it is in a blank-separated list.
    pub(super) fn is_in(self, list: &str) -> bool {
        list.split_whitespace().any(|item| self.is(item))
    }

    /// Whether its name is `item`.
    pub(super) fn is(self, item: &str) -> bool {
        match self {
            OptionName::Short(letter) => {
                let mut letters = item.chars();
                letters.next() == Some(letter) && letters.next().is_none()
            }
            OptionName::Long(name) => name == item,
        }
    }

    /// The name without dashes.
    pub(super) fn bare(self) -> String {
        match self {
            OptionName::Short(letter) => letter.to_string(),
            OptionName::Long(name) => name.to_owned(),
        }
    }

    pub(super) fn written(self) -> String {
        match self {
            OptionName::Short(letter) => format!("-{letter}"),
            OptionName::Long(name) => format!("--{name}"),
        }
    }
}

/// Position of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValuePosition {
    /// The option has no value.
    None,
    /// In the option's own word, from this byte of its literal prefix on.
    Attached(usize),
    /// In the word with this index.
    Next(usize),
}

/// An option that was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParsedOption<'e> {
    pub(super) name: OptionName<'e>,
    pub(super) word: usize,
    pub(super) value: ValuePosition,
}

impl ParsedOption<'_> {
    /// The value as a separate word.
    pub(super) fn value_word(&self, words: &[Word]) -> Option<Word> {
        match self.value {
            ValuePosition::None => None,
            ValuePosition::Next(at) => words.get(at).cloned(),
            ValuePosition::Attached(from) => {
                let mut word = words.get(self.word)?.clone();
                if let Some(Piece::Literal(text)) = word.pieces.first_mut() {
                    *text = text.get(from..).unwrap_or_default().to_owned();
                    if text.is_empty() {
                        word.pieces.remove(0);
                    }
                }
                Some(word)
            }
        }
    }

    /// The value, if it is known text.
    pub(super) fn value_text<'w>(&self, words: &'w [Word]) -> Option<&'w str> {
        let (at, from) = match self.value {
            ValuePosition::None => return None,
            ValuePosition::Next(at) => (at, 0),
            ValuePosition::Attached(from) => (self.word, from),
        };
        let word = words.get(at)?;
        if is_literal(word) { word.prefix().get(from..) } else { None }
    }
}

/// The options and operands of one command or one level of subcommands.
#[derive(Debug, Default)]
pub(super) struct ParsedArguments<'e> {
    pub(super) options: Vec<ParsedOption<'e>>,
    pub(super) operands: Vec<usize>,
    /// Index of `--`.
    pub(super) dashes: Option<usize>,
    /// Index of the first word not parsed.
    pub(super) end: usize,
    /// The first thing not known to be harmless.
    pub(super) obstacle: Option<Obstacle>,
    /// Globs that might expand to options.
    pub(super) globs: Vec<usize>,
    /// Computed words that might become options by which a tolerant program opens other files, or treats other
    /// words as files.
    pub(super) computed: Vec<usize>,
    /// Computed words that might become options of a tolerant program.
    maybe_options: Vec<usize>,
    /// Globs that might expand to options of a tolerant program.
    maybe_option_globs: Vec<usize>,
    /// Options and values of options whose expansion may become several words or none: other words then change
    /// their role.
    pub(super) splitting: Vec<usize>,
    /// An unknown or computed option may or may not have taken the next word as its value.
    pub(super) uncertain: bool,
}

/// How far to parse.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParseExtent {
    /// Stop at the operand with this number.
    pub(super) stop_at: Option<usize>,
    /// Options are parsed between operands, whatever the grammar.
    pub(super) between: bool,
}

impl<'e> ParsedArguments<'e> {
    /// Parses the words from `from` on.
    pub(super) fn parse(
        entry: &'e ProgramEntry,
        words: &[Word],
        from: usize,
        extent: ParseExtent,
    ) -> ParsedArguments<'e> {
        let mut scan = ParsedArguments::default();
        let mut at = from;
        let mut only_operands = matches!(entry.data.grammar, Grammar::Plain | Grammar::Test | Grammar::Ps);
        if entry.data.dashless && extent.stop_at.is_none() {
            at = scan.dashless(entry, words, at);
        }
        let ordered = entry.is_ordered() && !extent.between;
        while let Some(word) = words.get(at) {
            if !only_operands && is_literal(word) && word.prefix() == "--" {
                scan.dashes = scan.dashes.or(Some(at));
                only_operands = true;
                at += 1;
                continue;
            }
            if !only_operands && entry.data.dash && is_literal(word) && word.prefix() == "-" {
                at += 1;
                continue;
            }
            if !only_operands && looks_like_option(word, entry.data.plus) {
                at = scan.option(entry, words, at);
                continue;
            }
            if !only_operands {
                scan.consider_word(entry, word, at);
            }
            if extent.stop_at == Some(scan.operands.len()) {
                break;
            }
            // Operands before the command that a wrapper runs.
            scan.splitting.extend((extent.stop_at.is_some() && word.may_split()).then_some(at));
            scan.operands.push(at);
            at += 1;
            only_operands |= ordered;
        }
        scan.end = at;
        // Behind `--` or an option that takes a value, what looks like an option and its value are files.
        let last = scan.options.iter().map(|seen| seen.word).chain(scan.dashes).max().unwrap_or(0);
        scan.computed.extend(scan.maybe_options.iter().filter(|at| **at < last));
        scan.globs.extend(scan.maybe_option_globs.iter().filter(|at| **at < last));
        scan
    }

    /// Keeps the first obstacle.
    pub(super) fn set_obstacle(&mut self, at: usize, code: ObstacleCode, detail: Detail) {
        self.obstacle.get_or_insert_with(|| Obstacle::new(at, code, detail));
    }

    /// Like [`set_obstacle`](Self::set_obstacle), for a detail that includes a name.
    pub(super) fn set_obstacle_naming(
        &mut self,
        at: usize,
        code: ObstacleCode,
        detail: Detail,
        name: impl FnOnce() -> String,
    ) {
        self.obstacle.get_or_insert_with(|| Obstacle::naming(at, code, detail, name()));
    }

    /// Checks whether a word in the position of an operand or a value may be, or may add, an option.
    pub(super) fn consider_word(&mut self, entry: &ProgramEntry, word: &Word, at: usize) {
        // An empty leading piece does not determine how the word begins.
        let empty = |piece: &Piece| matches!(piece, Piece::Literal(text) if text.is_empty());
        let hidden = word.pieces.len() > 1 && word.pieces.first().is_some_and(empty);
        if !(hidden || word.may_be_option()) || is_absolute(word) {
            return;
        }
        if only_globs(word) {
            if !entry.data.tolerant || entry.data.opens_by_option || entry.data.lists_by_option {
                self.globs.push(at);
            } else {
                self.maybe_option_globs.push(at);
            }
        } else {
            self.uncertain = true;
            self.computed(entry, at);
        }
    }

    fn consider_value(&mut self, entry: &ProgramEntry, words: &[Word], at: usize) {
        // A value is a value, whatever it begins with, as long as it stays one word.
        if let Some(word) = words.get(at)
            && word.may_split()
        {
            // `find` fails if a pattern becomes several words.
            let splits = splits_by_expansion(word) || entry.data.grammar != Grammar::Find;
            self.splitting.extend(splits.then_some(at));
            self.consider_word(entry, word, at);
        }
    }

    fn computed(&mut self, entry: &ProgramEntry, at: usize) {
        if entry.data.opens_by_option {
            self.computed.push(at);
        } else if entry.data.tolerant {
            self.maybe_options.push(at);
        } else {
            self.set_obstacle(at, ObstacleCode::MayBeOption, Detail::MayBeOption);
        }
    }

    fn option(&mut self, entry: &'e ProgramEntry, words: &[Word], at: usize) -> usize {
        let Some(word) = words.get(at) else { return at + 1 };
        let whole = is_literal(word);
        if !whole && splits_by_expansion(word) {
            self.splitting.push(at);
            self.computed(entry, at);
        }
        let text = word.prefix();
        if entry.is_single_dash() {
            let dashes = if text.starts_with("--") { 2 } else { 1 };
            return self.long(entry, words, at, dashes);
        }
        if text.starts_with("--") {
            return self.long(entry, words, at, 2);
        }
        let digits = text.get(1..).unwrap_or_default();
        if entry.data.number && whole && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            return at + 1;
        }
        self.bundle(entry, words, at)
    }

    fn long(&mut self, entry: &'e ProgramEntry, words: &[Word], at: usize, dashes: usize) -> usize {
        let Some(word) = words.get(at) else { return at + 1 };
        let whole = is_literal(word);
        let text = word.prefix().get(dashes..).unwrap_or_default();
        let (name, attached) = match text.split_once('=') {
            Some((name, _)) => (name, Some(dashes + name.len() + 1)),
            None => (text, None),
        };
        if attached.is_none() && !whole {
            self.uncertain = true;
            self.computed(entry, at);
            return at + 1;
        }
        let Some(found) = entry.long(name) else {
            self.uncertain |= attached.is_none();
            self.set_obstacle_naming(at, ObstacleCode::Option, Detail::UnknownOption, || {
                word.prefix().to_owned()
            });
            return at + 1;
        };
        let name = OptionName::Long(found.name);
        let (value, next) = match (attached, found.kind.arity) {
            (Some(from), _) => (ValuePosition::Attached(from), at + 1),
            (None, Arity::Value) => (ValuePosition::Next(at + 1), at + 2),
            (None, _) => (ValuePosition::None, at + 1),
        };
        self.add_option(entry, words, ParsedOption { name, word: at, value }, found.kind);
        if attached.is_some() && found.kind.arity == Arity::Flag {
            self.set_obstacle_naming(at, ObstacleCode::Option, Detail::OptionTakesNoValue, || name.written());
        }
        next
    }

    fn bundle(&mut self, entry: &'e ProgramEntry, words: &[Word], at: usize) -> usize {
        let Some(word) = words.get(at) else { return at + 1 };
        let text = word.prefix();
        let whole = is_literal(word);
        for (offset, letter) in text.char_indices().skip(1) {
            let after = offset + letter.len_utf8();
            let rest = after < text.len() || !whole;
            let Some(kind) = entry.short(letter) else {
                // `grep -n '->' file`, and `'-l -a'`, which zsh does not split: there is no option of this name, so the program
                // only reports an error.
                if (letter.is_ascii_punctuation() || letter == ' ')
                    && entry.data.tolerant
                    && entry.data.complete
                {
                    return at + 1;
                }
                self.uncertain = true;
                self.set_obstacle_naming(at, ObstacleCode::Option, Detail::UnknownOption, || {
                    format!("-{letter}")
                });
                return at + 1;
            };
            let name = OptionName::Short(letter);
            let value = match kind.arity {
                Arity::Flag => {
                    self.add_option(
                        entry,
                        words,
                        ParsedOption { name, word: at, value: ValuePosition::None },
                        kind,
                    );
                    continue;
                }
                Arity::Optional if !rest => ValuePosition::None,
                Arity::Value if !rest => ValuePosition::Next(at + 1),
                Arity::Optional | Arity::Value => ValuePosition::Attached(after),
            };
            // If the rest of the word is empty, the value is the next word.
            if kind.arity == Arity::Value && !whole && after == text.len() {
                self.splitting.push(at);
            }
            self.add_option(entry, words, ParsedOption { name, word: at, value }, kind);
            return if value == ValuePosition::Next(at + 1) { at + 2 } else { at + 1 };
        }
        if !whole {
            self.uncertain = true;
            self.computed(entry, at);
        }
        at + 1
    }

    /// `tar xzf a.tgz`: letters without a dash. Their values are the words that follow.
    fn dashless(&mut self, entry: &'e ProgramEntry, words: &[Word], at: usize) -> usize {
        let Some(word) = words.get(at).filter(|word| is_literal(word) && !word.prefix().starts_with('-'))
        else {
            return at;
        };
        let mut next = at + 1;
        for letter in word.prefix().chars() {
            let Some(kind) = entry.short(letter) else {
                self.set_obstacle_naming(at, ObstacleCode::Option, Detail::UnknownOption, || {
                    letter.to_string()
                });
                continue;
            };
            let mut value = ValuePosition::None;
            if kind.arity == Arity::Value {
                value = ValuePosition::Next(next);
                next += 1;
            }
            self.add_option(
                entry,
                words,
                ParsedOption { name: OptionName::Short(letter), word: at, value },
                kind,
            );
        }
        next
    }

    /// Adds an option and checks its value.
    pub(super) fn add_option(
        &mut self,
        entry: &ProgramEntry,
        words: &[Word],
        seen: ParsedOption<'e>,
        kind: OptionKind,
    ) {
        if !kind.harmless {
            self.set_obstacle_naming(seen.word, ObstacleCode::Option, Detail::UnprovenOption, || {
                let dashless = entry.data.grammar == Grammar::Find;
                let written = seen.name.written();
                written.get(usize::from(dashless)..).unwrap_or_default().to_owned()
            });
        }
        match seen.value {
            ValuePosition::Next(at) => self.consider_value(entry, words, at),
            ValuePosition::Attached(from) if entry.data.drops_equals => {
                let value = words.get(seen.word).and_then(|word| word.prefix().get(from..));
                if value.is_some_and(|value| value.starts_with('=')) {
                    self.set_obstacle(seen.word, ObstacleCode::Value, Detail::UnprovenValue);
                }
            }
            ValuePosition::Attached(_) | ValuePosition::None => {}
        }
        self.check_value(entry, words, seen);
        self.options.push(seen);
    }

    fn check_value(&mut self, entry: &ProgramEntry, words: &[Word], seen: ParsedOption<'_>) {
        if seen.value != ValuePosition::None
            && let Some(check) = entry.value_check(|name| seen.name.is(name))
            && let Err(detail) = check.admits(seen.value_text(words))
        {
            self.set_obstacle(seen.word, ObstacleCode::Value, detail);
        }
    }

    /// Whether one of a blank-separated list of options is present.
    pub(super) fn has(&self, list: &str) -> bool {
        !list.is_empty() && self.options.iter().any(|seen| seen.name.is_in(list))
    }

    /// Whether one of the options comes before every operand, where no program treats it as an operand.
    pub(super) fn begins_with(&self, list: &str) -> bool {
        let operand = self.operands.first().copied().unwrap_or(usize::MAX);
        self.options.iter().any(|seen| seen.word < operand && seen.name.is_in(list))
    }
}

/// Whether the word is known text.
pub(super) fn is_literal(word: &Word) -> bool {
    matches!(word.pieces.as_slice(), [] | [Piece::Literal(_)])
}

/// Whether the word certainly begins like an option.
pub(super) fn looks_like_option(word: &Word, plus: bool) -> bool {
    let text = word.prefix();
    (text.starts_with('-') || (plus && text.starts_with('+'))) && (text.len() > 1 || !is_literal(word))
}

/// Whether the word begins with `/` although its text does not show it. `$HOME` does, and nobody gives a home
/// directory a name that splits. `$PWD` does too, but a command may have entered a directory of any name.
fn is_absolute(word: &Word) -> bool {
    let Some(Piece::Variable { name, quoted }) = word.pieces.first() else { return false };
    let first = (name == "PWD" && *quoted) || name == "HOME";
    first && !word.pieces.iter().skip(1).any(is_unquoted_expansion)
}

fn is_unquoted_expansion(piece: &Piece) -> bool {
    matches!(
        piece,
        Piece::Variable { quoted: false, .. }
            | Piece::Substitution { quoted: false }
            | Piece::Unknown { quoted: false }
    )
}

/// Whether only pattern matching can turn the word into options.
fn only_globs(word: &Word) -> bool {
    word.pieces.iter().all(|piece| matches!(piece, Piece::Literal(_) | Piece::Glob(_)))
}

/// Whether the word becomes several words when expanded.
pub(super) fn splits_by_expansion(word: &Word) -> bool {
    word.pieces.iter().any(is_unquoted_expansion)
}
