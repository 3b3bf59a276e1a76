//! Input fields that the form does not show: a directory, an environment, the body of a request.

use sekisho_policy::tools::ToolKind;
use sekisho_policy::{Call, CallTool, TargetFieldKind};
use serde_json::Value;

use super::size_limit::SizeLimit;
use super::{Form, Layout, LeftOut, OtherField, file_edit, visible};

/// The maximum number of fields listed.
const MAX_FIELDS: usize = 100;

/// The fields that a form does not show. JSON shows all of them.
pub(super) fn of(call: &Call, form: &Form, limit: &mut SizeLimit) -> Vec<OtherField> {
    let (Some(tool), Some(fields)) = (CallTool::of(call), call.input.as_object()) else {
        return Vec::new();
    };
    // A delegation shows all that its input means.
    if matches!(form, Form::Json | Form::Delegation { .. }) {
        return Vec::new();
    }
    let besides: Vec<_> =
        fields.iter().filter(|(name, value)| !value.is_null() && !is_shown(&tool, name, value)).collect();
    if let Some(more) = besides.len().checked_sub(MAX_FIELDS).filter(|more| *more > 0) {
        limit.left_out.push(LeftOut::Fields { fields: more });
    }
    besides.into_iter().take(MAX_FIELDS).map(|(name, value)| beside(name, value, limit)).collect()
}

fn beside(name: &str, value: &Value, limit: &mut SizeLimit) -> OtherField {
    let text = match value {
        Value::String(text) => visible(text, Layout::Text).into_owned(),
        value => visible(&value.to_string(), Layout::Line).into_owned(),
    };
    let name = visible(name, Layout::Line).into_owned();
    let value = limit.text(&text, |bytes| LeftOut::Field { bytes, field: name.clone() });
    OtherField { name, value }
}

/// Whether the form shows a field, or the field does not affect what happens.
fn is_shown(tool: &CallTool<'_>, name: &str, value: &Value) -> bool {
    // For prose fields, only the addresses in them are shown.
    let acted_on = tool.target_field_kind(name).is_some_and(|kind| kind != TargetFieldKind::Prose);
    // What a described tool does with a field that its descriptor does not name is unknown.
    let in_table = tool.in_table().is_some();
    let idle = match name {
        _ if !in_table => false,
        "description" => tool.kind() == ToolKind::Shell && value.is_string(),
        "timeout" | "timeout_ms" | "timeoutMs" => value.is_number(),
        _ => false,
    };
    idle || acted_on || (in_table && tool.kind() == ToolKind::Write && file_edit::shows(name))
}
