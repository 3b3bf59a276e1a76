//! Rules on the wire: in our own names, and in those of the first specification (`serverId`, `toolName`, `autoApprove`).

mod fields;
mod requests;

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_gate::caller::Session;
use sekisho_gate::proposals::AlsoAllowed;
use sekisho_policy::{Decision, Effect, LayerKind};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::wire::call::DecideResponse;

pub(crate) use fields::rule_error;
pub use fields::{RuleExamples, RuleFields};
pub use requests::{RuleBody, RuleTestRequest};

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RuleSource {
    /// Shipped with sekisho; below every priority.
    BuiltIn,
    /// The administrator's file.
    Managed,
    /// The user's file.
    Global,
    /// A project's file.
    Project,
    /// Rules made in the page or over the API.
    Database,
    /// Remembered for one session.
    Session,
}

impl From<LayerKind> for RuleSource {
    fn from(kind: LayerKind) -> RuleSource {
        match kind {
            LayerKind::BuiltIn => RuleSource::BuiltIn,
            LayerKind::Managed => RuleSource::Managed,
            LayerKind::Global => RuleSource::Global,
            LayerKind::Project => RuleSource::Project,
            LayerKind::Database => RuleSource::Database,
            LayerKind::Session => RuleSource::Session,
        }
    }
}

/// Whether a rule counts. Denies and confirms of project files always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleStatus {
    /// It counts.
    Counts,
    /// It would allow, and its project file is not trusted as it is now.
    NotTrusted,
    /// It would allow, and its file is not the one at the workspace root: such a file only tightens.
    OnlyTightens,
    /// It is kept and has a fault, so it does not count; the problems say which.
    Broken,
}

/// The session a rule is remembered for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleSession {
    /// The asking credential.
    pub credential: String,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The run or conversation.
    pub scope: String,
}

impl From<&Session> for RuleSession {
    fn from(session: &Session) -> RuleSession {
        RuleSession {
            credential: session.credential.clone(),
            agent_id: session.agent.clone(),
            scope: session.scope.clone(),
        }
    }
}

/// A rule, where it stands, and how often it decided.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleItem {
    /// A kept rule's UUID; for others the one written with the rule, or a name made of its place and text.
    pub id: String,
    /// Where it comes from.
    pub source: RuleSource,
    /// The file it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line it begins at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether it can be changed over the API.
    pub editable: bool,
    /// What it does.
    pub effect: Effect,
    /// What it matches.
    pub rule: RuleFields,
    /// The MCP server; null: any.
    pub server_id: Option<String>,
    /// The exact tool; null: the pattern says, or any.
    pub tool_name: Option<String>,
    /// The wildcard pattern.
    pub tool_pattern: Option<String>,
    /// Whether what it matches runs without a question.
    pub auto_approve: bool,
    /// Higher wins.
    pub priority: i32,
    /// How many calls of the last seven days it decided, or helped to decide.
    pub hits: u64,
    /// When it last did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_hit: Option<Timestamp>,
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// By whom it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// The one session it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<RuleSession>,
    /// Whether it counts.
    pub standing: RuleStatus,
    /// Its time is over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
}

/// Something wrong with a layer: a file that does not load, a kept rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleProblem {
    /// Which layer.
    pub source: RuleSource,
    /// The file, or another name for the place.
    pub file: String,
    /// What is wrong, and the way out.
    pub message: String,
}

/// All rules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleList {
    /// The rules, by layer.
    pub rules: Vec<RuleItem>,
    /// What does not load.
    pub problems: Vec<RuleProblem>,
    /// Grows whenever rules change.
    pub generation: u64,
}

/// What rules would have done.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleTestResponse {
    /// How many past calls were judged, with the rules and without.
    pub tried: usize,
    /// How many of them a rule matches.
    pub matched: usize,
    /// The latest of these, whether they would be decided otherwise or not; 50 at most.
    pub matches: Vec<RetestedCall>,
    /// Calls that would be decided otherwise, newest first; 200 at most.
    pub changed: Vec<RetestedCall>,
    /// How many there are of them.
    pub changed_total: usize,
    /// All that were tried, by what is decided without the rules and with them.
    pub counts: Vec<ChangeCount>,
    /// What the verdict on `call` would be with the rules. A rule that is tried is cited by the id of the one it replaces,
    /// or else by its number among them as a UUID, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<DecideResponse>,
}

/// A past call, judged without the rules and with them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetestedCall {
    /// The call.
    pub call_id: Uuid,
    /// When it was asked about.
    pub at: Timestamp,
    /// The tool.
    pub tool_name: String,
    /// The tool and its main input, in one line.
    pub message: String,
    /// What today's rules decide.
    pub before: Decision,
    /// What they would with the tried ones.
    pub after: Decision,
    /// What was decided then.
    pub was_then: Decision,
}

/// How many calls go from one decision to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeCount {
    /// Without the rules.
    pub before: Decision,
    /// With them.
    pub after: Decision,
    /// How many.
    pub count: usize,
}

/// Rules worth having.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suggestions {
    /// The strongest first.
    pub suggestions: Vec<Suggestion>,
}

/// Rules that people's answers speak for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// What they would do.
    pub effect: Effect,
    /// The rules.
    pub rules: Vec<RuleFields>,
    /// What they would also cover, in plain words.
    pub also: String,
    /// The same as codes; empty in what was kept before there were codes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_codes: Vec<AlsoAllowed>,
    /// How many equal answers there are, and none to the contrary.
    pub support: usize,
    /// The latest of them, ten at most.
    pub evidence: Vec<Evidence>,
    /// When the first was given.
    pub first_at: Timestamp,
    /// When the last was given.
    pub last_at: Timestamp,
}

/// An answer that speaks for a rule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The question.
    pub approval_id: Uuid,
    /// When it was answered.
    pub at: Timestamp,
    /// By whom.
    pub by: String,
    /// What was asked, in one line.
    pub message: String,
}

impl fmt::Display for RuleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RuleSource::BuiltIn => "built-in",
            RuleSource::Managed => "managed",
            RuleSource::Global => "global",
            RuleSource::Project => "project",
            RuleSource::Database => "database",
            RuleSource::Session => "session",
        })
    }
}
