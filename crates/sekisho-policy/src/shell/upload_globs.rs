//! Lists and ranges that curl expands: in the names of files that it uploads, `curl -T '{a,b}.txt'`, and in URLs.

use super::execution_plan::Step;
use crate::command_pattern::COMPUTED;

/// The most names that are spelt out. More are computed text.
const MAX_NAMES: usize = 64;

/// The names that a word of `curl -T` stands for, if it contains lists or ranges.
pub(super) fn expanded_upload(step: &Step, at: usize, text: &str) -> Vec<String> {
    let is_curl = step.profile.program.as_deref() == Some("curl");
    if !is_curl || !text.contains(['{', '[']) || text.contains("://") || !is_upload(step, at, text) {
        return Vec::new();
    }
    let names = expand(text);
    if names.len() > MAX_NAMES { vec![without_lists(text)] } else { names }
}

/// Whether a word may be, or contain, the value of `-T` or `--upload-file`.
fn is_upload(step: &Step, at: usize, text: &str) -> bool {
    let before =
        at.checked_sub(1).and_then(|at| step.words.get(at)).map(|word| word.prefix()).unwrap_or_default();
    let takes_next = (before.starts_with("--up") && !before.contains('='))
        || (before.starts_with('-') && !before.starts_with("--") && before.ends_with('T'));
    let has_value =
        text.starts_with("--up") || (text.starts_with('-') && !text.starts_with("--") && text.contains('T'));
    takes_next || has_value
}

/// Every name, or one more than the limit.
fn expand(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut rest = text;
    while let Some(open) = rest.find(['{', '[']) {
        let (before, from) = rest.split_at(open);
        let (close, is_list) = if from.starts_with('{') { ('}', true) } else { (']', false) };
        let Some((inside, after)) = from.get(1..).and_then(|inside| inside.split_once(close)) else { break };
        let items: Vec<String> = if is_list {
            inside.split(',').map(str::to_owned).collect()
        } else {
            range(inside).unwrap_or_else(|| vec![COMPUTED.to_string()])
        };
        let joined =
            names.iter().flat_map(|name| items.iter().map(move |item| format!("{name}{before}{item}")));
        names = joined.take(MAX_NAMES + 1).collect();
        rest = after;
    }
    names.iter_mut().for_each(|name| name.push_str(rest));
    names
}

/// The items of a range: `a-c`, `1-10`. `None` for others, which have a step or leading zeros.
fn range(inside: &str) -> Option<Vec<String>> {
    let (first, last) = inside.split_once('-')?;
    if let ([first], [last]) = (first.as_bytes(), last.as_bytes())
        && first.is_ascii_alphabetic()
        && last.is_ascii_alphabetic()
    {
        return Some((*first..=*last).map(|byte| char::from(byte).to_string()).collect());
    }
    let is_plain = |text: &str| !text.starts_with('0') || text == "0";
    let (from, to): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
    (is_plain(first) && to.checked_sub(from)? <= MAX_NAMES)
        .then(|| (from..=to).map(|number| number.to_string()).collect())
}

/// A text with [`COMPUTED`] for each list `{…}` and range `[…]`.
pub(super) fn without_lists(text: &str) -> String {
    let (mut kept, mut depth) = (String::new(), 0_usize);
    for c in text.chars() {
        match c {
            '{' | '[' => {
                depth += 1;
                kept.push(COMPUTED);
            }
            '}' | ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::execution_plan::ExecutionPlan;

    #[test]
    fn lists_and_ranges_are_spelt_out() {
        let check = |text: &str, at: usize, expected: &[&str]| {
            let plan = ExecutionPlan::new(text, Some("/w"), None);
            let step = plan.steps.first().unwrap();
            let word = step.words.get(at).unwrap().literal().unwrap().into_owned();
            assert_eq!(expanded_upload(step, at, &word), expected, "{text}");
        };
        check("curl -T '{a,.e}nv' u", 2, &["anv", ".env"]);
        check("curl -sT '{a,b}{c,d}' u", 2, &["ac", "ad", "bc", "bd"]);
        check("curl --upload-file 's/.[d-f]nv' u", 2, &["s/.dnv", "s/.env", "s/.fnv"]);
        check(
            "curl '--upload-file=x[9-11]' u",
            1,
            &["--upload-file=x9", "--upload-file=x10", "--upload-file=x11"],
        );
        check("curl '-Tx{a,b}' u", 1, &["-Txa", "-Txb"]);
        check("curl -T 'x[1-1000]y' u", 2, &["x\u{0}y"]);
        check("curl -T 'x[001-002]y' u", 2, &["x\u{0}y"]);
        check("curl -T '{a,b}[1-60]' u", 2, &["\u{0}\u{0}"]);
        check("curl -T 'a{b' u", 2, &["a{b"]);
        check("curl -d '{a,b}' u", 2, &[]);
        check("curl 'http://x/{a,b}' u", 1, &[]);
        check("wget -T '{a,b}' u", 2, &[]);
    }
}
