//! The nodes of a tree, linked by their numbers.

use html5ever::LocalName;
use html5ever::tendril::StrTendril;

use super::element::Element;
use super::visibility::Visibility;

/// The place of a node in its tree.
pub(super) type NodeId = usize;

#[derive(Debug)]
pub(super) enum Content {
    /// A document, a comment or a template's contents.
    None,
    Text(String),
    Element(Element, Visibility, Vec<(LocalName, StrTendril)>),
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: Option<NodeId>,
    pub(super) previous: Option<NodeId>,
    pub(super) next: Option<NodeId>,
    pub(super) first: Option<NodeId>,
    pub(super) last: Option<NodeId>,
    pub(super) content: Content,
}

impl Node {
    /// A node that is not linked to others.
    pub(super) fn new(content: Content) -> Node {
        Node { parent: None, previous: None, next: None, first: None, last: None, content }
    }
}

/// The children of a node, in order.
pub(super) fn children(nodes: &[Node], id: NodeId) -> impl Iterator<Item = NodeId> {
    let first = nodes.get(id).and_then(|node| node.first);
    std::iter::successors(first, |child| nodes.get(*child).and_then(|node| node.next))
}

pub(super) fn content_of(nodes: &mut [Node], id: Option<NodeId>) -> Option<&mut Content> {
    nodes.get_mut(id?).map(|node| &mut node.content)
}

/// Puts a node before a sibling, or last.
pub(super) fn link(nodes: &mut [Node], id: NodeId, parent: NodeId, before: Option<NodeId>) {
    let previous = match before {
        Some(sibling) => nodes.get(sibling).and_then(|node| node.previous),
        None => nodes.get(parent).and_then(|node| node.last),
    };
    if let Some(node) = nodes.get_mut(id) {
        (node.parent, node.previous, node.next) = (Some(parent), previous, before);
    }
    match previous.and_then(|previous| nodes.get_mut(previous)) {
        Some(node) => node.next = Some(id),
        None => set(nodes, parent, |node| node.first = Some(id)),
    }
    match before {
        Some(sibling) => set(nodes, sibling, |node| node.previous = Some(id)),
        None => set(nodes, parent, |node| node.last = Some(id)),
    }
}

/// Takes a node away from its parent.
pub(super) fn unlink(nodes: &mut [Node], id: NodeId) {
    let Some(node) = nodes.get_mut(id) else { return };
    let (parent, previous, next) = (node.parent.take(), node.previous.take(), node.next.take());
    let Some(parent) = parent else { return };
    match previous {
        Some(previous) => set(nodes, previous, |node| node.next = next),
        None => set(nodes, parent, |node| node.first = next),
    }
    match next {
        Some(next) => set(nodes, next, |node| node.previous = previous),
        None => set(nodes, parent, |node| node.last = previous),
    }
}

fn set(nodes: &mut [Node], id: NodeId, change: impl FnOnce(&mut Node)) {
    if let Some(node) = nodes.get_mut(id) {
        change(node);
    }
}
