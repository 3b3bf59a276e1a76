//! Judging scripts as a real session would, with the facts of the workspace.

use sekisho_policy::{
    Call, Decision, Layer, LayerKind, Layers, Part, PartKind, Policy, JudgeContext, Verdict, judge, required_facts,
};
use sekisho_shell::analyse;
use serde_json::json;

use super::fact_lookup::{FactLookup, inviting};
use super::workspace::Workspace;

/// Whose rules are judged by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rules {
    /// The built-in list alone.
    BuiltIn,
    /// Those of a user who allows some programs that write and some that run others.
    Users,
    /// An allow without limits: for checking that offences are seen.
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

/// A policy, and the workspace it is asked about.
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

    fn verdict(&self, script: &str, inviting_facts: bool) -> Verdict {
        let call = self.call(script);
        let needs = required_facts(&self.policy, &call);
        let mut around = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
        around.root = Some(self.workspace.root());
        around.home = Some(self.workspace.home());
        around.facts = if inviting_facts { inviting(needs) } else { self.facts.find(&self.policy, needs) };
        judge(&self.policy, &call, &around)
    }

    /// Whether the script would run without a question.
    pub(crate) fn allows(&self, script: &str) -> bool {
        let allowed = |inviting| self.verdict(script, inviting).decision == Decision::Allow;
        // Looking facts up is slow; most random scripts are not allowed whatever the facts are.
        allowed(true) && allowed(false)
    }

    /// The base names of the programs that were judged, at any depth.
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
            // Substitutions among the words come before the command that they stand in.
            let words = script.commands.iter().filter_map(|command| command.words.first());
            let word = words.min_by_key(|word| word.span.start);
            let name = word.and_then(|word| word.literal());
            names.extend(name.and_then(|name| name.rsplit('/').next().map(Into::into)));
            // By itself `time` is read as the keyword; after a `|` it was the program.
            names.extend((part.text == "time" || part.text.starts_with("time ")).then(|| "time".into()));
        }
        collect(&part.parts, names);
    }
}
