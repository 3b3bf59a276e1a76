//! The server's doors: is it there, is it ours.

use super::diagnostic::Diagnostic;
use super::health_probe::ProbeResult;

/// The socket.
pub(super) fn check_socket(shown: Option<&str>, answer: &ProbeResult) -> Diagnostic {
    let Some(shown) = shown else { return Diagnostic::ok("socket", "there is to be none") };
    match answer {
        ProbeResult::Sekisho(said) if said == "ok" => Diagnostic::ok("socket", format!("a server answers on {shown}")),
        ProbeResult::Sekisho(said) => ill("socket", said),
        ProbeResult::Other => Diagnostic::problem(
            "socket",
            format!("something answers on {shown} that is not a sekisho"),
            "find out who it is (`ss -xlp`), and end it or name another with `SEKISHO_SOCKET`",
        ),
        ProbeResult::NoAnswer => Diagnostic::warning(
            "socket",
            format!("no server answers on {shown}"),
            "start one with `sekisho serve`; without it nobody can be asked",
        ),
    }
}

/// The port; `served`: the socket says that a server runs.
pub(super) fn check_port(address: &str, answer: &ProbeResult, served: bool, tls: bool) -> Diagnostic {
    match answer {
        ProbeResult::Sekisho(said) if said == "ok" => Diagnostic::ok("port", format!("a server answers on {address}")),
        ProbeResult::Sekisho(said) => ill("port", said),
        ProbeResult::Other if tls && served => {
            Diagnostic::ok("port", format!("a server answers on {address}, over TLS"))
        }
        ProbeResult::Other => Diagnostic::problem(
            "port",
            format!("something answers on {address} that is not a sekisho"),
            "find out who it is (`ss -tlnp`), and end it or give another with `SEKISHO_LISTEN`",
        ),
        ProbeResult::NoAnswer if served => Diagnostic::warning(
            "port",
            format!("a server runs, but not on {address}"),
            "set `SEKISHO_LISTEN` to where it listens, so that agents are kept from it and links lead there",
        ),
        ProbeResult::NoAnswer => Diagnostic::ok("port", format!("{address} is free")),
    }
}

fn ill(check: &'static str, said: &str) -> Diagnostic {
    Diagnostic::problem(check, format!("the server says: {said}"), "see what it logs, and `sekisho db status`")
}
