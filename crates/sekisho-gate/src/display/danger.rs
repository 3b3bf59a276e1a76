//! How much care a call wants: what judging found, and what only showing it reveals.

use sekisho_policy::tools::ToolKind;
use sekisho_policy::{Call, CallTool, Danger, DangerCode, DangerLevel, PlaceKind, Verdict, shell_text};
use serde_json::Value;

use super::hidden::{self, Hiding};
use super::{AddressNote, Form};

/// The danger of a call. A command, path or address that hides text is dangerous whatever it does besides.
pub(super) fn of(call: &Call, verdict: &Verdict, form: &Form) -> Danger {
    let mut danger = verdict.danger.clone();
    let unknown = CallTool::of(call).is_none_or(|tool| tool.kind() == ToolKind::Other);
    if unknown || call.server.is_some() {
        danger.level = danger.level.max(DangerLevel::Caution);
    }
    if any_note(form, |note| matches!(note, AddressNote::ImpossibleHost { .. })) {
        danger = danger.with_graver(DangerCode::ImpossibleHost);
    }
    if any_note(form, |note| matches!(note, AddressNote::UserBeforeHost { .. })) {
        danger = danger.with_graver(DangerCode::UserBeforeHost);
    }
    match deceit(call) {
        Some(hiding) => danger.with_graver(code_of(hiding)),
        None => danger,
    }
}

fn any_note(form: &Form, is: fn(&AddressNote) -> bool) -> bool {
    let Form::Url { addresses } = form else { return false };
    addresses.iter().any(|address| address.note_codes.iter().any(is))
}

/// The first way in which what the call acts on deceives its reader.
fn deceit(call: &Call) -> Option<Hiding> {
    let names = [Some(&call.tool), call.server.as_ref().map(|server| &server.id), call.cwd.as_ref()];
    let named = names.into_iter().flatten().find_map(|name| hidden::deceit(name));
    named.or_else(|| shell_text(call).and_then(|text| hidden::deceit(&text))).or_else(|| in_places(call))
}

/// In paths, addresses and patch headers; not in the contents of files, where an odd character is no disguise of the call.
fn in_places(call: &Call) -> Option<Hiding> {
    let named = CallTool::of(call).map(|tool| tool.values(&call.input)).unwrap_or_default();
    let in_named = named.into_iter().find_map(|(kind, value)| match kind {
        PlaceKind::Patch => {
            let text = super::patch::text(value)?;
            text.lines().filter(|line| line.trim_start().starts_with("***")).find_map(hidden::deceit)
        }
        PlaceKind::Values | PlaceKind::Glob | PlaceKind::Filter | PlaceKind::Prose => in_texts(value),
    });
    in_named.or_else(|| in_described(call))
}

/// In what a descriptor names, whoever gave it.
fn in_described(call: &Call) -> Option<Hiding> {
    let tool = call.descriptor.as_deref()?.tool();
    let lists = [tool.commands(), tool.reads(), tool.searches(), tool.writes(), tool.addresses()];
    let mut found = None;
    for field in lists.into_iter().flatten() {
        field.each(&call.input, &mut |value| found = found.or_else(|| value.and_then(in_texts)));
    }
    found
}

fn in_texts(value: &Value) -> Option<Hiding> {
    match value {
        Value::String(text) => hidden::deceit(text),
        Value::Array(values) => values.iter().filter_map(Value::as_str).find_map(hidden::deceit),
        _ => None,
    }
}

fn code_of(hiding: Hiding) -> DangerCode {
    match hiding {
        Hiding::Escape => DangerCode::HidesTerminalSequence,
        Hiding::Control => DangerCode::HidesControlCharacter,
        Hiding::Direction => DangerCode::HidesDirectionChange,
        Hiding::Tag => DangerCode::HidesSpelledText,
        Hiding::Filler => DangerCode::HidesBlankLetter,
        _ => DangerCode::HidesZeroWidth,
    }
}
