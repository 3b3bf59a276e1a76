//! The calls of a run that have not ended: which tools run, and which calls wait.

use sekisho_gate::ApprovalId;

use super::run_update::RunUpdate;

#[derive(Clone, Debug, PartialEq, Eq)]
struct ActiveCall {
    id: String,
    tool: String,
    /// The question that it waits for.
    waits_for: Option<ApprovalId>,
}

/// The calls of a run that have not ended.
#[derive(Debug, Default)]
pub(super) struct ActiveCalls(Vec<ActiveCall>);

impl ActiveCalls {
    pub(super) fn apply(&mut self, update: &RunUpdate) {
        match update {
            RunUpdate::ToolCall { id, tool, .. } => {
                self.0.push(ActiveCall { id: id.clone(), tool: tool.clone(), waits_for: None });
            }
            RunUpdate::Asked { id, approval, .. } => {
                if let Some(call) = self.0.iter_mut().find(|call| call.id == *id) {
                    call.waits_for = Some(*approval);
                }
            }
            RunUpdate::Result { id, .. } | RunUpdate::Error { id, .. } | RunUpdate::Denied { id, .. } => {
                self.0.retain(|call| call.id != *id);
            }
            RunUpdate::StepFinish | RunUpdate::Finish(_) => self.0.clear(),
            RunUpdate::UserMessage(_)
            | RunUpdate::TextStart
            | RunUpdate::TextDelta(_)
            | RunUpdate::TextEnd
            | RunUpdate::Folded { .. } => {}
        }
    }

    /// A question has ended.
    pub(super) fn answered(&mut self, approval: ApprovalId) {
        for call in self.0.iter_mut().filter(|call| call.waits_for == Some(approval)) {
            call.waits_for = None;
        }
    }

    /// The questions that calls wait for.
    pub(super) fn waits(&self) -> impl Iterator<Item = ApprovalId> {
        self.0.iter().filter_map(|call| call.waits_for)
    }

    /// Whether a call waits for this question.
    pub(super) fn waits_for(&self, approval: ApprovalId) -> bool {
        self.waits().any(|waiting| waiting == approval)
    }

    /// The id of the call that this question is about.
    pub(super) fn waiting_for(&self, approval: ApprovalId) -> Option<String> {
        self.0.iter().find(|call| call.waits_for == Some(approval)).map(|call| call.id.clone())
    }

    /// How many calls wait for an approval.
    pub(super) fn waiting(&self) -> usize {
        self.waits().count()
    }

    /// The tools that run, as they are named in a sentence; none if no tool runs.
    pub(super) fn running(&self) -> Option<String> {
        let mut running = self.0.iter().filter(|call| call.waits_for.is_none());
        let first = running.next()?;
        Some(match running.count() {
            0 => first.tool.clone(),
            more => format!("{} and {more} more", first.tool),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_run_unless_they_wait() {
        let approval: ApprovalId = "019a4b7e-7c1e-7f6a-9a52-3f0c5d2a91c0".parse().unwrap();
        let call = |id: &str, tool: &str| RunUpdate::ToolCall {
            id: id.into(),
            tool: tool.into(),
            args: serde_json::Value::Null,
        };
        let mut calls = ActiveCalls::default();
        assert_eq!(calls.running(), None);
        calls.apply(&call("1", "read"));
        calls.apply(&call("2", "edit"));
        assert_eq!(calls.running().as_deref(), Some("read and 1 more"));
        calls.apply(&RunUpdate::Asked { id: "2".into(), approval });
        calls.apply(&RunUpdate::Result { id: "1".into(), content: String::new(), edited: None });
        assert_eq!((calls.running(), calls.waiting()), (None, 1));
        assert!(calls.waits_for(approval));
        calls.answered(approval);
        assert_eq!((calls.running().as_deref(), calls.waiting()), (Some("edit"), 0));
        calls.apply(&RunUpdate::StepFinish);
        assert_eq!(calls.running(), None);
    }
}
