//! What a run or an agent used.

use schemars::JsonSchema;
use sekisho_agent::model::Usage;
use sekisho_agent::spending::UsdAmount;
use serde::{Deserialize, Serialize};

/// Tokens and what they cost.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageView {
    /// Input, cached tokens included.
    pub input_tokens: u64,
    /// Output.
    pub output_tokens: u64,
    /// Input that was read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Input that was written to it.
    pub cache_write_tokens: u64,
    /// What it cost, in US dollars, such as `"0.0123"`. Absent if the model has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<String>,
}

impl UsageView {
    pub(crate) fn of(usage: Usage, cost: Option<UsdAmount>) -> UsageView {
        UsageView {
            input_tokens: usage.input,
            output_tokens: usage.output,
            cache_read_tokens: usage.cache_read,
            cache_write_tokens: usage.cache_write,
            cost_usd: cost.map(|cost| cost.to_string()),
        }
    }
}
