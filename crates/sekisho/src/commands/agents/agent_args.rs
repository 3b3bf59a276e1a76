//! The flags for the settings of an agent.

use sekisho_agent::spending::UsdAmount;
use sekisho_server::wire::agent::{AgentBody, AgentTool, ModelProvider, OrchestrationMode, ToolConfigEntry};
use serde_json::Value;

use crate::failure::Failure;

/// The settings of an agent. Those that are not given stay as they are, or have their defaults.
#[derive(Debug, clap::Args)]
pub(super) struct AgentArgs {
    /// The interface of its model: `anthropic`, `openai` (also Ollama, vLLM, OpenRouter) or `scripted`
    #[arg(long, value_name = "PROVIDER", value_parser = provider)]
    pub(super) provider: Option<ModelProvider>,
    /// The model, by the name that its provider gives it; for `scripted`, the name of a script
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// The system prompt; empty for none
    #[arg(long, value_name = "TEXT")]
    system_prompt: Option<String>,
    /// Text before the first message of every run; empty for none
    #[arg(long, value_name = "TEXT")]
    user_prompt: Option<String>,
    /// How varied replies are, from 0 to 2 [default: 0.7]
    #[arg(long, value_name = "NUMBER")]
    temperature: Option<f64>,
    /// The most tokens of a reply [default: 4096]
    #[arg(long, value_name = "NUMBER")]
    max_tokens: Option<u32>,
    /// The window of the model in tokens: beyond it, long results of older calls are sent as references [default: 128000]
    #[arg(long, value_name = "TOKENS")]
    context_tokens: Option<u32>,
    /// How many replies the model may give to a message [default: 5]
    #[arg(long, value_name = "NUMBER")]
    max_iterations: Option<u32>,
    /// The most tokens of a whole run; 0 for no limit [default: no limit]
    #[arg(long, value_name = "NUMBER")]
    token_budget: Option<u64>,
    /// The most dollars of a whole run, such as 0.50; 0 for no limit; the model needs a price in `server.json` [default: no limit]
    #[arg(long, value_name = "DOLLARS")]
    cost_budget: Option<UsdAmount>,
    /// The most seconds of a whole run, waiting for approvals included; 0 for no limit [default: no limit]
    #[arg(long, value_name = "SECONDS")]
    time_budget: Option<u64>,
    /// Sub-agents: `none`, `auto`, or `approval`, which asks before every change [default: none]
    #[arg(long, value_name = "MODE", value_parser = mode)]
    mode: Option<OrchestrationMode>,
    /// Whether every tool call needs an approval [default: false]
    #[arg(long, value_name = "true|false")]
    require_tool_approval: Option<bool>,
    /// The root of its workspace, a project that is registered with the server; empty for the server's own
    #[arg(long, value_name = "DIR")]
    workspace: Option<String>,
    /// Enable a tool; can be given several times
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,
    /// Disable a tool; can be given several times
    #[arg(long = "no-tool", value_name = "NAME")]
    no_tools: Vec<String>,
    /// The settings of a tool, which is also enabled; can be given several times
    #[arg(long = "tool-config", value_name = "NAME=JSON", value_parser = tool_config)]
    tool_configs: Vec<(String, Value)>,
}

pub(in crate::commands) fn provider(text: &str) -> Result<ModelProvider, String> {
    match text {
        "anthropic" => Ok(ModelProvider::Anthropic),
        "openai" => Ok(ModelProvider::Openai),
        "scripted" => Ok(ModelProvider::Scripted),
        _ => Err("expected `anthropic`, `openai` or `scripted`".into()),
    }
}

fn mode(text: &str) -> Result<OrchestrationMode, String> {
    match text {
        "none" => Ok(OrchestrationMode::None),
        "auto" => Ok(OrchestrationMode::Auto),
        "approval" => Ok(OrchestrationMode::Approval),
        _ => Err("expected `none`, `auto` or `approval`".into()),
    }
}

fn tool_config(text: &str) -> Result<(String, Value), String> {
    let (name, config) = text
        .split_once('=')
        .ok_or("expected NAME=JSON, such as `file_write={\"allowed_dirs\":[\"doc\"]}`")?;
    let config = serde_json::from_str(config).map_err(|error| format!("{name}: not JSON: {error}"))?;
    Ok((name.to_owned(), config))
}

impl AgentArgs {
    /// Lets the flags count in the settings of an agent.
    pub(super) fn apply(&self, body: &mut AgentBody) {
        fn text(flag: &Option<String>, field: &mut Option<String>) {
            if let Some(given) = flag {
                *field = Some(given.clone()).filter(|given| !given.is_empty());
            }
        }
        text(&self.system_prompt, &mut body.system_prompt);
        text(&self.user_prompt, &mut body.user_prompt);
        text(&self.workspace, &mut body.workspace);
        body.provider = self.provider.unwrap_or(body.provider);
        body.model = self.model.clone().unwrap_or_else(|| body.model.clone());
        body.temperature = self.temperature.unwrap_or(body.temperature);
        body.max_tokens = self.max_tokens.unwrap_or(body.max_tokens);
        body.context_tokens = self.context_tokens.unwrap_or(body.context_tokens);
        body.max_iterations = self.max_iterations.unwrap_or(body.max_iterations);
        let budget =
            |flag: Option<u64>, known| flag.map_or(known, |most| Some(most).filter(|most| *most > 0));
        body.token_budget = budget(self.token_budget, body.token_budget);
        body.time_budget_seconds = budget(self.time_budget, body.time_budget_seconds);
        if let Some(most) = self.cost_budget {
            body.cost_budget_usd =
                Some(most).filter(|most| *most > UsdAmount::ZERO).map(|most| most.to_string());
        }
        body.mode = self.mode.unwrap_or(body.mode);
        body.require_tool_approval = self.require_tool_approval.unwrap_or(body.require_tool_approval);
    }

    /// The tools that change. `known` are those that the agent has, whose settings stay.
    pub(super) fn tools(&self, known: &[AgentTool]) -> Result<Vec<ToolConfigEntry>, Failure> {
        let mut entries: Vec<ToolConfigEntry> = Vec::new();
        let names = self.tools.iter().map(|name| (name, true, None));
        let names = names.chain(self.no_tools.iter().map(|name| (name, false, None)));
        for (name, is_enabled, config) in
            names.chain(self.tool_configs.iter().map(|(name, config)| (name, true, Some(config.clone()))))
        {
            if let Some(entry) = entries.iter_mut().find(|entry| entry.tool_name == *name) {
                if !(entry.is_enabled && is_enabled) {
                    return Err(Failure::usage(format!(
                        "`{name}` is both enabled and disabled; give one of both"
                    )));
                }
                entry.config = config.or(entry.config.take());
                continue;
            }
            let stored = known.iter().find(|tool| tool.tool_name == *name);
            entries.push(ToolConfigEntry {
                tool_name: name.clone(),
                is_enabled,
                config: config.or_else(|| stored?.config.clone()),
                require_approval: stored.is_some_and(|tool| tool.require_approval),
            });
        }
        Ok(entries)
    }
}
