//! The description of an agent.

use sekisho_agent::agents::{Agent, ToolPermission};
use serde_json::{Map, Value, json};

use crate::wire::agent::ModelProvider;
use crate::wire::tool::BuiltInTool;

/// An agent, as Mastra's server describes it.
pub(crate) fn describe(agent: &Agent, permissions: &[ToolPermission], tools: &[BuiltInTool]) -> Value {
    let settings = &agent.settings;
    let mut described = Map::new();
    for permission in permissions.iter().filter(|permission| permission.is_enabled) {
        let name = &permission.tool_name;
        let Some(tool) = tools.iter().find(|tool| tool.name == *name) else { continue };
        let schema = json!({ "json": tool.definition.input_schema }).to_string();
        let tool = json!({
            "id": name,
            "description": tool.definition.description,
            "inputSchema": schema,
            "requireApproval": settings.require_tool_approval || permission.require_approval,
        });
        described.insert(name.clone(), tool);
    }
    json!({
        "id": agent.id,
        "name": settings.name,
        "description": "",
        "instructions": settings.system_prompt.as_deref().unwrap_or_default(),
        "tools": described,
        "agents": {}, "workflows": {}, "skills": [], "workspaceTools": [], "inputProcessors": [], "outputProcessors": [],
        "provider": ModelProvider::from(settings.provider),
        "modelId": settings.model,
        "modelVersion": "v2",
        "supportsMemory": false,
        "defaultOptions": {}, "defaultGenerateOptionsLegacy": {}, "defaultStreamOptionsLegacy": {},
    })
}
