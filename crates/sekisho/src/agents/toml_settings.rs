//! Edits agents' TOML settings. A list of tables may be written as `[[…]]` or inline; existing lists keep
//! their form.

use serde_json::Value;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike};

use super::hook_groups::HookGroup;
use super::settings_error::AgentSettingsError;

pub(super) fn value(text: &str) -> Result<Value, AgentSettingsError> {
    let document = document(text)?;
    Ok(plain(document.as_item()))
}

/// Parses a text for editing.
pub(super) fn document(text: &str) -> Result<DocumentMut, AgentSettingsError> {
    text.parse::<DocumentMut>().map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        AgentSettingsError::at(line, column, error.message().lines().collect::<Vec<_>>().join(", "))
    })
}

fn plain(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return table.iter().map(|(name, item)| (name.to_owned(), plain(item))).collect();
    }
    if let Some(tables) = item.as_array_of_tables() {
        return tables.iter().map(|table| plain(&Item::Table(table.clone()))).collect();
    }
    match item.as_value() {
        Some(toml_edit::Value::Array(values)) => {
            values.iter().map(|value| plain(&Item::Value(value.clone()))).collect()
        }
        Some(toml_edit::Value::String(text)) => text.value().as_str().into(),
        Some(toml_edit::Value::Integer(number)) => (*number.value()).into(),
        Some(toml_edit::Value::Boolean(is)) => (*is.value()).into(),
        Some(other) => other.to_string().trim().into(),
        None => Value::Null,
    }
}

/// A table below another, created if missing. A new one gets no header of its own.
pub(super) fn subtable<'a>(
    table: &'a mut dyn TableLike,
    name: &str,
) -> Result<&'a mut dyn TableLike, AgentSettingsError> {
    if !table.contains_key(name) {
        let new = match is_inline(table) {
            true => Item::Value(InlineTable::new().into()),
            false => Item::Table(implicit()),
        };
        table.insert(name, new);
    }
    table
        .get_mut(name)
        .and_then(Item::as_table_like_mut)
        .ok_or_else(|| AgentSettingsError::new(format!("`{name}` is not a table")))
}

fn is_inline(table: &dyn TableLike) -> bool {
    // Only a table with its own header can contain others with headers.
    !table.is_empty() && table.iter().all(|(_, item)| item.is_value()) && table.is_dotted()
}

fn implicit() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}

/// A list of tables in either form.
pub(super) enum Tables<'a> {
    Block(&'a mut ArrayOfTables),
    Inline(&'a mut Array),
}

impl<'a> Tables<'a> {
    pub(super) fn of(
        table: &'a mut dyn TableLike,
        name: &str,
    ) -> Result<Option<Tables<'a>>, AgentSettingsError> {
        match table.get_mut(name) {
            None => Ok(None),
            Some(Item::ArrayOfTables(tables)) => Ok(Some(Tables::Block(tables))),
            Some(Item::Value(toml_edit::Value::Array(values))) => Ok(Some(Tables::Inline(values))),
            Some(_) => Err(AgentSettingsError::new(format!("`{name}` is not a list of tables"))),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Tables::Block(tables) => tables.len(),
            Tables::Inline(values) => values.len(),
        }
    }

    pub(super) fn remove(&mut self, index: usize) {
        match self {
            Tables::Block(tables) => drop(tables.remove(index)),
            Tables::Inline(values) => drop(values.remove(index)),
        }
    }

    pub(super) fn get(&mut self, index: usize) -> Option<&mut dyn TableLike> {
        match self {
            Tables::Block(tables) => tables.get_mut(index).map(|table| table as &mut dyn TableLike),
            Tables::Inline(values) => {
                let table = values.get_mut(index)?.as_inline_table_mut()?;
                Some(table as &mut dyn TableLike)
            }
        }
    }

    pub(super) fn append(&mut self, group: &HookGroup) {
        match self {
            Tables::Block(tables) => tables.push(written(group)),
            Tables::Inline(values) => values.push(in_one_line(group)),
        }
    }
}

/// Creates an empty list of tables.
pub(super) fn make_list(table: &mut dyn TableLike, name: &str, in_one_line: bool) {
    let list = match in_one_line {
        true => Item::Value(Array::new().into()),
        false => Item::ArrayOfTables(ArrayOfTables::new()),
    };
    table.insert(name, list);
}

fn written(group: &HookGroup) -> Table {
    let mut handler = Table::new();
    set_handler_fields(&mut handler, group);
    let mut handlers = ArrayOfTables::new();
    handlers.push(handler);
    let mut table = Table::new();
    if let Some(matcher) = group.matcher {
        table.insert("matcher", toml_edit::value(matcher));
    }
    table.insert("hooks", Item::ArrayOfTables(handlers));
    table
}

fn in_one_line(group: &HookGroup) -> InlineTable {
    let mut handler = InlineTable::new();
    set_handler_fields(&mut handler, group);
    let mut table = InlineTable::new();
    if let Some(matcher) = group.matcher {
        table.insert("matcher", matcher.into());
    }
    table.insert("hooks", Array::from_iter([handler]).into());
    table
}

/// Sets the fields of a handler.
pub(super) fn set_handler_fields(table: &mut dyn TableLike, group: &HookGroup) {
    for (name, value) in &group.handler {
        let value = match value {
            Value::Number(number) => toml_edit::value(number.as_i64().unwrap_or_default()),
            Value::Bool(is) => toml_edit::value(*is),
            other => toml_edit::value(other.as_str().unwrap_or_default()),
        };
        table.insert(name, value);
    }
}
