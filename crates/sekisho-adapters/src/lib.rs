//! Translates between agents' hook protocols and sekisho's types.
//!
//! An agent describes a call to its hook in its own format. [`read`] makes a [`Call`](sekisho_policy::Call)
//! of it, and [`HookRequest::respond`] formats the decision for that agent. There is one file per agent.
//! Nothing here touches files, the clock or the environment, except what is passed in.
//!
//! [`foreign_rules`] does the same for the rules that agents keep in files of their own.
//!
//! Every failure here is a block ([`block_request`]): agents treat an empty answer as no objection.
#![forbid(unsafe_code)]

mod agent;
mod call_id;
mod claude_code;
mod codex;
mod codex_app_server;
mod dispatch;
pub mod foreign_rules;
mod gemini_cli;
mod hook_fields;
mod hook_request;
mod hook_response;
mod mcp_tool_name;
mod opencode;

pub use agent::Agent;
pub use call_id::derive_call_id;
pub use dispatch::{block_request, read};
pub use hook_request::{HookEvent, HookRequest, HookRequestError, ReportedOutcome, UserPresence};
pub use hook_response::{HookDecision, HookResponse, block};
pub use opencode::opencode_plugin;
