//! Filters of audit searches.

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_gate::ApprovalId;
use sekisho_gate::audit::{AuditQuery, MAX_PAGE_BYTES};
use sekisho_gate::record::RecordKind;
use sekisho_policy::Decision;
use serde::Deserialize;

use crate::error::ApiError;
use crate::wire::audit::parse_cursor;

/// The most records on a page.
const LARGEST_PAGE: usize = 500;
/// The longest text to search for, in characters.
const LONGEST: usize = 1024;

/// Records must match every given field.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AuditQuery")]
pub(super) struct AuditSearchQuery {
    /// Start of the span.
    #[serde(default)]
    pub(super) from: Option<Timestamp>,
    /// End of the span, exclusive.
    #[serde(default)]
    pub(super) to: Option<Timestamp>,
    /// The exact tool name.
    #[serde(default)]
    pub(super) tool: Option<String>,
    /// The decision.
    #[serde(default)]
    pub(super) decision: Option<Decision>,
    /// The kind of record.
    #[serde(default)]
    pub(super) kind: Option<RecordKind>,
    /// The exact agent id.
    #[serde(default)]
    pub(super) agent: Option<String>,
    /// The name of who decided.
    #[serde(default)]
    pub(super) approver: Option<String>,
    /// The approval.
    #[serde(default)]
    pub(super) approval: Option<ApprovalId>,
    /// Words that a record contains, in any order, ignoring case.
    #[serde(default)]
    pub(super) text: Option<String>,
    /// Whether to include checkpoints.
    #[serde(default)]
    pub(super) checkpoints: Option<bool>,
    /// The `next` of the previous page.
    #[serde(default)]
    pub(super) before: Option<String>,
    /// How many at most; default 100.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    pub(super) limit: Option<usize>,
}

impl AuditSearchQuery {
    /// Checks the filter and builds the query.
    pub(super) fn query(self) -> Result<AuditQuery, ApiError> {
        let limit = self.limit.unwrap_or(100);
        if !(1..=LARGEST_PAGE).contains(&limit) {
            return Err(ApiError::invalid(format!("`limit` is {limit}; it must be 1 to {LARGEST_PAGE}")));
        }
        in_order(self.from, self.to)?;
        let named = [
            ("tool", &self.tool),
            ("agent", &self.agent),
            ("approver", &self.approver),
            ("text", &self.text),
        ];
        for (field, value) in named {
            if value.as_ref().is_some_and(|value| value.chars().count() > LONGEST) {
                return Err(ApiError::invalid(format!("`{field}` is longer than {LONGEST} characters")));
            }
            // Some databases reject NUL, and no record contains it.
            if value.as_ref().is_some_and(|value| value.contains('\0')) {
                return Err(ApiError::invalid(format!("`{field}` contains a NUL character")));
            }
        }
        let before = match &self.before {
            None => None,
            Some(cursor) => Some(parse_cursor(cursor).ok_or_else(|| {
                ApiError::invalid("`before` is not a valid cursor").with_hint("send the `next` of a page")
            })?),
        };
        Ok(AuditQuery {
            from: self.from,
            to: self.to,
            tool: self.tool,
            decision: self.decision.map(|decision| decision.name().into()),
            kind: self.kind.as_ref().map(|kind| kind.name().into()),
            agent: self.agent,
            approver: self.approver,
            approval: self.approval,
            text: self.text.filter(|text| !text.is_empty()),
            checkpoints: self.checkpoints.unwrap_or(false) || self.kind == Some(RecordKind::Checkpoint),
            before,
            after: None,
            limit,
            max_bytes: Some(MAX_PAGE_BYTES),
        })
    }
}

/// Checks that a span of time begins before it ends.
pub(super) fn in_order(from: Option<Timestamp>, to: Option<Timestamp>) -> Result<(), ApiError> {
    match (from, to) {
        (Some(from), Some(to)) if from >= to => {
            Err(ApiError::invalid(format!("`from` ({from}) is not before `to` ({to})")))
        }
        _ => Ok(()),
    }
}
