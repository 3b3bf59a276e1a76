//! Lines of the audit log.

use sekisho_gate::answer::By;
use sekisho_gate::record::Entry;
use sekisho_policy::Decision;
use uuid::Uuid;

use super::{json, micros};
use crate::fault::Scripted;

/// A row of `audit_log`, without its place in it.
pub(crate) struct AuditRow<'a> {
    pub(crate) at: i64,
    pub(crate) kind: &'static str,
    pub(crate) call: Option<Uuid>,
    pub(crate) approval: Option<Uuid>,
    pub(crate) execution: Option<Uuid>,
    pub(crate) tool: Option<&'a str>,
    pub(crate) server: Option<&'a str>,
    pub(crate) agent: Option<&'a str>,
    pub(crate) credential: Option<&'a str>,
    pub(crate) decision: Option<&'static str>,
    /// The human's name, where a human decided.
    pub(crate) approver: Option<&'a str>,
    /// Who or what decided, whole.
    pub(crate) decided_by: Option<String>,
    pub(crate) text: &'a str,
    pub(crate) body: Option<String>,
}

impl<'a> AuditRow<'a> {
    /// The columns of a line.
    pub(crate) fn of(entry: &'a Entry) -> Scripted<AuditRow<'a>> {
        let approver = match &entry.by {
            Some(By::Person(person)) => Some(person.name.as_str()),
            Some(By::Rule(_)) | None => None,
        };
        Ok(AuditRow {
            at: micros(entry.at),
            kind: entry.kind.name(),
            call: entry.call.map(|call| call.0),
            approval: entry.approval.map(|approval| approval.0),
            execution: entry.execution.map(|execution| execution.0),
            tool: entry.tool.as_deref(),
            server: entry.server.as_deref(),
            agent: entry.agent.as_deref(),
            credential: entry.credential.as_deref(),
            decision: entry.decision.map(decision),
            approver,
            decided_by: entry.by.as_ref().map(|by| json(by, "who decided")).transpose()?,
            text: &entry.text,
            body: (!entry.body.is_null()).then(|| json(&entry.body, "the line's body")).transpose()?,
        })
    }
}

fn decision(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Confirm => "confirm",
        Decision::Deny => "deny",
    }
}
