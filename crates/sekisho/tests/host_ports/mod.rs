//! The rulebook over this machine's files: remembered rules, trust, and reloading.

mod project_files;
mod remembered_rules;
mod rulebook_fixture;
