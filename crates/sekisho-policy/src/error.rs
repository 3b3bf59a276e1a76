//! Errors in a rule or a config file, with their location.

use std::fmt::{self, Write as _};

/// One error in a config file: location, message, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file name as displayed.
    pub file: String,
    /// Line, from 1; 0 if the error concerns the whole file.
    pub line: u32,
    /// Column in characters, from 1; 0 if the error concerns the whole file.
    pub column: u32,
    /// The field, as a path: `permissions.allow[2].comand`.
    pub field: String,
    /// What is wrong, in one line.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        f.write_str(": ")?;
        write_fault(f, &self.field, &self.message, self.hint.as_deref())
    }
}

impl std::error::Error for ConfigError {}

/// Writes an error on one line. It quotes user input, which may contain line breaks or control characters.
fn write_fault(f: &mut fmt::Formatter<'_>, field: &str, message: &str, hint: Option<&str>) -> fmt::Result {
    let parts = [field, if field.is_empty() { "" } else { ": " }, message];
    let hint = hint.map(|hint| ["; ", hint]);
    for c in parts.into_iter().chain(hint.into_iter().flatten()).flat_map(str::chars) {
        if c.is_control() {
            write!(f, "{}", c.escape_default())?;
        } else {
            f.write_char(c)?;
        }
    }
    Ok(())
}

/// An error in one field of a rule, before its file is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// The field of the rule; empty if the error concerns the whole rule.
    pub field: &'static str,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
}

impl RuleError {
    /// An error without a hint.
    pub fn new(field: &'static str, message: impl Into<String>) -> RuleError {
        RuleError { field, message: message.into(), hint: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> RuleError {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_fault(f, self.field, &self.message, self.hint.as_deref())
    }
}

impl std::error::Error for RuleError {}

/// The candidate nearest to a misspelt name, if one is near enough.
pub fn nearest_name<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.to_lowercase().chars().take(64).collect();
    let limit = (name.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(&name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edit distance between two words: insertion, deletion, replacement and swapping two neighbours each count
/// one.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut two_back: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let at = |row: &[usize], k: usize| row.get(k).copied().unwrap_or(usize::MAX / 2);
            let mut best =
                (at(&row, j) + usize::from(ca != cb)).min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(cb) && b.get(j - 1) == Some(ca);
            if swapped {
                best = best.min(at(&two_back, j - 1) + 1);
            }
            next.push(best);
        }
        two_back = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::nearest_name;

    #[test]
    fn nearest_name_is_suggested_only_if_near() {
        let fields = ["tool", "tool_pattern", "command", "command_glob", "path", "host"];
        assert_eq!(nearest_name("comand", fields), Some("command"));
        assert_eq!(nearest_name("tol", fields), Some("tool"));
        assert_eq!(nearest_name("toolPattern", fields), Some("tool_pattern"));
        assert_eq!(nearest_name("pahtt", fields), None);
        assert_eq!(nearest_name("zzz", fields), None);
        assert_eq!(nearest_name("", fields), None);
    }
}
