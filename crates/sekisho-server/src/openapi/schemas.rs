//! The schemas of all request and response types.
//!
//! A type can differ between the two directions: a field with a default may be omitted in a request, but is
//! always present in a response. So both are generated, and where they differ the request type is called
//! `…Input`.

use std::collections::BTreeSet;

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::route::SchemaFn;

const TAKES: &str = "#/takes/";
const GIVES: &str = "#/gives/";
const HOME: &str = "#/components/schemas/";

/// Generates schemas and collects the definitions they refer to.
pub(super) struct Schemas {
    takes: SchemaGenerator,
    gives: SchemaGenerator,
}

/// A query parameter.
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) about: Option<String>,
    pub(super) required: bool,
    pub(super) schema: Value,
}

impl Schemas {
    pub(super) fn new() -> Schemas {
        let under = |path: &str| {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = path.to_owned().into();
                settings.meta_schema = None;
            })
        };
        Schemas {
            takes: under("/takes").for_deserialize().into_generator(),
            gives: under("/gives").for_serialize().into_generator(),
        }
    }

    /// The schema of a request type.
    pub(super) fn request_schema(&mut self, describe: SchemaFn) -> Value {
        describe(&mut self.takes).to_value()
    }

    /// The schema of a response type.
    pub(super) fn response_schema(&mut self, describe: SchemaFn) -> Value {
        let mut schema = describe(&mut self.gives).to_value();
        mark_omitted_fields(&mut schema);
        schema
    }

    /// The parameters of a query type, one for each field.
    pub(super) fn parameters(&mut self, describe: SchemaFn) -> Vec<Parameter> {
        let schema = self.request_schema(describe);
        let schema = match reference(&schema).and_then(|name| name.strip_prefix(TAKES)) {
            Some(name) => self.takes.definitions().get(name).cloned().unwrap_or_default(),
            None => schema,
        };
        let required = names(schema.get("required"));
        let fields = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let parameter = |(name, mut schema): (String, Value)| {
            // A query has no null: absent parameters are left out.
            without_null(&mut schema);
            let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            Parameter {
                required: required.contains(&name),
                about: about.and_then(|about| about.as_str().map(str::to_owned)),
                name,
                schema,
            }
        };
        fields.into_iter().map(parameter).collect()
    }

    /// Puts all schemas that the document refers to into its components. Schemas in `also` are kept even
    /// though the document does not refer to them.
    pub(super) fn put_into(mut self, document: &mut Value, also: Vec<Value>) {
        let takes = self.takes.take_definitions(true);
        let mut gives = self.gives.take_definitions(true);
        gives.values_mut().for_each(mark_omitted_fields);
        let apart = differing(&takes, &gives);
        let mut all: Map<String, Value> = gives;
        for (name, schema) in takes {
            match apart.contains(&name) {
                true => all.insert(format!("{name}Input"), schema),
                false => all.insert(name, schema),
            };
        }
        let home = |reference: &str| {
            let taken = reference.strip_prefix(TAKES);
            let name = taken.or_else(|| reference.strip_prefix(GIVES))?;
            let suffix = if taken.is_some() && apart.contains(name) { "Input" } else { "" };
            Some(format!("{HOME}{name}{suffix}"))
        };
        all.values_mut().for_each(|schema| redirect(schema, &home));
        redirect(document, &home);
        let mut roots = Value::Array(also);
        redirect(&mut roots, &home);
        let used = reached(&[document, &roots], &all);
        all.retain(|name, _| used.contains(name));
        if let Some(components) = document.get_mut("components").and_then(Value::as_object_mut) {
            components.insert("schemas".into(), Value::Object(all));
        }
    }
}

/// The target of a schema that is only a reference.
fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)
}

fn names(list: Option<&Value>) -> BTreeSet<String> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The names whose request and response schemas differ, in themselves or through what they refer to.
fn differing(takes: &Map<String, Value>, gives: &Map<String, Value>) -> BTreeSet<String> {
    let neutral = |reference: &str| {
        let name = reference.strip_prefix(TAKES).or_else(|| reference.strip_prefix(GIVES))?;
        Some(format!("{HOME}{name}"))
    };
    let leveled = |schema: &Value| {
        let mut schema = schema.clone();
        redirect(&mut schema, &neutral);
        schema
    };
    let both =
        takes.iter().filter_map(|(name, taken)| Some((name, leveled(taken), leveled(gives.get(name)?))));
    let both: Vec<_> = both.collect();
    let unequal = both.iter().filter(|(_, taken, given)| taken != given);
    let mut apart: BTreeSet<String> = unequal.map(|(name, ..)| (*name).clone()).collect();
    loop {
        let more = both.iter().filter(|(name, taken, _)| {
            !apart.contains(*name) && references(taken).iter().any(|other| apart.contains(other))
        });
        let more: Vec<String> = more.map(|(name, ..)| (*name).clone()).collect();
        if more.is_empty() {
            return apart;
        }
        apart.extend(more);
    }
}

/// The names of the components a value refers to.
fn references(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    visit(value, &mut |map| {
        let name = map.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix(HOME));
        found.extend(name.map(str::to_owned));
    });
    found
}

/// Every component that the roots need, directly or through others.
fn reached(roots: &[&Value], all: &Map<String, Value>) -> BTreeSet<String> {
    let mut open: Vec<String> = roots.iter().flat_map(|root| references(root)).collect();
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if let Some(schema) = all.get(&name)
            && seen.insert(name)
        {
            open.extend(references(schema));
        }
    }
    seen
}

fn visit(value: &Value, look: &mut impl FnMut(&Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            look(map);
            map.values().for_each(|value| visit(value, look));
        }
        Value::Array(values) => values.iter().for_each(|value| visit(value, look)),
        _ => {}
    }
}

fn visit_mut(value: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            change(map);
            map.values_mut().for_each(|value| visit_mut(value, change));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| visit_mut(value, change)),
        _ => {}
    }
}

fn redirect(value: &mut Value, home: &impl Fn(&str) -> Option<String>) {
    visit_mut(value, &mut |map| {
        if let Some(Value::String(reference)) = map.get_mut("$ref")
            && let Some(place) = home(reference)
        {
            *reference = place;
        }
    });
}

/// Removes null from optional response fields: a field without a value is left out.
fn mark_omitted_fields(schema: &mut Value) {
    visit_mut(schema, &mut |map| {
        let required = names(map.get("required"));
        let Some(fields) = map.get_mut("properties").and_then(Value::as_object_mut) else { return };
        for (name, field) in fields {
            if !required.contains(name) {
                without_null(field);
            }
        }
    });
}

/// Removes null from the types a schema accepts.
fn without_null(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else { return };
    if map.get("default").is_some_and(Value::is_null) {
        map.remove("default");
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(choices)) = map.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            map.remove("anyOf");
            only.into_iter().for_each(|(key, value)| {
                map.entry(key).or_insert(value);
            });
        }
    }
}
