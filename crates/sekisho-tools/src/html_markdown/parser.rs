//! Parses a page, with a limit on what that may cost.
//!
//! html5ever is linear for ordinary pages. Not for hostile ones: it looks through all open elements for many
//! tags, opens formatting elements again in every paragraph, and compares all attributes of a tag. So deep tags
//! are ignored, the attributes of a tag are limited, and all work is counted against a budget that grows with the
//! page. What the budget does not cover is left out, and the result says so.
//!
//! Where a tag is ignored, it is no longer known which element an end tag closes. That matters if text inside would
//! not be shown: so the page ends at an ignored tag that hides its text or is inside an element that does.

use std::cell::Cell;

use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{Tracer, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::attribute_count::AttributeCount;
use super::element::{Element, is_kept};
use super::page::{Incomplete, Stopped};
use super::partly_shown::is_partly_shown;
use super::tree::{Handle, Tree, TreeInProgress};
use super::visibility::Visibility;

/// The most open elements and open formatting.
const MAX_DEPTH: usize = 512;
/// The most attributes of a tag.
const MAX_ATTRIBUTES: usize = 1024;
/// The longest text that is given to the tokenizer at once.
const MAX_PIECE: usize = 16 << 10;
/// How many bytes are parsed between two looks at the clock.
const CHECK_EVERY: usize = 64 << 10;
/// The steps of every page, and those for each of its bytes.
const BASE_STEPS: u64 = 4_000_000;
const STEPS_PER_BYTE: u64 = 64;
/// The most elements and texts of a page: each takes memory, however short the page is that makes them.
const MAX_NODES: usize = 1_000_000;

/// A parsed page.
pub(super) struct Parsed {
    pub(super) tree: Tree,
    pub(super) incomplete: Option<Incomplete>,
    pub(super) steps: u64,
}

/// Parses a page.
pub(super) fn parse(html: &str, should_stop: &dyn Fn() -> bool) -> Result<Parsed, Stopped> {
    let builder = TreeBuilder::new(TreeInProgress::new(), TreeBuilderOpts::default());
    let filter =
        TagFilter { builder, has_token: Cell::new(false), depth: Cell::default(), cut: Cell::new(None) };
    let tokenizer = Tokenizer::new(filter, TokenizerOpts::default());
    let budget = BASE_STEPS.saturating_add(STEPS_PER_BYTE.saturating_mul(html.len() as u64));
    let (queue, all) = (BufferQueue::default(), StrTendril::from_slice(html));
    let mut place = Place::Text;
    let (mut at, mut checked_at) = (0, 0);
    let mut incomplete = None;
    while let Some(piece) = next_piece(html, at) {
        if at >= checked_at + CHECK_EVERY {
            checked_at = at;
            if should_stop() {
                return Err(Stopped);
            }
        }
        place = place.before(piece, html.get(..at).is_some_and(|read| read.ends_with('<')));
        if place.attributes(piece) > MAX_ATTRIBUTES {
            incomplete = Some(Incomplete::Attributes);
            break;
        }
        queue.push_back(subtendril(&all, at, piece.len()));
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
        place = place.after(piece, tokenizer.sink.has_token.take());
        let sink = &tokenizer.sink.builder.sink;
        if tokenizer.sink.has_ended() {
            break;
        }
        if sink.steps() > budget || sink.len() > MAX_NODES {
            incomplete = Some(Incomplete::Work);
            break;
        }
        at += piece.len();
    }
    tokenizer.end();
    let filter = tokenizer.sink;
    let incomplete = incomplete.or(filter.cut.get());
    let steps = filter.builder.sink.steps();
    Ok(Parsed { tree: filter.builder.sink.finish(), incomplete, steps })
}

/// The text up to and with the next `<`. So a tag begins at the beginning of a piece, and everything before it has
/// become tokens by then.
fn next_piece(html: &str, at: usize) -> Option<&str> {
    let rest = html.get(at..).filter(|rest| !rest.is_empty())?;
    let longest = rest.get(..rest.floor_char_boundary(MAX_PIECE)).unwrap_or(rest);
    let end = longest.find('<').map_or(longest.len(), |at| at + 1);
    longest.get(..end)
}

fn subtendril(all: &StrTendril, at: usize, length: usize) -> StrTendril {
    match (u32::try_from(at), u32::try_from(length)) {
        (Ok(at), Ok(length)) => all.subtendril(at, length),
        // No page is that long.
        _ => StrTendril::new(),
    }
}

/// What the tokenizer is reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Text,
    /// The piece began in text, but gave no token: it may be anything.
    Unknown,
    Tag(AttributeCount),
    /// A comment or a declaration.
    Declaration,
}

impl Place {
    /// What the tokenizer will be reading, given the next piece and whether a `<` is before it.
    fn before(self, piece: &str, follows_bracket: bool) -> Place {
        match self {
            Place::Text if !follows_bracket => Place::Text,
            Place::Text => match piece.trim_start_matches('/').bytes().next() {
                Some(b'a'..=b'z' | b'A'..=b'Z') => Place::Tag(AttributeCount::default()),
                Some(b'!' | b'?') => Place::Declaration,
                _ => Place::Text,
            },
            Place::Unknown => Place::Tag(AttributeCount::inside_tag()),
            other => other,
        }
    }

    fn attributes(&mut self, piece: &str) -> usize {
        match self {
            Place::Tag(count) => count.read(piece),
            _ => 0,
        }
    }

    /// What it is reading after the piece.
    fn after(self, piece: &str, has_token: bool) -> Place {
        match self {
            _ if has_token => Place::Text,
            Place::Text if piece == "<" => Place::Text,
            Place::Text => Place::Unknown,
            other => other,
        }
    }
}

/// How deep the tree builder is, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
struct Depth {
    measured: usize,
    created_then: u64,
    /// Whether elements may have been closed since.
    has_closed: bool,
    /// Whether an open element hides its text.
    is_hiding: bool,
}

/// Stands between the tokenizer and the tree builder.
struct TagFilter {
    builder: TreeBuilder<Handle, TreeInProgress>,
    has_token: Cell<bool>,
    depth: Cell<Depth>,
    cut: Cell<Option<Incomplete>>,
}

impl TagFilter {
    /// Whether no more elements may be opened. The depth is measured only when the elements that were made since the
    /// last time could have reached the limit.
    fn is_too_deep(&self) -> bool {
        let created = self.builder.sink.created();
        let Depth { measured, created_then, has_closed, .. } = self.depth.get();
        if measured >= MAX_DEPTH && !has_closed {
            return true;
        }
        let since = usize::try_from(created.saturating_sub(created_then)).unwrap_or(usize::MAX);
        if measured.saturating_add(since) < MAX_DEPTH {
            return false;
        }
        let open =
            OpenElements { sink: &self.builder.sink, count: Cell::new(0), is_hiding: Cell::new(false) };
        self.builder.trace_handles(&open);
        let (measured, is_hiding) = (open.count.get(), open.is_hiding.get());
        self.builder.sink.charge(measured as u64);
        self.depth.set(Depth { measured, created_then: created, has_closed: false, is_hiding });
        measured >= MAX_DEPTH
    }

    fn is_ignored(&self, tag: &Tag) -> bool {
        // The text of these elements must not become text of the page.
        let is_raw = matches!(
            &*tag.name,
            "script"
                | "style"
                | "title"
                | "textarea"
                | "xmp"
                | "iframe"
                | "noembed"
                | "noframes"
                | "noscript"
        );
        tag.kind == TagKind::StartTag && !is_raw && self.is_too_deep()
    }

    /// Notes that a tag is ignored. The page ends there if that could make hidden text look like other text.
    fn ignore(&self, tag: &Tag) {
        let element = Element::of(&tag.name, true);
        let is_hiding = self.depth.get().is_hiding
            || element == Element::Dropped
            || matches!(&*tag.name, "svg" | "math")
            || is_partly_shown(&tag.name, &tag.attrs)
            || self.builder.sink.visibility_of(element, &tag.attrs).0 != Visibility::Shown;
        self.cut.set(Some(if is_hiding { Incomplete::DeepHiddenText } else { Incomplete::Depth }));
    }

    /// Whether nothing more is read.
    fn has_ended(&self) -> bool {
        self.cut.get() == Some(Incomplete::DeepHiddenText)
    }
}

impl TokenSink for TagFilter {
    type Handle = Handle;

    fn process_token(&self, mut token: Token, line: u64) -> TokenSinkResult<Handle> {
        if self.has_ended() && token != Token::EOFToken {
            return TokenSinkResult::Continue;
        }
        match &mut token {
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::TagToken(tag) => {
                self.has_token.set(true);
                let attributes = tag.attrs.len() as u64;
                self.builder.sink.charge(1 + attributes * attributes / 8);
                tag.attrs.retain(|attribute| is_kept(&attribute.name.local));
                if tag.kind == TagKind::EndTag {
                    self.depth.set(Depth { has_closed: true, ..self.depth.get() });
                }
                if self.is_ignored(tag) {
                    self.ignore(tag);
                    return TokenSinkResult::Continue;
                }
            }
            _ => self.has_token.set(true),
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// What the tree builder holds open.
struct OpenElements<'s> {
    sink: &'s TreeInProgress,
    count: Cell<usize>,
    is_hiding: Cell<bool>,
}

impl Tracer for OpenElements<'_> {
    type Handle = Handle;

    fn trace_handle(&self, node: &Handle) {
        self.count.set(self.count.get() + 1);
        self.is_hiding.set(self.is_hiding.get() || self.sink.is_hiding(node));
    }
}
