//! A shell command, verbatim, with its parts marked.

use sekisho_policy::{Call, Danger, DangerSpan, Part, Verdict, shell_text};

use super::hidden_characters::Visible;
use super::part_limit::most_dangerous;
use super::size_limit::{MAX_SHOWN_BYTES, SizeLimit};
use super::{Form, Layout, LeftOut, MarkedPart, visible};

/// The form of a shell call. None if its input does not have exactly one command text.
pub(super) fn form(call: &Call, verdict: &Verdict, limit: &mut SizeLimit) -> Option<Form> {
    let source = shell_text(call)?;
    let whole = Visible::of(&source, Layout::Text);
    let text = limit.text(&whole.text, |bytes| LeftOut::Command { bytes });
    let mut parts = Vec::new();
    let (chosen, omitted) = most_dangerous(&verdict.parts);
    if omitted > 0 {
        limit.left_out.push(LeftOut::Marks { parts: omitted });
    }
    flatten(&chosen, true, &whole, &mut parts);
    parts.sort_by_key(|mark| mark.range.unwrap_or((u32::MAX, u32::MAX)));
    // A part beyond the shown text cannot be marked.
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    parts.retain(|mark| mark.range.is_none_or(|(_, to)| to <= end));
    let size = parts.iter().map(size_of).sum::<usize>();
    if size > 4 * MAX_SHOWN_BYTES {
        limit.left_out.push(LeftOut::Sentences { bytes: size });
        parts.clear();
    }
    Some(Form::Command { text, parts })
}

/// Flattens parts that appear in the text, whatever runs them. Parts that do not appear stay inside
/// their parent.
fn flatten(parts: &[Part], top: bool, text: &Visible, marks: &mut Vec<MarkedPart>) {
    for part in parts {
        if top || part.span.is_some() {
            marks.push(mark(part, text));
        }
        flatten(&part.parts, false, text, marks);
    }
}

fn mark(part: &Part, text: &Visible) -> MarkedPart {
    let offset = |at: u32| u32::try_from(text.offset(at as usize)).unwrap_or(u32::MAX);
    let inner = part.parts.iter().filter(|inner| inner.span.is_none()).map(|inner| mark(inner, text));
    MarkedPart {
        kind: part.kind,
        range: part.span.map(|(from, to)| (offset(from), offset(to))),
        text: visible(&part.text, Layout::Text).into_owned(),
        decision: part.decision,
        why: visible(&part.sentence(), Layout::Line).into_owned(),
        danger: part.danger.as_ref().map(|danger| shown_danger(danger, text)),
        inner: inner.collect(),
    }
}

/// A danger with its places in the visible text.
fn shown_danger(danger: &Danger, text: &Visible) -> Danger {
    let offset = |at: u32| u32::try_from(text.offset(at as usize)).unwrap_or(u32::MAX);
    let spans =
        danger.spans.iter().map(|span| DangerSpan { start: offset(span.start), end: offset(span.end) });
    danger.clone().at(spans)
}

/// The danger of the whole call with its places in the text that is shown.
pub(super) fn place(danger: &mut Danger, call: &Call, form: &Form) {
    let (Form::Command { text, .. }, Some(source)) = (form, shell_text(call)) else {
        danger.spans.clear();
        return;
    };
    *danger = shown_danger(danger, &Visible::of(&source, Layout::Text));
    retain_shown(danger, text);
}

/// Removes places beyond the shown text.
fn retain_shown(danger: &mut Danger, text: &str) {
    danger.spans.retain(|span| span.end as usize <= text.len());
}

fn size_of(mark: &MarkedPart) -> usize {
    mark.text.len() + mark.why.len() + mark.inner.iter().map(size_of).sum::<usize>()
}
