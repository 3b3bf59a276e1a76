//! The program table, judged by commands.

mod git;
mod harmless;
mod leading;
mod paths;
mod properties;
mod support;
mod table;
mod wrappers;
