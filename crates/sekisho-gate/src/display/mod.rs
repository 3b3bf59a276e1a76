//! How a call is shown to people. Every user interface uses this module.
//!
//! An answer has no value unless the person saw what would run. So a form shows the thing itself: a
//! command verbatim with its parts marked, a change as a diff against the current file, a URL with its
//! real host. Characters that hide or disguise text are escaped, and whatever does not fit is reported
//! as left out, never silently dropped.

mod call_view;
mod command;
mod danger;
mod delegation;
mod diff;
mod file_diffs;
mod file_edit;
mod hidden_characters;
mod other_fields;
mod part_limit;
mod patch;
mod size_limit;
#[cfg(test)]
mod tests;
mod text_replacement;
mod title;
mod title_code;
mod tool_name_danger;
mod web_address;
mod work_budget;

use sekisho_policy::tools::ToolKind;
use sekisho_policy::{Call, CallTool, Danger, Verdict, input_directory};

pub use call_view::{
    CallView, DelegationItem, DelegationRow, DiffHunk, DiffLine, DiffSign, FileChange, FileDiff,
    FileFingerprint, Form, MarkedPart, OtherField, WebAddress,
};
pub use hidden_characters::{HiddenCharacter, HidingKind, Layout, visible};
pub use part_limit::MAX_PARTS;
pub(crate) use part_limit::limit_parts;
pub use size_limit::MAX_SHOWN_BYTES;
pub use title_code::TitleCode;

pub use crate::display_notes::{AddressNote, FileNote, LeftOut};
use crate::host_ports::CurrentFile;
use size_limit::SizeLimit;

/// The danger of a call, as it would be shown.
pub fn danger(call: &Call, verdict: &Verdict) -> Danger {
    let web = CallTool::of(call).is_some_and(|tool| tool.kind() == ToolKind::Web) && call.server.is_none();
    let form = web.then(|| web_address::form(call, &mut SizeLimit::default())).flatten();
    danger::of(call, verdict, &form.unwrap_or(Form::Json))
}

/// The tool and its main input on one line, as it would be shown.
pub fn message(call: &Call) -> String {
    title::message(call)
}

/// Builds the view of a call. Pure: the files for a diff come from `files`, by absolute path.
pub fn show(call: &Call, verdict: &Verdict, files: &dyn Fn(&str) -> CurrentFile) -> CallView {
    let mut limit = SizeLimit::default();
    let kind = CallTool::of(call).map_or(ToolKind::Other, |tool| tool.kind());
    let mut marks = Vec::new();
    let form = match kind {
        ToolKind::Shell => command::form(call, verdict, &mut limit),
        // What an MCP server does with a path or an address is unknown.
        _ if call.server.is_some() => None,
        ToolKind::Write => file_diffs::form((call, verdict), files, &mut limit, &mut marks),
        ToolKind::Web => web_address::form(call, &mut limit),
        _ => delegation::form(call, &mut limit),
    };
    let form = form.unwrap_or(Form::Json);
    let besides = other_fields::of(call, &form, &mut limit);
    let pretty = serde_json::to_string_pretty(&call.input).unwrap_or_default();
    let json = limit.text(&visible(&pretty, Layout::Text), |bytes| LeftOut::Input { bytes });
    let named =
        |directory: Option<String>| visible(&directory.unwrap_or_default(), Layout::Line).into_owned();
    let title = TitleCode::of(call);
    let mut danger = danger::of(call, verdict, &form);
    command::place(&mut danger, call, &form);
    CallView {
        title: title.sentence().into(),
        title_code: Some(title),
        message: title::message(call),
        danger,
        why: visible(&verdict.sentence(), Layout::Line).into_owned(),
        form,
        besides,
        directory: input_directory(call).map(named),
        json,
        whole: limit.left_out.is_empty(),
        left_out: limit.left_out.iter().map(LeftOut::sentence).collect(),
        left_out_codes: limit.left_out,
        hidden: hidden_characters::count_hidden(call),
        files: marks,
    }
}
