//! A detector: a name, where it could start, and how it looks from there.

use std::ops::Range;

use super::command_word_cache::CommandWordCache;
use super::detection::Detection;
use super::token_shape::Shape;

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
    Context(fn(&[u8], Range<usize>) -> Detection),
    /// By the words of a command.
    Command(fn(&[u8], Range<usize>, &mut CommandWordCache) -> Detection),
}

impl Detector {
    pub(super) fn look(&self, bytes: &[u8], hit: Range<usize>, key: &str, commands: &mut CommandWordCache) -> Detection {
        match &self.find {
            Find::Shape(shape) if bytes.get(hit.clone()) == Some(key.as_bytes()) => shape.look(bytes, hit),
            Find::Shape(_) => Detection::NOTHING,
            Find::Context(look) => look(bytes, hit),
            Find::Command(look) => look(bytes, hit, commands),
        }
    }
}
