//! All detectors.

use std::sync::LazyLock;

use super::context_detectors::CONTEXTS;
use super::detector::Detector;
use super::token_detectors::SHAPES;
use super::token_prefix_detectors::VENDORS;

/// In order of specificity: if two detectors find the same text, the earlier one names it.
pub(super) static TABLE: LazyLock<Vec<&'static Detector>> =
    LazyLock::new(|| SHAPES.iter().chain(VENDORS).chain(CONTEXTS).collect());

/// Every built-in detector, the most specific first.
pub fn detectors() -> impl Iterator<Item = &'static Detector> {
    TABLE.iter().copied()
}
