//! Draws a QR code in a terminal with half blocks: two rows of modules per line.

use qrcode::{Color, EcLevel, QrCode};

/// Empty modules around the code. Readers need them.
const QUIET: usize = 2;

/// A text as a QR code; `None` if it is too long.
pub(super) fn code(text: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
    let width = code.width();
    let modules = code.to_colors();
    let side = width + 2 * QUIET;
    // Draw light modules and leave dark ones empty: on a dark terminal this looks like a code on paper.
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

    /// Reads a drawing back: dark modules are `true`.
    fn read(drawn: &str) -> Vec<Vec<bool>> {
        let mut rows = Vec::new();
        for line in drawn.lines() {
            rows.push(line.chars().map(|c| matches!(c, ' ' | '▄')).collect());
            rows.push(line.chars().map(|c| matches!(c, ' ' | '▀')).collect());
        }
        rows
    }

    #[test]
    fn drawing_shows_every_module_and_the_quiet_zone() {
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
    fn too_long_text_has_no_code() {
        assert!(super::code(&"x".repeat(4000)).is_none());
    }
}
