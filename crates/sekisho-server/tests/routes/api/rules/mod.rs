//! `/api/rules`.

mod change;
mod list;
mod suggestions;
mod test;

use serde_json::Value;

/// The rule of a list that names a tool.
pub(crate) fn named<'a>(list: &'a Value, tool: &str) -> &'a Value {
    let mut rules = list["rules"].as_array().unwrap().iter();
    rules.find(|rule| rule["toolName"] == tool).unwrap_or_else(|| panic!("no rule about {tool}: {list}"))
}
