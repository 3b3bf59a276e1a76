//! Checks whether a sekisho server answers on its socket and port.

use super::diagnostic::Diagnostic;
use super::health_probe::ProbeResult;

pub(super) fn check_socket(shown: Option<&str>, answer: &ProbeResult) -> Diagnostic {
    let Some(shown) = shown else { return Diagnostic::ok("socket", "switched off") };
    match answer {
        ProbeResult::Sekisho(health) if health == "ok" => {
            Diagnostic::ok("socket", format!("a server answers on {shown}"))
        }
        ProbeResult::Sekisho(health) => ill("socket", health),
        ProbeResult::Other => Diagnostic::problem(
            "socket",
            format!("another program answers on {shown}"),
            "find it with `ss -xlp` and stop it, or set `SEKISHO_SOCKET` to another path",
        ),
        ProbeResult::NoAnswer => Diagnostic::warning(
            "socket",
            format!("no server answers on {shown}"),
            "start one with `sekisho serve`; without a server nobody can answer",
        ),
    }
}

/// The port; `served`: a server answers on the socket.
pub(super) fn check_port(address: &str, answer: &ProbeResult, served: bool, tls: bool) -> Diagnostic {
    match answer {
        ProbeResult::Sekisho(health) if health == "ok" => {
            Diagnostic::ok("port", format!("a server answers on {address}"))
        }
        ProbeResult::Sekisho(health) => ill("port", health),
        ProbeResult::Other if tls && served => {
            Diagnostic::ok("port", format!("a server answers on {address}, over TLS"))
        }
        ProbeResult::Other => Diagnostic::problem(
            "port",
            format!("another program answers on {address}"),
            "find it with `ss -tlnp` and stop it, or set `SEKISHO_LISTEN` to another address",
        ),
        ProbeResult::NoAnswer if served => Diagnostic::warning(
            "port",
            format!("a server is running, but not on {address}"),
            "set `SEKISHO_LISTEN` to its address, so that agents are kept away from it and links work",
        ),
        ProbeResult::NoAnswer => Diagnostic::ok("port", format!("{address} is free")),
    }
}

fn ill(check: &'static str, health: &str) -> Diagnostic {
    Diagnostic::problem(
        check,
        format!("the server reports: {health}"),
        "check its log and `sekisho db status`",
    )
}
