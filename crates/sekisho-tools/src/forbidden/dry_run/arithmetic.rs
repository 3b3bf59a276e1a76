//! Arithmetic: numbers, variables, the usual operators, and assignments.

use super::fields::{is_known, unknown};
use super::shell::Shell;
use super::variables::is_name;

/// Parentheses inside parentheses that are followed.
const MAX_DEPTH: usize = 24;
/// Names of names, and subscripts in subscripts, that are followed.
const MAX_NAMES: usize = 12;
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
    /// The value of an expression. `None` if it is not known; then what it sets is not known either.
    pub(super) fn arithmetic(&mut self, text: &str) -> Option<i64> {
        let text = self.document(text);
        let value = self.evaluated(&text);
        if value.is_none() {
            for name in assigned_names(&text) {
                self.variables_mut().set(&name, unknown());
            }
        }
        value
    }

    fn evaluated(&mut self, text: &str) -> Option<i64> {
        if !is_known(text) || !self.spend(text.len()) {
            return None;
        }
        let mut expression = Expression { rest: text.trim(), shell: self, depth: 0, skipped: 0 };
        if expression.rest.is_empty() {
            return Some(0);
        }
        let value = expression.all()?;
        expression.rest.is_empty().then_some(value)
    }
}

/// The names that an expression may set.
fn assigned_names(text: &str) -> Vec<String> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = text;
    let mut is_changed = false;
    while let Some(start) = rest.find(is_letter) {
        let (before, word) = rest.split_at_checked(start).unwrap_or_default();
        is_changed |= before.trim_end().ends_with("++") || before.trim_end().ends_with("--");
        let end = word.find(|c| !is_letter(c)).unwrap_or(word.len());
        let (name, after) = word.split_at_checked(end).unwrap_or_default();
        let operator = after.trim_start();
        let is_set = operator.starts_with("++")
            || operator.starts_with("--")
            || ASSIGNMENTS.iter().any(|sign| operator.starts_with(sign)) && !operator.starts_with("==");
        if is_name(name) && (is_set || is_changed) {
            found.push(name.to_owned());
        }
        is_changed = false;
        rest = after;
    }
    found
}

/// A variable or an element of an array.
struct Target {
    name: String,
    key: Option<String>,
}

struct Expression<'e, 's, 'b> {
    rest: &'e str,
    shell: &'s mut Shell<'b>,
    depth: usize,
    /// Operands around this one that are read, but not evaluated: `0 && (a = 1)`.
    skipped: usize,
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
            let first = self.unless(value == 0, Self::choice)?;
            if !self.take(":") {
                return None;
            }
            let second = self.unless(value != 0, Self::choice)?;
            value = if value == 0 { second } else { first };
        }
        self.depth -= 1;
        Some(value)
    }

    /// Reads an operand, which may not be evaluated.
    fn unless(&mut self, is_skipped: bool, read: impl FnOnce(&mut Self) -> Option<i64>) -> Option<i64> {
        self.skipped += usize::from(is_skipped);
        let value = read(self);
        self.skipped -= usize::from(is_skipped);
        value
    }

    /// What is not evaluated has any value.
    fn unless_skipped(&self, value: Option<i64>) -> Option<i64> {
        if self.skipped > 0 { Some(0) } else { value }
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
            let is_decided = *operator == "||" && value != 0 || *operator == "&&" && value == 0;
            let other = self.unless(is_decided, |rest| rest.level(at + 1))?;
            value = self.unless_skipped(combined(operator, value, other))?;
        }
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.power()?;
        loop {
            let next = match () {
                () if self.take("*") => value.checked_mul(self.power()?),
                () if self.take("/") => value.checked_div(self.power()?),
                () if self.take("%") => value.checked_rem(self.power()?),
                () => return Some(value),
            };
            value = self.unless_skipped(next)?;
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
            let power = u32::try_from(value).ok().and_then(|value| base.checked_pow(value));
            value = self.unless_skipped(power)?;
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

    /// A name with its subscript, if it has one.
    fn target(&mut self) -> Option<Result<Target, String>> {
        let name = self.word().to_owned();
        if !is_name(&name) {
            return Some(Err(name));
        }
        let Some(inner) = self.rest.strip_prefix('[') else { return Some(Ok(Target { name, key: None })) };
        let length = bracket_length(inner)?;
        let index = inner.get(..length)?.to_owned();
        self.rest = inner.get(length + 1..)?;
        if self.skipped > 0 {
            return Some(Ok(Target { name, key: None }));
        }
        if self.shell.depth >= MAX_NAMES {
            return None;
        }
        self.shell.depth += 1;
        let key = self.shell.key(&index, &name);
        self.shell.depth -= 1;
        Some(Ok(Target { name, key: Some(key?) }))
    }

    fn operand(&mut self) -> Option<i64> {
        let target = match self.target()? {
            Ok(target) => target,
            Err(word) => return number(&word),
        };
        let rest = self.rest.trim_start();
        let is_assignment = |name: &&&str| rest.starts_with(**name) && !rest.starts_with("==");
        if let Some(operator) = ASSIGNMENTS.iter().filter(is_assignment).max_by_key(|name| name.len()) {
            self.take(operator);
            let value = self.choice()?;
            let old = |target: &mut Self, name: &Target| target.value(name);
            let value = match operator.strip_suffix('=') {
                Some("") | None => Some(value),
                Some("*") => old(self, &target)?.checked_mul(value),
                Some("/") => old(self, &target)?.checked_div(value),
                Some("%") => old(self, &target)?.checked_rem(value),
                Some(sign) => combined(sign, old(self, &target)?, value),
            };
            let value = self.unless_skipped(value)?;
            self.set(&target, value);
            return Some(value);
        }
        if rest.starts_with("++") || rest.starts_with("--") {
            let change = if self.take("++") { 1 } else { -1 };
            self.take("--");
            let old = self.value(&target)?;
            self.set(&target, old.checked_add(change)?);
            return Some(old);
        }
        self.value(&target)
    }

    fn changed(&mut self, change: i64) -> Option<i64> {
        let target = self.target()?.ok()?;
        let new = self.value(&target)?.checked_add(change)?;
        self.set(&target, new);
        Some(new)
    }

    fn set(&mut self, target: &Target, value: i64) {
        if self.skipped > 0 {
            return;
        }
        match &target.key {
            Some(key) => self.shell.variables_mut().set_element(&target.name, key, value.to_string()),
            None => self.shell.variables_mut().set(&target.name, value.to_string()),
        }
    }

    /// The value of a variable is an expression of its own. One that is not set is zero.
    fn value(&mut self, target: &Target) -> Option<i64> {
        if self.skipped > 0 {
            return Some(0);
        }
        let variables = self.shell.variables();
        let text = match &target.key {
            Some(key) => {
                let elements = variables.get(&target.name).map(Vec::as_slice).unwrap_or_default();
                elements.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
            }
            None => variables.text(&target.name).map(str::to_owned),
        };
        match text.as_deref().map(str::trim) {
            // They depend on where and when the command is run.
            None if DYNAMIC.contains(&target.name.as_str()) => None,
            None | Some("") => Some(0),
            Some(text) => number(text).or_else(|| self.expression(text)),
        }
    }

    /// The value of a variable that is an expression.
    fn expression(&mut self, text: &str) -> Option<i64> {
        if self.shell.depth >= MAX_NAMES {
            return None;
        }
        self.shell.depth += 1;
        // Only subscripts are expanded once more.
        let value = if text.contains('[') { self.shell.arithmetic(text) } else { self.shell.evaluated(text) };
        self.shell.depth -= 1;
        value
    }
}

/// Variables whose value is not known.
const DYNAMIC: [&str; 7] =
    ["LINENO", "RANDOM", "SRANDOM", "SECONDS", "EPOCHSECONDS", "BASHPID", "EPOCHREALTIME"];

/// The length up to the bracket that closes one before the text.
fn bracket_length(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' => open += 1,
            ']' if open == 0 => return Some(at),
            ']' => open -= 1,
            _ => {}
        }
    }
    None
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
