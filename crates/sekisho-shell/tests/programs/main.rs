//! The program table, judged by commands.

mod git;
mod harmless;
mod leading_words;
mod paths;
mod properties;
mod support;
mod table;
mod wrappers;
