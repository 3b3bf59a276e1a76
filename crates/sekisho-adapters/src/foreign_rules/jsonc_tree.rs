//! JSON with comments, in source order and with line numbers. As in JavaScript, the later of two equal keys
//! wins, at the position of the first.

use sekisho_policy::jsonc::ast::{ObjectProp, Value};
use sekisho_policy::jsonc::{Dialect, Ranged};

use super::{ImportError, SourceDocument};

/// The top-level object of a document.
pub(super) struct JsoncDocument<'a> {
    text: &'a str,
    value: Value<'a>,
}

impl JsoncDocument<'_> {
    pub(super) fn root(&self) -> Node<'_> {
        Node { text: self.text, value: &self.value }
    }
}

/// A value with its position in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'a> {
    text: &'a str,
    value: &'a Value<'a>,
}

impl<'a> Node<'a> {
    fn at(self, value: &'a Value<'a>) -> Node<'a> {
        Node { value, ..self }
    }

    /// The line it begins at.
    pub(super) fn line(self) -> u32 {
        let before = self.text.get(..self.value.range().start).unwrap_or("");
        u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX).saturating_add(1)
    }

    fn properties(self) -> &'a [ObjectProp<'a>] {
        self.value.as_object().map_or(&[], |object| &object.properties)
    }

    pub(super) fn get(self, name: &str) -> Option<Node<'a>> {
        let property = self.properties().iter().rev().find(|property| property.name.as_str() == name);
        property.map(|property| self.at(&property.value))
    }

    pub(super) fn fields(self) -> Vec<(&'a str, Node<'a>)> {
        let mut fields: Vec<(&str, Node<'_>)> = Vec::new();
        for property in self.properties() {
            let (name, node) = (property.name.as_str(), self.at(&property.value));
            match fields.iter_mut().find(|(key, _)| *key == name) {
                Some((_, earlier)) => *earlier = node,
                None => fields.push((name, node)),
            }
        }
        fields
    }

    pub(super) fn list(self) -> Option<impl Iterator<Item = Node<'a>>> {
        self.value.as_array().map(|array| array.elements.iter().map(move |element| self.at(element)))
    }

    pub(super) fn text(self) -> Option<&'a str> {
        self.value.as_string_lit().map(|literal| &*literal.value)
    }

    pub(super) fn flag(self) -> Option<bool> {
        self.value.as_boolean_lit().map(|literal| literal.value)
    }

    pub(super) fn is_object(self) -> bool {
        self.value.as_object().is_some()
    }

    /// The value as JSON, for display.
    pub(super) fn shown(self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self.value {
            Value::StringLit(literal) => quoted(&literal.value),
            Value::Array(_) => {
                let shown: Vec<String> = self.list().into_iter().flatten().map(Node::shown).collect();
                format!("[{}]", shown.join(", "))
            }
            Value::Object(_) => {
                let fields = self.fields().into_iter();
                let shown: Vec<String> =
                    fields.map(|(key, node)| format!("{}: {}", quoted(key), node.shown())).collect();
                format!("{{ {} }}", shown.join(", "))
            }
            plain => self.text.get(plain.range().start..plain.range().end).unwrap_or("").into(),
        }
    }
}

/// Parses every document. A document that is not an object is an error.
pub(super) fn read(documents: &[SourceDocument]) -> Result<Vec<JsoncDocument<'_>>, ImportError> {
    let read = documents.iter().enumerate().map(|(document, SourceDocument { text, .. })| {
        let unread = |message: String| ImportError { document, line: 0, message };
        match Dialect::JSONC.parse(text) {
            Ok(Some(value @ Value::Object(_))) => Ok(JsoncDocument { text, value }),
            Ok(_) => Err(unread("it is not a JSON object".into())),
            Err(error) => Err(unread(error.to_string().to_lowercase())),
        }
    });
    read.collect()
}
