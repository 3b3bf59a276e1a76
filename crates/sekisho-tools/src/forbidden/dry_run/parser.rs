//! Reads a shell text. What is no shell text is skipped, so reading never fails.

use std::cell::RefCell;
use std::rc::Rc;

use super::spans::{End, is_delimiter, length_until, word_length};
use super::syntax::{BranchEnd, CaseBranch, Command, Link, List, Redirect, Script, Stage, Step};

/// How deep commands in commands are read.
const MAX_DEPTH: usize = 24;
/// Longer ones before shorter ones.
const REDIRECTS: [&str; 12] = ["<<<", "<<-", "<<", "<>", "<&", "<", "&>>", "&>", ">>", ">|", ">&", ">"];

pub(super) fn parse(text: &str) -> Script {
    let mut parser = Parser::new(text);
    let mut steps = Vec::new();
    while !parser.rest.is_empty() {
        steps.extend(parser.list(&[]));
        // What ends no list.
        parser.skip();
    }
    Script { steps, is_cut: parser.is_cut }
}

/// The words of a list: `(a "b c")` without the parentheses.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut parser = Parser::new(text);
    let mut words = Vec::new();
    while !parser.rest.is_empty() {
        parser.newlines();
        match parser.word() {
            Some(word) => words.push(word),
            None => parser.skip(),
        }
    }
    words
}

struct Parser<'t> {
    rest: &'t str,
    /// Here-documents that begin behind the next line break: their ends, whether tabs are removed, and their lines.
    documents: Vec<(String, bool, Rc<RefCell<String>>)>,
    depth: usize,
    /// Something is nested too deep, and was left out.
    is_cut: bool,
}

impl Parser<'_> {
    fn new(text: &str) -> Parser<'_> {
        Parser { rest: text, documents: Vec::new(), depth: 0, is_cut: false }
    }

    /// Leaves out the rest, because it is nested too deep.
    fn cut(&mut self) {
        self.is_cut = true;
        self.rest = "";
    }

    fn skip(&mut self) {
        let mut rest = self.rest.chars();
        rest.next();
        self.rest = rest.as_str();
    }

    fn take(&mut self, operator: &str) -> bool {
        let rest = self.rest.strip_prefix(operator);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn blanks(&mut self) {
        loop {
            let rest = self.rest.trim_start_matches([' ', '\t', '\r']);
            let rest = rest.strip_prefix("\\\n").unwrap_or(rest);
            let is_comment = rest.starts_with('#');
            let comment = rest.find('\n').unwrap_or(rest.len());
            let rest = if is_comment { rest.get(comment..).unwrap_or_default() } else { rest };
            if rest.len() == self.rest.len() {
                return;
            }
            self.rest = rest;
        }
    }

    fn newlines(&mut self) {
        self.blanks();
        while self.take("\n") {
            for (end, strips, lines) in std::mem::take(&mut self.documents) {
                *lines.borrow_mut() = self.document(&end, strips);
            }
            self.blanks();
        }
    }

    fn document(&mut self, end: &str, strips: bool) -> String {
        let mut lines = String::new();
        while !self.rest.is_empty() {
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            self.rest = rest;
            let line = if strips { line.trim_start_matches('\t') } else { line };
            if line == end {
                break;
            }
            lines.push_str(line);
            lines.push('\n');
        }
        lines
    }

    fn is_at(&self, keyword: &str) -> bool {
        let rest = self.rest.strip_prefix(keyword);
        rest.is_some_and(|rest| rest.chars().next().is_none_or(is_delimiter))
    }

    fn keyword(&mut self, keyword: &str) -> bool {
        self.is_at(keyword) && self.take(keyword)
    }

    fn word(&mut self) -> Option<String> {
        let length = word_length(self.rest).unwrap_or_else(|_| {
            self.is_cut = true;
            self.rest.len()
        });
        let (word, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// Steps up to one of the keywords, a closing parenthesis, or the end of a branch of `case`.
    fn list(&mut self, ends: &[&str]) -> List {
        let mut steps = Vec::new();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.cut();
        }
        let mut link = Link::Always;
        // Where the last steps that are joined begin.
        let mut first = 0;
        loop {
            self.newlines();
            let is_end = self.rest.is_empty()
                || self.rest.starts_with([')', '}'])
                || self.rest.starts_with(";;")
                || self.rest.starts_with(";&")
                || ends.iter().any(|end| self.is_at(end));
            if is_end {
                break;
            }
            let before = self.rest.len();
            let step = self.pipeline(link);
            if self.rest.len() == before {
                // `;`, or what begins no command.
                self.skip();
                link = Link::Always;
                continue;
            }
            if link == Link::Always {
                first = steps.len();
            }
            steps.push(step);
            self.blanks();
            link = match () {
                () if self.take("&&") => Link::And,
                () if self.take("||") => Link::Or,
                () => Link::Always,
            };
            if link == Link::Always && self.take("&") {
                let list = steps.split_off(first);
                steps.push(Step::of(Command::Background(list)));
            }
        }
        self.depth -= 1;
        steps
    }

    fn pipeline(&mut self, link: Link) -> Step {
        let mut is_negated = false;
        while self.is_at("!") || self.is_at("time") {
            is_negated ^= self.is_at("!");
            self.word();
            self.blanks();
        }
        let mut stages = vec![self.stage()];
        loop {
            self.blanks();
            if self.rest.starts_with("||") || !self.take("|") {
                break;
            }
            if let Some(last) = stages.last_mut().filter(|_| self.take("&")) {
                last.redirects.push(Redirect::errors());
            }
            self.newlines();
            stages.push(self.stage());
        }
        Step::new(link, is_negated, stages)
    }

    fn stage(&mut self) -> Stage {
        if self.keyword("coproc") {
            self.blanks();
            let before = self.rest;
            // `coproc NAME { …; }`
            let name = self.word();
            self.blanks();
            let name = name.filter(|_| self.rest.starts_with(['{', '(']));
            self.rest = if name.is_some() { self.rest } else { before };
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                self.cut();
            }
            let body = Rc::new(self.stage());
            self.depth -= 1;
            let name = name.unwrap_or_else(|| "COPROC".to_owned());
            return Stage { command: Command::Coprocess { name, body }, redirects: Vec::new() };
        }
        if let Some(command) = self.compound() {
            let mut redirects = Vec::new();
            self.blanks();
            while let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                self.blanks();
            }
            return Stage { command, redirects };
        }
        self.simple()
    }

    fn simple(&mut self) -> Stage {
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                continue;
            }
            match self.word() {
                Some(word) if words.is_empty() && is_assignment(&word) => assignments.push(word),
                Some(word) => words.push(word),
                None => break,
            }
        }
        Stage { command: Command::Simple { assignments, words }, redirects }
    }

    fn redirect(&mut self) -> Option<Redirect> {
        let digits = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let mut variable = None;
        let operators = match digits.strip_prefix('{') {
            Some(named) => {
                let end = named.find(|c: char| !c.is_ascii_alphanumeric() && !"_[]".contains(c))?;
                variable = named.get(..end).map(str::to_owned);
                named.get(end..)?.strip_prefix('}').filter(|rest| rest.starts_with(['<', '>']))?
            }
            None => digits,
        };
        let operator = REDIRECTS.into_iter().find(|operator| operators.starts_with(operator))?;
        let rest = operators.strip_prefix(operator)?;
        if rest.starts_with('(') && matches!(operator, "<" | ">") {
            // `<(…)` is a word.
            return None;
        }
        let descriptor = self.rest.get(..self.rest.len() - digits.len()).and_then(|text| text.parse().ok());
        self.rest = rest;
        self.blanks();
        let target = self.word().unwrap_or_default();
        let document = Rc::<RefCell<String>>::default();
        if matches!(operator, "<<" | "<<-") {
            let end = target.replace(['\'', '"', '\\'], "");
            self.documents.push((end, operator == "<<-", Rc::clone(&document)));
        }
        Some(Redirect { descriptor, variable, operator, target, document })
    }

    fn compound(&mut self) -> Option<Command> {
        self.newlines();
        if self.rest.starts_with('(') {
            return Some(self.parentheses());
        }
        match () {
            () if self.keyword("{") => {
                let list = self.list(&[]);
                self.take("}");
                Some(Command::Group(list))
            }
            () if self.keyword("if") => Some(self.branches()),
            () if self.is_at("while") || self.is_at("until") => {
                let is_until = self.is_at("until");
                self.word();
                let condition = self.list(&["do"]);
                Some(Command::While { condition, is_until, body: self.body() })
            }
            () if self.keyword("for") || self.keyword("select") => Some(self.for_loop()),
            () if self.keyword("case") => Some(self.case()),
            () if self.keyword("[[") => Some(Command::Condition(self.condition())),
            () if self.keyword("function") => {
                self.blanks();
                let name = self.word()?;
                self.blanks();
                let _ = self.take("()");
                Some(self.function(name))
            }
            () => {
                let name: &str =
                    self.rest.split(|c: char| is_delimiter(c) || "$'\"`={}".contains(c)).next()?;
                let rest = self.rest.strip_prefix(name)?.trim_start().strip_prefix('(')?;
                let rest = rest.trim_start().strip_prefix(')').filter(|_| !name.is_empty())?;
                let name = name.to_owned();
                self.rest = rest;
                Some(self.function(name))
            }
        }
    }

    /// The text up to the word `]]`.
    fn condition(&mut self) -> String {
        let start = self.rest;
        loop {
            self.rest = self.rest.trim_start();
            let length = start.len() - self.rest.len();
            match self.word() {
                Some(word) if word == "]]" => return start.get(..length).unwrap_or_default().to_owned(),
                Some(_) => {}
                None if self.rest.is_empty() => return start.to_owned(),
                None => self.skip(),
            }
        }
    }

    fn function(&mut self, name: String) -> Command {
        self.depth += 1;
        self.newlines();
        if self.depth > MAX_DEPTH {
            self.cut();
        }
        let body = Rc::new(self.stage());
        self.depth -= 1;
        Command::Function { name, body }
    }

    /// `((…))` or `(…)`.
    fn parentheses(&mut self) -> Command {
        let inner = self.rest.get(1..).unwrap_or_default();
        let length = length_until(inner, End::Parenthesis);
        let whole = length.and_then(|length| inner.get(..length));
        let sum = whole.and_then(|whole| whole.strip_prefix('(')).and_then(|sum| sum.strip_suffix(')'));
        // `((a); (b))` is a subshell.
        let sum = sum.filter(|sum| length_until(sum, End::Parenthesis).is_none());
        if let (Some(sum), Some(whole)) = (sum, whole) {
            self.rest = inner.get(whole.len() + 1..).unwrap_or_default();
            return Command::Arithmetic(sum.to_owned());
        }
        self.skip();
        let list = self.list(&[]);
        self.take(")");
        Command::Subshell(list)
    }

    fn branches(&mut self) -> Command {
        let (mut branches, mut otherwise) = (Vec::new(), Vec::new());
        loop {
            let condition = self.list(&["then"]);
            self.keyword("then");
            branches.push((condition, self.list(&["elif", "else", "fi"])));
            if !self.keyword("elif") {
                break;
            }
        }
        if self.keyword("else") {
            otherwise = self.list(&["fi"]);
        }
        self.keyword("fi");
        Command::If(branches, otherwise)
    }

    /// `do … done` or `{ … }`.
    fn body(&mut self) -> List {
        self.newlines();
        while self.take(";") {
            self.newlines();
        }
        if self.keyword("{") {
            let list = self.list(&[]);
            self.take("}");
            return list;
        }
        self.keyword("do");
        let list = self.list(&["done"]);
        self.keyword("done");
        list
    }

    fn for_loop(&mut self) -> Command {
        self.blanks();
        if self.rest.starts_with("((") {
            let Command::Arithmetic(header) = self.parentheses() else {
                return Command::Group(Vec::new());
            };
            let mut parts = header.splitn(3, ';').map(str::to_owned);
            let header = std::array::from_fn(|_| parts.next().unwrap_or_default());
            return Command::CountedFor { header, body: self.body() };
        }
        let name = self.word().unwrap_or_default();
        self.newlines();
        let mut words = None;
        if self.keyword("in") {
            let listed = words.get_or_insert_with(Vec::new);
            self.blanks();
            while let Some(word) = self.word() {
                listed.push(word);
                self.blanks();
            }
        }
        Command::For { name, words, body: self.body() }
    }

    fn case(&mut self) -> Command {
        self.blanks();
        let subject = self.word().unwrap_or_default();
        self.newlines();
        self.keyword("in");
        let mut branches = Vec::new();
        loop {
            self.newlines();
            if self.keyword("esac") || self.rest.is_empty() {
                break;
            }
            self.take("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.extend(self.word());
                self.blanks();
                if !self.take("|") {
                    break;
                }
            }
            if !self.take(")") {
                self.skip();
            }
            let body = self.list(&["esac"]);
            let end = match () {
                () if self.take(";;&") => BranchEnd::Compare,
                () if self.take(";;") => BranchEnd::Leave,
                () if self.take(";&") => BranchEnd::Enter,
                () => BranchEnd::Leave,
            };
            branches.push(CaseBranch { patterns, body, end });
        }
        Command::Case { subject, branches }
    }
}

/// `name=…`, `name+=…`, `name[…]=…`
fn is_assignment(word: &str) -> bool {
    let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
    let (name, rest) = word.split_at_checked(end).unwrap_or_default();
    let rest = match rest.strip_prefix('[') {
        Some(index) => index.split_once(']').map_or("", |(_, rest)| rest),
        None => rest,
    };
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && rest.strip_prefix('+').unwrap_or(rest).starts_with('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_texts_are_read_to_their_end() {
        for text in [
            "",
            ")",
            "}",
            ";;",
            "(",
            "((",
            "if",
            "for",
            "case",
            "case x in",
            "f()",
            "function",
            "[[",
            "<<",
            "a <<E",
            "for ((",
            "é",
            "&",
            "|",
            "a |",
            "${",
            "\\",
            "\"",
            "{",
            "fi",
            "case x in a",
            "while",
            "<(",
            "a=(",
            "!",
        ] {
            parse(text);
        }
        for part in ["(", "{ ", "if ", "f() ", "$(", "case x in a) ", "while ", "<(", "function f "] {
            parse(&part.repeat(5_000));
        }
    }

    #[test]
    fn steps_are_counted() {
        for (text, expected) in [
            ("a; b && c || d\ne & f", 6),
            ("if a; then b; fi; c", 2),
            ("for a in b c; do d; done | e", 1),
            ("case a in b|c) d;; *) e;; esac; f", 2),
            ("f() { a; }; function g { b; }; f", 3),
            ("cat <<E; b\nx; y\nE\nc", 3),
            ("a 2>&1 >b; c &>d", 2),
            ("[[ a && b ]] && c; ((a<b))", 3),
            ("[[ ']]' ]]; b; [[ a =~ (x|y) ]] && c", 4),
            ("a && b & c; coproc d; coproc X { e; }; f", 5),
        ] {
            assert_eq!(parse(text).steps.len(), expected, "{text}");
        }
        assert!(parse(&"{ ".repeat(100)).is_cut);
        assert!(!parse("{ { { a; }; }; }; ((((1)))); ([[ ( a ) ]])").is_cut);
    }
}
