//! The background of an element, as far as it matters for the text in front of it.

use super::css_colours::{Paint, gradient_colour, paint_of};
use super::css_tokens::{Part, Token, parts};

/// What a value of `background` says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Background {
    /// None if nothing is painted.
    pub(super) paint: Option<Paint>,
    /// It is painted only where the text is.
    pub(super) is_clipped_to_text: bool,
}

const WORDS: &[&str] = &[
    "none",
    "repeat",
    "repeat-x",
    "repeat-y",
    "no-repeat",
    "space",
    "round",
    "scroll",
    "fixed",
    "local",
    "left",
    "right",
    "top",
    "bottom",
    "center",
    "auto",
    "cover",
    "contain",
    "border-box",
    "padding-box",
    "content-box",
    "text",
    "border-area",
];

/// Reads a value of `background`, `background-color` or `background-image`. None if browsers ignore it.
pub(super) fn background(value: &[Token]) -> Option<Background> {
    let mut found = Background::default();
    let mut has_image = false;
    for part in parts(value) {
        let paint = match part {
            Part::Token(Token::Ident(word)) if WORDS.contains(&&**word) => {
                found.is_clipped_to_text |= word == "text";
                None
            }
            Part::Token(Token::Number(..) | Token::Sign('/' | ',')) => None,
            Part::Token(Token::Text(_)) => {
                has_image = true;
                None
            }
            Part::Function(name, inside) if name.ends_with("gradient") => match gradient_colour(inside) {
                Some(colour) => Some(Paint::Known(colour)),
                None => {
                    has_image = true;
                    None
                }
            },
            Part::Function(
                "url" | "src" | "image" | "image-set" | "-webkit-image-set" | "cross-fade" | "element"
                | "paint",
                _,
            ) => {
                has_image = true;
                None
            }
            part => Some(paint_of(part)?),
        };
        found.paint = paint.filter(|paint| !is_clear(paint)).or(found.paint);
    }
    // What an image looks like is not known.
    if has_image {
        found.paint = Some(Paint::Unknown);
    }
    (!value.is_empty()).then_some(found)
}

fn is_clear(paint: &Paint) -> bool {
    matches!(paint, Paint::Known(colour) if colour.is_clear())
}

/// Whether nothing of an element is left, given a value of `mask` or `mask-image`.
pub(super) fn masks_everything(value: &[Token]) -> bool {
    let mut images = parts(value).filter_map(|part| match part {
        Part::Function(name, inside) => Some(
            name.ends_with("gradient") && gradient_colour(inside).is_some_and(|colour| colour.is_clear()),
        ),
        Part::Token(Token::Text(_)) => Some(false),
        Part::Token(_) => None,
    });
    images.next() == Some(true) && images.all(|is_clear| is_clear)
}
