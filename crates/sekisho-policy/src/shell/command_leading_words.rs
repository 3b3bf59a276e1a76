//! Names commands by their leading words (`git push`): all commands of a text, or those that need
//! confirmation.

use sekisho_shell::{Budget, analyse_within, programs};

use crate::verdict::{Decision, Part, PartKind, Verdict};
use crate::whole_words::whole_words;

/// The largest number of names per call.
const MAX_NAMES: usize = 16;
/// The longest name, in characters: a subcommand can be anything.
const MAX_NAME_CHARS: usize = 80;

/// The commands of a shell text that need confirmation, each by the leading words that a rule would use:
/// `rm`, `git push`, `npm run build`. Each is listed once. If a wrapper's inner command needs confirmation
/// itself, it is listed instead of the wrapper. If no single part needs confirmation, the text as a whole
/// does, and all its commands are listed.
pub fn questioned_commands(verdict: &Verdict) -> Vec<String> {
    let mut asking = Vec::new();
    let part_asks = asking_parts(&verdict.parts, &|part| part.decision == Decision::Confirm, &mut asking);
    if !part_asks && verdict.decision == Decision::Confirm {
        asking_parts(&verdict.parts, &|_| true, &mut asking);
    }
    let mut names: Vec<String> = Vec::new();
    let budget = Budget::default();
    for part in asking.into_iter().take_while(|_| !budget.is_spent()) {
        let name = names_within(&part.text, &budget).into_iter().next();
        if let Some(name) = name.filter(|name| name != "cd" && !names.contains(name)) {
            names.push(name);
        }
        if names.len() >= MAX_NAMES {
            break;
        }
    }
    names
}

/// Every command of a text by its leading words, in order. Of a text that is too large, the first ones.
pub fn command_names(text: &str) -> Vec<String> {
    names_within(text, &Budget::default())
}

fn names_within(text: &str, budget: &Budget) -> Vec<String> {
    let mut commands = analyse_within(text, budget).commands;
    commands.sort_by_key(|command| (command.span.start, command.depth));
    let name = |profile: programs::CommandProfile| {
        let words: Vec<&str> = profile.leading_words.iter().take(profile.depth).map(String::as_str).collect();
        let words = words.join(" ");
        let most = words.char_indices().nth(MAX_NAME_CHARS).map_or(words.len(), |(at, _)| at);
        let mut name = whole_words(&words, most).to_owned();
        if name.len() < words.len() {
            name.push('…');
        }
        Some(name).filter(|name| !name.is_empty())
    };
    // The commands found before the budget ran out are named; naming has its own budget.
    let budget = Budget::default();
    let known = commands.iter().take_while(|_| !budget.is_spent());
    known.filter_map(|command| name(programs::profile_command_within(&command.words, &budget))).collect()
}

/// The innermost matching commands. Returns whether any part matches, including redirects and unknown parts.
fn asking_parts<'v>(parts: &'v [Part], fits: &dyn Fn(&Part) -> bool, found: &mut Vec<&'v Part>) -> bool {
    let mut any = false;
    for part in parts {
        let before = found.len();
        let within = asking_parts(&part.parts, fits, found);
        let this = fits(part);
        if this && part.kind == PartKind::Command && found.len() == before {
            found.push(part);
        }
        any |= this || within;
    }
    any
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{BuiltinLevel, Call, Effect, JudgeContext, Layer, LayerKind, Layers, Policy, Rule, judge};

    fn asked(text: &str, rules: Vec<(Effect, Rule)>) -> Vec<String> {
        let mut layer = Layer::from_rules(LayerKind::Global, "test", rules).unwrap();
        layer.settings.builtin = Some(BuiltinLevel::Full);
        let context =
            JudgeContext { root: Some("/w".into()), ..JudgeContext::at(jiff::Timestamp::UNIX_EPOCH) };
        let call = Call { cwd: Some("/w".into()), ..Call::new("bash", json!({ "command": text })) };
        questioned_commands(&judge(&Policy::compile(Layers::from(vec![layer])), &call, &context))
    }

    #[test]
    fn commands_are_named_as_in_rules() {
        for (text, names) in [
            ("git push origin main", &["git push"][..]),
            ("/usr/bin/git push", &["git push"]),
            ("npm run build -- --watch", &["npm run build"]),
            ("rm -rf /w/x", &["rm"]),
            ("cd /w && ls && rm a; rm b", &["rm"]),
            ("cd /w && git push && some-tool deploy", &["git push", "some-tool"]),
            ("sudo rm -rf x", &["rm"]),
            ("bash -c 'cd /w && git push'", &["git push"]),
            ("rm $(some-tool list)", &["rm", "some-tool"]),
            ("ls", &[]),
            ("$PROGRAM x", &[]),
        ] {
            let mut found = asked(text, Vec::new());
            found.sort_unstable();
            assert_eq!(found, names, "{text}");
        }
    }

    #[test]
    fn text_confirmed_as_a_whole_lists_all_its_commands() {
        let rule =
            Rule { tool: Some("bash".into()), command_glob: Some("ls | wc".into()), ..Rule::default() };
        assert_eq!(asked("ls | wc", vec![(Effect::Confirm, rule)]), ["ls", "wc"]);
        assert_eq!(asked("cd /w && ls > /etc/passwd", Vec::new()), [""; 0], "the redirect asks");
    }

    #[test]
    fn names_are_few_and_short() {
        let many: String = (0..40).map(|n| format!("tool{n} x; ")).collect();
        assert_eq!(asked(&many, Vec::new()).len(), MAX_NAMES);
        let long = format!("npm run {}", "x".repeat(500));
        assert!(asked(&long, Vec::new())[0].chars().count() <= MAX_NAME_CHARS + 1);
        // A secret is masked if its word is whole.
        assert_eq!(asked(&long, Vec::new()), ["npm run…"]);
    }
}
