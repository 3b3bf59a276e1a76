//! Shapes that clip an element and leave nothing of it.

use super::css_tokens::{Part, Token, parts};
use super::css_values::{FAINT, numbers, pixels};
use super::visibility::Visibility;

/// Where an edge is that a shape does not say, in pixels.
const FAR_EDGE: f64 = 10_000.0;
/// What one percent of a box counts as, in pixels.
const PERCENT: f64 = 10.0;

/// Whether the value of `clip` is an empty rectangle.
pub(super) fn clips_old_style(value: &[Token]) -> Visibility {
    let [Part::Function("rect", inside)] = *parts(value).collect::<Vec<_>>() else {
        return Visibility::Shown;
    };
    rectangle(inside)
}

/// A rectangle by its edges: top, right, bottom and left.
fn rectangle(inside: &[Token]) -> Visibility {
    let mut edges = Vec::new();
    for part in parts(inside) {
        match part {
            Part::Token(Token::Number(number, unit)) => edges.push(Some(pixels(*number, unit))),
            Part::Token(Token::Ident(word)) if word == "auto" => edges.push(None),
            Part::Token(Token::Ident(word)) if word == "round" => break,
            Part::Function(..) => return Visibility::Unsure,
            Part::Token(_) => {}
        }
    }
    match *edges {
        [top, right, bottom, left] => Visibility::hidden_if(
            bottom.unwrap_or(FAR_EDGE) - top.unwrap_or(0.0) <= 1.0
                || right.unwrap_or(FAR_EDGE) - left.unwrap_or(0.0) <= 1.0,
        ),
        _ => Visibility::Shown,
    }
}

/// Whether the value of `clip-path` leaves nothing.
pub(super) fn clips_everything(value: &[Token]) -> Visibility {
    let mut found = Visibility::Shown;
    for part in parts(value) {
        let Part::Function(shape, inside) = part else { continue };
        found = found.max(match shape {
            "url" => Visibility::Shown,
            "inset" | "circle" | "ellipse" | "polygon" | "rect" | "xywh" | "path" => {
                match parts(inside).any(is_function) {
                    true => Visibility::Unsure,
                    false => clips(shape, inside),
                }
            }
            _ => Visibility::Unsure,
        });
    }
    found
}

fn is_function(part: Part<'_>) -> bool {
    matches!(part, Part::Function(..))
}

fn clips(shape: &str, inside: &[Token]) -> Visibility {
    // What follows a word is about corners and the centre.
    let is_word = |token: &Token| matches!(token, Token::Ident(word) if word == "round" || word == "at");
    let end = inside.iter().position(is_word).unwrap_or(inside.len());
    let (before, after) = inside.split_at_checked(end).unwrap_or((inside, &[]));
    let sizes: Vec<(f64, &str)> = numbers(before).collect();
    Visibility::hidden_if(match shape {
        "inset" => leaves_nothing(&sizes),
        "circle" | "ellipse" => {
            let is_round = matches!(after.first(), Some(Token::Ident(word)) if word == "at");
            sizes.iter().any(|(size, _)| *size <= FAINT) || (is_round && is_outside(&sizes, after))
        }
        "polygon" => area(&sizes) <= 1.0,
        "rect" => return rectangle(inside),
        "xywh" => sizes.iter().skip(2).any(|(size, _)| *size <= FAINT),
        "path" => inside.iter().any(is_empty_path),
        _ => false,
    })
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

/// Whether a circle is left of its box or above it.
fn is_outside(radii: &[(f64, &str)], centre: &[Token]) -> bool {
    let size = |(size, unit): (f64, &str)| if unit == "%" { size * PERCENT } else { pixels(size, unit) };
    let radius = radii.iter().copied().map(size).fold(0.0, f64::max);
    !radii.is_empty() && numbers(centre).any(|place| size(place) + radius <= 0.0)
}

/// The area of a polygon, in pixels.
fn area(sizes: &[(f64, &str)]) -> f64 {
    let sizes: Vec<f64> = sizes
        .iter()
        .map(|(size, unit)| if *unit == "%" { size * PERCENT } else { pixels(*size, unit) })
        .collect();
    let points: Vec<[f64; 2]> = sizes.as_chunks().0.to_vec();
    let Some([x, y]) = points.first() else { return 0.0 };
    // The triangles with the first point. Those of crossed lines do not cancel each other.
    let triangle = |pair: &[[f64; 2]]| match pair {
        [[a, b], [c, d]] => ((a - x) * (d - y) - (c - x) * (b - y)).abs() / 2.0,
        _ => 0.0,
    };
    points.windows(2).map(triangle).sum()
}

/// A path whose numbers are all the same, or all negative, encloses nothing that is seen.
fn is_empty_path(token: &Token) -> bool {
    let Token::Text(path) = token else { return false };
    let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    let found: Vec<f64> = path.split(|c| !is_number(c)).filter_map(|number| number.parse().ok()).collect();
    let (lowest, highest) = found.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
        (low.min(*number), high.max(*number))
    });
    highest - lowest < 1.0 || highest < 0.0 || found.is_empty()
}
