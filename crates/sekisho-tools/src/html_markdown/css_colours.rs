//! Colours of CSS, as far as it matters whether text in them can be seen.

use super::css_colour_names::named_colour;
use super::css_math::degrees;
use super::css_tokens::{Part, Token, parts};
use super::css_values::{FAINT, ratio};

/// How far two colours that look the same may be apart, for each of red, green and blue.
const SAME: f64 = 5.0;
/// The smallest part of a colour that can be seen when it is mixed with nothing.
const SEEN_PART: f64 = 20.0;

/// A colour. Red, green and blue are from 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Colour {
    rgb: [f64; 3],
    alpha: f64,
}

impl Colour {
    const CLEAR: Colour = Colour { rgb: [0.0; 3], alpha: 0.0 };

    pub(super) fn is_clear(&self) -> bool {
        self.alpha <= FAINT
    }

    /// Whether text in one of the colours cannot be read on the other.
    pub(super) fn looks_like(&self, background: &Colour) -> bool {
        let is_near = |(one, other): (&f64, &f64)| (one - other).abs() <= SAME;
        background.alpha > 0.5 && self.rgb.iter().zip(&background.rgb).all(is_near)
    }
}

/// What a value says about a colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Paint {
    Known(Colour),
    /// A colour that may not be visible.
    MaybeClear,
    /// A colour that is not known here.
    Unknown,
}

/// The colour that a value is. None if browsers ignore the value.
pub(super) fn paint(value: &[Token]) -> Option<Paint> {
    let mut all = parts(value);
    match (all.next()?, all.next()) {
        (part, None) => paint_of(part),
        _ => None,
    }
}

pub(super) fn paint_of(part: Part<'_>) -> Option<Paint> {
    match part {
        Part::Token(Token::Hash(digits)) => hex(digits).map(Paint::Known),
        Part::Token(Token::Ident(word)) => word_paint(word),
        Part::Function(name, inside) => function_paint(name, inside),
        Part::Token(_) => None,
    }
}

fn word_paint(word: &str) -> Option<Paint> {
    const OTHERS: &[&str] = &[
        "currentcolor",
        "inherit",
        "initial",
        "unset",
        "revert",
        "revert-layer",
        "canvas",
        "canvastext",
        "linktext",
        "visitedtext",
        "activetext",
        "buttonface",
        "buttontext",
        "buttonborder",
        "field",
        "fieldtext",
        "highlight",
        "highlighttext",
        "selecteditem",
        "selecteditemtext",
        "mark",
        "marktext",
        "graytext",
        "accentcolor",
        "accentcolortext",
        "window",
        "windowtext",
        "menu",
        "menutext",
        "infobackground",
        "infotext",
        "captiontext",
        "background",
        "threedface",
    ];
    if word == "transparent" {
        return Some(Paint::Known(Colour::CLEAR));
    }
    if let Some(rgb) = named_colour(word) {
        return Some(Paint::Known(Colour { rgb: rgb.map(f64::from), alpha: 1.0 }));
    }
    if OTHERS.contains(&word) {
        return Some(Paint::Unknown);
    }
    // Old pages leave out the `#`.
    matches!(word.len(), 3 | 6).then(|| hex(word)).flatten().map(Paint::Known)
}

fn hex(digits: &str) -> Option<Colour> {
    let digits: Vec<f64> = digits.chars().map(|c| c.to_digit(16).map(f64::from)).collect::<Option<_>>()?;
    let double = |digit: f64| digit * 17.0;
    let (rgb, alpha) = match *digits {
        [r, g, b] => ([r, g, b].map(double), 255.0),
        [r, g, b, a] => ([r, g, b].map(double), double(a)),
        [r, s, g, h, b, c] => ([r * 16.0 + s, g * 16.0 + h, b * 16.0 + c], 255.0),
        [r, s, g, h, b, c, a, z] => ([r * 16.0 + s, g * 16.0 + h, b * 16.0 + c], a * 16.0 + z),
        _ => return None,
    };
    Some(Colour { rgb, alpha: alpha / 255.0 })
}

fn function_paint(name: &str, inside: &[Token]) -> Option<Paint> {
    match name {
        "rgb" | "rgba" | "hsl" | "hsla" | "hwb" | "lab" | "lch" | "oklab" | "oklch" | "color" => {
            Some(colour_function(name, inside))
        }
        "color-mix" => Some(mixed(inside)),
        "light-dark" => {
            let is_clear = parts(inside).any(is_clear_part);
            Some(if is_clear { Paint::MaybeClear } else { Paint::Unknown })
        }
        "var" | "env" | "attr" | "if" | "contrast-color" | "device-cmyk" | "color-contrast" => {
            Some(Paint::Unknown)
        }
        _ => None,
    }
}

fn is_clear_part(part: Part<'_>) -> bool {
    match paint_of(part) {
        Some(Paint::Known(colour)) => colour.is_clear(),
        Some(Paint::MaybeClear) => true,
        _ => false,
    }
}

/// A number among the arguments of a colour. None for a value that is not known.
type Argument = Option<(f64, String)>;

fn colour_function(name: &str, inside: &[Token]) -> Paint {
    let is_relative = matches!(inside.first(), Some(Token::Ident(word)) if word == "from");
    let slash = inside.iter().position(|token| *token == Token::Sign('/'));
    let (channels, alpha) = inside.split_at_checked(slash.unwrap_or(inside.len())).unwrap_or((inside, &[]));
    let mut numbers = arguments(channels);
    let alpha = match slash {
        Some(_) => arguments(alpha).into_iter().next(),
        None if numbers.len() == 4 && !is_relative => numbers.pop(),
        None => None,
    };
    let alpha = match alpha {
        Some(Some((number, unit))) => ratio(number, &unit),
        Some(None) => return Paint::Unknown,
        None => 1.0,
    };
    if alpha <= FAINT {
        return Paint::Known(Colour::CLEAR);
    }
    if is_relative {
        let is_clear = parts(inside).any(is_clear_part) && slash.is_none();
        return if is_clear { Paint::MaybeClear } else { Paint::Unknown };
    }
    match channels_to_rgb(name, channels, &numbers) {
        Some(rgb) => Paint::Known(Colour { rgb, alpha }),
        None => Paint::Unknown,
    }
}

fn arguments(tokens: &[Token]) -> Vec<Argument> {
    parts(tokens)
        .filter_map(|part| match part {
            Part::Token(Token::Number(number, unit)) => Some(Some((*number, unit.clone()))),
            Part::Token(Token::Ident(word)) if word == "none" => Some(Some((0.0, String::new()))),
            Part::Function(..) => Some(None),
            Part::Token(_) => None,
        })
        .collect()
}

fn channels_to_rgb(name: &str, channels: &[Token], numbers: &[Argument]) -> Option<[f64; 3]> {
    let [Some((first, unit)), Some((second, second_unit)), Some((third, third_unit))] = numbers else {
        return None;
    };
    let whole =
        |number: f64, unit: &str, whole: f64| if unit == "%" { number / 100.0 * whole } else { number };
    // Here a number without a unit is a percentage.
    let part = |number: f64| (number / 100.0).clamp(0.0, 1.0);
    match name {
        "rgb" | "rgba" => {
            let channel = |number: f64, unit: &str| whole(number, unit, 255.0).clamp(0.0, 255.0);
            Some([channel(*first, unit), channel(*second, second_unit), channel(*third, third_unit)])
        }
        "hsl" | "hsla" => {
            Some(hsl(degrees(*first, unit).unwrap_or(*first), part(*second), part(*third)).map(|c| c * 255.0))
        }
        "hwb" => {
            let (white, black) = (part(*second), part(*third));
            if white + black >= 1.0 {
                return Some([white / (white + black) * 255.0; 3]);
            }
            let pure = hsl(degrees(*first, unit).unwrap_or(*first), 1.0, 0.5);
            Some(pure.map(|c| (c * (1.0 - white - black) + white) * 255.0))
        }
        "color" => {
            let is_usual = matches!(channels.first(), Some(Token::Ident(space)) if space == "srgb" || space == "display-p3");
            let channel = |number: f64, unit: &str| whole(number, unit, 1.0).clamp(0.0, 1.0) * 255.0;
            is_usual
                .then(|| [channel(*first, unit), channel(*second, second_unit), channel(*third, third_unit)])
        }
        // Of these only black and white are told apart from the rest.
        _ => {
            let lightness =
                whole(*first, unit, 1.0) / if name.starts_with("ok") || unit == "%" { 1.0 } else { 100.0 };
            match lightness {
                light if light >= 0.995 => Some([255.0; 3]),
                light if light <= 0.005 => Some([0.0; 3]),
                _ => None,
            }
        }
    }
}

/// Red, green and blue from 0 to 1.
fn hsl(hue: f64, saturation: f64, lightness: f64) -> [f64; 3] {
    let spread = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|shift| {
        let k = (shift + hue.rem_euclid(360.0) / 30.0) % 12.0;
        lightness - spread * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
    })
}

/// A mixture with nothing may leave nothing.
fn mixed(inside: &[Token]) -> Paint {
    let all: Vec<Part<'_>> = parts(inside).collect();
    let mut sides = all.split(|part| matches!(part, Part::Token(Token::Sign(',')))).skip(1);
    let (Some(one), Some(other)) = (sides.next(), sides.next()) else { return Paint::MaybeClear };
    let share = |side: &[Part<'_>]| {
        side.iter().find_map(|part| match part {
            Part::Token(Token::Number(number, unit)) if unit == "%" => Some(*number),
            _ => None,
        })
    };
    let is_clear = |side: &[Part<'_>]| side.iter().any(|part| is_clear_part(*part));
    let seen = match (is_clear(one), is_clear(other)) {
        (false, false) => return Paint::Unknown,
        (true, true) => 0.0,
        (false, true) => share(one).or(share(other).map(|rest| 100.0 - rest)).unwrap_or(50.0),
        (true, false) => share(other).or(share(one).map(|rest| 100.0 - rest)).unwrap_or(50.0),
    };
    if seen < SEEN_PART { Paint::MaybeClear } else { Paint::Unknown }
}

/// The one colour of a gradient. None if it has several, or colours that are not known.
pub(super) fn gradient_colour(inside: &[Token]) -> Option<Colour> {
    let mut first: Option<Colour> = None;
    for paint in parts(inside).filter_map(paint_of) {
        let Paint::Known(colour) = paint else { return None };
        let is_same = |first: Colour| match first.is_clear() {
            true => colour.is_clear(),
            false => first.looks_like(&colour),
        };
        if !first.is_none_or(is_same) {
            return None;
        }
        first = Some(colour);
    }
    first
}

#[cfg(test)]
mod tests {
    use super::super::css_tokens::declarations;
    use super::*;

    fn found(value: &str) -> Option<Paint> {
        paint(&declarations(&format!("a:{value}")).next().unwrap().value)
    }

    #[track_caller]
    fn check(value: &str, rgb: [f64; 3]) {
        let Some(Paint::Known(colour)) = found(value) else { panic!("{value}: {:?}", found(value)) };
        assert_eq!((colour.rgb.map(f64::round), colour.is_clear()), (rgb, false), "{value}");
    }

    #[test]
    fn spellings_of_a_colour() {
        for white in [
            "white",
            "#fff",
            "#FFFFFF",
            "#ffffffff",
            "fff",
            "rgb(255,255,255)",
            "rgb(255 255 255 / 1)",
            "rgb(100% 100% 100%)",
            "rgba(300,255,255,.9)",
            "hsl(0,0%,100%)",
            "hwb(0 100% 0%)",
            "lab(100% 0 0)",
            "oklch(1 0 0)",
            "color(srgb 1 1 1)",
        ] {
            check(white, [255.0; 3]);
        }
        check("hsl(120deg 100% 25%)", [0.0, 128.0, 0.0]);
        check("hsl(0.5turn, 100%, 50%)", [0.0, 255.0, 255.0]);
        check("hwb(0 20% 40%)", [153.0, 51.0, 51.0]);
        check("rebeccapurple", [102.0, 51.0, 153.0]);
    }

    #[test]
    fn colours_that_cannot_be_seen() {
        for clear in [
            "transparent",
            "#0000",
            "#12345600",
            "rgba(0,0,0,0)",
            "rgb(0 0 0 / 0%)",
            "rgba(0 0 0 / none)",
            "hwb(0 0% 0% / 0)",
            "lab(50% 0 0 / 0)",
            "oklch(0.5 0 0 / 0)",
            "color(srgb 0 0 0 / 0)",
            "rgb(from red r g b / 0)",
        ] {
            let is_clear = matches!(found(clear), Some(Paint::Known(colour)) if colour.is_clear());
            assert!(is_clear, "{clear}: {:?}", found(clear));
        }
        for maybe in [
            "color-mix(in srgb, red 0%, transparent)",
            "color-mix(in srgb, transparent, rgb(1,2,3) 5%)",
            "color-mix(in srgb, red, transparent 95%)",
            "light-dark(transparent, #0000)",
            "rgb(from transparent r g b)",
        ] {
            assert_eq!(found(maybe), Some(Paint::MaybeClear), "{maybe}");
        }
        for unknown in [
            "currentColor",
            "inherit",
            "var(--x)",
            "color-mix(in srgb, red 60%, transparent)",
            "rgb(0 0 0 / var(--a))",
        ] {
            assert_eq!(found(unknown), Some(Paint::Unknown), "{unknown}");
        }
        for ignored in ["bogus", "bogus bogus", "red blue", "#12345", "1px", "bogus(1)", "#ggg"] {
            assert_eq!(found(ignored), None, "{ignored}");
        }
    }
}
