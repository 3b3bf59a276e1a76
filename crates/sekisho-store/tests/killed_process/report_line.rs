//! What a client was told, as a line of output.

use std::io::Write;

use jiff::Timestamp;
use sekisho_gate::approval::Approval;
use sekisho_gate::{ApprovalId, ExecutionId};
use serde::{Deserialize, Serialize};

/// The prefix of these lines; the test harness prints others.
const MARK: &str = "told ";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ReportLine {
    /// The gate is open.
    Begun,
    /// An approver has seen an approval.
    Opened { id: ApprovalId, deadline: Option<Timestamp> },
    /// The approval is left to the next process.
    Left { id: ApprovalId },
    /// An approver knows the answer, its own or another's.
    Answered { id: ApprovalId, state: String, by: String },
    /// A caller may run its call.
    Permitted { call_id: String, execution: ExecutionId, approval: Option<ApprovalId> },
    /// The call of a durable run was permitted before.
    Spent { call_id: String, execution: ExecutionId },
    /// A caller may not run its call.
    Refused { call_id: String },
}

impl ReportLine {
    pub(crate) fn read(line: &str) -> Option<ReportLine> {
        line.strip_prefix(MARK).map(|told| serde_json::from_str(told).unwrap())
    }

    pub(crate) fn opened(approval: &Approval) -> ReportLine {
        ReportLine::Opened { id: approval.id, deadline: approval.fate.deadline }
    }

    /// How an approval ended; `None` while it is open.
    pub(crate) fn answered(approval: &Approval) -> Option<ReportLine> {
        let state = &approval.fate.state;
        let answered = state.answered()?;
        Some(ReportLine::Answered {
            id: approval.id,
            state: state.name().into(),
            by: answered.by.to_string(),
        })
    }

    /// Prints the line to the parent process in one write. Ends the process if the parent is gone.
    pub(crate) fn say(&self) {
        let line = format!("{MARK}{}\n", serde_json::to_string(self).unwrap());
        let mut out = std::io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            std::process::exit(1);
        }
    }
}
