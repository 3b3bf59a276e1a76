//! Judges scripts as a real session would, with facts of the workspace.

use sekisho_policy::{
    Call, Decision, JudgeContext, Layer, LayerKind, Layers, Part, PartKind, Policy, Verdict, judge,
    required_facts,
};
use sekisho_shell::analyse;
use sekisho_shell::programs::profile_command;
use serde_json::json;

use super::fact_lookup::{FactLookup, permissive_facts};
use super::workspace::Workspace;

/// The rules to judge by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rules {
    /// The built-in list alone.
    BuiltIn,
    /// The rules of a user who allows some programs that write and some that run others.
    Users,
    /// An allow without limits, to check that violations are found.
    Unrestricted,
}

const USERS: &[&str] = &[
    "touch",
    "mkdir",
    "cp",
    "tee",
    "awk",
    "sed",
    "sort",
    "find",
    "rg",
    "git log",
    "git diff",
    "env",
    "xargs",
    "sleep",
    "nohup",
    "tar",
    "jq",
    "base64",
    "md5sum",
    "sha256sum",
    "id",
    "tac",
    "rev",
    "comm",
    "paste",
    "printenv",
];

/// A policy and the workspace.
pub(crate) struct Judge<'a> {
    pub(crate) workspace: &'a Workspace,
    policy: Policy,
    facts: FactLookup<'a>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(workspace: &'a Workspace, rules: Rules) -> Judge<'a> {
        let allow: Vec<serde_json::Value> = match rules {
            Rules::BuiltIn => Vec::new(),
            Rules::Users => {
                USERS.iter().map(|program| json!({ "tool": "bash", "command": program })).collect()
            }
            Rules::Unrestricted => vec![json!({ "tool": "bash", "unrestricted": true })],
        };
        let config = json!({ "version": 1, "permissions": { "allow": allow } }).to_string();
        let layer = Layer::parse(LayerKind::Global, "config.json", &config).expect("the rules are valid");
        let policy = Policy::compile(Layers::from(vec![layer]));
        Judge { workspace, policy, facts: FactLookup::new(workspace) }
    }

    fn call(&self, script: &str) -> Call {
        Call::new("bash", json!({ "command": script })).in_directory(self.workspace.root())
    }

    fn verdict(&self, script: &str, permissive: bool) -> Verdict {
        let call = self.call(script);
        let queries = required_facts(&self.policy, &call);
        let mut context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
        context.root = Some(self.workspace.root());
        context.home = Some(self.workspace.home());
        context.facts =
            if permissive { permissive_facts(queries) } else { self.facts.find(&self.policy, queries) };
        judge(&self.policy, &call, &context)
    }

    /// Whether the script would run without confirmation.
    pub(crate) fn allows(&self, script: &str) -> bool {
        let allowed = |permissive_facts| self.verdict(script, permissive_facts).decision == Decision::Allow;
        // Looking up facts is slow, and most random scripts are not allowed with any facts.
        allowed(true) && allowed(false)
    }

    /// The base names of the judged programs, at any depth.
    pub(crate) fn programs(&self, script: &str) -> Vec<String> {
        let mut names = Vec::new();
        collect(&self.verdict(script, false).parts, &mut names);
        names
    }
}

fn collect(parts: &[Part], names: &mut Vec<String>) {
    for part in parts {
        if part.kind == PartKind::Command {
            let script = analyse(&part.text);
            // Substitutions in words come before the command that contains them.
            let words = script.commands.iter().filter_map(|command| command.words.first());
            let word = words.min_by_key(|word| word.span.start);
            let name = word.and_then(|word| word.literal());
            names.extend(name.and_then(|name| name.rsplit('/').next().map(Into::into)));
            // What the table says it starts by itself.
            names.extend(script.commands.iter().flat_map(|command| profile_command(&command.words).starts));
            // Alone, `time` is the keyword; after a `|` it was the program.
            names.extend((part.text == "time" || part.text.starts_with("time ")).then(|| "time".into()));
        }
        collect(&part.parts, names);
    }
}
