//! Here-documents between their operator and their body.

/// A here-document whose body has not been read yet.
pub(super) struct PendingHereDocument {
    /// Where its operator stands.
    pub(super) operator_at: usize,
    /// Which redirect of the script it is.
    pub(super) redirect: usize,
    /// How many commands had been found when the operator was read.
    pub(super) commands: usize,
    pub(super) delimiter: String,
    pub(super) quoted: bool,
    pub(super) strip_tabs: bool,
}
