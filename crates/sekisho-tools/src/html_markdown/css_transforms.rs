//! Transformations and filters that leave nothing of an element, or move it away.

use super::css_math::degrees;
use super::css_tokens::{Part, Token, parts};
use super::css_values::{FAINT, VERY_FAR, numbers, pixels, ratio};
use super::visibility::Visibility;

/// The cosine below which a surface is seen from its side.
const SIDEWAYS: f64 = 0.05;

/// What a value of `transform`, `filter`, `scale`, `rotate` or `translate` does.
pub(super) fn transformed(property: &str, value: &[Token]) -> Visibility {
    if matches!(property, "scale" | "translate" | "rotate") {
        return step(property, value);
    }
    let of_part = |part: Part<'_>| match part {
        Part::Function("var" | "env" | "attr" | "if", _) => Visibility::Unsure,
        Part::Function(name, inside) => step(name, inside),
        Part::Token(_) => Visibility::Shown,
    };
    let found = parts(value).map(of_part).max().unwrap_or_default();
    found.max(Visibility::hidden_if(is_behind_reader(value)))
}

/// Whether something is moved nearer than the reader's eye.
fn is_behind_reader(value: &[Token]) -> bool {
    let mut distance = f64::INFINITY;
    parts(value).any(|part| {
        let Part::Function(name, inside) = part else { return false };
        let last = numbers(inside).last().map_or(0.0, |(number, unit)| pixels(number, unit));
        match name {
            "perspective" => distance = last.max(1.0),
            "translatez" | "translate3d" => return last >= distance,
            _ => {}
        }
        false
    })
}

/// Whether a value turns an element so that its back is seen.
pub(super) fn shows_back(value: &[Token]) -> bool {
    parts(value).any(|part| match part {
        Part::Function(name @ ("rotatex" | "rotatey" | "rotate3d"), inside) => {
            facing(name, inside) < -SIDEWAYS
        }
        _ => false,
    })
}

fn step(name: &str, inside: &[Token]) -> Visibility {
    let counts = matches!(
        name,
        "scale"
            | "scalex"
            | "scaley"
            | "scalez"
            | "scale3d"
            | "matrix"
            | "matrix3d"
            | "opacity"
            | "rotatex"
            | "rotatey"
            | "rotate3d"
            | "skew"
            | "skewx"
            | "skewy"
            | "translate"
            | "translatex"
            | "translatey"
            | "translate3d"
    );
    if counts && parts(inside).any(|part| matches!(part, Part::Function(..))) {
        return Visibility::Unsure;
    }
    let sizes: Vec<f64> = numbers(inside).map(|(number, unit)| ratio(number, unit)).collect();
    let is_faint = |size: &f64| size.abs() <= FAINT / 2.0;
    Visibility::hidden_if(match name {
        "scale" | "scale3d" => sizes.iter().take(2).any(is_faint) || sizes.get(2) == Some(&0.0),
        "scalez" => sizes.first() == Some(&0.0),
        "scalex" | "scaley" => sizes.iter().any(is_faint),
        "matrix" | "matrix3d" => return matrix(&sizes),
        "opacity" => sizes.first().is_some_and(|size| *size <= FAINT),
        "rotate" | "rotatex" | "rotatey" | "rotate3d" => facing(name, inside).abs() <= SIDEWAYS,
        "skew" | "skewx" | "skewy" => angles(inside).any(|angle| angle.cos().abs() <= SIDEWAYS / 2.0),
        // Galleries move the row of their images, which remains in view, and long lists move their rows down.
        "translate" | "translatex" | "translatey" | "translate3d" => {
            let is_vertical = |at: usize| name == "translatey" || at > 0;
            let is_far = |(at, (number, unit)): (usize, (f64, &str))| {
                let moved = pixels(number, unit);
                moved <= VERY_FAR || (moved >= -VERY_FAR && !is_vertical(at))
            };
            return match numbers(inside).enumerate().any(is_far) {
                true => Visibility::Unsure,
                false => Visibility::Shown,
            };
        }
        _ => false,
    })
}

/// Matrices have their columns one after the other; only width and height count here.
fn matrix(sizes: &[f64]) -> Visibility {
    let (a, b, c, d, x, y) = match *sizes {
        [a, b, c, d, x, y] => (a, b, c, d, x, y),
        [a, b, _, _, c, d, _, _, _, _, _, _, x, y, ..] => (a, b, c, d, x, y),
        _ => return Visibility::Shown,
    };
    match (a * d - b * c).abs() <= FAINT * FAINT {
        true => Visibility::Hidden,
        false if x <= VERY_FAR || x >= -VERY_FAR || y <= VERY_FAR => Visibility::Unsure,
        false => Visibility::Shown,
    }
}

fn angles(inside: &[Token]) -> impl Iterator<Item = f64> {
    numbers(inside).filter_map(|(number, unit)| degrees(number, unit)).map(f64::to_radians)
}

/// How much of a surface faces the reader after a rotation: 1 from the front, 0 from its side, -1 from the back.
fn facing(name: &str, inside: &[Token]) -> f64 {
    let Some(cosine) = angles(inside).next().map(f64::cos) else { return 1.0 };
    let axis: Vec<f64> =
        numbers(inside).filter(|(_, unit)| unit.is_empty()).map(|(number, _)| number).collect();
    let z = match (name, inside.first(), &*axis) {
        ("rotatex" | "rotatey", ..) => 0.0,
        (_, Some(Token::Ident(axis)), _) if axis == "x" || axis == "y" => 0.0,
        (_, _, [x, y, z]) => z / (x * x + y * y + z * z).sqrt().max(f64::MIN_POSITIVE),
        _ => return 1.0,
    };
    cosine + z * z * (1.0 - cosine)
}
