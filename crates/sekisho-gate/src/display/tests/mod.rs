//! Tables of inputs and how they are shown.

mod commands;
mod delegations;
mod described_tools;
mod diffs;
mod hidden_characters;
mod other_fields;
mod titles;

use jiff::Timestamp;
use sekisho_policy::{Call, JudgeContext, Layers, Policy, judge};

use super::{CallView, DiffSign, FileDiff, Form, show};
use crate::host_ports::CurrentFile;

/// The view of a call in `/w`, with the given files.
pub(super) fn shown(call: Call, files: &[(&str, &str)]) -> CallView {
    let call = if call.cwd.is_some() { call } else { call.in_directory("/w") };
    let verdict = judge(&Policy::compile(Layers::default()), &call, &context());
    let read = |path: &str| {
        let found = files.iter().find(|(known, _)| *known == path);
        found.map_or(CurrentFile::Absent, |(_, text)| CurrentFile::Text {
            sha256: format!("hash of {path}"),
            text: (*text).into(),
        })
    };
    show(&call, &verdict, &read)
}

pub(super) fn context() -> JudgeContext {
    JudgeContext { root: Some("/w".into()), ..JudgeContext::at(Timestamp::UNIX_EPOCH) }
}

pub(super) fn diffs(shown: &CallView) -> Vec<FileDiff> {
    match &shown.form {
        Form::Diff { files } => files.clone(),
        other => panic!("no diff but {other:?}"),
    }
}

/// A diff as text: `1 2 +text`, with `-` for a missing number.
pub(super) fn diff_text(file: &FileDiff) -> String {
    let number = |at: Option<u32>| at.map_or("-".into(), |at| at.to_string());
    let mut diff_text = format!("{} {:?} +{} -{}\n", file.path, file.change, file.added, file.removed);
    if let Some(to) = &file.moved_to {
        diff_text += &format!("to {to}\n");
    }
    for hunk in &file.hunks {
        diff_text += "@@\n";
        for line in &hunk.lines {
            let sign = match line.sign {
                DiffSign::Context => ' ',
                DiffSign::Added => '+',
                DiffSign::Removed => '-',
            };
            diff_text += &format!("{} {} {sign}{}\n", number(line.old), number(line.new), line.text);
        }
    }
    for note in &file.notes {
        diff_text += &format!("note: {note}\n");
    }
    diff_text
}
