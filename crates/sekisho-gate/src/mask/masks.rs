//! The masks of one installation.

use super::configured_secrets::ConfiguredSecrets;
use super::detector_scan::find;
use super::span_merge::{self, Masked, Span};

/// The masks of one installation: the built-in detectors and the configured secrets.
pub struct Masks {
    exact: ConfiguredSecrets,
}

impl Masks {
    /// Masks that know these secrets by value, besides the built-in detectors.
    ///
    /// Values under 8 characters are left out: masking every `1234` would hide the record, not the secret.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Masks {
        Masks { exact: ConfiguredSecrets::new(secrets) }
    }

    /// The text without its secrets.
    pub fn text<'t>(&self, text: &'t str) -> Masked<'t> {
        span_merge::replace(text, self.spans(text), &mut |_| {})
    }

    /// Where the secrets of a text stand.
    pub(super) fn spans(&self, text: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        self.exact.find(text, &mut spans);
        find(text, &mut spans);
        spans
    }
}
