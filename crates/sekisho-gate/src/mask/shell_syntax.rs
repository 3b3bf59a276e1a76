//! The positions in a shell command where something else than a value begins.
//!
//! A detector decides by the text around a value where it ends, and a caller chooses that text. So
//! whatever a detector finds in a command is cut before the first such position: a mask never hides an
//! operator, a substitution or the next word. Where bash and this scanner could disagree about quotes,
//! every possible position from there on counts.

use std::ops::Range;

use super::byte_scan::{at, before, part};
use super::command_parts::{QuoteKind, QuotedText};
use super::literal_values;
use super::random_looking_value;
use super::shell_scan;
use super::text_runners::TextUse;
use super::text_use::TextUses;
use super::whole_values;

/// How far back the option of a value is read, in bytes.
const REACH: usize = 64;

/// The syntax of one command.
pub(super) struct ShellSyntax {
    /// The positions, in order.
    cuts: Vec<usize>,
    /// Where here-documents start whose first line is not a command.
    documents: Vec<usize>,
    /// Texts that may run.
    possible: Vec<Range<usize>>,
    /// Values that run.
    values: Vec<Range<usize>>,
    /// Whether they run only from their first word on.
    runs_only_whole: bool,
}

impl ShellSyntax {
    /// Reads a command. `is_code`: all of its quoted texts run.
    pub(super) fn of(bytes: &[u8], from: usize, is_code: bool) -> ShellSyntax {
        let mut scan = shell_scan::scan(bytes, from);
        let uses = if is_code { TextUses::all_code(&scan) } else { TextUses::of(bytes, &scan) };
        let mut cuts = std::mem::take(&mut scan.cuts);
        let (mut documents, mut possible) = (uses.passwords, Vec::new());
        for (text, used) in scan.texts.iter().zip(&uses.texts) {
            mark(bytes, text, *used, &mut cuts);
            if text.kind == QuoteKind::Document && *used != TextUse::Code {
                documents.push(text.range.start);
            }
            if *used == TextUse::Possible {
                possible.push(text.range.clone());
            }
        }
        cuts.sort_unstable();
        documents.sort_unstable();
        possible.sort_unstable_by_key(|range| range.start);
        let runs_only_whole = !uses.values.is_empty() && whole_values::runs_only_whole(bytes);
        ShellSyntax { cuts, documents, possible, values: uses.values, runs_only_whole }
    }

    /// Whether a program's name stands in this range, where a command begins.
    pub(super) fn is_program(&self, bytes: &[u8], range: &Range<usize>) -> bool {
        let left = part(bytes, 0, range.start);
        let blanks = left.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let Some(sign) = (range.start - blanks).checked_sub(1) else { return false };
        let is_sign = match at(bytes, sign) {
            b';' | b'|' | b'&' | b'`' => true,
            b'(' => before(bytes, sign) == b'$',
            b'\n' => self.documents.binary_search(&(sign + 1)).is_err(),
            _ => false,
        };
        let is_first = is_sign && self.cuts.binary_search(&sign).is_ok();
        is_first && !(is_in(&self.possible, range.start) && is_random(bytes, range))
    }

    /// Whether this range is a value that runs and that nothing but its place suggests to be a secret.
    /// `is_argument`: it stands behind a program that takes a secret there, so it is not the program.
    pub(super) fn is_run_value(&self, bytes: &[u8], range: &Range<usize>, is_argument: bool) -> bool {
        let is_behind = || self.runs_only_whole && (is_argument || is_option_value(bytes, range.start));
        is_in(&self.values, range.start) && !is_random(bytes, range) && !is_behind()
    }

    /// The range up to the first position of syntax inside it.
    pub(super) fn cut(&self, range: Range<usize>) -> Range<usize> {
        let next = self.cuts.partition_point(|cut| *cut < range.start);
        let end = self.cuts.get(next).map_or(range.end, |cut| range.end.min(*cut));
        range.start..end
    }

    /// The random words of a range in a text that may run.
    pub(super) fn random_words(&self, bytes: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
        if !is_in(&self.possible, range.start) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut start = range.start;
        while start < range.end {
            let word = self.cut(start..range.end);
            if word.is_empty() {
                start += 1;
                continue;
            }
            start = word.end;
            if is_random(bytes, &word) {
                found.push(word);
            }
        }
        found
    }
}

/// Whether an option, or the name of a header, precedes this position in the same word:
/// `--password=`, `'X-Api-Key: `.
fn is_option_value(bytes: &[u8], start: usize) -> bool {
    let left = part(bytes, start.saturating_sub(REACH), start);
    let quotes = left.iter().rev().take_while(|byte| matches!(byte, b'"' | b'\'')).count();
    let left = part(left, 0, left.len() - quotes);
    if left.ends_with(b": ") {
        return true;
    }
    let length = left.iter().rev().take_while(|byte| !byte.is_ascii_whitespace()).count();
    let word = part(left, left.len() - length, left.len());
    word.starts_with(b"-") && word.ends_with(b"=")
}

fn is_in(ranges: &[Range<usize>], here: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= here);
    ranges.get(next).is_some_and(|range| range.start <= here)
}

/// Whether a range looks generated, or like a password, and like no name of a program or a path.
fn is_random(bytes: &[u8], range: &Range<usize>) -> bool {
    random_looking_value::password(part(bytes, range.start, range.end))
}

/// Marks the syntax of a quoted text: everything but assigned values if it may run, otherwise
/// substitutions.
fn mark(bytes: &[u8], text: &QuotedText, used: TextUse, cuts: &mut Vec<usize>) {
    let range = text.range.clone();
    match (text.kind, used) {
        (QuoteKind::Backslash, TextUse::Data) => {}
        (QuoteKind::Backslash, _) => cuts.push(range.start),
        (_, TextUse::Data) => cuts.extend(range.filter(|here| match at(bytes, *here) {
            b'`' => true,
            b'$' => at(bytes, here + 1) == b'(',
            _ => false,
        })),
        (kind, _) => {
            // An escape may stand for any sign.
            let escapes =
                range.clone().filter(|here| kind == QuoteKind::Escapes && at(bytes, *here) == b'\\');
            cuts.extend(escapes);
            let mut from = range.start;
            for value in literal_values::find(bytes, text) {
                shell_scan::mark(bytes, from..value.start, cuts);
                from = value.end;
            }
            shell_scan::mark(bytes, from..range.end, cuts);
        }
    }
}

/// Whether a command runs quoted text, or may do so.
pub(super) fn runs_text(bytes: &[u8], from: usize) -> bool {
    let scan = shell_scan::scan(bytes, from);
    TextUses::of(bytes, &scan).texts.iter().any(|used| *used > TextUse::Data)
}

/// The words of a command that name its programs.
pub(super) fn programs(bytes: &[u8], from: usize) -> impl Iterator<Item = Range<usize>> {
    let words = shell_scan::scan(bytes, from).words;
    words.into_iter().filter(|word| word.is_first).map(|word| word.range)
}
