//! `tr` and `cut`.

use super::super::super::shell_text::unescaped;
use super::filter_plan::{LongNames, Options, Plan};

/// Longer sets are not followed.
const MAX_SET: usize = 512;

/// Long options of `tr`.
const TR_NAMES: LongNames =
    &[("delete", 'd'), ("squeeze-repeats", 's'), ("complement", 'c'), ("truncate-set1", 't')];
/// Long options of `cut`.
const CUT_NAMES: LongNames = &[
    ("characters", 'c'),
    ("bytes", 'b'),
    ("fields", 'f'),
    ("delimiter", 'd'),
    ("only-delimited", 's'),
    ("complement", 'C'),
    ("output-delimiter", 'O'),
];

pub(super) fn tr(arguments: &[String]) -> Option<Plan> {
    let options = Options::with_long_names(arguments, "dscCt", TR_NAMES)?;
    let mut operands = options.operands.iter();
    let mut first = set(operands.next()?, 0)?;
    let second = match operands.next() {
        Some(text) => set(text, first.len())?,
        None => Vec::new(),
    };
    let (deletes, squeezes) = (options.has('d'), options.has('s'));
    let is_complement = options.has('c') || options.has('C');
    if !deletes && second.is_empty() && !squeezes {
        return None;
    }
    if options.has('t') && !deletes {
        first.truncate(second.len());
    }
    let plan = Plan::new(Vec::new(), move |text| {
        let position = |c: char| match first.iter().rposition(|known| *known == c) {
            Some(at) => (!is_complement).then_some(at),
            None => is_complement.then_some(usize::MAX),
        };
        let mut done = String::new();
        for c in text.chars() {
            let at = position(c);
            let changed = match at {
                Some(_) if deletes => continue,
                Some(at) => second.get(at).or(second.last()).copied().unwrap_or(c),
                None => c,
            };
            let is_squeezed =
                squeezes && (if second.is_empty() { at.is_some() } else { second.contains(&changed) });
            if !(is_squeezed && done.ends_with(changed)) {
                done.push(changed);
            }
        }
        Some(done)
    })?;
    Some(Plan { cost: 8, ..plan })
}

/// The characters of a set: ranges, escapes, classes and repeats. `[c*]` fills the set up to a length.
fn set(text: &str, length: usize) -> Option<Vec<char>> {
    let text = unescaped(text);
    let mut found = Vec::new();
    let mut rest = text.as_str();
    // Where the part begins that is repeated, and what it repeats.
    let mut filler: Option<(usize, char)> = None;
    while let Some(c) = rest.chars().next() {
        let special = rest.strip_prefix('[').and_then(bracketed);
        let (characters, used) = match special {
            Some((Bracketed::Characters(characters), used)) => (characters, used),
            None if rest.starts_with("[:") && rest.contains(":]") => return None,
            Some((Bracketed::Filler(c), used)) => {
                filler = Some((found.len(), c));
                (Vec::new(), used)
            }
            None => {
                let mut letters = rest.chars().skip(1);
                match (letters.next(), letters.next()) {
                    (Some('-'), Some(last)) => {
                        let used = c.len_utf8() + 1 + last.len_utf8();
                        ((c..=last).take(MAX_SET + 1).collect(), used)
                    }
                    _ => (vec![c], c.len_utf8()),
                }
            }
        };
        found.extend(characters);
        if found.len() > MAX_SET {
            return None;
        }
        rest = rest.get(used..)?;
    }
    if let Some((at, c)) = filler {
        let count = length.saturating_sub(found.len());
        found.splice(at..at, std::iter::repeat_n(c, count));
    }
    Some(found)
}

/// What a bracket means in a set.
enum Bracketed {
    Characters(Vec<char>),
    /// `[c*]`
    Filler(char),
}

/// `[:class:]`, `[=c=]`, `[c*]` and `[c*3]`, without the first bracket, and the length with it.
fn bracketed(inner: &str) -> Option<(Bracketed, usize)> {
    if let Some((name, _)) = inner.strip_prefix(':').and_then(|rest| rest.split_once(":]")) {
        return Some((Bracketed::Characters(class(name)?), name.len() + 4));
    }
    let mut letters = inner.chars();
    let first = letters.next()?;
    if first == '=' {
        let c = letters.next()?;
        return letters
            .as_str()
            .starts_with("=]")
            .then(|| (Bracketed::Characters(vec![c]), c.len_utf8() + 4));
    }
    let (count, _) = letters.as_str().strip_prefix('*')?.split_once(']')?;
    let used = first.len_utf8() + count.len() + 3;
    let repeated = match count {
        "" => return Some((Bracketed::Filler(first), used)),
        octal if octal.starts_with('0') => usize::from_str_radix(octal, 8).ok()?,
        decimal => decimal.parse().ok()?,
    };
    match repeated {
        0 => Some((Bracketed::Filler(first), used)),
        count => Some((Bracketed::Characters(vec![first; count.min(MAX_SET + 1)]), used)),
    }
}

fn class(name: &str) -> Option<Vec<char>> {
    let is_in: fn(&char) -> bool = match name {
        "lower" => char::is_ascii_lowercase,
        "upper" => char::is_ascii_uppercase,
        "digit" => char::is_ascii_digit,
        "alpha" => char::is_ascii_alphabetic,
        "alnum" => char::is_ascii_alphanumeric,
        "punct" => char::is_ascii_punctuation,
        "xdigit" => char::is_ascii_hexdigit,
        "cntrl" => char::is_ascii_control,
        "graph" => char::is_ascii_graphic,
        "space" => |c| c.is_ascii_whitespace() || *c == '\u{b}',
        "blank" => |c| matches!(c, ' ' | '\t'),
        "print" => |c| c.is_ascii_graphic() || *c == ' ',
        _ => return None,
    };
    Some(('\u{1}'..='\u{7f}').filter(is_in).collect())
}

/// `cut -c2-3`, `cut -d, -f1,3`
pub(super) fn cut(arguments: &[String]) -> Option<Plan> {
    let options = Options::with_long_names(arguments, "c:b:f:d:snCO:", CUT_NAMES)?;
    let separator = options.value('d').unwrap_or("\t").to_owned();
    let fields = options.value('f').map(ranges);
    let letters = options.value('c').or(options.value('b')).map(ranges);
    let (by_field, ranges) = match (fields, letters) {
        (Some(ranges), _) => (true, ranges?),
        (None, Some(ranges)) => (false, ranges?),
        (None, None) => return None,
    };
    if separator.is_empty() {
        return None;
    }
    let joint = options.value('O').map(str::to_owned);
    // Between letters it stands only where a range ends.
    if joint.is_some() && !by_field {
        return None;
    }
    let joint = joint.unwrap_or_else(|| separator.clone());
    let (is_complement, only_separated) = (options.has('C'), options.has('s'));
    Plan::new(options.operands, move |text| {
        let is_kept =
            |at: usize| ranges.iter().any(|(from, to)| (*from..=*to).contains(&(at + 1))) != is_complement;
        let cut = |line: &str| {
            if by_field && line.contains(&separator) {
                let fields = line.split(&separator).enumerate().filter(|(at, _)| is_kept(*at));
                return fields.map(|(_, field)| field).collect::<Vec<_>>().join(&joint);
            }
            if by_field {
                return line.to_owned();
            }
            line.chars().enumerate().filter(|(at, _)| is_kept(*at)).map(|(_, c)| c).collect()
        };
        let lines = text.lines().filter(|line| !(by_field && only_separated) || line.contains(&separator));
        Some(lines.map(|line| cut(line) + "\n").collect())
    })
}

/// `1,3-4,6-`
fn ranges(text: &str) -> Option<Vec<(usize, usize)>> {
    let range = |part: &str| match part.split_once('-') {
        Some((from, to)) => {
            let from = if from.is_empty() { 1 } else { from.parse().ok()? };
            Some((from, if to.is_empty() { usize::MAX } else { to.parse().ok()? }))
        }
        None => part.parse().ok().map(|at| (at, at)),
    };
    text.split(',').map(range).collect()
}
