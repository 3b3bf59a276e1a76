//! What a pipeline is: stages of agents with tools of their own, each fed with the output of the one before.

use std::collections::BTreeMap;
use std::fmt;

use sekisho_tools::ToolConfig;
use serde::{Deserialize, Serialize};

use super::prompt::{MAX_TEXT, Placeholder, Prompt};

/// The most stages of a pipeline.
pub const MAX_STAGES: usize = 20;
/// The longest names, descriptions and prompts, in characters.
const MAX_NAME: usize = 100;
const MAX_DESCRIPTION: usize = 1000;
const MAX_PROMPT: usize = 100_000;
/// The most placeholders of a prompt.
const MAX_PLACEHOLDERS: usize = 100;
/// The most replies of a stage.
const MAX_ITERATIONS: u32 = 1000;

/// A pipeline as an admin defines it. Stored as JSON, so its serde form must stay readable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PipelineDefinition {
    /// Its name. No two stored pipelines have the same.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The stages, in order.
    pub stages: Vec<StageDefinition>,
    /// The most tokens of all stages together, input and output. None for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u64>,
    /// The most seconds from the start to the end, waiting for approvals included. None for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_budget_seconds: Option<u64>,
}

/// A stage: an agent, what it is to do, and what it may use of what it has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StageDefinition {
    /// Its name, for people. None for the name of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The agent, by its name or its id.
    pub agent: String,
    /// What the agent is to do. `{{input}}` is the input of the pipeline, `{{previous}}` the output of the stage before.
    pub prompt: String,
    /// The tools that the stage may use, of those that the agent has. None for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled_tools: Option<Vec<String>>,
    /// Settings of tools. They only narrow those of the agent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_config: BTreeMap<String, ToolConfig>,
    /// How many replies the model may give, if that is fewer than the agent has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// The most tokens of the stage, if that is fewer than the agent has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u64>,
    /// The most seconds of the stage, if that is fewer than the agent has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_budget_seconds: Option<u64>,
}

/// A field of a definition that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The field, such as `stages[1].prompt`.
    pub field: String,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.field, self.why)
    }
}

impl std::error::Error for FieldError {}

impl PipelineDefinition {
    /// Checks everything that does not depend on the agents that exist.
    pub fn check(&self) -> Result<(), FieldError> {
        check_text("name", &self.name, MAX_NAME)?;
        check_line("name", &self.name)?;
        if let Some(description) = &self.description {
            check_text("description", description, MAX_DESCRIPTION)?;
        }
        check_positive("tokenBudget", self.token_budget)?;
        check_positive("timeBudgetSeconds", self.time_budget_seconds)?;
        if self.stages.is_empty() || self.stages.len() > MAX_STAGES {
            let why =
                format!("a pipeline has 1 to {MAX_STAGES} stages, and this one has {}", self.stages.len());
            return Err(error("stages", why));
        }
        self.stages.iter().enumerate().try_for_each(|(at, stage)| stage.check(at))
    }

    /// The first stage whose prompt is too long with this input, whatever the stage before it says.
    pub fn overlong_stage(&self, input: &str) -> Option<FieldError> {
        let fits = |stage: &StageDefinition| {
            Prompt::parse(&stage.prompt).is_ok_and(|prompt| prompt.fill(input, "").is_some())
        };
        let at = self.stages.iter().position(|stage| !fits(stage))?;
        let why = format!("with the input put in, it has more than {MAX_TEXT} characters; shorten the input");
        Some(error(&stage_field(at, "prompt"), why))
    }

    /// Whether a prompt has a place for the input of the pipeline.
    pub fn takes_input(&self) -> bool {
        let takes = |stage: &StageDefinition| {
            Prompt::parse(&stage.prompt).is_ok_and(|prompt| prompt.has(Placeholder::Input))
        };
        self.stages.iter().any(takes)
    }
}

impl StageDefinition {
    /// Its name, for people.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.agent)
    }

    fn check(&self, at: usize) -> Result<(), FieldError> {
        let field = |name: &str| stage_field(at, name);
        if let Some(name) = &self.name {
            check_text(&field("name"), name, MAX_NAME)?;
            check_line(&field("name"), name)?;
        }
        check_text(&field("agent"), &self.agent, MAX_NAME)?;
        check_text(&field("prompt"), &self.prompt, MAX_PROMPT)?;
        let prompt = Prompt::parse(&self.prompt).map_err(|why| error(&field("prompt"), why))?;
        let places = prompt.place_count();
        if places > MAX_PLACEHOLDERS {
            let why = format!(
                "it has {places} placeholders, and {MAX_PLACEHOLDERS} are the most; name a text once and refer to it"
            );
            return Err(error(&field("prompt"), why));
        }
        match (at, prompt.has(Placeholder::Previous)) {
            (0, true) => {
                let why = "the first stage has no stage before it, so it cannot have `{{previous}}`";
                return Err(error(&field("prompt"), why));
            }
            (1.., false) => {
                let why = "it needs `{{previous}}`, the place for the output of the stage before";
                return Err(error(&field("prompt"), why));
            }
            _ => {}
        }
        for (tool, config) in &self.tool_config {
            config
                .check(tool)
                .map_err(|why| error(&field(&format!("toolConfig.{tool}")), why.to_string()))?;
        }
        if self.max_iterations.is_some_and(|most| most == 0 || most > MAX_ITERATIONS) {
            return Err(error(&field("maxIterations"), format!("it must be 1 to {MAX_ITERATIONS}")));
        }
        check_positive(&field("tokenBudget"), self.token_budget)?;
        check_positive(&field("timeBudgetSeconds"), self.time_budget_seconds)
    }
}

/// The name of a field of a stage, such as `stages[1].prompt`.
pub fn stage_field(stage: usize, name: &str) -> String {
    format!("stages[{stage}].{name}")
}

fn error(field: &str, why: impl Into<String>) -> FieldError {
    FieldError { field: field.to_owned(), why: why.into() }
}

fn check_text(field: &str, text: &str, most: usize) -> Result<(), FieldError> {
    let fits = !text.trim().is_empty() && text.chars().count() <= most;
    let why = || error(field, format!("it must have 1 to {most} characters that are not all blank"));
    if fits { Ok(()) } else { Err(why()) }
}

fn check_line(field: &str, text: &str) -> Result<(), FieldError> {
    let is_line = !text.chars().any(char::is_control);
    if is_line { Ok(()) } else { Err(error(field, "it has control characters")) }
}

fn check_positive(field: &str, number: Option<u64>) -> Result<(), FieldError> {
    if number == Some(0) { Err(error(field, "it must be at least 1")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn definition(change: impl FnOnce(&mut Value)) -> PipelineDefinition {
        let mut value = json!({ "name": "report", "stages": [
            { "agent": "searcher", "prompt": "Search for {{input}}." },
            { "agent": "writer", "prompt": "Write: {{previous}}" },
        ] });
        change(&mut value);
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn wrong_fields_are_named() {
        let check = |change: &dyn Fn(&mut Value), field: &str, why: &str| {
            let found = definition(|value| change(value)).check().unwrap_err();
            assert_eq!(found.field, field, "{found}");
            assert!(found.why.contains(why), "{found}");
        };
        check(&|value| value["name"] = json!(" "), "name", "1 to 100 characters");
        check(&|value| value["name"] = json!("a\nb"), "name", "control characters");
        check(&|value| value["stages"] = json!([]), "stages", "1 to 20 stages");
        check(&|value| value["tokenBudget"] = json!(0), "tokenBudget", "at least 1");
        check(
            &|value| value["stages"][0]["prompt"] = json!("a {{previous}}"),
            "stages[0].prompt",
            "first stage",
        );
        check(
            &|value| value["stages"][1]["prompt"] = json!("go"),
            "stages[1].prompt",
            "needs `{{previous}}`",
        );
        check(
            &|value| value["stages"][1]["prompt"] = json!("{{previous}} {{secrets}}"),
            "stages[1].prompt",
            "`{{secrets}}`",
        );
        check(
            &|value| value["stages"][0]["prompt"] = json!("{{input}}".repeat(101)),
            "stages[0].prompt",
            "101 placeholders",
        );
        check(
            &|value| value["stages"][1]["maxIterations"] = json!(0),
            "stages[1].maxIterations",
            "1 to 1000",
        );
        check(
            &|value| value["stages"][0]["toolConfig"] = json!({ "read": { "git_permission": "ReadOnly" } }),
            "stages[0].toolConfig.read",
            "git_permission",
        );
    }

    #[test]
    fn input_that_is_too_long_is_known_before_the_start() {
        let found =
            definition(|value| value["stages"][1]["prompt"] = json!("{{previous}} {{input}} {{input}}"));
        let half = "a".repeat(MAX_TEXT / 2 - 1);
        assert_eq!(found.overlong_stage(&half), None);
        let why = found.overlong_stage(&format!("{half}a")).unwrap();
        assert_eq!(why.field, "stages[1].prompt", "{why}");
        let many = definition(|value| value["stages"][0]["prompt"] = json!("{{input}}".repeat(100)));
        assert_eq!(many.check(), Ok(()));
    }

    #[test]
    fn ordinary_definition_is_accepted() {
        let found = definition(|_| {});
        assert_eq!(found.check(), Ok(()));
        assert!(found.takes_input());
        assert!(!definition(|value| value["stages"][0]["prompt"] = json!("Search.")).takes_input());
        assert_eq!(found.stages[0].title(), "searcher");
    }
}
