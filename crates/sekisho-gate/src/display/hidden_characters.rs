//! Characters that hide or disguise text, made visible.
//!
//! The text of calls is untrusted. Characters that would move the cursor, change colours, reverse text,
//! have no width or look like a space must be visible and have no effect. `\u{…}` in visible text
//! always stands for a hidden character: if the text itself contains `\u{`, its backslash is escaped too,
//! so two different texts never look the same.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory, Script};
use icu_properties::{CodePointMapData, CodePointSetData};
use schemars::JsonSchema;
use sekisho_policy::Call;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whether line breaks and tabs are layout, or are escaped like any other control character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One line: they are escaped.
    Line,
    /// A command or a file: they are kept.
    Text,
}

/// How a character hides or disguises text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Hiding")]
pub enum HidingKind {
    /// Starts a terminal sequence: colours, cursor, clipboard.
    Escape,
    /// Any other control character, such as a carriage return, which lets a line be overwritten.
    Control,
    /// Reverses the direction of text.
    Direction,
    /// Has no width.
    ZeroWidth,
    /// Encodes text that people do not see but a model reads.
    Tag,
    /// Changes the look of the previous character, or carries data after it.
    Selector,
    /// A letter that shows nothing.
    Filler,
    /// Looks like a space but is not a separator to a shell.
    Blank,
    /// Has no meaning outside a font.
    PrivateUse,
    /// Has no meaning in Unicode, now or ever.
    Unassigned,
    /// A combining mark without a base character of its script, or one of too many.
    LoneMark,
}

impl HidingKind {
    /// Whether it makes a reader see a different text from the real one.
    pub fn deceives(self) -> bool {
        matches!(
            self,
            HidingKind::Escape
                | HidingKind::Control
                | HidingKind::Direction
                | HidingKind::ZeroWidth
                | HidingKind::Tag
                | HidingKind::Filler
        )
    }
}

/// A character that was escaped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "HiddenCharacter")]
pub struct HiddenCharacter {
    /// The escaped form: `\u{202e}`.
    pub shown_as: String,
    /// How it hides text.
    pub hiding: HidingKind,
    /// How often it occurs in the call.
    pub times: usize,
}

/// Escapes every character that is not visible as `\u{…}`.
pub fn visible(text: &str, layout: Layout) -> Cow<'_, str> {
    if is_plain(text, layout) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(Visible::of(text, layout).text)
}

/// The common case, decided without a table.
fn is_plain(text: &str, layout: Layout) -> bool {
    let plain = |byte: u8| match byte {
        b'\n' | b'\t' => layout == Layout::Text,
        _ => matches!(byte, b' '..=b'~'),
    };
    text.bytes().all(plain) && !text.contains("\\u{")
}

/// A text made visible, with the mapping of its offsets.
pub(super) struct Visible {
    pub(super) text: String,
    /// For every escaped character: its end offset in the source and in the text.
    moved: Vec<(usize, usize)>,
}

impl Visible {
    pub(super) fn of(source: &str, layout: Layout) -> Visible {
        let mut made = Visible { text: String::with_capacity(source.len() + 16), moved: Vec::new() };
        let mut reader = Reader::new(layout);
        for (at, c) in source.char_indices() {
            let says_escape = c == '\\' && source.get(at..).is_some_and(|rest| rest.starts_with("\\u{"));
            if reader.hiding(c).is_some() || says_escape {
                // Writing to a string cannot fail.
                let _ = write!(made.text, "{}", c.escape_unicode());
                made.moved.push((at + c.len_utf8(), made.text.len()));
            } else {
                made.text.push(c);
            }
        }
        made
    }

    /// Maps a source offset to the text. An offset inside an escaped character maps to its start.
    pub(super) fn offset(&self, source: usize) -> usize {
        let before = self.moved.partition_point(|(end, _)| *end <= source);
        let (end, shown) = before.checked_sub(1).and_then(|at| self.moved.get(at)).copied().unwrap_or((0, 0));
        let offset = shown + (source - end);
        self.text.floor_char_boundary(offset.min(self.text.len()))
    }
}

/// Reads a text character by character. Whether a combining mark is alone depends on the characters
/// before it.
struct Reader {
    layout: Layout,
    /// Whether a mark can combine with the previous character.
    base: bool,
    /// The number of marks on the current character.
    pile: u8,
    /// The script of the previous character.
    script: Script,
}

/// More marks than this on one letter cover their neighbours.
const MAX_MARKS: u8 = 4;

impl Reader {
    fn new(layout: Layout) -> Reader {
        Reader { layout, base: false, pile: 0, script: Script::Common }
    }

    fn hiding(&mut self, c: char) -> Option<HidingKind> {
        if c.is_ascii_graphic() || c == ' ' {
            (self.base, self.pile) = (c.is_ascii_alphanumeric(), 0);
            self.script = if c.is_ascii_alphabetic() { Script::Latin } else { Script::Common };
            return None;
        }
        let category = CodePointMapData::<GeneralCategory>::new().get(c);
        let mark = matches!(category, GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark);
        let alone = alone(c, category, self.layout);
        let script = CodePointMapData::<Script>::new().get(c);
        if mark && alone.is_none() {
            // Some marks only join letters of their own script, and show nothing on others.
            self.base &= script == Script::Inherited || script == self.script;
            self.pile = self.pile.saturating_add(1);
            return (!self.base || self.pile > MAX_MARKS).then_some(HidingKind::LoneMark);
        }
        (self.base, self.pile) = (alone.is_none() && !matches!(c, '\n' | '\t'), 0);
        self.script = script;
        alone
    }
}

/// How a character hides text, regardless of context.
fn alone(c: char, category: GeneralCategory, layout: Layout) -> Option<HidingKind> {
    Some(match c {
        '\n' | '\t' if layout == Layout::Text => return None,
        '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}' => HidingKind::Escape,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            HidingKind::Direction
        }
        '\u{e0000}'..='\u{e007f}' => HidingKind::Tag,
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
            HidingKind::Selector
        }
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{16fe4}' => HidingKind::Filler,
        // Symbols and letters by category that are blank: a braille pattern without dots, hieroglyph
        // blanks, a note without a head.
        '\u{2800}' | '\u{13441}' | '\u{13442}' | '\u{1d159}' => HidingKind::Blank,
        _ => match category {
            GeneralCategory::Control => HidingKind::Control,
            GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator => HidingKind::Control,
            GeneralCategory::SpaceSeparator => HidingKind::Blank,
            GeneralCategory::PrivateUse => HidingKind::PrivateUse,
            GeneralCategory::Format => HidingKind::ZeroWidth,
            _ if CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c) => HidingKind::ZeroWidth,
            GeneralCategory::Unassigned | GeneralCategory::Surrogate => HidingKind::Unassigned,
            _ => return None,
        },
    })
}

/// The first way in which a text misleads its reader.
pub(super) fn deceit(text: &str) -> Option<HidingKind> {
    let mut reader = Reader::new(Layout::Text);
    text.chars().filter_map(|c| reader.hiding(c)).find(|hiding| hiding.deceives())
}

/// Every hiding character of a call: in its tool, server, directory and input, keys and values.
pub(super) fn count_hidden(call: &Call) -> Vec<HiddenCharacter> {
    let mut found: BTreeMap<(HidingKind, char), usize> = BTreeMap::new();
    let mut count = |text: &str| {
        let mut reader = Reader::new(Layout::Text);
        for c in text.chars() {
            if let Some(hiding) = reader.hiding(c) {
                *found.entry((hiding, c)).or_default() += 1;
            }
        }
    };
    count(&call.tool);
    call.server.iter().for_each(|server| count(&server.id));
    call.cwd.iter().for_each(|cwd| count(cwd));
    let mut open = vec![&call.input];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => count(text),
            Value::Array(values) => open.extend(values),
            Value::Object(fields) => {
                fields.keys().for_each(|key| count(key));
                open.extend(fields.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let hidden = found.into_iter();
    hidden
        .map(|((hiding, c), times)| HiddenCharacter {
            shown_as: c.escape_unicode().to_string(),
            hiding,
            times,
        })
        .collect()
}
