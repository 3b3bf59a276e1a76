//! A program that only exits, built like the hook: it measures what starting any program costs.
fn main() {}
