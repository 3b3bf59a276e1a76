//! The server's doors: is it there, is it ours.

use super::finding::Finding;
use super::knock::Answer;

/// The socket.
pub(super) fn socket(shown: Option<&str>, answer: &Answer) -> Finding {
    let Some(shown) = shown else { return Finding::ok("socket", "there is to be none") };
    match answer {
        Answer::Ours(said) if said == "ok" => Finding::ok("socket", format!("a server answers on {shown}")),
        Answer::Ours(said) => ill("socket", said),
        Answer::Somebody => Finding::problem(
            "socket",
            format!("something answers on {shown} that is not a sekisho"),
            "find out who it is (`ss -xlp`), and end it or name another with `SEKISHO_SOCKET`",
        ),
        Answer::Nobody => Finding::warning(
            "socket",
            format!("no server answers on {shown}"),
            "start one with `sekisho serve`; without it nobody can be asked",
        ),
    }
}

/// The port; `served`: the socket says that a server runs.
pub(super) fn port(address: &str, answer: &Answer, served: bool, tls: bool) -> Finding {
    match answer {
        Answer::Ours(said) if said == "ok" => Finding::ok("port", format!("a server answers on {address}")),
        Answer::Ours(said) => ill("port", said),
        Answer::Somebody if tls && served => {
            Finding::ok("port", format!("a server answers on {address}, over TLS"))
        }
        Answer::Somebody => Finding::problem(
            "port",
            format!("something answers on {address} that is not a sekisho"),
            "find out who it is (`ss -tlnp`), and end it or give another with `SEKISHO_LISTEN`",
        ),
        Answer::Nobody if served => Finding::warning(
            "port",
            format!("a server runs, but not on {address}"),
            "set `SEKISHO_LISTEN` to where it listens, so that agents are kept from it and links lead there",
        ),
        Answer::Nobody => Finding::ok("port", format!("{address} is free")),
    }
}

fn ill(check: &'static str, said: &str) -> Finding {
    Finding::problem(check, format!("the server says: {said}"), "see what it logs, and `sekisho db status`")
}
