//! Schemas as HTML: the type of a value in a few words, the fields of an object as a table.

use serde_json::{Map, Value};

use super::html_escape::{escaped, prose, table};

const HOME: &str = "#/components/schemas/";

/// The schemas of a document, by name.
pub(super) struct SchemaIndex<'a>(pub(super) &'a Map<String, Value>);

impl<'a> SchemaIndex<'a> {
    /// A schema, or the schema it refers to.
    pub(super) fn resolved(&self, schema: &'a Value) -> &'a Value {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix(HOME));
        name.and_then(|name| self.0.get(name)).unwrap_or(schema)
    }

    /// The fields of a schema, with a table for each form it can have.
    pub(super) fn fields(&self, schema: &'a Value) -> String {
        let schema = self.resolved(schema);
        let own = own_fields(schema);
        let forms: String = choices(schema).map(|form| self.form(form)).collect();
        if own.is_empty() && forms.is_empty() {
            return format!("<p class=\"kind\">{}</p>\n", kind(schema));
        }
        own + &forms
    }

    fn form(&self, form: &'a Value) -> String {
        let about =
            form.get("description").and_then(Value::as_str).map(|about| format!(": {}", prose(about)));
        let fields = own_fields(form);
        let head = match fields.is_empty() {
            true => kind(form),
            false => "object".to_owned(),
        };
        format!("<p class=\"form\">Either {head}{}</p>\n{fields}", about.unwrap_or_default())
    }
}

fn choices(schema: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(key).and_then(Value::as_array));
    lists.flatten()
}

fn own_fields(schema: &Value) -> String {
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else { return String::new() };
    let required: Vec<&str> = match schema.get("required").and_then(Value::as_array) {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => Vec::new(),
    };
    let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
    // Required fields come first.
    fields.sort_by_key(|(name, _)| (!required.contains(&name.as_str()), (*name).clone()));
    let rows: Vec<Vec<String>> = fields
        .into_iter()
        .map(|(name, field)| {
            let must = if required.contains(&name.as_str()) { " <b class=\"must\">required</b>" } else { "" };
            let about = field.get("description").and_then(Value::as_str).unwrap_or_default();
            vec![
                format!("<code>{}</code>{must}", escaped(name)),
                format!("<span class=\"kind\">{}</span>", kind(field)),
                prose(about),
            ]
        })
        .collect();
    table(&["Field", "Type", ""], &rows)
}

/// The type of a value in a few words, with a link if the type has a name.
pub(super) fn kind(schema: &Value) -> String {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix(HOME)) {
        let name = escaped(name);
        return format!("<a href=\"#schema-{name}\">{name}</a>");
    }
    if let Some(only) = schema.get("const") {
        return format!("<code>{}</code>", escaped(&only.to_string()));
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values = values.iter().map(|value| format!("<code>{}</code>", escaped(&value.to_string())));
        return values.collect::<Vec<_>>().join(" or ");
    }
    let forms: Vec<String> = choices(schema).map(kind).collect();
    if !forms.is_empty() {
        return forms.join(" or ");
    }
    let of = |key: &str| schema.get(key).filter(|of| of.is_object());
    let simple = |name: &str| match name {
        "array" => of("items").map_or_else(|| "list".to_owned(), |items| format!("list of {}", kind(items))),
        "object" => match of("additionalProperties") {
            Some(values) => format!("object of {}", kind(values)),
            None => "object".to_owned(),
        },
        other => other.to_owned(),
    };
    let named = match schema.get("type") {
        Some(Value::String(name)) => simple(name),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(simple).collect::<Vec<_>>().join(" or ")
        }
        _ => "anything".to_owned(),
    };
    named + &bounds(schema)
}

fn bounds(schema: &Value) -> String {
    let number = |key: &str| schema.get(key).filter(|value| value.is_number()).map(Value::to_string);
    let range = |least: Option<String>, most: Option<String>, unit: &str| match (least, most) {
        (Some(least), Some(most)) => format!(", {least} to {most}{unit}"),
        (None, Some(most)) => format!(", at most {most}{unit}"),
        (Some(least), None) if least != "0" => format!(", at least {least}{unit}"),
        _ => String::new(),
    };
    let format = schema.get("format").and_then(Value::as_str);
    let format = format.filter(|format| ["date-time", "uuid"].contains(format));
    let format = format.map(|format| format!(", {}", escaped(format))).unwrap_or_default();
    format
        + &range(number("minimum"), number("maximum"), "")
        + &range(number("minLength"), number("maxLength"), " characters")
}
