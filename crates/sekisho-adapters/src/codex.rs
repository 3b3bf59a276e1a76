//! Codex: hooks on PreToolUse, PermissionRequest and PostToolUse, in Claude Code's format with exceptions.
//!
//! Before a call it accepts a deny with a reason, and an allow with an edited input. It treats everything
//! else as a faulty hook and runs the command: `ask`, `continue: false`, a deny without a reason, exit code 2
//! without a reason.
//!
//! Its `cwd` is the directory the command would run in, which the model chooses. Calls are judged by it, but
//! it says nothing about the project.

use serde_json::{Value, json};

use crate::hook_fields::HookFields;
use crate::hook_request::{
    HookEvent, HookRequest, HookRequestError, ReportedOutcome, ResponseContext, UserPresence,
};
use crate::hook_response::{HookDecision, HookResponse, call_again_message, non_empty_reason};
use crate::mcp_tool_name::{parse_mcp_name, parse_mcp_name_lenient};
use crate::{claude_code, codex_app_server};

pub(crate) fn read(message: &HookFields<'_>) -> Result<HookRequest, HookRequestError> {
    if message.value("method").is_some() {
        return codex_app_server::read(message);
    }
    let (form, event) = match message.text("hook_event_name")? {
        "PreToolUse" => ("PreToolUse", HookEvent::BeforeCall),
        "PermissionRequest" => ("PermissionRequest", HookEvent::PermissionRequest),
        "PostToolUse" => ("PostToolUse", HookEvent::AfterCall(ReportedOutcome::default())),
        other => {
            return Err(message.error(format!(
                "unsupported event `{other}`; supported: PreToolUse, PermissionRequest, PostToolUse"
            )));
        }
    };
    let tool = message.text("tool_name")?;
    let name = match event {
        HookEvent::AfterCall(_) => parse_mcp_name_lenient(tool, None),
        HookEvent::BeforeCall | HookEvent::PermissionRequest => {
            parse_mcp_name(tool, None).map_err(|fault| message.error(fault))?
        }
    };
    let (mut input, context) = input(message)?;
    if let (HookEvent::PermissionRequest, Some(fields)) = (&event, input.as_object_mut()) {
        // The request does not say so, but this is what it asks for, and the approver has to see it.
        fields.insert("sandbox_permissions".into(), "require_escalated".into());
    }
    let call = message.call(name, input)?;
    // It requests permission only when its own prompt would appear now; `codex exec` never does.
    let attendance = match event {
        HookEvent::PermissionRequest => UserPresence::Present,
        HookEvent::BeforeCall | HookEvent::AfterCall(_) => UserPresence::Headless,
    };
    let sub_agent = message.maybe_text("agent_id")?.map(str::to_owned);
    Ok(HookRequest {
        agent: message.agent,
        event,
        call,
        sub_agent,
        attendance,
        can_defer: false,
        response_form: form,
        context,
    })
}

/// The input. A tool without arguments has none. A bare text is wrapped into the field where patches are
/// looked for.
fn input(message: &HookFields<'_>) -> Result<(Value, ResponseContext), HookRequestError> {
    match message.value("tool_input") {
        None => Ok((json!({}), ResponseContext::Plain)),
        Some(Value::String(text)) => Ok((json!({ "input": text }), ResponseContext::Wrapped)),
        Some(_) => message.input("tool_input").map(|input| (input, ResponseContext::Plain)),
    }
}

pub(crate) fn respond(asked: &HookRequest, reply: HookDecision) -> HookResponse {
    match asked.event {
        HookEvent::BeforeCall => before(asked, reply),
        HookEvent::PermissionRequest => permission(reply),
        HookEvent::AfterCall(_) => claude_code::after(reply),
    }
}

fn before(asked: &HookRequest, reply: HookDecision) -> HookResponse {
    let output = match reply {
        // It does not accept an allow without an edited input; an empty answer means no objection.
        HookDecision::Allow { input: None, .. } => return HookResponse::empty(),
        HookDecision::Allow { input: Some(input), .. } if asked.context == ResponseContext::Plain => {
            json!({ "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": input })
        }
        HookDecision::Allow { input: Some(input), .. } => denied(&call_again_message(&input)),
        HookDecision::Deny { reason, .. } | HookDecision::Ask { reason } | HookDecision::Defer { reason } => {
            denied(&reason)
        }
        HookDecision::NoDecision => denied(non_empty_reason("")),
    };
    HookResponse::json(&json!({ "hookSpecificOutput": output }))
}

fn denied(reason: &str) -> Value {
    json!({ "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason })
}

fn permission(reply: HookDecision) -> HookResponse {
    let decision = match reply {
        HookDecision::Allow { input: None, .. } => json!({ "behavior": "allow" }),
        HookDecision::Allow { input: Some(input), .. } => {
            json!({ "behavior": "deny", "message": call_again_message(&input) })
        }
        HookDecision::Deny { reason, .. } | HookDecision::Defer { reason } => {
            json!({ "behavior": "deny", "message": reason })
        }
        // Without a decision its own prompt appears.
        HookDecision::Ask { .. } | HookDecision::NoDecision => return HookResponse::empty(),
    };
    HookResponse::json(
        &json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } }),
    )
}
