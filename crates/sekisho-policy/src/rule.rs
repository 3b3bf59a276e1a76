//! A rule as written.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What a rule does with the calls it matches, from loosest to strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The call may run.
    Allow,
    /// A human must confirm the call.
    Confirm,
    /// The call must not run, whatever other rules match.
    Deny,
}

impl Effect {
    /// `allow`, `confirm` or `deny`.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Allow => "allow",
            Effect::Confirm => "confirm",
            Effect::Deny => "deny",
        }
    }

    /// The number in a stored policy.
    pub(crate) fn number(self) -> u8 {
        match self {
            Effect::Allow => 0,
            Effect::Confirm => 1,
            Effect::Deny => 2,
        }
    }

    /// The effect with this number. An unknown number denies.
    pub(crate) fn numbered(number: u8) -> Effect {
        match number {
            0 => Effect::Allow,
            1 => Effect::Confirm,
            _ => Effect::Deny,
        }
    }

    /// Whether it matches broadly: deny and confirm do, allow does not.
    pub(crate) fn is_wide(self) -> bool {
        self != Effect::Allow
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What happens if nobody answers in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnTimeout {
    /// The call is denied.
    #[default]
    Deny,
    /// The approval stays open without a time limit.
    Park,
}

/// One rule, in the form of the config file. The list it is in determines its [`Effect`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Identifier, a UUID (version 7 if sekisho created it).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Uuid>,
    /// Higher wins; default 0. A deny wins at any priority.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub priority: i32,
    /// Exact id of an MCP server; absent means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Exact tool name. A canonical name (`bash`, `read`, `write`, `edit`, …) also matches known agents'
    /// names for that tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// `*` wildcard over the whole tool name, ignoring case. With `tool`: either may match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_pattern: Option<String>,
    /// Exact agent id; absent means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Shell tools: the leading words of a command, such as `git push`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Shell tools: `*` is any text, `?` one character. With `command`: both must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_glob: Option<String>,
    /// `skill_load` only: exact name of the skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_name: Option<String>,
    /// File tools: a gitignore-style glob over the absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Web tools: a host, or `*.suffix`, perhaps with a port (`example.com:8443`). Without one, an allow covers the default
    /// port only, a deny or confirm every port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The input of the call, as JSON text: all of it for an allow, fields that it has for a deny or confirm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Confirm rules: seconds to wait for an answer; default 120.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u32>,
    /// Confirm rules: what happens if nobody answers in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnTimeout>,
    /// The rule is valid until this time (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Why the rule exists. The note of a deny rule is shown to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Calls the rule must and must not match, checked whenever it is loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examples: Option<Examples>,
    /// Whole-tool allow of a shell tool: lifts the limits on shell text. For containers; ignored in project
    /// files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unrestricted: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(priority: &i32) -> bool {
    *priority == 0
}

/// A rule's own tests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Examples {
    /// Calls the rule must match.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matching: Vec<Example>,
    /// Calls the rule must not match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<Example>,
}

/// One example: a command, path, URL or skill name, if the rule has such a condition, else a tool name; or a
/// whole call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Example {
    /// A command, path, URL, skill name or tool name.
    Text(String),
    /// A whole call.
    Call(ExampleCall),
}

/// A whole call as an example.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExampleCall {
    /// The tool's name.
    pub tool: String,
    /// The MCP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The tool's input.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub input: serde_json::Value,
}

/// Where rules come from. The order is for display, not strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LayerKind {
    /// Shipped with sekisho; weaker than every priority.
    BuiltIn,
    /// The administrator's file.
    Managed,
    /// The user's file.
    Global,
    /// A project's file.
    Project,
    /// Rules made in the web page or over the API.
    Database,
    /// Remembered for one session.
    Session,
}

impl LayerKind {
    /// Every layer, by its number in a stored policy.
    const ALL: [LayerKind; 6] = [
        LayerKind::BuiltIn,
        LayerKind::Managed,
        LayerKind::Global,
        LayerKind::Project,
        LayerKind::Database,
        LayerKind::Session,
    ];

    /// The number in a stored policy.
    pub(crate) fn number(self) -> u8 {
        (0..).zip(LayerKind::ALL).find(|(_, kind)| *kind == self).map_or(u8::MAX, |(number, _)| number)
    }

    /// The layer with this number.
    pub(crate) fn numbered(number: u8) -> LayerKind {
        LayerKind::ALL.get(usize::from(number)).copied().unwrap_or(LayerKind::Project)
    }

    /// The layer's display name.
    pub fn name(self) -> &'static str {
        match self {
            LayerKind::BuiltIn => "built-in",
            LayerKind::Managed => "managed",
            LayerKind::Global => "global",
            LayerKind::Project => "project",
            LayerKind::Database => "database",
            LayerKind::Session => "session",
        }
    }
}

impl fmt::Display for LayerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
