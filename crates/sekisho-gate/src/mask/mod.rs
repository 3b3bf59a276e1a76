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
//! fixed reach and reads no text twice, so the work is linear even for hostile text.

mod assignment;
mod base64_decode;
mod browser_input;
mod byte_scan;
mod command_parts;
mod command_word_cache;
mod configured_secrets;
mod connection_string;
mod context_detectors;
mod csv_table;
mod default_value;
mod detection;
mod detector;
mod detector_scan;
mod detectors;
mod echo_target;
mod function_calls;
mod http_header;
mod json_fields;
mod json_message;
mod json_neighbours;
mod jwk;
mod key_name;
mod kubernetes_secret;
mod literal_values;
mod login_array;
mod mask_spans;
mod masks;
mod nearby_value;
mod network_device;
mod non_secret;
mod password_prompt;
mod pem;
mod pipe_readers;
mod program_arguments;
mod program_rule;
mod program_rule_lists;
mod program_table;
mod prose;
mod protocol_login;
mod query_parameters;
mod random_looking_value;
mod row_masks;
mod run_values;
mod runner_names;
mod secret_name;
mod setting_command;
mod setting_path;
mod shell_scan;
mod shell_syntax;
mod shell_value;
mod shell_words;
mod simple_commands;
mod span_cache;
mod sql_insert;
mod sql_password;
mod stdin_programs;
mod stdin_secret;
#[cfg(test)]
mod tests;
mod text_kind;
mod text_runners;
mod text_table;
mod text_use;
mod token_detectors;
mod token_prefix_detectors;
mod token_shape;
mod tuple_assignment;
mod unique_field_names;
mod unlisted_programs;
mod url;
mod user_password_lines;
mod value_after_blank;
mod value_before_name;
mod value_end;
mod value_in_block;
mod whole_values;

pub use detector::Detector;
pub use detectors::detectors;
pub use mask_spans::Masked;
pub use masks::Masks;
pub use row_masks::RowMasks;
