//! A QR code in a terminal: two rows of modules a line, by half blocks.

use qrcode::{Color, EcLevel, QrCode};

/// Empty modules around a code; readers need them.
const QUIET: usize = 2;

/// A text as a code. `None`: it is too long for one.
pub(super) fn code(text: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
    let width = code.width();
    let modules = code.to_colors();
    let side = width + 2 * QUIET;
    // Light modules are drawn and dark ones left out: on a dark terminal that is how a code looks on paper.
    let light = |row: usize, column: usize| {
        let inside = |at: usize| at.checked_sub(QUIET).filter(|at| *at < width);
        match (inside(row), inside(column)) {
            (Some(row), Some(column)) => modules.get(row * width + column) != Some(&Color::Dark),
            _ => row < side,
        }
    };
    let mut drawn = String::new();
    for row in (0..side).step_by(2) {
        for column in 0..side {
            drawn.push(match (light(row, column), light(row + 1, column)) {
                (true, true) => '█',
                (true, false) => '▀',
                (false, true) => '▄',
                (false, false) => ' ',
            });
        }
        drawn.push('\n');
    }
    drawn.pop();
    Some(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The modules that a drawing shows: dark is `true`.
    fn read(drawn: &str) -> Vec<Vec<bool>> {
        let mut rows = Vec::new();
        for line in drawn.lines() {
            rows.push(line.chars().map(|c| matches!(c, ' ' | '▄')).collect());
            rows.push(line.chars().map(|c| matches!(c, ' ' | '▀')).collect());
        }
        rows
    }

    #[test]
    fn a_drawing_shows_every_module_and_the_quiet_around() {
        let text = format!("http://127.0.0.1:8787/#link=skl_{}", "0123456789abcdef".repeat(4));
        let code = QrCode::with_error_correction_level(&text, EcLevel::L).unwrap();
        let drawn = read(&super::code(&text).unwrap());
        let width = code.width();
        for row in 0..width {
            for column in 0..width {
                let dark = code[(column, row)] == Color::Dark;
                assert_eq!(drawn[row + QUIET][column + QUIET], dark, "{row} {column}");
            }
        }
        for row in drawn.iter().take(width + 2 * QUIET) {
            assert!(!row[0] && !row[1] && !row[width + QUIET] && !row[width + QUIET + 1], "{row:?}");
        }
        assert!(
            !drawn[0].contains(&true) && !drawn[1].contains(&true) && !drawn[width + QUIET].contains(&true)
        );
    }

    #[test]
    fn what_is_too_long_has_no_code() {
        assert!(super::code(&"x".repeat(4000)).is_none());
    }
}
