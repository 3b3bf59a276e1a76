//! The layers shipped with sekisho.

use std::sync::OnceLock;

use crate::config_file;
use crate::layer::{BuiltinLevel, Layer};
use crate::rule::LayerKind;

/// Each text, and the strictest setting under which it applies.
pub(crate) const TEXTS: [(&str, BuiltinLevel); 3] = [
    (include_str!("builtin/always.json"), BuiltinLevel::None),
    (include_str!("builtin/seed.json"), BuiltinLevel::Seed),
    (include_str!("builtin/more.json"), BuiltinLevel::Full),
];

static PARSED: [OnceLock<Option<Layer>>; TEXTS.len()] = [const { OnceLock::new() }; TEXTS.len()];

/// The shipped layers that apply at this level. They are parsed once. Tests check them, so an error cannot
/// reach a user.
pub(crate) fn shipped<'a>(list: BuiltinLevel) -> impl Iterator<Item = &'a Layer> {
    let counts = move |(_, (_, strictest)): &(_, &(_, BuiltinLevel))| list <= *strictest;
    PARSED.iter().zip(&TEXTS).filter(counts).filter_map(|(parsed, (text, _))| {
        parsed.get_or_init(|| config_file::read(LayerKind::BuiltIn, "built-in", text).ok()).as_ref()
    })
}

/// The shipped layers that apply at this level.
pub fn built_in_layers(list: BuiltinLevel) -> Vec<Layer> {
    shipped(list).cloned().collect()
}
