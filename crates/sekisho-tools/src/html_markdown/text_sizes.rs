//! Elements without a text size that contain text with a size of its own, as in many newsletters.
//!
//! There the mark moves down to the parts that really have no size.

use std::collections::{BTreeMap, HashSet};

use super::element::Element;
use super::tree_nodes::{Content, Node, NodeId, children, link, unlink};
use super::visibility::Visibility;

/// What the text size of an element means for the text inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TextSize {
    #[default]
    Inherited,
    /// Too small to be read, and nothing else hides the element.
    Tiny,
    /// Readable, whatever the size around it is.
    Readable,
}

/// The elements that set the size of their text.
#[derive(Debug, Default)]
pub(super) struct TextSizes {
    tiny: BTreeMap<NodeId, Visibility>,
    readable: HashSet<NodeId>,
}

impl TextSizes {
    /// Takes note of an element.
    pub(super) fn add(&mut self, id: NodeId, size: TextSize, visibility: Visibility) {
        match size {
            TextSize::Inherited => {}
            TextSize::Tiny => drop(self.tiny.insert(id, visibility)),
            TextSize::Readable if visibility == Visibility::Shown => drop(self.readable.insert(id)),
            TextSize::Readable => {}
        }
    }

    /// Moves the marks of elements that contain readable text down to the text that has no size.
    pub(super) fn move_marks(mut self, nodes: &mut Vec<Node>) {
        let mut around_readable = HashSet::new();
        for id in &self.readable {
            let mut at = nodes.get(*id).and_then(|node| node.parent);
            while let Some(parent) = at.filter(|parent| around_readable.insert(*parent)) {
                at = nodes.get(parent).and_then(|node| node.parent);
            }
        }
        while let Some((id, visibility)) = self.tiny.pop_first() {
            if !around_readable.contains(&id) {
                continue;
            }
            set_visibility(nodes, id, Visibility::Shown);
            let inside: Vec<NodeId> = children(nodes, id).collect();
            for child in inside {
                match nodes.get(child).map(|node| &node.content) {
                    Some(Content::Text(text)) if !text.trim().is_empty() => {
                        wrap(nodes, id, child, visibility)
                    }
                    Some(Content::Element(element, Visibility::Shown, _))
                        if *element != Element::Image && !self.readable.contains(&child) =>
                    {
                        set_visibility(nodes, child, visibility);
                        self.tiny.insert(child, visibility);
                    }
                    _ => {}
                }
            }
        }
    }
}

fn set_visibility(nodes: &mut [Node], id: NodeId, new: Visibility) {
    if let Some(Content::Element(_, visibility, _)) = nodes.get_mut(id).map(|node| &mut node.content) {
        *visibility = new;
    }
}

fn wrap(nodes: &mut Vec<Node>, parent: NodeId, child: NodeId, visibility: Visibility) {
    nodes.push(Node::new(Content::Element(Element::Inline, visibility, Vec::new())));
    let new = nodes.len() - 1;
    link(nodes, new, parent, Some(child));
    unlink(nodes, child);
    link(nodes, child, new, None);
}
