//! The danger of a call: what the verdict found, and what only the display reveals.

use sekisho_policy::tools::ToolKind;
use sekisho_policy::{Call, CallTool, Danger, DangerCode, DangerLevel, TargetFieldKind, Verdict, shell_text};
use serde_json::Value;

use super::hidden_characters::{self, HidingKind};
use super::tool_name_danger::danger_of_name;
use super::{AddressNote, Form};

/// The danger of a call. A command, path or address that hides text is dangerous, whatever else it
/// does.
pub(super) fn of(call: &Call, verdict: &Verdict, form: &Form) -> Danger {
    let mut danger = verdict.danger.clone();
    let unknown = CallTool::of(call).is_none_or(|tool| tool.kind() == ToolKind::Other);
    if unknown || call.server.is_some() {
        danger.level = danger.level.max(DangerLevel::Caution);
        // Only a person needs the words of a name, so no verdict costs reading them.
        if danger.level < DangerLevel::Danger
            && call.proven_descriptor().is_none()
            && let Some(named) = danger_of_name(&call.tool)
        {
            danger = Danger::new(DangerLevel::Danger, named);
        }
    }
    if any_note(form, |note| matches!(note, AddressNote::ImpossibleHost { .. })) {
        danger = danger.escalate(DangerCode::ImpossibleHost);
    }
    if any_note(form, |note| matches!(note, AddressNote::UserBeforeHost { .. })) {
        danger = danger.escalate(DangerCode::UserBeforeHost);
    }
    match deceit(call) {
        Some(hiding) => danger.escalate(code_of(hiding)),
        None => danger,
    }
}

fn any_note(form: &Form, is: fn(&AddressNote) -> bool) -> bool {
    let Form::Url { addresses } = form else { return false };
    addresses.iter().any(|address| address.note_codes.iter().any(is))
}

/// The first way in which the target of the call misleads a reader.
fn deceit(call: &Call) -> Option<HidingKind> {
    let names = [Some(&call.tool), call.server.as_ref().map(|server| &server.id), call.cwd.as_ref()];
    let named = names.into_iter().flatten().find_map(|name| hidden_characters::deceit(name));
    named
        .or_else(|| shell_text(call).and_then(|text| hidden_characters::deceit(&text)))
        .or_else(|| in_places(call))
}

/// Checks paths, addresses and patch headers. Not the contents of files, where an odd character does
/// not disguise the call.
fn in_places(call: &Call) -> Option<HidingKind> {
    let named = CallTool::of(call).map(|tool| tool.values(&call.input)).unwrap_or_default();
    let in_named = named.into_iter().find_map(|(kind, value)| match kind {
        TargetFieldKind::Patch => {
            let text = super::patch::text(value)?;
            text.lines()
                .filter(|line| line.trim_start().starts_with("***"))
                .find_map(hidden_characters::deceit)
        }
        TargetFieldKind::Values
        | TargetFieldKind::Glob
        | TargetFieldKind::Filter
        | TargetFieldKind::Prose => in_texts(value),
    });
    in_named.or_else(|| in_described(call))
}

/// Checks the fields that a descriptor names, whatever its source.
fn in_described(call: &Call) -> Option<HidingKind> {
    let tool = call.descriptor.as_deref()?.tool();
    let lists = [tool.commands(), tool.reads(), tool.searches(), tool.writes(), tool.addresses()];
    let mut found = None;
    for field in lists.into_iter().flatten() {
        field.each(&call.input, &mut |value| found = found.or_else(|| value.and_then(in_texts)));
    }
    found
}

fn in_texts(value: &Value) -> Option<HidingKind> {
    match value {
        Value::String(text) => hidden_characters::deceit(text),
        Value::Array(values) => values.iter().filter_map(Value::as_str).find_map(hidden_characters::deceit),
        _ => None,
    }
}

fn code_of(hiding: HidingKind) -> DangerCode {
    match hiding {
        HidingKind::Escape => DangerCode::HidesTerminalSequence,
        HidingKind::Control => DangerCode::HidesControlCharacter,
        HidingKind::Direction => DangerCode::HidesDirectionChange,
        HidingKind::Tag => DangerCode::HidesSpelledText,
        HidingKind::Filler => DangerCode::HidesBlankLetter,
        _ => DangerCode::HidesZeroWidth,
    }
}
