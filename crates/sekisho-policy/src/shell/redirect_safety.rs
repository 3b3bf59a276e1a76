//! Whether a redirect has no effect, reads a file, or opens one for writing.

use std::collections::BTreeSet;

use sekisho_shell::script::{Redirect, RedirectKind};
use sekisho_shell::word::{Piece, Word};

use super::harmless_variables::unlisted_expansion;

/// What a redirect means for an automatic allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedirectSafety {
    /// It has no effect.
    Inert,
    /// It reads a file: as harmless as the file.
    Reads,
    /// It opens a file for writing, or is not in a form known to be harmless.
    Opens,
}

/// Checks the form of a redirect; `own` are the variables that the text sets itself.
pub(crate) fn redirect_safety(redirect: &Redirect, own: &BTreeSet<String>) -> RedirectSafety {
    let target = redirect.target.literal();
    let plain = |word: &Word| {
        !word.pieces.iter().any(|piece| matches!(piece, Piece::Unknown { .. }))
            && unlisted_expansion(word, own).is_none()
    };
    match redirect.kind {
        RedirectKind::Descriptor => RedirectSafety::Inert,
        RedirectKind::HereDocument | RedirectKind::HereString if plain(&redirect.target) => {
            RedirectSafety::Inert
        }
        RedirectKind::Write if target.as_deref() == Some("/dev/null") && redirect.operator != "<>" => {
            RedirectSafety::Inert
        }
        RedirectKind::Read if target.as_deref() == Some("/dev/null") => RedirectSafety::Inert,
        RedirectKind::Read => match target.as_deref() {
            Some(path) if path.starts_with("/dev/") => RedirectSafety::Opens,
            Some(_) => RedirectSafety::Reads,
            // A computed target could be `/dev/tcp/…`, which bash opens as a connection.
            None if redirect
                .target
                .pieces
                .iter()
                .all(|p| matches!(p, Piece::Literal(_) | Piece::Tilde(_))) =>
            {
                RedirectSafety::Reads
            }
            None => RedirectSafety::Opens,
        },
        _ => RedirectSafety::Opens,
    }
}
