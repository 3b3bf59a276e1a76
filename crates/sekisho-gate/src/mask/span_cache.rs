//! Caches the secrets found in each text, so that no text is searched twice.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::mask_spans::{self, Masked, Span};
use super::masks::Masks;
use super::text_kind::TextKind;

/// The secrets of each text.
type SpansByText = HashMap<String, Rc<[Span]>>;

/// Searches texts for secrets and caches the results.
pub(super) struct SpanCache<'m> {
    masks: &'m Masks,
    /// By the kind of the text.
    read: RefCell<HashMap<TextKind, SpansByText>>,
    /// Whether a command of the row runs quoted text.
    runs_text: Cell<bool>,
}

impl<'m> SpanCache<'m> {
    pub(super) fn new(masks: &'m Masks) -> SpanCache<'m> {
        SpanCache { masks, read: RefCell::default(), runs_text: Cell::new(false) }
    }

    /// Notes that one command of the row runs quoted text.
    pub(super) fn note_running_text(&self) {
        self.runs_text.set(true);
    }

    /// Whether a command of the row runs quoted text.
    pub(super) fn runs_text(&self) -> bool {
        self.runs_text.get()
    }

    /// The positions of the secrets in a text.
    pub(super) fn spans(&self, text: &str, kind: TextKind) -> Rc<[Span]> {
        if let Some(spans) = self.read.borrow().get(&kind).and_then(|texts| texts.get(text)) {
            return Rc::clone(spans);
        }
        let spans: Rc<[Span]> = self.masks.spans(text, kind).into();
        self.read.borrow_mut().entry(kind).or_default().insert(text.to_owned(), Rc::clone(&spans));
        spans
    }

    /// The text with its secrets masked.
    pub(super) fn text<'t>(&self, text: &'t str, kind: TextKind) -> Masked<'t> {
        self.text_reporting(text, kind, &mut |_| {})
    }

    /// The same, and reports each secret.
    pub(super) fn text_reporting<'t>(
        &self,
        text: &'t str,
        kind: TextKind,
        found: &mut dyn FnMut(&str),
    ) -> Masked<'t> {
        mask_spans::replace(text, self.spans(text, kind).to_vec(), found)
    }
}
