//! A program that only exits: what starting any program costs, built as the hook is.
fn main() {}
