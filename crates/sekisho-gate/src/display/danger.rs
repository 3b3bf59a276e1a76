//! How much care a call wants: what judging found, and what only showing it reveals.

use sekisho_policy::tools::{Place, ToolKind, by_name};
use sekisho_policy::{Call, Danger, DangerCode, DangerLevel, Verdict, shell_text};
use serde_json::Value;

use super::hidden::{self, Hiding};
use super::{AddressNote, Form};

/// The danger of a call. A command, path or address that hides text is dangerous whatever it does besides.
pub(super) fn of(call: &Call, verdict: &Verdict, form: &Form) -> Danger {
    let mut danger = verdict.danger.clone();
    let unknown = by_name(&call.tool).is_none_or(|tool| tool.kind == ToolKind::Other);
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
    let tool = by_name(&call.tool)?;
    tool.places.iter().find_map(|place| match place {
        Place::Field(field) | Place::Glob(field) | Place::Filter(field) | Place::Prose(field) => {
            match call.input.get(field)? {
                Value::String(text) => hidden::deceit(text),
                Value::Array(values) => values.iter().filter_map(Value::as_str).find_map(hidden::deceit),
                _ => None,
            }
        }
        Place::Patch(field) => {
            let text = super::patch::text(call.input.get(field)?)?;
            text.lines().filter(|line| line.trim_start().starts_with("***")).find_map(hidden::deceit)
        }
    })
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
