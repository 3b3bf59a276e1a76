//! Tests of the parser, with expected results and against bash itself.
#![expect(clippy::disallowed_methods, reason = "the differential test runs bash and reads its output")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic fails the test"
)]

mod awk_programs;
mod differential;
mod grammar;
mod hostile_input;
mod lenient_search;
mod normalise;
mod render;
mod words;

/// Analyses `text` and compares the result of [`render::render`].
#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(render::render(&sekisho_shell::analyse(text)), expected, "in {text:?}");
}
