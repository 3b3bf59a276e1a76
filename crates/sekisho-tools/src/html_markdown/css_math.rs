//! Evaluates the mathematical functions of CSS values, such as `calc()`.
//!
//! What cannot be evaluated stays as it is, so the callers see that a function is left.

use std::cell::Cell;

use super::css_tokens::{Token, function_end};
use super::css_values::pixels;

/// The deepest nesting that is evaluated.
const MAX_DEPTH: usize = 32;

/// How many tokens may be looked at to evaluate the functions of one style. What is left then stays as it is.
#[derive(Debug)]
pub(super) struct MathBudget(Cell<usize>);

impl MathBudget {
    /// Enough for the formulas of ordinary pages.
    const BASE: usize = 4096;

    /// The budget of a style of this length.
    pub(super) fn of_style(length: usize) -> MathBudget {
        MathBudget(Cell::new(MathBudget::BASE + length))
    }

    fn spend(&self, tokens: usize) -> Option<()> {
        let left = self.0.get().checked_sub(tokens);
        self.0.set(left.unwrap_or(0));
        left.map(drop)
    }
}

/// What a number measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    /// In pixels.
    Length,
    /// In degrees.
    Angle,
    Percent,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Amount {
    value: f64,
    kind: Kind,
}

impl Amount {
    fn of(value: f64, unit: &str) -> Option<Amount> {
        let (value, kind) = match unit {
            "" => (value, Kind::Number),
            "%" => (value, Kind::Percent),
            "s" | "ms" | "hz" | "khz" | "dpi" | "dpcm" | "dppx" | "x" | "fr" => return None,
            unit => match degrees(value, unit) {
                Some(angle) => (angle, Kind::Angle),
                None => (pixels(value, unit), Kind::Length),
            },
        };
        Some(Amount { value, kind })
    }

    fn token(self) -> Token {
        // CSS says that what is not a number is zero.
        let value = if self.value.is_nan() { 0.0 } else { self.value };
        let unit = match self.kind {
            Kind::Number => "",
            Kind::Length => "px",
            Kind::Angle => "deg",
            Kind::Percent => "%",
        };
        Token::Number(value, unit.into())
    }
}

/// An angle in degrees. None if the unit is not that of an angle.
pub(super) fn degrees(value: f64, unit: &str) -> Option<f64> {
    Some(match unit {
        "deg" => value,
        "grad" => value * 0.9,
        "rad" => value.to_degrees(),
        "turn" => value * 360.0,
        _ => return None,
    })
}

/// Replaces the functions that can be evaluated by their results. `percent` is what one percent stands for where it is
/// added to something else, in pixels.
pub(super) fn simplify(value: Vec<Token>, percent: f64, budget: &MathBudget) -> Vec<Token> {
    if !value.iter().any(|token| matches!(token, Token::Function(_))) {
        return value;
    }
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(token) = value.get(at) {
        let result = match token {
            Token::Function(name) if budget.spend(1).is_some() => {
                let end = function_end(&value, at);
                let inside = value.get(at + 1..end).unwrap_or_default();
                evaluate(name, Reader { rest: inside, percent, depth: 0, budget }).zip(Some(end))
            }
            _ => None,
        };
        match result {
            Some((amount, end)) => {
                out.push(amount.token());
                at = end + 1;
            }
            None => {
                out.push(token.clone());
                at += 1;
            }
        }
    }
    out
}

/// The result of a function. The reader is at its first argument.
fn evaluate(name: &str, mut reader: Reader<'_>) -> Option<Amount> {
    let inside = reader.rest;
    // The end of the function was looked for.
    reader.budget.spend(inside.len())?;
    if reader.depth > MAX_DEPTH {
        return None;
    }
    if name == "env" {
        let is_margin =
            matches!(inside.first(), Some(Token::Ident(name)) if name.starts_with("safe-area-inset"));
        return is_margin.then_some(Amount { value: 0.0, kind: Kind::Length });
    }
    let is_known = matches!(
        name,
        "calc"
            | "-webkit-calc"
            | "-moz-calc"
            | "min"
            | "max"
            | "clamp"
            | "abs"
            | "sign"
            | "round"
            | "mod"
            | "rem"
            | "sqrt"
            | "pow"
            | "hypot"
    );
    if !is_known {
        return None;
    }
    let strategy = match inside {
        [Token::Ident(word), Token::Sign(','), rest @ ..] if name == "round" => {
            reader.rest = rest;
            word
        }
        _ => "nearest",
    };
    let arguments = reader.arguments()?;
    apply(name, strategy, &arguments, reader.percent)
}

fn apply(name: &str, strategy: &str, arguments: &[Amount], percent: f64) -> Option<Amount> {
    let (first, kind) = (arguments.first()?, common_kind(arguments)?);
    let values: Vec<f64> = arguments.iter().map(|one| convert(*one, kind, percent)).collect();
    let value = match (name, &*values) {
        ("calc" | "-webkit-calc" | "-moz-calc", [value]) => *value,
        ("min", values) => values.iter().copied().fold(f64::INFINITY, f64::min),
        ("max", values) => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ("clamp", [low, value, high]) => value.min(*high).max(*low),
        ("abs", [value]) => value.abs(),
        ("sign", [value]) => return Some(Amount { value: sign(*value), kind: Kind::Number }),
        ("round", [value]) => rounded(strategy, *value, 1.0),
        ("round", [value, step]) => rounded(strategy, *value, *step),
        ("mod", [value, by]) => value - by * (value / by).floor(),
        ("rem", [value, by]) => value % by,
        ("sqrt", [value]) if first.kind == Kind::Number => value.sqrt(),
        ("pow", [value, power]) if first.kind == Kind::Number => value.powf(*power),
        ("hypot", values) => values.iter().map(|value| value * value).sum::<f64>().sqrt(),
        _ => return None,
    };
    Some(Amount { value, kind })
}

fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}

fn rounded(strategy: &str, value: f64, step: f64) -> f64 {
    let parts = value / step;
    step * match strategy {
        "up" => parts.ceil(),
        "down" => parts.floor(),
        "to-zero" => parts.trunc(),
        _ => parts.round(),
    }
}

/// The kind that all amounts can be converted to.
fn common_kind(amounts: &[Amount]) -> Option<Kind> {
    let mut kinds = amounts.iter().map(|one| one.kind).filter(|kind| *kind != Kind::Percent);
    let kind = kinds.next().unwrap_or(Kind::Percent);
    kinds.all(|other| other == kind).then_some(kind)
}

fn convert(amount: Amount, kind: Kind, percent: f64) -> f64 {
    match (amount.kind, kind) {
        (Kind::Percent, Kind::Number) => amount.value / 100.0,
        (Kind::Percent, Kind::Length) => amount.value * percent,
        _ => amount.value,
    }
}

/// Reads sums and products.
struct Reader<'t> {
    rest: &'t [Token],
    percent: f64,
    depth: usize,
    budget: &'t MathBudget,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<&Token> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn take_sign(&mut self, signs: &[char]) -> Option<char> {
        match self.rest.first() {
            Some(Token::Sign(sign)) if signs.contains(sign) => {
                let sign = *sign;
                self.next();
                Some(sign)
            }
            _ => None,
        }
    }

    /// Sums with commas between them, up to the end.
    fn arguments(&mut self) -> Option<Vec<Amount>> {
        let mut arguments = vec![self.sum()?];
        while !self.rest.is_empty() {
            self.take_sign(&[','])?;
            arguments.push(self.sum()?);
        }
        Some(arguments)
    }

    fn sum(&mut self) -> Option<Amount> {
        let mut sum = self.product()?;
        while let Some(sign) = self.take_sign(&['+', '-']) {
            let next = self.product()?;
            let kind = common_kind(&[sum, next])?;
            let (one, other) = (convert(sum, kind, self.percent), convert(next, kind, self.percent));
            sum = Amount { value: if sign == '+' { one + other } else { one - other }, kind };
        }
        Some(sum)
    }

    fn product(&mut self) -> Option<Amount> {
        let mut product = self.unit()?;
        while let Some(sign) = self.take_sign(&['*', '/']) {
            let next = self.unit()?;
            let kind = match (sign, product.kind, next.kind) {
                (_, kind, Kind::Number) => kind,
                ('*', Kind::Number, kind) => kind,
                ('/', one, other) if one == other => Kind::Number,
                _ => return None,
            };
            let (one, other) = (product.value, next.value);
            product = Amount { value: if sign == '*' { one * other } else { one / other }, kind };
        }
        Some(product)
    }

    fn unit(&mut self) -> Option<Amount> {
        let tokens = self.rest;
        let end = function_end(tokens, 0);
        let inside = tokens.get(1..end).unwrap_or_default();
        let (percent, depth, budget) = (self.percent, self.depth + 1, self.budget);
        let below = Reader { rest: inside, percent, depth, budget };
        match self.next()? {
            Token::Number(value, unit) => Amount::of(*value, unit),
            Token::Ident(word) => {
                let value = match &**word {
                    "pi" => std::f64::consts::PI,
                    "e" => std::f64::consts::E,
                    "infinity" => f64::INFINITY,
                    "-infinity" => f64::NEG_INFINITY,
                    "nan" => f64::NAN,
                    _ => return None,
                };
                Some(Amount { value, kind: Kind::Number })
            }
            Token::Sign('(') => {
                self.rest = tokens.get(end + 1..).unwrap_or_default();
                evaluate("calc", below)
            }
            Token::Function(name) => {
                let amount = evaluate(name, below);
                self.rest = tokens.get(end + 1..).unwrap_or_default();
                amount
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::css_tokens::declarations;
    use super::*;

    #[track_caller]
    fn check(value: &str, expected: &str) {
        let tokens = |text: &str| declarations(&format!("a:{text}")).next().unwrap().value;
        let budget = MathBudget::of_style(value.len());
        assert_eq!(simplify(tokens(value), 10.0, &budget), tokens(expected), "{value}");
    }

    #[test]
    fn formulas_of_numbers_are_evaluated() {
        check("calc(-9999px)", "-9999px");
        check("calc(1px - 1px)", "0px");
        check("calc(16px / 1000)", "0.016px");
        check("calc((1px + 2px) * 3)", "9px");
        check("calc(2 * (3px + calc(1px)))", "8px");
        check("calc(100% - 20px)", "980px");
        check("calc(5% * 2)", "10%");
        check("-webkit-calc(1em)", "16px");
        check("min(0px, 5vw)", "0px");
        check("max(1px, 0.5px, 2px)", "2px");
        check("clamp(3px, 0px, 9px)", "3px");
        check("round(down, 1px, 5px)", "0px");
        check("abs(-2)", "2");
        check("calc(infinity * 0px)", "0px");
        check("calc(0.5turn / 2)", "90deg");
        check("env(safe-area-inset-top)", "0px");
        check("translate(calc(-1px*9), 2px", "translate(-9px, 2px");
        // The closing bracket may be missing at the end.
        check("calc(-9999px", "-9999px");
        check(&format!("{}1px", "calc(".repeat(20)), "1px");
    }

    #[test]
    fn other_formulas_stay() {
        for value in [
            "calc(1px + var(--x))",
            "calc(1px + 1)",
            "calc(1px 1px)",
            "calc(1px * 1px)",
            "calc()",
            "var(--x)",
            "env(x, 0)",
            "sin(1)",
            "calc(1s)",
        ] {
            check(value, value);
        }
        check("calc(var(--x) + min(1px, 2px))", "calc(var(--x) + 1px)");
        // Too deep.
        let deep = format!("{}1px", "calc(".repeat(100));
        check(&deep, &deep);
    }

    #[test]
    fn formulas_of_a_style_share_a_budget() {
        let tokens = declarations("a:calc(1px)").next().unwrap().value;
        let budget = MathBudget::of_style(0);
        let evaluated = || simplify(tokens.clone(), 1.0, &budget) != tokens;
        let times = (0..10_000).take_while(|_| evaluated()).count();
        assert!((1000..5000).contains(&times), "{times}");
    }
}
