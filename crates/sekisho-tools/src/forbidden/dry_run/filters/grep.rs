//! `grep`, as far as it chooses lines or shows what was found in them.

use super::super::basic_expressions::compiled;
use super::filter_plan::{LongNames, Options, Plan};

/// Longer texts are not followed: an expression may look at each place several times.
const MAX_TEXT: usize = 16 << 10;
/// What reading each character of an expression costs.
const COMPILE_COST: usize = 48;
const NAMES: LongNames = &[
    ("invert-match", 'v'),
    ("ignore-case", 'i'),
    ("extended-regexp", 'E'),
    ("fixed-strings", 'F'),
    ("only-matching", 'o'),
    ("regexp", 'e'),
    ("no-filename", 'h'),
    ("text", 'a'),
    ("max-count", 'm'),
    ("line-regexp", 'x'),
    ("word-regexp", 'w'),
    ("quiet", 'q'),
    ("silent", 'q'),
    ("no-messages", 's'),
];

pub(super) fn grep(arguments: &[String]) -> Option<Plan> {
    let options = Options::with_long_names(arguments, "viEoe:haFm:xwsq", NAMES)?;
    let mut files = options.operands.clone();
    let pattern = match options.value('e') {
        Some(pattern) => pattern.to_owned(),
        None if files.is_empty() => return None,
        None => files.remove(0),
    };
    let has_choice = pattern.contains('|');
    let pattern = if options.has('F') { regex::escape(&pattern) } else { pattern };
    let is_extended = options.has('E') || options.has('F');
    let (open, close) = if is_extended { ("(", ")") } else { ("\\(", "\\)") };
    let pattern = match (options.has('x'), options.has('w')) {
        (true, _) => format!("^{open}{pattern}{close}$"),
        // The letters beside a word are looked at once.
        (false, true) => format!("\\b{open}{pattern}{close}\\b"),
        (false, false) => pattern,
    };
    let ignores_case = options.has('i');
    let most = options.value('m').map(|count| count.parse::<usize>()).transpose().ok()?.unwrap_or(usize::MAX);
    if options.has('q') {
        return Plan::new(files, |_| Some(String::new()));
    }
    let setup = COMPILE_COST * pattern.len();
    let (is_negated, shows_parts) = (options.has('v'), options.has('o'));
    if shows_parts && has_choice {
        // The longest alternative is taken, not the first.
        return None;
    }
    let plan = Plan::new(files, move |text| {
        if text.len() > MAX_TEXT {
            return None;
        }
        // An expression costs more to read than to use.
        if text.is_empty() {
            return Some(String::new());
        }
        let pattern = compiled(&pattern, is_extended, ignores_case)?;
        let mut done = String::new();
        for line in text.lines().filter(|line| pattern.is_match(line) != is_negated).take(most) {
            if shows_parts {
                pattern.find_iter(line).for_each(|part| done.extend([part.as_str(), "\n"]));
            } else {
                done.extend([line, "\n"]);
            }
        }
        Some(done)
    })?;
    Some(Plan { cost: 16, setup, ..plan })
}

pub(super) fn extended(arguments: &[String]) -> Option<Plan> {
    grep(&[&["-E".to_owned()], arguments].concat())
}

pub(super) fn fixed(arguments: &[String]) -> Option<Plan> {
    grep(&[&["-F".to_owned()], arguments].concat())
}
