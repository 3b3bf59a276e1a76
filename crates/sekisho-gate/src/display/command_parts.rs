//! Which parts of a shell text are told of, where there are more than anybody looks at.
//!
//! A text of a few hundred kilobytes can have more than a hundred thousand parts, and each comes with sentences that are
//! longer than itself. Whoever asks must not be able to make a question so large that nobody can load it.

use std::borrow::Cow;
use std::cmp::Reverse;

use sekisho_policy::{DangerLevel, Decision, Part, Verdict};

use super::size_limit::MAX_SHOWN_BYTES;

/// The most parts of a shell text that are told of, nested ones included.
pub const MAX_PARTS: usize = 2_000;
/// The most text their words and sentences are together, in bytes.
const MOST_TEXT: usize = 4 * MAX_SHOWN_BYTES;

/// The verdict with no more parts than are told of, the gravest of them. What it decides, why, and how dangerous it is stay
/// those of the whole.
pub(crate) fn limit_parts(mut verdict: Verdict) -> Verdict {
    if let (Cow::Owned(parts), _) = gravest(&verdict.parts) {
        verdict.parts = parts;
    }
    verdict
}

/// The parts that are told of, in their order, and how many are not. The most dangerous and the strictest come before the
/// others, and of equal ones the first; a part is told of with everything it stands in.
pub(super) fn gravest(parts: &[Part]) -> (Cow<'_, [Part]>, usize) {
    let mut weighed = Vec::new();
    weigh(parts, &mut weighed);
    let mut order: Vec<(Reverse<Gravity>, usize, usize)> =
        weighed.iter().enumerate().map(|(at, (gravity, size))| (Reverse(*gravity), at, *size)).collect();
    let text: usize = order.iter().map(|(_, _, size)| size).sum();
    if order.len() <= MAX_PARTS && text <= MOST_TEXT {
        return (Cow::Borrowed(parts), 0);
    }
    order.sort_unstable();
    let mut text = 0;
    let within = order.iter().take(MAX_PARTS).take_while(|(_, _, size)| {
        text += size;
        text <= MOST_TEXT
    });
    let mut told: Vec<usize> = within.map(|(_, at, _)| *at).collect();
    told.sort_unstable();
    let left = weighed.len() - told.len();
    (Cow::Owned(pick(parts, &mut 0, &told)), left)
}

/// How grave a part is: the worst of itself and what it runs.
type Gravity = (DangerLevel, Decision);

/// The gravity and the size of every part, each before its own parts. Gives the worst gravity.
fn weigh(parts: &[Part], weighed: &mut Vec<(Gravity, usize)>) -> Option<Gravity> {
    let mut worst = None;
    for part in parts {
        let danger = part.danger.as_ref().map_or(DangerLevel::None, |danger| danger.level);
        let at = weighed.len();
        weighed.push(((danger, part.decision), part.text.len() + part.sentence().len()));
        let below = weigh(&part.parts, weighed);
        // As grave as the gravest inside: so it comes before everything inside, and is told of where that is.
        if let Some((gravity, _)) = weighed.get_mut(at) {
            *gravity = (*gravity).max(below.unwrap_or(*gravity));
            worst = worst.max(Some(*gravity));
        }
    }
    worst
}

/// The parts at the places that are told of; `at` counts them all.
fn pick(parts: &[Part], at: &mut usize, told: &[usize]) -> Vec<Part> {
    let mut picked = Vec::new();
    for part in parts {
        let kept = told.binary_search(at).is_ok();
        *at += 1;
        let inner = pick(&part.parts, at, told);
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
