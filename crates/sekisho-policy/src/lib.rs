//! Decides whether a tool call may run.
//!
//! The input is a [`Policy`], a [`Call`] and its [`JudgeContext`]; the result is a [`Verdict`] with reasons.
//! The crate is pure: it does no I/O and uses no clock, environment or randomness. It never fails: every
//! input gets a verdict.
//!
//! [`Layer::parse`] parses a config file, [`Policy::compile`] compiles all layers into one indexed value,
//! [`required_facts`] lists the facts about files to look up, and [`judge`] decides.
//!
//! ```
//! use sekisho_policy::{Call, Decision, JudgeContext, Layer, LayerKind, Layers, Policy, judge};
//!
//! let text = r#"{ "version": 1, "permissions": { "deny": [{ "tool_pattern": "delete_*" }] } }"#;
//! let layer = Layer::parse(LayerKind::Global, "config.json", text)?;
//! let policy = Policy::compile(Layers::from(vec![layer]));
//! let context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
//! let verdict = judge(&policy, &Call::new("delete_user", serde_json::json!({})), &context);
//! assert_eq!(verdict.decision, Decision::Deny);
//! # Ok::<(), sekisho_policy::ConfigError>(())
//! ```
#![forbid(unsafe_code)]

mod actions;
mod built_in_layers;
mod call;
mod call_tool;
mod rule_ref;
mod command_pattern;
mod policy_bytes;
mod config_file;
pub mod corpus;
mod danger;
mod decision;
mod descriptor;
mod digest;
mod error;
pub mod exact_json;
mod examples;
mod conditions;
mod similar_fields;
mod file_search;
mod match_result;
mod tool_globs;
mod hosts;
mod index;
mod input_field;
mod input_strings;
pub mod jsonc;
mod judge;
mod protected_name_filter;
mod layer;
pub mod lint;
mod layer_loading;
mod jsonc_deserializer;
mod name_glob;
mod interner;
pub mod paths;
mod tool_pattern;
mod policy;
mod protected_paths;
mod default_protected_paths;
mod reason;
mod judge_with_extra_rules;
mod repository;
mod rule;
mod rule_search;
mod shell;
mod byte_encoding;
mod byte_slice;
mod strictest_verdict;
mod judge_context;
mod target;
mod text_field;
pub mod tools;
mod trace;
pub mod typed_json;
mod ambiguous_command;
pub mod validate;
mod verdict;
mod explanation;
mod wildcard_path;

pub use actions::{call_paths, shell_text};
pub use built_in_layers::built_in_layers;
pub use call::{Call, IdClaim};
pub use call_tool::{CallTool, TargetFieldKind};
pub use rule_ref::RuleRef;
pub use policy_bytes::PolicyBytesError;
pub use config_file::{MAX_CONFIG_BYTES, config_schema};
pub use descriptor::{
    SourcedDescriptor, DescriptorSource, Descriptor, DescriptorError, DescriptorKind, MAX_FIELDS, UncheckedDescriptor,
};
pub use digest::Digest;
pub use error::{ConfigError, RuleError, nearest_name};
pub use examples::main_input;
pub use file_search::{FileKind, FileTree, SearchLimitReached, find_protected};
pub use input_field::{InputField, MAX_FIELD_LENGTH};
pub use judge::{judge, judge_and_trace, required_facts};
pub use layer::{BrokenLayer, BuiltinLevel, Layer, LayerSettings, LayerTrust, LayerRule};
pub use jsonc_deserializer::read as read_with_comments;
pub use name_glob::{LeadingDot, NameGlob};
pub use policy::{Layers, PolicyNotice, Policy};
pub use protected_paths::Protection;
pub use default_protected_paths::{ContentCheck, protected_patterns};
pub use reason::Reason;
pub use judge_with_extra_rules::judge_with_extra_rules;
pub use rule::{Effect, Example, ExampleCall, Examples, LayerKind, OnTimeout, Rule};
pub use sekisho_shell::normalise;
#[cfg(feature = "reword")]
pub use sekisho_shell::wording::with_random_wording;
pub use sekisho_shell::wording::say;
pub use shell::{Advice, advise, candidate_allow_rules, questioned_commands, command_names, input_directory};
pub use judge_context::{
    WalkOptions, Fact, Facts, FileSearch, FileSearchOutcome, ProtectedFile, GitFileFilter, FileSecrecy, LinkHandling, FactQuery, Repository,
    RepositoryFinding, RepositoryProblem, JudgeContext,
};
pub use trace::{ConsideredRule, RuleOutcome};
pub use verdict::{Danger, DangerCode, DangerLevel, Decision, Part, PartKind, Verdict, Wait};
pub use explanation::{Detail, Explanation};
