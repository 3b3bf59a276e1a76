//! The fields of a rule.

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_policy::{Effect, Example, Examples, Layer, LayerKind, OnTimeout, Rule, RuleError};
use serde::{Deserialize, Serialize};

use crate::error::ApiError;

/// What a rule matches, and its options. `null` means absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleFields {
    /// Higher wins; default 0. A deny wins at any priority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// Exact id of an MCP server; absent means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Another name for `server`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_id: Option<String>,
    /// Exact tool name. A canonical name (`bash`, `read`, …) also matches the names that known agents use for
    /// that tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Another name for `tool`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
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
    /// When the rule expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Why the rule exists. The model reads the note of a deny.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Calls the rule must and must not match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examples: Option<RuleExamples>,
    /// Whole-tool allow of a shell tool: drops the limits on shell text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unrestricted: Option<bool>,
}

/// A rule's own tests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleExamples {
    /// Calls the rule must match.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matching: Vec<Example>,
    /// Calls the rule must not match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<Example>,
}

impl From<&Rule> for RuleFields {
    fn from(rule: &Rule) -> RuleFields {
        let examples = rule.examples.as_ref();
        RuleFields {
            priority: Some(rule.priority),
            server: rule.server.clone(),
            server_id: None,
            tool: rule.tool.clone(),
            tool_name: None,
            tool_pattern: rule.tool_pattern.clone(),
            agent: rule.agent.clone(),
            command: rule.command.clone(),
            command_glob: rule.command_glob.clone(),
            skill_name: rule.skill_name.clone(),
            path: rule.path.clone(),
            host: rule.host.clone(),
            input: rule.input.clone(),
            timeout_s: rule.timeout_s,
            on_timeout: rule.on_timeout,
            expires_at: rule.expires_at,
            note: rule.note.clone(),
            examples: examples.map(|examples| RuleExamples {
                matching: examples.matching.clone(),
                not_match: examples.not_match.clone(),
            }),
            unrestricted: rule.unrestricted.then_some(true),
        }
    }
}

impl RuleFields {
    /// Checks the fields as a rule with this effect. Two spellings of a field must agree.
    pub fn rule(self, effect: Effect) -> Result<Rule, ApiError> {
        let rule = Rule {
            id: None,
            priority: self.priority.unwrap_or(0),
            server: merge_aliases("server", self.server, "serverId", self.server_id)?,
            tool: merge_aliases("tool", self.tool, "toolName", self.tool_name)?,
            tool_pattern: self.tool_pattern,
            agent: self.agent,
            command: self.command,
            command_glob: self.command_glob,
            skill_name: self.skill_name,
            path: self.path,
            host: self.host,
            input: self.input,
            timeout_s: self.timeout_s,
            on_timeout: self.on_timeout,
            expires_at: self.expires_at,
            note: self.note,
            examples: self
                .examples
                .map(|examples| Examples { matching: examples.matching, not_match: examples.not_match }),
            unrestricted: self.unrestricted.unwrap_or(false),
        };
        Layer::from_rules(LayerKind::Database, "database", vec![(effect, rule.clone())])
            .map_err(|error| rule_error(&error))?;
        Ok(rule)
    }
}

/// One field with two names.
pub(super) fn merge_aliases<T: PartialEq>(
    name: &str,
    value: Option<T>,
    other_name: &str,
    other: Option<T>,
) -> Result<Option<T>, ApiError> {
    match (value, other) {
        (Some(value), Some(other)) if value != other => {
            let message = format!("`{name}` and `{other_name}` mean the same but differ");
            Err(ApiError::invalid(message).with_field(name).with_hint("send one of them"))
        }
        (value, other) => Ok(value.or(other)),
    }
}

/// A rule error, with the field named as on the wire.
pub(crate) fn rule_error(error: &RuleError) -> ApiError {
    let mut field = String::new();
    for (index, word) in error.field.split('_').enumerate() {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if index > 0 => field.extend(first.to_uppercase()),
            Some(first) => field.push(first),
            None => {}
        }
        field.push_str(letters.as_str());
    }
    let shown: String = error.message.chars().flat_map(visible).collect();
    let api_error = match field.is_empty() {
        true => ApiError::invalid(shown),
        false => ApiError::invalid(format!("`{field}`: {shown}")).with_field(field),
    };
    match &error.hint {
        Some(hint) => api_error.with_hint(hint.clone()),
        None => api_error,
    }
}

fn visible(c: char) -> Vec<char> {
    if c.is_control() { c.escape_default().collect() } else { vec![c] }
}
