//! What an agent has at the moment and could hand on, and what a sub-agent is granted of it.

use std::collections::BTreeMap;

use sekisho_tools::{ToolConfig, ToolContext, WantedSubAgent, sub_agents};
use serde_json::{Value, json};

use crate::run_trees::SubAgentSpec;

/// What the agent of a run has at the moment and could hand on.
#[derive(Clone)]
pub struct Grants {
    /// Its name, by which rules call it.
    pub agent: String,
    /// Its model.
    pub model: String,
    /// The other models that a sub-agent may have.
    pub models: Vec<String>,
    /// Its workspace.
    pub workspace: Option<String>,
    /// Its tools, and what they may do.
    pub tools: BTreeMap<String, ToolContext>,
    /// How many levels of sub-agents may be below it. At least one.
    pub levels: usize,
    /// How many sub-agents a run may make.
    pub most_sub_agents: u64,
    /// How many runs a tree may have.
    pub most_runs: u64,
}

impl Grants {
    /// The sub-agent that a model wants, with the settings of its tools. Fails if it would have more than its parent.
    pub(crate) fn narrowed(&self, wanted: &WantedSubAgent) -> Result<SubAgentSpec, String> {
        let model = wanted.model.clone().unwrap_or_else(|| self.model.clone());
        if model != self.model && !self.models.contains(&model) {
            let known: Vec<&str> =
                std::iter::once(&self.model).chain(&self.models).map(String::as_str).collect();
            return Err(format!(
                "Invalid 'model' parameter: `{model}` is not a model of an agent here; a sub-agent may have {}",
                known.join(", ")
            ));
        }
        let config = wanted.tool_config.as_object().cloned().unwrap_or_default();
        if let Some(tool) = config.keys().find(|tool| !wanted.enabled_tools.contains(tool)) {
            return Err(format!("Invalid 'tool_config' parameter: `{tool}` is not in 'enabled_tools'"));
        }
        let mut tools = BTreeMap::new();
        for tool in &wanted.enabled_tools {
            let settings = self.narrowed_tool(tool, config.get(tool))?;
            tools.insert(tool.clone(), settings);
        }
        let name = format!("{}/{}", self.agent, wanted.name);
        Ok(SubAgentSpec { name, system_prompt: wanted.system_prompt.clone(), model, tools })
    }

    fn narrowed_tool(&self, tool: &str, config: Option<&Value>) -> Result<ToolConfig, String> {
        let own = self.tools.get(tool).ok_or_else(|| {
            let known: Vec<&str> = self.tools.keys().map(String::as_str).collect();
            format!(
                "Invalid 'enabled_tools' parameter: `{tool}` is not one of your tools, and a sub-agent never has more; \
                 yours are {}",
                known.join(", ")
            )
        })?;
        if self.levels < 2 && sub_agents::NAMES.contains(&tool) {
            return Err(format!(
                "Invalid 'enabled_tools' parameter: a sub-agent of yours may not have sub-agents, so it has no `{tool}`"
            ));
        }
        let mut ctx = own.clone();
        if let Some(config) = config {
            let invalid = |why: String| format!("Invalid 'tool_config' parameter: {tool}: {why}");
            let config: ToolConfig =
                serde_json::from_value(config.clone()).map_err(|error| invalid(error.to_string()))?;
            config.check(tool).map_err(|error| format!("Invalid 'tool_config' parameter: {error}"))?;
            if let Some(setting) = config.narrow(tool, &mut ctx).first() {
                return Err(invalid(format!("{setting}: a sub-agent never has more than you")));
            }
        }
        Ok(ToolConfig::of_context(tool, &ctx))
    }

    /// What a sub-agent has, and beside it what its parent has, for people. `limits` are those of both: what the
    /// sub-agent spends, its parent spends too.
    pub(crate) fn shown(&self, spec: &SubAgentSpec, limits: &Value) -> Value {
        let own: BTreeMap<&String, ToolConfig> =
            self.tools.iter().map(|(tool, ctx)| (tool, ToolConfig::of_context(tool, ctx))).collect();
        json!({
            "sub_agent": {
                "name": spec.name,
                "system_prompt": spec.system_prompt,
                "model": spec.model,
                "workspace": self.workspace,
                "tools": spec.tools,
                "limits": limits,
            },
            "parent": {
                "name": self.agent,
                "model": self.model,
                "workspace": self.workspace,
                "tools": own,
                "limits": limits,
            },
        })
    }
}
