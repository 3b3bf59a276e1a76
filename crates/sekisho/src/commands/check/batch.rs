//! Judges one call per input line and prints one verdict per line.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};

use sekisho_policy::{Call, IdClaim, exact_json, nearest_name};
use serde::Serialize;
use serde_json::Value;

use super::local_judge::LocalJudge;
use crate::exit::Exit;
use crate::failure::Failure;

/// Maximum length of a line, in bytes.
const LONGEST_LINE: usize = 16 << 20;

/// Field names of a call.
const FIELDS: [&str; 5] = ["tool", "input", "server", "agent", "cwd"];

/// The answer to an invalid line.
#[derive(Serialize)]
struct LineError {
    error: String,
}

/// Answers every line in order. An invalid line gets an error and does not stop the rest.
pub(super) fn run(judging: &mut LocalJudge) -> Result<Exit, Failure> {
    let mut lines = BufReader::with_capacity(1 << 16, std::io::stdin().lock());
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut exit = Exit::Ok;
    let mut line = Vec::new();
    for number in 1_u64.. {
        let Some(whole) = next(&mut lines, &mut line)? else { break };
        let read =
            if whole { call(&line, judging) } else { Err(format!("longer than {LONGEST_LINE} bytes")) };
        match read.and_then(|call| judging.judge(&call)) {
            Ok(verdict) => serde_json::to_writer(&mut out, &verdict)?,
            Err(error) => {
                exit = Exit::Failure;
                serde_json::to_writer(&mut out, &LineError { error: format!("line {number}: {error}") })?;
            }
        }
        out.write_all(b"\n")?;
        // Flush: a program that writes line by line waits for each answer.
        if lines.buffer().is_empty() {
            out.flush()?;
        }
    }
    out.flush()?;
    Ok(exit)
}

/// Reads a line. `None` at the end of input; `false` for a line that is too long, which is skipped.
fn next(lines: &mut impl BufRead, line: &mut Vec<u8>) -> Result<Option<bool>, Failure> {
    line.clear();
    let limit = u64::try_from(LONGEST_LINE).unwrap_or(u64::MAX);
    if lines.by_ref().take(limit).read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.ends_with(b"\n") {
        line.pop();
    } else if line.len() == LONGEST_LINE {
        lines.skip_until(b'\n')?;
        return Ok(Some(false));
    }
    Ok(Some(true))
}

/// Parses the call on a line.
fn call(line: &[u8], judging: &LocalJudge) -> Result<Call, String> {
    let text = std::str::from_utf8(line).map_err(|error| error.to_string())?;
    if text.trim().is_empty() {
        return Err("the line is empty; expected a call".into());
    }
    let Value::Object(fields) = exact_json::read(text)? else {
        return Err("a call must be an object, such as {\"tool\":\"read\",\"input\":{}}".into());
    };
    let mut call = Call::default();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("input", value) => call.input = value,
            ("tool", Value::String(tool)) => call.tool = tool,
            ("server", Value::String(server)) => call.server = Some(IdClaim::proven(server)),
            ("agent", Value::String(agent)) => call.agent = Some(IdClaim::proven(agent)),
            ("cwd", Value::String(cwd)) => call.cwd = Some(cwd),
            ("server" | "agent" | "cwd", Value::Null) => {}
            (name, _) if FIELDS.contains(&name) => return Err(format!("{name}: expected a string")),
            (name, _) => {
                let hint = nearest_name(name, FIELDS).map_or_else(
                    || format!("expected one of {}", FIELDS.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                return Err(format!("unknown field `{name}`; {hint}"));
            }
        }
    }
    if call.tool.is_empty() {
        return Err("`tool` is missing or empty".into());
    }
    if call.cwd.is_none() {
        call.cwd = judging.cwd();
    }
    Ok(call)
}
