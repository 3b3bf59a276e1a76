//! Numbers of CSS values: sizes, parts and positions.

use super::css_tokens::Token;
use super::visibility::Visibility;

/// The largest opacity or scale that counts as none.
pub(super) const FAINT: f64 = 0.1;
/// The largest size of text that counts as none, in pixels.
pub(super) const TINY: f64 = 2.0;
/// Positions that are possibly outside every screen, and those that are for sure, in pixels.
pub(super) const FAR: f64 = -800.0;
pub(super) const VERY_FAR: f64 = -3000.0;
/// A place to the right of or below an ordinary screen, in pixels.
pub(super) const FAR_RIGHT: f64 = 1000.0;

/// The numbers of a value with their units.
pub(super) fn numbers(value: &[Token]) -> impl Iterator<Item = (f64, &str)> {
    value.iter().filter_map(|token| match token {
        Token::Number(number, unit) => Some((*number, &**unit)),
        _ => None,
    })
}

/// Whether a value has to be calculated.
pub(super) fn has_function(value: &[Token]) -> bool {
    value.iter().any(|token| matches!(token, Token::Function(_)))
}

/// A number without a unit, or a percentage as a part of one.
pub(super) fn ratio(number: f64, unit: &str) -> f64 {
    if unit == "%" { number / 100.0 } else { number }
}

/// A length in pixels of an ordinary screen, roughly.
pub(super) fn pixels(number: f64, unit: &str) -> f64 {
    number
        * match unit {
            "" | "px" => 1.0,
            "pt" => 4.0 / 3.0,
            "in" => 96.0,
            "cm" => 37.8,
            "mm" => 3.78,
            "q" => 0.945,
            "em" | "rem" | "pc" | "lh" | "rlh" => 16.0,
            "ex" | "ch" | "cap" | "ic" => 8.0,
            // Of a screen or a box.
            _ => 10.0,
        }
}

/// Whether something is moved off the screen, to the left or upwards.
pub(super) fn offset(value: &[Token]) -> Visibility {
    let is_known = |token: &Token| match token {
        Token::Function(name) => matches!(&**name, "anchor" | "anchor-size"),
        _ => true,
    };
    let lowest = numbers(value).map(|(number, unit)| pixels(number, unit)).fold(0.0, f64::min);
    match value.iter().all(is_known) {
        true => offset_of(lowest),
        false => Visibility::Unsure,
    }
}

/// The same for a distance in pixels.
pub(super) fn offset_of(distance: f64) -> Visibility {
    match distance {
        distance if distance <= VERY_FAR => Visibility::Hidden,
        distance if distance <= FAR => Visibility::Unsure,
        _ => Visibility::Shown,
    }
}
