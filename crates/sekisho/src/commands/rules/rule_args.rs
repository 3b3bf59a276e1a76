//! The fields of a rule as flags.

use jiff::Timestamp;
use sekisho_policy::{Effect, Rule};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::failure::Failure;

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Fields of the rule")]
pub(super) struct RuleArgs {
    /// Exact tool name; a canonical name (`bash`, `read`, `write` …) matches every agent's tool of that kind
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Tool names, with `*` for any text
    #[arg(long, value_name = "PATTERN")]
    tool_pattern: Option<String>,
    /// Exact id of an MCP server
    #[arg(long, value_name = "ID")]
    server: Option<String>,
    /// Exact id of an agent
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Shell tools: the leading words of a command
    #[arg(long, value_name = "WORDS")]
    command: Option<String>,
    /// Shell tools: a command, with `*` for any text and `?` for one character
    #[arg(long, value_name = "GLOB")]
    command_glob: Option<String>,
    /// File tools: a glob as in .gitignore
    #[arg(long, value_name = "GLOB")]
    path: Option<String>,
    /// Web tools: a host, or `*.suffix`, perhaps with a port
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// `skill_load`: the exact name of the skill
    #[arg(long, value_name = "NAME")]
    skill_name: Option<String>,
    /// The exact input of the call, as JSON
    #[arg(long, value_name = "JSON")]
    input: Option<String>,
    /// Higher wins [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i32>,
    /// Confirm rules: seconds to wait for an answer [default: 120]
    #[arg(long, value_name = "SECONDS")]
    timeout_s: Option<u32>,
    /// Confirm rules: what happens when nobody answers in time: `deny` the call, or `park` the question,
    /// which then stays open without a time limit
    #[arg(long, value_name = "WHAT", value_parser = ["deny", "park"])]
    on_timeout: Option<String>,
    /// The rule applies until this time, such as 2027-01-31T18:00:00Z
    #[arg(long, value_name = "TIME")]
    expires_at: Option<Timestamp>,
    /// Why the rule exists; the model sees the note of a deny rule
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// A call that the rule must match, checked whenever the rule is loaded (repeatable)
    #[arg(long = "match", value_name = "EXAMPLE")]
    matching: Vec<String>,
    /// A call that the rule must not match (repeatable)
    #[arg(long, value_name = "EXAMPLE")]
    not_match: Vec<String>,
    /// In an allow rule for a whole shell tool: allow any shell text (use only in containers)
    #[arg(long)]
    unrestricted: bool,
    /// A UUID for the rule, by which `rules edit` and `rules rm` can find it
    #[arg(long, value_name = "UUID")]
    id: Option<Uuid>,
}

impl RuleArgs {
    /// The given fields, by name.
    pub(super) fn provided_fields(&self) -> Vec<(&'static str, Option<Value>)> {
        let texts = [
            ("tool", &self.tool),
            ("tool_pattern", &self.tool_pattern),
            ("server", &self.server),
            ("agent", &self.agent),
            ("command", &self.command),
            ("command_glob", &self.command_glob),
            ("path", &self.path),
            ("host", &self.host),
            ("skill_name", &self.skill_name),
            ("input", &self.input),
            ("on_timeout", &self.on_timeout),
            ("note", &self.note),
        ];
        let texts = texts.into_iter().filter_map(|(name, text)| Some((name, json!(text.as_ref()?))));
        let mut examples = Map::new();
        for (name, list) in [("match", &self.matching), ("not_match", &self.not_match)] {
            if !list.is_empty() {
                examples.insert(name.into(), json!(list));
            }
        }
        let others = [
            ("priority", self.priority.map(|priority| json!(priority))),
            ("timeout_s", self.timeout_s.map(|seconds| json!(seconds))),
            ("expires_at", self.expires_at.map(|time| json!(time.to_string()))),
            ("unrestricted", self.unrestricted.then_some(Value::Bool(true))),
            ("examples", (!examples.is_empty()).then_some(Value::Object(examples))),
            ("id", self.id.map(|id| json!(id.to_string()))),
        ];
        let others = others.into_iter().filter_map(|(name, value)| Some((name, value?)));
        texts.chain(others).map(|(name, value)| (name, Some(value))).collect()
    }

    /// The rule that the flags describe.
    pub(super) fn rule(&self) -> Result<Rule, Failure> {
        let fields: Map<String, Value> = self
            .provided_fields()
            .into_iter()
            .filter_map(|(name, value)| Some((name.into(), value?)))
            .collect();
        serde_json::from_value(Value::Object(fields)).map_err(|error| Failure::usage(error.to_string()))
    }
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum EffectArg {
    /// The call may run
    Allow,
    /// A human decides
    Confirm,
    /// The call may not run, whatever other rules decide
    Deny,
}

impl From<EffectArg> for Effect {
    fn from(effect: EffectArg) -> Effect {
        match effect {
            EffectArg::Allow => Effect::Allow,
            EffectArg::Confirm => Effect::Confirm,
            EffectArg::Deny => Effect::Deny,
        }
    }
}
