//! What runs spend: exact amounts of money, the prices of models, and whether a budget allows the next request.
//!
//! A run keeps the price that its model had at its start, and a price is linear in tokens. So the cost of a run follows
//! from its tokens and its price, without rounding, and needs no state of its own.

mod budget_check;
mod model_price;
mod usd_amount;

pub use budget_check::{BudgetCheck, ExceededBudget};
pub use model_price::{ModelPrice, ModelPrices, TokenPrice};
pub use usd_amount::UsdAmount;
