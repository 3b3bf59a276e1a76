//! The text of a fetched page, as the model gets it.

use sekisho_gate::display::{Layout, visible};
use url::Url;

use super::charset::decode;
use super::media_type::{Media, MediaType};
use crate::html_markdown::{self, Stopped};

/// The text of a page.
#[derive(Debug, Default, PartialEq)]
pub(super) struct PageText {
    pub(super) title: Option<String>,
    /// With everything invisible escaped.
    pub(super) text: String,
    pub(super) charset: &'static str,
    /// What the reader has to know.
    pub(super) notes: Vec<String>,
}

/// Why there is no text.
#[derive(Debug, PartialEq)]
pub(super) enum NoText {
    /// The contents are not text, of this type.
    Binary(String),
    Charset(String),
    Stopped,
}

/// Makes text of the bytes of a page. Takes a while for large pages.
pub(super) fn page_text(
    bytes: &[u8],
    media: &MediaType,
    url: &Url,
    should_stop: &dyn Fn() -> bool,
) -> Result<PageText, NoText> {
    let contents = media.with_bytes(bytes);
    if let Media::Binary(kind) = contents {
        return Err(NoText::Binary(kind));
    }
    let is_html = contents == Media::Html;
    let decoded = decode(bytes, media.charset.as_deref(), is_html).map_err(NoText::Charset)?;
    if !is_html {
        return Ok(PageText {
            text: readable(&decoded.text),
            charset: decoded.charset,
            ..PageText::default()
        });
    }
    let page = html_markdown::convert(&decoded.text, url, should_stop).map_err(|Stopped| NoText::Stopped)?;
    Ok(PageText {
        title: page.title.filter(|title| !title.is_empty()).map(|title| readable_line(&title)),
        text: readable(&page.markdown),
        charset: decoded.charset,
        notes: page.incomplete.iter().map(ToString::to_string).collect(),
    })
}

/// A text whose invisible characters are escaped. Line ends are `\n`, and wide or narrow spaces are plain ones.
fn readable(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{c}'], "\n");
    visible(&text.replace(is_other_space, " "), Layout::Text).into_owned()
}

/// The same on one line.
pub(crate) fn readable_line(text: &str) -> String {
    let text: Vec<&str> = text.split(char::is_whitespace).filter(|word| !word.is_empty()).collect();
    visible(&text.join(" "), Layout::Line).into_owned()
}

/// Spaces of other widths, which pages use for layout.
fn is_other_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_escaped_and_layout_is_kept() {
        for (text, expected) in [
            ("a\r\nb\rc\n", "a\nb\nc\n"),
            ("\u{3000}段落", " 段落"),
            ("a\u{a0}b", "a b"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("a\u{200b}b\u{feff}", "a\\u{200b}b\\u{feff}"),
            ("\u{e0041}", "\\u{e0041}"),
            ("\u{1b}[31m", "\\u{1b}[31m"),
            ("\\u{202e}", "\\u{5c}u{202e}"),
        ] {
            assert_eq!(readable(text), expected);
        }
        assert_eq!(readable_line(" a\n b\t\u{202e}"), "a b \\u{202e}");
    }
}
