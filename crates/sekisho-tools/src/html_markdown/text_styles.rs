//! Styles of text: its size, its colour and the space between its letters.

use super::css_backgrounds::{Background, background};
use super::css_colours::{Paint, paint, paint_of};
use super::css_tokens::{Part, Token, parts};
use super::css_values::{FAINT, TINY, has_function, numbers, pixels, ratio};
use super::visibility::{Doubt, Visibility};

/// Letters that are moved so far over each other cannot be read, in pixels; or possibly cannot.
const UNREADABLE_SPACING: f64 = -100.0;
const TIGHT_SPACING: f64 = -14.0;
/// Space that moves all letters but the first off the screen.
const WIDE_SPACING: f64 = 1000.0;
/// The thinnest outline that can be seen, in pixels.
const THIN: f64 = 0.4;
/// Blur that leaves nothing to read, in pixels; and blur that possibly does.
const BLURRED: f64 = 20.0;
const SLIGHTLY_BLURRED: f64 = 5.0;

/// The value that counts: the last one, unless another is important.
#[derive(Debug)]
struct Last<T> {
    value: Option<T>,
    is_important: bool,
}

impl<T> Default for Last<T> {
    fn default() -> Self {
        Last { value: None, is_important: false }
    }
}

impl<T> Last<T> {
    fn set(&mut self, value: T, is_important: bool) {
        if is_important || !self.is_important {
            *self = Last { value: Some(value), is_important };
        }
    }
}

/// What the declarations of a style say about text.
#[derive(Debug, Default)]
pub(super) struct TextStyles {
    own: Visibility,
    size: Visibility,
    /// Whether a size is set that can be read and does not depend on the one around.
    has_readable_size: bool,
    colour: Last<(Paint, Doubt)>,
    fill: Last<(Paint, Doubt)>,
    background: Last<(Background, Doubt)>,
    background_image: Last<(Background, Doubt)>,
    is_clipped_to_text: bool,
    has_outline: bool,
    has_shadow: bool,
    /// A filter turns everything into one colour.
    is_one_colour: bool,
}

impl TextStyles {
    /// Takes a declaration whose variables and formulas are replaced, as far as they are known.
    pub(super) fn add(&mut self, property: &str, value: &[Token], doubt: Doubt, is_important: bool) {
        let found = match property {
            "font-size" | "font" => {
                let found = if property == "font" { font(value) } else { font_size(value) };
                self.size = self.size.max(found.with(doubt));
                self.has_readable_size |= doubt == Doubt::Sure && is_readable(value);
                return;
            }
            "letter-spacing" => letter_spacing(value).with_large(doubt),
            "word-spacing" => word_spacing(value).with_large(doubt),
            "font-size-adjust" => faint_adjustment(value).with(doubt),
            // Dots stand for the letters.
            "-webkit-text-security" => Visibility::hidden_if(is_dots(value)),
            "filter" | "-webkit-filter" => self.filter(value).with_large(doubt),
            _ => return self.add_colours(property, value, doubt, is_important),
        };
        self.own = self.own.max(found);
    }

    fn add_colours(&mut self, property: &str, value: &[Token], doubt: Doubt, is_important: bool) {
        match property {
            "color" => {
                paint(value).into_iter().for_each(|paint| self.colour.set((paint, doubt), is_important));
            }
            "-webkit-text-fill-color" => {
                paint(value).into_iter().for_each(|paint| self.fill.set((paint, doubt), is_important));
            }
            "background" | "background-color" => {
                let Some(found) = background(value) else { return };
                self.is_clipped_to_text |= found.is_clipped_to_text;
                self.background.set((found, doubt), is_important);
                if property == "background" {
                    self.background_image.set((Background::default(), Doubt::Sure), is_important);
                }
            }
            "background-image" => {
                let found = background(value);
                found.into_iter().for_each(|found| self.background_image.set((found, doubt), is_important));
            }
            "background-clip" | "-webkit-background-clip" => {
                self.is_clipped_to_text |= value.contains(&Token::Ident("text".into()));
            }
            "-webkit-text-stroke" | "-webkit-text-stroke-width" => {
                let is_wide = numbers(value).any(|(number, unit)| pixels(number, unit) >= THIN);
                self.has_outline |= is_wide && !parts(value).any(is_clear);
            }
            "text-shadow" => {
                self.has_shadow |= numbers(value).count() >= 2 && !parts(value).any(is_clear);
            }
            _ => {}
        }
    }

    /// Filters that concern text only; what they do to images is common.
    fn filter(&mut self, value: &[Token]) -> Visibility {
        let mut found = Visibility::Shown;
        for part in parts(value) {
            let Part::Function(name, inside) = part else { continue };
            let first = numbers(inside).next();
            found = found.max(match (name, first) {
                ("blur", Some((number, unit))) if pixels(number, unit) >= BLURRED => Visibility::Hidden,
                ("blur", Some((number, unit))) if pixels(number, unit) >= SLIGHTLY_BLURRED => {
                    Visibility::Unsure
                }
                // Black becomes white, as most pages are.
                ("invert", Some((number, unit))) if self.is_one_colour && ratio(number, unit) > 0.9 => {
                    Visibility::Unsure
                }
                ("blur", None) if has_function(inside) => Visibility::Unsure,
                ("contrast" | "brightness", Some((number, unit))) if ratio(number, unit) <= FAINT / 2.0 => {
                    self.is_one_colour = true;
                    Visibility::Shown
                }
                _ => Visibility::Shown,
            });
        }
        found
    }

    /// Whether the size of the text hides it.
    pub(super) fn size_visibility(&self) -> Visibility {
        self.size
    }

    pub(super) fn has_readable_size(&self) -> bool {
        self.has_readable_size
    }

    /// Whether anything but its size hides the text.
    pub(super) fn visibility(&self) -> Visibility {
        let found = self.own.max(self.colour_visibility());
        match self.is_one_colour && self.painted().is_some() {
            true => found.max(Visibility::Hidden),
            false => found,
        }
    }

    /// What is painted behind the text, if anything is.
    fn painted(&self) -> Option<(Paint, Doubt)> {
        let of = |last: &Last<(Background, Doubt)>| {
            last.value.and_then(|(found, doubt)| Some((found.paint?, doubt)))
        };
        of(&self.background_image).or(of(&self.background))
    }

    fn colour_visibility(&self) -> Visibility {
        let Some((paint, doubt)) = self.fill.value.or(self.colour.value) else { return Visibility::Shown };
        let found = match (paint, self.painted()) {
            (Paint::MaybeClear, _) => Visibility::Unsure,
            (Paint::Known(colour), painted) if colour.is_clear() => match painted {
                // The text has the colours of the background.
                Some(_) if self.is_clipped_to_text => Visibility::Shown,
                // A style sheet may set a background.
                None if self.is_clipped_to_text && self.background.value.is_none() => Visibility::Unsure,
                _ => Visibility::Hidden,
            },
            (Paint::Known(colour), Some((Paint::Known(behind), behind_doubt)))
                if colour.looks_like(&behind) =>
            {
                Visibility::Hidden.with(behind_doubt)
            }
            _ => Visibility::Shown,
        };
        match found.with(doubt) {
            Visibility::Shown => Visibility::Shown,
            _ if self.has_outline => Visibility::Shown,
            found if self.has_shadow => found.min(Visibility::Unsure),
            found => found,
        }
    }
}

fn is_clear(part: Part<'_>) -> bool {
    matches!(paint_of(part), Some(Paint::Known(colour)) if colour.is_clear())
}

fn is_tiny(number: f64, unit: &str) -> bool {
    // Here a percentage is one of the size around.
    let number = if unit == "%" { number * 0.016 } else { number };
    pixels(number, unit) <= TINY
}

fn font_size(value: &[Token]) -> Visibility {
    match value {
        [Token::Number(number, unit)] => Visibility::hidden_if(is_tiny(*number, unit)),
        value => formula(value),
    }
}

/// Whether a value of `font-size` or `font` sets a size that does not depend on the one around.
fn is_readable(value: &[Token]) -> bool {
    let is_size = |token: &Token| match token {
        Token::Number(number, unit) => {
            matches!(&**unit, "px" | "pt" | "rem" | "pc" | "mm" | "cm" | "in") && pixels(*number, unit) > TINY
        }
        Token::Ident(word) => {
            matches!(&**word, "x-small" | "small" | "medium" | "large" | "x-large" | "xx-large" | "initial")
        }
        _ => false,
    };
    value.iter().any(is_size) && !has_function(value)
}

/// The size is the first length that no slash is before.
fn font(value: &[Token]) -> Visibility {
    let mut follows_slash = false;
    for part in parts(value) {
        let Part::Token(token) = part else { continue };
        if let Token::Number(number, unit) = token
            && !follows_slash
            && (*number == 0.0 || (!unit.is_empty() && is_tiny(*number, unit)))
        {
            return Visibility::Hidden;
        }
        follows_slash = *token == Token::Sign('/');
    }
    formula(value)
}

/// Sizes that cannot be calculated. A sum is not small if its parts are not, and `clamp` is not below its first part.
fn formula(value: &[Token]) -> Visibility {
    let is_doubtful = |token: &Token| match token {
        Token::Function(name) => !matches!(&**name, "var" | "calc" | "max"),
        Token::Sign(sign) => matches!(sign, '*' | '-'),
        Token::Number(number, unit) => {
            *number < 0.0 || (is_tiny(*number, unit) && !unit.is_empty()) || *number == 0.0
        }
        _ => false,
    };
    let has_lower_limit = matches!(value, [Token::Function(name), Token::Number(number, unit), Token::Sign(','), ..]
        if name == "clamp" && !is_tiny(*number, unit));
    let is_unsure = has_function(value) && !has_lower_limit && value.iter().any(is_doubtful);
    if is_unsure { Visibility::Unsure } else { Visibility::Shown }
}

fn letter_spacing(value: &[Token]) -> Visibility {
    match value {
        [Token::Number(number, unit)] => match pixels(*number, unit) {
            space if space <= UNREADABLE_SPACING || space >= WIDE_SPACING => Visibility::Hidden,
            space if space <= TIGHT_SPACING => Visibility::Unsure,
            _ => Visibility::Shown,
        },
        _ => Visibility::Shown,
    }
}

fn word_spacing(value: &[Token]) -> Visibility {
    match value {
        [Token::Number(number, unit)] => Visibility::hidden_if(pixels(*number, unit).abs() >= WIDE_SPACING),
        _ => Visibility::Shown,
    }
}

fn faint_adjustment(value: &[Token]) -> Visibility {
    Visibility::hidden_if(numbers(value).any(|(number, _)| number <= FAINT / 2.0))
}

fn is_dots(value: &[Token]) -> bool {
    matches!(value, [Token::Ident(word)] if matches!(&**word, "disc" | "circle" | "square"))
}
