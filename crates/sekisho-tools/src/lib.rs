//! Tools that run behind the gate, and the sandbox they run in.
//!
//! A [`Tool`] has a definition, a check and an `execute` that takes a [`PermittedCall`]. Only spending a
//! [`Permit`](sekisho_gate::Permit) makes one, so no tool runs without the gate. [`ToolRunner`] is the
//! whole path of a tool call: validate, check, gate, validate and check again, record, execute, report.
//!
//! [`file_write`] and [`edit`] write through [`contained_write`], which never leaves the allowed directories.
//! [`git_ops`] builds git invocations that run nothing from the repository. [`forbidden`] lists what no rule
//! and no human can permit.
//!
//! Programs run under the helper `sekisho-sandbox` (see [`sandbox`]), and [`process`] is the only module
//! that starts them.

pub mod contained_write;
pub mod edit;
pub mod file_write;
pub mod forbidden;
pub mod git_ops;
mod input_fields;
pub mod input_validation;
pub mod output_limit;
pub mod permitted_call;
pub mod process;
mod records;
pub mod registry;
pub mod sandbox;
pub mod shell_exec;
pub mod tool;
pub mod tool_config;
pub mod tool_context;
pub mod tool_result;
pub mod tool_runner;
pub mod write_guard;

pub use permitted_call::PermittedCall;
pub use registry::ToolRegistry;
pub use sandbox::{Network, RequiredLevel, Sandbox, SandboxLevel, SandboxSettings};
pub use tool::{Tool, ToolCategory, ToolDefinition};
pub use tool_config::{ToolConfig, ToolConfigError};
pub use tool_context::{GitPermission, OutputSink, OutputStream, ToolContext};
pub use tool_result::{ProcessEnd, ToolResult};
pub use tool_runner::{ToolError, ToolRunner};
