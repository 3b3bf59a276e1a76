//! Elements that show only some of their children, such as a closed `details`.
//!
//! The children that are not shown are put into an element of their own, which carries the mark.

use std::collections::{BTreeMap, HashMap, HashSet};

use html5ever::{Attribute, QualName, ns};

use super::element::Element;
use super::tree_nodes::{Content, Node, NodeId, children, link, unlink};
use super::visibility::Visibility;

/// Which children are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownChildren {
    /// The first `summary`.
    Summary,
    /// The first element.
    First,
    /// Those that a slot of this template takes.
    Slotted(NodeId),
}

/// The elements that show only some of their children.
#[derive(Debug, Default)]
pub(super) struct PartlyShown {
    elements: BTreeMap<NodeId, ShownChildren>,
    /// The templates that replace the children of their parents, with their contents.
    templates: HashMap<NodeId, Option<NodeId>>,
    /// The slots with their names.
    slots: HashMap<NodeId, String>,
    /// The names of the `details` that are open. Of those with one name, only the first is.
    open_names: HashSet<String>,
}

/// Whether an element with this name and these attributes shows only some of its children.
pub(super) fn is_partly_shown(name: &str, attributes: &[Attribute]) -> bool {
    match name {
        "details" => attribute(attributes, "open").is_none(),
        "semantics" | "maction" => true,
        _ => false,
    }
}

fn attribute<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a str> {
    attributes.iter().find(|one| &*one.name.local == name).map(|attribute| &*attribute.value)
}

impl PartlyShown {
    /// Takes note of a new element.
    pub(super) fn add(&mut self, id: NodeId, name: &QualName, attributes: &[Attribute]) {
        let is_html = name.ns == ns!(html);
        match &*name.local {
            "details" if is_html => {
                let is_closed = is_partly_shown("details", attributes);
                let name = attribute(attributes, "name").filter(|name| !name.is_empty() && !is_closed);
                let is_repeated = name.is_some_and(|name| !self.open_names.insert(name.to_owned()));
                if is_closed || is_repeated {
                    self.elements.insert(id, ShownChildren::Summary);
                }
            }
            "semantics" | "maction" if !is_html => {
                self.elements.insert(id, ShownChildren::First);
            }
            "template" if is_html => {
                let mode = attribute(attributes, "shadowrootmode").unwrap_or_default();
                if mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed") {
                    self.templates.insert(id, None);
                }
            }
            "slot" if is_html => {
                self.slots.insert(id, attribute(attributes, "name").unwrap_or_default().to_owned());
            }
            _ => {}
        }
    }

    /// Takes note of a child.
    pub(super) fn add_child(&mut self, parent: NodeId, parent_name: &QualName, child: NodeId) {
        if self.templates.contains_key(&child) && parent_name.ns == ns!(html) && is_host(&parent_name.local) {
            // Only the first counts.
            self.elements.entry(parent).or_insert(ShownChildren::Slotted(child));
        }
    }

    /// The node with the contents of a template that replaces the children of its parent. None for other templates.
    pub(super) fn contents(&mut self, template: NodeId, new: impl FnOnce() -> NodeId) -> Option<NodeId> {
        let contents = self.templates.get_mut(&template)?;
        Some(*contents.get_or_insert_with(new))
    }

    pub(super) fn contains(&self, id: NodeId) -> bool {
        self.elements.contains_key(&id)
    }

    /// Marks the children that are not shown.
    pub(super) fn mark(&self, nodes: &mut Vec<Node>) {
        for (id, shown) in &self.elements {
            let (hidden, visibility) = match shown {
                ShownChildren::Summary => {
                    let is_summary = |child: &NodeId| element(nodes, *child) == Some(Element::Summary);
                    let summary = children(nodes, *id).find(is_summary);
                    (all_but(nodes, *id, summary), Visibility::Collapsed)
                }
                ShownChildren::First => {
                    let first = children(nodes, *id).find(|child| element(nodes, *child).is_some());
                    (all_but(nodes, *id, first), Visibility::Hidden)
                }
                ShownChildren::Slotted(template) => {
                    (self.without_slot(nodes, *id, *template), Visibility::Hidden)
                }
            };
            wrap(nodes, *id, &hidden, visibility);
        }
    }

    fn without_slot(&self, nodes: &[Node], host: NodeId, template: NodeId) -> Vec<NodeId> {
        let contents = self.templates.get(&template).copied().flatten();
        let (mut names, mut open) = (HashSet::new(), Vec::from_iter(contents));
        while let Some(id) = open.pop() {
            names.extend(self.slots.get(&id).map(String::as_str));
            open.extend(children(nodes, id));
        }
        let slot = |child: NodeId| match nodes.get(child).map(|node| &node.content) {
            Some(Content::Element(_, _, attributes)) => {
                attributes.iter().find(|(name, _)| &**name == "slot").map_or("", |(_, value)| &**value)
            }
            _ => "",
        };
        children(nodes, host).filter(|child| !names.contains(slot(*child))).collect()
    }
}

/// The elements whose children a template can replace. Those with a hyphen in their names are custom ones.
fn is_host(name: &str) -> bool {
    matches!(
        name,
        "article"
            | "aside"
            | "blockquote"
            | "body"
            | "div"
            | "footer"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "main"
            | "nav"
            | "p"
            | "section"
            | "span"
    ) || name.contains('-')
}

fn element(nodes: &[Node], id: NodeId) -> Option<Element> {
    match nodes.get(id)?.content {
        Content::Element(element, ..) => Some(element),
        _ => None,
    }
}

fn all_but(nodes: &[Node], parent: NodeId, shown: Option<NodeId>) -> Vec<NodeId> {
    children(nodes, parent).filter(|child| Some(*child) != shown).collect()
}

/// Puts children that follow each other into an element with this visibility.
fn wrap(nodes: &mut Vec<Node>, parent: NodeId, hidden: &[NodeId], visibility: Visibility) {
    let is_blank = |id: &NodeId| match nodes.get(*id).map(|node| &node.content) {
        Some(Content::Text(text)) => text.trim().is_empty(),
        Some(Content::Element(element, ..)) => *element == Element::Dropped,
        _ => true,
    };
    if hidden.iter().all(is_blank) {
        return;
    }
    let is_inline =
        |id: &NodeId| matches!(element(nodes, *id), None | Some(Element::Inline | Element::Dropped));
    let kind = if hidden.iter().all(is_inline) && visibility == Visibility::Hidden {
        Element::Inline
    } else {
        Element::Block
    };
    let mut wrapper: Option<NodeId> = None;
    for id in hidden {
        let previous = nodes.get(*id).and_then(|node| node.previous);
        let target = match wrapper.filter(|wrapper| previous == Some(*wrapper)) {
            Some(wrapper) => wrapper,
            None => {
                nodes.push(Node::new(Content::Element(kind, visibility, Vec::new())));
                let new = nodes.len() - 1;
                link(nodes, new, parent, Some(*id));
                new
            }
        };
        wrapper = Some(target);
        unlink(nodes, *id);
        link(nodes, *id, target, None);
    }
}
