//! Amounts of US dollars.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How many digits an amount has behind its point.
const DIGITS: usize = 12;
/// How many parts of an amount are a dollar.
const PARTS_PER_DOLLAR: u64 = 1_000_000_000_000;

/// An amount of US dollars, exact to a millionth of a millionth. The largest one is about 18 million dollars; sums beyond
/// it stay there. In JSON it is a string such as `"0.25"`; numbers are read too, by their shortest decimal form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UsdAmount(u64);

impl UsdAmount {
    /// Nothing.
    pub const ZERO: UsdAmount = UsdAmount(0);

    /// From millionths of a millionth of a dollar.
    pub const fn from_picos(picos: u64) -> UsdAmount {
        UsdAmount(picos)
    }

    /// In millionths of a millionth of a dollar.
    pub const fn picos(self) -> u64 {
        self.0
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: UsdAmount) -> UsdAmount {
        UsdAmount(self.0.saturating_add(other.0))
    }

    /// What is left of it after spending another amount: nothing, if that is more.
    #[must_use]
    pub fn minus(self, spent: UsdAmount) -> UsdAmount {
        UsdAmount(self.0.saturating_sub(spent.0))
    }
}

impl fmt::Display for UsdAmount {
    /// Dollars as a decimal number, without a sign for the currency.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dollars, parts) = (self.0 / PARTS_PER_DOLLAR, self.0 % PARTS_PER_DOLLAR);
        if parts == 0 {
            return write!(f, "{dollars}");
        }
        let parts = format!("{parts:0DIGITS$}");
        write!(f, "{dollars}.{}", parts.trim_end_matches('0'))
    }
}

impl FromStr for UsdAmount {
    type Err = String;

    fn from_str(text: &str) -> Result<UsdAmount, String> {
        let wrong = || format!("`{text}` is not an amount of dollars such as `0.25`");
        let (dollars, parts) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
        if !is_number(dollars) || !is_number(parts) {
            return Err(wrong());
        }
        let parts = parts.trim_end_matches('0');
        if parts.len() > DIGITS {
            return Err(format!("`{text}` has more than {DIGITS} digits behind the point"));
        }
        let too_large = || format!("`{text}` is too large an amount of dollars");
        let dollars: u64 = dollars.parse().map_err(|_| too_large())?;
        let parts: u64 = format!("{parts:0<DIGITS$}").parse().map_err(|_| wrong())?;
        let whole = dollars.checked_mul(PARTS_PER_DOLLAR).and_then(|whole| whole.checked_add(parts));
        whole.map(UsdAmount).ok_or_else(too_large)
    }
}

impl Serialize for UsdAmount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for UsdAmount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UsdAmount, D::Error> {
        deserializer.deserialize_any(AmountVisitor)
    }
}

struct AmountVisitor;

impl Visitor<'_> for AmountVisitor {
    type Value = UsdAmount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an amount of dollars such as \"0.25\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<UsdAmount, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, dollars: u64) -> Result<UsdAmount, E> {
        dollars.to_string().parse().map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, dollars: i64) -> Result<UsdAmount, E> {
        dollars.to_string().parse().map_err(E::custom)
    }

    /// The text of a float is the shortest that stands for it: what was written, up to 15 digits.
    fn visit_f64<E: Error>(self, dollars: f64) -> Result<UsdAmount, E> {
        dollars.to_string().parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn amounts_are_read_and_written_exactly() {
        let check = |text: &str, picos: u64, written: &str| {
            let amount: UsdAmount = text.parse().unwrap();
            assert_eq!((amount.picos(), amount.to_string().as_str()), (picos, written), "{text}");
        };
        check("0", 0, "0");
        check("0.25", 250_000_000_000, "0.25");
        check("3.000", 3_000_000_000_000, "3");
        check("0.000000000001", 1, "0.000000000001");
        check("18446744.073709551615", u64::MAX, "18446744.073709551615");
        for wrong in
            ["", ".", ".5", "1.", "-1", "+1", "1e3", "1,5", " 1", "0.0000000000001", "18446744.073709551616"]
        {
            assert!(wrong.parse::<UsdAmount>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn json_is_a_string_and_numbers_are_read_too() {
        let check = |value: Value, expected: &str| {
            let amount: UsdAmount = serde_json::from_value(value).unwrap();
            assert_eq!(json!(amount), expected);
        };
        check(json!("0.30"), "0.3");
        check(json!(0.3), "0.3");
        check(json!(0.000_000_1), "0.0000001");
        check(json!(3), "3");
        for wrong in [json!(-3), json!(-0.5), json!(1e30), json!(null), json!("x"), json!([])] {
            assert!(serde_json::from_value::<UsdAmount>(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
