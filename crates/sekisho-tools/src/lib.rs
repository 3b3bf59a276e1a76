//! The tools that an agent can be given.
//!
//! [`file_write`] and [`edit`] write through [`beneath`], which never leaves the allowed directories.
//! [`git_ops`] builds git invocations that run nothing from the repository. [`forbidden`] lists what no rule and
//! no human can permit.

pub mod beneath;
pub mod edit;
pub mod file_write;
pub mod forbidden;
pub mod git_ops;
mod input;
pub mod tool_types;
pub mod write_guard;
