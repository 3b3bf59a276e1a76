//! The variables of styles: which could hide an element, and what `var()` stands for.

use std::collections::HashMap;

use super::css_tokens::{Declaration, Token, function_end};
use super::css_values::{FAINT, FAR, TINY, pixels};
use super::visibility::Doubt;

/// The most variables that are remembered.
const MAX_VARIABLES: usize = 64;
/// The most variables inside each other.
const MAX_DEPTH: usize = 8;
/// The most tokens of a value after which variables are no longer replaced.
const MAX_TOKENS: usize = 256;
/// How many tokens all values of a style may become, besides those for its length.
const BASE_TOKENS: usize = 1024;

/// The variables of all elements so far with values that could hide an element.
#[derive(Debug, Default)]
pub(super) struct StyleVariables(HashMap<String, Doubt>);

impl StyleVariables {
    fn add(&mut self, declaration: &Declaration) {
        let doubt = |token: &Token| match token {
            Token::Ident(word) if matches!(&**word, "none" | "hidden" | "collapse" | "transparent") => {
                Doubt::CouldHide
            }
            Token::Number(number, unit) if pixels(*number, unit).abs() >= -FAR => Doubt::CouldMove,
            Token::Number(number, unit) if *number <= FAINT || pixels(*number, unit) <= TINY => {
                Doubt::CouldHide
            }
            Token::Function(_) => Doubt::CouldMove,
            Token::Hash(digits) if matches!(digits.len(), 4 | 8) && digits.ends_with('0') => Doubt::CouldHide,
            _ => Doubt::Sure,
        };
        let found = declaration.value.iter().map(doubt).max().unwrap_or_default();
        let is_full = self.0.len() >= MAX_VARIABLES;
        match self.0.get_mut(&declaration.property) {
            Some(known) => *known = found.max(*known),
            None if found == Doubt::Sure || is_full => {}
            None => {
                self.0.insert(declaration.property.clone(), found);
            }
        }
    }

    /// What a variable could do that is not set in a style. With too many variables, each could do anything.
    fn doubt(&self, name: &str) -> Doubt {
        match self.0.get(name) {
            _ if self.0.len() >= MAX_VARIABLES => Doubt::CouldMove,
            Some(doubt) => *doubt,
            None => Doubt::Fallback,
        }
    }
}

/// The variables that one style sets.
#[derive(Debug)]
pub(super) struct OwnVariables<'v> {
    values: HashMap<String, Vec<Token>>,
    elsewhere: &'v StyleVariables,
    tokens_left: usize,
}

impl<'v> OwnVariables<'v> {
    /// Takes the variables of a style, and remembers those that could hide.
    pub(super) fn new(
        style: &str,
        declarations: impl Iterator<Item = Declaration>,
        elsewhere: &'v mut StyleVariables,
    ) -> OwnVariables<'v> {
        let mut values = HashMap::new();
        // A hyphen may be written as an escape.
        let has_variables = style.contains("--") || style.contains('\\');
        let declarations = declarations.take_while(|_| has_variables);
        for one in declarations.filter(Declaration::is_variable) {
            elsewhere.add(&one);
            if values.len() < MAX_VARIABLES || values.contains_key(&one.property) {
                values.insert(one.property, one.value);
            }
        }
        OwnVariables { values, elsewhere, tokens_left: BASE_TOKENS + style.len() }
    }

    /// Replaces the variables of a value, as far as their values are known. The others stay.
    pub(super) fn replace(&mut self, value: Vec<Token>) -> (Vec<Token>, Doubt) {
        if !value.iter().any(is_var) {
            return (value, Doubt::Sure);
        }
        let (mut out, mut doubt) = (Vec::new(), Doubt::Sure);
        self.push(&value, &mut out, &mut doubt, 0);
        (out, doubt)
    }

    fn push(&mut self, value: &[Token], out: &mut Vec<Token>, doubt: &mut Doubt, depth: usize) {
        let mut at = 0;
        while let Some(token) = value.get(at) {
            self.tokens_left = self.tokens_left.saturating_sub(1);
            if !is_var(token) {
                out.push(token.clone());
                at += 1;
                continue;
            }
            let end = function_end(value, at);
            let inside = value.get(at + 1..end).unwrap_or_default();
            at = end + 1;
            let (name, fallback) = match inside {
                [Token::Ident(name), Token::Sign(','), fallback @ ..] => (name, Some(fallback)),
                [Token::Ident(name), ..] => (name, None),
                _ => continue,
            };
            if self.tokens_left == 0 || depth >= MAX_DEPTH || out.len() > MAX_TOKENS {
                *doubt = Doubt::CouldMove;
                out.push(Token::Function("var".into()));
                out.push(Token::Sign(')'));
            } else if let Some(own) = self.values.get(name).cloned() {
                self.push(&own, out, doubt, depth + 1);
            } else {
                let found = self.elsewhere.doubt(name);
                match fallback {
                    Some(fallback) => {
                        *doubt = (*doubt).max(found);
                        self.push(fallback, out, doubt, depth + 1);
                    }
                    None => {
                        // A variable that stands for another is no usual way to set a size or a colour.
                        let found = if depth > 0 { found.max(Doubt::CouldHide) } else { found };
                        if found > Doubt::Fallback {
                            *doubt = (*doubt).max(found);
                        }
                        out.extend([
                            Token::Function("var".into()),
                            Token::Ident(name.clone()),
                            Token::Sign(')'),
                        ]);
                    }
                }
            }
        }
    }
}

fn is_var(token: &Token) -> bool {
    matches!(token, Token::Function(name) if name == "var")
}

#[cfg(test)]
mod tests {
    use super::super::css_tokens::declarations;
    use super::*;

    #[track_caller]
    fn check(variables: &str, value: &str, expected: &str, expected_doubt: Doubt) {
        let mut elsewhere = StyleVariables::default();
        for one in declarations("--hiding:0;--plain:5em;--far:-9999px") {
            elsewhere.add(&one);
        }
        let tokens = |text: &str| declarations(&format!("a:{text}")).next().unwrap().value;
        let mut own = OwnVariables::new(variables, declarations(variables), &mut elsewhere);
        assert_eq!(own.replace(tokens(value)), (tokens(expected), expected_doubt), "{variables} {value}");
    }

    #[test]
    fn variables_are_replaced() {
        check("--x:1px", "var(--x)", "1px", Doubt::Sure);
        check("--x:1px", "a(var(--x), 2)", "a(1px, 2)", Doubt::Sure);
        check("--x:1px;--y:calc(var(--x)*2)", "var(--y)", "calc(1px*2)", Doubt::Sure);
        check("--x:1px;--x:2px", "var(--x)", "2px", Doubt::Sure);
        check("", "var(--x, 1px)", "1px", Doubt::Fallback);
        check("", "var(--x, var(--y, 1px))", "1px", Doubt::Fallback);
        check("--x:1px", "var(--x, 2px)", "1px", Doubt::Sure);
        check("", "var(--x)", "var(--x)", Doubt::Sure);
        check("", "var(--hiding)", "var(--hiding)", Doubt::CouldHide);
        check("", "var(--hiding, 1px)", "1px", Doubt::CouldHide);
        check("", "var(--far)", "var(--far)", Doubt::CouldMove);
        check("", "var(--plain)", "var(--plain)", Doubt::Sure);
        check("--hiding:1px", "var(--hiding)", "1px", Doubt::Sure);
    }

    #[test]
    fn variables_that_grow_without_end_stop() {
        let mut elsewhere = StyleVariables::default();
        let twenty = |name: &str| format!("var({name})").repeat(20);
        let style: String =
            (0..10).map(|i| format!("--v{i}:{};", twenty(&format!("--v{}", i + 1)))).collect();
        let mut own = OwnVariables::new(&style, declarations(&style), &mut elsewhere);
        let value = declarations("a:var(--v0)").next().unwrap().value;
        let (found, doubt) = own.replace(value);
        assert!(found.len() < 4 * MAX_TOKENS, "{}", found.len());
        assert_eq!(doubt, Doubt::CouldMove);
        let style = "--a:var(--b);--b:var(--a)";
        let mut own = OwnVariables::new(style, declarations(style), &mut elsewhere);
        assert_eq!(own.replace(declarations("a:var(--a)").next().unwrap().value).1, Doubt::CouldMove);
    }
}
