//! Codex's app server: approval requests, answered as JSON-RPC by the program that drives it.
//!
//! Only `accept` lets anything run. We send it for one call only, never for the session and never as an
//! amendment.

use sekisho_policy::{Call, IdClaim};
use serde_json::{Map, Value, json};

use crate::hook_fields::HookFields;
use crate::hook_request::{HookEvent, HookRequest, HookRequestError, Request, ResponseContext, UserPresence};
use crate::hook_response::{HookDecision, HookResponse};

pub(crate) fn read(message: &HookFields<'_>) -> Result<HookRequest, HookRequestError> {
    let id = match message.value("id") {
        Some(id @ (Value::Number(_) | Value::String(_))) => id.clone(),
        _ => return Err(message.error("`id` is not a request id")),
    };
    let params = message.maybe_object("params")?.ok_or_else(|| message.error("`params` is missing"))?;
    let (tool, input) = match message.text("method")? {
        "item/commandExecution/requestApproval" => command(&params)?,
        // The changes are sent elsewhere. An absent patch names no file, so no allow covers it.
        "item/fileChange/requestApproval" => {
            ("apply_patch", kept(&params, &["reason", "grantRoot"], Some("patch")))
        }
        "item/permissions/requestApproval" => {
            ("request_permissions", kept(&params, &["reason", "permissions"], None))
        }
        other => {
            return Err(message.error(format!("unsupported approval request `{other}`")));
        }
    };
    let permissions = (tool == "request_permissions").then(|| params.input("permissions")).transpose()?;
    // Several approvals can belong to one item.
    let call_id = match (params.text("itemId")?, params.maybe_text("approvalId")?) {
        (item, Some(approval)) => format!("{item}/{approval}"),
        (item, None) => item.to_owned(),
    };
    let call = Call {
        tool: tool.to_owned(),
        input,
        agent: Some(IdClaim::claimed(message.agent.name())),
        run_id: Some(params.text("threadId")?.to_owned()),
        call_id: Some(call_id),
        cwd: params.directory("cwd")?,
        ..Call::default()
    };
    let offered = params.value("availableDecisions").and_then(Value::as_array);
    let can_accept = offered.is_none_or(|offered| offered.iter().any(|one| one.as_str() == Some("accept")));
    Ok(HookRequest {
        agent: message.agent,
        event: HookEvent::PermissionRequest,
        call,
        sub_agent: None,
        attendance: UserPresence::Headless,
        can_defer: false,
        response_form: "app-server",
        context: ResponseContext::Request(Request { id, permissions, can_accept }),
    })
}

/// A command, input to a running command, or a network connection. Only the first is shell text.
fn command(params: &HookFields<'_>) -> Result<(&'static str, Value), HookRequestError> {
    let fields = ["command", "reason", "additionalPermissions", "networkApprovalContext", "kind"];
    let input = kept(params, &fields, None);
    let tool = match params.maybe_text("kind")? {
        _ if params.value("networkApprovalContext").is_some() => "network_access",
        None | Some("command") => "Bash",
        Some(_) => "write_stdin",
    };
    if tool == "Bash" {
        params.text("command")?;
    }
    Ok((tool, input))
}

/// The fields that say what would happen, with `absent` set to null.
fn kept(params: &HookFields<'_>, fields: &[&str], absent: Option<&str>) -> Value {
    let said = fields.iter().filter_map(|field| Some(((*field).to_owned(), params.value(field)?.clone())));
    let absent = absent.map(|field| (field.to_owned(), Value::Null));
    Value::Object(said.chain(absent).collect::<Map<_, _>>())
}

pub(crate) fn respond(request: &Request, reply: &HookDecision) -> HookResponse {
    let (decision, granted) = match reply {
        HookDecision::NoDecision => return HookResponse::empty(),
        HookDecision::Allow { input: None, .. } if request.can_accept => ("accept", true),
        HookDecision::Deny { interrupt: true, .. } => ("cancel", false),
        // Accepted even if it is not offered; `cancel` would end the turn.
        _ => ("decline", false),
    };
    let result = match &request.permissions {
        Some(asked) => {
            let permissions = if granted { asked.clone() } else { json!({}) };
            json!({ "permissions": permissions, "scope": "turn" })
        }
        None => json!({ "decision": decision }),
    };
    HookResponse::json(&json!({ "id": request.id, "result": result }))
}
