//! The secrets to mask: every built-in detector and the secrets that the operator configured.

use super::configured_secrets::ConfiguredSecrets;
use super::detector_scan::find;
use super::mask_spans::{self, Masked, Span};
use super::text_kind::TextKind;

/// The masks of one installation: the built-in detectors and the configured secrets.
pub struct Masks {
    exact: ConfiguredSecrets,
}

impl Masks {
    /// Masks for these secret values, besides the built-in detectors.
    ///
    /// Values of fewer than 8 characters are ignored: masking every `1234` would make the log
    /// unreadable and protect nothing.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Masks {
        Masks { exact: ConfiguredSecrets::new(secrets) }
    }

    /// The text with its secrets masked.
    pub fn text<'t>(&self, text: &'t str) -> Masked<'t> {
        mask_spans::replace(text, self.spans(text, TextKind::Plain), &mut |_| {})
    }

    /// The positions of the secrets in a text of this kind.
    pub(super) fn spans(&self, text: &str, kind: TextKind) -> Vec<Span> {
        let mut spans = Vec::new();
        self.exact.find(text, &mut spans);
        find(text, kind, &mut spans);
        spans
    }
}
