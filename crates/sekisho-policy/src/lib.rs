//! May this call run?
//!
//! Rules, a [`Call`] and its [`Surroundings`] go in; a [`Verdict`] with its reasons comes out. The crate is pure: it does no
//! I/O, reads no clock, no environment and no randomness, and it is total: every input gets a verdict.
//!
//! The way of a call: [`Layer::parse`] reads what people wrote, [`Policy::compile`] makes one indexed value of all layers,
//! [`needs`] says which facts about files to look up, and [`judge`] decides.
//!
//! ```
//! use sekisho_policy::{Call, Decision, Layer, LayerKind, Layers, Policy, Surroundings, judge};
//!
//! let text = r#"{ "version": 1, "permissions": { "deny": [{ "tool_pattern": "delete_*" }] } }"#;
//! let layer = Layer::parse(LayerKind::Global, "config.json", text)?;
//! let policy = Policy::compile(Layers::from(vec![layer]));
//! let around = Surroundings::at(jiff::Timestamp::UNIX_EPOCH);
//! let verdict = judge(&policy, &Call::new("delete_user", serde_json::json!({})), &around);
//! assert_eq!(verdict.decision, Decision::Deny);
//! # Ok::<(), sekisho_policy::ConfigError>(())
//! ```
#![forbid(unsafe_code)]

mod actions;
mod built_in;
mod call;
mod call_tool;
mod cite;
mod command_pattern;
mod compiled_form;
mod config_file;
pub mod corpus;
mod danger;
mod decision;
mod descriptor;
mod digest;
mod error;
pub mod exact_json;
mod examples;
mod extra;
mod field_name;
mod file_search;
mod fit;
mod globs;
mod hosts;
mod index;
mod input_field;
mod input_strings;
pub mod jsonc;
mod judge;
mod last_names;
mod layer;
pub mod lint;
mod loading;
mod located;
mod name_glob;
mod names;
pub mod paths;
mod pattern;
mod policy;
mod protected;
mod protected_list;
mod reason;
mod remembering;
mod repository;
mod rule;
mod search;
mod shell;
mod stored;
mod stretch;
mod strictest;
mod surroundings;
mod target;
mod text_field;
pub mod tools;
mod trace;
pub mod typed_json;
mod unread;
pub mod validate;
mod verdict;
mod why;
mod wild_path;

pub use actions::{named_paths, shell_text};
pub use built_in::built_in;
pub use call::{Call, Named};
pub use call_tool::{CallTool, PlaceKind};
pub use cite::RuleRef;
pub use compiled_form::BytesError;
pub use config_file::{LARGEST_CONFIG, config_schema};
pub use danger::distinct;
pub use descriptor::{
    Described, DescribedBy, Descriptor, DescriptorError, DescriptorKind, MOST_FIELDS, WrittenDescriptor,
};
pub use digest::Digest;
pub use error::{ConfigError, RuleError, nearest};
pub use examples::main_input;
pub use file_search::{FileKind, FileTree, Spent, find_protected};
pub use input_field::{InputField, LONGEST_FIELD};
pub use judge::{judge, judge_and_trace, needs};
pub use layer::{Broken, Builtin, Layer, Reads, Settings, Standing, Stated};
pub use located::read as read_with_comments;
pub use name_glob::{LeadingDot, NameGlob};
pub use policy::{Layers, Notice, Policy};
pub use protected::Protection;
pub use protected_list::{Contents, protected_patterns};
pub use reason::Reason;
pub use remembering::judge_remembering;
pub use rule::{Effect, Example, ExampleCall, Examples, LayerKind, OnTimeout, Rule};
pub use sekisho_shell::normalise;
#[cfg(feature = "reword")]
pub use sekisho_shell::wording::reworded;
pub use sekisho_shell::wording::say;
pub use shell::{Advice, advise, allow_sets, asked_commands, command_names, other_directory};
pub use surroundings::{
    Below, Fact, Facts, FileSearch, FilesFound, FoundFile, GitFiles, Holds, Links, Need, Repository,
    RepositoryFinding, RepositoryProblem, Surroundings,
};
pub use trace::{Considered, Outcome};
pub use verdict::{Danger, DangerCode, DangerLevel, Decision, Part, PartKind, Verdict, Wait};
pub use why::{Detail, Why};
