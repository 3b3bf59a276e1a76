//! Simple reference models of how the sources decide, for commands whose words are known.

/// A source's decision, from loosest to strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SourceDecision {
    Allow,
    Ask,
    Deny,
}

/// `*` is any text, and `?` one character if `any_one`.
pub(crate) fn wildcard(pattern: &str, text: &str, any_one: bool) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let mut reached = vec![vec![false; text.len() + 1]; pattern.len() + 1];
    reached[0][0] = true;
    for p in 0..pattern.len() {
        for t in 0..=text.len() {
            if !reached[p][t] {
                continue;
            }
            if pattern[p] == '*' {
                (t..=text.len()).for_each(|t| reached[p + 1][t] = true);
            } else if t < text.len() && (pattern[p] == text[t] || (any_one && pattern[p] == '?')) {
                reached[p + 1][t + 1] = true;
            }
        }
    }
    reached[pattern.len()][text.len()]
}

/// Claude Code: `Bash(rule)` on one command.
pub(crate) fn claude_matches(rule: &str, command: &str) -> bool {
    if let Some(prefix) = rule.strip_suffix(":*") {
        return command == prefix || command.starts_with(&format!("{prefix} "));
    }
    let optional = rule.ends_with(" *") && rule.matches('*').count() == 1;
    wildcard(rule, command, false) || (optional && command == rule.trim_end_matches(" *"))
}

/// Claude Code: deny beats ask beats allow; each command needs its own allow.
pub(crate) fn claude(rules: &[(SourceDecision, String)], commands: &[String]) -> SourceDecision {
    let any = |says: SourceDecision, command: &String| {
        rules.iter().any(|(list, rule)| *list == says && claude_matches(rule, command))
    };
    if commands.iter().any(|command| any(SourceDecision::Deny, command)) {
        return SourceDecision::Deny;
    }
    if commands.iter().any(|command| any(SourceDecision::Ask, command)) {
        return SourceDecision::Ask;
    }
    if commands.iter().all(|command| any(SourceDecision::Allow, command)) {
        SourceDecision::Allow
    } else {
        SourceDecision::Ask
    }
}

/// Codex: the strictest matching prefix; no match is a question.
pub(crate) fn codex(rules: &[(SourceDecision, Vec<Vec<String>>)], commands: &[String]) -> SourceDecision {
    let one = |command: &String| {
        let words: Vec<&str> = command.split(' ').collect();
        let matches = |pattern: &Vec<Vec<String>>| {
            pattern.len() <= words.len()
                && pattern
                    .iter()
                    .zip(&words)
                    .all(|(choices, word)| choices.iter().any(|choice| choice == word))
        };
        rules
            .iter()
            .filter(|(_, pattern)| matches(pattern))
            .map(|(says, _)| *says)
            .max()
            .unwrap_or(SourceDecision::Ask)
    };
    commands.iter().map(one).max().unwrap_or(SourceDecision::Ask)
}

/// How a rule of Gemini CLI matches a command.
#[derive(Clone, Debug)]
pub(crate) enum Gemini {
    Whole,
    Prefix(String),
    /// `begin (one|two)`, as a regular expression after the opening quote.
    Begins(Vec<String>),
}

/// Gemini CLI: the first rule of the highest priority, for the text and for each of its commands.
pub(crate) fn gemini(
    rules: &[(SourceDecision, Gemini, u32)],
    text: &str,
    commands: &[String],
) -> SourceDecision {
    let mut sorted: Vec<_> = rules.iter().collect();
    sorted.sort_by_key(|(_, _, priority)| std::cmp::Reverse(*priority));
    let one = |text: &str| {
        let matches = |rule: &Gemini| match rule {
            Gemini::Whole => true,
            Gemini::Prefix(prefix) => text == prefix || text.starts_with(&format!("{prefix} ")),
            Gemini::Begins(beginnings) => beginnings.iter().any(|beginning| text.starts_with(beginning)),
        };
        sorted.iter().find(|(_, rule, _)| matches(rule)).map_or(SourceDecision::Ask, |(says, _, _)| *says)
    };
    commands.iter().map(|command| one(command)).chain([one(text)]).max().unwrap_or(SourceDecision::Ask)
}

/// opencode: the last match; no match is allowed.
pub(crate) fn opencode(rules: &[(SourceDecision, String)], subjects: &[String]) -> SourceDecision {
    let one = |subject: &String| {
        let matches = |pattern: &str| {
            wildcard(pattern, subject, true)
                || pattern.strip_suffix(" *").is_some_and(|prefix| wildcard(prefix, subject, true))
        };
        rules
            .iter()
            .rev()
            .find(|(_, pattern)| matches(pattern))
            .map_or(SourceDecision::Allow, |(says, _)| *says)
    };
    subjects.iter().map(one).max().unwrap_or(SourceDecision::Allow)
}
