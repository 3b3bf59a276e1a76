//! How many steps a check takes at most, counted before it is made.
//!
//! A schema says how often its parts are looked at. Thirty definitions that each refer twice to the next look a thousand
//! million times at one text; a definition that refers to itself never ends. Counting goes every way that checking can go,
//! evaluates nothing, and ends at the bound.

use serde_json::{Map, Value};

use super::refs::target;

/// No check takes more steps.
pub const MOST_STEPS: usize = 200_000;

/// No step stands behind more others, one inside the other: a check calls itself for each.
const DEEPEST_STEP: usize = 192;

/// So many values of an `enum` or names of `required` are looked at in one step.
const AT_ONCE: usize = 16;
/// So many bytes of a text are counted or decoded in one step.
const BYTES_AT_ONCE: usize = 256;

/// The steps that checking a value takes at most; none where they are too many, or stand too deep.
pub(super) fn count(schema: &Value, value: &Value) -> Option<usize> {
    let mut steps = Steps { root: schema, open: Vec::new(), left: MOST_STEPS };
    steps.add(schema, value, 0)?;
    while let Some((schema, value, depth)) = steps.open.pop() {
        if let Value::Object(fields) = schema {
            steps.keywords(fields, value, depth)?;
        }
    }
    Some(MOST_STEPS - steps.left)
}

struct Steps<'a> {
    root: &'a Value,
    /// Parts of the schema, what they are held against, and how deep they stand.
    open: Vec<(&'a Value, &'a Value, usize)>,
    left: usize,
}

/// What the names of a value's fields are held against: of the value itself nothing more is looked at.
static NAME: Value = Value::Null;

impl<'a> Steps<'a> {
    fn take(&mut self, steps: usize) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }

    fn add(&mut self, schema: &'a Value, value: &'a Value, depth: usize) -> Option<()> {
        self.take(1)?;
        self.open.push((schema, value, depth));
        (depth <= DEEPEST_STEP).then_some(())
    }

    fn keywords(&mut self, fields: &'a Map<String, Value>, value: &'a Value, depth: usize) -> Option<()> {
        self.take(fields.len() / AT_ONCE)?;
        // To tell what was looked at, everything beside these is looked at once more.
        let again = fields.contains_key("unevaluatedProperties") || fields.contains_key("unevaluatedItems");
        for (keyword, given) in fields {
            for _ in 0..=usize::from(again) {
                self.in_place(keyword, given, value, depth + 1)?;
            }
            match value {
                Value::Object(inner) => self.of_object(keyword, given, inner, depth + 1)?,
                Value::Array(items) => self.of_list(keyword, given, items, depth + 1)?,
                _ => {}
            }
            self.own(keyword, given, value)?;
        }
        Some(())
    }

    /// Keywords that hold other schemas against the same value.
    fn in_place(&mut self, keyword: &str, given: &'a Value, value: &'a Value, depth: usize) -> Option<()> {
        match (keyword, given) {
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

    /// Keywords that hold schemas against the fields of an object.
    fn of_object(
        &mut self,
        keyword: &str,
        given: &'a Value,
        inner: &'a Map<String, Value>,
        depth: usize,
    ) -> Option<()> {
        match (keyword, given) {
            ("properties", Value::Object(all)) => {
                self.take(all.len().min(inner.len()) / AT_ONCE)?;
                let (few, many) = if all.len() < inner.len() { (all, inner) } else { (inner, all) };
                few.keys()
                    .filter(|name| many.contains_key(*name))
                    .try_for_each(|name| self.add(all.get(name)?, inner.get(name)?, depth))
            }
            ("patternProperties", Value::Object(all)) => {
                let bytes: usize = inner.keys().map(|name| AT_ONCE + name.len()).sum();
                self.take(all.len().saturating_mul(bytes) / AT_ONCE)?;
                all.values().try_for_each(|schema| {
                    inner.values().try_for_each(|value| self.add(schema, value, depth))
                })
            }
            ("additionalProperties" | "unevaluatedProperties", schema) => {
                inner.values().try_for_each(|value| self.add(schema, value, depth))
            }
            ("propertyNames", schema) => inner.keys().try_for_each(|name| {
                self.take(name.len())?;
                self.add(schema, &NAME, depth)
            }),
            _ => Some(()),
        }
    }

    /// Keywords that hold schemas against the items of a list.
    fn of_list(&mut self, keyword: &str, given: &'a Value, items: &'a [Value], depth: usize) -> Option<()> {
        match (keyword, given) {
            ("items" | "prefixItems", Value::Array(all)) => {
                all.iter().zip(items).try_for_each(|(schema, value)| self.add(schema, value, depth))
            }
            ("items" | "additionalItems" | "unevaluatedItems" | "contains", schema) => {
                items.iter().try_for_each(|value| self.add(schema, value, depth))
            }
            _ => Some(()),
        }
    }

    /// What a keyword looks at by itself.
    fn own(&mut self, keyword: &str, given: &Value, value: &Value) -> Option<()> {
        match keyword {
            "enum" | "const" | "required" | "dependentRequired" | "dependencies" => {
                let most = self.left.saturating_add(1).saturating_mul(AT_ONCE);
                self.take(size(given, most) / AT_ONCE)
            }
            "uniqueItems" => self.take(size(value, self.left)),
            "pattern" => self.take(value.as_str().map_or(0, str::len).saturating_mul(2)),
            "format" | "minLength" | "maxLength" | "contentEncoding" | "contentMediaType" => {
                self.take(value.as_str().map_or(0, str::len) / BYTES_AT_ONCE)
            }
            _ => Some(()),
        }
    }
}

/// How many values a value holds, itself included. Of more than `most` no more are counted.
fn size(value: &Value, most: usize) -> usize {
    let (mut open, mut count) = (vec![value], 0);
    while let Some(value) = open.pop().filter(|_| count <= most) {
        count += 1;
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    count
}
