//! The value of arithmetic on numbers, such as `$((1 + 2))`. Only what bash certainly computes the same way has one: decimal
//! numbers, the four operations, remainders and parentheses, without overflow.

/// The value of an expression, if it has a certain one.
pub(super) fn constant(text: &str) -> Option<i64> {
    let mut reader = Reader { rest: text.trim(), depth: 0 };
    let value = reader.sum()?;
    reader.rest.is_empty().then_some(value)
}

/// The deepest nesting of parentheses and signs.
const MAX_DEPTH: usize = 16;

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl Reader<'_> {
    fn eat(&mut self, operator: char) -> bool {
        let found = self.rest.strip_prefix(operator);
        // `**`, `--`, `+=` and similar operators are others.
        let single =
            found.filter(|rest| !rest.starts_with(['*', '+', '-', '=', '/', '%']) || operator == '(');
        if let Some(rest) = single {
            self.rest = rest.trim_start();
        }
        single.is_some()
    }

    fn sum(&mut self) -> Option<i64> {
        let mut value = self.product()?;
        loop {
            if self.eat('+') {
                value = value.checked_add(self.product()?)?;
            } else if self.eat('-') {
                value = value.checked_sub(self.product()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.number()?;
        loop {
            if self.eat('*') {
                value = value.checked_mul(self.number()?)?;
            } else if self.eat('/') {
                value = value.checked_div(self.number()?)?;
            } else if self.eat('%') {
                value = value.checked_rem(self.number()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn number(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = if self.eat('(') {
            let value = self.sum()?;
            self.rest = self.rest.strip_prefix(')')?.trim_start();
            value
        } else if self.eat('-') {
            self.number()?.checked_neg()?
        } else {
            let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            let (digits, rest) = self.rest.split_at_checked(end)?;
            // A leading zero makes it octal.
            if digits.starts_with('0') && digits.len() > 1 {
                return None;
            }
            self.rest = rest.trim_start();
            digits.parse().ok()?
        };
        self.depth -= 1;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::constant;

    #[test]
    fn values_are_those_of_bash() {
        for (text, expected) in [
            ("1+2", Some(3)),
            (" 2 * (3 + 4) - 5 ", Some(9)),
            ("7 / 2", Some(3)),
            ("-7 / 2", Some(-3)),
            ("-7 % 3", Some(-1)),
            ("10 - -3", Some(13)),
            ("0", Some(0)),
            ("", None),
            ("010", None),
            ("1 / 0", None),
            ("2 ** 3", None),
            ("1 == 1", None),
            ("1 --2", None),
            ("9223372036854775807 + 1", None),
            ("9223372036854775808", None),
            ("1 2", None),
            ("(1", None),
            ("16#ff", None),
        ] {
            assert_eq!(constant(text), expected, "{text}");
        }
    }
}
