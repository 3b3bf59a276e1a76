//! Here-documents between their operator and their body.

/// A here-document whose body has not been read yet.
pub(super) struct PendingHereDocument {
    /// Offset of its operator.
    pub(super) operator_at: usize,
    /// Index of its redirect in the script.
    pub(super) redirect: usize,
    /// Number of commands found when the operator was read.
    pub(super) commands: usize,
    pub(super) delimiter: String,
    pub(super) quoted: bool,
    pub(super) strip_tabs: bool,
}
