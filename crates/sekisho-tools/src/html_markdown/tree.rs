//! The tree of a page: nodes in one vector, linked by numbers.
//!
//! The parser calls this type for every access to a node and every change, so the tree can count what parsing costs.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, ExpandedName, LocalName, QualName, ns};

use super::css_variables::StyleVariables;
use super::element::Element;
use super::element_visibility::visibility;
use super::partly_shown::PartlyShown;
use super::text_sizes::{TextSize, TextSizes};
pub(super) use super::tree_nodes::NodeId;
use super::tree_nodes::{Content, Node, children, content_of, link, unlink};
use super::visibility::Visibility;

/// What creating a node costs, in steps.
const NODE_STEPS: u64 = 8;
/// The node with the contents of templates. The root is 0.
const TEMPLATES: NodeId = 1;
/// How many attributes of an element are kept.
const MAX_KEPT: usize = 16;
/// How many bytes of a style are looked at in one step.
const STYLE_STEP: u64 = 16;

/// A finished tree.
#[derive(Debug)]
pub(super) struct Tree(Vec<Node>);

/// One step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

impl Tree {
    pub(super) fn root(&self) -> NodeId {
        0
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn text(&self, id: NodeId) -> Option<&str> {
        match &self.0.get(id)?.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn element(&self, id: NodeId) -> Option<Element> {
        match &self.0.get(id)?.content {
            Content::Element(element, ..) => Some(*element),
            _ => None,
        }
    }

    /// Whether people see an element, as far as its own attributes say.
    pub(super) fn visibility(&self, id: NodeId) -> Visibility {
        match self.0.get(id).map(|node| &node.content) {
            Some(Content::Element(_, visibility, _)) => *visibility,
            _ => Visibility::Shown,
        }
    }

    pub(super) fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        match &self.0.get(id)?.content {
            Content::Element(_, _, attributes) => {
                attributes.iter().find(|(own, _)| &**own == name).map(|(_, value)| &**value)
            }
            _ => None,
        }
    }

    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        children(&self.0, id)
    }

    pub(super) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.0.get(id)?.parent
    }

    /// Walks a subtree in order, without recursion.
    pub(super) fn walk(&self, root: NodeId) -> Walk<'_> {
        Walk { tree: self, root, next: Some(Step::Enter(root)) }
    }
}

/// Enters and leaves the nodes of a subtree in order.
pub(super) struct Walk<'t> {
    tree: &'t Tree,
    root: NodeId,
    next: Option<Step>,
}

impl Walk<'_> {
    /// Skips the children of a node that was just entered. No `Leave` step follows for it.
    pub(super) fn skip_children(&mut self, id: NodeId) {
        self.next = self.following(Step::Leave(id));
    }

    fn following(&self, step: Step) -> Option<Step> {
        match step {
            Step::Enter(id) => Some(self.tree.0.get(id)?.first.map_or(Step::Leave(id), Step::Enter)),
            Step::Leave(id) if id == self.root => None,
            Step::Leave(id) => {
                let node = self.tree.0.get(id)?;
                node.next.map(Step::Enter).or(node.parent.map(Step::Leave))
            }
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let step = self.next?;
        self.next = self.following(step);
        Some(step)
    }
}

/// A node as the parser knows it.
#[derive(Clone, Debug)]
pub(super) struct Handle {
    id: NodeId,
    name: Rc<QualName>,
    /// It contains HTML, although it is an element of MathML.
    has_html: bool,
}

/// A tree that is being built.
pub(super) struct TreeInProgress {
    nodes: RefCell<Vec<Node>>,
    no_name: Rc<QualName>,
    variables: RefCell<StyleVariables>,
    partly_shown: RefCell<PartlyShown>,
    text_sizes: RefCell<TextSizes>,
    steps: Cell<u64>,
    created: Cell<u64>,
}

impl TreeInProgress {
    pub(super) fn new() -> TreeInProgress {
        let tree = TreeInProgress {
            nodes: RefCell::default(),
            no_name: Rc::new(QualName::new(None, ns!(), LocalName::from(""))),
            variables: RefCell::default(),
            partly_shown: RefCell::default(),
            text_sizes: RefCell::default(),
            steps: Cell::new(0),
            created: Cell::new(0),
        };
        tree.add(Content::None);
        tree.add(Content::None);
        tree
    }

    /// The steps so far.
    pub(super) fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// The elements that were made so far.
    pub(super) fn created(&self) -> u64 {
        self.created.get()
    }

    /// Counts work that is done elsewhere.
    pub(super) fn charge(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    fn add(&self, content: Content) -> NodeId {
        self.charge(NODE_STEPS);
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node::new(content));
        nodes.len() - 1
    }

    /// Whether people would see an element with these attributes, and what they say about the size of its text.
    pub(super) fn visibility_of(&self, element: Element, attributes: &[Attribute]) -> (Visibility, TextSize) {
        let value = |name: &str| {
            attributes.iter().find(|one| &*one.name.local == name).map(|attribute| &*attribute.value)
        };
        self.charge(value("style").map_or(0, str::len) as u64 / STYLE_STEP);
        visibility(element, value, &mut self.variables.borrow_mut())
    }

    /// Whether some of the text of an element is not plain text of the page.
    pub(super) fn is_hiding(&self, handle: &Handle) -> bool {
        if self.partly_shown.borrow().contains(handle.id) {
            return true;
        }
        match self.nodes.borrow().get(handle.id).map(|node| &node.content) {
            Some(Content::Element(element, visibility, _)) => {
                *element == Element::Dropped || *visibility != Visibility::Shown
            }
            _ => false,
        }
    }

    fn nameless(&self, id: NodeId) -> Handle {
        Handle { id, name: Rc::clone(&self.no_name), has_html: false }
    }

    /// Puts a node before a sibling, or last.
    fn insert(&self, parent: NodeId, before: Option<NodeId>, child: NodeOrText<Handle>) {
        let nodes = &mut *self.nodes.borrow_mut();
        let previous = match before {
            Some(sibling) => nodes.get(sibling).and_then(|node| node.previous),
            None => nodes.get(parent).and_then(|node| node.last),
        };
        let id = match child {
            NodeOrText::AppendNode(handle) => handle.id,
            NodeOrText::AppendText(text) => {
                self.charge(1);
                if let Some(Content::Text(own)) = content_of(nodes, previous) {
                    own.push_str(&text);
                    return;
                }
                self.charge(NODE_STEPS);
                let content = Content::Text(String::from(&*text));
                nodes.push(Node::new(content));
                nodes.len() - 1
            }
        };
        unlink(nodes, id);
        link(nodes, id, parent, before);
        self.charge(1);
    }
}

impl TreeSink for TreeInProgress {
    type Handle = Handle;
    type Output = Tree;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Tree {
        let mut nodes = self.nodes.into_inner();
        self.text_sizes.into_inner().move_marks(&mut nodes);
        self.partly_shown.into_inner().mark(&mut nodes);
        Tree(nodes)
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.nameless(0)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.charge(1);
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Handle {
        self.created.set(self.created.get() + 1);
        let element = Element::of(&name.local, name.ns == ns!(html));
        let (visibility, size) = self.visibility_of(element, &attributes);
        let id = self.nodes.borrow().len();
        self.text_sizes.borrow_mut().add(id, size, visibility);
        self.partly_shown.borrow_mut().add(id, &name, &attributes);
        let attributes = attributes.into_iter().map(|attribute| (attribute.name.local, attribute.value));
        let id = self.add(Content::Element(element, visibility, attributes.take(MAX_KEPT).collect()));
        Handle { id, name: Rc::new(name), has_html: flags.mathml_annotation_xml_integration_point }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        handle.has_html
    }

    fn create_comment(&self, _text: StrTendril) -> Handle {
        self.nameless(self.add(Content::None))
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Handle {
        self.nameless(self.add(Content::None))
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(child) = &child {
            self.partly_shown.borrow_mut().add_child(parent.id, &parent.name, child.id);
        }
        self.insert(parent.id, None, child);
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        let has_parent = self.nodes.borrow().get(element.id).is_some_and(|node| node.parent.is_some());
        match has_parent {
            true => self.append_before_sibling(element, child),
            false => self.append(previous, child),
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    /// The contents of templates are in nodes outside the tree, so they are never shown.
    fn get_template_contents(&self, target: &Handle) -> Handle {
        let new = || self.add(Content::None);
        self.nameless(self.partly_shown.borrow_mut().contents(target.id, new).unwrap_or(TEMPLATES))
    }

    /// Templates with `shadowrootmode` stay templates here.
    fn allow_declarative_shadow_roots(&self, _intended_parent: &Handle) -> bool {
        false
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        self.charge(1);
        x.id == y.id
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, new_node: NodeOrText<Handle>) {
        let parent = self.nodes.borrow().get(sibling.id).and_then(|node| node.parent);
        if let Some(parent) = parent {
            self.insert(parent, Some(sibling.id), new_node);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, mut attributes: Vec<Attribute>) {
        let mut nodes = self.nodes.borrow_mut();
        let Some(Content::Element(element, visibility, own)) = content_of(&mut nodes, Some(target.id)) else {
            return;
        };
        attributes.retain(|attribute| own.iter().all(|(name, _)| *name != attribute.name.local));
        attributes.truncate(MAX_KEPT.saturating_sub(own.len()));
        *visibility = (*visibility).max(self.visibility_of(*element, &attributes).0);
        own.extend(attributes.into_iter().map(|attribute| (attribute.name.local, attribute.value)));
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.charge(1);
        unlink(&mut self.nodes.borrow_mut(), target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let nodes = &mut *self.nodes.borrow_mut();
        while let Some(child) = nodes.get(node.id).and_then(|node| node.first) {
            self.charge(1);
            unlink(nodes, child);
            link(nodes, child, new_parent.id, None);
        }
    }
}
