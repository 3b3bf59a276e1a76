//! The script: what the demo agent does, and how it reacts to each answer.
//!
//! The first two questions are calls of a run of the built-in agent with a scripted model. The last one is a tool of
//! an MCP server, which another caller asks about over HTTP.

use sekisho_agent::machine::EDITED;
use sekisho_gate::refusal::{PREFIX, RefusalCode};
use serde_json::{Value, json};

/// The demo's name as agent, conversation, run and workspace.
pub(super) const NAME: &str = "demo";
/// The name of the scripted model. No file of a script can have it.
pub(crate) const MODEL: &str = "built-in demo";

/// The files of the demo's directory.
pub(super) const FILES: [(&str, &str); 6] = [
    NOTES,
    DEPLOY,
    RELEASE,
    ("logs/monday.log", "12 orders\n"),
    ("logs/tuesday.log", "9 orders\n"),
    ("logs/wednesday.log", "15 orders\n"),
];
/// A file to read.
const NOTES: (&str, &str) =
    ("notes.txt", "Friday: the big sale. The shop needs six replicas.\nAsk Mai about the invoices.\n");
/// A file to change.
pub(super) const DEPLOY: (&str, &str) = (
    "deploy.toml",
    "# How the shop is deployed.\n\n[shop]\nenvironment = \"staging\"\nreplicas = 2\ntimeout_s = 30\n\n[mail]\nsend = false\n",
);
const BEFORE: &str = "environment = \"staging\"\nreplicas = 2";
const AFTER: &str = "environment = \"production\"\nreplicas = 6";
/// A file to run.
pub(super) const RELEASE: (&str, &str) = (
    "release.sh",
    "#!/bin/sh\n# Part of the demo: releases nothing.\necho \"Released the shop to $1 (a demo: nothing was released).\"\n",
);
/// Looks dangerous. It deletes log files of the demo, and the script that it runs only prints a line.
pub(super) const COMMAND: &str = "ls logs && find logs -name '*.log' -delete && ./release.sh production";
/// What the agent does instead, if it may not run the command.
const HARMLESS: &str = "find logs -name '*.log'";

/// The message that the run starts with.
pub(super) const TASK: &str = "Get the shop ready for Friday's sale: read the notes, then deploy it.";

/// The tool of the MCP server, and the server.
pub(super) const CUSTOMER: (&str, &str) = ("delete_customer", "crm");

/// The input of the call of the MCP tool.
pub(super) fn customer_input() -> Value {
    json!({ "customer_id": "C-10482", "reason": "duplicate", "erase_orders": true })
}

/// A call of the demo.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DemoCall {
    pub(super) tool: String,
    pub(super) input: Value,
}

/// The script of the model.
pub(crate) fn script() -> Value {
    let call = |tool: &str, input: Value| json!({ "name": tool, "input": input });
    let edit = call("edit", json!({ "path": DEPLOY.0, "old_text": BEFORE, "new_text": AFTER }));
    let command = call("shell_exec", json!({ "command": COMMAND }));
    let list = call("shell_exec", json!({ "command": HARMLESS }));
    let after = |text: &str| json!({ "last_contains": text });
    let expired = after(&RefusalCode::Expired.sentence());
    let without_reason = after(&format!("{PREFIX}{}", RefusalCode::Denied.sentence()));
    let (denied, edited, worked) = (after(PREFIX), after(EDITED), after("\"success\":true"));
    json!([
        { "text": "First I look around.", "calls": [
            call("read", json!({ "path": NOTES.0 })), call("grep", json!({ "pattern": "replicas" })),
        ] },
        { "text": "The notes ask for six replicas, so I change deploy.toml.", "calls": [edit] },
        [
            { "name": "changed", "when": expired, "next": "changed", "calls": [edit],
              "text": "Nobody answered, so deploy.toml stays as it is. I ask again." },
            { "when": without_reason, "calls": [command],
              "text": "Then deploy.toml stays as it is. Next I clean up and release." },
            { "when": denied, "calls": [command],
              "text": "Then deploy.toml stays as it is (\"{rest}\"). Next I clean up and release." },
            { "when": edited, "calls": [command],
              "text": "Your version of the change is in the file. Next I clean up and release." },
            { "when": worked, "calls": [command], "text": "The change is made. Next I clean up and release." },
            { "calls": [command], "text": "The change did not work. I clean up and release all the same." },
        ],
        [
            { "when": expired, "calls": [list],
              "text": "Nobody answered, and no answer is not a yes. I only list the logs, which needs none." },
            { "when": without_reason, "calls": [list],
              "text": "Then I delete and release nothing. I only list the logs." },
            { "when": denied, "calls": [list],
              "text": "You said \"{rest}\", so I delete and release nothing. I only list the logs." },
            { "when": edited, "text": "I used your command instead of mine. That was all." },
            { "when": worked, "text": "The logs are deleted, and the release script ran. That was all." },
            { "text": "The command did not work, so I stop here." },
        ],
        { "text": "Here they are; deleting them is up to you. That was all." },
    ])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptStep {
    /// Reads and searches, which needs no answer.
    Look,
    /// A change of a file, shown as a diff.
    Change,
    /// A command of several parts, some of them risky.
    Command,
    /// A tool of an MCP server.
    Customer,
}

impl ScriptStep {
    /// The step that calls a tool.
    pub(super) fn of_tool(tool: &str) -> ScriptStep {
        match tool {
            "edit" => ScriptStep::Change,
            "shell_exec" => ScriptStep::Command,
            tool if tool == CUSTOMER.0 => ScriptStep::Customer,
            _ => ScriptStep::Look,
        }
    }

    /// The number of the step, from 1.
    pub(super) fn number(self) -> u32 {
        match self {
            ScriptStep::Look => 1,
            ScriptStep::Change => 2,
            ScriptStep::Command => 3,
            ScriptStep::Customer => 4,
        }
    }

    /// What to notice about the step.
    pub(super) fn lesson(self) -> &'static str {
        match self {
            ScriptStep::Look => "a built-in rule allows what only reads, so you are not asked",
            ScriptStep::Change => {
                "shown as a diff against the file on disk; you can edit it before you approve"
            }
            ScriptStep::Command => {
                "some parts are harmless and some are not; a yes runs it in a sandbox, without a network"
            }
            ScriptStep::Customer => {
                "another agent asks over HTTP about a tool of an MCP server, which sekisho does not know"
            }
        }
    }
}
