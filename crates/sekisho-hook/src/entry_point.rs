//! Reads the command line and standard input, and dispatches the request.

use std::io::Read;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use sekisho_adapters::{Agent, HookDecision, HookEvent, HookResponse, block, block_request};
use sekisho_host::Installation;

use crate::decision::Hook;
use crate::watchdog;

/// Maximum size of standard input, in bytes.
const LARGEST: u64 = 16 << 20;

const USAGE: &str = "usage: sekisho-hook AGENT --installation FILE\n\
    Agents start this before each tool call; `sekisho install AGENT` sets it up.\n";

/// Reads, decides and answers. Every error is a block.
pub(crate) fn run(arguments: &[String]) -> HookResponse {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (agent, file) = match words.as_slice() {
        ["--version"] => {
            let stdout = format!("sekisho-hook {}\n", env!("CARGO_PKG_VERSION"));
            return HookResponse { stdout, ..HookResponse::default() };
        }
        [agent, "--installation", file] => (*agent, PathBuf::from(file)),
        _ => return HookResponse { stderr: USAGE.into(), exit: 2, ..HookResponse::default() },
    };
    match agent.parse::<Agent>() {
        Ok(agent) => respond(agent, &file),
        Err(why) => HookResponse { stderr: format!("sekisho: {why}\n"), exit: 2, ..HookResponse::default() },
    }
}

fn respond(agent: Agent, file: &Path) -> HookResponse {
    watchdog::arm_default();
    let blocked = |why: String| format!("sekisho: {why}; the call is blocked");
    match read_stdin() {
        Ok(text) => {
            decide(agent, file, &text).unwrap_or_else(|why| block_request(agent, &text, &blocked(why)))
        }
        Err(why) => block(agent, &blocked(why)),
    }
}

fn decide(agent: Agent, file: &Path, text: &str) -> Result<HookResponse, String> {
    panic_for_tests();
    let installation = Installation::read(file).map_err(|error| error.to_string())?;
    if installation.agent != agent.name() {
        return Err(format!(
            "{}: the installation is for {}, not for {agent}",
            file.display(),
            installation.agent
        ));
    }
    let budget = watchdog::arm(installation.limit_s);
    let request = sekisho_adapters::read(agent, text, &environment).map_err(|error| error.to_string())?;
    // Freeing memory would only delay the answer.
    let (request, hook) = (ManuallyDrop::new(request), ManuallyDrop::new(Hook::new(installation, budget)));
    match request.event.clone() {
        HookEvent::BeforeCall | HookEvent::PermissionRequest => {
            let reply = hook.decide(&request)?;
            Ok(request.respond(reply))
        }
        HookEvent::AfterCall(ending) => {
            // The call has run: there is nothing left to block.
            let recorded = hook.record_end(&request, &ending);
            let mut response = request.respond(HookDecision::NoDecision);
            if let Err(why) = recorded {
                response.stderr = format!("sekisho: the end of the call was not recorded: {why}\n");
            }
            Ok(response)
        }
    }
}

/// Reads the agent's request from standard input.
fn read_stdin() -> Result<String, String> {
    let mut bytes = Vec::with_capacity(4096);
    let mut input = std::io::stdin().lock().take(LARGEST + 1);
    input.read_to_end(&mut bytes).map_err(|error| format!("the agent's request cannot be read: {error}"))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("the agent's request is longer than {LARGEST} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "the agent's request is not UTF-8".into())
}

/// The environment shows how the agent runs. Nothing read from it can loosen a decision.
#[expect(clippy::disallowed_methods, reason = "one of the two binaries that read the environment")]
fn environment(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// A panic on demand, so that a test can see how agents treat it.
#[cfg(debug_assertions)]
fn panic_for_tests() {
    #[expect(clippy::panic, reason = "that is what it is for")]
    if environment("SEKISHO_HOOK_TEST_PANIC").is_some() {
        panic!("as the test wanted");
    }
}

#[cfg(not(debug_assertions))]
fn panic_for_tests() {}
