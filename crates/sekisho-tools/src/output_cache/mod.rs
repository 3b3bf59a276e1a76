//! Outputs that are too large for the model: stored once with the run, and read back in pieces.
//!
//! [`OutputCache::shorten`] replaces each long text of a result by its head, its tail and an id. `tool_output_cache` and
//! `tool_output_cache_grep` read the stored text by that id.

mod cache_tools;
mod text_lines;

use jiff::Timestamp;
use sekisho_gate::ledger::LedgerError;
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::output_limit::LimitedOutput;
use crate::run_storage::{CurrentRun, RunOutput};
use crate::tool_result::ToolResult;

pub use cache_tools::{ToolOutputCache, ToolOutputCacheGrep};
pub use text_lines::MAX_LINE;

use text_lines::line_count;

/// A text with more bytes is stored, and the model gets its head and its tail.
pub const MAX_TEXT: usize = 16 << 10;
/// The limit for a whole result that consists of many short texts. It must be larger than the JSON form of one text of
/// [`MAX_TEXT`] bytes; otherwise a page read back from the cache would be stored again.
pub const MAX_RESULT: usize = 100 << 10;
/// The bytes of the head, and of the tail.
pub const SHOWN: usize = 4 << 10;
/// How many bytes of one output are stored. The middle of a longer one is left out.
pub const MAX_STORED: usize = 4 << 20;
/// How many bytes the outputs of one run may have together.
pub const MAX_RUN: usize = 64 << 20;

/// Stores long outputs of tools.
#[derive(Clone, Copy, Debug)]
pub struct OutputCache;

impl OutputCache {
    /// What stands for a text in a conversation that is too long: the id by which it is read. It is short, because a long
    /// run has many of them; what the text is about, its call says.
    pub fn reference(run: Uuid, text: &str) -> String {
        let (id, bytes) = (output_id(run, text), text.len());
        format!("[folded: {bytes} bytes; tool_output_cache with id {id} has all]")
    }

    /// Stores a text under the id of its reference. Returns `false` if the run has stored too much.
    pub async fn keep(run: &CurrentRun, text: &str) -> Result<bool, LedgerError> {
        let output =
            RunOutput { run: run.id, id: output_id(run.id, text), text: text.into(), at: Timestamp::now() };
        run.storage.keep_output(output, MAX_RUN).await
    }

    /// Replaces every long text of a result by its head, its tail and the id of the stored text. A JSON result
    /// keeps its form and fields, unless it has so many short texts that it is too long as a whole. The same text of the
    /// same run has the same id. If nothing can be stored, the middle is lost and the text says so.
    pub async fn shorten(run: &CurrentRun, mut result: ToolResult) -> ToolResult {
        if result.content.len() <= MAX_TEXT {
            return result;
        }
        let fields = serde_json::from_str::<Value>(&result.content).ok();
        let Some(mut fields) = fields.filter(|fields| fields.is_object() || fields.is_array()) else {
            result.content = shorten_text(run, &result.content).await;
            return result;
        };
        for text in long_texts(&mut fields) {
            *text = shorten_text(run, text).await;
        }
        let short = fields.to_string();
        result.content = match short.len() <= MAX_RESULT {
            true => short,
            false => {
                let lines = serde_json::to_string_pretty(&fields).unwrap_or(short);
                shorten_text(run, &lines).await
            }
        };
        result
    }
}

/// All long texts in a value.
fn long_texts(value: &mut Value) -> Vec<&mut String> {
    let (mut open, mut found) = (vec![value], Vec::new());
    while let Some(next) = open.pop() {
        match next {
            Value::String(text) if text.len() > MAX_TEXT => found.push(text),
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values_mut()),
            _ => {}
        }
    }
    found
}

async fn shorten_text(run: &CurrentRun, text: &str) -> String {
    let mut kept = LimitedOutput::new(MAX_STORED);
    kept.push(text.as_bytes());
    let output =
        RunOutput { run: run.id, id: output_id(run.id, text), text: kept.into_text(), at: Timestamp::now() };
    let (id, lines) = (output.id, line_count(&output.text));
    let stored = match text.len() > MAX_STORED {
        true => format!("the first and last {} MiB", (MAX_STORED / 2) >> 20),
        false => format!("all {lines} lines"),
    };
    let (head, tail) = head_and_tail(text);
    let left_out = text.len() - head.len() - tail.len();
    let where_it_is = match run.storage.keep_output(output, MAX_RUN).await {
        Ok(true) => format!("to read {stored}, call tool_output_cache with id {id}"),
        Ok(false) => "not stored: this run has stored too much output".into(),
        Err(error) => format!("not stored: {}", error.message),
    };
    format!("{head}\n... [{left_out} bytes left out; {where_it_is}] ...\n{tail}")
}

/// The id of a text within a run: a hash, so that the same text is stored once.
fn output_id(run: Uuid, text: &str) -> Uuid {
    let hash = Sha256::new().chain_update(run.as_bytes()).chain_update(text).finalize();
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(hash).for_each(|(byte, hashed)| *byte = hashed);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// The first and the last [`SHOWN`] bytes of a text, cut at a line break if they contain one.
fn head_and_tail(text: &str) -> (&str, &str) {
    let (head, _) = text.split_at(text.floor_char_boundary(SHOWN));
    let head = head.rsplit_once('\n').map_or(head, |(whole, _)| whole);
    let (_, tail) = text.split_at(text.ceil_char_boundary(text.len().saturating_sub(SHOWN)));
    let tail = tail.split_once('\n').map_or(tail, |(_, whole)| whole);
    (head, tail)
}
