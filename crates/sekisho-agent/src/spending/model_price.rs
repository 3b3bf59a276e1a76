//! What the tokens of a model cost.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::usd_amount::UsdAmount;
use crate::conversation::Provider;
use crate::model::Usage;

/// How many parts of an amount for a million tokens are one part of the amount for each.
const TOKENS: u64 = 1_000_000;
/// The highest price of a million tokens, in dollars.
const HIGHEST: u64 = 1_000_000;

/// The price of tokens of one kind. In JSON it is the price of a million tokens in dollars, with at most 6 digits behind
/// the point, so that the price of each token is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenPrice {
    per_token: UsdAmount,
}

impl TokenPrice {
    /// From the price of a million tokens.
    pub fn per_million(price: UsdAmount) -> Result<TokenPrice, String> {
        if !price.picos().is_multiple_of(TOKENS) {
            return Err(format!("the price `{price}` has more than 6 digits behind the point"));
        }
        let per_token = price.picos() / TOKENS;
        match per_token > HIGHEST * TOKENS {
            true => Err(format!("the price `{price}` is higher than {HIGHEST} dollars for a million tokens")),
            false => Ok(TokenPrice { per_token: UsdAmount::from_picos(per_token) }),
        }
    }

    fn of(self, tokens: u64) -> UsdAmount {
        UsdAmount::from_picos(self.per_token.picos().saturating_mul(tokens))
    }
}

impl Serialize for TokenPrice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.of(TOKENS).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TokenPrice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TokenPrice, D::Error> {
        TokenPrice::per_million(UsdAmount::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// What a model costs. None of the prices has a default: a missing one must not make a budget larger than it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPrice {
    /// Input that is neither read from the provider's cache nor written to it.
    pub input: TokenPrice,
    /// Output.
    pub output: TokenPrice,
    /// Input that is read from the cache.
    pub cache_read: TokenPrice,
    /// Input that is written to the cache.
    pub cache_write: TokenPrice,
}

impl ModelPrice {
    /// What replies have cost.
    pub fn cost(&self, usage: Usage) -> UsdAmount {
        let cached = usage.cache_read.saturating_add(usage.cache_write);
        let plain = self.input.of(usage.input.saturating_sub(cached));
        let cached = self.cache_read.of(usage.cache_read).plus(self.cache_write.of(usage.cache_write));
        plain.plus(cached).plus(self.output.of(usage.output))
    }

    /// The most that a request can cost, whatever the provider's cache does.
    pub fn highest_cost(&self, input: u64, output: u64) -> UsdAmount {
        let inputs = [self.input, self.cache_read, self.cache_write].map(|price| price.of(input));
        inputs.into_iter().max().unwrap_or_default().plus(self.output.of(output))
    }
}

/// The prices that an administrator has set, by provider and by the name of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelPrices {
    anthropic: BTreeMap<String, ModelPrice>,
    openai: BTreeMap<String, ModelPrice>,
    scripted: BTreeMap<String, ModelPrice>,
}

impl ModelPrices {
    /// The price of a model. None if none is set: there are no built-in prices, because providers change theirs.
    pub fn get(&self, provider: Provider, model: &str) -> Option<ModelPrice> {
        let of_provider = match provider {
            Provider::Anthropic => &self.anthropic,
            Provider::Openai => &self.openai,
            Provider::Scripted => &self.scripted,
        };
        of_provider.get(model).copied()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn price() -> ModelPrice {
        let prices = json!({ "input": 3, "output": "15", "cache_read": 0.3, "cache_write": 3.75 });
        serde_json::from_value(prices).unwrap()
    }

    #[test]
    fn cost_is_exact() {
        let check = |usage: Usage, expected: &str| assert_eq!(price().cost(usage).to_string(), expected);
        check(Usage::default(), "0");
        check(Usage { input: 1, ..Usage::default() }, "0.000003");
        check(Usage { output: 1, ..Usage::default() }, "0.000015");
        check(Usage { input: 10, cache_read: 10, ..Usage::default() }, "0.000003");
        check(
            Usage { input: 1_000_000, output: 2_000_000, cache_read: 400_000, cache_write: 100_000 },
            "31.995",
        );
        // A provider that reports more cached tokens than input tokens.
        check(Usage { input: 0, cache_read: 10, ..Usage::default() }, "0.000003");
        let huge = Usage { input: u64::MAX, output: u64::MAX, cache_read: 0, cache_write: 0 };
        assert_eq!(price().cost(huge), UsdAmount::from_picos(u64::MAX));
    }

    #[test]
    fn highest_cost_counts_the_dearest_input() {
        assert_eq!(price().highest_cost(1000, 100).to_string(), "0.00525");
    }

    #[test]
    fn every_price_must_be_given_exactly() {
        let check = |field: &str, value: Value, expected: &str| {
            let mut prices = json!(price());
            prices[field] = value;
            let error = serde_json::from_value::<ModelPrice>(prices).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("input", json!(0.000_000_1), "more than 6 digits");
        check("output", json!(1_000_001), "higher than 1000000 dollars");
        check("output", json!(-1), "is not an amount of dollars");
        check("cache", json!(1), "unknown field `cache`");
        let missing = json!({ "input": 3, "output": 15 });
        assert!(serde_json::from_value::<ModelPrice>(missing).is_err());
        assert_eq!(serde_json::from_value::<ModelPrice>(json!(price())).unwrap(), price());
    }

    #[test]
    fn prices_are_found_by_provider_and_model() {
        let prices: ModelPrices = serde_json::from_value(json!({ "openai": { "m": price() } })).unwrap();
        assert_eq!(prices.get(Provider::Openai, "m"), Some(price()));
        assert_eq!(prices.get(Provider::Anthropic, "m"), None);
        assert_eq!(prices.get(Provider::Openai, "M"), None);
        assert!(serde_json::from_value::<ModelPrices>(json!({ "opnai": {} })).is_err());
    }
}
