//! Parses the subset of Starlark that rule files use: calls with named arguments, strings and lists. Nothing
//! is executed; other statements are recognised and skipped.

/// A literal value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Text(String),
    List(Vec<Literal>),
}

/// One top-level statement.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statement {
    pub(super) line: u32,
    /// Its source text.
    pub(super) text: String,
    /// The function and its named arguments; `None` for any other statement.
    pub(super) call: Option<(String, Vec<(String, Literal)>)>,
}

/// The statements of a file.
pub(super) fn statements(text: &str) -> Vec<Statement> {
    let mut reader = Reader { rest: text, text };
    let mut found = Vec::new();
    loop {
        reader.blanks(true);
        if reader.rest.is_empty() {
            return found;
        }
        let (start, line) = (reader.at(), reader.line());
        // A statement starts at the beginning of a line; indented lines belong to something that is not
        // parsed here.
        let own_line = text.get(..start).is_none_or(|before| before.is_empty() || before.ends_with('\n'));
        let call = reader.call().filter(|_| own_line).filter(|_| reader.ends_statement());
        if call.is_none() {
            reader.skip_statement(start);
        }
        let written = text.get(start..reader.at()).unwrap_or("").trim().to_owned();
        found.push(Statement { line, text: written, call });
    }
}

struct Reader<'a> {
    rest: &'a str,
    text: &'a str,
}

impl<'a> Reader<'a> {
    fn at(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    fn line(&self) -> u32 {
        let before = self.text.get(..self.at()).unwrap_or("");
        u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// Skips spaces and comments, and line breaks if `lines` is set.
    fn blanks(&mut self, lines: bool) {
        loop {
            let trimmed =
                self.rest.trim_start_matches(|c| c == ' ' || c == '\t' || (lines && "\r\n;".contains(c)));
            let after = match trimmed.strip_prefix('#') {
                Some(comment) => comment.find('\n').and_then(|end| comment.get(end..)).unwrap_or(""),
                None => trimmed,
            };
            if after.len() == self.rest.len() {
                return;
            }
            self.rest = after;
        }
    }

    fn take(&mut self, sign: char) -> bool {
        self.blanks(true);
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn name(&mut self) -> Option<String> {
        self.blanks(true);
        let end =
            self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        (!name.is_empty()).then(|| name.to_owned())
    }

    fn call(&mut self) -> Option<(String, Vec<(String, Literal)>)> {
        let function = self.name()?;
        if !self.take('(') {
            return None;
        }
        let mut arguments: Vec<(String, Literal)> = Vec::new();
        while !self.take(')') {
            let name = self.name()?;
            if !self.take('=') || arguments.iter().any(|(given, _)| *given == name) {
                return None;
            }
            arguments.push((name, self.literal(0)?));
            if !self.take(',') {
                return self.take(')').then_some((function, arguments));
            }
        }
        Some((function, arguments))
    }

    fn literal(&mut self, depth: usize) -> Option<Literal> {
        if depth > 4 {
            return None;
        }
        if !self.take('[') {
            return self.string().map(Literal::Text);
        }
        let mut list = Vec::new();
        while !self.take(']') {
            list.push(self.literal(depth + 1)?);
            if !self.take(',') {
                return self.take(']').then_some(Literal::List(list));
            }
        }
        Some(Literal::List(list))
    }

    /// A string in single or double quotes on one line. Prefixed and triple-quoted strings are not parsed.
    fn string(&mut self) -> Option<String> {
        self.blanks(true);
        let quote = self.rest.chars().next().filter(|c| *c == '"' || *c == '\'')?;
        let mut chars = self.rest.strip_prefix(quote)?.chars();
        if chars.as_str().starts_with(quote) && chars.as_str().chars().nth(1) == Some(quote) {
            return None;
        }
        let mut text = String::new();
        loop {
            match chars.next()? {
                c if c == quote => break,
                '\n' => return None,
                '\\' => text.push(match chars.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    c @ ('\\' | '\'' | '"') => c,
                    _ => return None,
                }),
                c => text.push(c),
            }
        }
        self.rest = chars.as_str();
        Some(text)
    }

    /// Whether the rest of the line is empty: `prefix_rule(…) if x else y` is not a plain call.
    fn ends_statement(&mut self) -> bool {
        self.blanks(false);
        self.rest.is_empty() || self.rest.starts_with(['\n', '\r', ';'])
    }

    /// Skips a statement that is not parsed, up to the next line that begins with a name or a comment at the
    /// margin.
    fn skip_statement(&mut self, start: usize) {
        self.rest = self.text.get(start..).unwrap_or("");
        let lines = self.rest.match_indices('\n').map(|(at, _)| at + 1);
        let begins = |at: &usize| {
            let line = self.rest.get(*at..).unwrap_or("");
            line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '#')
        };
        let end = lines.into_iter().find(begins).unwrap_or(self.rest.len());
        self.rest = self.rest.get(end..).unwrap_or("");
    }
}
