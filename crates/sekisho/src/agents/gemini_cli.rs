//! Gemini CLI: hooks in `settings.json`, started by a shell. Seconds are thousandths there.
//!
//! It takes the `.env` or `.gemini/.env` of a project that is trusted into its own environment, and with that starts the
//! shell. Its `advanced.excludedEnvVars` would not help: it does not count for `.gemini/.env`, and a project can undo it. What
//! a hook's own `env` says, no project can.

use std::path::{Path, PathBuf};

use sekisho_host::Reach;
use sekisho_policy::jsonc;
use serde_json::{Value, json};

use super::answer::{Answered, said_json, said_two};
use super::entry::Entry;
use super::fault::Fault;
use super::file::text_of;
use super::hazard::{Hazard, rival};
use super::hooks::{self, Group};
use super::json::{self, Dialect};
use super::start::{self, Wired};
use super::wiring::{CANARY, CANARY_ID, Look, Wiring};
use super::{dotenv, shell};
use crate::failure::Failure;
use crate::settings::Homes;

pub(super) struct GeminiCli;

const DIALECT: Dialect = Dialect {
    form: jsonc::Dialect { comments: true, trailing_commas: false },
    otherwise: "Gemini CLI does not take the file so",
};

/// What our hook is called there.
const NAME: &str = "sekisho";

/// What the line does: it blocks if the hook fails in any way, and where the shell itself has written something already, so that
/// no answer could be read. Gemini CLI puts variables for `$0`, `$word` and `${word}` in its settings, so none stands here.
const GUARD: &str = r#"[ -z "${LD_SHOW_AUXV+x}" ] && "$@" && exit 0; echo "sekisho: the hook ended with $?, so the call is blocked; see: sekisho doctor" >&2; exit 2"#;

impl Wiring for GeminiCli {
    fn settings(&self, homes: &Homes, reach: &Reach) -> Result<PathBuf, Failure> {
        Ok(match reach {
            Reach::Global => homes.gemini.join("settings.json"),
            Reach::Project(root) => root.join(".gemini/settings.json"),
        })
    }

    fn home<'a>(&self, homes: &'a Homes) -> &'a Path {
        &homes.gemini
    }

    fn add(&self, text: &str, entry: &Entry) -> Result<String, Fault> {
        json::add(DIALECT, text, &wanted(entry), &|handler| is_ours(handler, &entry.installation))
    }

    fn remove(&self, text: &str, entry: &Entry) -> Result<String, Fault> {
        json::remove(DIALECT, text, &|handler| is_ours(handler, &entry.installation))
    }

    fn wired(&self, text: &str, installation: &Path) -> Result<Vec<Wired>, Fault> {
        Ok(hooks::wired(&DIALECT.value(text)?, &|handler| is_ours(handler, installation)))
    }

    fn deciding(&self) -> &'static str {
        "BeforeTool"
    }

    fn canary(&self, cwd: &Path) -> Value {
        json!({
            "session_id": CANARY_ID, "transcript_path": cwd.join("canary.json"), "cwd": cwd,
            "hook_event_name": "BeforeTool", "timestamp": "2026-01-01T00:00:00.000Z",
            "tool_name": "run_shell_command", "tool_input": { "command": CANARY }, "tool_use_id": CANARY_ID,
        })
    }

    fn blocked(&self, answered: &Answered) -> Option<String> {
        said_two(answered).or_else(|| {
            let said = said_json(answered)?;
            let denied = matches!(said.get("decision")?.as_str()?, "deny" | "block");
            denied.then(|| said.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned())
        })
    }

    fn hazards(&self, look: &Look<'_>) -> Vec<Hazard> {
        let files = [
            look.homes.gemini.join("settings.json"),
            look.project.join(".gemini/settings.json"),
            look.homes.gemini_managed.clone(),
        ];
        let mut found = dotenv::hazards(look.project, &look.homes.gemini);
        for file in files {
            let Some(settings) = text_of(&file).and_then(|text| DIALECT.value(&text).ok()) else {
                continue;
            };
            found.extend(switched_off(&settings, &file));
            let ours = |handler: &Value| is_ours(handler, &look.entry.installation);
            let others = hooks::others(&settings, "BeforeTool", &ours);
            found.extend(others.iter().map(|other| rival(other, &file)));
        }
        found
    }
}

fn is_ours(handler: &Value, installation: &Path) -> bool {
    start::is_ours(&hooks::words(handler), installation)
}

fn wanted(entry: &Entry) -> Vec<Group> {
    let (hook, installation) = (entry.hook.to_string_lossy(), entry.installation.to_string_lossy());
    let line = ["/bin/sh", "-c", GUARD, NAME, &hook, "gemini-cli", "--installation", &installation];
    let emptied = dotenv::EMPTIED.map(|name| (name.to_owned(), json!("")));
    let handler = vec![
        ("name", json!(NAME)),
        ("type", json!("command")),
        ("command", json!(shell::line(line.into_iter()))),
        ("env", Value::Object(emptied.into_iter().collect())),
        ("timeout", json!(u64::from(entry.limit_s) * 1000)),
    ];
    let group = |event| Group { event, matcher: Some("*"), handler: handler.clone() };
    ["BeforeTool", "AfterTool"].map(group).to_vec()
}

/// Hooks off as a whole, or ours by its name.
fn switched_off(settings: &Value, file: &Path) -> Option<Hazard> {
    let off = settings.pointer("/hooksConfig/enabled") == Some(&Value::Bool(false));
    let names = settings.pointer("/hooksConfig/disabled").and_then(Value::as_array);
    let named = names.is_some_and(|names| names.iter().any(|name| name == NAME));
    let name = match (off, named) {
        (true, _) => "hooksConfig.enabled",
        (_, true) => "hooksConfig.disabled",
        _ => return None,
    };
    Some(Hazard::open(
        format!("{}: `{name}` switches our hook off", file.display()),
        format!("take it out of `{name}`; in Gemini CLI, `/hooks` does so too"),
    ))
}
