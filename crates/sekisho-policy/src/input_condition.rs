//! The condition `input` of a rule. An allow covers exactly this input, and without a server in the rule only
//! calls without one. A deny or confirm covers every input that has these fields, so that a further field or
//! another spelling of a number does not evade it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::Call;
use crate::exact_json;
use crate::match_result::MatchResult;

/// The input that a rule names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct InputCondition {
    /// Canonical JSON (RFC 8785).
    canonical: Box<str>,
    /// Whether the rule names the server of the tool.
    names_server: bool,
}

impl InputCondition {
    /// Reads the field of a rule.
    pub(crate) fn new(text: &str, names_server: bool) -> Result<InputCondition, String> {
        let input = exact_json::read(text)?;
        if !input.is_object() {
            return Err("an input is a JSON object".into());
        }
        let canonical = canonical(&input).ok_or("its numbers have no exact form")?;
        Ok(InputCondition { canonical: canonical.into(), names_server })
    }

    /// Whether both name the same input.
    pub(crate) fn is_same_input(&self, other: &InputCondition) -> bool {
        self.canonical == other.canonical
    }

    /// Whether the call has the input: as a whole, or with further fields if `wide`. `input` is the canonical
    /// form of the call's input, if it has one.
    pub(crate) fn fit(&self, call: &Call, input: Option<&str>, wide: bool) -> MatchResult {
        if wide {
            let named = serde_json::from_str(&self.canonical);
            return named
                .map_or(MatchResult::Unknown, |named: Value| MatchResult::of(contains(&call.input, &named)));
        }
        let is_covered = self.names_server || call.server.is_none();
        MatchResult::of(is_covered && input == Some(&*self.canonical))
    }
}

/// The canonical form of an input. None if it has a number without one.
pub(crate) fn canonical(input: &Value) -> Option<String> {
    serde_jcs::to_string(input).ok()
}

/// Whether a value has everything that another has.
fn contains(value: &Value, named: &Value) -> bool {
    match (value, named) {
        (Value::Object(fields), Value::Object(named)) => {
            named.iter().all(|(name, named)| fields.get(name).is_some_and(|value| contains(value, named)))
        }
        (Value::Array(values), Value::Array(named)) => {
            values.len() == named.len()
                && values.iter().zip(named).all(|(value, named)| contains(value, named))
        }
        (Value::Number(number), Value::Number(named)) => number == named || number.as_f64() == named.as_f64(),
        _ => value == named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fit(rule: &str, call: &Call, wide: bool) -> MatchResult {
        let condition = InputCondition::new(rule, false).unwrap();
        condition.fit(call, canonical(&call.input).as_deref(), wide)
    }

    #[test]
    fn order_and_spelling_do_not_matter() {
        let rule = r#"{ "to": "\u0065ve", "amount": 100 }"#;
        for amount in ["100", "100.0", "1e2", "1E+2"] {
            let input = exact_json::read(&format!(r#"{{"amount":{amount},"to":"eve"}}"#)).unwrap();
            let call = Call::new("pay", input);
            assert_eq!(fit(rule, &call, false), MatchResult::Yes, "{amount}");
            assert_eq!(fit(rule, &call, true), MatchResult::Yes, "{amount}");
        }
        for other in [json!({ "amount": 100.5, "to": "eve" }), json!({ "amount": "100", "to": "eve" })] {
            let call = Call::new("pay", other);
            assert_eq!(fit(rule, &call, false), MatchResult::No, "{}", call.input);
            assert_eq!(fit(rule, &call, true), MatchResult::No, "{}", call.input);
        }
    }

    #[test]
    fn further_fields_evade_an_allow_only() {
        let rule = r#"{"to":{"name":"eve"},"list":[1]}"#;
        let call = Call::new("pay", json!({ "to": { "name": "eve", "x": 0 }, "list": [1.0], "y": null }));
        assert_eq!(fit(rule, &call, false), MatchResult::No);
        assert_eq!(fit(rule, &call, true), MatchResult::Yes);
        let longer = Call::new("pay", json!({ "to": { "name": "eve" }, "list": [1, 2] }));
        assert_eq!(fit(rule, &longer, true), MatchResult::No);
    }

    #[test]
    fn allow_without_a_server_covers_no_server() {
        let (rule, call) = ("{\"a\":1}", Call::new("deploy", json!({ "a": 1 })));
        let elsewhere = call.clone().on_server("evil");
        assert_eq!(fit(rule, &call, false), MatchResult::Yes);
        assert_eq!(fit(rule, &elsewhere, false), MatchResult::No);
        assert_eq!(fit(rule, &elsewhere, true), MatchResult::Yes);
        let named = InputCondition::new(rule, true).unwrap();
        assert_eq!(named.fit(&elsewhere, Some(rule), false), MatchResult::Yes);
    }

    #[test]
    fn input_that_could_be_read_differently_is_refused() {
        for text in ["{\"a\":1,\"a\":2}", "{\"a\":9007199254740993}", "[1]", "\"x\"", "null", "{", ""] {
            assert!(InputCondition::new(text, false).is_err(), "{text}");
        }
    }
}
