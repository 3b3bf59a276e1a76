//! Shapes and transformations of CSS that leave nothing of an element.

use super::css_tokens::Token;
use super::css_values::{FAINT, numbers, offset, pixels, ratio};
use super::visibility::Visibility;

/// Whether the value of `clip` is an empty rectangle.
pub(super) fn clips_old_style(value: &[Token]) -> bool {
    let edges: Vec<f64> = numbers(value).map(|(number, unit)| pixels(number, unit)).collect();
    match *edges {
        [top, right, bottom, left] => bottom - top <= 1.0 || right - left <= 1.0,
        _ => false,
    }
}

/// Whether the value of `clip-path` leaves nothing.
pub(super) fn clips_everything(value: &[Token]) -> bool {
    let Some(Token::Function(shape)) = value.first() else { return false };
    // What follows a word is about corners and the centre.
    let is_word = |token: &Token| matches!(token, Token::Ident(_));
    let end = value.iter().position(is_word).unwrap_or(value.len());
    let sizes: Vec<(f64, &str)> = numbers(value.get(..end).unwrap_or(value)).collect();
    match &**shape {
        "inset" => leaves_nothing(&sizes),
        "circle" | "ellipse" => sizes.iter().any(|(size, _)| *size <= FAINT),
        "polygon" => !sizes.is_empty() && sizes.iter().all(|(size, _)| size.abs() <= FAINT),
        _ => false,
    }
}

/// Whether the edges of `inset()` meet. Only percentages say so by themselves.
fn leaves_nothing(edges: &[(f64, &str)]) -> bool {
    let edges: Vec<f64> =
        edges.iter().map(|(size, unit)| if *unit == "%" { *size } else { *size / 10.0 }).collect();
    let [top, right, bottom, left] = match *edges {
        [all] => [all; 4],
        [vertical, horizontal] => [vertical, horizontal, vertical, horizontal],
        [top, horizontal, bottom] => [top, horizontal, bottom, horizontal],
        [top, right, bottom, left] => [top, right, bottom, left],
        _ => return false,
    };
    top + bottom >= 99.0 || left + right >= 99.0
}

/// Whether transformations and filters leave nothing to see.
pub(super) fn transformed(value: &[Token]) -> Visibility {
    let mut found = Visibility::Shown;
    let begins = |token: &Token| matches!(token, Token::Function(_));
    let mut rest = value;
    // Numbers before the first function are those of the property `scale`.
    let mut name = "scale";
    loop {
        let end = rest.iter().position(begins).unwrap_or(rest.len());
        let (arguments, further) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        found = found.max(step(name, arguments));
        let Some((Token::Function(next), after)) = further.split_first() else { return found };
        (name, rest) = (next, after);
    }
}

fn step(name: &str, arguments: &[Token]) -> Visibility {
    let sizes: Vec<f64> = numbers(arguments).map(|(number, unit)| ratio(number, unit)).collect();
    let is_faint = |size: &f64| size.abs() <= FAINT / 2.0;
    let is_hidden = match name {
        "scale" | "scalex" | "scaley" | "scale3d" => sizes.iter().any(is_faint),
        "matrix" => match sizes.first_chunk() {
            Some([a, b, c, d]) => (a * d - b * c).abs() <= FAINT * FAINT,
            None => false,
        },
        "opacity" => sizes.first().is_some_and(|size| *size <= FAINT),
        // Galleries move the row of their images, which remains in view.
        "translate" | "translatex" | "translatey" | "translate3d"
            if offset(arguments) == Visibility::Hidden =>
        {
            return Visibility::Unsure;
        }
        _ => false,
    };
    if is_hidden { Visibility::Hidden } else { Visibility::Shown }
}
