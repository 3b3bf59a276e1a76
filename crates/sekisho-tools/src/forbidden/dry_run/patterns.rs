//! `case` and `[[ … ]]`: what is compared with a pattern.

use regex::RegexBuilder;

use super::super::expansion_operators::matches;
use super::builtins::compared;
use super::fields::{UNKNOWN, is_known, unknown, wildcard};
use super::shell::Shell;
use super::syntax::{BranchEnd, CaseBranch};
use super::variables::numbered;

/// What an expression has found.
const MATCHED: &str = "BASH_REMATCH";
/// Longer expressions are not followed.
const MAX_EXPRESSION: usize = 256;
/// How large a compiled expression may be, in bytes.
const MAX_SIZE: usize = 64 << 10;
/// What each character of an expression costs.
const COMPILE_COST: usize = 48;
/// Longer subjects of `case` are not compared.
const MAX_SUBJECT: usize = 4096;

impl Shell<'_> {
    pub(super) fn case(&mut self, subject: &str, branches: &[CaseBranch]) {
        let subject = self.text(subject);
        self.status = Some(true);
        let mut is_kept = false;
        let mut enters = false;
        let count = branches.len();
        let behind = |shell: &mut Self, at: usize| {
            branches.iter().skip(at + 1).for_each(|branch| shell.unreached(&branch.body));
        };
        for (at, branch) in branches.iter().enumerate() {
            let found = if enters { Some(true) } else { self.fits_any(&branch.patterns, &subject) };
            enters = false;
            match found {
                Some(false) => self.unreached(&branch.body),
                Some(true) if is_kept => {
                    self.doubtful(false, |shell| shell.list(&branch.body));
                    if branch.end == BranchEnd::Leave {
                        return behind(self, at);
                    }
                }
                Some(true) => {
                    self.list(&branch.body);
                    if branch.end == BranchEnd::Leave {
                        return behind(self, at);
                    }
                    enters = branch.end == BranchEnd::Enter;
                }
                None => {
                    let is_last = at + 1 == count;
                    let keeps = !is_kept && (self.holds || is_last);
                    self.doubtful(keeps, |shell| shell.list(&branch.body));
                    is_kept |= keeps;
                }
            }
        }
    }

    /// Whether one of the patterns fits. `None` if that is not known.
    fn fits_any(&mut self, patterns: &[String], subject: &str) -> Option<bool> {
        let mut is_unknown = false;
        for pattern in patterns {
            match self.fits(pattern, subject) {
                Some(true) if !is_unknown => return Some(true),
                Some(false) => {}
                _ => is_unknown = true,
            }
        }
        (!is_unknown).then_some(false)
    }

    /// Whether a pattern, as it is written, fits a text. `None` if that is not known.
    fn fits(&mut self, pattern: &str, text: &str) -> Option<bool> {
        let has_list = ["@(", "?(", "*(", "+(", "!("].iter().any(|list| pattern.contains(list));
        let written = self.pattern(pattern);
        if written == "\u{e000}" {
            return Some(true);
        }
        let is_open = has_list || written.contains(UNKNOWN) || !is_known(text) || text.len() > MAX_SUBJECT;
        if is_open || !self.afford(written.len() + text.len()) {
            return None;
        }
        let letters: Vec<char> = text.chars().collect();
        let fits = matches(&escaped(&written), &letters);
        if !fits && self.ignores_case && text.eq_ignore_ascii_case(&written) {
            return Some(true);
        }
        (fits || !self.ignores_case).then_some(fits)
    }

    /// Sets `BASH_REMATCH` as `[[ text =~ expression ]]` does, if both are known.
    fn match_expression(&mut self, text: &str) {
        let Some((subject, expression)) = text.split_once(" =~ ") else { return };
        let (subject, expression) = (self.text(subject.trim()), self.text(expression.trim()));
        let is_short = subject.len() <= MAX_SUBJECT && expression.len() <= MAX_EXPRESSION;
        let is_followed = is_short && is_known(&subject) && is_known(&expression);
        // Reading an expression costs more than using it.
        if !is_followed || !self.spend(subject.len() + COMPILE_COST * expression.len()) {
            return self.variables_mut().set(MATCHED, unknown());
        }
        let compiled = RegexBuilder::new(&expression).size_limit(MAX_SIZE).build().ok();
        let found = compiled.as_ref().and_then(|compiled| compiled.captures(&subject));
        let parts = found.iter().flat_map(|found| found.iter());
        let parts = parts.map(|part| part.map_or("", |part| part.as_str()).to_owned()).collect();
        self.variables_mut().set_all(MATCHED, numbered(parts));
    }

    /// `[[ … ]]`
    pub(super) fn condition(&mut self, text: &str) -> Option<bool> {
        let words = super::parser::words(text);
        if text.contains("-v ") || text.contains("-R ") {
            let named: Vec<String> = words.iter().map(|word| self.text(word)).collect();
            self.follow_names(&named);
        }
        self.match_expression(text);
        if text.contains("&&") || text.contains("||") || text.contains(['(', '<', '>', '~']) {
            // Substitutions in it are followed.
            words.iter().for_each(|word| drop(self.text(word)));
            return None;
        }
        if let [negations @ .., one, operator, other] = words.as_slice()
            && negations.iter().all(|word| word == "!")
        {
            let subject = self.text(one);
            let found = match operator.as_str() {
                "=" | "==" => self.fits(other, &subject),
                "!=" => self.fits(other, &subject).map(|fits| !fits),
                "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                    let other = self.text(other);
                    let (one, other) = (self.arithmetic(&subject)?, self.arithmetic(&other)?);
                    compared(&[&one.to_string(), operator, &other.to_string()])
                }
                _ => {
                    self.text(other);
                    None
                }
            };
            return found.map(|found| found != (negations.len() % 2 == 1));
        }
        let words: Vec<String> = words.iter().map(|word| self.text(word)).collect();
        compared(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

/// The pattern with its own wildcards, and backslashes before all other characters that could be some.
fn escaped(marked: &str) -> Vec<char> {
    let mut letters = Vec::new();
    for c in marked.chars() {
        match wildcard(c) {
            Some(wildcard) => letters.push(wildcard),
            None => {
                if "*?[]\\".contains(c) {
                    letters.push('\\');
                }
                letters.push(c);
            }
        }
    }
    letters
}
