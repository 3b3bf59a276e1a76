//! `tr` and `cut`.

use super::super::super::shell_text::unescaped;
use super::filter_plan::{Options, Plan};
use super::lines::each_line;

/// Longer sets are not followed.
const MAX_SET: usize = 512;

pub(super) fn tr(arguments: &[String]) -> Option<Plan> {
    let options = Options::read(arguments, "dscC")?;
    let mut sets = options.operands.iter().map(|text| set(text));
    let first = sets.next()??;
    let second = sets.next().unwrap_or(Some(Vec::new()))?;
    let (deletes, squeezes) = (options.has('d'), options.has('s'));
    let is_complement = options.has('c') || options.has('C');
    if !deletes && second.is_empty() && !squeezes {
        return None;
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

/// The characters of a set: ranges, escapes and classes.
fn set(text: &str) -> Option<Vec<char>> {
    // `[r*]` and `[=a=]` are not followed.
    if text.contains("*]") || text.contains("[=") {
        return None;
    }
    let mut text = unescaped(text);
    for (class, characters) in [
        ("[:lower:]", "a-z"),
        ("[:upper:]", "A-Z"),
        ("[:digit:]", "0-9"),
        ("[:alpha:]", "A-Za-z"),
        ("[:alnum:]", "0-9A-Za-z"),
        ("[:space:]", "\t\n\u{b}\u{c}\r "),
        ("[:blank:]", "\t "),
        ("[:punct:]", "!-/:-@[-`{-~"),
    ] {
        text = text.replace(class, characters);
    }
    let letters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = letters.get(at) {
        match (letters.get(at + 1), letters.get(at + 2)) {
            (Some('-'), Some(last)) => {
                found.extend((*c..=*last).take(MAX_SET + 1));
                at += 3;
            }
            _ => {
                found.push(*c);
                at += 1;
            }
        }
        if found.len() > MAX_SET {
            return None;
        }
    }
    Some(found)
}

/// `cut -c2-3`, `cut -d, -f1,3`
pub(super) fn cut(arguments: &[String]) -> Option<Plan> {
    let options = Options::read(arguments, "c:b:f:d:s")?;
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
    Plan::new(options.operands, move |text| {
        let is_kept = |at: usize| ranges.iter().any(|(from, to)| (*from..=*to).contains(&(at + 1)));
        Some(each_line(text, |line| {
            if by_field && line.contains(&separator) {
                let fields = line.split(&separator).enumerate().filter(|(at, _)| is_kept(*at));
                return fields.map(|(_, field)| field).collect::<Vec<_>>().join(&separator);
            }
            if by_field {
                return line.to_owned();
            }
            line.chars().enumerate().filter(|(at, _)| is_kept(*at)).map(|(_, c)| c).collect()
        }))
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
