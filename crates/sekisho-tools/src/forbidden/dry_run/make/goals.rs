//! Which rules of a makefile run for its goals. In doubt all of them do.

use std::collections::BTreeSet;

/// A rule: its targets, what they need, and its recipe.
#[derive(Debug, Default)]
pub(super) struct Rule {
    pub(super) targets: String,
    pub(super) needed: String,
    pub(super) recipe: Vec<String>,
}

/// Targets that have no recipe of their own.
const SPECIAL: [&str; 4] = [".DELETE_ON_ERROR", ".INTERMEDIATE", ".PHONY", ".PRECIOUS"];
/// How often the rules are gone through.
const MAX_ROUNDS: usize = 64;

/// What a call of make is to make.
#[derive(Debug, Default)]
pub(super) struct Goals {
    /// Without any, the first rule is one.
    pub(super) named: Vec<String>,
    /// The makefiles, which are made as well.
    pub(super) files: Vec<String>,
    /// Other makefiles are read, and they are not known.
    pub(super) are_open: bool,
}

/// The recipes that run for some goals.
pub(super) fn recipes(rules: &[Rule], goals: &Goals) -> Vec<String> {
    let reached = if goals.are_open { None } else { reached(rules, goals) };
    let is_run = |rule: &&Rule| match &reached {
        Some(reached) => rule.targets.split_whitespace().any(|name| reached.contains(name)),
        None => true,
    };
    rules.iter().filter(is_run).flat_map(|rule| rule.recipe.clone()).collect()
}

/// The names of all that is made. `None` if that is not known.
fn reached<'r>(rules: &'r [Rule], goals: &'r Goals) -> Option<BTreeSet<&'r str>> {
    let names = || rules.iter().flat_map(|rule| [rule.targets.as_str(), rule.needed.as_str()]);
    if !names().chain(goals.named.iter().map(String::as_str)).all(are_plain) {
        return None;
    }
    // It may make anything by its own rules.
    let recipes = || rules.iter().flat_map(|rule| &rule.recipe);
    if recipes().any(|line| line.to_ascii_lowercase().contains("make")) {
        return None;
    }
    let is_ordinary = |rule: &&Rule| !rule.targets.trim_start().starts_with('.');
    let first = rules.iter().find(is_ordinary).filter(|_| goals.named.is_empty());
    let first = first.map(|rule| rule.targets.as_str()).unwrap_or_default();
    let given = goals.named.iter().chain(&goals.files).map(String::as_str);
    let mut reached: BTreeSet<&str> = first.split_whitespace().chain(given).collect();
    for _ in 0..MAX_ROUNDS {
        let before = reached.len();
        for rule in rules {
            if rule.targets.split_whitespace().any(|name| reached.contains(name)) {
                reached.extend(rule.needed.split_whitespace());
            }
        }
        if reached.len() == before {
            return Some(reached);
        }
    }
    None
}

/// Whether names are nothing but names: no patterns, no other directories, nothing that is not known.
fn are_plain(names: &str) -> bool {
    names.split_whitespace().all(|name| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        name.chars().all(is_plain) && (!name.starts_with('.') || SPECIAL.contains(&name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_goals_need_is_run() {
        let run = |rules: &[(&str, &str, &str)], goals: &[&str]| {
            let rules = rules.iter().map(|(targets, needed, recipe)| Rule {
                targets: (*targets).to_owned(),
                needed: (*needed).to_owned(),
                recipe: vec![(*recipe).to_owned()],
            });
            let named = goals.iter().map(ToString::to_string).collect();
            let goals = Goals { named, files: vec!["mk".into()], are_open: false };
            recipes(&rules.collect::<Vec<_>>(), &goals).join(" ")
        };
        let rules = [(".PHONY", "a c", ""), ("a", "b", "1"), ("b", "", "2"), ("c", "", "3")];
        assert_eq!(run(&rules, &[]).trim(), "1 2");
        assert_eq!(run(&rules, &["b"]).trim(), "2");
        assert_eq!(run(&rules, &["c", "b"]).trim(), "2 3");
        assert_eq!(run(&rules, &["d"]).trim(), "");
        assert_eq!(run(&[("a", "", "1"), ("mk", "", "2")], &["d"]), "2");
        for (targets, needed, recipe) in [
            ("%.o", "", "2"),
            ("b", "*.c", "2"),
            ("./b", "", "2"),
            ("d/b", "", "2"),
            (".DEFAULT", "", "2"),
            (".c.o", "", "2"),
            ("\0", "", "2"),
            ("b", "", "$(MAKE) c"),
        ] {
            let rules = [("a", "", "1"), (targets, needed, recipe)];
            assert_eq!(run(&rules, &["x"]), format!("1 {recipe}"), "{targets}");
        }
    }
}
