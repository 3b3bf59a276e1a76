//! `WriteAccess`: proof that a ledger write comes from the gate.

/// Proof that a write comes from the gate. Every port method that admits a call, steps an approval or
/// appends to the audit log takes one, and only this crate can make one. Other crates write through
/// named operations of the gate.
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
/// use sekisho_gate::{ApprovalId, ledger::Ledger, approval_machine::ApprovalTrigger};
/// fn step(ledger: &dyn Ledger, id: ApprovalId, trigger: ApprovalTrigger, at: jiff::Timestamp) {
///     drop(ledger.step(id, trigger, at));
/// }
/// ```
///
/// ```compile_fail,E0061
/// use sekisho_gate::{ledger::Ledger, record::Record};
/// fn append(ledger: &dyn Ledger, record: Record) {
///     drop(ledger.append_records(vec![record]));
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
/// A wrapper of a port gets a `&WriteAccess` with each call and can pass it on, but not keep it:
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
///     drop(gate.ledger().append_records(access, Vec::new()));
/// }
/// ```
#[derive(Debug)]
pub struct WriteAccess(());

impl WriteAccess {
    /// The gate's own instance.
    pub(crate) const GATE: WriteAccess = WriteAccess(());

    /// For tests of stores, which write without a gate. No shipped program enables this feature.
    #[cfg(feature = "testing")]
    pub const TESTS: &'static WriteAccess = &WriteAccess(());
}
