//! Rules are stored in files that other people read and that no purge reaches, so none that holds a secret is
//! proposed.

use std::sync::LazyLock;

use sekisho_policy::Rule;

use crate::mask::Masks;

static MASKS: LazyLock<Masks> = LazyLock::new(|| Masks::new([]));

/// Whether a rule would store a secret that the audit log masks by its shape or its name.
pub(super) fn holds_secret(rule: &Rule) -> bool {
    let texts = [&rule.input, &rule.command, &rule.command_glob, &rule.path];
    texts.into_iter().flatten().any(|text| !MASKS.text(text).detectors.is_empty())
}
