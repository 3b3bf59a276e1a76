//! Converts other agents' shell command patterns to our `command` and `command_glob`.

use sekisho_policy::{Effect, Rule};

use super::conversion::{Conversion, tool};

/// Characters that `command` does not accept.
const SPECIAL: &str = "|&;<>()$`\"'\\*?";
/// Characters that make several commands of a text, or computed parts.
const OPERATORS: &str = "|&;<>()$`\n\r";

/// Every Bash command.
pub(super) fn any_command(effect: Effect) -> Conversion {
    let rules = vec![tool("bash")];
    if effect == Effect::Allow {
        return Conversion::approximate(
            effect,
            rules,
            "it covers simple commands; redirects to files, computed text and protected paths still need confirmation",
        );
    }
    Conversion::exact(effect, rules)
}

/// The leading words of a command.
pub(super) fn prefix(effect: Effect, text: &str) -> Conversion {
    let text = match bare(effect, text) {
        Ok(text) => text,
        Err(converted) => return converted,
    };
    if is_plain(&text) {
        return Conversion::exact(effect, vec![Rule { command: Some(text), ..tool("bash") }]);
    }
    if effect == Effect::Allow && text.contains(['*', '?']) {
        return Conversion::dropped("`*` and `?` are wildcards here, so it would allow more");
    }
    let rules = vec![of_glob(text.clone()), of_glob(format!("{text} *"))];
    if text.contains(['*', '?']) {
        return Conversion::approximate(effect, rules, "`*` and `?` are wildcards here");
    }
    Conversion::exact(effect, rules)
}

/// Exactly one command.
pub(super) fn exact(effect: Effect, text: &str) -> Conversion {
    let text = match bare(effect, text) {
        Ok(text) => text,
        Err(converted) => return converted,
    };
    if effect == Effect::Allow {
        if text.contains(['*', '?']) {
            return Conversion::dropped("`*` and `?` are wildcards here, so it would allow more");
        }
        // The words keep quoted words together; the glob fixes the end.
        let command = is_plain(&text).then(|| text.clone());
        return Conversion::exact(effect, vec![Rule { command, ..of_glob(text) }]);
    }
    if text.contains(['*', '?']) {
        return Conversion::approximate(effect, vec![of_glob(text)], "`*` and `?` are wildcards here");
    }
    Conversion::exact(effect, vec![of_glob(text)])
}

/// What `?` means in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionMark {
    /// A literal question mark.
    Plain,
    /// Any single character, as in our globs.
    AnyOne,
}

/// A command in which `*` is any text.
pub(super) fn glob(effect: Effect, text: &str, mark: QuestionMark) -> Conversion {
    let text = match bare(effect, text) {
        Ok(text) => text,
        Err(converted) => return converted,
    };
    if text.chars().all(|c| c == '*') {
        return any_command(effect);
    }
    let differs = mark == QuestionMark::Plain && text.contains('?');
    if effect != Effect::Allow {
        let rules = vec![of_glob(text)];
        return if differs {
            Conversion::approximate(effect, rules, "`?` matches any character here")
        } else {
            Conversion::exact(effect, rules)
        };
    }
    if differs {
        return Conversion::dropped("`?` matches any character here, so it would allow more");
    }
    let leading: Vec<&str> = text.split(' ').take_while(|word| is_plain(word)).collect();
    let command = (!leading.is_empty()).then(|| leading.join(" "));
    Conversion::exact(effect, vec![Rule { command, ..of_glob(text) }])
}

fn of_glob(glob: String) -> Rule {
    Rule { command_glob: Some(glob), ..tool("bash") }
}

/// Whether `command` accepts the text.
pub(super) fn is_plain(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(|c| c.is_control() || SPECIAL.contains(c))
}

/// The text with single spaces. For a deny or an ask, leading assignments are removed, because our rules
/// match without them too. An allow of several commands, or of a command with its own environment, cannot be
/// expressed.
fn bare(effect: Effect, text: &str) -> Result<String, Conversion> {
    let words: Vec<&str> = text.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
    let assigns = |word: &&&str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    let assignments = words.iter().take_while(assigns).count();
    if effect == Effect::Allow {
        if text.contains(|c: char| OPERATORS.contains(c)) {
            return Err(Conversion::dropped(
                "it contains operators or computed parts; allow the commands one by one",
            ));
        }
        if assignments > 0 {
            return Err(Conversion::dropped("it sets variables, which an allow here does not cover"));
        }
    }
    let kept = words.get(assignments..).unwrap_or_default().join(" ");
    if kept.is_empty() {
        return Err(Conversion::unsupported(effect, &["bash"], "it does not name a command"));
    }
    Ok(kept)
}
