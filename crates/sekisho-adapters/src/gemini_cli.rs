//! Gemini CLI: hooks on BeforeTool and AfterTool. Calls have no id.
//!
//! `ask` hangs if no user is present, and Gemini CLI does not say whether one is, so it is never sent. Gemini
//! CLI treats exit code 2 without a reason, and text that is not JSON, as an allow.

use serde_json::{Value, json};

use crate::hook_fields::HookFields;
use crate::hook_request::{
    HookEvent, HookRequest, HookRequestError, ReportedOutcome, ResponseContext, UserPresence,
};
use crate::hook_response::{HookDecision, HookResponse, call_again_message, non_empty_reason};
use crate::mcp_tool_name::ToolName;

/// Its own tools. Other names belong to MCP servers, to a project's own tools or to sub-agents.
const BUILT_IN_TOOLS: &[&str] = &[
    "activate_skill",
    "ask_user",
    "enter_plan_mode",
    "exit_plan_mode",
    "get_internal_docs",
    "glob",
    "google_web_search",
    "grep_search",
    "list_directory",
    "read_file",
    "read_many_files",
    "replace",
    "run_shell_command",
    "save_memory",
    "search_file_content",
    "tracker_add_dependency",
    "tracker_create_task",
    "tracker_get_task",
    "tracker_list_tasks",
    "tracker_update_task",
    "tracker_visualize",
    "update_topic",
    "web_fetch",
    "write_file",
    "write_todos",
];

pub(crate) fn read(message: &HookFields<'_>) -> Result<HookRequest, HookRequestError> {
    let (form, event) = match message.text("hook_event_name")? {
        "BeforeTool" => ("BeforeTool", HookEvent::BeforeCall),
        "AfterTool" => {
            let failed = message.value("tool_response").and_then(|message| message.get("error"));
            let is_error = failed.is_some_and(|error| !error.is_null());
            ("AfterTool", HookEvent::AfterCall(ReportedOutcome { is_error, duration_ms: None }))
        }
        other => {
            return Err(
                message.error(format!("unsupported event `{other}`; supported: BeforeTool, AfterTool"))
            );
        }
    };
    let call = message.call(tool_name(message)?, message.input("tool_input")?)?;
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

fn tool_name(message: &HookFields<'_>) -> Result<ToolName, HookRequestError> {
    let name = message.text("tool_name")?;
    if let Some(server) = message.maybe_object("mcp_context")? {
        return Ok(ToolName::of(server.text("server_name")?, server.text("tool_name")?));
    }
    if name.starts_with("mcp_") {
        return Err(
            message.error(format!("`{name}` is a tool of an MCP server, and `mcp_context` is missing"))
        );
    }
    Ok(if BUILT_IN_TOOLS.contains(&name) { ToolName::built_in(name) } else { ToolName::unknown_server(name) })
}

pub(crate) fn respond(request: &HookRequest, reply: HookDecision) -> HookResponse {
    let answer = match reply {
        HookDecision::Allow { .. } | HookDecision::NoDecision if request.event != HookEvent::BeforeCall => {
            return HookResponse::empty();
        }
        HookDecision::Allow { reason, input: None } => json!({ "decision": "allow", "reason": reason }),
        HookDecision::Allow { reason, input: Some(input) } if covers(&input, &request.call.input) => json!({
            "decision": "allow",
            "reason": reason,
            "hookSpecificOutput": { "hookEventName": request.response_form, "tool_input": input },
        }),
        HookDecision::Allow { input: Some(input), .. } => denied(&call_again_message(&input)),
        HookDecision::Deny { reason, interrupt: true } => json!({
            "decision": "deny",
            "reason": reason,
            "continue": false,
            "stopReason": reason,
        }),
        HookDecision::Deny { reason, .. } | HookDecision::Ask { reason } | HookDecision::Defer { reason } => {
            denied(&reason)
        }
        HookDecision::NoDecision => denied(non_empty_reason("")),
    };
    HookResponse::json(&answer)
}

fn denied(reason: &str) -> Value {
    json!({ "decision": "deny", "reason": reason })
}

/// Whether an edited input sets every field of the old one. Some versions merge it into the old input, where
/// a removed field would stay.
fn covers(input: &Value, old: &Value) -> bool {
    let old = old.as_object().into_iter().flatten();
    old.into_iter().all(|(key, _)| input.get(key).is_some())
}
