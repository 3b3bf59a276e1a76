//! Arithmetic: numbers, variables, the usual operators, and assignments.

use super::fields::is_known;
use super::shell::Shell;
use super::variables::is_name;

/// Parentheses inside parentheses that are followed.
const MAX_DEPTH: usize = 24;
/// Names of names that are followed.
const MAX_NAMES: usize = 8;
/// Operators of two operands, the weakest first.
const LEVELS: [&[&str]; 9] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
];
const ASSIGNMENTS: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="];

impl Shell<'_> {
    /// The value of an expression. `None` if it is not known.
    pub(super) fn arithmetic(&mut self, text: &str) -> Option<i64> {
        let text = self.document(text);
        if !is_known(&text) || !self.spend(text.len()) {
            return None;
        }
        let mut expression = Expression { rest: text.trim(), shell: self, depth: 0 };
        let value = expression.all()?;
        expression.rest.is_empty().then_some(value)
    }
}

struct Expression<'e, 's, 'b> {
    rest: &'e str,
    shell: &'s mut Shell<'b>,
    depth: usize,
}

impl Expression<'_, '_, '_> {
    fn take(&mut self, operator: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(operator);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn all(&mut self) -> Option<i64> {
        let mut value = self.choice()?;
        while self.take(",") {
            value = self.choice()?;
        }
        self.rest = self.rest.trim_start();
        Some(value)
    }

    fn choice(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut value = self.level(0)?;
        if self.take("?") {
            let first = self.choice()?;
            if !self.take(":") {
                return None;
            }
            let second = self.choice()?;
            value = if value == 0 { second } else { first };
        }
        self.depth -= 1;
        Some(value)
    }

    fn level(&mut self, at: usize) -> Option<i64> {
        let Some(operators) = LEVELS.get(at) else { return self.product() };
        let mut value = self.level(at + 1)?;
        loop {
            let rest = self.rest.trim_start();
            let doubled = |operator: &str| {
                let is_assigned = rest.strip_prefix(operator).is_some_and(|rest| rest.starts_with('='));
                operator.len() == 1 && rest.get(..2) == Some(operator.repeat(2).as_str()) && at != 8
                    || is_assigned && !"<>=!".contains(operator)
            };
            let Some(operator) = operators.iter().find(|name| rest.starts_with(**name) && !doubled(name))
            else {
                return Some(value);
            };
            self.take(operator);
            let other = self.level(at + 1)?;
            value = combined(operator, value, other)?;
        }
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.power()?;
        loop {
            value = match () {
                () if self.take("*") => value.checked_mul(self.power()?)?,
                () if self.take("/") => value.checked_div(self.power()?)?,
                () if self.take("%") => value.checked_rem(self.power()?)?,
                () => return Some(value),
            };
        }
    }

    /// `2**3**2` is `2**(3**2)`.
    fn power(&mut self) -> Option<i64> {
        let mut factors = vec![self.unary()?];
        while self.take("**") {
            factors.push(self.unary()?);
        }
        let mut value = factors.pop()?;
        while let Some(base) = factors.pop() {
            value = base.checked_pow(u32::try_from(value).ok()?)?;
        }
        Some(value)
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = match () {
            () if self.take("++") => self.changed(1)?,
            () if self.take("--") => self.changed(-1)?,
            () if self.take("-") => self.unary()?.checked_neg()?,
            () if self.take("+") => self.unary()?,
            () if self.take("!") => i64::from(self.unary()? == 0),
            () if self.take("~") => !self.unary()?,
            () if self.take("(") => {
                let value = self.all()?;
                if !self.take(")") {
                    return None;
                }
                value
            }
            () => self.operand()?,
        };
        self.depth -= 1;
        Some(value)
    }

    fn word(&mut self) -> &str {
        let rest = self.rest.trim_start();
        let length =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_#@".contains(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        self.rest = after;
        word
    }

    fn operand(&mut self) -> Option<i64> {
        let word = self.word().to_owned();
        if !is_name(&word) {
            return number(&word);
        }
        let rest = self.rest.trim_start();
        let is_assignment = |name: &&&str| rest.starts_with(**name) && !rest.starts_with("==");
        if let Some(operator) = ASSIGNMENTS.iter().filter(is_assignment).max_by_key(|name| name.len()) {
            self.take(operator);
            let value = self.choice()?;
            let value = match operator.strip_suffix('=') {
                Some("") | None => value,
                Some("*") => self.value(&word)?.checked_mul(value)?,
                Some("/") => self.value(&word)?.checked_div(value)?,
                Some("%") => self.value(&word)?.checked_rem(value)?,
                Some(sign) => combined(sign, self.value(&word)?, value)?,
            };
            self.shell.variables_mut().set(&word, value.to_string());
            return Some(value);
        }
        if rest.starts_with("++") || rest.starts_with("--") {
            let change = if self.take("++") { 1 } else { -1 };
            self.take("--");
            let old = self.value(&word)?;
            self.shell.variables_mut().set(&word, old.checked_add(change)?.to_string());
            return Some(old);
        }
        self.value(&word)
    }

    fn changed(&mut self, change: i64) -> Option<i64> {
        let word = self.word().to_owned();
        let old = self.value(&word).filter(|_| is_name(&word))?;
        let new = old.checked_add(change)?;
        self.shell.variables_mut().set(&word, new.to_string());
        Some(new)
    }

    /// A variable that is not set is zero.
    fn value(&self, name: &str) -> Option<i64> {
        let mut name = name;
        for _ in 0..MAX_NAMES {
            match self.shell.variables().text(name) {
                // It depends on where the command is in the text.
                None if name == "LINENO" => return None,
                None | Some("") => return Some(0),
                Some(text) if is_name(text) => name = text,
                Some(text) => return number(text),
            }
        }
        None
    }
}

fn combined(operator: &str, one: i64, other: i64) -> Option<i64> {
    let shift = || u32::try_from(other).ok();
    Some(match operator {
        "||" => i64::from(one != 0 || other != 0),
        "&&" => i64::from(one != 0 && other != 0),
        "|" => one | other,
        "^" => one ^ other,
        "&" => one & other,
        "==" => i64::from(one == other),
        "!=" => i64::from(one != other),
        "<=" => i64::from(one <= other),
        ">=" => i64::from(one >= other),
        "<" => i64::from(one < other),
        ">" => i64::from(one > other),
        "<<" => one.checked_shl(shift()?)?,
        ">>" => one.checked_shr(shift()?)?,
        "+" => one.checked_add(other)?,
        "-" => one.checked_sub(other)?,
        _ => return None,
    })
}

/// The digits of numbers with a base, up to 64.
const DIGITS: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_";

/// `12`, `0x1f`, `017`, `2#101`
pub(super) fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (base, digits) = match digits.split_once('#') {
        Some((base, digits)) => {
            let base: i64 = base.parse().ok().filter(|base| (2..=64).contains(base))?;
            let digit = |c: char| {
                let c = if base <= 36 { c.to_ascii_lowercase() } else { c };
                DIGITS.find(c).and_then(|digit| i64::try_from(digit).ok()).filter(|digit| *digit < base)
            };
            let add = |value: i64, c: char| value.checked_mul(base)?.checked_add(digit(c)?);
            return digits.chars().try_fold(0, add)?.checked_mul(sign);
        }
        None => match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            Some(digits) => (16, digits),
            None if digits.len() > 1 && digits.starts_with('0') => (8, digits),
            None => (10, digits),
        },
    };
    i64::from_str_radix(digits, base).ok()?.checked_mul(sign)
}
