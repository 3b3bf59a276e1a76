//! Request bodies about rules.

use std::borrow::Cow;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use sekisho_gate::rulebook::RuleDraft;
use sekisho_policy::{Effect, strict_deserializer};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::fields::RuleFields;
use crate::error::ApiError;
use crate::wire::call::Decide;

/// A rule to store: its effect, and its fields either next to it or in `rule`.
#[derive(Clone, Debug)]
pub struct RuleBody {
    effect: Option<Effect>,
    auto_approve: Option<bool>,
    fields: RuleFields,
}

/// The schema of [`RuleBody`]. It is parsed by hand, because a flattened struct cannot reject unknown fields.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RuleBody")]
struct RuleRequestSchema {
    /// The effect. Either this or `autoApprove` is required.
    #[serde(default)]
    effect: Option<Effect>,
    /// `true`: allow; `false`: confirm, or deny if `effect` says so.
    #[serde(default)]
    auto_approve: Option<bool>,
    /// The fields of the rule, unless they are next to `effect`.
    #[serde(default)]
    rule: Option<RuleFields>,
}

impl<'de> Deserialize<'de> for RuleBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RuleBody, D::Error> {
        let mut other_fields = Map::deserialize(deserializer)?;
        let mut own = Map::new();
        for name in ["effect", "autoApprove", "rule"] {
            own.extend(other_fields.remove(name).map(|value| (name.to_owned(), value)));
        }
        other_fields.retain(|_, value| !value.is_null());
        let described =
            strict_deserializer::read::<RuleRequestSchema>(Value::Object(own)).map_err(D::Error::custom)?;
        if let (Some(_), Some(name)) = (&described.rule, other_fields.keys().next()) {
            let message = format!("`{name}` is next to `rule`; put all fields of the rule in one place");
            return Err(D::Error::custom(message));
        }
        let fields = match described.rule {
            Some(fields) => fields,
            None => strict_deserializer::read(Value::Object(other_fields)).map_err(D::Error::custom)?,
        };
        Ok(RuleBody { effect: described.effect, auto_approve: described.auto_approve, fields })
    }
}

impl JsonSchema for RuleBody {
    fn schema_name() -> Cow<'static, str> {
        "RuleBody".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut whole = RuleRequestSchema::json_schema(generator);
        let fields = RuleFields::json_schema(generator);
        let field_properties =
            fields.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        if let Some(properties) = whole.get_mut("properties").and_then(Value::as_object_mut) {
            properties.extend(field_properties);
        }
        whole
    }
}

impl RuleBody {
    /// Checks the rule and builds a draft.
    pub(crate) fn draft(self) -> Result<RuleDraft, ApiError> {
        let effect = effect(self.effect, self.auto_approve)?;
        Ok(RuleDraft { effect, rule: self.fields.rule(effect)? })
    }
}

/// How many rules can be tested together.
pub(crate) const MAX_RULES_PER_TEST: usize = 16;

/// Rules to test on past calls: one, or several that belong together.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RuleTrial")]
pub struct RuleTestRequest {
    /// The effect. Either this or `autoApprove` is required.
    #[serde(default)]
    pub effect: Option<Effect>,
    /// `true`: allow; `false`: confirm, or deny if `effect` says so.
    #[serde(default)]
    pub auto_approve: Option<bool>,
    /// The rule. Either this or `rules` is required.
    #[serde(default)]
    pub rule: Option<RuleFields>,
    /// Rules that would be stored together, such as a proposal for a compound command.
    #[serde(default)]
    #[schemars(length(min = 1, max = 16))]
    pub rules: Option<Vec<RuleFields>>,
    /// The stored rule that `rule` would replace.
    #[serde(default)]
    pub replaces: Option<Uuid>,
    /// How many calls to test, newest first; default 500.
    #[serde(default)]
    #[schemars(range(min = 1, max = 5000))]
    pub limit: Option<usize>,
    /// Ignore calls before this time.
    #[serde(default)]
    pub since: Option<Timestamp>,
    /// A call to judge with the rules, besides the past calls.
    #[serde(default)]
    pub call: Option<Decide>,
}

impl RuleTestRequest {
    /// Checks the rules and builds drafts.
    pub(crate) fn drafts(&self) -> Result<Vec<RuleDraft>, ApiError> {
        let effect = effect(self.effect, self.auto_approve)?;
        let rules = match (&self.rule, &self.rules) {
            (Some(rule), None) => std::slice::from_ref(rule),
            (None, Some(_)) if self.replaces.is_some() => {
                return Err(ApiError::invalid("`replaces` goes with `rule`, not with `rules`"));
            }
            (None, Some(rules)) if (1..=MAX_RULES_PER_TEST).contains(&rules.len()) => rules,
            (None, Some(rules)) => {
                let message =
                    format!("`rules` has {} entries; it must have 1 to {MAX_RULES_PER_TEST}", rules.len());
                return Err(ApiError::invalid(message));
            }
            (Some(_), Some(_)) => {
                return Err(ApiError::invalid("`rule` and `rules` cannot be used together")
                    .with_hint("send one of them"));
            }
            (None, None) => {
                return Err(
                    ApiError::invalid("`rule` is missing").with_hint("send `rule`, or `rules` for several")
                );
            }
        };
        rules.iter().map(|rule| Ok(RuleDraft { effect, rule: rule.clone().rule(effect)? })).collect()
    }
}

/// The effect of a rule, by either name. A deny is `autoApprove: false` as well.
fn effect(effect: Option<Effect>, auto_approve: Option<bool>) -> Result<Effect, ApiError> {
    match (effect, auto_approve) {
        (Some(effect), None) => Ok(effect),
        (None, Some(true)) => Ok(Effect::Allow),
        (None, Some(false)) => Ok(Effect::Confirm),
        (Some(effect), Some(approves)) if (effect == Effect::Allow) == approves => Ok(effect),
        (Some(effect), Some(approves)) => {
            let message = format!("`effect` is {effect} and `autoApprove` is {approves}: they do not agree");
            Err(ApiError::invalid(message).with_hint("send one of them"))
        }
        (None, None) => Err(ApiError::invalid("`effect` is missing")
            .with_hint("send `effect` (`allow`, `confirm` or `deny`), or `autoApprove`")),
    }
}
