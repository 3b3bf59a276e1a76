//! The integration tests of the policy: one binary, one module per subject.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod compiled_form;
mod config_errors;
mod corpus;
mod danger;
mod descriptors;
mod properties;
mod reference_judge;
mod schema;
mod strategies;
mod work_limit;
