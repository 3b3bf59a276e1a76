//! Tests of the tools that read: `read`, `grep` and `glob_search`. Each limit is an attack that is run.

mod contract;
mod gate;
mod glob_results;
mod grep_results;
mod ignore_files;
mod limits;
mod links;
mod names;
mod patterns;
mod protected_files;
mod read_results;
mod search_project;
mod special_files;
