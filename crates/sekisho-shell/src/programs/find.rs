//! `find`: start points, then an expression in which every word is checked.

use super::arguments::{OptionName, ParsedArguments, ParsedOption, ValuePosition, is_literal};
use super::command_profile::{InnerCommand, Obstacle, ObstacleCode};
use super::detail_code::Detail;
use super::inner_commands::InnerCommandList;
use super::placeholder::substitute;
use super::program_entry::{Arity, OptionKind, ProgramEntry};
use crate::word::{Piece, Word};

/// Parses the words of a `find` command from `from` on.
pub(super) fn parse_find<'e>(
    entry: &'e ProgramEntry,
    words: &[Word],
    from: usize,
    inner: &mut InnerCommandList<'_>,
) -> ParsedArguments<'e> {
    let mut scan = ParsedArguments::default();
    let mut at = from;
    // Before the expression, `)` and `,` are names of directories.
    let mut in_expression = false;
    while let Some(word) = words.get(at) {
        let text = word.prefix();
        in_expression |=
            is_literal(word) && (matches!(text, "(" | "!") || (text.starts_with('-') && text.len() > 1));
        if !is_literal(word) || !text.starts_with('-') || text.len() == 1 {
            if text.starts_with('-') && text.len() > 1 {
                scan.set_obstacle(at, ObstacleCode::MayBeOption, Detail::FindComputedWord);
            } else if !in_expression || !matches!(text, "(" | ")" | "!" | ",") || !is_literal(word) {
                scan.consider_word(entry, word, at);
                scan.operands.push(at);
            }
            at += 1;
            continue;
        }
        at = primary(entry, words, at, &mut scan, inner);
    }
    scan.end = at;
    scan
}

/// One test or action, with its arguments.
fn primary<'e>(
    entry: &'e ProgramEntry,
    words: &[Word],
    at: usize,
    scan: &mut ParsedArguments<'e>,
    inner: &mut InnerCommandList<'_>,
) -> usize {
    let name = words.get(at).map(|word| word.prefix().trim_start_matches('-')).unwrap_or_default();
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next())
        && let Some(kind) = entry.short(letter)
    {
        scan.add_option(
            entry,
            words,
            ParsedOption { name: OptionName::Short(letter), word: at, value: ValuePosition::None },
            kind,
        );
        return at + 1;
    }
    if is_newer(name) {
        let seen =
            ParsedOption { name: OptionName::Long("newer"), word: at, value: ValuePosition::Next(at + 1) };
        scan.add_option(entry, words, seen, OptionKind { arity: Arity::Value, harmless: true });
        return at + 2;
    }
    let Some(found) = entry.long(name) else {
        scan.set_obstacle_naming(at, ObstacleCode::Option, Detail::FindOption, || format!("-{name}"));
        return at + 1;
    };
    let (value, next) = match found.kind.arity {
        Arity::Value => (ValuePosition::Next(at + 1), at + 2),
        Arity::Flag | Arity::Optional => (ValuePosition::None, at + 1),
    };
    let long = OptionName::Long(found.name);
    scan.add_option(entry, words, ParsedOption { name: long, word: at, value }, found.kind);
    if entry.data.execs.contains_key(found.name) {
        return command(words, at, scan, inner, found.name);
    }
    next
}

/// `-newerXY` compares times X and Y.
fn is_newer(name: &str) -> bool {
    name.strip_prefix("newer").is_some_and(|kinds| {
        kinds.len() == 2 && kinds.chars().all(|c| matches!(c, 'a' | 'B' | 'c' | 'm' | 't'))
    })
}

/// The command of `-exec`, up to `;`, or to `+` after `{}`. The one of `-ok` ends only with `;`.
fn command(
    words: &[Word],
    at: usize,
    scan: &mut ParsedArguments<'_>,
    inner: &mut InnerCommandList<'_>,
    action: &str,
) -> usize {
    let (in_place, asks) = (action.ends_with("dir"), action.starts_with("ok"));
    let mut end = at + 1;
    let mut many = false;
    let mut open = None;
    while let Some(word) = words.get(end) {
        let text = word.prefix();
        let braces = |before: &Word| is_literal(before) && before.prefix() == "{}";
        let after_braces = || words.get(end.wrapping_sub(1)).is_some_and(braces);
        let ends_many = text == "+" && after_braces() && !asks;
        if is_literal(word) && (text == ";" || ends_many) {
            many = text == "+";
            break;
        }
        let may_end_many = asks && text == "+" && is_literal(word);
        if word.may_split() || may_end(word) || may_end_many {
            scan.set_obstacle(end, ObstacleCode::MayBeOption, Detail::FindComputedCommand);
            open.get_or_insert(end);
        }
        end += 1;
    }
    let found = found_path(words, scan, in_place, many);
    let argv: Vec<Word> =
        words.iter().take(end).skip(at + 1).map(|word| substitute(word, "{}", &found)).collect();
    inner.push(if argv.is_empty() {
        InnerCommand::Unknown { word: at, why: Detail::NoCommand }
    } else {
        InnerCommand::Argv(argv)
    });
    let why = Detail::ComputedEnd;
    inner.extend(open.map(|word| InnerCommand::Unknown { word, why }));
    end + 1
}

/// Whether a computed word may turn out to be the `;` or `+` that ends a command.
fn may_end(word: &Word) -> bool {
    let known = |piece: &Piece| match piece {
        Piece::Literal(text) => text.clone(),
        Piece::Tilde(_) | Piece::Process => "/".to_owned(),
        _ => String::new(),
    };
    let known: String = word.pieces.iter().map(known).collect();
    !is_literal(word) && matches!(known.as_str(), "" | ";" | "+")
}

/// What `{}` stands for: a path that begins with the start point, which is known if there is only one.
fn found_path(words: &[Word], scan: &ParsedArguments<'_>, in_place: bool, many: bool) -> Vec<Piece> {
    let start = match (in_place, scan.operands.as_slice()) {
        (true, _) => Some("./"),
        (false, []) => Some("."),
        (false, [one]) => words.get(*one).filter(|word| is_literal(word)).map(Word::prefix),
        (false, _) => None,
    };
    let start = start.filter(|text| !text.is_empty() && !text.starts_with('-'));
    // Files found are below the start. The start itself is judged as an operand of find.
    match start.map(|text| format!("{}/", text.trim_end_matches('/'))) {
        // The glob at the end makes it any number of words, all with the same beginning.
        Some(text) if many => {
            vec![Piece::Literal(text), Piece::Substitution { quoted: true }, Piece::Glob("*".into())]
        }
        Some(text) => vec![Piece::Literal(text), Piece::Substitution { quoted: true }],
        None => vec![Piece::Unknown { quoted: !many }],
    }
}

/// An action that runs commands is not an obstacle in itself; the commands are judged separately.
pub(super) fn executes(words: &[Word], inner: &InnerCommandList<'_>) -> Option<Obstacle> {
    let at = words
        .iter()
        .position(|word| word.prefix().starts_with("-exec") || word.prefix().starts_with("-ok"))?;
    (!inner.is_empty()).then(|| Obstacle::new(at, ObstacleCode::Executes, Detail::FindExecutes))
}
