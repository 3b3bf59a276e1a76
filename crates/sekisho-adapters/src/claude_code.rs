//! Claude Code: hooks on PreToolUse, PermissionRequest, PostToolUse and PostToolUseFailure, as commands or over HTTP.
//!
//! It reads standard output after exit code 0 and standard error after 2. After 0 with anything but whole JSON the call goes
//! its usual way, which in bypass mode is to run.

use serde_json::{Map, Value, json};

use crate::asked::{Asked, Attendance, Context, Ending, Event, Unreadable};
use crate::said::{Reply, Said, spoken};
use crate::told::Told;
use crate::tool_name::{ToolName, prefixed, prefixed_or_whole};

pub(crate) fn read(
    told: &Told<'_>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Asked, Unreadable> {
    let ending = |is_error| Event::After(Ending { is_error, duration_ms: told.duration("duration_ms") });
    let (form, event) = match told.text("hook_event_name")? {
        "PreToolUse" => ("PreToolUse", Event::Before),
        "PermissionRequest" => ("PermissionRequest", Event::Permission),
        "PostToolUse" => ("PostToolUse", ending(false)),
        "PostToolUseFailure" => ("PostToolUseFailure", ending(true)),
        other => {
            return Err(told.unreadable(format!(
                "`{other}` is no event that is answered here; PreToolUse, PermissionRequest, PostToolUse and PostToolUseFailure are"
            )));
        }
    };
    let name = tool_name(told, &event)?;
    let call = told.call(name, told.input("tool_input")?)?;
    let sub_agent = told.maybe_text("agent_id")?.map(str::to_owned);
    let mode = told.maybe_text("permission_mode")?;
    // Only a run of the command line's `-p` can be resumed, and only where its own thread stopped.
    let printing = environment("CLAUDE_CODE_SESSION_ATTENDED").as_deref() == Some("0")
        && environment("CLAUDE_CODE_ENTRYPOINT").as_deref() == Some("sdk-cli");
    let can_defer = event == Event::Before && printing && sub_agent.is_none();
    let attendance = attendance(&event, mode, environment);
    let agent = told.agent;
    Ok(Asked { agent, event, call, sub_agent, attendance, can_defer, form, context: Context::Plain })
}

fn tool_name(told: &Told<'_>, event: &Event) -> Result<ToolName, Unreadable> {
    let name = told.text("tool_name")?;
    let server = match told.maybe_object("mcp_server")? {
        Some(server) => Some(server.text("name")?),
        None => None,
    };
    match event {
        Event::After(_) => Ok(prefixed_or_whole(name, server)),
        Event::Before | Event::Permission => prefixed(name, server).map_err(|fault| told.unreadable(fault)),
    }
}

/// Somebody is there only where Claude Code says so. In `dontAsk` nobody is asked; in `auto` our own `ask` brings up its
/// dialog, but where it asks by itself a classifier may answer.
fn attendance(event: &Event, mode: Option<&str>, environment: &dyn Fn(&str) -> Option<String>) -> Attendance {
    let asks = match mode {
        Some("dontAsk") => false,
        Some("auto") => *event == Event::Before,
        _ => true,
    };
    let there = match environment("CLAUDE_CODE_SESSION_ATTENDED").as_deref() {
        Some(attended) => attended == "1",
        None => environment("CLAUDE_CODE_ENTRYPOINT").as_deref() == Some("cli"),
    };
    if asks && there { Attendance::Attended } else { Attendance::Headless }
}

pub(crate) fn say(asked: &Asked, reply: Reply) -> Said {
    match asked.event {
        Event::Before => before(reply),
        Event::Permission => permission(reply),
        Event::After(_) => after(reply),
    }
}

fn before(reply: Reply) -> Said {
    let mut said = Map::new();
    let (decision, reason) = match reply {
        Reply::Allow { reason, input } => {
            said.extend(input.map(|input| ("updatedInput".to_owned(), input)));
            ("allow", reason)
        }
        Reply::Ask { reason } => ("ask", reason),
        Reply::Defer { reason } => ("defer", reason),
        Reply::Deny { reason, interrupt } => {
            let output = decided(said, "deny", reason.clone());
            return Said::json(&stopping(json!({ "hookSpecificOutput": output }), &reason, interrupt));
        }
        Reply::Nothing => ("deny", spoken("").to_owned()),
    };
    Said::json(&json!({ "hookSpecificOutput": decided(said, decision, reason) }))
}

fn decided(mut said: Map<String, Value>, decision: &str, reason: String) -> Value {
    said.insert("hookEventName".into(), "PreToolUse".into());
    said.insert("permissionDecision".into(), decision.into());
    said.insert("permissionDecisionReason".into(), reason.into());
    Value::Object(said)
}

/// PreToolUse has no `interrupt`; every event knows `continue`.
fn stopping(mut answer: Value, reason: &str, interrupt: bool) -> Value {
    if let (true, Some(fields)) = (interrupt, answer.as_object_mut()) {
        fields.insert("continue".into(), false.into());
        fields.insert("stopReason".into(), reason.into());
    }
    answer
}

/// Refuses permission. An exit code cannot: it is no answer to that, and the agent's own dialog would come up.
pub(crate) fn refuse(reason: &str) -> Said {
    permission(Reply::Deny { reason: spoken(reason).to_owned(), interrupt: false })
}

fn permission(reply: Reply) -> Said {
    let decision = match reply {
        Reply::Allow { input: Some(input), .. } => json!({ "behavior": "allow", "updatedInput": input }),
        Reply::Allow { input: None, .. } => json!({ "behavior": "allow" }),
        Reply::Deny { reason, interrupt } => {
            json!({ "behavior": "deny", "message": reason, "interrupt": interrupt })
        }
        // Without a decision its own dialog comes up.
        Reply::Ask { .. } | Reply::Nothing => return Said::nothing(),
        Reply::Defer { reason } => json!({ "behavior": "deny", "message": reason }),
    };
    Said::json(
        &json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } }),
    )
}

/// After a call nothing can be undone; the model can still be told.
pub(crate) fn after(reply: Reply) -> Said {
    match reply {
        Reply::Allow { .. } | Reply::Nothing => Said::nothing(),
        Reply::Ask { reason } | Reply::Defer { reason } => {
            Said::json(&json!({ "decision": "block", "reason": reason }))
        }
        Reply::Deny { reason, interrupt } => {
            Said::json(&stopping(json!({ "decision": "block", "reason": reason }), &reason, interrupt))
        }
    }
}
