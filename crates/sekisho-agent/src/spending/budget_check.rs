//! Whether the budgets of a run allow its next request.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::model_price::ModelPrice;
use super::usd_amount::UsdAmount;

/// The budget that ended a run. Stored with it, so its serde form must stay readable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "budget", rename_all = "snake_case")]
pub enum ExceededBudget {
    /// Not stored: earlier versions did not say which.
    #[default]
    Unknown,
    /// The time of the run is over.
    Time,
    /// The tokens of the next request.
    Tokens {
        /// What the request can use.
        needed: u64,
        /// What is left.
        left: u64,
    },
    /// The cost of the next request.
    Cost {
        /// What the request can cost.
        needed: UsdAmount,
        /// What is left.
        left: UsdAmount,
    },
    /// There is a budget of money, and the run has no price to count with.
    NoPrice,
}

impl fmt::Display for ExceededBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExceededBudget::Unknown => f.write_str("a budget of the run is used up"),
            ExceededBudget::Time => f.write_str("the time of the run is over"),
            ExceededBudget::Tokens { needed, left } => {
                write!(f, "the next reply can use {needed} tokens with its input, and {left} are left")
            }
            ExceededBudget::Cost { needed, left } => {
                write!(f, "the next reply can cost {needed} dollars with its input, and {left} are left")
            }
            ExceededBudget::NoPrice => {
                f.write_str("the run has a cost budget, and its model had no price when it was started")
            }
        }
    }
}

/// What is left of the budgets of a run before a request. None for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetCheck {
    /// Tokens.
    pub tokens: Option<u64>,
    /// Money.
    pub cost: Option<UsdAmount>,
    /// The price of the model.
    pub price: Option<ModelPrice>,
}

impl BudgetCheck {
    /// The budget that a request would exceed with this much input and the longest reply. The request must not be sent
    /// then.
    pub fn exceeded(&self, input: u64, reply: u32) -> Option<ExceededBudget> {
        let reply = u64::from(reply);
        if let Some(left) = self.tokens {
            let needed = input.saturating_add(reply);
            if needed > left {
                return Some(ExceededBudget::Tokens { needed, left });
            }
        }
        let left = self.cost?;
        let Some(price) = self.price else { return Some(ExceededBudget::NoPrice) };
        let needed = price.highest_cost(input, reply);
        (needed > left).then_some(ExceededBudget::Cost { needed, left })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn request_that_can_exceed_a_budget_is_found() {
        let price = json!({ "input": 1, "output": 10, "cache_read": 1, "cache_write": 2 });
        let price: Option<ModelPrice> = serde_json::from_value(price).unwrap();
        let usd = |text: &str| text.parse::<UsdAmount>().unwrap();
        let tokens = |tokens| BudgetCheck { tokens: Some(tokens), ..BudgetCheck::default() };
        let cost = |left| BudgetCheck { tokens: None, cost: Some(usd(left)), price };
        let check = |budgets: BudgetCheck, expected: Option<ExceededBudget>| {
            assert_eq!(budgets.exceeded(1000, 100), expected, "{budgets:?}");
        };
        check(BudgetCheck::default(), None);
        check(tokens(1100), None);
        check(tokens(1099), Some(ExceededBudget::Tokens { needed: 1100, left: 1099 }));
        check(cost("0.003"), None);
        let left = usd("0.002999999999");
        check(cost("0.002999999999"), Some(ExceededBudget::Cost { needed: usd("0.003"), left }));
        check(BudgetCheck { price: None, ..cost("1000") }, Some(ExceededBudget::NoPrice));
        check(
            BudgetCheck { tokens: Some(5), ..cost("0") },
            Some(ExceededBudget::Tokens { needed: 1100, left: 5 }),
        );
    }

    #[test]
    fn stored_form_stays_readable() {
        for (stored, expected) in [
            (json!({ "budget": "time" }), ExceededBudget::Time),
            (
                json!({ "budget": "tokens", "needed": 5, "left": 3 }),
                ExceededBudget::Tokens { needed: 5, left: 3 },
            ),
        ] {
            assert_eq!(serde_json::from_value::<ExceededBudget>(stored).unwrap(), expected);
        }
    }
}
