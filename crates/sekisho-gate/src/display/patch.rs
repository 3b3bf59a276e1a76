//! The patch format of Codex and opencode: sections that add, update, move and delete files.

use serde_json::Value;

use super::FileNote;
use super::work_budget::Budget;

/// The section of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) path: String,
    pub(super) change: SectionEdit,
}

/// What a section does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SectionEdit {
    /// Adds a file with this text.
    Add(String),
    /// Deletes the file.
    Delete,
    /// Replaces chunks of lines, and may move the file.
    Update { moved_to: Option<String>, chunks: Vec<Chunk> },
}

/// Lines to find and replace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chunk {
    /// A line somewhere above the chunk.
    pub(super) below: Option<String>,
    /// The lines before the change.
    pub(super) old: Vec<String>,
    /// The lines after the change.
    pub(super) new: Vec<String>,
    /// Whether they are the last lines of the file.
    pub(super) at_end: bool,
}

/// The patch text of an input field. Codex sends it as the last word of a command, or as text.
pub(super) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Array(words) => words.last().and_then(Value::as_str),
        other => other.as_str(),
    }
}

/// Parses a patch, or says which line is invalid.
pub(super) fn read(text: &str) -> Result<Vec<Section>, String> {
    let mut sections: Vec<Section> = Vec::new();
    let mut begun = false;
    for (index, line) in text.lines().enumerate() {
        let fault = || format!("line {} of the patch is invalid", index + 1);
        if let Some(header) = line.strip_prefix("*** ") {
            match header.split_once(": ").map_or((header, ""), |(word, path)| (word, path.trim())) {
                ("Begin Patch", "") if !begun => begun = true,
                ("End Patch", "") => return Ok(sections),
                ("End of File", "") => last_chunk(&mut sections).ok_or_else(fault)?.at_end = true,
                ("Move to", path) if !path.is_empty() => move_to(&mut sections, path).ok_or_else(fault)?,
                (word, path) if begun && !path.is_empty() => {
                    let change = match word {
                        "Add File" => SectionEdit::Add(String::new()),
                        "Delete File" => SectionEdit::Delete,
                        "Update File" => SectionEdit::Update { moved_to: None, chunks: Vec::new() },
                        _ => return Err(fault()),
                    };
                    sections.push(Section { path: path.into(), change });
                }
                _ => return Err(fault()),
            }
        } else if begun {
            add_line(&mut sections, line).ok_or_else(fault)?;
        } else if !line.trim().is_empty() {
            return Err(fault());
        }
    }
    Err("the patch has no end marker".into())
}

fn move_to(sections: &mut [Section], path: &str) -> Option<()> {
    match &mut sections.last_mut()?.change {
        SectionEdit::Update { moved_to: moved_to @ None, chunks } if chunks.is_empty() => {
            *moved_to = Some(path.into());
            Some(())
        }
        _ => None,
    }
}

fn last_chunk(sections: &mut [Section]) -> Option<&mut Chunk> {
    match &mut sections.last_mut()?.change {
        SectionEdit::Update { chunks, .. } => chunks.last_mut(),
        _ => None,
    }
}

fn add_line(sections: &mut [Section], line: &str) -> Option<()> {
    match &mut sections.last_mut()?.change {
        SectionEdit::Add(text) => {
            text.push_str(line.strip_prefix('+')?);
            text.push('\n');
        }
        SectionEdit::Delete => return line.trim().is_empty().then_some(()),
        SectionEdit::Update { chunks, .. } => {
            if let Some(rest) = line.strip_prefix("@@") {
                let below = rest.strip_prefix(' ').unwrap_or(rest);
                let below = (!below.is_empty()).then(|| below.to_owned());
                chunks.push(Chunk { below, ..Chunk::default() });
                return Some(());
            }
            if chunks.is_empty() {
                chunks.push(Chunk::default());
            }
            let chunk = chunks.last_mut()?;
            let (sign, rest) = line.split_at_checked(1).unwrap_or((" ", ""));
            if sign != "+" {
                chunk.old.push(rest.into());
            }
            if sign != "-" {
                chunk.new.push(rest.into());
            }
            return matches!(sign, " " | "+" | "-").then_some(());
        }
    }
    Some(())
}

/// The text after all chunks are replaced, or why it is unknown.
///
/// The tools themselves match lines more and more loosely and take the first match. Here the lines must
/// occur in the file exactly as in the patch, and once; otherwise the result counts as unknown.
pub(super) fn apply(text: &str, chunks: &[Chunk], budget: &mut Budget) -> Result<String, FileNote> {
    let lines: Vec<&str> = text.lines().collect();
    let mut made: Vec<&str> = Vec::new();
    let mut from = 0;
    for (index, chunk) in chunks.iter().enumerate() {
        let in_chunk = |because| FileNote::Chunk { number: index + 1, because: Box::new(because) };
        let start = match &chunk.below {
            None => from,
            Some(below) => {
                let above =
                    find(&lines, std::slice::from_ref(below), from, budget).ok_or(FileNote::TooMuchWork)?;
                only(&above, FileNote::AnchorNotFound, FileNote::AnchorFoundTwice).map_err(in_chunk)? + 1
            }
        };
        let at = if chunk.old.is_empty() {
            // Lines that replace nothing go to the end of the file.
            lines.len()
        } else {
            // A chunk at the end of the file is looked for only there.
            let end = lines.len().saturating_sub(chunk.old.len());
            let start = if chunk.at_end { start.max(end) } else { start };
            let found = find(&lines, &chunk.old, start, budget).ok_or(FileNote::TooMuchWork)?;
            only(&found, FileNote::LinesNotFound, FileNote::LinesFoundTwice).map_err(in_chunk)?
        };
        made.extend(lines.iter().take(at).skip(from));
        made.extend(chunk.new.iter().map(String::as_str));
        from = at + chunk.old.len();
    }
    made.extend(lines.iter().skip(from));
    let mut after = made.join("\n");
    if !made.is_empty() {
        after.push('\n');
    }
    Ok(after)
}

/// The positions of lines in others, from a position on; at most two. None if the search costs too
/// much.
fn find(lines: &[&str], wanted: &[String], from: usize, budget: &mut Budget) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for (at, window) in lines.windows(wanted.len().max(1)).enumerate().skip(from) {
        let mut same = true;
        for (line, wanted) in window.iter().zip(wanted) {
            let bytes = if line.len() == wanted.len() { line.len() } else { 0 };
            if !budget.spend(4 + bytes / 8) {
                return None;
            }
            same = *line == wanted;
            if !same {
                break;
            }
        }
        if same {
            found.push(at);
        }
        if found.len() == 2 {
            break;
        }
    }
    Some(found)
}

fn only(found: &[usize], none: FileNote, twice: FileNote) -> Result<usize, FileNote> {
    match found {
        [at] => Ok(*at),
        [] => Err(none),
        _ => Err(twice),
    }
}
