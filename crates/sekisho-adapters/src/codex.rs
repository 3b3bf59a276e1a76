//! Codex: hooks on PreToolUse, PermissionRequest and PostToolUse, in Claude Code's shape with holes of its own.
//!
//! Before a call it knows a deny with a reason and an allow with an edited input. Everything else, `ask`, `continue: false`,
//! a deny without a reason, exit code 2 without one, it takes for a faulty hook and runs the command.
//!
//! Its `cwd` is the directory the command would run in, which the model chooses: right to judge by, no word on the project.

use serde_json::{Value, json};

use crate::asked::{Asked, Attendance, Context, Ending, Event, Unreadable};
use crate::said::{Reply, Said, spoken, to_be_called_anew};
use crate::told::Told;
use crate::tool_name::{prefixed, prefixed_or_whole};
use crate::{claude_code, codex_app_server};

pub(crate) fn read(told: &Told<'_>) -> Result<Asked, Unreadable> {
    if told.value("method").is_some() {
        return codex_app_server::read(told);
    }
    let (form, event) = match told.text("hook_event_name")? {
        "PreToolUse" => ("PreToolUse", Event::Before),
        "PermissionRequest" => ("PermissionRequest", Event::Permission),
        "PostToolUse" => ("PostToolUse", Event::After(Ending::default())),
        other => {
            return Err(told.unreadable(format!(
                "`{other}` is no event that is answered here; PreToolUse, PermissionRequest and PostToolUse are"
            )));
        }
    };
    let tool = told.text("tool_name")?;
    let name = match event {
        Event::After(_) => prefixed_or_whole(tool, None),
        Event::Before | Event::Permission => prefixed(tool, None).map_err(|fault| told.unreadable(fault))?,
    };
    let (mut input, context) = input(told)?;
    if let (Event::Permission, Some(fields)) = (&event, input.as_object_mut()) {
        // It does not say so, but this is what it asks for; whoever decides has to see it.
        fields.insert("sandbox_permissions".into(), "require_escalated".into());
    }
    let call = told.call(name, input)?;
    // It asks for permission only where its own prompt would come up now; `codex exec` never does.
    let attendance = match event {
        Event::Permission => Attendance::Attended,
        Event::Before | Event::After(_) => Attendance::Headless,
    };
    let sub_agent = told.maybe_text("agent_id")?.map(str::to_owned);
    Ok(Asked { agent: told.agent, event, call, sub_agent, attendance, can_defer: false, form, context })
}

/// The input. A tool without arguments has none, and one that takes a bare text has it put where patches are looked for.
fn input(told: &Told<'_>) -> Result<(Value, Context), Unreadable> {
    match told.value("tool_input") {
        None => Ok((json!({}), Context::Plain)),
        Some(Value::String(text)) => Ok((json!({ "input": text }), Context::Wrapped)),
        Some(_) => told.input("tool_input").map(|input| (input, Context::Plain)),
    }
}

pub(crate) fn say(asked: &Asked, reply: Reply) -> Said {
    match asked.event {
        Event::Before => before(asked, reply),
        Event::Permission => permission(reply),
        Event::After(_) => claude_code::after(reply),
    }
}

fn before(asked: &Asked, reply: Reply) -> Said {
    let output = match reply {
        // An allow without an edited input is not known; whoever says nothing does not mind.
        Reply::Allow { input: None, .. } => return Said::nothing(),
        Reply::Allow { input: Some(input), .. } if asked.context == Context::Plain => {
            json!({ "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": input })
        }
        Reply::Allow { input: Some(input), .. } => denied(&to_be_called_anew(&input)),
        Reply::Deny { reason, .. } | Reply::Ask { reason } | Reply::Defer { reason } => denied(&reason),
        Reply::Nothing => denied(spoken("")),
    };
    Said::json(&json!({ "hookSpecificOutput": output }))
}

fn denied(reason: &str) -> Value {
    json!({ "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason })
}

fn permission(reply: Reply) -> Said {
    let decision = match reply {
        Reply::Allow { input: None, .. } => json!({ "behavior": "allow" }),
        Reply::Allow { input: Some(input), .. } => {
            json!({ "behavior": "deny", "message": to_be_called_anew(&input) })
        }
        Reply::Deny { reason, .. } | Reply::Defer { reason } => {
            json!({ "behavior": "deny", "message": reason })
        }
        // Without a decision its own prompt comes up.
        Reply::Ask { .. } | Reply::Nothing => return Said::nothing(),
    };
    Said::json(
        &json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } }),
    )
}
