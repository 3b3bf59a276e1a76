//! The document as an HTML page: no script, one stylesheet, all text escaped.

mod html_escape;
mod schema_tables;

use serde_json::{Map, Value};

use super::error_codes::CODES;
use html_escape::{escaped, paragraphs, prose, table};
use schema_tables::{SchemaIndex, kind};

/// The stylesheet of the page.
pub(crate) const STYLE: &str = include_str!("docs.css");

/// The page for a document.
pub(crate) fn page(document: &Value) -> String {
    let nothing = Map::new();
    let schemas = document.pointer("/components/schemas").and_then(Value::as_object).unwrap_or(&nothing);
    let book = SchemaIndex(schemas);
    let title = escaped(text(document.pointer("/info/title")));
    let version = escaped(text(document.pointer("/info/version")));
    let about = paragraphs(text(document.pointer("/info/description")));
    let tags: Vec<&str> = list(document.get("tags")).map(|tag| text(tag.get("name"))).collect();
    let links: String = tags.iter().map(|tag| link(&format!("tag-{tag}"), tag)).collect();
    let sections: String = tags.iter().map(|tag| section(document, &book, tag)).collect();
    let schemas: String = schemas.iter().map(|(name, schema)| component(&book, name, schema)).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} API</title>\n\
         <link rel=\"stylesheet\" href=\"/api/docs.css\">\n</head>\n<body>\n\
         <header><h1>{title} API <small>{version}</small></h1>\n{about}\
         <p>For programs: <a href=\"/api/openapi.json\">openapi.json</a>.</p></header>\n\
         <nav aria-label=\"Resources\"><ul>{links}{}{}</ul></nav>\n<main>\n{sections}\
         <section id=\"errors\"><h2>Errors</h2>\n{}</section>\n\
         <section id=\"schemas\"><h2>Schemas</h2>\n{schemas}</section>\n</main>\n</body>\n</html>\n",
        link("errors", "errors"),
        link("schemas", "schemas"),
        errors(),
    )
}

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn entries(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

fn link(anchor: &str, name: &str) -> String {
    format!("<li><a href=\"#{}\">{}</a></li>", escaped(anchor), escaped(name))
}

/// All operations of one resource.
fn section<'a>(document: &'a Value, book: &SchemaIndex<'a>, tag: &str) -> String {
    let mut operations = String::new();
    for (path, methods) in entries(document.get("paths")) {
        for (method, operation) in entries(Some(methods)) {
            if list(operation.get("tags")).any(|of| of == tag) {
                operations += &article(document, book, (method, path), operation);
            }
        }
    }
    let tag = escaped(tag);
    format!("<section id=\"tag-{tag}\"><h2>{tag}</h2>\n{operations}</section>\n")
}

fn article<'a>(
    document: &'a Value,
    book: &SchemaIndex<'a>,
    (method, path): (&str, &str),
    operation: &'a Value,
) -> String {
    let roles: String = list(operation.get("x-roles"))
        .map(|role| format!("<li>{}</li>", escaped(text(Some(role)))))
        .collect();
    let name = escaped(text(operation.get("operationId")));
    let body = operation.pointer("/requestBody/content/application~1json/schema");
    let body = body.map(|body| format!("<h4>Body: {}</h4>\n{}", kind(body), book.fields(body)));
    format!(
        "<article id=\"{name}\">\n<h3><b class=\"method\">{}</b> <code>{}</code></h3>\n\
         <p class=\"summary\">{}</p>\n<ul class=\"roles\" aria-label=\"Roles\">{roles}</ul>\n{}{}{}\
         <h4>Responses</h4>\n{}<h4>Example</h4>\n<pre><code>{}</code></pre>\n</article>\n",
        escaped(&method.to_ascii_uppercase()),
        escaped(path),
        prose(text(operation.get("summary"))),
        paragraphs(text(operation.get("description"))),
        parameters(operation),
        body.unwrap_or_default(),
        response_table(document, operation),
        escaped(&curl(method, path, operation)),
    )
}

fn parameters(operation: &Value) -> String {
    let row = |parameter: &Value| {
        let must = match parameter.get("required").and_then(Value::as_bool) {
            Some(true) => " <b class=\"must\">required</b>",
            _ => "",
        };
        let schema = parameter.get("schema").cloned().unwrap_or_default();
        vec![
            format!("<code>{}</code>{must}", escaped(text(parameter.get("name")))),
            escaped(text(parameter.get("in"))),
            format!("<span class=\"kind\">{}</span>", kind(&schema)),
            prose(text(parameter.get("description"))),
        ]
    };
    let rows: Vec<Vec<String>> = list(operation.get("parameters")).map(row).collect();
    match rows.is_empty() {
        true => String::new(),
        false => format!("<h4>Parameters</h4>\n{}", table(&["Name", "In", "Type", ""], &rows)),
    }
}

fn response_table(document: &Value, operation: &Value) -> String {
    let row = |(status, response): (&String, &Value)| {
        let shared = response.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
        let response = shared.and_then(|path| document.pointer(path)).unwrap_or(response);
        let content: Vec<String> = entries(response.get("content"))
            .map(|(media, content)| {
                let schema = content.get("schema").cloned().unwrap_or_default();
                format!("{} <small>{}</small>", kind(&schema), escaped(media))
            })
            .collect();
        vec![
            format!("<code>{}</code>", escaped(status)),
            format!("<span class=\"kind\">{}</span>", content.join(" or ")),
            prose(text(response.get("description"))),
        ]
    };
    let rows: Vec<Vec<String>> = entries(operation.get("responses")).map(row).collect();
    table(&["Status", "Body", ""], &rows)
}

/// The curl command. `$SEKISHO` is the server's address.
fn curl(method: &str, path: &str, operation: &Value) -> String {
    let mut call = "curl".to_owned();
    if method != "get" {
        call += &format!(" -X {}", method.to_ascii_uppercase());
    }
    if list(operation.get("x-roles")).next().is_some() {
        call += " -H \"Authorization: Bearer $SEKISHO_TOKEN\"";
    }
    // A path variable becomes a shell variable: `{id}` becomes `$id`.
    let path = path.replace('{', "$").replace('}', "");
    let content = operation.pointer("/requestBody/content/application~1json");
    let body = content.map(|content| content.get("example").map(Value::to_string).unwrap_or("{…}".into()));
    if let Some(body) = body {
        let quoted = body.replace('\'', "'\\''");
        call += &format!(" \\\n  -H \"Content-Type: application/json\" \\\n  -d '{quoted}'");
    }
    format!("{call} \\\n  \"$SEKISHO{path}\"")
}

fn errors() -> String {
    let row = |(status, code, meaning): &(u16, &str, &str)| {
        vec![status.to_string(), format!("<code>{}</code>", escaped(code)), prose(meaning)]
    };
    table(&["Status", "Code", "Meaning"], &CODES.iter().map(row).collect::<Vec<_>>())
}

fn component<'a>(book: &SchemaIndex<'a>, name: &str, schema: &'a Value) -> String {
    let name = escaped(name);
    let about = paragraphs(text(schema.get("description")));
    format!(
        "<details id=\"schema-{name}\"><summary><code>{name}</code></summary>\n{about}{}</details>\n",
        book.fields(schema)
    )
}
