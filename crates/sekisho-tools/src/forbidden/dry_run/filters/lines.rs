//! Programs that choose, order or join lines.

use super::filter_plan::{Options, Plan};

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

pub(super) fn sort(arguments: &[String]) -> Option<Plan> {
    let options = Options::read(arguments, "rnus")?;
    let (is_reversed, is_unique) = (options.has('r'), options.has('u'));
    let is_number = options.has('n');
    Plan::new(options.operands, move |text| {
        let mut lines: Vec<&str> = text.lines().collect();
        let number = |line: &str| {
            let line = line.trim_start();
            let end = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
            line.get(..end).and_then(|digits| digits.parse::<u64>().ok()).unwrap_or(0)
        };
        lines.sort_by(|one, other| {
            let by_number = number(one).cmp(&number(other));
            if is_number { by_number.then(one.cmp(other)) } else { one.cmp(other) }
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

pub(super) fn uniq(arguments: &[String]) -> Option<Plan> {
    let options = Options::read(arguments, "")?;
    Plan::new(options.operands, |text| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.dedup();
        Some(joined(lines.into_iter()))
    })
}

/// `paste -sd ' '`
pub(super) fn paste(arguments: &[String]) -> Option<Plan> {
    let options = Options::read(arguments, "sd:")?;
    let separator: String = options.value('d').unwrap_or("\t").chars().take(1).collect();
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

pub(super) fn head(arguments: &[String]) -> Option<Plan> {
    let options = Options::read(&with_count(arguments), "n:c:q")?;
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
    let options = Options::read(&with_count(arguments), "n:c:q")?;
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
