//! Limits how many parts of a shell command are shown.
//!
//! A command of a few hundred kilobytes can have more than a hundred thousand parts, and the explanation of
//! each is longer than the part itself. A caller must not be able to create an approval that is too large to
//! load.

use std::borrow::Cow;
use std::cmp::Reverse;

use sekisho_policy::{DangerLevel, Decision, Part, Verdict};

use super::size_limit::MAX_SHOWN_BYTES;

/// The maximum number of parts shown, including nested ones.
pub const MAX_PARTS: usize = 2_000;
/// The maximum size of their text and sentences together, in bytes.
const MAX_TEXT_BYTES: usize = 4 * MAX_SHOWN_BYTES;

/// Reduces the verdict to the parts that are shown, the most dangerous ones. Its decision, reason and
/// danger stay those of the whole command.
pub(crate) fn limit_parts(mut verdict: Verdict) -> Verdict {
    if let (Cow::Owned(parts), _) = most_dangerous(&verdict.parts) {
        verdict.parts = parts;
    }
    verdict
}

/// The parts to show, in order, and how many are omitted. The most dangerous and strictest parts come
/// first, and among equals the earlier one. A part is shown together with all its parents.
pub(super) fn most_dangerous(parts: &[Part]) -> (Cow<'_, [Part]>, usize) {
    let mut rated = Vec::new();
    rate(parts, &mut rated);
    let mut order: Vec<(Reverse<Severity>, usize, usize)> =
        rated.iter().enumerate().map(|(at, (severity, size))| (Reverse(*severity), at, *size)).collect();
    let text: usize = order.iter().map(|(_, _, size)| size).sum();
    if order.len() <= MAX_PARTS && text <= MAX_TEXT_BYTES {
        return (Cow::Borrowed(parts), 0);
    }
    order.sort_unstable();
    let mut text = 0;
    let within = order.iter().take(MAX_PARTS).take_while(|(_, _, size)| {
        text += size;
        text <= MAX_TEXT_BYTES
    });
    let mut chosen: Vec<usize> = within.map(|(_, at, _)| *at).collect();
    chosen.sort_unstable();
    let left = rated.len() - chosen.len();
    (Cow::Owned(pick(parts, &mut 0, &chosen)), left)
}

/// How serious a part is: the worst of itself and what it runs.
type Severity = (DangerLevel, Decision);

/// The seriousness and size of every part, parents first. Returns the worst.
fn rate(parts: &[Part], rated: &mut Vec<(Severity, usize)>) -> Option<Severity> {
    let mut worst = None;
    for part in parts {
        let danger = part.danger.as_ref().map_or(DangerLevel::None, |danger| danger.level);
        let at = rated.len();
        rated.push(((danger, part.decision), part.text.len() + part.sentence().len()));
        let below = rate(&part.parts, rated);
        // A parent is as serious as its worst part, so it comes before that part and is shown if that
        // part is.
        if let Some((severity, _)) = rated.get_mut(at) {
            *severity = (*severity).max(below.unwrap_or(*severity));
            worst = worst.max(Some(*severity));
        }
    }
    worst
}

/// The parts at the chosen indices. `at` counts all parts.
fn pick(parts: &[Part], at: &mut usize, chosen: &[usize]) -> Vec<Part> {
    let mut picked = Vec::new();
    for part in parts {
        let kept = chosen.binary_search(at).is_ok();
        *at += 1;
        let inner = pick(&part.parts, at, chosen);
        if kept {
            picked.push(Part {
                kind: part.kind,
                text: part.text.clone(),
                span: part.span,
                decision: part.decision,
                reason: part.reason.clone(),
                rule: part.rule.clone(),
                danger: part.danger.clone(),
                parts: inner,
            });
        }
    }
    picked
}
