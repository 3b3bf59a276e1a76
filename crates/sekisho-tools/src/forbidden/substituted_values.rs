//! The text with the values of its variables, arrays and positional parameters in their places, where they are made of
//! each other: `a=(-r); a+=(-f); rm "${a[@]}" x`, `o=-r; o="$o -f"; rm $o x`, `set -- r m; $1$2 -rf x`.
//!
//! The text is read from left to right with the quoting of a shell. Branches, loops and functions are read as if they
//! ran once; a second reading keeps the first value of a variable, for the other branch. What is not followed stays.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::expansion_operators::{applied, slice};
use super::shell_text::{MAX_EXPANSION, brace_length, command_length, length_until, unescaped, word_length};
use super::unresolved_words::{formatted, quoted};

/// How many names of names are followed.
const MAX_HOPS: usize = 8;

/// Expansions inside expansions that are followed.
const MAX_DEPTH: usize = 16;
/// Builtins that set values.
const BUILTINS: [&str; 7] = ["declare", "typeset", "local", "set", "shift", "printf", "read"];

/// The texts with the values in place.
pub(super) fn with_values(text: &str, budget: &Budget) -> Vec<String> {
    let sets_values =
        text.contains('=') || ["set ", "printf ", "read "].iter().any(|name| text.contains(name));
    if !sets_values || !text.contains('$') {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    for keeps_first in [false, true] {
        if !budget.spend(text.len()) {
            break;
        }
        let mut reader = Reader {
            rest: text,
            values: BTreeMap::new(),
            references: BTreeMap::new(),
            done: String::new(),
            any: false,
            keeps_first,
            depth: 0,
            budget,
        };
        reader.read();
        if reader.any && !found.contains(&reader.done) {
            found.push(reader.done);
        }
    }
    found
}

/// The elements of a variable by their index or key. A variable that is no array has one.
type Elements = Vec<(String, String)>;

struct Reader<'t> {
    rest: &'t str,
    /// By name; `@` for the positional parameters.
    values: BTreeMap<String, Elements>,
    /// `declare -n reference=name`
    references: BTreeMap<String, String>,
    done: String,
    any: bool,
    keeps_first: bool,
    depth: usize,
    budget: &'t Budget,
}

/// What the reader is inside of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    DoubleQuotes,
    Parentheses,
}

/// What an expansion becomes.
struct Expansion {
    fields: Vec<String>,
    /// Each field is a word of its own, also in quotes.
    is_list: bool,
    /// How long it is in the text.
    length: usize,
}

impl Expansion {
    /// The words that it becomes, inside or outside double quotes.
    fn words(self, in_quotes: bool) -> Vec<String> {
        match (in_quotes, self.is_list) {
            (true, true) => self.fields,
            (true, false) => vec![self.fields.join(" ")],
            (false, _) => {
                let words = self.fields.iter().flat_map(|field| field.split_whitespace());
                words.map(str::to_owned).collect()
            }
        }
    }
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut inside: Vec<Inside> = Vec::new();
        let mut is_start = true;
        let mut documents: Vec<String> = Vec::new();
        while let Some(c) = self.rest.chars().next().filter(|_| !self.budget.is_spent()) {
            let in_quotes = inside.last() == Some(&Inside::DoubleQuotes);
            if is_start && !in_quotes && self.statement() {
                is_start = false;
                continue;
            }
            let was_start = is_start;
            is_start = !in_quotes && (c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | '{' | '`'));
            match c {
                '\\' => self.copy(1 + self.rest.chars().nth(1).map_or(0, char::len_utf8)),
                '\'' if !in_quotes => {
                    let end = self.rest.get(1..).and_then(|rest| rest.find('\''));
                    self.copy(end.map_or(1, |end| end + 2));
                }
                '#' if was_start && !in_quotes => self.copy(self.rest.find('\n').unwrap_or(self.rest.len())),
                '"' => {
                    if in_quotes {
                        inside.pop();
                    } else {
                        inside.push(Inside::DoubleQuotes);
                    }
                    self.copy(1);
                }
                '<' if !in_quotes && self.rest.starts_with("<<<") => self.copy(3),
                '<' if !in_quotes && self.rest.starts_with("<<") => {
                    documents.extend(self.document_end());
                    self.copy(2);
                }
                '\n' => {
                    self.copy(1);
                    documents.drain(..).for_each(|end| self.document(&end));
                }
                '(' | ')' if !in_quotes => {
                    if c == '(' {
                        inside.push(Inside::Parentheses);
                    } else if inside.last() == Some(&Inside::Parentheses) {
                        inside.pop();
                    }
                    self.copy(1);
                }
                '$' if self.rest.starts_with("$(") => {
                    inside.push(Inside::Parentheses);
                    is_start = true;
                    self.copy(2);
                }
                '$' => match self.expansion(self.rest) {
                    Some(found) if self.budget.spend(found.fields.iter().map(String::len).sum()) => {
                        self.put(&found, in_quotes);
                    }
                    _ => self.copy(1),
                },
                c => self.copy(c.len_utf8()),
            }
        }
        self.done.push_str(self.rest);
    }

    fn copy(&mut self, length: usize) {
        let (copied, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.done.push_str(copied);
        self.rest = rest;
    }

    /// The line that ends the here-document whose operator follows.
    fn document_end(&self) -> Option<String> {
        let rest = self.rest.strip_prefix("<<")?;
        let word = rest.strip_prefix('-').unwrap_or(rest).trim_start_matches([' ', '\t']);
        let word = word.get(..word_length(word))?;
        self.budget.spend(word.len()).then(|| word.replace(['\'', '"', '\\'], ""))
    }

    /// Copies the lines of a here-document.
    fn document(&mut self, end: &str) {
        while !self.rest.is_empty() {
            let length = self.rest.find('\n').map_or(self.rest.len(), |at| at + 1);
            let line = self.rest.get(..length).unwrap_or_default().trim();
            let is_end = line == end;
            self.copy(length);
            if is_end {
                return;
            }
        }
    }

    /// Writes the value of an expansion, quoted: a value never contains operators.
    fn put(&mut self, found: &Expansion, in_quotes: bool) {
        self.any = true;
        let all = |fields: &mut dyn Iterator<Item = &str>| fields.map(quoted).collect::<Vec<_>>().join(" ");
        let text = match (in_quotes, found.is_list) {
            (true, true) => all(&mut found.fields.iter().map(String::as_str)),
            (true, false) => quoted(&found.fields.join(" ")),
            (false, _) => all(&mut found.fields.iter().flat_map(|field| field.split_whitespace())),
        };
        let text = if in_quotes { format!("\"{text}\"") } else { text };
        self.done.push_str(&text);
        self.rest = self.rest.get(found.length..).unwrap_or_default();
    }

    /// Reads a statement that sets a value, and copies it.
    fn statement(&mut self) -> bool {
        let rest = self.rest;
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        let arguments = rest.get(word.len()..).unwrap_or_default();
        if !BUILTINS.contains(&word) {
            let length = self.assignment();
            length.into_iter().for_each(|length| self.copy(length));
            return length.is_some();
        }
        let command = arguments.get(..command_length(arguments)).unwrap_or(arguments);
        if !self.budget.spend(command.len()) {
            return false;
        }
        let length = match word {
            "declare" | "typeset" | "local" => {
                self.declare_reference(command).then(|| word.len() + command.len())
            }
            "set" if command.starts_with(' ') => self.fields(command).map(|fields| {
                let is_option = |word: &&String| word.starts_with(['-', '+']) && word.as_str() != "--";
                let fields = fields.iter().skip_while(is_option).filter(|word| word.as_str() != "--");
                let fields: Vec<String> = fields.cloned().collect();
                self.store("@", numbered(fields));
                word.len() + command.len()
            }),
            "shift" => {
                let kept = self
                    .values
                    .get("@")
                    .map(|all| all.iter().skip(1).map(|(_, value)| value.clone()).collect());
                kept.into_iter().for_each(|kept| self.store("@", numbered(kept)));
                None
            }
            "printf" => {
                command.trim_start().strip_prefix("-v ").and_then(|given| self.fields(given)).and_then(
                    |fields| {
                        let (name, texts) = fields.split_first()?;
                        let texts: Vec<String> = texts.iter().map(|text| unescaped(text)).collect();
                        self.assign(name, formatted(&texts));
                        Some(word.len() + command.len())
                    },
                )
            }
            "read" => command.split_once("<<<").and_then(|(names, text)| {
                let (names, text) = (self.fields(names)?, self.fields(text)?.join(" "));
                self.read_into(&names, &text);
                Some(word.len() + command.len())
            }),
            _ => None,
        };
        length.is_some_and(|length| {
            self.copy(length);
            true
        })
    }

    /// `declare -n name=other`: the name then stands for the other variable.
    fn declare_reference(&mut self, command: &str) -> bool {
        let options = command.split_whitespace().next().unwrap_or_default();
        if !options.starts_with('-') || !options.contains('n') {
            return false;
        }
        let pair = command.trim_start().get(options.len()..).unwrap_or_default().trim();
        let pair = pair.split_once('=');
        self.references.extend(pair.map(|(name, value)| (name.to_owned(), value.replace(['"', '\''], ""))));
        true
    }

    fn read_into(&mut self, words: &[String], text: &str) {
        let is_array = words.iter().any(|word| word.starts_with('-') && word.contains('a'));
        let names: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
        let mut parts = text.split_whitespace().map(str::to_owned);
        for (at, name) in names.iter().enumerate() {
            if is_array {
                self.store(name, numbered(parts.by_ref().collect()));
            } else if at + 1 == names.len() {
                self.assign(name, parts.by_ref().collect::<Vec<_>>().join(" "));
            } else {
                self.assign(name, parts.next().unwrap_or_default());
            }
        }
    }

    /// `name=value`, `name+=value`, `name[0]=value`, `name=(…)` and `name+=(…)`: the length, if the value is known.
    fn assignment(&mut self) -> Option<usize> {
        let rest = self.rest;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        let (name, after) = rest.split_at_checked(end).filter(|(name, _)| is_name(name))?;
        let (index, after) = match after.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            Some((index, after)) => (Some(index), after),
            None => (None, after),
        };
        let (appends, value) = match after.strip_prefix("+=") {
            Some(value) => (true, value),
            None => (false, after.strip_prefix('=')?),
        };
        let before = rest.len() - value.len();
        let old = self.elements(name).cloned().unwrap_or_default();
        if let Some(list) = value.strip_prefix('(') {
            let length = length_until(list, |c| c == ')');
            if !self.budget.spend(length) {
                return None;
            }
            let text = list.get(..length)?;
            let Some(fields) = self.fields(text) else {
                self.values.remove(name);
                return None;
            };
            let kept = if appends { old } else { Vec::new() };
            let mut elements = kept;
            for field in fields {
                let keyed = field.strip_prefix('[').and_then(|field| field.split_once("]="));
                let (key, value) = keyed
                    .map_or((elements.len().to_string(), field.as_str()), |(key, value)| {
                        (key.to_owned(), value)
                    });
                if !self.budget.spend(elements.len()) {
                    return None;
                }
                put_element(&mut elements, key, value.to_owned());
            }
            self.store(name, elements);
            return Some((before + length + 2).min(rest.len()));
        }
        let length = word_length(value);
        let text = value.get(..length).filter(|text| self.budget.spend(text.len()))?;
        let Some(fields) = self.fields(text) else {
            self.values.remove(name);
            return None;
        };
        let new = fields.join(" ");
        let key =
            index.map_or(Some("0".to_owned()), |index| self.key(index, &old)).unwrap_or_else(|| "0".into());
        let previous = old.iter().find(|(known, _)| *known == key).map(|(_, value)| value.as_str());
        let new = if appends { format!("{}{new}", previous.unwrap_or_default()) } else { new };
        if index.is_some() || appends {
            let mut elements = old;
            put_element(&mut elements, key, new);
            self.values.insert(self.target(name), elements);
        } else {
            self.assign(name, new);
        }
        Some(before + length)
    }

    fn assign(&mut self, name: &str, value: String) {
        match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((name, index)) => {
                let mut elements = self.elements(name).cloned().unwrap_or_default();
                put_element(&mut elements, index.to_owned(), value);
                self.values.insert(self.target(name), elements);
            }
            None => self.store(name, vec![("0".into(), value)]),
        }
    }

    fn store(&mut self, name: &str, elements: Elements) {
        let name = self.target(name);
        // A value that is made of the old one contains it.
        let is_other = self.values.get(&name).is_some_and(|old| {
            let all =
                |elements: &Elements| elements.iter().map(|(_, value)| value.as_str()).collect::<String>();
            !all(&elements).contains(&all(old))
        });
        let size = elements.iter().map(|(_, value)| value.len() + 1).sum();
        if self.budget.spend(size) && !(self.keeps_first && is_other && name != "@") {
            self.values.insert(name, elements);
        }
    }

    /// The name that a reference stands for.
    fn target(&self, name: &str) -> String {
        let mut name = name;
        for _ in 0..MAX_HOPS {
            let Some(next) = self.references.get(name) else { break };
            name = next;
        }
        name.to_owned()
    }

    fn elements(&self, name: &str) -> Option<&Elements> {
        self.values.get(&self.target(name))
    }

    /// The words of a text. `None` if some of it is not known.
    fn fields(&mut self, text: &str) -> Option<Vec<String>> {
        let mut fields: Vec<String> = Vec::new();
        let mut current: Option<String> = None;
        let mut rest = text;
        let mut in_quotes = false;
        while let Some(c) = rest.chars().next() {
            let mut length = c.len_utf8();
            match c {
                '"' => {
                    in_quotes = !in_quotes;
                    current.get_or_insert_default();
                }
                '\\' => {
                    let escaped = rest.chars().nth(1)?;
                    let is_kept = in_quotes && !matches!(escaped, '$' | '`' | '"' | '\\');
                    let field = current.get_or_insert_default();
                    if is_kept {
                        field.push('\\');
                    }
                    if escaped != '\n' {
                        field.push(escaped);
                    }
                    length += escaped.len_utf8();
                }
                '\'' if !in_quotes => {
                    let (inner, _) = rest.get(1..)?.split_once('\'')?;
                    current.get_or_insert_default().push_str(inner);
                    length = inner.len() + 2;
                }
                '$' if !in_quotes && rest.starts_with("$'") => {
                    let (inner, _) = rest.get(2..)?.split_once('\'')?;
                    current.get_or_insert_default().push_str(&unescaped(inner));
                    length = inner.len() + 3;
                }
                '$' => {
                    let found = self.expansion(rest)?;
                    if !self.budget.spend(found.fields.iter().map(String::len).sum()) {
                        return None;
                    }
                    length = found.length;
                    let parts = found.words(in_quotes);
                    for (at, part) in parts.iter().enumerate() {
                        if at > 0 {
                            fields.extend(current.take());
                        }
                        current.get_or_insert_default().push_str(part);
                    }
                }
                '`' => return None,
                '#' if !in_quotes && current.is_none() => length = rest.find('\n').unwrap_or(rest.len()),
                c if !in_quotes && c.is_whitespace() => fields.extend(current.take()),
                c => current.get_or_insert_default().push(c),
            }
            rest = rest.get(length..)?;
        }
        fields.extend(current);
        Some(fields)
    }

    /// The value of the expansion at the start of a text.
    fn expansion(&mut self, text: &str) -> Option<Expansion> {
        let inner = text.strip_prefix('$')?;
        let Some(braced) = inner.strip_prefix('{') else {
            let length = match inner.chars().next()? {
                '@' | '*' | '0'..='9' => 1,
                _ => inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len()),
            };
            let (fields, is_list) =
                self.parameter(inner.get(..length).filter(|name| !name.is_empty())?, "")?;
            return Some(Expansion { fields, is_list, length: length + 1 });
        };
        let length = brace_length(braced).filter(|_| self.depth < MAX_DEPTH);
        if !self.budget.spend(length.unwrap_or(MAX_EXPANSION)) {
            return None;
        }
        let whole = braced.get(..length?)?;
        self.depth += 1;
        let found = self.braced(whole);
        self.depth -= 1;
        let (fields, is_list) = found?;
        Some(Expansion { fields, is_list, length: whole.len() + 3 })
    }

    /// The value of the expansion in braces, and whether it is a list.
    fn braced(&mut self, whole: &str) -> Option<(Vec<String>, bool)> {
        match whole.strip_prefix('!') {
            Some("#") => Some((vec![self.values.get("@")?.last()?.1.clone()], false)),
            Some(name) => {
                let (named, _) = self.parameter(name, "")?;
                self.parameter(named.first()?, "")
            }
            None => {
                let name = match whole.chars().next()? {
                    '@' | '*' => 1,
                    _ => whole.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(whole.len()),
                };
                let subscript = whole.get(name..).filter(|rest| rest.starts_with('['));
                let subscript = subscript.map_or(Some(0), |rest| rest.find(']').map(|at| at + 1))?;
                let (name, operator) =
                    whole.split_at_checked(name + subscript).filter(|(name, _)| !name.is_empty())?;
                self.parameter(name, operator)
            }
        }
    }

    /// The value of `name`, `name[0]`, `name[@]`, `1` or `@` after an operator, and whether it is a list.
    fn parameter(&mut self, name: &str, operator: &str) -> Option<(Vec<String>, bool)> {
        let (base, index) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((base, index)) => (base, Some(index)),
            None => (name, None),
        };
        let position = base.parse::<usize>().ok();
        let is_all = matches!(base, "@" | "*");
        let base = if is_all || position.is_some() { "@" } else { base };
        let size = self.elements(base).map_or(0, |all| all.iter().map(|(_, value)| value.len() + 1).sum());
        let elements = self.elements(base).filter(|_| self.budget.spend(size)).cloned();
        let found: Option<Vec<String>> = match (&elements, index, position) {
            (None, _, _) => None,
            (Some(all), Some("@" | "*"), _) => Some(all.iter().map(|(_, value)| value.clone()).collect()),
            (Some(all), _, None) if is_all => Some(all.iter().map(|(_, value)| value.clone()).collect()),
            (Some(all), _, Some(position)) => {
                all.get(position.checked_sub(1)?).map(|(_, value)| vec![value.clone()])
            }
            (Some(all), index, _) => {
                let key = self.key(index.unwrap_or("0"), all)?;
                all.iter().find(|(known, _)| *known == key).map(|(_, value)| vec![value.clone()])
            }
        };
        let is_list = matches!(index, Some("@")) || name == "@";
        let is_many = is_list || matches!(index, Some("*")) || name == "*";
        let default = operator.strip_prefix(':').unwrap_or(operator);
        match (default.chars().next(), &found) {
            (Some('-' | '='), None) => {
                let value = self.fields(default.get(1..)?)?;
                if default.starts_with('=') {
                    self.assign(base, value.join(" "));
                }
                return Some((value, is_list));
            }
            (Some('+'), Some(_)) => return Some((self.fields(default.get(1..)?)?, is_list)),
            (Some('-' | '=' | '?'), Some(found)) if !operator.starts_with(": ") => {
                return Some((found.clone(), is_list));
            }
            _ => {}
        }
        let found = found?;
        if !self.budget.spend(found.iter().map(|value| value.len() + 1).sum()) {
            return None;
        }
        let found = match operator.strip_prefix(':') {
            // The positional parameters start with the second.
            Some(range) if is_many && base == "@" => {
                slice(&[vec![String::new()], found].concat(), range)?.to_vec()
            }
            Some(range) if is_many => slice(&found, range)?.to_vec(),
            _ => found.iter().map(|value| applied(value, operator, self.budget)).collect::<Option<_>>()?,
        };
        // With an empty IFS nothing is between the elements.
        let joins = is_many
            && !is_list
            && self.values.get("IFS").is_some_and(|ifs| ifs.iter().all(|(_, value)| value.is_empty()));
        Some((if joins { vec![found.concat()] } else { found }, is_list))
    }

    /// The key that an index names: a key, a number, a variable, a sum, or a number from the end.
    fn key(&mut self, index: &str, elements: &Elements) -> Option<String> {
        let index = index.trim().trim_matches(['"', '\'']);
        if elements.iter().any(|(key, _)| key == index) {
            return Some(index.to_owned());
        }
        let value = |text: &str| -> Option<isize> {
            let text = text.trim().trim_start_matches('$').trim_matches(['{', '}']);
            let given = self.elements(text).and_then(|all| all.first()).map(|(_, value)| value.as_str());
            given.unwrap_or(text).parse().ok()
        };
        if let Some(sum) = index.split('+').map(value).collect::<Option<Vec<_>>>() {
            let at = sum.iter().fold(0_isize, |sum, part| sum.saturating_add(*part));
            let at = if at < 0 { elements.len().checked_sub(at.unsigned_abs())? } else { at.unsigned_abs() };
            return Some(at.to_string());
        }
        let named = index.strip_prefix('$').map(|name| name.trim_matches(['{', '}']));
        match named {
            Some(name) => self.elements(name)?.first().map(|(_, value)| value.clone()),
            None => Some(index.to_owned()),
        }
    }
}

fn numbered(fields: Vec<String>) -> Elements {
    fields.into_iter().enumerate().map(|(at, field)| (at.to_string(), field)).collect()
}

fn put_element(elements: &mut Elements, key: String, value: String) {
    match elements.iter_mut().find(|(known, _)| *known == key) {
        Some((_, old)) => *old = value,
        None => elements.push((key, value)),
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests;
