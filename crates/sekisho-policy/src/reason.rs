//! Why a decision was made: codes, and the sentences for people.

use schemars::JsonSchema;
use sekisho_shell::script::OpaqueKind;
use sekisho_shell::wording::say;
use serde::{Deserialize, Serialize};

use crate::command_explanation::Explanation;
use crate::decision::Decision;
use crate::default_protected_paths::reason_for;
use crate::repository::RepositoryProblem;
use crate::rule::LayerKind;
use crate::rule_ref::RuleRef;

/// Why a decision was made. On the wire its fields are flattened into those of a [`Part`](crate::Part), so
/// names must not collide. Rules are given by their position in [`Verdict::rules`](crate::Verdict::rules).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Reason {
    /// A rule decided.
    Rule {
        /// Position in [`Verdict::rules`](crate::Verdict::rules).
        rule: usize,
    },
    /// No rule matches, and the default is to ask.
    NoRule,
    /// A deny or confirm rule might match, but a fact it depends on is unknown.
    NotEvaluated {
        /// Position in [`Verdict::rules`](crate::Verdict::rules).
        rule: usize,
    },
    /// The call touches a protected path.
    ProtectedPath {
        /// The path.
        path: String,
        /// The pattern on the list of protected paths.
        pattern: String,
    },
    /// The call would open several files, and one of them is protected.
    ProtectedAmong {
        /// The file.
        path: String,
        /// The pattern on the list of protected paths.
        pattern: String,
    },
    /// There are more files than the limit, so a protected one may be among them.
    TooManyFiles {
        /// The directory.
        path: String,
    },
    /// It is unknown which file the call touches.
    PathUnknown,
    /// The tool's descriptor names a field that the input does not have.
    FieldMissing {
        /// The field, as a JSON pointer.
        field: String,
    },
    /// The tool's descriptor names a field whose value has another type than declared.
    FieldUnreadable {
        /// The field, as a JSON pointer.
        field: String,
    },
    /// Matching exceeded the work limit for one call.
    WorkLimit,
    /// It is unknown what the shell command runs.
    ShellUnread,
    /// A part of a shell text that only bash itself can evaluate.
    Opaque {
        /// Why it is opaque.
        #[schemars(with = "String")]
        #[serde(rename = "opaque")]
        kind: OpaqueKind,
    },
    /// A redirect that opens a file, or has a form that is not known to be harmless.
    Redirect {
        /// As written.
        #[serde(rename = "word")]
        text: String,
    },
    /// An assignment that may change what runs.
    Assignment {
        /// The variable.
        name: String,
    },
    /// A variable or other expansion that is not on the list of harmless ones.
    Expansion {
        /// As written.
        #[serde(rename = "word")]
        text: String,
    },
    /// An option or operand that is not known to be harmless.
    Obstacle {
        /// As written.
        word: String,
        /// Why.
        #[serde(flatten)]
        why: Explanation,
    },
    /// A word that may turn out to be an option.
    MayBeOption {
        /// As written.
        word: String,
    },
    /// The command changes the state of the shell that runs the following commands.
    ChangesShell {
        /// The command.
        program: String,
    },
    /// It runs code given as text or in a file.
    ProgramText {
        /// The program.
        program: String,
    },
    /// It would search the home directory.
    WalksHome {
        /// The start directory.
        path: String,
    },
    /// A path leads out of the workspace.
    OutsideWorkspace {
        /// The path.
        path: String,
    },
    /// No workspace is known, so a path may lead out of it.
    NoWorkspace {
        /// The path.
        path: String,
    },
    /// The git repository names programs that git would run.
    RepositoryRuns {
        /// Directory in which git would run.
        directory: String,
        /// The setting.
        what: String,
    },
    /// Something in the git repository, or on the path to it, is not known to be harmless.
    RepositoryUnproven {
        /// Directory in which git would run.
        directory: String,
        /// The problem.
        problem: RepositoryProblem,
        /// The file or directory.
        file: String,
        /// The setting, if the problem is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// Git would read files outside the work tree through a directory that is a symbolic link.
    TrackedLinks {
        /// Directory in which git would run.
        directory: String,
    },
    /// It is unknown what the git repository can do.
    RepositoryUnknown,
    /// It runs something unknown.
    RunsUnknown {
        /// Why.
        #[serde(flatten)]
        why: Explanation,
    },
    /// More commands, or more deeply nested ones, than the limit.
    TooMuch,
    /// The settings of the agent or the tool require an approval, whatever the rules allow.
    ApprovalRequired,
    /// Nobody can answer an approval.
    NobodyCanConfirm,
    /// A config file does not load.
    ConfigBroken {
        /// Its layer.
        layer: LayerKind,
        /// The error.
        error: String,
    },
}

impl Reason {
    /// A path is outside of the workspace. Without a workspace, every path is.
    pub(crate) fn outside(path: String, root: Option<&str>) -> Reason {
        match root {
            Some(_) => Reason::OutsideWorkspace { path },
            None => Reason::NoWorkspace { path },
        }
    }

    /// The reason as a sentence, for a decision and its rules.
    pub(crate) fn explain(&self, decision: Decision, rules: &[RuleRef]) -> String {
        say(self.sentence(decision, rules)).into_owned()
    }

    fn sentence(&self, decision: Decision, rules: &[RuleRef]) -> String {
        let rule = |index: &usize| rules.get(*index).map_or_else(|| "a rule".into(), RuleRef::describe);
        match self {
            Reason::Rule { rule: index } => {
                let note = rules.get(*index).and_then(RuleRef::rule).and_then(|rule| rule.note);
                let by = format!("{} by {}", past(decision), rule(index));
                note.map_or(by.clone(), |note| format!("{note} ({by})"))
            }
            Reason::NoRule => "no rule matches, and the default is to ask".into(),
            Reason::NotEvaluated { rule: index } => {
                format!("{} might match, but a fact it depends on is unknown", rule(index))
            }
            Reason::ProtectedPath { path, pattern } => {
                format!(
                    "`{path}` is protected (`{pattern}`{}) and is never opened without asking",
                    why(pattern)
                )
            }
            Reason::ProtectedAmong { path, pattern } => {
                format!("it would open `{path}`, which is protected (`{pattern}`{})", why(pattern))
            }
            Reason::TooManyFiles { path } => {
                format!("`{path}` has too many files to check, and some may be protected")
            }
            Reason::PathUnknown => "it is unknown which file it uses".into(),
            Reason::FieldMissing { field } => field_sentence(field, true),
            Reason::FieldUnreadable { field } => field_sentence(field, false),
            Reason::WorkLimit => "it is too complex to match against the rules".into(),
            Reason::ShellUnread => "it is unknown what the shell command would run".into(),
            Reason::Opaque { kind } => opaque_sentence(*kind).into(),
            Reason::Redirect { text } => format!("the redirect `{text}` opens a file that no rule allows"),
            Reason::Assignment { name } => format!("setting `{name}` may change what runs"),
            Reason::Expansion { text } => format!("the value of `{text}` is unknown"),
            Reason::Obstacle { word, why } if word.is_empty() => why.sentence().into_owned(),
            Reason::Obstacle { word, why } => format!("`{word}`: {}", why.sentence()),
            Reason::MayBeOption { word } => format!("`{word}` may be read as an option"),
            Reason::ChangesShell { program } => {
                format!("`{program}` changes the shell for the commands after it")
            }
            Reason::ProgramText { program } => format!("`{program}` runs a program it is given"),
            Reason::WalksHome { path } => format!("from `{path}` it would search the whole home directory"),
            Reason::OutsideWorkspace { path } => format!("`{path}` is outside the workspace"),
            Reason::NoWorkspace { path } => {
                format!("no workspace is known for this call, so `{path}` may be outside it")
            }
            Reason::RepositoryRuns { what, .. } => {
                format!("the repository's own config sets `{what}`, so git could run the program it names")
            }
            Reason::RepositoryUnproven { problem, file, key, .. } => {
                unproven_sentence(*problem, file, key.as_deref())
            }
            Reason::TrackedLinks { directory } => {
                format!("in `{directory}` git would read files through a symbolic link to a directory")
            }
            Reason::RepositoryUnknown => "it is unknown what the git repository's config would run".into(),
            Reason::RunsUnknown { why } => why.sentence().into_owned(),
            Reason::TooMuch => "it is too large to check".into(),
            Reason::ApprovalRequired => "the settings of the agent or the tool require an approval".into(),
            Reason::NobodyCanConfirm => "it needs an answer, and nobody can give one".into(),
            Reason::ConfigBroken { layer, error } => format!("the {layer} config does not load: {error}"),
        }
    }
}

/// Why a pattern is on the list of protected paths, after a colon.
fn why(pattern: &str) -> String {
    reason_for(pattern).map(|why| format!(": {why}")).unwrap_or_default()
}

fn field_sentence(field: &str, missing: bool) -> String {
    if missing {
        format!("the tool's descriptor names the field `{field}`, but the input does not have it")
    } else {
        format!("the field `{field}` does not match the tool's descriptor")
    }
}

fn unproven_sentence(problem: RepositoryProblem, file: &str, key: Option<&str>) -> String {
    match (problem, key) {
        (RepositoryProblem::Setting, key) => {
            let key = key.unwrap_or("a setting");
            format!("`{key}` in `{file}` may not be harmless for git commands that only read")
        }
        (RepositoryProblem::Hook, None) => format!("git would run the hook `{file}`"),
        (RepositoryProblem::Hook, Some(key)) => {
            format!("git would run the hook `{file}`, because of `{key}`")
        }
        (RepositoryProblem::Unreadable, _) => format!("`{file}` cannot be read the way git reads it"),
        (RepositoryProblem::LooksBare, _) => format!("git may treat `{file}` as a bare repository"),
        (RepositoryProblem::NotRepository, _) => {
            format!("`{file}` is not a normal git directory, so git may use another repository")
        }
        (RepositoryProblem::Redirect, _) => {
            format!("`{file}` points git to a place that does not point back")
        }
        (RepositoryProblem::Link, _) => format!("`{file}` is a symbolic link that git would follow"),
        (RepositoryProblem::Alternates, _) => {
            format!("`{file}` makes git read objects outside the repository")
        }
        (RepositoryProblem::Index, _) => format!("`{file}` names a file outside the work tree"),
        (RepositoryProblem::UserInclude, _) => {
            format!("your git config includes `{file}`, which is in the workspace")
        }
        (RepositoryProblem::Credential, key) => {
            let key = key.unwrap_or("a setting");
            format!("`{key}` in `{file}` contains a password or token that git would print")
        }
        (RepositoryProblem::Absent, _) => format!("git may find no repository at `{file}`"),
        (RepositoryProblem::TooMuch, _) => format!("`{file}` is too large to check"),
    }
}

fn opaque_sentence(kind: OpaqueKind) -> &'static str {
    match kind {
        OpaqueKind::TooLong => "it is too long to check",
        OpaqueKind::TooDeep => "it is nested too deeply to check",
        OpaqueKind::HiddenCharacter => "it contains a character that hides or disguises text",
        OpaqueKind::Unparsed => "it cannot be parsed the way bash does",
        OpaqueKind::ComputedName => "the program name is computed",
        OpaqueKind::Expansion => "an expansion in it can run or set something",
        OpaqueKind::Arithmetic => "arithmetic in it can run something",
        OpaqueKind::Function => "it defines a function",
        OpaqueKind::Array => "it sets an array",
        OpaqueKind::Conditional => "a test in it can run something",
        OpaqueKind::Construct => "it uses syntax that is not supported",
        OpaqueKind::Redirect => "it uses a redirect that is not supported",
    }
}

fn past(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allowed",
        Decision::Confirm => "confirmation required",
        Decision::Deny => "denied",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;
    use crate::command_explanation::Detail;

    #[test]
    fn reason_without_known_detail_keeps_its_sentence() {
        for old in [
            json!({ "code": "obstacle", "word": "-x", "why": "it is odd" }),
            json!({ "code": "runs_unknown", "why": "it is odd", "detail": "odd" }),
        ] {
            let reason: Reason = from_value(old.clone()).unwrap();
            let (Reason::Obstacle { why, .. } | Reason::RunsUnknown { why }) = &reason else {
                panic!("{reason:?}")
            };
            assert_eq!((why.sentence().as_ref(), why.detail()), ("it is odd", None));
        }
    }

    #[test]
    fn detail_is_flattened_into_its_reason() {
        let why = Explanation::naming(Detail::UnknownOption, Some("-x"));
        let reason = Reason::Obstacle { word: "-x".into(), why };
        let wire = to_value(&reason).unwrap();
        let expected = json!({
            "code": "obstacle",
            "word": "-x",
            "why": "the option -x is unknown",
            "detail": "unknown_option",
            "name": "-x",
        });
        assert_eq!(wire, expected);
        assert_eq!(from_value::<Reason>(wire).unwrap(), reason);
    }
}
