//! Expands words: quotes, variables, substitutions, operators.

use super::super::expansion_operators::{applied, slice};
use super::super::shell_text::unescaped;
use super::super::unresolved_words::quoted;
use super::brace_lists::alternatives;
use super::fields::{Field, FieldBuilder, UNKNOWN, Value, is_known, unknown, without_marks};
use super::shell::Shell;
use super::spans::{End, escaped_length, length_until};
use super::variables::POSITIONAL;

/// Expansions inside expansions that are followed.
const MAX_DEPTH: usize = 16;

/// How a text is quoted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    Word,
    /// Quotes are ordinary characters: here-documents and arithmetic.
    Document,
}

impl Shell<'_> {
    /// The arguments that words become.
    pub(super) fn fields(&mut self, words: &[String]) -> Vec<Field> {
        let mut fields = Vec::new();
        for word in words {
            let listed = if self.spend(word.len() / 8) { alternatives(word) } else { Vec::new() };
            let size = listed.iter().map(String::len).sum::<usize>() / 4;
            let listed = if listed.len() < 2 || self.afford(size) { listed } else { vec![unknown()] };
            for word in listed {
                let separators = self.variables().text("IFS").unwrap_or(" \t\n").to_owned();
                let mut builder = FieldBuilder::new(Some(separators));
                self.expand(&word, Quoting::Word, &mut builder);
                fields.extend(builder.finish());
            }
        }
        fields.into_iter().flat_map(|field| self.with_file_names(field)).collect()
    }

    /// One text, without splitting: the value of an assignment, the target of a redirect.
    pub(super) fn text(&mut self, word: &str) -> String {
        self.joined(word, Quoting::Word)
    }

    /// A pattern, with the wildcards marked that are not quoted.
    pub(super) fn pattern(&mut self, word: &str) -> String {
        let mut builder = FieldBuilder::new(Some(String::new()));
        self.expand(word, Quoting::Word, &mut builder);
        builder.finish().into_iter().map(|field| field.text).collect()
    }

    /// A here-document or an arithmetic expression.
    pub(super) fn document(&mut self, text: &str) -> String {
        if text.contains(['$', '`', '\\']) { self.joined(text, Quoting::Document) } else { text.to_owned() }
    }

    fn joined(&mut self, text: &str, quoting: Quoting) -> String {
        let mut builder = FieldBuilder::new(None);
        self.expand(text, quoting, &mut builder);
        builder.finish().into_iter().map(|field| field.text).collect()
    }

    fn expand(&mut self, text: &str, quoting: Quoting, builder: &mut FieldBuilder) {
        let (mut rest, mut in_quotes) = (text, quoting == Quoting::Document);
        if !self.spend(text.len() / 8) {
            builder.push(&unknown());
            return;
        }
        while let Some(c) = rest.chars().next() {
            let length = match c {
                '"' if quoting == Quoting::Word => {
                    in_quotes = !in_quotes;
                    // A list may be empty.
                    if in_quotes && !rest.starts_with("\"$@\"") && !rest.starts_with("\"${") {
                        builder.push("");
                    }
                    1
                }
                '\\' => escape(rest, in_quotes, builder),
                '\'' if !in_quotes => {
                    let inner =
                        rest.get(1..).and_then(|rest| rest.split_once('\'')).map_or("", |(inner, _)| inner);
                    builder.push(inner);
                    inner.len() + 2
                }
                '$' | '`' => self.expand_dollar(rest, in_quotes, builder),
                '<' | '>' if !in_quotes && rest.get(1..).is_some_and(|rest| rest.starts_with('(')) => {
                    let length = length_until(rest.get(2..).unwrap_or_default(), End::Parenthesis);
                    let inner = length.and_then(|length| rest.get(2..length + 2)).unwrap_or_default();
                    builder.push(&self.process(inner, c == '<'));
                    inner.len() + 3
                }
                '~' if !in_quotes && builder.is_empty() => {
                    builder.push(&unknown());
                    1
                }
                c if in_quotes => {
                    builder.push(c.encode_utf8(&mut [0; 4]));
                    c.len_utf8()
                }
                c => {
                    builder.push_unquoted(c.encode_utf8(&mut [0; 4]));
                    c.len_utf8()
                }
            };
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    /// Expands what begins with `$` or a backtick, and returns its length.
    fn expand_dollar(&mut self, rest: &str, in_quotes: bool, builder: &mut FieldBuilder) -> usize {
        if let Some(inner) = rest.strip_prefix("$'").filter(|_| !in_quotes) {
            let end = escaped_length(rest.get(1..).unwrap_or_default()).map_or(inner.len(), |end| end - 2);
            builder.push(&without_marks(&unescaped(inner.get(..end).unwrap_or_default())));
            return end + 3;
        }
        if rest.starts_with("$\"") && !in_quotes {
            return 1;
        }
        if self.depth >= MAX_DEPTH {
            self.cut();
            builder.push(&unknown());
            return rest.len();
        }
        self.depth += 1;
        let found = self.dollar(rest);
        self.depth -= 1;
        match found {
            Some((value, length)) => {
                let size: usize = value.fields.iter().map(String::len).sum();
                let value = if self.afford(size) { value } else { Value::one(unknown()) };
                let joint: String = self.variables().text("IFS").unwrap_or(" ").chars().take(1).collect();
                builder.put(&value, in_quotes, &joint);
                length
            }
            None => {
                builder.push(rest.get(..1).unwrap_or_default());
                1
            }
        }
    }

    /// The value of the expansion at the start of a text, and its length.
    fn dollar(&mut self, text: &str) -> Option<(Value, usize)> {
        if let Some(inner) = text.strip_prefix('`') {
            let length = length_until(inner, End::Backtick)?;
            let command = inner.get(..length)?.replace("\\`", "`").replace("\\\\", "\\").replace("\\$", "$");
            return Some((Value::one(self.substitution(&command)), length + 2));
        }
        let inner = text.strip_prefix('$')?;
        if let Some(braced) = inner.strip_prefix('{') {
            let length = length_until(braced, End::Brace)?;
            let value = self.braced(braced.get(..length)?).unwrap_or_else(|| Value::one(unknown()));
            return Some((value, length + 3));
        }
        if let Some(command) = inner.strip_prefix('(') {
            let length = length_until(command, End::Parenthesis)?;
            let command = command.get(..length)?;
            let sum = command.strip_prefix('(').and_then(|sum| sum.strip_suffix(')'));
            // `$((a)|(b))` is a substitution.
            let sum = sum.filter(|sum| length_until(sum, End::Parenthesis).is_none());
            let value = match sum {
                Some(sum) => self.number(sum),
                None => self.substitution(command),
            };
            return Some((Value::one(value), length + 3));
        }
        if let Some(sum) = inner.strip_prefix('[') {
            let length = sum.find(']')?;
            return Some((Value::one(self.number(sum.get(..length)?)), length + 3));
        }
        let length = match inner.chars().next()? {
            '@' | '*' | '#' | '?' | '$' | '!' | '-' | '0'..='9' => 1,
            _ => inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len()),
        };
        let name = inner.get(..length).filter(|name| !name.is_empty())?;
        let value = self.parameter(name, "").unwrap_or_else(|| Value::one(unknown()));
        Some((value, length + 1))
    }

    fn number(&mut self, sum: &str) -> String {
        self.arithmetic(sum).map_or_else(unknown, |number| number.to_string())
    }

    /// The value of an expansion in braces.
    fn braced(&mut self, whole: &str) -> Option<Value> {
        if let Some(name) = whole.strip_prefix('#').filter(|name| !name.is_empty()) {
            let value = self.parameter(name, "")?;
            let is_many = value.is_list || name.ends_with("[*]");
            let count = if is_many { value.fields.len() } else { value.fields.concat().chars().count() };
            return value.fields.iter().all(|field| is_known(field)).then(|| Value::one(count.to_string()));
        }
        if let Some(name) = whole.strip_prefix('!') {
            return self.indirect(name);
        }
        let name = match whole.chars().next()? {
            '@' | '*' | '#' => 1,
            _ => whole.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(whole.len()),
        };
        let subscript = whole.get(name..).filter(|rest| rest.starts_with('['));
        let subscript = subscript.map_or(Some(0), |rest| rest.find(']').map(|at| at + 1))?;
        let (name, operator) =
            whole.split_at_checked(name + subscript).filter(|(name, _)| !name.is_empty())?;
        self.parameter(name, operator)
    }

    /// `${!name}`, `${!#}`, `${!prefix*}`, `${!array[@]}`
    fn indirect(&mut self, name: &str) -> Option<Value> {
        if name == "#" {
            return self.variables().positional().last().cloned().map(Value::one);
        }
        if let Some(prefix) = name.strip_suffix(['*', '@']) {
            return Some(Value { fields: self.variables().names_with(prefix), is_list: true });
        }
        if let Some(array) = name.strip_suffix("[@]").or(name.strip_suffix("[*]")) {
            let keys = self.variables().get(array)?.iter().map(|(key, _)| key.clone()).collect();
            return Some(Value { fields: keys, is_list: true });
        }
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
        let (name, operator) = name.split_at_checked(end)?;
        let named = self.parameter(name, "")?;
        self.parameter(named.fields.first()?, operator)
    }

    /// The value of `name`, `name[0]`, `name[@]`, `1` or `@` after an operator.
    fn parameter(&mut self, name: &str, operator: &str) -> Option<Value> {
        let referred = self.variables().referred(name).map(str::to_owned);
        let name = referred.as_deref().unwrap_or(name);
        let (base, index) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((base, index)) => (base, Some(index)),
            None => (name, None),
        };
        let is_all = matches!(base, "@" | "*");
        let position = base.parse::<usize>().ok();
        let is_list = matches!(index, Some("@")) || name == "@";
        let is_many = is_list || matches!(index, Some("*")) || name == "*";
        let stored = if is_all || position.is_some() { POSITIONAL } else { base };
        let key = match index.filter(|_| !is_many) {
            Some(index) => match self.key(index, stored) {
                Some(key) => key,
                None => {
                    self.keep_elements(stored);
                    return None;
                }
            },
            None => "0".to_owned(),
        };
        let count = self.variables().get(stored).map_or(0, Vec::len);
        if !self.afford(if is_many { count } else { count / 64 }) {
            return None;
        }
        let all = self.variables().get(stored);
        let found: Option<Vec<String>> = match (all, position) {
            _ if base == "#" => Some(vec![self.variables().positional_count().to_string()]),
            // With `extdebug`, the arguments of functions from the last to the first.
            _ if base == "BASH_ARGV" => {
                let arguments = self.variables().positional();
                Some(arguments.into_iter().rev().collect())
            }
            _ if base == "_" => Some(vec![self.last_argument.clone()]),
            // Others than `false` and tests end with other numbers.
            _ if base == "?" => self.status.map(|succeeded| vec![if succeeded { "0" } else { "1" }.into()]),
            (_, Some(0)) => self.program.clone().map(|program| vec![program]),
            (Some(all), Some(position)) => all.get(position - 1).map(|(_, value)| vec![value.clone()]),
            (Some(all), None) if is_many => Some(all.iter().map(|(_, value)| value.clone()).collect()),
            (Some(all), None) => {
                all.iter().find(|(known, _)| *known == key).map(|(_, value)| vec![value.clone()])
            }
            (None, _) => None,
        };
        if matches!(operator, "@a" | "@A" | "@K" | "@k") && position.is_none() && !is_all {
            return self.described(base, operator, is_many);
        }
        if let Some(value) = self.with_default(base, operator, found.as_ref(), is_list) {
            return Some(value);
        }
        // A parameter that is not given is empty.
        let is_given = position.is_none_or(|at| at == 0) && !self.is_unset(base);
        let empty = if is_many { Vec::new() } else { vec![String::new()] };
        let found = found.or_else(|| (!is_given).then_some(empty))?;
        let fields = self.operated(found, operator, (is_many, is_all))?;
        Some(Value { fields, is_list })
    }

    /// The values after an operator.
    fn operated(
        &mut self,
        found: Vec<String>,
        operator: &str,
        (is_many, is_all): (bool, bool),
    ) -> Option<Vec<String>> {
        Some(match operator.strip_prefix(':') {
            // The positional parameters start with the second.
            Some(range) if is_many && is_all => {
                let range = self.range(range);
                slice(&[vec![String::new()], found].concat(), &range)?.to_vec()
            }
            Some(range) if is_many => slice(&found, &self.range(range))?.to_vec(),
            Some(range) => {
                let operator = format!(":{}", self.range(range));
                vec![self.operate(found.first()?, &operator)?]
            }
            None if operator.is_empty() => found,
            None => {
                let operator =
                    if operator.contains('$') { self.document(operator) } else { operator.to_owned() };
                found.iter().map(|value| self.operate(value, &operator)).collect::<Option<_>>()?
            }
        })
    }

    /// Whether a variable that the text has not set is empty. Those in capital letters may come from outside.
    fn is_unset(&self, name: &str) -> bool {
        let is_own = name.contains(|c: char| c.is_ascii_lowercase()) && !name.ends_with("_proxy");
        is_own && !self.is_open && self.variables().get(name).is_none()
    }

    fn operate(&mut self, value: &str, operator: &str) -> Option<String> {
        if !is_known(value) || !is_known(operator) || !self.afford(value.len() / 8) {
            return None;
        }
        match operator {
            "@Q" => Some(quoted(value)),
            "@E" => Some(without_marks(&unescaped(value))),
            "@u" | "@U" | "@L" => applied(value, operator, self.budget()),
            "@P" => {
                let prompt = without_marks(&unescaped(value));
                Some(self.document(&prompt))
            }
            _ if self.keeps_ampersands && operator.starts_with('/') => {
                applied(value, &operator.replace('&', "\\&"), self.budget())
            }
            _ => applied(value, operator, self.budget()),
        }
    }

    /// `${name:-value}` and its like, if they apply.
    fn with_default(
        &mut self,
        name: &str,
        operator: &str,
        found: Option<&Vec<String>>,
        is_list: bool,
    ) -> Option<Value> {
        let operation = operator.strip_prefix(':').unwrap_or(operator);
        let sign = operation.chars().next().filter(|sign| "-=+?".contains(*sign))?;
        if operator.starts_with(": ") {
            return None;
        }
        let word = operation.get(1..)?;
        let is_empty = operator.starts_with(':') && found.is_some_and(|found| found.concat().is_empty());
        let found = found.filter(|found| !is_empty && !found.is_empty());
        match (sign, found) {
            ('+', Some(_)) | ('-' | '=', None) => {
                let word = self.fields(&super::parser::words(word));
                let fields: Vec<String> = word.into_iter().map(|field| field.text).collect();
                if sign == '=' {
                    self.variables_mut().set(name, fields.join(" "));
                }
                Some(Value { fields, is_list })
            }
            ('+', None) => Some(Value { fields: vec![String::new()], is_list }),
            (_, found) => found.map(|found| Value { fields: found.clone(), is_list }),
        }
    }

    /// The numbers of a range, with the values of variables.
    fn range(&mut self, range: &str) -> String {
        if !range.contains(|c: char| c.is_ascii_alphabetic() || "$+*/%".contains(c)) {
            return range.to_owned();
        }
        let numbers: Vec<String> = range.splitn(2, ':').map(|sum| self.number(sum)).collect();
        numbers.join(":")
    }

    /// The key that an index names: a key, a number, a sum, or a number from the end.
    pub(super) fn key(&mut self, index: &str, name: &str) -> Option<String> {
        let given = self.text(index);
        let elements = self.variables().get(name).map(Vec::as_slice).unwrap_or_default();
        if elements.iter().any(|(key, _)| *key == given) {
            return Some(given);
        }
        if given.contains(UNKNOWN) || !self.spend(elements.len() / 8) {
            return None;
        }
        let has_keys = elements.iter().any(|(key, _)| key.parse::<usize>().is_err())
            || self.variables().has_attribute(name, 'A');
        let end = elements.last().and_then(|(key, _)| key.parse::<usize>().ok()).map_or(0, |key| key + 1);
        if has_keys {
            return Some(given);
        }
        let at = self.arithmetic(&given)?;
        if at >= 0 {
            return Some(at.to_string());
        }
        let back = usize::try_from(at.unsigned_abs()).ok()?;
        end.checked_sub(back).map(|at| at.to_string())
    }
}

/// Whether a text is a word without quotes.
pub(super) fn is_plain_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:,+@%".contains(c))
}

/// Adds what a backslash escapes, and returns the length of both.
fn escape(rest: &str, in_quotes: bool, builder: &mut FieldBuilder) -> usize {
    let Some(escaped) = rest.chars().nth(1) else {
        builder.push("\\");
        return 1;
    };
    if in_quotes && !matches!(escaped, '$' | '`' | '"' | '\\' | '\n') {
        builder.push("\\");
    }
    if escaped != '\n' {
        builder.push(escaped.encode_utf8(&mut [0; 4]));
    }
    1 + escaped.len_utf8()
}
