//! What to look for in the record.

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_gate::ApprovalId;
use sekisho_gate::audit::AuditQuery;
use sekisho_gate::record::RecordKind;
use sekisho_policy::Decision;
use serde::Deserialize;

use crate::error::ApiError;
use crate::wire::audit::parse_cursor;

/// How many rows a page has at most.
const LARGEST_PAGE: usize = 500;
/// The longest text that is looked for, in characters.
const LONGEST: usize = 1024;

/// Everything given must fit.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AuditQuery")]
pub(super) struct AuditSearchQuery {
    /// Not before.
    #[serde(default)]
    pub(super) from: Option<Timestamp>,
    /// Before.
    #[serde(default)]
    pub(super) to: Option<Timestamp>,
    /// The tool, exactly.
    #[serde(default)]
    pub(super) tool: Option<String>,
    /// What was decided.
    #[serde(default)]
    pub(super) decision: Option<Decision>,
    /// What kind of thing happened.
    #[serde(default)]
    pub(super) kind: Option<RecordKind>,
    /// The agent, exactly.
    #[serde(default)]
    pub(super) agent: Option<String>,
    /// Who decided, by name.
    #[serde(default)]
    pub(super) approver: Option<String>,
    /// The question.
    #[serde(default)]
    pub(super) approval: Option<ApprovalId>,
    /// Text that is in a row, ignoring case.
    #[serde(default)]
    pub(super) text: Option<String>,
    /// Checkpoints as well.
    #[serde(default)]
    pub(super) checkpoints: Option<bool>,
    /// The `next` of the page before.
    #[serde(default)]
    pub(super) before: Option<String>,
    /// How many at most; 100 unless told.
    #[serde(default)]
    #[schemars(range(min = 1, max = 500))]
    pub(super) limit: Option<usize>,
}

impl AuditSearchQuery {
    /// As the record takes it.
    pub(super) fn query(self) -> Result<AuditQuery, ApiError> {
        let limit = self.limit.unwrap_or(100);
        if !(1..=LARGEST_PAGE).contains(&limit) {
            return Err(ApiError::invalid(format!("`limit` is {limit}; it has to be 1 to {LARGEST_PAGE}")));
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
            // A database may not take one, and no row has one.
            if value.as_ref().is_some_and(|value| value.contains('\0')) {
                return Err(ApiError::invalid(format!("`{field}` has a NUL in it")));
            }
        }
        let before = match &self.before {
            None => None,
            Some(cursor) => Some(parse_cursor(cursor).ok_or_else(|| {
                ApiError::invalid("`before` is no place in the record").with_hint("send the `next` of a page")
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
        })
    }
}

/// Both ends of a span of time, in order.
pub(super) fn in_order(from: Option<Timestamp>, to: Option<Timestamp>) -> Result<(), ApiError> {
    match (from, to) {
        (Some(from), Some(to)) if from >= to => {
            Err(ApiError::invalid(format!("`from` ({from}) is not before `to` ({to})")))
        }
        _ => Ok(()),
    }
}
