//! Foreign agents' wires and our nouns, one into the other.
//!
//! An agent tells its hook about a call in its own words; [`read`] makes a [`Call`](sekisho_policy::Call) of them, and
//! [`Asked::say`] says the outcome in the words that agent understands. One file an agent, nothing else: no files, no
//! clock, no environment but what is handed in.
//!
//! [`carry`] does the same for the rules that agents keep in files of their own.
//!
//! Whatever goes wrong here is a block ([`block_told`]): agents take a hook that says nothing for one that does not mind.
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
mod opencode;
mod tool_name;

pub use agent::Agent;
pub use call_id::derive_call_id;
pub use dispatch::{block_request, read};
pub use hook_request::{HookEvent, HookRequest, HookRequestError, ReportedOutcome, UserPresence};
pub use hook_response::{HookDecision, HookResponse, block};
pub use opencode::opencode_plugin;
