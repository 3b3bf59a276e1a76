//! `skill_load`: gives the model the instructions of a skill.
//!
//! A skill is a folder with a file `SKILL.md`. Those in the directories that an administrator listed are found first,
//! then those of the project. [`SkillLoad`] adds to the input where the skill was found and the hash of its file: the
//! policy allows a listed skill by itself and asks about a project's, and a file that changes after the question
//! does not count.

mod skill_folder;

use sekisho_gate::ledger::BoxFuture;
use sekisho_policy::{Descriptor, DescriptorKind, UncheckedDescriptor};
use serde_json::{Value, json};

use crate::input_fields::required;
use crate::permitted_call::PermittedCall;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;

pub use skill_folder::{MAX_SKILL, PROJECT_SKILLS};

use skill_folder::Skill;

/// The tool's name.
pub const NAME: &str = "skill_load";

/// Loads skills.
#[derive(Clone, Copy, Debug, Default)]
pub struct SkillLoad;

impl Tool for SkillLoad {
    fn name(&self) -> &str {
        NAME
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::ReadOnly
    }

    fn needs_workspace(&self) -> bool {
        false
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: NAME.into(),
            description:
                "Load the instructions of a skill by its name. Follow them for the task they are for.".into(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "name": { "type": "string", "maxLength": 100, "description": "The name of the skill" }
                },
                "required": ["name"]
            }),
        }
    }

    fn descriptor(&self) -> Option<Descriptor> {
        let written = UncheckedDescriptor { kind: DescriptorKind::Skill, ..UncheckedDescriptor::default() };
        Descriptor::try_from(written).ok()
    }

    fn completed_schema(&self) -> Option<Value> {
        Some(json!({
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "source": { "type": "string", "enum": ["listed", "project"] },
                "path": { "type": "string", "description": "The skill's file" },
                "sha256": { "type": "string", "description": "The hash of the file" }
            },
            "required": ["name", "source", "path", "sha256"]
        }))
    }

    fn complete(&self, input: Value, ctx: &ToolContext) -> Result<Value, String> {
        find(&input, ctx).map(|skill| completed(&skill))
    }

    /// Whoever approves a call approves a file. An edited name is another file.
    fn check(&self, input: &Value, ctx: &ToolContext) -> Result<(), String> {
        let skill = find(input, ctx)?;
        match completed(&skill) == *input {
            true => Ok(()),
            false => Err(format!(
                "Skill '{}' is not the one that was judged: it has changed, or its name was edited. Load it again.",
                skill.name
            )),
        }
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            match find(call.input(), ctx) {
                // The file may change until the last moment.
                Ok(skill) if completed(&skill) != *call.input() => {
                    ToolResult::error(format!("Skill '{}' has just changed. Load it again.", skill.name))
                }
                Ok(skill) => ToolResult::ok(
                    json!({
                        "name": skill.name,
                        "source": skill.source.name(),
                        "description": skill.description,
                        "path": skill.path.to_string_lossy(),
                        "instructions": skill.instructions,
                    })
                    .to_string(),
                ),
                Err(why) => ToolResult::error(why),
            }
        })
    }
}

fn find(input: &Value, ctx: &ToolContext) -> Result<Skill, String> {
    let name = required(input, "name").map_err(|refused| refused.content)?;
    Skill::find(name, &ctx.skills, &ctx.root)
}

/// The input that says which file is loaded.
fn completed(skill: &Skill) -> Value {
    json!({
        "name": skill.name,
        "source": skill.source.name(),
        "path": skill.path.to_string_lossy(),
        "sha256": skill.sha256,
    })
}
