//! The verdict: the decision and its reasons.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::command_explanation::Detail;
use crate::danger::distinct;
use crate::facts::Facts;
use crate::reason::Reason;
use crate::rule::OnTimeout;
use crate::rule_ref::RuleRef;
use crate::whole_words::whole_words;

pub use crate::danger::{Danger, DangerCode, DangerLevel, DangerSpan};
pub use crate::decision::Decision;

/// The verdict on a call. The API, the store, the web page and the SDKs use its serde form.
#[must_use]
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The decision.
    pub decision: Decision,
    /// Why; the decisive reason first. Never empty.
    pub reasons: SmallVec<[Reason; 1]>,
    /// The rules that the reasons refer to; the deciding one first.
    pub rules: SmallVec<[RuleRef; 1]>,
    /// How dangerous the call is.
    pub danger: Danger,
    /// For confirm: how long to wait, if a rule specifies it.
    pub wait: Wait,
    /// The parts of a shell text, each with its own decision; empty for other tools.
    pub parts: Vec<Part>,
    /// The facts about files that were used, so that judging again gives the same result.
    pub facts: Facts,
}

/// One part of a shell text: a command, a redirect, an assignment, or something unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "WirePart", into = "WirePart")]
#[schemars(with = "WirePart")]
pub struct Part {
    /// What kind of part it is.
    pub kind: PartKind,
    /// As written, or as evaluated if it is not in the text.
    pub text: String,
    /// Byte range in the call's text; absent inside an inner text.
    pub span: Option<(u32, u32)>,
    /// The decision for this part alone.
    pub decision: Decision,
    /// Why.
    pub reason: Reason,
    /// The rule that the reason refers to.
    pub rule: Option<RuleRef>,
    /// The effect it has outside.
    pub danger: Option<Danger>,
    /// The commands that it runs.
    pub parts: Vec<Part>,
}

impl Part {
    /// The reason as a sentence for people.
    pub fn sentence(&self) -> String {
        self.reason.explain(self.decision, self.rule.as_slice())
    }
}

/// The wire form of a part. The sentence is built when it is written, not when the call is judged.
#[derive(Serialize, Deserialize, JsonSchema)]
struct WirePart {
    kind: PartKind,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    span: Option<(u32, u32)>,
    decision: Decision,
    #[serde(default)]
    reason: String,
    #[serde(flatten)]
    code: Reason,
    #[serde(default, rename = "cited", skip_serializing_if = "Option::is_none")]
    rule: Option<RuleRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    danger: Option<Danger>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part>,
}

impl From<Part> for WirePart {
    fn from(part: Part) -> WirePart {
        let reason = part.sentence();
        let Part { kind, text, span, decision, reason: code, rule, danger, parts } = part;
        WirePart { kind, text, span, decision, reason, code, rule, danger, parts }
    }
}

impl From<WirePart> for Part {
    fn from(wire: WirePart) -> Part {
        let WirePart { kind, text, span, decision, code, rule, danger, parts, .. } = wire;
        Part { kind, text, span, decision, reason: code, rule, danger, parts }
    }
}

/// What a [`Part`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// A simple command.
    Command,
    /// A redirect.
    Redirect,
    /// An assignment.
    Assignment,
    /// Something unknown.
    Opaque,
}

/// How long to wait for an answer, if the deciding rule specifies it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Wait {
    /// Seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u32>,
    /// What happens then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnTimeout>,
}

impl Verdict {
    /// The decisive reason as a sentence for people.
    pub fn sentence(&self) -> String {
        let Some(reason) = self.reasons.first() else { return "an internal error".into() };
        self.unusual(reason).unwrap_or_else(|| self.explain(reason))
    }

    /// What is unusual about the call, if a part of it is known to have an effect and the reason does not say it.
    fn unusual(&self, reason: &Reason) -> Option<String> {
        let part = self.decisive_part(reason)?;
        let effect = part.danger.as_ref()?.sentence();
        match reason {
            Reason::NoRule => Some(format!("`{}` {effect}; {}", shortened(&part.text), self.explain(reason))),
            Reason::Obstacle { word, why } if !word.is_empty() => {
                let is_option = matches!(why.detail(), Some(Detail::FindOption | Detail::UnprovenOption));
                is_option.then(|| format!("`{word}` {effect}"))
            }
            _ => None,
        }
    }

    /// The first part that gives this reason for this decision.
    fn decisive_part(&self, reason: &Reason) -> Option<&Part> {
        fn find<'a>(parts: &'a [Part], decision: Decision, reason: &Reason) -> Option<&'a Part> {
            parts.iter().find_map(|part| {
                let fits = part.decision == decision && part.reason == *reason;
                if fits { Some(part) } else { find(&part.parts, decision, reason) }
            })
        }
        find(&self.parts, self.decision, reason)
    }

    /// One of the verdict's reasons as a sentence.
    pub fn explain(&self, reason: &Reason) -> String {
        reason.explain(self.decision, &self.rules)
    }

    /// All that is dangerous about the call, worst first.
    pub fn dangers(&self) -> Vec<Danger> {
        fn of_parts<'a>(parts: &'a [Part], found: &mut Vec<&'a Danger>) {
            for part in parts {
                found.extend(&part.danger);
                of_parts(&part.parts, found);
            }
        }
        let mut parts = Vec::new();
        of_parts(&self.parts, &mut parts);
        distinct(&self.danger, parts)
    }
}

/// The beginning of a command, for a sentence: whole words of its first line.
fn shortened(text: &str) -> String {
    const LENGTH: usize = 48;
    let line = text.lines().next().unwrap_or_default();
    let most = line.char_indices().nth(LENGTH).map_or(line.len(), |(at, _)| at);
    match whole_words(line, most) {
        "" if !text.is_empty() => "…".to_owned(),
        words if words.len() < text.len() => format!("{words} …"),
        words => words.to_owned(),
    }
}

/// The wire form of a verdict.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Wire {
    decision: Decision,
    #[serde(default)]
    reason: String,
    #[schemars(with = "Vec<Reason>")]
    reasons: SmallVec<[Reason; 1]>,
    #[schemars(with = "Vec<RuleRef>")]
    rules: SmallVec<[RuleRef; 1]>,
    #[serde(default)]
    parts: Vec<Part>,
    danger: Danger,
    #[serde(flatten)]
    wait: Wait,
    #[serde(default, skip_serializing_if = "Facts::is_empty")]
    facts: Facts,
}

impl JsonSchema for Verdict {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Verdict".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Wire::json_schema(generator)
    }
}

impl Serialize for Verdict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let verdict = self.clone();
        Wire {
            decision: verdict.decision,
            reason: self.sentence(),
            reasons: verdict.reasons,
            rules: verdict.rules,
            parts: verdict.parts,
            danger: verdict.danger,
            wait: verdict.wait,
            facts: verdict.facts,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Verdict {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        if wire.reasons.is_empty() {
            return Err(serde::de::Error::custom("a verdict needs a reason"));
        }
        Ok(Verdict {
            decision: wire.decision,
            reasons: wire.reasons,
            rules: wire.rules,
            danger: wire.danger,
            wait: wire.wait,
            parts: wire.parts,
            facts: wire.facts,
        })
    }
}

#[cfg(test)]
mod tests {
    use sekisho_shell::script::OpaqueKind;

    use super::*;
    use crate::command_explanation::Explanation;
    use crate::repository::RepositoryProblem;
    use crate::rule::LayerKind;

    fn reasons() -> Vec<Reason> {
        let text = || String::from("as written");
        vec![
            Reason::NoRule,
            Reason::NotEvaluated { rule: 0 },
            Reason::ProtectedPath { path: text(), pattern: text() },
            Reason::ProtectedAmong { path: text(), pattern: text() },
            Reason::TooManyFiles { path: text() },
            Reason::PathUnknown,
            Reason::WorkLimit,
            Reason::ShellUnread,
            Reason::Opaque { kind: OpaqueKind::HiddenCharacter },
            Reason::Redirect { text: text() },
            Reason::Assignment { name: text() },
            Reason::Expansion { text: text() },
            Reason::FieldMissing { field: text() },
            Reason::FieldUnreadable { field: text() },
            Reason::Obstacle { word: text(), why: Explanation::naming(Detail::UnknownOption, Some("-x")) },
            Reason::MayBeOption { word: text() },
            Reason::ChangesShell { program: text() },
            Reason::ProgramText { program: text() },
            Reason::WalksHome { path: text() },
            Reason::OutsideWorkspace { path: text() },
            Reason::NoWorkspace { path: text() },
            Reason::RepositoryRuns { directory: text(), what: text() },
            Reason::RepositoryUnproven {
                directory: text(),
                problem: RepositoryProblem::Setting,
                file: text(),
                key: Some(text()),
            },
            Reason::TrackedLinks { directory: text() },
            Reason::RepositoryUnknown,
            Reason::RunsUnknown { why: Detail::RunsInput.into() },
            Reason::TooMuch,
            Reason::ApprovalRequired,
            Reason::NobodyCanConfirm,
            Reason::ConfigBroken { layer: LayerKind::Global, error: text() },
        ]
    }

    /// What is cut in the middle is not recognised by a mask.
    #[test]
    fn commands_in_sentences_have_whole_words() {
        let long = "x".repeat(60);
        for (text, expected) in [
            ("git push", "git push".to_owned()),
            (&format!("curl -H {long} https://a.example"), "curl -H …".to_owned()),
            (&long, "…".to_owned()),
            (&format!("{} b", "é".repeat(48)), format!("{} …", "é".repeat(48))),
            ("tee a <<E\nb\nE", "tee a <<E …".to_owned()),
        ] {
            assert_eq!(shortened(text), expected, "{text}");
        }
    }

    #[test]
    fn part_round_trips_with_every_reason() {
        for reason in reasons() {
            let part = Part {
                kind: PartKind::Redirect,
                text: "> x".into(),
                span: Some((1, 2)),
                decision: Decision::Confirm,
                reason,
                rule: None,
                danger: None,
                parts: Vec::new(),
            };
            let text = serde_json::to_string(&part).unwrap();
            assert_eq!(serde_json::from_str::<Part>(&text).unwrap(), part, "{text}");
        }
    }
}
