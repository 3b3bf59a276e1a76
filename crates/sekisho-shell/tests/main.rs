//! What the analysis finds, against expectations and against bash itself.
#![expect(clippy::disallowed_methods, reason = "the differential test runs bash and reads what it did")]

mod differential;
mod grammar;
mod hostile;
mod lenient;
mod normalise;
mod render;
mod words;

/// Analyses `text` and compares with what [`render::render`] should show.
#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(render::render(&sekisho_shell::analyse(text)), expected, "in {text:?}");
}
