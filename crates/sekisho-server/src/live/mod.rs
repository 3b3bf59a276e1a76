//! What happens at the gate, for everyone who listens.

/// Changes as text, written once for all listeners.
#[derive(Debug, Default)]
pub(crate) struct Frames;
