//! What a person sees of a call. Every surface uses this one place.
//!
//! An answer is only worth something if the person saw what would run. So a form shows the thing itself: a command
//! verbatim with its parts marked, a change as a diff against the file as it is now, a URL with the host it leads to.
//! What would hide or disguise text is written out, and what does not fit is said to be left out, never dropped.

mod address;
mod apply;
mod besides;
mod budget;
mod command;
mod danger;
mod diff;
mod edits;
mod files;
mod hidden;
mod limit;
mod parts;
mod patch;
mod shown;
#[cfg(test)]
mod tests;
mod title;
mod words;

use sekisho_policy::tools::ToolKind;
use sekisho_policy::{Call, CallTool, Danger, Verdict, other_directory};

pub use hidden::{Hidden, Hiding, Layout, visible};
pub use limit::LARGEST_SHOWN;
pub use parts::MOST_PARTS;
pub(crate) use parts::bounded;
pub use shown::{Address, Beside, Change, FileDiff, FileMark, Form, Hunk, Line, Mark, Shown, Sign};
pub use title::TitleCode;

pub use crate::note::{AddressNote, FileNote, LeftOut};
use crate::premises::FileNow;
use limit::Limit;

/// How much care a call wants, as it would be shown.
pub fn danger(call: &Call, verdict: &Verdict) -> Danger {
    let web = CallTool::of(call).is_some_and(|tool| tool.kind() == ToolKind::Web) && call.server.is_none();
    let form = web.then(|| address::form(call, &mut Limit::default())).flatten();
    danger::of(call, verdict, &form.unwrap_or(Form::Json))
}

/// The tool and its main input on one line, as it would be shown.
pub fn message(call: &Call) -> String {
    words::message(call)
}

/// Shows a call. Pure: the files a diff is made against come from `files`, by absolute path.
pub fn show(call: &Call, verdict: &Verdict, files: &dyn Fn(&str) -> FileNow) -> Shown {
    let mut limit = Limit::default();
    let kind = CallTool::of(call).map_or(ToolKind::Other, |tool| tool.kind());
    let mut marks = Vec::new();
    let form = match kind {
        ToolKind::Shell => command::form(call, verdict, &mut limit),
        // What an MCP server does with a path or an address is its own affair.
        _ if call.server.is_some() => None,
        ToolKind::Write => files::form((call, verdict), files, &mut limit, &mut marks),
        ToolKind::Web => address::form(call, &mut limit),
        _ => None,
    };
    let form = form.unwrap_or(Form::Json);
    let besides = besides::of(call, &form, &mut limit);
    let pretty = serde_json::to_string_pretty(&call.input).unwrap_or_default();
    let json = limit.text(&visible(&pretty, Layout::Text), |bytes| LeftOut::Input { bytes });
    let named =
        |directory: Option<String>| visible(&directory.unwrap_or_default(), Layout::Line).into_owned();
    let title = TitleCode::of(call);
    Shown {
        title: title.sentence().into(),
        title_code: Some(title),
        message: words::message(call),
        danger: danger::of(call, verdict, &form),
        why: visible(&verdict.sentence(), Layout::Line).into_owned(),
        form,
        besides,
        directory: other_directory(call).map(named),
        json,
        whole: limit.left_out.is_empty(),
        left_out: limit.left_out.iter().map(LeftOut::sentence).collect(),
        left_out_codes: limit.left_out,
        hidden: hidden::census(call),
        files: marks,
    }
}
