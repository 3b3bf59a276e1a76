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

mod ambiguous_command_input;
mod automation_files;
mod backup_names;
mod built_in_layers;
mod byte_encoding;
mod byte_slice;
mod call;
mod call_paths;
mod call_targets;
mod call_tool;
mod command_explanation;
mod command_field;
mod command_pattern;
mod conditions;
mod config_file;
pub mod corpus;
mod danger;
mod decision;
mod default_protected_paths;
mod descriptor;
mod descriptor_actions;
mod digest;
mod error;
pub mod exact_json;
mod examples;
mod facts;
mod file_search_query;
pub mod git_config;
mod git_ops;
mod hosts;
mod index;
mod input_condition;
mod input_field;
mod input_strings;
pub mod jsonc;
mod jsonc_deserializer;
mod judge;
mod judge_context;
mod judge_with_extra_rules;
mod layer;
mod layer_loading;
pub mod lint;
mod match_result;
mod name_glob;
mod name_table;
pub mod paths;
mod policy;
mod policy_bytes;
mod presets;
mod protected_file_search;
mod protected_name_filter;
mod protected_paths;
mod protected_pattern;
mod reason;
mod repository;
mod rule;
mod rule_ref;
mod rule_search;
mod secret_contents;
mod shell;
mod similar_fields;
pub mod strict_deserializer;
mod strictest_verdict;
mod string_table;
mod tool_globs;
mod tool_pattern;
mod tool_search;
pub mod tools;
mod trace;
pub mod validate;
mod verdict;
pub mod whole_words;

pub use built_in_layers::built_in_layers;
pub use call::{Call, IdClaim};
pub use call_tool::{CallTool, TargetFieldKind};
pub use command_explanation::{Detail, Explanation};
pub use config_file::{MAX_CONFIG_BYTES, config_schema};
pub use danger::distinct;
pub use default_protected_paths::{ContentCheck, protected_patterns};
pub use descriptor::{
    Descriptor, DescriptorError, DescriptorKind, DescriptorSource, MAX_FIELDS, SourcedDescriptor,
    UncheckedDescriptor,
};
pub use descriptor_actions::{call_paths, shell_text, shell_texts};
pub use digest::Digest;
pub use error::{ConfigError, RuleError, nearest_name};
pub use examples::main_input;
pub use facts::{Fact, FactQuery, Facts, FileSecrecy};
pub use file_search_query::{
    FileSearch, FileSearchOutcome, GitFileFilter, LinkHandling, NestedRepositories, ProtectedFile,
    WalkOptions,
};
pub use input_field::{InputField, MAX_FIELD_LENGTH};
pub use jsonc_deserializer::read as read_with_comments;
pub use judge::{
    CallAnalysis, judge, judge_analysed, judge_and_trace, required_facts, required_facts_and_analysis,
};
pub use judge_context::JudgeContext;
pub use judge_with_extra_rules::judge_with_extra_rules;
pub use layer::{BrokenLayer, BuiltinLevel, Layer, LayerRule, LayerSettings, LayerTrust, Preset, Reads};
pub use name_glob::{LeadingDot, NameGlob};
pub use policy::{Layers, Policy, PolicyNotice};
pub use policy_bytes::PolicyBytesError;
pub use presets::{PresetSummary, active_presets, preset_summaries, shipped_layers, switches_on};
pub use protected_file_search::{FileKind, FileTree, SearchLimitReached, find_protected};
pub use protected_name_filter::ProtectedNameFilter;
pub use protected_paths::Protection;
pub use reason::Reason;
pub use repository::{Repository, RepositoryFinding, RepositoryProblem};
pub use rule::{Effect, Example, ExampleCall, Examples, LayerKind, OnTimeout, Rule};
pub use rule_ref::RuleRef;
pub use secret_contents::{MAX_CHECKED_BYTES, text_secrecy};
pub use sekisho_shell::normalise;
pub use sekisho_shell::wording::say;
#[cfg(feature = "reword")]
pub use sekisho_shell::wording::with_random_wording;
pub use shell::{
    Advice, PlannedCommand, PlannedCommands, ShellPlaces, advise, candidate_allow_rules, command_names,
    input_directory, planned_commands, questioned_commands, shell_places,
};
pub use trace::{ConsideredRule, RuleOutcome};
pub use verdict::{Danger, DangerCode, DangerLevel, DangerSpan, Decision, Part, PartKind, Verdict, Wait};
