//! Counts how many steps a check takes at most, before the check runs.
//!
//! A schema decides how often its parts are evaluated. Thirty definitions that each refer to the next one
//! twice evaluate a single string a billion times, and a definition that refers to itself never ends.
//! Counting follows every path that the check could take, evaluates nothing, and stops at the limit.

use serde_json::{Map, Value};

use super::schema_check::target;

/// The maximum number of steps of a check.
pub const MAX_STEPS: usize = 200_000;

/// The maximum depth of nested steps. A check recurses once per level.
const MAX_STEP_DEPTH: usize = 192;

/// This many values of an `enum` or names in `required` count as one step.
const VALUES_PER_STEP: usize = 16;
/// Counting or decoding this many bytes of a string counts as one step.
const BYTES_PER_STEP: usize = 256;

/// The maximum number of steps to check a value. `None` if there are too many, or they nest too deep.
pub(super) fn count(schema: &Value, value: &Value) -> Option<usize> {
    let mut steps = Steps { root: schema, open: Vec::new(), left: MAX_STEPS };
    steps.add(schema, value, 0)?;
    while let Some((schema, value, depth)) = steps.open.pop() {
        if let Value::Object(fields) = schema {
            steps.keywords(fields, value, depth)?;
        }
    }
    Some(MAX_STEPS - steps.left)
}

struct Steps<'a> {
    root: &'a Value,
    /// Parts of the schema still to count, the values they are checked against, and their depth.
    open: Vec<(&'a Value, &'a Value, usize)>,
    left: usize,
}

/// Stands for a field name, because steps refer to values. `propertyNames` counts the bytes of the name
/// itself.
static NAME: Value = Value::Null;

impl<'a> Steps<'a> {
    fn take(&mut self, steps: usize) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }

    fn add(&mut self, schema: &'a Value, value: &'a Value, depth: usize) -> Option<()> {
        self.take(1)?;
        self.open.push((schema, value, depth));
        (depth <= MAX_STEP_DEPTH).then_some(())
    }

    fn keywords(&mut self, fields: &'a Map<String, Value>, value: &'a Value, depth: usize) -> Option<()> {
        self.take(fields.len() / VALUES_PER_STEP)?;
        for (keyword, setting) in fields {
            self.in_place(keyword, setting, value, depth + 1)?;
            match value {
                Value::Object(inner) => self.of_object(keyword, setting, inner, depth + 1)?,
                Value::Array(items) => self.of_list(keyword, setting, items, depth + 1)?,
                _ => {}
            }
            self.own(keyword, setting, value)?;
        }
        Some(())
    }

    /// Counts keywords that check the same value against other schemas.
    fn in_place(&mut self, keyword: &str, setting: &'a Value, value: &'a Value, depth: usize) -> Option<()> {
        match (keyword, setting) {
            ("$ref", Value::String(reference)) => {
                let schema = target(self.root, reference)?;
                self.add(schema, value, depth)
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => {
                all.iter().try_for_each(|schema| self.add(schema, value, depth))
            }
            ("not" | "if" | "then" | "else", schema) => self.add(schema, value, depth),
            ("dependentSchemas" | "dependencies", Value::Object(all)) => {
                all.values().try_for_each(|schema| self.add(schema, value, depth))
            }
            _ => Some(()),
        }
    }

    /// Counts keywords that check the fields of an object.
    fn of_object(
        &mut self,
        keyword: &str,
        setting: &'a Value,
        inner: &'a Map<String, Value>,
        depth: usize,
    ) -> Option<()> {
        match (keyword, setting) {
            ("properties", Value::Object(all)) => {
                self.take(all.len().min(inner.len()) / VALUES_PER_STEP)?;
                let (few, many) = if all.len() < inner.len() { (all, inner) } else { (inner, all) };
                few.keys()
                    .filter(|name| many.contains_key(*name))
                    .try_for_each(|name| self.add(all.get(name)?, inner.get(name)?, depth))
            }
            ("patternProperties", Value::Object(all)) => {
                let bytes: usize = inner.keys().map(|name| VALUES_PER_STEP + name.len()).sum();
                self.take(all.len().saturating_mul(bytes) / VALUES_PER_STEP)?;
                all.values().try_for_each(|schema| {
                    inner.values().try_for_each(|value| self.add(schema, value, depth))
                })
            }
            ("additionalProperties", schema) => {
                inner.values().try_for_each(|value| self.add(schema, value, depth))
            }
            ("propertyNames", schema) => inner.keys().try_for_each(|name| {
                self.take(name.len())?;
                self.add(schema, &NAME, depth)
            }),
            _ => Some(()),
        }
    }

    /// Counts keywords that check the items of a list.
    fn of_list(&mut self, keyword: &str, setting: &'a Value, items: &'a [Value], depth: usize) -> Option<()> {
        match (keyword, setting) {
            ("items" | "prefixItems", Value::Array(all)) => {
                all.iter().zip(items).try_for_each(|(schema, value)| self.add(schema, value, depth))
            }
            ("items" | "additionalItems" | "contains", schema) => {
                items.iter().try_for_each(|value| self.add(schema, value, depth))
            }
            _ => Some(()),
        }
    }

    /// Counts the work of a keyword itself.
    fn own(&mut self, keyword: &str, setting: &Value, value: &Value) -> Option<()> {
        match keyword {
            "enum" | "const" | "required" | "dependentRequired" | "dependencies" => {
                let max = self.left.saturating_add(1).saturating_mul(VALUES_PER_STEP);
                self.take(size(setting, max) / VALUES_PER_STEP)
            }
            "uniqueItems" => self.take(size(value, self.left)),
            "pattern" => self.take(value.as_str().map_or(0, str::len).saturating_mul(2)),
            "format" | "minLength" | "maxLength" | "contentEncoding" | "contentMediaType" => {
                self.take(value.as_str().map_or(0, str::len) / BYTES_PER_STEP)
            }
            _ => Some(()),
        }
    }
}

/// The number of values in a value, itself included. Stops counting after `max`.
fn size(value: &Value, max: usize) -> usize {
    let (mut open, mut count) = (vec![value], 0);
    while let Some(value) = open.pop().filter(|_| count <= max) {
        count += 1;
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    count
}
