//! Requests recorded from the agents themselves: what is read from each, and the exact response.
//! `SNAPSHOTS=overwrite cargo test` rewrites `tests/said`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sekisho_adapters::{Agent, HookDecision, HookRequest};
use serde_json::{Value, json};
use snapbox::data::DataFormat;
use snapbox::{Assert, Data};

use crate::sample_requests::{ATTENDED, BARE, PRINTING, read_in};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The recorded requests of an agent, by name.
fn inputs(agent: Agent) -> Vec<(String, String)> {
    let mut inputs = Vec::new();
    for entry in folder("recorded").join(agent.name()).read_dir().into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // Other files are recorded for other tests.
        if ["pre-", "post-", "permission-", "before-", "after-", "app-server-request"]
            .iter()
            .any(|kind| name.starts_with(kind))
        {
            inputs.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    inputs.sort();
    inputs
}

/// What our plugin makes of opencode's arguments.
fn by_the_plugin(name: &str, recorded: &str) -> String {
    let recorded: Value = serde_json::from_str(recorded).unwrap();
    let (input, output) = (&recorded["input"], &recorded["output"]);
    let (event, _) = name.split_once('-').unwrap();
    let args = if event == "before" { &output["args"] } else { &input["args"] };
    let told = json!({
        "event": event, "tool": input["tool"], "sessionID": input["sessionID"], "callID": input["callID"],
        "args": args, "directory": "/work/ws", "servers": ["gate"],
        "failed": output["metadata"]["exit"].as_i64().is_some_and(|exit| exit != 0),
    });
    told.to_string()
}

fn replies(asked: &HookRequest) -> Vec<(&'static str, HookDecision)> {
    let reason = || "the reason".to_owned();
    let mut edited = asked.call.input.clone();
    edited["command"] = json!("echo edited");
    vec![
        ("allow", HookDecision::Allow { reason: reason(), input: None }),
        ("allow, edited", HookDecision::Allow { reason: reason(), input: Some(edited) }),
        (
            "allow, with less",
            HookDecision::Allow { reason: reason(), input: Some(json!({ "command": "echo less" })) },
        ),
        ("deny", HookDecision::Deny { reason: reason(), interrupt: false }),
        ("deny and stop", HookDecision::Deny { reason: reason(), interrupt: true }),
        ("ask", HookDecision::Ask { reason: reason() }),
        ("defer", HookDecision::Defer { reason: reason() }),
        ("nothing", HookDecision::NoDecision),
    ]
}

fn shown(asked: &HookRequest) -> String {
    let mut text = String::new();
    let call: Value = serde_json::to_value(&asked.call).unwrap();
    writeln!(text, "{:?}, {:?}", asked.event, asked.attendance).unwrap();
    writeln!(
        text,
        "sub-agent: {:?}, can ask: {}, can defer: {}",
        asked.sub_agent,
        asked.can_ask(),
        asked.can_defer
    )
    .unwrap();
    writeln!(text, "{}\n", serde_json::to_string_pretty(&call).unwrap()).unwrap();
    for (name, reply) in replies(asked) {
        let said = asked.respond(reply);
        write!(text, "{name}: exit {}\n{}{}", said.exit, said.stdout, said.stderr).unwrap();
    }
    text
}

#[test]
fn recorded_requests_get_exact_responses() {
    let mut seen = 0;
    for agent in Agent::ALL {
        for (name, input) in inputs(agent) {
            let mut environments = vec![("", BARE)];
            if agent == Agent::ClaudeCode {
                environments = vec![("# with -p\n", PRINTING), ("\n# in a terminal\n", ATTENDED)];
            }
            let input = if agent == Agent::OpenCode { by_the_plugin(&name, &input) } else { input };
            let mut text = String::new();
            for (title, environment) in environments {
                text += title;
                text += &shown(&read_in(agent, &input, environment).unwrap());
            }
            let path = folder("said").join(agent.name()).join(format!("{name}.txt"));
            Assert::new()
                .action_env(snapbox::assert::DEFAULT_ACTION_ENV)
                .eq(text, Data::read_from(&path, Some(DataFormat::Text)).raw());
            seen += 1;
        }
    }
    assert!(seen >= 20, "only {seen} recorded inputs");
}
