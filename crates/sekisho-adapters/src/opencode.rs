//! opencode: our own plugin, which asks the hook in words of ours and throws on anything but a clear allow.

use serde_json::{Value, json};

use crate::asked::{Asked, Attendance, Context, Ending, Event, Unreadable};
use crate::said::{Reply, Said, spoken};
use crate::told::Told;
use crate::tool_name::ToolName;
use sekisho_policy::tools::spelled;
use sekisho_policy::{Call, Named};

/// The plugin, but for the two paths.
const PLUGIN: &str = include_str!("opencode_plugin.js");

/// Its own tools. Other names are those of MCP servers (`SERVER_TOOL`), of plugins or of a project's own tools.
const OWN: &[&str] = &[
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

pub(crate) fn read(told: &Told<'_>) -> Result<Asked, Unreadable> {
    let (form, event) = match told.text("event")? {
        "before" => ("before", Event::Before),
        "after" => {
            let is_error = told.value("failed") == Some(&Value::Bool(true));
            ("after", Event::After(Ending { is_error, duration_ms: None }))
        }
        other => {
            return Err(told.unreadable(format!("`{other}` is no event of our plugin; before and after are")));
        }
    };
    let name = match (tool_name(told), &event) {
        (Err(_), Event::After(_)) => ToolName::own(told.text("tool")?),
        (name, _) => name?,
    };
    let call = Call {
        tool: name.tool,
        server: name.server.map(Named::claimed),
        input: told.input("args")?,
        agent: Some(Named::claimed(told.agent.name())),
        run_id: Some(told.text("sessionID")?.to_owned()),
        call_id: told.maybe_text("callID")?.map(str::to_owned),
        cwd: told.directory("directory")?,
        ..Call::default()
    };
    Ok(Asked {
        agent: told.agent,
        event,
        call,
        sub_agent: None,
        attendance: Attendance::Headless,
        can_defer: false,
        form,
        context: Context::Plain,
    })
}

/// Which server a tool belongs to is told by the servers in opencode's config; two that fit leave it open.
fn tool_name(told: &Told<'_>) -> Result<ToolName, Unreadable> {
    let name = told.text("tool")?;
    let mut fitting = Vec::new();
    for server in servers(told)? {
        let tool = name.strip_prefix(&spelled(server)).and_then(|rest| rest.strip_prefix('_'));
        fitting.extend(tool.filter(|tool| !tool.is_empty()).map(|tool| ToolName::of(server, tool)));
    }
    let own = OWN.contains(&name);
    match (fitting.pop(), fitting.is_empty()) {
        (Some(found), true) if !own => Ok(found),
        (Some(_), _) => Err(told
            .unreadable(format!("`{name}` can be read as several tools; give the MCP server another name"))),
        (None, _) => Ok(if own { ToolName::own(name) } else { ToolName::foreign(name) }),
    }
}

fn servers<'a>(told: &Told<'a>) -> Result<Vec<&'a str>, Unreadable> {
    let fault = || told.unreadable("`servers` is not a list of names");
    match told.value("servers") {
        None => Ok(Vec::new()),
        Some(Value::Array(names)) => names.iter().map(|name| name.as_str().ok_or_else(fault)).collect(),
        Some(_) => Err(fault()),
    }
}

pub(crate) fn say(asked: &Asked, reply: Reply) -> Said {
    let answer = match reply {
        Reply::Allow { .. } | Reply::Nothing if asked.event != Event::Before => return Said::nothing(),
        Reply::Allow { reason, input: None } => json!({ "decision": "allow", "reason": reason }),
        Reply::Allow { reason, input: Some(input) } => {
            json!({ "decision": "allow", "reason": reason, "args": input })
        }
        Reply::Deny { reason, interrupt: true } => {
            json!({ "decision": "deny", "reason": reason, "interrupt": true })
        }
        Reply::Deny { reason, .. } | Reply::Ask { reason } | Reply::Defer { reason } => {
            json!({ "decision": "deny", "reason": reason })
        }
        Reply::Nothing => json!({ "decision": "deny", "reason": spoken("") }),
    };
    Said::json(&answer)
}
