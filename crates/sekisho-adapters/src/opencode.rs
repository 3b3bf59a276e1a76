//! opencode: our own plugin, which sends our own request format to the hook and throws on anything but a
//! clear allow.

use serde_json::{Value, json};

use crate::hook_fields::HookFields;
use crate::hook_request::{
    HookEvent, HookRequest, HookRequestError, ReportedOutcome, ResponseContext, UserPresence,
};
use crate::hook_response::{HookDecision, HookResponse, non_empty_reason};
use crate::mcp_tool_name::ToolName;
use sekisho_policy::tools::sanitised_name;
use sekisho_policy::{Call, IdClaim};

/// The plugin, with placeholders for its two paths.
const PLUGIN: &str = include_str!("opencode_plugin.js");

/// Its own tools. Other names belong to MCP servers (`SERVER_TOOL`), to plugins or to a project's own tools.
const BUILT_IN_TOOLS: &[&str] = &[
    "StructuredOutput",
    "apply_patch",
    "bash",
    "batch",
    "codesearch",
    "edit",
    "glob",
    "grep",
    "invalid",
    "list",
    "lsp",
    "multiedit",
    "patch",
    "plan_enter",
    "plan_exit",
    "question",
    "read",
    "skill",
    "task",
    "todoread",
    "todowrite",
    "webfetch",
    "websearch",
    "write",
];

/// The plugin's text for a hook and its installation, both absolute paths.
pub fn opencode_plugin(hook: &str, installation: &str) -> String {
    let (hook, installation) = (Value::from(hook), Value::from(installation));
    format!("const HOOK = {hook}\nconst INSTALLATION = {installation}\n{PLUGIN}")
}

pub(crate) fn read(message: &HookFields<'_>) -> Result<HookRequest, HookRequestError> {
    let (form, event) = match message.text("event")? {
        "before" => ("before", HookEvent::BeforeCall),
        "after" => {
            let is_error = message.value("failed") == Some(&Value::Bool(true));
            ("after", HookEvent::AfterCall(ReportedOutcome { is_error, duration_ms: None }))
        }
        other => {
            return Err(message.error(format!("unsupported event `{other}`; supported: before, after")));
        }
    };
    let name = match (tool_name(message), &event) {
        (Err(_), HookEvent::AfterCall(_)) => ToolName::built_in(message.text("tool")?),
        (name, _) => name?,
    };
    let call = Call {
        tool: name.tool,
        server: name.server.map(IdClaim::claimed),
        input: message.input("args")?,
        agent: Some(IdClaim::claimed(message.agent.name())),
        run_id: Some(message.text("sessionID")?.to_owned()),
        call_id: message.maybe_text("callID")?.map(str::to_owned),
        cwd: message.directory("directory")?,
        ..Call::default()
    };
    Ok(HookRequest {
        agent: message.agent,
        event,
        call,
        sub_agent: None,
        attendance: UserPresence::Headless,
        can_defer: false,
        response_form: form,
        context: ResponseContext::Plain,
    })
}

/// Finds a tool's server among the servers in opencode's config. If two fit, the server stays unknown.
fn tool_name(message: &HookFields<'_>) -> Result<ToolName, HookRequestError> {
    let name = message.text("tool")?;
    let mut fitting = Vec::new();
    for server in servers(message)? {
        let tool = name.strip_prefix(&sanitised_name(server)).and_then(|rest| rest.strip_prefix('_'));
        fitting.extend(tool.filter(|tool| !tool.is_empty()).map(|tool| ToolName::of(server, tool)));
    }
    let own = BUILT_IN_TOOLS.contains(&name);
    match (fitting.pop(), fitting.is_empty()) {
        (Some(found), true) if !own => Ok(found),
        (Some(_), _) => {
            Err(message.error(format!("`{name}` is ambiguous: it fits several tools; rename the MCP server")))
        }
        (None, _) => Ok(if own { ToolName::built_in(name) } else { ToolName::unknown_server(name) }),
    }
}

fn servers<'a>(message: &HookFields<'a>) -> Result<Vec<&'a str>, HookRequestError> {
    let fault = || message.error("`servers` is not a list of names");
    match message.value("servers") {
        None => Ok(Vec::new()),
        Some(Value::Array(names)) => names.iter().map(|name| name.as_str().ok_or_else(fault)).collect(),
        Some(_) => Err(fault()),
    }
}

pub(crate) fn respond(asked: &HookRequest, reply: HookDecision) -> HookResponse {
    let answer = match reply {
        HookDecision::Allow { .. } | HookDecision::NoDecision if asked.event != HookEvent::BeforeCall => {
            return HookResponse::empty();
        }
        HookDecision::Allow { reason, input: None } => json!({ "decision": "allow", "reason": reason }),
        HookDecision::Allow { reason, input: Some(input) } => {
            json!({ "decision": "allow", "reason": reason, "args": input })
        }
        HookDecision::Deny { reason, interrupt: true } => {
            json!({ "decision": "deny", "reason": reason, "interrupt": true })
        }
        HookDecision::Deny { reason, .. } | HookDecision::Ask { reason } | HookDecision::Defer { reason } => {
            json!({ "decision": "deny", "reason": reason })
        }
        HookDecision::NoDecision => json!({ "decision": "deny", "reason": non_empty_reason("") }),
    };
    HookResponse::json(&answer)
}
