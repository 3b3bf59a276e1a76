//! Claude Code: hooks on PreToolUse, PermissionRequest, PostToolUse and PostToolUseFailure, as commands or
//! over HTTP.
//!
//! It reads standard output after exit code 0 and standard error after exit code 2. If the exit code is 0 and
//! the output is not complete JSON, Claude Code ignores the hook: in bypass mode, it runs the call.

use serde_json::{Map, Value, json};

use crate::hook_fields::HookFields;
use crate::hook_request::{
    HookEvent, HookRequest, HookRequestError, ReportedOutcome, ResponseContext, UserPresence,
};
use crate::hook_response::{HookDecision, HookResponse, non_empty_reason};
use crate::mcp_tool_name::{ToolName, parse_mcp_name, parse_mcp_name_lenient};

pub(crate) fn read(
    message: &HookFields<'_>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<HookRequest, HookRequestError> {
    let ending = |is_error| {
        HookEvent::AfterCall(ReportedOutcome { is_error, duration_ms: message.duration("duration_ms") })
    };
    let (form, event) = match message.text("hook_event_name")? {
        "PreToolUse" => ("PreToolUse", HookEvent::BeforeCall),
        "PermissionRequest" => ("PermissionRequest", HookEvent::PermissionRequest),
        "PostToolUse" => ("PostToolUse", ending(false)),
        "PostToolUseFailure" => ("PostToolUseFailure", ending(true)),
        other => {
            return Err(message.error(format!(
                "unsupported event `{other}`; supported: PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure"
            )));
        }
    };
    let name = tool_name(message, &event)?;
    let call = message.call(name, message.input("tool_input")?)?;
    let sub_agent = message.maybe_text("agent_id")?.map(str::to_owned);
    let mode = message.maybe_text("permission_mode")?;
    // A call can be deferred only in a `-p` run, and only if the main agent made it: a sub-agent cannot be
    // resumed.
    let printing = environment("CLAUDE_CODE_SESSION_ATTENDED").as_deref() == Some("0")
        && environment("CLAUDE_CODE_ENTRYPOINT").as_deref() == Some("sdk-cli");
    let can_defer = event == HookEvent::BeforeCall && printing && sub_agent.is_none();
    let attendance = attendance(&event, mode, environment);
    let agent = message.agent;
    Ok(HookRequest {
        agent,
        event,
        call,
        sub_agent,
        attendance,
        can_defer,
        response_form: form,
        context: ResponseContext::Plain,
    })
}

fn tool_name(message: &HookFields<'_>, event: &HookEvent) -> Result<ToolName, HookRequestError> {
    let name = message.text("tool_name")?;
    let server = match message.maybe_object("mcp_server")? {
        Some(server) => Some(server.text("name")?),
        None => None,
    };
    match event {
        HookEvent::AfterCall(_) => Ok(parse_mcp_name_lenient(name, server)),
        HookEvent::BeforeCall | HookEvent::PermissionRequest => {
            parse_mcp_name(name, server).map_err(|fault| message.error(fault))
        }
    }
}

/// A user is present only if Claude Code says so. In `dontAsk` nobody is asked. In `auto`, if we answer
/// `ask`, Claude Code opens its dialog; but if Claude Code itself asks for permission, a classifier may
/// answer instead of the user.
fn attendance(
    event: &HookEvent,
    mode: Option<&str>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> UserPresence {
    let asks = match mode {
        Some("dontAsk") => false,
        Some("auto") => *event == HookEvent::BeforeCall,
        _ => true,
    };
    let there = match environment("CLAUDE_CODE_SESSION_ATTENDED").as_deref() {
        Some(attended) => attended == "1",
        None => environment("CLAUDE_CODE_ENTRYPOINT").as_deref() == Some("cli"),
    };
    if asks && there { UserPresence::Present } else { UserPresence::Headless }
}

pub(crate) fn respond(request: &HookRequest, reply: HookDecision) -> HookResponse {
    match request.event {
        HookEvent::BeforeCall => before(reply),
        HookEvent::PermissionRequest => permission(reply),
        HookEvent::AfterCall(_) => after(reply),
    }
}

fn before(reply: HookDecision) -> HookResponse {
    let mut said = Map::new();
    let (decision, reason) = match reply {
        HookDecision::Allow { reason, input } => {
            said.extend(input.map(|input| ("updatedInput".to_owned(), input)));
            ("allow", reason)
        }
        HookDecision::Ask { reason } => ("ask", reason),
        HookDecision::Defer { reason } => ("defer", reason),
        HookDecision::Deny { reason, interrupt } => {
            let said = decided(said, "deny", reason.clone());
            return HookResponse::json(&stopping(json!({ "hookSpecificOutput": said }), &reason, interrupt));
        }
        HookDecision::NoDecision => ("deny", non_empty_reason("").to_owned()),
    };
    HookResponse::json(&json!({ "hookSpecificOutput": decided(said, decision, reason) }))
}

fn decided(mut said: Map<String, Value>, decision: &str, reason: String) -> Value {
    said.insert("hookEventName".into(), "PreToolUse".into());
    said.insert("permissionDecision".into(), decision.into());
    said.insert("permissionDecisionReason".into(), reason.into());
    Value::Object(said)
}

/// PreToolUse has no `interrupt`; every event has `continue`.
fn stopping(mut answer: Value, reason: &str, interrupt: bool) -> Value {
    if let (true, Some(fields)) = (interrupt, answer.as_object_mut()) {
        fields.insert("continue".into(), false.into());
        fields.insert("stopReason".into(), reason.into());
    }
    answer
}

/// Refuses permission. An exit code is not enough: for a PermissionRequest it counts as no answer, and the
/// agent's own dialog would appear.
pub(crate) fn refuse(reason: &str) -> HookResponse {
    permission(HookDecision::Deny { reason: non_empty_reason(reason).to_owned(), interrupt: false })
}

fn permission(reply: HookDecision) -> HookResponse {
    let decision = match reply {
        HookDecision::Allow { input: Some(input), .. } => {
            json!({ "behavior": "allow", "updatedInput": input })
        }
        HookDecision::Allow { input: None, .. } => json!({ "behavior": "allow" }),
        HookDecision::Deny { reason, interrupt } => {
            json!({ "behavior": "deny", "message": reason, "interrupt": interrupt })
        }
        // Without a decision its own dialog appears.
        HookDecision::Ask { .. } | HookDecision::NoDecision => return HookResponse::empty(),
        HookDecision::Defer { reason } => json!({ "behavior": "deny", "message": reason }),
    };
    HookResponse::json(
        &json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } }),
    )
}

/// A call that has run cannot be undone; the model can still be informed.
pub(crate) fn after(reply: HookDecision) -> HookResponse {
    match reply {
        HookDecision::Allow { .. } | HookDecision::NoDecision => HookResponse::empty(),
        HookDecision::Ask { reason } | HookDecision::Defer { reason } => {
            HookResponse::json(&json!({ "decision": "block", "reason": reason }))
        }
        HookDecision::Deny { reason, interrupt } => HookResponse::json(&stopping(
            json!({ "decision": "block", "reason": reason }),
            &reason,
            interrupt,
        )),
    }
}
