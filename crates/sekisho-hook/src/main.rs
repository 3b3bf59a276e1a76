//! The small program that agents start before each tool call.
//!
//! It reads the agent's request, judges the call by the policy compiled for it, writes a record to the spool,
//! and answers in the agent's format. If a human has to decide it asks the server and waits. It starts for
//! every call, so it contains nothing it does not need: no runtime, no database, no argument parser.
//!
//! Agents treat a failing hook as having no objection. So exactly one exit path lets a call run, and only on
//! purpose; every other path, a panic included, is a block.
#![forbid(unsafe_code)]

mod decision;
mod entry_point;
mod server_client;
mod spool_recorder;
mod watchdog;

use std::io::Write;
use std::process::ExitCode;

use sekisho_adapters::{Agent, HookResponse};

/// musl's allocator asks the kernel for memory page by page, which takes longer than judging.
#[global_allocator]
static MEMORY: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    // The block says what a panic message would.
    std::panic::set_hook(Box::new(|_| {}));
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let response = std::panic::catch_unwind(|| entry_point::run(&arguments)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        let agent = arguments.first().and_then(|name| name.parse().ok()).unwrap_or(Agent::ClaudeCode);
        sekisho_adapters::block(agent, &format!("sekisho: the hook crashed ({what}); the call is blocked"))
    });
    say(&response)
}

/// Writes the answer. An answer that cannot be written whole must not count: some agents run the call on half
/// of it.
fn say(response: &HookResponse) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(response.stdout.as_bytes()).and_then(|()| out.flush());
    let (reason, exit) = match &written {
        Ok(()) => (response.stderr.as_str(), response.exit),
        // Without a reason some agents do not treat it as a block.
        Err(_) => ("sekisho: the answer could not be written; the call is blocked\n", 2),
    };
    // If nobody can read this, the call is blocked all the same.
    let _ = std::io::stderr().write_all(reason.as_bytes());
    ExitCode::from(exit)
}
