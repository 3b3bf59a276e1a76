//! Styles of boxes: their size, their place, and what is cut off at their edges.

use super::css_backgrounds::masks_everything;
use super::css_shapes::{clips_everything, clips_old_style};
use super::css_tokens::Token;
use super::css_transforms::{shows_back, transformed};
use super::css_values::{
    FAINT, FAR, FAR_RIGHT, VERY_FAR, has_function, numbers, offset, offset_of, pixels, ratio,
};
use super::visibility::{Doubt, Visibility};

/// The largest height or width that shows no text, in pixels.
const FLAT: f64 = 3.0;
/// The smallest padding that shows a part of the text, in pixels.
const READABLE_PADDING: f64 = 5.0;

/// The sides of a box in the order of CSS.
const TOP: usize = 0;
const RIGHT: usize = 1;
const BOTTOM: usize = 2;
const LEFT: usize = 3;

/// One direction of a box.
#[derive(Debug, Default)]
struct Extent {
    /// Whether it is as good as nothing.
    flat: Visibility,
    /// Whether it is given.
    is_set: bool,
    /// Whether there is at least so much that text is shown: `Shown` if there is.
    minimum: Option<Visibility>,
    cuts_off: Visibility,
}

/// How a box is placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Position {
    #[default]
    Usual,
    Absolute,
    /// On the screen, which does not scroll to it.
    Fixed,
}

/// What the declarations of a style say about a box.
#[derive(Debug, Default)]
pub(super) struct BoxStyles {
    own: Visibility,
    height: Extent,
    width: Extent,
    /// Whether its lines have no height.
    flat_lines: Visibility,
    /// Whether the size of the contents counts for nothing.
    ignores_contents: bool,
    /// Whether it is cut off at its edges.
    is_contained: bool,
    padding: [f64; 4],
    margin: [f64; 4],
    of_margin: Visibility,
    position: Position,
    /// How far it is moved from the left, top, right and bottom: whether that is outside a screen, and outside a page.
    off_screen: Visibility,
    off_page: Visibility,
    indent: Visibility,
    is_one_line: bool,
    hides_back: bool,
    shows_back: bool,
    is_right_to_left: bool,
    /// What is inside may be placed anywhere in the padding.
    is_container: bool,
}

impl BoxStyles {
    /// Takes a declaration whose variables and formulas are replaced, as far as they are known.
    pub(super) fn add(&mut self, property: &str, value: &[Token], doubt: Doubt) {
        let own = match property {
            "display" => keyword(value, &["none", "table-column", "table-column-group"]),
            "visibility" => keyword(value, &["hidden", "collapse"]),
            "content-visibility" => keyword(value, &["hidden"]),
            "opacity" | "zoom" => faint(value),
            "left" | "right" | "top" | "bottom" => {
                self.add_place(property, value, doubt);
                offset(value)
            }
            "clip" => clips_old_style(value),
            "clip-path" | "-webkit-clip-path" => clips_everything(value),
            "mask" | "mask-image" | "-webkit-mask" | "-webkit-mask-image" => {
                Visibility::hidden_if(masks_everything(value))
            }
            "mask-size" | "-webkit-mask-size" => Visibility::hidden_if(
                matches!(value.first(), Some(Token::Number(number, _)) if *number == 0.0),
            ),
            "transform" | "-webkit-transform" | "scale" | "rotate" | "translate" | "filter"
            | "-webkit-filter" => {
                self.shows_back |= shows_back(value);
                let moved = if property == "translate" { offset(value) } else { Visibility::Shown };
                moved.max(transformed(property.trim_start_matches("-webkit-"), value))
            }
            "offset" | "offset-path" => leads_away(value),
            property if property.starts_with("inset") => {
                self.add_place(property, value, doubt);
                offset(value)
            }
            _ => return self.add_size(property, value, doubt),
        };
        self.own = self.own.max(own.with(doubt));
    }

    fn add_size(&mut self, property: &str, value: &[Token], doubt: Doubt) {
        match property {
            "height" | "max-height" | "block-size" | "max-block-size" => {
                self.height.add(property, value, doubt)
            }
            "width" | "max-width" | "inline-size" | "max-inline-size" => {
                self.width.add(property, value, doubt)
            }
            "grid-template-rows" => {
                let is_zero = |(number, unit): (f64, &str)| number == 0.0 && unit != "fr";
                if numbers(value).count() > 0 && numbers(value).all(is_zero) {
                    self.height.flat = self.height.flat.max(Visibility::Hidden.with(doubt));
                }
            }
            "min-height" | "min-block-size" => self.height.add_minimum(value),
            "min-width" | "min-inline-size" => self.width.add_minimum(value),
            "overflow" | "overflow-x" | "overflow-y" | "overflow-block" | "overflow-inline" => {
                let found = keyword(value, &["hidden", "clip", "auto", "scroll", "-moz-hidden-unscrollable"])
                    .with(doubt);
                self.height.cuts_off = self.height.cuts_off.max(found);
                self.width.cuts_off = self.width.cuts_off.max(found);
            }
            "contain" => self.add_containment(value),
            "contain-intrinsic-size"
            | "contain-intrinsic-height"
            | "contain-intrinsic-block-size"
            | "aspect-ratio" => {
                self.height.is_set |=
                    numbers(value).any(|(number, _)| number > FLAT) || property == "aspect-ratio";
            }
            "line-height" | "font" => {
                self.flat_lines = self.flat_lines.max(line_height(property, value).with(doubt));
            }
            "text-indent" => self.add_indent(value, doubt),
            "white-space" | "text-wrap" | "text-wrap-mode" | "white-space-collapse" => {
                self.is_one_line |= keyword(value, &["nowrap", "pre"]) == Visibility::Hidden;
            }
            "position" => match value {
                [Token::Ident(word)] if word == "fixed" => self.position = Position::Fixed,
                [Token::Ident(word)] if word == "absolute" => self.position = Position::Absolute,
                [Token::Ident(word)] if word == "relative" => self.is_container = true,
                _ => {}
            },
            "direction" => self.is_right_to_left |= keyword(value, &["rtl"]) == Visibility::Hidden,
            "backface-visibility" | "-webkit-backface-visibility" => {
                self.hides_back |= keyword(value, &["hidden"]) == Visibility::Hidden;
            }
            property if property.starts_with("padding") => self.add_padding(property, value),
            property if property.starts_with("margin") => self.add_margin(property, value, doubt),
            _ => {}
        }
    }

    fn add_containment(&mut self, value: &[Token]) {
        let has = |words: &[&str]| keyword(value, words) == Visibility::Hidden;
        self.is_contained |= has(&["paint", "content", "strict"]);
        self.ignores_contents |= has(&["size", "strict"]);
    }

    fn add_padding(&mut self, property: &str, value: &[Token]) {
        let unknown = if has_function(value) { READABLE_PADDING } else { 0.0 };
        for (side, size) in sides(property.trim_start_matches("padding"), value) {
            if let Some(place) = self.padding.get_mut(side) {
                *place = size.max(unknown);
            }
        }
    }

    fn add_margin(&mut self, property: &str, value: &[Token], doubt: Doubt) {
        // Columns are laid out with such parts.
        let is_column = numbers(value).any(|(_, unit)| unit == "%");
        if doubt == Doubt::Sure && (!is_column || offset(value) == Visibility::Hidden) {
            for (side, size) in sides(property.trim_start_matches("margin"), value) {
                if let Some(place) = self.margin.get_mut(side) {
                    *place = place.min(size);
                }
            }
        }
        let is_far = |(number, unit)| pixels(number, unit) <= FAR;
        let is_doubtful = has_function(value) || doubt != Doubt::Sure;
        if doubt == Doubt::CouldMove || (is_doubtful && numbers(value).any(is_far)) {
            self.of_margin = Visibility::Unsure;
        }
    }

    /// Far to the left or upwards counts by itself. In the other directions a page grows, unless the box stays on the
    /// screen.
    fn add_place(&mut self, property: &str, value: &[Token], doubt: Doubt) {
        for (side, size) in sides(property.trim_start_matches("inset"), value) {
            let in_parts = numbers(value).any(|(_, unit)| !matches!(unit, "" | "px"));
            let off_screen = match size {
                size if size >= -VERY_FAR || (in_parts && size >= FAR_RIGHT) => Visibility::Hidden,
                size if size >= 2.0 * FAR_RIGHT => Visibility::Unsure,
                _ => Visibility::Shown,
            };
            // A menu may be next to what contains it: that is `100%`.
            let is_of_screen = numbers(value).any(|(_, unit)| unit.starts_with('v') || unit.ends_with("vw"));
            let off_page = match size {
                size if size >= -VERY_FAR && (side == RIGHT || side == BOTTOM) => Visibility::Hidden,
                size if side != TOP && (size >= -VERY_FAR || (is_of_screen && size >= FAR_RIGHT)) => {
                    Visibility::Unsure
                }
                _ => Visibility::Shown,
            };
            self.off_screen = self.off_screen.max(off_screen.with(doubt));
            self.off_page = self.off_page.max(off_page.with(doubt));
        }
    }

    fn add_indent(&mut self, value: &[Token], doubt: Doubt) {
        self.own = self.own.max(offset(value).with(doubt));
        let is_far = |(number, unit): (f64, &str)| pixels(number, unit) >= FAR_RIGHT;
        if numbers(value).any(is_far) {
            self.indent = self.indent.max(Visibility::Hidden.with(doubt));
        }
    }

    pub(super) fn visibility(&self) -> Visibility {
        let contained = Visibility::hidden_if(self.is_contained);
        let height_cut = self.height.cuts_off.max(contained);
        let of_contents = match self.ignores_contents && !self.height.is_set {
            true => Visibility::Hidden,
            false => Visibility::Shown,
        };
        let of_lines = if self.height.is_set { Visibility::Shown } else { self.flat_lines };
        let flat = self.height.flat().max(of_contents).max(of_lines);
        let mut found = self.own.max(self.of_margin);
        found = found.max(flat.min(height_cut).min(self.padding_visibility(TOP, BOTTOM)));
        let width_cut = self.width.cuts_off.max(contained);
        found = found.max(self.width.flat().min(width_cut).min(self.padding_visibility(LEFT, RIGHT)));
        // Without one of the two, some words or the whole line remain in reach.
        found = found.max(match self.is_one_line {
            true => self.indent.min(width_cut.max(Visibility::Unsure)),
            false => self.indent.min(width_cut).min(Visibility::Unsure),
        });
        found = found.max(match self.position {
            Position::Fixed => self.off_screen,
            Position::Absolute => self.off_page,
            Position::Usual => Visibility::Shown,
        });
        if self.hides_back && self.shows_back {
            found = found.max(Visibility::Unsure);
        }
        // Padding moves the text back to where it was.
        let moved = |side: usize| match (self.margin.get(side), self.padding.get(side)) {
            (Some(margin), Some(padding)) => offset_of(margin + padding),
            _ => Visibility::Shown,
        };
        found.max(moved(TOP)).max(moved(if self.is_right_to_left { RIGHT } else { LEFT }))
    }

    /// How far the padding of a flat box lets it stay hidden. The text is seen in the padding behind it. What has a place
    /// of its own is also seen in the padding before it.
    fn padding_visibility(&self, before: usize, behind: usize) -> Visibility {
        let is_wide = |side: usize| self.padding.get(side).is_some_and(|size| *size >= READABLE_PADDING);
        match (is_wide(before), is_wide(behind)) {
            (_, true) => Visibility::Shown,
            (true, false) if self.is_container => Visibility::Shown,
            (true, false) => Visibility::Unsure,
            (false, false) => Visibility::Hidden,
        }
    }
}

impl Extent {
    fn add(&mut self, property: &str, value: &[Token], doubt: Doubt) {
        let found = match value {
            [Token::Number(size, unit)] => {
                let is_flat = pixels(*size, unit) <= FLAT;
                self.is_set |= !is_flat && !property.starts_with("max");
                Visibility::hidden_if(is_flat)
            }
            value if is_unknown(value) => Visibility::Unsure,
            _ => Visibility::Shown,
        };
        self.flat = self.flat.max(found.with(doubt));
    }

    fn add_minimum(&mut self, value: &[Token]) {
        self.minimum = match value {
            [Token::Number(size, unit)] if unit == "%" && *size > 0.0 => Some(Visibility::Unsure),
            [Token::Number(size, unit)] if pixels(*size, unit) <= FLAT => self.minimum,
            _ => Some(Visibility::Shown),
        };
    }

    fn flat(&self) -> Visibility {
        self.flat.min(self.minimum.unwrap_or(Visibility::Hidden))
    }
}

/// The sides that a property such as `margin-left` is about, with their sizes in pixels. The text is taken to run from
/// the left to the right.
fn sides(suffix: &str, value: &[Token]) -> Vec<(usize, f64)> {
    let sizes: Vec<f64> = value
        .iter()
        .filter_map(|token| match token {
            Token::Number(number, unit) => Some(pixels(*number, unit)),
            Token::Ident(word) if word == "auto" => Some(0.0),
            _ => None,
        })
        .collect();
    let (first, last) = match *sizes {
        [all] => (all, all),
        [first, last] => (first, last),
        _ => (0.0, 0.0),
    };
    match suffix.trim_start_matches('-') {
        "" => match *sizes {
            [all] => [all; 4],
            [vertical, horizontal] => [vertical, horizontal, vertical, horizontal],
            [top, horizontal, bottom] => [top, horizontal, bottom, horizontal],
            [top, right, bottom, left] => [top, right, bottom, left],
            _ => return Vec::new(),
        }
        .into_iter()
        .enumerate()
        .collect(),
        "top" | "block-start" => vec![(TOP, first)],
        "bottom" | "block-end" => vec![(BOTTOM, first)],
        "left" | "inline-start" => vec![(LEFT, first)],
        "right" | "inline-end" => vec![(RIGHT, first)],
        "block" => vec![(TOP, first), (BOTTOM, last)],
        "inline" => vec![(LEFT, first), (RIGHT, last)],
        _ => Vec::new(),
    }
}

/// Whether a value has to be calculated and cannot be.
fn is_unknown(value: &[Token]) -> bool {
    let is_plain = |name: &str| {
        matches!(name, "fit-content" | "anchor" | "anchor-size" | "calc-size" | "-webkit-fill-available")
    };
    value.iter().any(|token| matches!(token, Token::Function(name) if !is_plain(name)))
}

/// Whether a path may lead off the screen.
fn leads_away(value: &[Token]) -> Visibility {
    let is_far = |token: &Token| match token {
        Token::Text(path) => path
            .split(|c: char| c != '-' && !c.is_ascii_digit())
            .any(|number| number.parse().is_ok_and(|number: f64| number.abs() >= -FAR)),
        _ => false,
    };
    if value.iter().any(is_far) { Visibility::Unsure } else { Visibility::Shown }
}

/// Whether a value is one of these words.
fn keyword(value: &[Token], words: &[&str]) -> Visibility {
    let is_word = |token: &Token| matches!(token, Token::Ident(word) if words.contains(&&**word));
    match value.iter().any(is_word) && !has_function(value) {
        true => Visibility::Hidden,
        false if has_function(value) => Visibility::Unsure,
        false => Visibility::Shown,
    }
}

fn faint(value: &[Token]) -> Visibility {
    match value {
        [Token::Number(number, unit)] => Visibility::hidden_if(ratio(*number, unit) <= FAINT),
        value if has_function(value) => Visibility::Unsure,
        _ => Visibility::Shown,
    }
}

/// Whether lines have no height. In `font`, their height follows a slash.
fn line_height(property: &str, value: &[Token]) -> Visibility {
    let place = value.iter().position(|token| *token == Token::Sign('/')).map(|slash| slash + 1);
    let height = if property == "font" { place.and_then(|place| value.get(place)) } else { value.first() };
    match height {
        Some(Token::Number(number, unit)) => Visibility::hidden_if(is_flat_line(*number, unit)),
        _ => Visibility::Shown,
    }
}

fn is_flat_line(number: f64, unit: &str) -> bool {
    match unit {
        "" => number <= FAINT,
        "%" => number <= FAINT * 100.0,
        unit => pixels(number, unit) <= FLAT / 2.0,
    }
}
