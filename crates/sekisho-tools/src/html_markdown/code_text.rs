//! The text of a subtree, without Markdown.

use super::element::Element;
use super::tree::{NodeId, Step, Tree};
use super::visibility::Visibility;

/// The text of a subtree with its line breaks, as in `<pre>`.
pub(super) fn raw_text(tree: &Tree, root: NodeId) -> String {
    collect(tree, root, usize::MAX, |text, out| out.push_str(text))
}

/// The text of a subtree on one line, with white space collapsed. At most about `limit` bytes.
pub(super) fn flat_text(tree: &Tree, root: NodeId, limit: usize) -> String {
    let text = collect(tree, root, limit, push_collapsed);
    text.trim_end().to_owned()
}

/// Adds a text. White space becomes one space, also across texts.
fn push_collapsed(text: &str, out: &mut String) {
    for c in text.chars() {
        match is_space(c) {
            true if out.is_empty() || out.ends_with(' ') => {}
            true => out.push(' '),
            false => out.push(c),
        }
    }
}

/// White space of HTML. A no-break space is one too: pages use it for layout.
pub(super) fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{a0}'
}

fn collect(tree: &Tree, root: NodeId, limit: usize, push: fn(&str, &mut String)) -> String {
    let (mut out, mut hidden) = (String::new(), None);
    let mut walk = tree.walk(root);
    while let Some(step) = walk.next() {
        match step {
            Step::Enter(id) => {
                if let Some(text) = tree.text(id) {
                    push(text, &mut out);
                }
                match tree.element(id) {
                    Some(Element::Dropped | Element::Title) if id != root => walk.skip_children(id),
                    Some(Element::LineBreak) => push("\n", &mut out),
                    Some(
                        Element::Inline
                        | Element::Code
                        | Element::Link
                        | Element::Strong
                        | Element::Emphasis
                        | Element::Deleted
                        | Element::ShortQuote
                        | Element::Reading,
                    )
                    | None => {}
                    Some(_) if id != root => push(" ", &mut out),
                    Some(_) => {}
                }
                let visibility = tree.visibility(id);
                if hidden.is_none() && id != root && visibility != Visibility::Shown {
                    hidden = Some((id, out.len(), visibility));
                }
            }
            Step::Leave(id) => {
                if let Some((_, start, visibility)) = hidden.take_if(|(hiding, ..)| *hiding == id) {
                    mark_hidden(&mut out, start, visibility);
                }
            }
        }
        if out.len() > limit {
            out.push('…');
            break;
        }
    }
    if let Some((_, start, visibility)) = hidden {
        mark_hidden(&mut out, start, visibility);
    }
    out
}

/// Marks everything from `start` on as hidden.
fn mark_hidden(out: &mut String, start: usize, visibility: Visibility) {
    let text = out.split_off(start);
    let text = text.trim();
    if let Some(mark) = visibility.mark().filter(|_| !text.is_empty()) {
        out.push_str(mark);
        // The text must not end the mark.
        out.push_str(&text.replace(']', "\\]"));
        out.push(']');
    }
}
