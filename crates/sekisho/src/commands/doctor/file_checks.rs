//! Checks files: whether they load, whether they are trusted, and their permissions.

use sekisho_host::LayerFileState;
use sekisho_policy::LayerKind;

use super::diagnostic::Diagnostic;
use crate::commands::serve::{FileOwnership, is_writable_by_others};

/// A config file: its state, and how many rules it has.
pub(super) fn config(kind: LayerKind, shown: &str, state: &LayerFileState, rules: usize) -> Diagnostic {
    match state {
        LayerFileState::Absent => {
            Diagnostic::ok("config", format!("{kind} config {shown}: no file, which is fine"))
        }
        LayerFileState::Broken(error) => {
            let then = match kind {
                LayerKind::Project => "every call in this project becomes a question",
                _ => "every call is denied",
            };
            Diagnostic::problem(
                "config",
                format!("{error}: {then}"),
                "fix the file; `sekisho rules list` shows whether it loads",
            )
        }
        _ => Diagnostic::ok("config", format!("{kind} config {shown} loads; rules: {rules}")),
    }
}

/// The server's config file; `Ok(false)`: there is none.
pub(super) fn server_file(shown: &str, read: Result<bool, &str>) -> Diagnostic {
    match read {
        Ok(true) => Diagnostic::ok("server config", format!("{shown} loads")),
        Ok(false) => Diagnostic::ok("server config", format!("{shown}: no file, so the defaults apply")),
        Err(error) => Diagnostic::problem(
            "server config",
            error,
            "fix the file, or move it away; until then no server starts",
        ),
    }
}

/// Whether the allow rules of the project file at the root apply.
pub(super) fn trust(shown: &str, state: &LayerFileState, problems: &[String]) -> Diagnostic {
    if let Some(problem) = problems.first() {
        return Diagnostic::problem(
            "trust",
            problem.clone(),
            "fix that, then run `sekisho trust` in each project that you trust",
        );
    }
    match state {
        LayerFileState::NotTrusted => Diagnostic::warning(
            "trust",
            format!("{shown} is not trusted: its allow rules do not apply"),
            "read it, then run `sekisho trust`",
        ),
        LayerFileState::Absent => Diagnostic::ok("trust", "this project has no config file to trust"),
        LayerFileState::Broken(_) => Diagnostic::warning(
            "trust",
            format!("{shown} does not load, so it cannot be trusted"),
            "fix it first",
        ),
        LayerFileState::Active | LayerFileState::OnlyTightens => {
            Diagnostic::ok("trust", format!("{shown} is trusted as it is now"))
        }
    }
}

/// Permissions of one of our files or directories. Others may not even read `private` ones. `None`: it does
/// not exist.
pub(super) fn permissions(what: &str, owned: Option<&FileOwnership>, me: u32, private: bool) -> Diagnostic {
    let Some(owned) = owned else {
        return Diagnostic::ok("permissions", format!("{what}: does not exist yet"));
    };
    let shown = &owned.shown;
    if owned.uid != me && owned.uid != 0 {
        let fix = format!("run `chown $USER {shown}`, or use another path");
        return Diagnostic::problem("permissions", format!("{what} {shown} belongs to another user"), fix);
    }
    let mode = format!("{:03o}", owned.mode & 0o777);
    if is_writable_by_others(owned, me) {
        let fix = format!("run `chmod go-w {shown}`");
        return Diagnostic::problem(
            "permissions",
            format!("{what} {shown} can be written by others (mode {mode})"),
            fix,
        );
    }
    if private && owned.mode & 0o077 != 0 {
        let fix = format!("run `chmod go= {shown}`");
        return Diagnostic::problem(
            "permissions",
            format!("{what} {shown} can be read by others (mode {mode})"),
            fix,
        );
    }
    Diagnostic::ok("permissions", format!("{what} {shown}: mode {mode}"))
}
