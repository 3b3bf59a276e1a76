//! A detector: a name, where it could start, and how it looks from there.

use std::ops::Range;
use std::sync::LazyLock;

use super::contexts::CONTEXTS;
use super::shape::Shape;
use super::shapes::SHAPES;
use super::vendors::VENDORS;

/// One named way to know a secret.
pub struct Detector {
    /// What stands in the log where the secret stood.
    pub name: &'static str,
    /// What it finds.
    pub doc: &'static str,
    /// Without one of these, in any case of letters, there is nothing to look at.
    pub(super) keys: &'static [&'static str],
    pub(super) find: Find,
}

/// How a detector looks.
pub(super) enum Find {
    /// The key in its exact case, then pieces of a known shape.
    Shape(Shape),
    /// By the place it stands in.
    Context(fn(&[u8], Range<usize>) -> Looked),
}

/// What a detector saw from a place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Looked {
    /// These bytes are secret.
    Secret(Range<usize>),
    /// Each of these is; the detector read no further than a fixed reach.
    Secrets(Vec<Range<usize>>),
    /// Nothing; and no place up to `read` can lead to more.
    Nothing {
        /// Where the next look may start.
        read: usize,
    },
}

impl Looked {
    pub(super) const NOTHING: Looked = Looked::Nothing { read: 0 };
}

impl Detector {
    pub(super) fn look(&self, bytes: &[u8], hit: Range<usize>, key: &str) -> Looked {
        match &self.find {
            Find::Shape(shape) if bytes.get(hit.clone()) == Some(key.as_bytes()) => shape.look(bytes, hit),
            Find::Shape(_) => Looked::NOTHING,
            Find::Context(look) => look(bytes, hit),
        }
    }
}

/// The most telling name first: where two detectors claim the same text, the earlier one names it.
pub(super) static TABLE: LazyLock<Vec<&'static Detector>> =
    LazyLock::new(|| SHAPES.iter().chain(VENDORS).chain(CONTEXTS).collect());

/// Every built-in detector, the most telling first.
pub fn detectors() -> impl Iterator<Item = &'static Detector> {
    TABLE.iter().copied()
}
