//! A detector: its name, the keys where it could start, and how it searches from there.

use std::ops::Range;

use super::command_word_cache::CommandWordCache;
use super::detection::Detection;
use super::token_shape::Shape;

/// One named way to recognise a secret.
pub struct Detector {
    /// The name that replaces the secret in the log.
    pub name: &'static str,
    /// What the detector finds.
    pub doc: &'static str,
    /// The detector runs only where one of these occurs, in any letter case.
    pub(super) keys: &'static [&'static str],
    pub(super) find: Find,
}

/// How a detector searches.
pub(super) enum Find {
    /// By the key in its exact case, then pieces of a known shape.
    Shape(Shape),
    /// By the surrounding text.
    Context(fn(&[u8], Range<usize>) -> Detection),
    /// By the words of a command.
    Command(fn(&[u8], Range<usize>, &mut CommandWordCache) -> Detection),
}

impl Detector {
    pub(super) fn look(
        &self,
        bytes: &[u8],
        hit: Range<usize>,
        key: &str,
        commands: &mut CommandWordCache,
    ) -> Detection {
        match &self.find {
            Find::Shape(shape) if bytes.get(hit.clone()) == Some(key.as_bytes()) => shape.look(bytes, hit),
            Find::Shape(_) => Detection::NOTHING,
            Find::Context(look) => look(bytes, hit),
            Find::Command(look) => look(bytes, hit, commands),
        }
    }
}
