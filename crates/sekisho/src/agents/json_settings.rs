//! Edits agents' JSON settings and keeps their comments, order and layout.

use sekisho_policy::jsonc::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use sekisho_policy::jsonc::{self, ParseError, value_of};
use serde_json::Value;

use super::hook_groups::{self, HookGroup};
use super::settings_error::AgentSettingsError;

/// The JSON that an agent accepts.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonDialect {
    pub(super) form: jsonc::Dialect,
    /// What the agent does with other text.
    pub(super) rejection: &'static str,
}

impl JsonDialect {
    /// Parses a text as the agent does. Of duplicate keys, the last one counts.
    pub(super) fn value(self, text: &str) -> Result<Value, AgentSettingsError> {
        let text = without_mark(text).1;
        if is_blank(text) {
            return Ok(Value::Object(serde_json::Map::new()));
        }
        let value: Value = match self.form {
            jsonc::Dialect::JSON => serde_json::from_str(text)
                .map_err(|error| self.fault(error.line(), error.column(), &error.to_string())),
            form => form.value(text).map_err(|error| self.unparsed(&error)),
        }?;
        match value {
            Value::Object(_) => Ok(value),
            _ => Err(AgentSettingsError::new("the top level is not an object")),
        }
    }

    fn fault(self, line: usize, column: usize, message: &str) -> AgentSettingsError {
        let message = message.split(" at line ").next().unwrap_or(message).to_lowercase();
        AgentSettingsError::at(line, column, format!("{message}, and {}", self.rejection))
    }

    fn unparsed(self, error: &ParseError) -> AgentSettingsError {
        self.fault(error.line_display(), error.column_display(), &error.kind().to_string())
    }

    fn tree(self, text: &str) -> Result<CstRootNode, AgentSettingsError> {
        // First report what the agent itself could not read, in its own terms.
        self.value(text)?;
        let text = without_mark(text).1;
        let text = if is_blank(text) { "{}\n" } else { text };
        self.form.edit(text).map_err(|error| self.unparsed(&error))
    }
}

/// Splits off a byte order mark.
fn without_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The text with these groups, each with one handler of ours, and everything else unchanged.
pub(super) fn add(
    dialect: JsonDialect,
    text: &str,
    wanted: &[HookGroup],
    is_ours: &dyn Fn(&Value) -> bool,
) -> Result<String, AgentSettingsError> {
    let settings = dialect.value(text)?;
    let mut events = hook_groups::events(&settings);
    events.retain(|event| !wanted.iter().any(|group| group.event == event));
    let stale =
        events.iter().any(|event| !hook_groups::handler_positions(&settings, event, is_ours).is_empty());
    if !stale && wanted.iter().all(|group| hook_groups::is_up_to_date(&settings, group, is_ours)) {
        return Ok(text.to_owned());
    }
    let root = dialect.tree(text)?;
    for event in &events {
        take_out(&root, event, is_ours);
    }
    for group in wanted {
        put_in(&root, group, is_ours)?;
    }
    let after = format!("{}{root}", without_mark(text).0);
    let read = dialect.value(&after)?;
    match wanted.iter().find(|group| !hook_groups::is_up_to_date(&read, group, is_ours)) {
        None => Ok(after),
        Some(group) => {
            let event = group.event;
            Err(AgentSettingsError::new(format!(
                "`hooks` or `{event}` is there twice, and only the last one counts"
            )))
        }
    }
}

/// The text without our handlers, and without groups and lists that this leaves empty.
pub(super) fn remove(
    dialect: JsonDialect,
    text: &str,
    is_ours: &dyn Fn(&Value) -> bool,
) -> Result<String, AgentSettingsError> {
    let settings = dialect.value(text)?;
    let mut events = hook_groups::events(&settings);
    events.retain(|event| !hook_groups::handler_positions(&settings, event, is_ours).is_empty());
    if events.is_empty() {
        return Ok(text.to_owned());
    }
    let root = dialect.tree(text)?;
    for event in &events {
        take_out(&root, event, is_ours);
    }
    Ok(format!("{}{root}", without_mark(text).0))
}

fn put_in(
    root: &CstRootNode,
    wanted: &HookGroup,
    is_ours: &dyn Fn(&Value) -> bool,
) -> Result<(), AgentSettingsError> {
    let not = |what: &str, kind: &str| AgentSettingsError::new(format!("`{what}` is not {kind}"));
    let top = root
        .object_value_or_create()
        .ok_or_else(|| AgentSettingsError::new("the top level is not an object"))?;
    let hooks = top.object_value_or_create("hooks").ok_or_else(|| not("hooks", "an object"))?;
    let list = hooks.array_value_or_create(wanted.event).ok_or_else(|| not(wanted.event, "a list"))?;
    let mut ours = list.elements().into_iter().enumerate().filter(|(_, group)| has_ours(group, is_ours));
    if let (Some((index, group)), None) = (ours.next(), ours.next())
        && handlers(&group).len() == 1
    {
        if value_of(&group) != Some(wanted.value()) {
            group.remove();
            list.insert(index, input(wanted));
        }
        return Ok(());
    }
    clear(&list, is_ours);
    list.append(input(wanted));
    Ok(())
}

/// Removes our handlers from an event, and what this leaves empty.
fn take_out(root: &CstRootNode, event: &str, is_ours: &dyn Fn(&Value) -> bool) {
    let Some(hooks) = root.object_value().and_then(|top| top.object_value("hooks")) else { return };
    let Some(list) = hooks.array_value(event) else { return };
    clear(&list, is_ours);
    if list.elements().is_empty() {
        remove_property(&hooks, event);
    }
    if let (true, Some(top)) = (hooks.properties().is_empty(), root.object_value()) {
        remove_property(&top, "hooks");
    }
}

fn remove_property(object: &CstObject, name: &str) {
    if let Some(property) = object.get(name) {
        property.remove();
    }
}

/// Removes our handlers from a list of groups, and groups that this leaves empty.
fn clear(list: &CstArray, is_ours: &dyn Fn(&Value) -> bool) {
    for group in list.elements().into_iter().filter(|group| has_ours(group, is_ours)) {
        let ours = |handler: &CstNode| value_of(handler).is_some_and(|value| is_ours(&value));
        let all = handlers(&group);
        if all.iter().all(ours) {
            group.remove();
        } else {
            all.into_iter().filter(ours).for_each(CstNode::remove);
        }
    }
}

fn handlers(group: &CstNode) -> Vec<CstNode> {
    let list = group.as_object().and_then(|group| group.array_value("hooks"));
    list.map(|list| list.elements()).unwrap_or_default()
}

fn has_ours(group: &CstNode, is_ours: &dyn Fn(&Value) -> bool) -> bool {
    handlers(group).iter().filter_map(value_of).any(|handler| is_ours(&handler))
}

fn input(group: &HookGroup) -> CstInputValue {
    let handler =
        group.handler.iter().map(|(name, value)| ((*name).to_owned(), jsonc::input(value))).collect();
    let mut fields = Vec::new();
    fields.extend(group.matcher.map(|matcher| ("matcher".to_owned(), CstInputValue::from(matcher))));
    fields.push(("hooks".to_owned(), CstInputValue::Array(vec![CstInputValue::Object(handler)])));
    CstInputValue::Object(fields)
}

/// The text with a string added to the end of a list, and some others removed.
pub(super) fn change_strings(
    dialect: JsonDialect,
    text: &str,
    name: &str,
    drop: &dyn Fn(&str) -> bool,
    add: Option<&str>,
) -> Result<String, AgentSettingsError> {
    let root = dialect.tree(text)?;
    let top = root
        .object_value_or_create()
        .ok_or_else(|| AgentSettingsError::new("the top level is not an object"))?;
    let list = match (top.array_value(name), add) {
        (None, None) => return Ok(text.to_owned()),
        (Some(list), _) => list,
        (None, Some(_)) => top
            .array_value_or_create(name)
            .ok_or_else(|| AgentSettingsError::new(format!("`{name}` is not a list")))?,
    };
    let dropped: Vec<CstNode> = list
        .elements()
        .into_iter()
        .filter(|node| value_of(node).as_ref().and_then(Value::as_str).is_some_and(drop))
        .collect();
    if dropped.is_empty() && add.is_none() {
        return Ok(text.to_owned());
    }
    dropped.into_iter().for_each(CstNode::remove);
    if let Some(add) = add {
        list.append(add.into());
    } else if list.elements().is_empty() {
        remove_property(&top, name);
    }
    Ok(format!("{}{root}", without_mark(text).0))
}
