//! The form of hooks that Claude Code, Codex and Gemini CLI share: each event has a list of groups, each with
//! a matcher and handlers.

use serde_json::{Map, Value, json};

use super::hook_invocation::{HookInvocation, InstalledHook};
use super::shell_line;

/// A group with one handler, as we write it.
#[derive(Clone, Debug)]
pub(super) struct HookGroup {
    pub(super) event: &'static str,
    pub(super) matcher: Option<&'static str>,
    /// In display order.
    pub(super) handler: Vec<(&'static str, Value)>,
}

impl HookGroup {
    pub(super) fn handler_value(&self) -> Value {
        let fields = self.handler.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        Value::Object(fields.collect::<Map<_, _>>())
    }

    pub(super) fn value(&self) -> Value {
        let mut group = json!({ "hooks": [self.handler_value()] });
        if let (Some(matcher), Some(fields)) = (self.matcher, group.as_object_mut()) {
            fields.insert("matcher".into(), matcher.into());
        }
        group
    }
}

/// The position of a handler: its group, its index there, and whether it is the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HandlerPosition {
    pub(super) group: usize,
    pub(super) handler: usize,
    pub(super) alone: bool,
}

pub(super) fn groups<'a>(settings: &'a Value, event: &str) -> &'a [Value] {
    settings.get("hooks").and_then(|hooks| hooks.get(event)?.as_array()).map_or(&[], Vec::as_slice)
}

pub(super) fn handlers(group: &Value) -> &[Value] {
    group.get("hooks").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The events that have groups.
pub(super) fn events(settings: &Value) -> Vec<String> {
    let hooks = settings.get("hooks").and_then(Value::as_object);
    let lists = hooks.into_iter().flatten().filter(|(_, groups)| groups.is_array());
    lists.map(|(event, _)| event.clone()).collect()
}

/// The words of a handler's command.
pub(super) fn command_words(handler: &Value) -> Vec<String> {
    match start(handler) {
        Some(HookInvocation::Program(words)) => words,
        Some(HookInvocation::Shell(line)) => shell_line::words(&line),
        _ => Vec::new(),
    }
}

/// How a handler is started.
fn start(handler: &Value) -> Option<HookInvocation> {
    let command = handler.get("command")?.as_str()?.to_owned();
    match handler.get("args").and_then(Value::as_array) {
        None => Some(HookInvocation::Shell(command)),
        Some(args) => {
            let args = args.iter().map(|arg| arg.as_str().unwrap_or_default().to_owned());
            Some(HookInvocation::Program(std::iter::once(command).chain(args).collect()))
        }
    }
}

/// The positions of our handlers of an event.
pub(super) fn handler_positions(
    settings: &Value,
    event: &str,
    is_ours: &dyn Fn(&Value) -> bool,
) -> Vec<HandlerPosition> {
    let mut places = Vec::new();
    for (group, value) in groups(settings, event).iter().enumerate() {
        let handlers = handlers(value);
        for (handler, value) in handlers.iter().enumerate() {
            if is_ours(value) {
                places.push(HandlerPosition { group, handler, alone: handlers.len() == 1 });
            }
        }
    }
    places
}

pub(super) fn installed_hooks(settings: &Value, is_ours: &dyn Fn(&Value) -> bool) -> Vec<InstalledHook> {
    let mut wired = Vec::new();
    for event in events(settings) {
        let handlers = groups(settings, &event).iter().flat_map(handlers);
        let starts = handlers.filter(|handler| is_ours(handler)).filter_map(start);
        wired.extend(starts.map(|start| InstalledHook { event: event.clone(), start }));
    }
    wired
}

/// The commands of other handlers of an event.
pub(super) fn other_commands(settings: &Value, event: &str, is_ours: &dyn Fn(&Value) -> bool) -> Vec<String> {
    let handlers = groups(settings, event).iter().flat_map(handlers);
    let named = |handler: &Value| {
        let name = ["command", "url", "prompt", "type"].iter().find_map(|name| handler.get(*name)?.as_str());
        name.unwrap_or("?").to_owned()
    };
    handlers.filter(|handler| !is_ours(handler)).map(named).collect()
}

/// Whether the settings are as they should be: one handler of ours, in a group of its own, as we write it.
pub(super) fn is_up_to_date(settings: &Value, group: &HookGroup, is_ours: &dyn Fn(&Value) -> bool) -> bool {
    match handler_positions(settings, group.event, is_ours).as_slice() {
        [place] => groups(settings, group.event).get(place.group) == Some(&group.value()),
        _ => false,
    }
}
