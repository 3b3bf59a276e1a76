//! One command, one file; its doc comment is its help.

pub(crate) mod acp;
pub(crate) mod agents;
pub(crate) mod approvals;
pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod db;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod hook;
pub(crate) mod install;
pub(crate) mod man;
pub(crate) mod pipeline;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod sandbox;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod server_connection;
pub(crate) mod status;
pub(crate) mod token;
pub(crate) mod tool;
pub(crate) mod trust;
pub(crate) mod uninstall;
pub(crate) mod usage_text;
