//! Files: do they load, are they trusted, who may read and write them.

use sekisho_host::LayerFileState;
use sekisho_policy::LayerKind;

use super::diagnostic::Diagnostic;
use crate::commands::serve::{FileOwnership, is_writable_by_others};

/// A config file: what was found there, and how many rules it has.
pub(super) fn config(kind: LayerKind, shown: &str, state: &LayerFileState, rules: usize) -> Diagnostic {
    match state {
        LayerFileState::Absent => Diagnostic::ok("config", format!("{kind} config {shown}: no file, which is fine")),
        LayerFileState::Broken(error) => {
            let then = match kind {
                LayerKind::Project => "every call here is asked about",
                _ => "every call is denied",
            };
            Diagnostic::problem(
                "config",
                format!("{error}: {then}"),
                "put the file right; `sekisho rules list` shows whether it loads",
            )
        }
        _ => Diagnostic::ok("config", format!("{kind} config {shown} loads; rules in it: {rules}")),
    }
}

/// The server's own file: `None` where there is none.
pub(super) fn server_file(shown: &str, read: Result<bool, &str>) -> Diagnostic {
    match read {
        Ok(true) => Diagnostic::ok("server config", format!("{shown} loads")),
        Ok(false) => Diagnostic::ok("server config", format!("{shown}: no file, so the defaults count")),
        Err(error) => Diagnostic::problem(
            "server config",
            error,
            "put the file right, or move it away: until then nothing starts",
        ),
    }
}

/// Whether the project file at the root may loosen.
pub(super) fn trust(shown: &str, state: &LayerFileState, problems: &[String]) -> Diagnostic {
    if let Some(problem) = problems.first() {
        return Diagnostic::problem(
            "trust",
            problem.clone(),
            "do what it says, then run `sekisho trust` where you trust the project",
        );
    }
    match state {
        LayerFileState::NotTrusted => Diagnostic::warning(
            "trust",
            format!("{shown} is not trusted: its allows do not count"),
            "read it, and run `sekisho trust`",
        ),
        LayerFileState::Absent => Diagnostic::ok("trust", "there is no project file to trust here"),
        LayerFileState::Broken(_) => Diagnostic::warning(
            "trust",
            format!("{shown} does not load, so it cannot be trusted"),
            "put it right first",
        ),
        LayerFileState::Active | LayerFileState::OnlyTightens => {
            Diagnostic::ok("trust", format!("{shown} is trusted, as it is now"))
        }
    }
}

/// What others may do with a file or directory of ours: `private` ones they may not even read. `None`: it is not there.
pub(super) fn permissions(what: &str, owned: Option<&FileOwnership>, me: u32, private: bool) -> Diagnostic {
    let Some(owned) = owned else {
        return Diagnostic::ok("permissions", format!("{what}: not there yet"));
    };
    let shown = &owned.shown;
    if owned.uid != me && owned.uid != 0 {
        let fix = format!("`chown $USER {shown}`, or use another");
        return Diagnostic::problem("permissions", format!("{what} {shown} belongs to somebody else"), fix);
    }
    let mode = format!("{:03o}", owned.mode & 0o777);
    if is_writable_by_others(owned, me) {
        let fix = format!("`chmod go-w {shown}`");
        return Diagnostic::problem(
            "permissions",
            format!("{what} {shown} can be written by others (mode {mode})"),
            fix,
        );
    }
    if private && owned.mode & 0o077 != 0 {
        let fix = format!("`chmod go= {shown}`");
        return Diagnostic::problem(
            "permissions",
            format!("{what} {shown} can be read by others (mode {mode})"),
            fix,
        );
    }
    Diagnostic::ok("permissions", format!("{what} {shown}: mode {mode}"))
}
