//! Tools that run behind the gate, and the sandbox they run in.
//!
//! A [`Tool`] has a definition, a check and an `execute` that takes a [`PermittedCall`]. The only way to get one is to
//! spend a [`Permit`](sekisho_gate::Permit), so no tool runs without the gate. [`ToolRunner`] is the whole path of a
//! tool call: validate the input, let the tool add what it looks up itself, check it, pass it through the gate, validate
//! and check it again (a person may have edited it), record, execute, report.
//!
//! [`file_write`] and [`edit`] write through [`contained_write`], which never leaves the allowed directories.
//! [`read`], [`grep`] and [`glob_search`] open files through [`file_access`], which checks that what is opened is what
//! was judged.
//! [`git_ops`] builds git invocations that run nothing from the repository. [`forbidden`] lists what no rule
//! and no human can permit.
//!
//! [`self_eval`] runs the checks of a project. [`todo`], [`output_cache`] and [`skill_load`] are for agents: what they
//! store belongs to one run of an agent and goes through the trait [`RunStorage`].
//!
//! [`sub_agents`] are the tools by which an agent hands work on. Who runs the sub-agents implements the trait
//! [`Delegation`].
//!
//! [`web_fetch`] and [`web_search`] make requests through [`web`], which connects only to addresses that it checked.
//!
//! Programs run under the helper `sekisho-sandbox` (see [`sandbox`]), and [`process`] is the only module
//! that starts them.

mod bash_command;
mod contained_read;
pub mod contained_write;
pub mod delegation;
pub mod done;
pub mod edit;
pub mod file_access;
pub mod file_write;
pub mod forbidden;
pub mod git_ops;
pub mod glob_search;
pub mod grep;
pub mod html_markdown;
mod input_fields;
pub mod input_validation;
pub mod output_cache;
pub mod output_limit;
pub mod permitted_call;
pub mod process;
pub mod project_check;
mod public_address;
pub mod read;
mod records;
pub mod registry;
mod repository_files;
mod run_by_tools;
pub mod run_storage;
pub mod sandbox;
pub mod self_eval;
pub mod shell_exec;
pub mod skill_load;
pub mod sub_agents;
pub mod todo;
pub mod tool;
pub mod tool_config;
mod tool_config_narrowing;
pub mod tool_context;
pub mod tool_result;
pub mod tool_runner;
mod tree_search;
pub mod web;
pub mod web_fetch;
pub mod web_search;
pub mod write_guard;

pub use delegation::{Delegation, WantedSubAgent};
pub use permitted_call::PermittedCall;
pub use project_check::ProjectCheck;
pub use registry::ToolRegistry;
pub use run_storage::{CurrentRun, RunStorage};
pub use sandbox::{Network, RequiredLevel, Sandbox, SandboxLevel, SandboxSettings};
pub use tool::{Tool, ToolCategory, ToolDefinition};
pub use tool_config::{ToolConfig, ToolConfigError};
pub use tool_context::{GitPermission, OutputSink, OutputStream, ToolContext};
pub use tool_result::{ProcessEnd, ToolResult};
pub use tool_runner::{DurableCall, ToolError, ToolRunner};
