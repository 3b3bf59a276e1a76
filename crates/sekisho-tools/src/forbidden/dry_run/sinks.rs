//! Where the output of descriptors goes: files that `exec` opened, the standard output, and coprocesses.

use std::rc::Rc;

use super::syntax::Stage;

/// Where a descriptor writes to.
#[derive(Clone, Debug)]
pub(super) enum Sink {
    File(String),
    /// `2>&1`
    Standard,
    Coprocess(Rc<Coprocess>),
}

#[derive(Debug)]
pub(super) struct Coprocess {
    pub(super) body: Rc<Stage>,
    /// The descriptor that its output is read from.
    pub(super) reader: u32,
    /// The file that keeps what was written to it.
    pub(super) written: String,
}
