//! Rules as they are sent to us.

use std::borrow::Cow;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use sekisho_gate::rulebook::RuleDraft;
use sekisho_policy::{Effect, typed_json};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::fields::RuleFields;
use crate::error::ApiError;
use crate::wire::call::Decide;

/// A rule to keep: its effect, and its fields either beside it or in `rule`.
#[derive(Clone, Debug)]
pub struct RuleBody {
    effect: Option<Effect>,
    auto_approve: Option<bool>,
    fields: RuleFields,
}

/// The same for those who write the schema: a flattened struct cannot refuse what it does not know, so reading is by hand.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "RuleBody")]
struct RuleRequestSchema {
    /// What it does. This or `autoApprove` has to be there.
    #[serde(default)]
    effect: Option<Effect>,
    /// `true`: allow; `false`: confirm, or deny where `effect` says so.
    #[serde(default)]
    auto_approve: Option<bool>,
    /// The fields of the rule, where they do not stand beside it.
    #[serde(default)]
    rule: Option<RuleFields>,
}

impl<'de> Deserialize<'de> for RuleBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RuleBody, D::Error> {
        let mut beside = Map::deserialize(deserializer)?;
        let mut own = Map::new();
        for name in ["effect", "autoApprove", "rule"] {
            own.extend(beside.remove(name).map(|value| (name.to_owned(), value)));
        }
        beside.retain(|_, value| !value.is_null());
        let described =
            typed_json::read::<RuleRequestSchema>(Value::Object(own)).map_err(D::Error::custom)?;
        if let (Some(_), Some(name)) = (&described.rule, beside.keys().next()) {
            let fault = format!("`{name}` stands beside `rule`; put all fields of the rule in one place");
            return Err(D::Error::custom(fault));
        }
        let fields = match described.rule {
            Some(fields) => fields,
            None => typed_json::read(Value::Object(beside)).map_err(D::Error::custom)?,
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
        let beside = fields.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        if let Some(properties) = whole.get_mut("properties").and_then(Value::as_object_mut) {
            properties.extend(beside);
        }
        whole
    }
}

impl RuleBody {
    /// The rule, checked.
    pub(crate) fn draft(self) -> Result<RuleDraft, ApiError> {
        let effect = effect(self.effect, self.auto_approve)?;
        Ok(RuleDraft { effect, rule: self.fields.rule(effect)? })
    }
}

/// How many rules are tried together at most.
pub(crate) const MAX_RULES_PER_TEST: usize = 16;

/// Rules to try on the past: one, or several that are kept together.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleTestRequest {
    /// What they would do. This or `autoApprove` has to be there.
    #[serde(default)]
    pub effect: Option<Effect>,
    /// `true`: allow; `false`: confirm, or deny where `effect` says so.
    #[serde(default)]
    pub auto_approve: Option<bool>,
    /// The rule. Either this or `rules` has to be there.
    #[serde(default)]
    pub rule: Option<RuleFields>,
    /// Rules that would be kept together, as a proposal for a compound command has them.
    #[serde(default)]
    #[schemars(length(min = 1, max = 16))]
    pub rules: Option<Vec<RuleFields>>,
    /// The kept rule that `rule` would be put in the place of.
    #[serde(default)]
    pub replaces: Option<Uuid>,
    /// On how many calls to try, the newest; 500 unless told.
    #[serde(default)]
    #[schemars(range(min = 1, max = 5000))]
    pub limit: Option<usize>,
    /// On no call before this moment.
    #[serde(default)]
    pub since: Option<Timestamp>,
    /// A call to judge by the rules as they would be, beside those of the past.
    #[serde(default)]
    pub call: Option<Decide>,
}

impl RuleTestRequest {
    /// The rules, checked.
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
                    format!("`rules` has {}; it has to have 1 to {MAX_RULES_PER_TEST}", rules.len());
                return Err(ApiError::invalid(message));
            }
            (Some(_), Some(_)) => {
                return Err(
                    ApiError::invalid("`rule` and `rules` are both there").with_hint("send one of them")
                );
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

/// What a rule does, by either name. A deny is no auto-approval either.
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
