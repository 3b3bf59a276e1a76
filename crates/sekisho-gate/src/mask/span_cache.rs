//! Caches the secrets found in each text, so that no text is searched twice.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::mask_spans::{self, Masked, Span};
use super::masks::Masks;

/// Searches texts for secrets and caches the results.
pub(super) struct SpanCache<'m> {
    masks: &'m Masks,
    read: RefCell<HashMap<String, Rc<[Span]>>>,
}

impl<'m> SpanCache<'m> {
    pub(super) fn new(masks: &'m Masks) -> SpanCache<'m> {
        SpanCache { masks, read: RefCell::default() }
    }

    /// The positions of the secrets in a text.
    pub(super) fn spans(&self, text: &str) -> Rc<[Span]> {
        if let Some(spans) = self.read.borrow().get(text) {
            return Rc::clone(spans);
        }
        let spans: Rc<[Span]> = self.masks.spans(text).into();
        self.read.borrow_mut().insert(text.to_owned(), Rc::clone(&spans));
        spans
    }

    /// The text with its secrets masked.
    pub(super) fn text<'t>(&self, text: &'t str) -> Masked<'t> {
        self.text_reporting(text, &mut |_| {})
    }

    /// The same, and reports each secret.
    pub(super) fn text_reporting<'t>(&self, text: &'t str, found: &mut dyn FnMut(&str)) -> Masked<'t> {
        mask_spans::replace(text, self.spans(text).to_vec(), found)
    }
}
