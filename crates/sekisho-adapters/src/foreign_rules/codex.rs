//! Codex's execpolicy: `prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "prompt")`. The
//! strictest matching rule of all files decides; our rules agree at equal priority.

use sekisho_policy::{Effect, Example, Examples};

use super::commands;
use super::conversion::{Conversion, join_reasons};
use super::starlark::{Literal, Statement, statements};
use super::{ImportedEntry, SourceDocument};

/// Maximum number of commands expanded from one pattern.
const MOST: usize = 64;

pub(super) fn read(documents: &[SourceDocument]) -> Vec<ImportedEntry> {
    let read = documents.iter().enumerate().flat_map(|(document, SourceDocument { text, .. })| {
        statements(text).into_iter().map(move |statement| (document, statement))
    });
    let read: Vec<(usize, Statement)> = read.collect();
    let bound: Vec<String> = read.iter().filter_map(|(_, statement)| bound_program(statement)).collect();
    let mut unread = false;
    let mut entries: Vec<ImportedEntry> = Vec::new();
    for (document, Statement { line, text, call }) in read {
        let converted = match &call {
            Some((name, arguments)) if name == "prefix_rule" => prefix_rule(arguments, &bound),
            Some((name, _)) if name == "host_executable" => Some(Conversion::dropped(
                "rules here cannot name a program's path; allows of that program are left out",
            )),
            Some((name, _)) if name == "network_rule" => Some(Conversion::dropped(
                "it is about the network of Codex's sandbox, which rules here do not cover",
            )),
            _ => None,
        };
        unread |= converted.is_none();
        let Conversion { rules, how, why } = converted.unwrap_or_else(|| {
            Conversion::dropped(
                "only plain calls of prefix_rule are read; this statement is not executed, so its effect is unknown",
            )
        });
        entries.push(ImportedEntry { document, line, source_text: text, rules, exactness: how, why });
    }
    if unread {
        withhold(&mut entries);
    }
    entries
}

/// Statements that were not understood may forbid what is allowed elsewhere, because the strictest rule wins.
/// So allows become questions.
fn withhold(entries: &mut [ImportedEntry]) {
    for entry in entries {
        let before = entry.rules.len();
        entry.rules.retain(|(effect, _)| *effect != Effect::Allow);
        if entry.rules.len() < before {
            entry.exactness = super::Exactness::Dropped;
            entry.why =
                join_reasons(&entry.why, "another statement could not be read, and it may forbid this");
        }
    }
}

/// The program that a `host_executable` binds to paths.
fn bound_program(statement: &Statement) -> Option<String> {
    let (name, arguments) = statement.call.as_ref()?;
    let program = arguments.iter().find(|(name, _)| name == "name").map(|(_, value)| value);
    match program {
        Some(Literal::Text(program)) if name == "host_executable" => Some(program.clone()),
        _ => None,
    }
}

/// `None` if Codex would reject the call.
fn prefix_rule(arguments: &[(String, Literal)], bound: &[String]) -> Option<Conversion> {
    let argument = |name: &str| arguments.iter().find(|(given, _)| given == name).map(|(_, value)| value);
    let known = ["pattern", "decision", "match", "not_match", "justification"];
    if arguments.iter().any(|(name, _)| !known.contains(&name.as_str())) {
        return None;
    }
    let effect = match argument("decision") {
        None => Effect::Allow,
        Some(Literal::Text(decision)) => match decision.as_str() {
            "allow" => Effect::Allow,
            "prompt" => Effect::Confirm,
            "forbidden" => Effect::Deny,
            _ => return None,
        },
        Some(Literal::List(_)) => return None,
    };
    let note = match argument("justification") {
        None => None,
        Some(Literal::Text(text)) => Some(text.clone()),
        Some(Literal::List(_)) => return None,
    };
    let examples =
        Examples { matching: examples(argument("match"))?, not_match: examples(argument("not_match"))? };
    let Literal::List(pattern) = argument("pattern")? else { return None };
    let Some(commands) = written_out(pattern)? else {
        return Some(Conversion::unsupported(
            effect,
            &["bash"],
            format!("it expands to more than {MOST} commands"),
        ));
    };
    let is_bound =
        |command: &Vec<&str>| command.first().is_some_and(|first| bound.iter().any(|name| name == first));
    if effect == Effect::Allow && commands.iter().any(is_bound) {
        return Some(Conversion::dropped(
            "a `host_executable` says where this program may be, which rules here cannot",
        ));
    }
    let mut converted = commands.iter().map(|words| of_words(effect, words)).reduce(Conversion::merge)?;
    let lone =
        converted.rules.len() == 1 && (!examples.matching.is_empty() || !examples.not_match.is_empty());
    for (_, rule) in &mut converted.rules {
        rule.note.clone_from(&note);
        rule.examples = lone.then(|| examples.clone());
    }
    Some(converted)
}

fn of_words(effect: Effect, words: &[&str]) -> Conversion {
    let odd = |word: &&&str| word.is_empty() || !commands::is_plain(word) || word.contains([' ', '\t']);
    match words.iter().find(odd) {
        None => commands::prefix(effect, &words.join(" ")),
        Some(word) if effect == Effect::Allow => {
            Conversion::dropped(format!("an allow rule needs plain words, and `{word}` is not one"))
        }
        Some(_) => {
            let text: Vec<String> = words
                .iter()
                .map(|word| word.replace(|c: char| c.is_control() || "'\"\\".contains(c), "*"))
                .collect();
            let rules = commands::prefix(effect, &text.join(" ")).into_rules();
            Conversion::approximate(effect, rules, "words with spaces or quotes are compared as text")
        }
    }
}

/// Every command a pattern expands to. Outer `None`: Codex would reject it; inner `None`: too many.
#[expect(clippy::option_option, reason = "no pattern at all, or one of too many commands")]
fn written_out(pattern: &[Literal]) -> Option<Option<Vec<Vec<&str>>>> {
    let mut commands: Vec<Vec<&str>> = vec![Vec::new()];
    for element in pattern {
        let choices: Vec<&str> = match element {
            Literal::Text(text) => vec![text],
            Literal::List(list) => list.iter().map(text).collect::<Option<_>>()?,
        };
        if choices.is_empty() {
            return None;
        }
        if commands.len() * choices.len() > MOST {
            return Some(None);
        }
        let longer = commands.iter().flat_map(|words| {
            choices.iter().map(move |choice| words.iter().copied().chain([*choice]).collect())
        });
        commands = longer.collect();
    }
    (!pattern.is_empty()).then_some(Some(commands))
}

fn text(literal: &Literal) -> Option<&str> {
    match literal {
        Literal::Text(text) => Some(text),
        Literal::List(_) => None,
    }
}

/// Example commands, each a string or a list of words.
fn examples(given: Option<&Literal>) -> Option<Vec<Example>> {
    let Some(given) = given else { return Some(Vec::new()) };
    let Literal::List(list) = given else { return None };
    let quoted =
        |word: &str| match word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c)) {
            true if !word.is_empty() => word.to_owned(),
            _ => format!("'{}'", word.replace('\'', r"'\''")),
        };
    list.iter()
        .map(|example| match example {
            Literal::Text(text) => Some(Example::Text(text.clone())),
            Literal::List(words) => {
                let words: Vec<String> =
                    words.iter().map(|word| text(word).map(quoted)).collect::<Option<_>>()?;
                Some(Example::Text(words.join(" ")))
            }
        })
        .collect()
}
