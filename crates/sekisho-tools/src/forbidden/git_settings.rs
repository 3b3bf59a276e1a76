//! Commands in the settings of git that a command names: `--config-env`, `git config KEY VALUE`, `ext::` addresses.
//!
//! Which settings hold a command is not known here, so every value is searched as one.

use super::git_push::{alias_command, subcommands};
use super::resolved_arguments::{Argument, Values};
use super::unresolved_words::quoted_words;

/// Gives the values of the settings in `git` commands to `note`, as what git would run.
pub(super) fn find(commands: &[Vec<Argument>], values: &Values, note: &mut dyn FnMut(&str)) {
    let words = commands.iter().filter_map(|arguments| {
        let (program, rest) = arguments.split_first()?;
        program.runs("git").then_some(rest)
    });
    let words: Vec<&[Argument]> = words.collect();
    // `git config --rename-section a alias` makes aliases of other settings.
    let makes_aliases = words.iter().any(|words| {
        let names_aliases = |word: &Argument| word.text.to_lowercase().starts_with("alias");
        words.iter().any(|word| word.text.contains("rename-section")) && words.iter().any(names_aliases)
    });
    for words in words {
        from_variables(words, values, note);
        let addresses = words.iter().filter_map(|word| word.text.strip_prefix("ext::"));
        addresses.for_each(|command| note(&transport_command(command)));
        let given = words.windows(2).filter_map(|pair| match pair {
            [option, setting] if option.text == "-c" => setting.text.split_once('='),
            _ => None,
        });
        // `git -c remote.o.uploadpack='command;' fetch o`
        let given = given.filter(|(key, _)| !is_alias(key) && !key.starts_with("user."));
        given.for_each(|(_, value)| note(value));
        for (key, value) in configured(words) {
            // What git runs for an alias is searched where the alias is.
            if !is_alias(key) {
                note(value);
            }
            if makes_aliases {
                note(&alias_command(value));
            }
        }
    }
}

/// The command of an `ext::` address: `% ` is a blank inside a word, and `%%` is `%`.
fn transport_command(address: &str) -> String {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut letters = address.chars();
    while let Some(c) = letters.next() {
        match c {
            ' ' => words.push(std::mem::take(&mut word)),
            '%' => word.extend(letters.next()),
            c => word.push(c),
        }
    }
    words.push(word);
    quoted_words(words.iter().map(String::as_str))
}

/// `V=push git --config-env=alias.z=V z`, also in two words.
fn from_variables(words: &[Argument], values: &Values, note: &mut dyn FnMut(&str)) {
    let mut is_behind = false;
    for word in words {
        let is_setting = std::mem::replace(&mut is_behind, word.text == "--config-env");
        let setting = word.text.strip_prefix("--config-env=").or(is_setting.then_some(word.text.as_str()));
        let Some((key, variable)) = setting.and_then(|setting| setting.rsplit_once('=')) else { continue };
        for value in values.get(variable).into_iter().flatten() {
            note(&if is_alias(key) { alias_command(value) } else { value.clone() });
        }
    }
}

/// The key and the words behind it in `git config KEY VALUE`.
fn configured(words: &[Argument]) -> impl Iterator<Item = (&str, &str)> {
    let is_config = |at: &usize| words.get(*at).is_some_and(|word| word.text == "config");
    let at = subcommands(words).into_iter().find(is_config);
    let behind = at.and_then(|at| words.get(at + 1..)).unwrap_or_default();
    let behind = behind.iter().map(|word| word.text.as_str());
    let mut behind = behind.skip_while(|word| word.starts_with('-') || !word.contains('.'));
    let key = behind.next().unwrap_or_default();
    behind.map(move |value| (key, value))
}

fn is_alias(key: &str) -> bool {
    key.to_lowercase().starts_with("alias.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_behind_their_keys() {
        for (text, expected) in [
            ("git config a.b x", &["x"][..]),
            ("git config --global a.b x y", &["x", "y"]),
            ("git config set a.b x", &["x"]),
            ("git config --rename-section x y", &[]),
            ("git config a.b", &[]),
            ("git config alias.p x", &[]),
            ("git commit -m a.b x", &[]),
            ("git add config a.b x", &[]),
            ("git --config-env=a.b=V x", &["v"]),
            ("git --config-env a.b=V x", &["v"]),
            ("git --config-env=alias.b=V x", &["git v"]),
            ("git clone ext::x", &["'x'"]),
            ("git clone ext::x%%%_y", &["'x%_y'"]),
            ("git -c a.b=x c", &["x"]),
            ("git -c alias.b=x c", &[]),
            ("ls config a.b x", &[]),
        ] {
            let words: Vec<Argument> = text.split(' ').map(Argument::literal).collect();
            let values = Values::from([("V".to_owned(), vec!["v".to_owned()])]);
            let mut found = Vec::new();
            find(&[words], &values, &mut |command: &str| found.push(command.to_owned()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
