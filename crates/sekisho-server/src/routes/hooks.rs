//! Agents whose hooks speak HTTP: their words in, their words out.
//!
//! Such a hook takes any answer but a 200 for a hook that failed, and lets the call run unless it was told otherwise. So
//! whatever goes wrong once we know who asks is said as a block, in a 200.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use sekisho_adapters::{Agent, Asked, Ending, Event, Reply, block, block_told, made_call_id};
use sekisho_gate::ask::Ask;
use sekisho_gate::ledger::{self, CallName};
use sekisho_policy::Decision;
use serde_json::{Map, Value};

use super::asking;
use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::body::Body;
use crate::edge::Taken;
use crate::error::Fault;
use crate::route::Route;
use crate::wire::call::{CanUseTool, Permission};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/api/hooks/{agent}", Access::ASK, "hook", hook)
            .says("An agent's own hook, over HTTP: its JSON in, its JSON out")
            .notes("`claude-code` and `codex` (hooks and app-server approvals), `gemini-cli`, `opencode`. A human is waited for. The answer is always 200 once the caller is known, and a block says so in its body; give the hook `onFailure: \"block\"` for the rest.")
            .takes::<Map<String, Value>>()
            .gives::<Map<String, Value>>(200)
            .faults(&[404]),
    ]
}

async fn hook(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(agent): Path<String>,
    body: Result<Body<Map<String, Value>>, Fault>,
) -> Result<Response, Fault> {
    let agent: Agent = agent.parse().map_err(Fault::not_found)?;
    let blocked = |why: String| format!("sekisho: {why}; the call is blocked");
    let said = match body {
        Ok(Body(told, memory)) => {
            let text = Value::Object(told).to_string();
            said(&app, &who, agent, &text, memory)
                .await
                .unwrap_or_else(|why| block_told(agent, &text, &blocked(why)))
        }
        Err(fault) => block(agent, &blocked(fault.message)),
    };
    Ok(([(header::CONTENT_TYPE, "application/json")], said.body()).into_response())
}

async fn said(
    app: &App,
    who: &Identity,
    agent: Agent,
    text: &str,
    memory: Taken,
) -> Result<sekisho_adapters::Said, String> {
    // Nobody can tell from here whether somebody sits in front of the agent.
    let asked = sekisho_adapters::read(agent, text, &|_| None);
    let asked = asked.map_err(|error| error.to_string())?;
    let reply = match &asked.event {
        Event::Before | Event::Permission => decide(app, who, &asked, memory).await?,
        Event::After(ending) => {
            note(app, who, &asked, ending).await.map_err(|fault| fault.message)?;
            Reply::Nothing
        }
    };
    Ok(asked.say(reply))
}

async fn decide(app: &App, who: &Identity, asked: &Asked, memory: Taken) -> Result<Reply, String> {
    let call = asked.call.clone();
    let Value::Object(input) = call.input else { return Err("the input is not an object".into()) };
    // Where the wire has no id no call is like another: the time of asking tells them apart.
    let ordinal = || u64::try_from(app.now().as_nanosecond()).unwrap_or(0);
    let id = call.call_id.map_or_else(|| made_call_id(asked, ordinal()), Ok)?;
    let body = CanUseTool {
        tool_name: call.tool,
        input,
        tool_use_id: id,
        server_id: call.server.map(|server| server.id),
        workspace_id: None,
        conversation_id: None,
        run_id: call.run_id,
        agent_id: call.agent.map(|agent| agent.id),
        cwd: call.cwd,
        timeout_ms: None,
        on_timeout: None,
        supports_confirm: None,
        always_ask: true,
        project_root: None,
        input_schema: None,
        descriptor: None,
    };
    let ask = asking::asked(app, who, body).await.map_err(|fault| fault.message)?;
    let ask = Ask { held: Some(Arc::new(memory)), ..ask };
    if asked.is_for_a_human() {
        let judged = app.gate().judge_in_turn(&ask).await.map_err(|refusal| refusal.reason)?;
        if judged.verdict.decision == Decision::Allow {
            // A rule must not answer this; the agent's own prompt does.
            return Ok(Reply::Nothing);
        }
    }
    match asking::waited(app, who, ask).await.map_err(|fault| fault.message)? {
        Permission::Allow { updated_input, .. } => {
            Ok(Reply::Allow { reason: "let through by sekisho".into(), input: updated_input })
        }
        Permission::Deny { message, interrupt, .. } => Ok(Reply::Deny { reason: message, interrupt }),
    }
}

/// Notes how a call ended, where it is known here.
async fn note(app: &App, who: &Identity, asked: &Asked, ending: &Ending) -> Result<(), Fault> {
    let Some(name) = CallName::of(&who.credential, &asked.call) else { return Ok(()) };
    let Some(execution) = app.gate().ledger().latest_execution(name).await? else { return Ok(()) };
    let ending = ledger::Ending {
        at: app.now(),
        is_error: ending.is_error,
        output: None,
        duration_ms: ending.duration_ms.map(|ms| ms.max(0)),
    };
    app.gate().reported(execution, ending).await?;
    Ok(())
}
