//! Who may write to the ledger.

/// Proof that a write comes from the gate. Every method of a port that admits a call, steps a question or appends to the
/// record takes one, and only this crate can make one. What other crates have to record goes through named operations of
/// the gate.
///
/// A crate that holds a store can read everything and write nothing:
///
/// ```compile_fail,E0061
/// use sekisho_gate::ledger::{Admission, Ledger};
/// fn admit(ledger: &dyn Ledger, admission: Admission) {
///     drop(ledger.admit(admission));
/// }
/// ```
///
/// ```compile_fail,E0061
/// use sekisho_gate::{ApprovalId, ledger::Ledger, machine::Happening};
/// fn step(ledger: &dyn Ledger, id: ApprovalId, happening: Happening, at: jiff::Timestamp) {
///     drop(ledger.step(id, happening, at));
/// }
/// ```
///
/// ```compile_fail,E0061
/// use sekisho_gate::{ledger::Ledger, record::Record};
/// fn append(ledger: &dyn Ledger, record: Record) {
///     drop(ledger.note(vec![record]));
/// }
/// ```
///
/// ```compile_fail,E0423
/// let access = sekisho_gate::WriteAccess(());
/// ```
///
/// ```compile_fail,E0624
/// let access = sekisho_gate::WriteAccess::GATE;
/// ```
///
/// One that a wrapper of a port was handed serves for that call alone:
///
/// ```compile_fail,E0599
/// fn keep(access: &sekisho_gate::WriteAccess) -> sekisho_gate::WriteAccess {
///     access.clone()
/// }
/// ```
///
/// ```compile_fail,E0507
/// fn keep(access: &sekisho_gate::WriteAccess) -> sekisho_gate::WriteAccess {
///     *access
/// }
/// ```
///
/// The gate hands out its ledger for reading:
///
/// ```compile_fail,E0599
/// fn note(gate: &sekisho_gate::Gate, access: &sekisho_gate::WriteAccess) {
///     drop(gate.ledger().note(access, Vec::new()));
/// }
/// ```
#[derive(Debug)]
pub struct WriteAccess(());

impl WriteAccess {
    /// The gate's own.
    pub(crate) const GATE: WriteAccess = WriteAccess(());

    /// For tests of stores, which write without a gate. No program that is shipped has the feature.
    #[cfg(feature = "testing")]
    pub const TESTS: &'static WriteAccess = &WriteAccess(());
}
