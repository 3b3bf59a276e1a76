//! `expr`, as far as it takes words apart.

use super::super::basic_expressions::compiled;
use super::filter_plan::Plan;

/// Longer words and expressions are not followed.
const MAX_LENGTH: usize = 1024;

/// `expr substr TEXT POSITION LENGTH`, `expr TEXT : EXPRESSION`, `expr match TEXT EXPRESSION`.
pub(super) fn expr(arguments: &[String]) -> Option<Plan> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).skip_while(|word| *word == "--").collect();
    if words.iter().any(|word| word.len() > MAX_LENGTH) {
        return None;
    }
    let output = match words.as_slice() {
        ["substr", text, position, length] => part(text, position, length)?,
        [text, ":", expression] | ["match", text, expression] => matched(text, expression)?,
        _ => return None,
    };
    let mut plan = Plan::new(Vec::new(), |text| Some(text.to_owned()))?;
    plan.given = Some(output + "\n");
    Some(plan)
}

/// Positions begin with one.
fn part(text: &str, position: &str, length: &str) -> Option<String> {
    let before = position.parse::<usize>().ok()?.checked_sub(1)?;
    Some(text.chars().skip(before).take(length.parse().ok()?).collect())
}

/// What the first group matches, or how much matches. The expression begins where the text does.
fn matched(text: &str, expression: &str) -> Option<String> {
    // Of several choices `expr` takes the longest.
    if expression.contains("\\|") {
        return None;
    }
    let expression = compiled(&format!("^{expression}"), false, false)?;
    let found = expression.captures(text);
    if expression.captures_len() > 1 {
        let group = found.and_then(|found| found.get(1)).map(|group| group.as_str().to_owned());
        return Some(group.unwrap_or_default());
    }
    let count = found.and_then(|found| found.get(0)).map_or(0, |whole| whole.as_str().chars().count());
    Some(count.to_string())
}
