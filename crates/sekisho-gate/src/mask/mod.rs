//! What the record may not hold.
//!
//! The audit log outlives the calls it tells of, so secrets are taken out before a line is written: by the shape of
//! well-known keys, by the place where a secret stands (a header, a URL, a value under a telling name), and by the
//! exact values the operator configured. The record must still tell what was done. So a detector takes the smallest
//! piece that is secret and leaves commands, paths and hosts to be read; no detector reaches over words only because a
//! quote or a marker was opened, or an agent could hide a command behind one.
//!
//! One automaton finds the places where a detector could start. Text without such a place is read once and handed back
//! as it is. A detector then looks from its place on, never back further than a fixed reach and never twice over the
//! same stretch, so the work grows with the text and no faster, whoever wrote the text.

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
