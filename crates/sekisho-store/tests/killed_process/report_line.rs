//! What somebody was told, as a line.

use std::io::Write;

use jiff::Timestamp;
use sekisho_gate::approval::Approval;
use sekisho_gate::{ApprovalId, ExecutionId};
use serde::{Deserialize, Serialize};

/// What its lines begin with; the test harness prints others.
const MARK: &str = "told ";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ReportLine {
    /// The gate is open.
    Begun,
    /// An answerer has seen a question.
    Opened { id: ApprovalId, deadline: Option<Timestamp> },
    /// It leaves this one to the next process.
    Left { id: ApprovalId },
    /// An answerer knows what the answer is, its own or another's.
    Answered { id: ApprovalId, state: String, by: String },
    /// An asker may run its call.
    Permitted { call_id: String, execution: ExecutionId, approval: Option<ApprovalId> },
    /// The call of a durable run was permitted before.
    Spent { call_id: String, execution: ExecutionId },
    /// An asker may not.
    Refused { call_id: String },
}

impl ReportLine {
    pub(crate) fn read(line: &str) -> Option<ReportLine> {
        line.strip_prefix(MARK).map(|told| serde_json::from_str(told).unwrap())
    }

    pub(crate) fn opened(approval: &Approval) -> ReportLine {
        ReportLine::Opened { id: approval.id, deadline: approval.fate.deadline }
    }

    /// How a question ended; none while it is open.
    pub(crate) fn answered(approval: &Approval) -> Option<ReportLine> {
        let state = &approval.fate.state;
        let answered = state.answered()?;
        Some(ReportLine::Answered {
            id: approval.id,
            state: state.name().into(),
            by: answered.by.to_string(),
        })
    }

    /// Says it to whoever started this process, in one piece. Without anyone to hear it there is nothing to go on for.
    pub(crate) fn say(&self) {
        let line = format!("{MARK}{}\n", serde_json::to_string(self).unwrap());
        let mut out = std::io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            std::process::exit(1);
        }
    }
}
