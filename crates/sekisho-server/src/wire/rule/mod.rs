//! Rules on the wire: in our own names, and in those of the first specification (`serverId`, `toolName`,
//! `autoApprove`).

mod fields;
mod presets;
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
pub use presets::{PresetItem, PresetRule};
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
    /// Created in the page or over the API.
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

/// Whether a rule applies. Denies and confirms of project files always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RuleStanding")]
pub enum RuleStatus {
    /// It applies.
    Counts,
    /// It is an allow, and its project file is not trusted as it is now.
    NotTrusted,
    /// It is an allow, and its file is not the one at the workspace root: other files may only tighten.
    OnlyTightens,
    /// It is stored but invalid, so it does not apply; `problems` has the error.
    Broken,
}

/// The session a rule is remembered for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleSession {
    /// The credential that asked.
    pub credential: String,
    /// The agent's id.
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

/// A rule, where it is, and how often it decided.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleItem {
    /// The UUID of a stored rule; for others the id written in the rule, or a digest of its position and
    /// text.
    pub id: String,
    /// Where it comes from.
    pub source: RuleSource,
    /// The file it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line it begins at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether it can be changed over the API.
    pub editable: bool,
    /// Its effect.
    pub effect: Effect,
    /// What it matches.
    pub rule: RuleFields,
    /// The MCP server; null means any.
    pub server_id: Option<String>,
    /// The exact tool; null means that the pattern decides, or any tool.
    pub tool_name: Option<String>,
    /// The wildcard pattern.
    pub tool_pattern: Option<String>,
    /// Whether calls it matches run without a question.
    pub auto_approve: bool,
    /// Higher wins.
    pub priority: i32,
    /// How many calls of the last seven days it decided, or helped to decide.
    pub hits: u64,
    /// When it last decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_hit: Option<Timestamp>,
    /// When it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Who created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// The only session it applies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<RuleSession>,
    /// Whether it applies.
    pub standing: RuleStatus,
    /// Whether it has expired.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
}

/// A problem with a layer: a file that does not load, or an invalid stored rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleProblem {
    /// The layer.
    pub source: RuleSource,
    /// The file, or another name of the source.
    pub file: String,
    /// What is wrong and how to fix it.
    pub message: String,
}

/// All rules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleList {
    /// The rules, by layer.
    pub rules: Vec<RuleItem>,
    /// Layers and rules that do not load.
    pub problems: Vec<RuleProblem>,
    /// Grows whenever rules change.
    pub generation: u64,
    /// The opt-in lists of rules that are shipped with sekisho, and where they are on.
    pub presets: Vec<PresetItem>,
}

/// What rules would have decided.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RuleTried")]
pub struct RuleTestResponse {
    /// How many past calls were judged, with and without the rules.
    pub tried: usize,
    /// How many of them a tested rule matches.
    pub matched: usize,
    /// The latest calls that match, whether or not their decision would change; 50 at most.
    pub matches: Vec<RetestedCall>,
    /// Calls whose decision would change, newest first; 200 at most.
    pub changed: Vec<RetestedCall>,
    /// How many decisions would change in total.
    pub changed_total: usize,
    /// All tested calls, by their decisions without and with the rules.
    pub counts: Vec<ChangeCount>,
    /// The verdict on `call` with the rules. It cites a tested rule by the id of the rule it replaces, or
    /// else by its index as a UUID, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<DecideResponse>,
}

/// A past call, judged without and with the rules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChangedCall")]
pub struct RetestedCall {
    /// The id of the call.
    pub call_id: Uuid,
    /// When it was asked about.
    pub at: Timestamp,
    /// The tool's name.
    pub tool_name: String,
    /// The tool and its main input, in one line.
    pub message: String,
    /// The decision of today's rules.
    pub before: Decision,
    /// The decision with the tested rules.
    pub after: Decision,
    /// The decision at the time.
    pub was_then: Decision,
}

/// How many calls change from one decision to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeCount {
    /// The decision without the rules.
    pub before: Decision,
    /// The decision with the rules.
    pub after: Decision,
    /// How many calls.
    pub count: usize,
}

/// Suggested rules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suggestions {
    /// The suggestions, strongest first.
    pub suggestions: Vec<Suggestion>,
}

/// Rules that people's answers support.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// The effect of the rules.
    pub effect: Effect,
    /// The rules.
    pub rules: Vec<RuleFields>,
    /// What else they would cover, in plain words.
    pub also: String,
    /// The same as codes; empty in approvals stored before codes existed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_codes: Vec<AlsoAllowed>,
    /// How many equal answers there are, with none to the contrary.
    pub support: usize,
    /// The latest of them, ten at most.
    pub evidence: Vec<Evidence>,
    /// When the first was given.
    pub first_at: Timestamp,
    /// When the last was given.
    pub last_at: Timestamp,
}

/// An answer that supports a rule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The approval.
    pub approval_id: Uuid,
    /// When it was answered.
    pub at: Timestamp,
    /// Who answered.
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
