//! JSON with comments, in the order it is written and with its lines. JavaScript's reading: of two equal keys the later
//! value counts, at the place of the first.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{Document, Unread};

/// A value with the line it begins at.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) line: u32,
    pub(super) value: Tree,
}

#[derive(Clone, Debug)]
pub(super) enum Tree {
    Text(String),
    List(Vec<Node>),
    Fields(Vec<(String, Node)>),
    Other(String),
}

impl Node {
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        self.fields().iter().find(|(key, _)| key == name).map(|(_, node)| node)
    }

    pub(super) fn fields(&self) -> &[(String, Node)] {
        match &self.value {
            Tree::Fields(fields) => fields,
            _ => &[],
        }
    }

    pub(super) fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Tree::List(list) => Some(list),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Tree::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value as JSON, for people to read.
    pub(super) fn shown(&self) -> String {
        match &self.value {
            Tree::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
            Tree::Other(text) => text.clone(),
            Tree::List(list) => {
                let shown: Vec<String> = list.iter().map(Node::shown).collect();
                format!("[{}]", shown.join(", "))
            }
            Tree::Fields(fields) => {
                let shown: Vec<String> = fields
                    .iter()
                    .map(|(key, node)| format!("{}: {}", serde_json::Value::from(key.as_str()), node.shown()))
                    .collect();
                format!("{{ {} }}", shown.join(", "))
            }
        }
    }
}

/// Reads every document; one that is no object is at fault.
pub(super) fn read(documents: &[Document]) -> Result<Vec<Node>, Unread> {
    documents
        .iter()
        .enumerate()
        .map(|(document, Document { text, .. })| {
            let options = ParseOptions {
                allow_loose_object_property_names: false,
                allow_missing_commas: false,
                allow_single_quoted_strings: false,
                allow_extended_string_escapes: false,
                ..ParseOptions::default()
            };
            let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
            let parsed = parsed.map_err(|error| Unread {
                document,
                line: 0,
                message: error.to_string().to_lowercase(),
            })?;
            let root = parsed.value.as_ref().map(|value| node(text, value));
            root.filter(|root| matches!(root.value, Tree::Fields(_))).ok_or(Unread {
                document,
                line: 0,
                message: "it holds no JSON object".into(),
            })
        })
        .collect()
}

fn node(text: &str, value: &Value<'_>) -> Node {
    let range = value.range();
    let before = text.get(..range.start).unwrap_or("");
    let line = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX).saturating_add(1);
    let value = match value {
        Value::StringLit(literal) => Tree::Text(literal.value.to_string()),
        Value::Array(array) => Tree::List(array.elements.iter().map(|element| node(text, element)).collect()),
        Value::Object(object) => {
            let mut fields: Vec<(String, Node)> = Vec::new();
            for property in &object.properties {
                let (name, node) = (property.name.as_str(), node(text, &property.value));
                match fields.iter_mut().find(|(key, _)| key == name) {
                    Some((_, earlier)) => *earlier = node,
                    None => fields.push((name.to_owned(), node)),
                }
            }
            Tree::Fields(fields)
        }
        _ => Tree::Other(text.get(range.start..range.end).unwrap_or("").into()),
    };
    Node { line, value }
}
