//! A rule's own examples, checked whenever the rule is loaded.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::call::{Call, IdClaim};
use crate::error::RuleError;
use crate::facts::{Fact, FactQuery, FileSecrecy};
use crate::file_search_query::FileSearchOutcome;
use crate::judge_context::JudgeContext;
use crate::layer::{BuiltinLevel, Layer, LayerRule, LayerSettings, LayerTrust};
use crate::policy::{Layers, Policy};
use crate::repository::Repository;
use crate::rule::{Effect, Example, LayerKind, Rule};
use crate::tools::{self, TargetField};
use crate::verdict::Decision;

/// The workspace root of examples.
const ROOT: &str = "/workspace";

/// Checks that a rule matches its `match` examples and none of its `not_match` examples.
pub(crate) fn check(effect: Effect, rule: &Rule) -> Result<(), RuleError> {
    let Some(examples) = &rule.examples else { return Ok(()) };
    let mut bare = rule.clone();
    bare.examples = None;
    bare.expires_at = None;
    let policy = alone(effect, bare);
    let wrong = |example: &Example, must: &str| {
        let shown = serde_json::to_string(example).unwrap_or_default();
        RuleError::new("examples", format!("the rule {must} {shown}")).hint("correct the rule or the example")
    };
    for example in &examples.matching {
        if !applies(&policy, effect, rule, example) {
            return Err(wrong(example, "does not match"));
        }
    }
    for example in &examples.not_match {
        if applies(&policy, effect, rule, example) {
            return Err(wrong(example, "should not match, but does match,"));
        }
    }
    Ok(())
}

/// A policy with only this rule.
fn alone(effect: Effect, rule: Rule) -> Policy {
    let text = serde_json::to_string(&rule).unwrap_or_default();
    let range = (0, u32::try_from(text.len()).unwrap_or(u32::MAX));
    let layer = Layer {
        kind: LayerKind::Global,
        name: "example".into(),
        text: text.into(),
        rules: vec![LayerRule { effect, rule, range, line: 1, column: 1 }],
        settings: LayerSettings { builtin: Some(BuiltinLevel::None), ..LayerSettings::default() },
        trust: LayerTrust::Full,
    };
    Policy::compile(Layers::from(vec![layer]))
}

fn applies(policy: &Policy, effect: Effect, rule: &Rule, example: &Example) -> bool {
    let call = call_of(rule, example);
    let mut context = JudgeContext::at(Timestamp::UNIX_EPOCH);
    context.root = Some(ROOT.into());
    context.home = Some("/home/user".into());
    for query in crate::required_facts(policy, &call) {
        // In an example no link leads elsewhere and no repository is hostile.
        let fact = match &query {
            FactQuery::Resolve(path) => {
                Fact::Resolved(crate::paths::normalise_lexically(path).unwrap_or_default())
            }
            FactQuery::Repository(_) => Fact::Repository(Repository::Plain),
            FactQuery::TrackedLinks(_) => Fact::TrackedLinks(false),
            FactQuery::GlobOption { .. } => Fact::GlobOption(false),
            FactQuery::Files(_) => Fact::Files(FileSearchOutcome::Protected(Vec::new())),
            FactQuery::Contents(_) => Fact::Contents(FileSecrecy::Secret),
        };
        context.facts.insert(query, fact);
    }
    let verdict = crate::judge(policy, &call, &context);
    match effect {
        // An allow matches if it allows the whole call; a deny or confirm matches if any part does.
        Effect::Allow => verdict.decision == Decision::Allow,
        Effect::Confirm | Effect::Deny => verdict.rules.iter().any(|rule| rule.layer() == LayerKind::Global),
    }
}

/// The call for an example.
fn call_of(rule: &Rule, example: &Example) -> Call {
    let mut call = match example {
        Example::Call(example) => {
            let mut call = Call::new(example.tool.clone(), example.input.clone());
            call.server = example.server.clone().map(IdClaim::proven);
            call.agent = example.agent.clone().map(IdClaim::proven);
            call
        }
        Example::Text(text) => {
            let speaks = rule.command.is_some()
                || rule.command_glob.is_some()
                || rule.path.is_some()
                || rule.host.is_some()
                || rule.skill_name.is_some();
            // A rule about names is tested with names; a rule about commands, paths, hosts or skills with
            // those.
            let mut call = if speaks {
                let tool = rule.tool.clone().unwrap_or_else(|| sample_tool(rule));
                let input = main_input(&tool, text);
                Call::new(tool, input)
            } else {
                Call::new(text.clone(), Value::Null)
            };
            call.server = rule.server.clone().map(IdClaim::proven);
            call.agent = rule.agent.clone().map(IdClaim::proven);
            call
        }
    };
    call.cwd = Some(ROOT.into());
    call
}

/// A tool name for the examples of a rule that only has a pattern.
fn sample_tool(rule: &Rule) -> String {
    let name = if rule.path.is_some() {
        "read"
    } else if rule.host.is_some() {
        "web_fetch"
    } else if rule.skill_name.is_some() {
        "skill_load"
    } else {
        "bash"
    };
    name.into()
}

/// The input of a known tool with `text` in its main field; `null` for a tool that has none.
pub fn main_input(tool: &str, text: &str) -> Value {
    let field = tools::by_name(tool).and_then(|tool| {
        tool.target_fields.iter().find_map(|place| match place {
            TargetField::Field(field) | TargetField::Glob(field) => Some(*field),
            TargetField::Filter(_) | TargetField::Patch(_) | TargetField::Prose(_) => None,
        })
    });
    field.map_or(Value::Null, |field| {
        let mut input = Map::new();
        input.insert(field.into(), Value::String(text.into()));
        Value::Object(input)
    })
}
