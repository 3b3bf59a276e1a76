//! Tests of the program table.

mod git;
mod harmless;
mod leading_words;
mod paths;
mod properties;
mod support;
mod table;
mod wrappers;
