//! The small program that agents start before each tool call.
//!
//! It reads what the agent says, judges the call by the policy that was compiled for it, writes a line for the record, and
//! answers in the agent's own words. A call that a human has to decide is put to the server, which is waited for. It is
//! started for every call, so it holds nothing that it does not need: no runtime, no database, no parser of command lines.
//!
//! Agents take a hook that fails for one that does not mind. So there is one way out of here that lets a call run, and it
//! is taken on purpose; every other way, a panic included, is a block.
#![forbid(unsafe_code)]

mod decision;
mod entry_point;
mod server_client;
mod spool_recorder;
mod watchdog;

use std::io::Write;
use std::process::ExitCode;

use sekisho_adapters::{Agent, HookResponse};

/// musl's own asks the kernel for memory page by page, which takes longer than judging.
#[global_allocator]
static MEMORY: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    // What a panic would say is said by the block.
    std::panic::set_hook(Box::new(|_| {}));
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let said = std::panic::catch_unwind(|| entry_point::run(&arguments)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        let agent = arguments.first().and_then(|name| name.parse().ok()).unwrap_or(Agent::ClaudeCode);
        sekisho_adapters::block(
            agent,
            &format!("sekisho: the hook failed inside ({what}); the call is blocked"),
        )
    });
    say(&said)
}

/// Writes the answer. One that cannot be written whole must not count: some agents let a call run on half of it.
fn say(said: &HookResponse) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(said.stdout.as_bytes()).and_then(|()| out.flush());
    let (reason, exit) = match &written {
        Ok(()) => (said.stderr.as_str(), said.exit),
        // Without a reason some agents take it for no block.
        Err(_) => ("sekisho: the answer could not be written; the call is blocked\n", 2),
    };
    // Nobody reading this is no reason to let anything run.
    let _ = std::io::stderr().write_all(reason.as_bytes());
    ExitCode::from(exit)
}
