//! Splits the text of a `style` attribute into declarations, as browsers do.
//!
//! Strings, `url()`, comments and escapes are recognised, so none of them can hide a declaration. A declaration also
//! ends at a brace: browsers disagree about rules inside the attribute, and one declaration too many does no harm.

use std::str::Chars;

/// The most tokens of one value.
const MAX_TOKENS: usize = 128;
/// The most characters of a name that are kept.
const MAX_NAME: usize = 100;

/// A token of a value. Names are in lower case, with their escapes resolved.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Ident(String),
    /// A name with the bracket that follows it.
    Function(String),
    /// A number and its unit; the unit is `%` or may be empty.
    Number(f64, String),
    /// What follows a `#`.
    Hash(String),
    /// The beginning of a string, or nothing for a plain `url()`.
    Text(String),
    /// Any other character.
    Sign(char),
}

/// A property and the tokens of its value, without `!important`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Declaration {
    pub(super) property: String,
    pub(super) value: Vec<Token>,
    pub(super) is_important: bool,
}

impl Declaration {
    pub(super) fn is_variable(&self) -> bool {
        self.property.starts_with("--")
    }
}

/// A part of a value: a token, or a function with its arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part<'t> {
    Token(&'t Token),
    Function(&'t str, &'t [Token]),
}

/// The parts of a value.
pub(super) fn parts(value: &[Token]) -> impl Iterator<Item = Part<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let token = value.get(at)?;
        let end = function_end(value, at);
        let inside = value.get(at + 1..end).unwrap_or_default();
        at = end + 1;
        Some(match token {
            Token::Function(name) => Part::Function(name, inside),
            token => Part::Token(token),
        })
    })
}

/// The place of the bracket that closes the one at `at`. If there is no bracket at `at`, `at` itself; if nothing closes
/// it, the end.
pub(super) fn function_end(value: &[Token], at: usize) -> usize {
    let mut depth = 0_usize;
    for (place, token) in value.iter().enumerate().skip(at) {
        match token {
            Token::Function(_) | Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return place;
        }
    }
    value.len()
}

/// The declarations of a style.
pub(super) fn declarations(style: &str) -> impl Iterator<Item = Declaration> {
    let mut tokens = Tokens { rest: style.chars() };
    std::iter::from_fn(move || {
        loop {
            let (head, value, is_important) = tokens.until_end()?;
            if let [Some(Token::Ident(property)), Some(Token::Sign(':'))] = head {
                return Some(Declaration { property, value, is_important });
            }
        }
    })
}

struct Tokens<'s> {
    rest: Chars<'s>,
}

impl Tokens<'_> {
    /// The first two tokens up to the end of a declaration, the others, and whether they are important. None at the end
    /// of the text.
    fn until_end(&mut self) -> Option<([Option<Token>; 2], Vec<Token>, bool)> {
        let mut token = self.next()?;
        let (mut head, mut value, mut is_important) = ([None, None], Vec::new(), false);
        while !matches!(token, Token::Sign(';' | '{' | '}')) {
            is_important |= token == Token::Sign('!');
            match head.iter_mut().find(|place| place.is_none()) {
                Some(place) => *place = Some(token),
                None if value.len() < MAX_TOKENS && !is_important => value.push(token),
                None => {}
            }
            let Some(next) = self.next() else { break };
            token = next;
        }
        Some((head, value, is_important))
    }

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        if self.begins_number() {
            return Some(self.number());
        }
        if self.begins_name() {
            return Some(self.name_or_function());
        }
        let first = self.rest.next()?;
        Some(match first {
            '"' | '\'' => self.string(first),
            '#' if self.peek(0).is_some_and(is_name) || self.is_escape(0) => Token::Hash(self.name()),
            other => Token::Sign(other),
        })
    }

    fn peek(&self, at: usize) -> Option<char> {
        self.rest.clone().nth(at)
    }

    fn take_if(&mut self, is_taken: impl Fn(char) -> bool) -> Option<char> {
        let next = self.peek(0).filter(|c| is_taken(*c))?;
        self.rest.next();
        Some(next)
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) {
        loop {
            while self.take_if(|c| c.is_ascii_whitespace()).is_some() {}
            let Some(comment) = self.rest.as_str().strip_prefix("/*") else { return };
            self.rest = comment.split_once("*/").map_or("", |(_, rest)| rest).chars();
        }
    }

    /// A backslash stands for a character unless a line ends after it.
    fn is_escape(&self, at: usize) -> bool {
        self.peek(at) == Some('\\') && !self.peek(at + 1).is_some_and(is_line_end)
    }

    fn begins_name(&self) -> bool {
        let begins = |at: usize| self.peek(at).is_some_and(is_name_start) || self.is_escape(at);
        begins(0) || (self.peek(0) == Some('-') && (self.peek(1) == Some('-') || begins(1)))
    }

    fn begins_number(&self) -> bool {
        let digit = |at: usize| self.peek(at).is_some_and(|c| c.is_ascii_digit());
        let sign = usize::from(matches!(self.peek(0), Some('+' | '-')));
        digit(sign) || (self.peek(sign) == Some('.') && digit(sign + 1))
    }

    fn number(&mut self) -> Token {
        let mut text = String::new();
        text.extend(self.take_if(|c| c == '+' || c == '-'));
        self.digits(&mut text);
        if self.peek(0) == Some('.') && self.peek(1).is_some_and(|c| c.is_ascii_digit()) {
            text.extend(self.rest.next());
            self.digits(&mut text);
        }
        let sign = usize::from(matches!(self.peek(1), Some('+' | '-')));
        if matches!(self.peek(0), Some('e' | 'E')) && self.peek(1 + sign).is_some_and(|c| c.is_ascii_digit())
        {
            text.extend(self.rest.by_ref().take(1 + sign));
            self.digits(&mut text);
        }
        let unit = match self.take_if(|c| c == '%') {
            Some(_) => "%".into(),
            None if self.begins_name() => self.name(),
            None => String::new(),
        };
        Token::Number(text.parse().unwrap_or(0.0), unit)
    }

    fn digits(&mut self, text: &mut String) {
        while let Some(digit) = self.take_if(|c| c.is_ascii_digit()) {
            text.push(digit);
        }
    }

    fn name_or_function(&mut self) -> Token {
        let name = self.name();
        if self.take_if(|c| c == '(').is_none() {
            return Token::Ident(name);
        }
        let inside = self.rest.as_str().trim_start_matches(|c: char| c.is_ascii_whitespace());
        if name != "url" || inside.starts_with(['"', '\'']) {
            return Token::Function(name);
        }
        while let Some(c) = self.rest.next() {
            match c {
                ')' => break,
                '\\' => drop(self.take_if(|c| !is_line_end(c))),
                _ => {}
            }
        }
        Token::Text(String::new())
    }

    fn name(&mut self) -> String {
        let (mut name, mut length) = (String::new(), 0);
        loop {
            let next = match self.take_if(is_name) {
                Some(plain) => plain,
                None if self.is_escape(0) => self.escaped(),
                None => return name,
            };
            length += 1;
            if length <= MAX_NAME {
                name.push(next.to_ascii_lowercase());
            }
        }
    }

    /// The character that an escape stands for.
    fn escaped(&mut self) -> char {
        self.rest.next();
        let (mut code, mut digits) = (0, 0);
        while let Some(digit) = self.peek(0).and_then(|c| c.to_digit(16)).filter(|_| digits < 6) {
            (code, digits) = (code * 16 + digit, digits + 1);
            self.rest.next();
        }
        if digits == 0 {
            return self.rest.next().unwrap_or(char::REPLACEMENT_CHARACTER);
        }
        self.take_if(|c| c.is_ascii_whitespace());
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// A string ends at its quote, or at the end of the line.
    fn string(&mut self, quote: char) -> Token {
        let (mut text, mut length) = (String::new(), 0);
        while let Some(c) = self.take_if(|c| !is_line_end(c)) {
            match c {
                '\\' => drop(self.rest.next()),
                c if c == quote => break,
                c if length < MAX_NAME => {
                    text.push(c);
                    length += 1;
                }
                _ => {}
            }
        }
        Token::Text(text)
    }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{c}')
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}

fn is_name(c: char) -> bool {
    is_name_start(c) || c.is_ascii_digit() || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(style: &str, expected: &[&str]) {
        let found: Vec<String> = declarations(style).map(|one| one.property).collect();
        assert_eq!(found, expected, "{style}");
    }

    #[test]
    fn declarations_are_found_where_browsers_find_them() {
        check("color:red;DISPLAY : none", &["color", "display"]);
        check("--x:\"/*\";display:none", &["--x", "display"]);
        check("--x:'a\\';';display:none", &["--x", "display"]);
        check("--x:'a\n;display:none", &["--x", "display"]);
        check("a:url(/*);display:none", &["a", "display"]);
        check("a:u\\72l( /*';\\)x );display:none", &["a", "display"]);
        check("a:url( '/*' );display:none", &["a", "display"]);
        check("a:\\22;display:none", &["a", "display"]);
        check("a\\:b:c;\\64 isplay:none", &["a:b", "display"]);
        check("a{b:c}display:none", &["b", "display"]);
        check("/* display:none */", &[]);
        check("dis/**/play:none", &[]);
        check("a:'display:none;", &["a"]);
        check("$display:none;;:x;1:y", &[]);
    }

    #[test]
    fn values_become_tokens() {
        let check = |value: &str, expected: &[Token]| {
            let found: Vec<Declaration> = declarations(&format!("a:{value}")).collect();
            let is_important = value.contains('!');
            let expected = vec![Declaration { property: "a".into(), value: expected.to_vec(), is_important }];
            assert_eq!(found, expected, "{value}");
        };
        let number = |number: f64, unit: &str| Token::Number(number, unit.into());
        check("NO\\6e e !important", &[Token::Ident("none".into())]);
        check("-.5E1Px", &[number(-5.0, "px")]);
        check("1e-3", &[number(0.001, "")]);
        check("0\\70 x/**/2%", &[number(0.0, "px"), number(2.0, "%")]);
        check("1--2", &[number(1.0, "--2")]);
        check(
            "var(--Q,0)",
            &[
                Token::Function("var".into()),
                Token::Ident("--q".into()),
                Token::Sign(','),
                number(0.0, ""),
                Token::Sign(')'),
            ],
        );
        check(
            "#FFF \"x\" url(y)",
            &[Token::Hash("fff".into()), Token::Text("x".into()), Token::Text(String::new())],
        );
        check(&"x ".repeat(1000), &vec![Token::Ident("x".into()); MAX_TOKENS]);
    }
}
