//! The texts and the filters that a text has.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::filters::Plan;

/// A filter with its arguments, without files.
#[derive(Clone)]
pub(super) enum Change {
    Filter(Rc<Plan>),
    Sed(Vec<String>),
}

/// The texts and the filters that all dry runs of a text have met.
#[derive(Default)]
pub(super) struct SeenTexts {
    pub(super) texts: BTreeSet<String>,
    pub(super) changes: BTreeMap<Vec<String>, Change>,
    /// What the filters make of the texts, if a word of a forbidden command is in it.
    pub(super) words: Vec<String>,
}
