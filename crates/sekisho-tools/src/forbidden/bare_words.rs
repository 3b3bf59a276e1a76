//! The search in texts that are too large to analyse.

use super::ForbiddenCode;
use super::resolved_arguments::Argument;

/// Longest command that is looked at, in words.
const WINDOW: usize = 64;

/// Looks at the bare words: quotes and backslashes are dropped, and everything that may separate commands does.
/// Every word may be a program. It finds too much rather than too little.
pub(super) fn search(
    text: &str,
    check: &dyn Fn(&[Argument]) -> Option<ForbiddenCode>,
) -> Option<ForbiddenCode> {
    let bare: String = text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    for command in bare.split(['\n', '\r', ';', '&', '|', '(', ')', '`', '{', '}']) {
        let words: Vec<Argument> = command.split_whitespace().map(Argument::literal).collect();
        for from in 0..words.len() {
            let until = words.len().min(from + WINDOW);
            if let Some(code) = words.get(from..until).and_then(check) {
                return Some(code);
            }
        }
    }
    None
}
