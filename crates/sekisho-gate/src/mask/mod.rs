//! Masks secrets before anything is written to the audit log.
//!
//! The log outlives the calls it records, so secrets are removed before a row is written: by the shape
//! of well-known keys, by the surrounding text (a header, a URL, a value under a secret-looking name),
//! and by the exact values the operator configured. The log must still say what was done. So a detector
//! masks the smallest secret piece and leaves commands, paths and hosts readable. No detector masks
//! whole words only because a quote or a marker was opened, or an agent could hide a command behind
//! one.
//!
//! One automaton finds the positions where a detector could start. Text without such a position is read
//! once and returned unchanged. A detector searches from its position on, looks back no further than a
//! fixed reach and reads no text twice, so the work is linear in the text, whoever wrote it.

mod value_after_blank;
mod unlisted_programs;
mod assignment;
mod base64;
mod nearby_value;
mod browser_input;
mod function_calls;
mod program_arguments;
mod command_word_cache;
mod context_detectors;
mod detector;
mod detectors;
mod network_device;
mod value_before_name;
mod configured_secrets;
mod default_value;
mod json_fields;
mod detector_scan;
mod program_rule;
mod generated_value;
mod http_header;
mod sql_insert;
mod jwk;
mod line_escape;
mod login_pair;
mod login_lines;
mod detection;
mod kubernetes_secret;
mod masks;
mod nested_value;
mod span_merge;
mod secret_name;
mod pem;
mod stdin_secret;
mod non_secret;
mod program_table;
mod password_prompt;
mod protocol_login;
mod span_cache;
mod row_masks;
mod byte_scan;
mod prose;
mod token_shape;
mod token_detectors;
mod stdin_programs;
mod sql_password;
mod text_table;
mod echo_target;
#[cfg(test)]
mod tests;
mod unique_names;
mod url;
mod vendor_detectors;
mod shell_words;

pub use detector::Detector;
pub use detectors::detectors;
pub use line_escape::{lines, one_line};
pub use masks::Masks;
pub use span_merge::Masked;
pub use row_masks::RowMasks;
