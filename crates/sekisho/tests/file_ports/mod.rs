//! The rulebook over this machine's files: what is remembered, what is trusted, and what counts at once.

mod rulebook_fixture;
mod remembered_rules;
mod project_files;
