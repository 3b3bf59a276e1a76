//! The event of a record, with secrets masked.

use std::borrow::Cow;

use serde_json::Value;

use super::chain_row::ChainRow;
use crate::record::{EventPayload, Record};

/// The event of a record. The event of a component carries the body as stored in the row: masked, and without the input of
/// a call, which is purged from the rows of calls and executions only.
pub fn masked_event<'a>(record: &'a Record, row: &ChainRow) -> Option<Cow<'a, EventPayload>> {
    match record.event.as_ref()? {
        EventPayload::Part { kind, credential, .. } => {
            let body: Value = serde_json::from_str(&row.body).unwrap_or_default();
            let mut data = match (&record.entry.by, body) {
                (Some(_), Value::Object(mut fields)) => fields.remove("about").unwrap_or_default(),
                (_, body) => body,
            };
            if let Value::Object(fields) = &mut data {
                fields.remove("input");
            }
            Some(Cow::Owned(EventPayload::Part { kind: kind.clone(), data, credential: credential.clone() }))
        }
        change => Some(Cow::Borrowed(change)),
    }
}
