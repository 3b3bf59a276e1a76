//! Programs that choose, order or join lines.

use super::filter_plan::{LongNames, Options, Plan};

/// Longer sequences are not followed.
const MAX_SEQUENCE: i64 = 256;

/// Changes each line and keeps the line breaks.
pub(super) fn each_line(text: &str, change: impl Fn(&str) -> String) -> String {
    let lines = text.split_inclusive('\n').map(|line| match line.strip_suffix('\n') {
        Some(line) => change(line) + "\n",
        None => change(line),
    });
    lines.collect()
}

fn joined<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    lines.map(|line| format!("{line}\n")).collect()
}

pub(super) fn rev(arguments: &[String]) -> Option<Plan> {
    let options = Options::read(arguments, "")?;
    Plan::new(options.operands, |text| Some(each_line(text, |line| line.chars().rev().collect())))
}

pub(super) fn tac(arguments: &[String]) -> Option<Plan> {
    let options = Options::read(arguments, "")?;
    Plan::new(options.operands, |text| Some(joined(text.lines().rev())))
}

const SORT_NAMES: LongNames = &[
    ("reverse", 'r'),
    ("numeric-sort", 'n'),
    ("unique", 'u'),
    ("stable", 's'),
    ("key", 'k'),
    ("field-separator", 't'),
];

pub(super) fn sort(arguments: &[String]) -> Option<Plan> {
    let options = Options::with_long_names(arguments, "rnusk:t:", SORT_NAMES)?;
    let (is_reversed, is_unique) = (options.has('r'), options.has('u'));
    let is_number = options.has('n');
    // One key from a field to the end, without options of its own.
    let key = options.value('k').map(|key| key.parse::<usize>()).transpose().ok()?.unwrap_or(1);
    let separator = options.value('t').map(|text| text.parse::<char>()).transpose().ok()?;
    if options.letters.iter().filter(|(letter, _)| *letter == 'k').count() > 1 || key == 0 {
        return None;
    }
    Plan::new(options.operands, move |text| {
        let mut lines: Vec<&str> = text.lines().collect();
        let number = |line: &str| {
            let line = line.trim_start();
            let end = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
            line.get(..end).and_then(|digits| digits.parse::<u64>().ok()).unwrap_or(0)
        };
        lines.sort_by(|one, other| {
            let (one_key, other_key) = (from_field(one, key, separator), from_field(other, key, separator));
            let by_key = one_key.cmp(other_key);
            let by_number = number(one_key).cmp(&number(other_key));
            if is_number { by_number.then(one.cmp(other)) } else { by_key.then(one.cmp(other)) }
        });
        if is_reversed {
            lines.reverse();
        }
        if is_unique {
            lines.dedup();
        }
        Some(joined(lines.into_iter()))
    })
}

/// The part of a line from a field on. Without a separator, the blanks before a field belong to it.
fn from_field(line: &str, field: usize, separator: Option<char>) -> &str {
    let mut rest = line;
    for _ in 1..field {
        let next = match separator {
            Some(separator) => rest.find(separator).map(|at| at + separator.len_utf8()),
            None => {
                let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
                rest.get(blanks..).and_then(|word| word.find([' ', '\t'])).map(|at| at + blanks)
            }
        };
        rest = next.and_then(|at| rest.get(at..)).unwrap_or_default();
    }
    rest
}

const UNIQ_NAMES: LongNames = &[("repeated", 'd'), ("unique", 'u'), ("ignore-case", 'i'), ("count", 'c')];

pub(super) fn uniq(arguments: &[String]) -> Option<Plan> {
    let options = Options::with_long_names(arguments, "duic", UNIQ_NAMES)?;
    let (only_repeated, only_unique) = (options.has('d'), options.has('u'));
    let (ignores_case, counts) = (options.has('i'), options.has('c'));
    Plan::new(options.operands, move |text| {
        let mut groups: Vec<(&str, usize)> = Vec::new();
        for line in text.lines() {
            let is_same = |known: &str| known == line || ignores_case && known.eq_ignore_ascii_case(line);
            match groups.last_mut().filter(|(known, _)| is_same(known)) {
                Some((_, count)) => *count += 1,
                None => groups.push((line, 1)),
            }
        }
        let groups = groups
            .into_iter()
            .filter(|(_, count)| !(only_repeated && *count == 1 || only_unique && *count > 1));
        let shown = |(line, count): (&str, usize)| match counts {
            true => format!("{count:7} {line}\n"),
            false => format!("{line}\n"),
        };
        Some(groups.map(shown).collect())
    })
}

/// `fold -w1`
pub(super) fn fold(arguments: &[String]) -> Option<Plan> {
    let options = Options::with_long_names(arguments, "w:b", &[("width", 'w'), ("bytes", 'b')])?;
    let width: usize = options.value('w').unwrap_or("80").parse().ok().filter(|width| *width > 0)?;
    let folded = move |line: &str| {
        let letters: Vec<char> = line.chars().collect();
        letters.chunks(width).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>().join("\n")
    };
    Plan::new(options.operands, move |text| Some(each_line(text, folded)))
}

/// `paste -sd ' '`
pub(super) fn paste(arguments: &[String]) -> Option<Plan> {
    let options = Options::with_long_names(arguments, "sd:", &[("serial", 's'), ("delimiters", 'd')])?;
    // Several separators take turns.
    let separators = options.value('d').unwrap_or("\t");
    let separator = match separators {
        "\\0" => String::new(),
        "\\n" => "\n".to_owned(),
        "\\t" => "\t".to_owned(),
        text if text.chars().count() > 1 => return None,
        text => text.to_owned(),
    };
    let is_one = options.has('s');
    let files = options.operands.into_iter().filter(|file| file != "-").collect();
    Plan::new(files, move |text| Some(text.lines().collect::<Vec<_>>().join(&separator) + "\n"))
        .filter(|_| is_one)
}

/// `head -2` as `head -n 2`.
fn with_count(arguments: &[String]) -> Vec<String> {
    // In `head -n -2` it is a value.
    let spelled = |(at, word): (usize, &String)| match word.strip_prefix('-') {
        Some(digits) if at == 0 && digits.parse::<usize>().is_ok() => format!("-n{digits}"),
        _ => word.clone(),
    };
    arguments.iter().enumerate().map(spelled).collect()
}

/// Long options of `head` and `tail`.
const PART_NAMES: LongNames = &[("lines", 'n'), ("bytes", 'c'), ("quiet", 'q'), ("silent", 'q')];

pub(super) fn head(arguments: &[String]) -> Option<Plan> {
    let options = Options::with_long_names(&with_count(arguments), "n:c:q", PART_NAMES)?;
    let bytes = options.value('c').map(str::to_owned);
    let lines = options.value('n').unwrap_or("10").to_owned();
    Plan::new(options.operands, move |text| {
        let kept = |count: &str, all: usize| match count.strip_prefix('-') {
            Some(left) => Some(all.saturating_sub(left.parse().ok()?)),
            None => count.parse::<usize>().ok(),
        };
        match &bytes {
            Some(count) => text.get(..kept(count, text.len())?.min(text.len())).map(str::to_owned),
            None => {
                let all = text.split_inclusive('\n').count();
                Some(text.split_inclusive('\n').take(kept(&lines, all)?).collect())
            }
        }
    })
}

pub(super) fn tail(arguments: &[String]) -> Option<Plan> {
    let options = Options::with_long_names(&with_count(arguments), "n:c:q", PART_NAMES)?;
    let bytes = options.value('c').map(str::to_owned);
    let lines = options.value('n').unwrap_or("10").to_owned();
    Plan::new(options.operands, move |text| {
        let from = |count: &str, all: usize| match count.strip_prefix('+') {
            Some(first) => Some(first.parse::<usize>().ok()?.saturating_sub(1)),
            None => Some(all.saturating_sub(count.trim_start_matches('-').parse().ok()?)),
        };
        match &bytes {
            Some(count) => text.get(from(count, text.len())?..).map(str::to_owned),
            None => {
                let all = text.split_inclusive('\n').count();
                Some(text.split_inclusive('\n').skip(from(&lines, all)?).collect())
            }
        }
    })
}

/// `seq 3`, `seq 1 3`
pub(super) fn seq(arguments: &[String]) -> Option<Plan> {
    let numbers: Vec<i64> = arguments.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let (from, step, to) = match numbers.as_slice() {
        [to] => (1, 1, *to),
        [from, to] => (*from, 1, *to),
        [from, step, to] if *step != 0 => (*from, *step, *to),
        _ => return None,
    };
    let count = to.checked_sub(from)?.checked_div(step)?.checked_add(1)?;
    if count > MAX_SEQUENCE {
        return None;
    }
    let number = move |at: i64| from.saturating_add(at.saturating_mul(step));
    let text: String = (0..count).map(|at| format!("{}\n", number(at))).collect();
    let plan = Plan::new(Vec::new(), |text| Some(text.to_owned()))?;
    Some(Plan { given: Some(text), ..plan })
}
