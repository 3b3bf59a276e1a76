//! Files: do they load, are they trusted, who may read and write them.

use sekisho_host::State;
use sekisho_policy::LayerKind;

use super::finding::Finding;
use crate::commands::serve::{Owned, may_others_write};

/// A config file: what was found there, and how many rules it has.
pub(super) fn config(kind: LayerKind, shown: &str, state: &State, rules: usize) -> Finding {
    match state {
        State::Absent => Finding::ok("config", format!("{kind} config {shown}: no file, which is fine")),
        State::Broken(error) => {
            let then = match kind {
                LayerKind::Project => "every call here is asked about",
                _ => "every call is denied",
            };
            Finding::problem(
                "config",
                format!("{error}: {then}"),
                "put the file right; `sekisho rules list` shows whether it loads",
            )
        }
        _ => Finding::ok("config", format!("{kind} config {shown} loads; rules in it: {rules}")),
    }
}

/// The server's own file: `None` where there is none.
pub(super) fn server_file(shown: &str, read: Result<bool, &str>) -> Finding {
    match read {
        Ok(true) => Finding::ok("server config", format!("{shown} loads")),
        Ok(false) => Finding::ok("server config", format!("{shown}: no file, so the defaults count")),
        Err(error) => Finding::problem(
            "server config",
            error,
            "put the file right, or move it away: until then nothing starts",
        ),
    }
}

/// Whether the project file at the root may loosen.
pub(super) fn trust(shown: &str, state: &State, problems: &[String]) -> Finding {
    if let Some(problem) = problems.first() {
        return Finding::problem(
            "trust",
            problem.clone(),
            "do what it says, then run `sekisho trust` where you trust the project",
        );
    }
    match state {
        State::NotTrusted => Finding::warning(
            "trust",
            format!("{shown} is not trusted: its allows do not count"),
            "read it, and run `sekisho trust`",
        ),
        State::Absent => Finding::ok("trust", "there is no project file to trust here"),
        State::Broken(_) => Finding::warning(
            "trust",
            format!("{shown} does not load, so it cannot be trusted"),
            "put it right first",
        ),
        State::Counts | State::OnlyTightens => {
            Finding::ok("trust", format!("{shown} is trusted, as it is now"))
        }
    }
}

/// What others may do with a file or directory of ours: `private` ones they may not even read. `None`: it is not there.
pub(super) fn permissions(what: &str, owned: Option<&Owned>, me: u32, private: bool) -> Finding {
    let Some(owned) = owned else {
        return Finding::ok("permissions", format!("{what}: not there yet"));
    };
    let shown = &owned.shown;
    if owned.uid != me && owned.uid != 0 {
        let fix = format!("`chown $USER {shown}`, or use another");
        return Finding::problem("permissions", format!("{what} {shown} belongs to somebody else"), fix);
    }
    let mode = format!("{:03o}", owned.mode & 0o777);
    if may_others_write(owned, me) {
        let fix = format!("`chmod go-w {shown}`");
        return Finding::problem(
            "permissions",
            format!("{what} {shown} can be written by others (mode {mode})"),
            fix,
        );
    }
    if private && owned.mode & 0o077 != 0 {
        let fix = format!("`chmod go= {shown}`");
        return Finding::problem(
            "permissions",
            format!("{what} {shown} can be read by others (mode {mode})"),
            fix,
        );
    }
    Finding::ok("permissions", format!("{what} {shown}: mode {mode}"))
}
