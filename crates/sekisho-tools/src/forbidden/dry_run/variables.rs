//! The values of variables, arrays and positional parameters.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::fields::is_known;

/// The elements of a variable by their index or key. A variable that is no array has one.
pub(super) type Elements = Vec<(String, String)>;

/// The name under which the positional parameters are kept.
pub(super) const POSITIONAL: &str = "@";
/// How many names of names are followed.
const MAX_HOPS: usize = 8;
/// How many values that a variable has had are kept.
const MAX_FORMER: usize = 8;
/// Longer ones are not kept, in bytes.
const MAX_FORMER_LENGTH: usize = 2048;

#[derive(Clone, Debug)]
pub(super) struct Variables {
    values: BTreeMap<String, Elements>,
    /// `declare -n reference=name`
    references: BTreeMap<String, String>,
    /// `declare -l name`, `declare -u name`: whether the letters become small.
    letters: BTreeMap<String, bool>,
    /// Letters of `declare`, by variable.
    attributes: BTreeMap<String, String>,
    /// The values that variables have had, also in subshells and in steps that were forgotten.
    former: Rc<RefCell<BTreeMap<String, Vec<Elements>>>>,
}

/// The order in which bash shows attributes.
const ATTRIBUTES: &str = "aAfinrtxclu";

impl Default for Variables {
    fn default() -> Variables {
        let mut variables = Variables {
            values: BTreeMap::new(),
            references: BTreeMap::new(),
            letters: BTreeMap::new(),
            attributes: BTreeMap::new(),
            former: Rc::default(),
        };
        variables.set("IFS", " \t\n".into());
        variables.set("OPTIND", "1".into());
        // The text runs in it.
        variables.set("BASH", "/bin/bash".into());
        variables.set_all(POSITIONAL, Vec::new());
        variables
    }
}

impl Variables {
    pub(super) fn get(&self, name: &str) -> Option<&Elements> {
        self.values.get(self.target(name))
    }

    /// The value of a variable, or the first element of an array.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let elements = self.get(name)?;
        let first = elements.iter().find(|(key, _)| key == "0").or(elements.first());
        first.map(|(_, value)| value.as_str())
    }

    pub(super) fn positional(&self) -> Vec<String> {
        let all = self.values.get(POSITIONAL).into_iter().flatten();
        all.map(|(_, value)| value.clone()).collect()
    }

    pub(super) fn names_with(&self, prefix: &str) -> Vec<String> {
        self.values.keys().filter(|name| name.starts_with(prefix) && *name != POSITIONAL).cloned().collect()
    }

    /// Sets a variable, or an element: `name` or `name[index]`.
    pub(super) fn set(&mut self, name: &str, value: String) {
        if self.has_attribute(name, 'r') {
            return;
        }
        match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((name, index)) => self.set_element(name, index, value),
            None if self.target(name).contains('[') && self.target(name) != name => {
                let target = self.target(name).to_owned();
                self.set(&target, value);
            }
            None => {
                let value = self.spelled(name, value);
                self.replace(self.target(name).to_owned(), vec![("0".into(), value)]);
            }
        }
    }

    pub(super) fn set_element(&mut self, name: &str, key: &str, value: String) {
        let value = self.spelled(name, value);
        let elements = self.values.entry(self.target(name).to_owned()).or_default();
        match elements.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = value,
            None => {
                // Numbers are in their order; the order of other keys is not known.
                let number = key.parse::<usize>().ok();
                let follows = |(known, _): &(String, String)| {
                    number.zip(known.parse::<usize>().ok()).is_some_and(|(new, known)| known > new)
                };
                let at = elements.iter().position(follows).unwrap_or(elements.len());
                elements.insert(at, (key.to_owned(), value));
            }
        }
    }

    pub(super) fn set_all(&mut self, name: &str, elements: Elements) {
        self.replace(self.target(name).to_owned(), elements);
    }

    /// Sets the positional parameters, and returns those before.
    pub(super) fn set_positional(&mut self, fields: Vec<String>) -> Elements {
        self.values.insert(POSITIONAL.into(), numbered(fields)).unwrap_or_default()
    }

    pub(super) fn positional_count(&self) -> usize {
        self.values.get(POSITIONAL).map_or(0, Vec::len)
    }

    /// The names of variables that have another value than before.
    pub(super) fn changed_since(&self, before: &Variables) -> Vec<String> {
        let is_changed = |(name, value): &(&String, &Elements)| {
            *name != POSITIONAL && *name != "IFS" && before.values.get(*name) != Some(*value)
        };
        self.values.iter().filter(is_changed).map(|(name, _)| name.clone()).collect()
    }

    /// Gives a variable other elements, and keeps in mind that it has had them.
    pub(super) fn replace(&mut self, name: String, elements: Elements) {
        let size = elements.iter().map(|(_, value)| value.len()).sum::<usize>();
        let is_kept =
            size > 0 && size <= MAX_FORMER_LENGTH && elements.iter().any(|(_, value)| is_known(value));
        if is_kept && !name.starts_with(|c: char| !c.is_ascii_alphabetic() && c != '_') {
            let mut former = self.former.borrow_mut();
            let former = former.entry(name.clone()).or_default();
            if !former.contains(&elements) {
                // The first ones and the last ones are kept.
                if former.len() >= MAX_FORMER {
                    former.remove(MAX_FORMER / 2);
                }
                former.push(elements.clone());
            }
        }
        self.values.insert(name, elements);
    }

    /// Whether any variable has had several values.
    pub(super) fn has_former(&self) -> bool {
        !self.former.borrow().is_empty()
    }

    /// The values that a variable has had and has not now.
    pub(super) fn former(&self, name: &str) -> Vec<Elements> {
        let name = self.target(name);
        let former = self.former.borrow();
        let others = former.get(name).into_iter().flatten();
        others.filter(|elements| self.values.get(name) != Some(*elements)).cloned().collect()
    }

    pub(super) fn restore(&mut self, name: &str, elements: Option<Elements>) {
        // Those of a function end with it.
        self.attributes.remove(name);
        match elements {
            Some(elements) => drop(self.values.insert(name.to_owned(), elements)),
            None => drop(self.values.remove(name)),
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((name, index)) => {
                let elements = self.values.get_mut(name).into_iter();
                elements.for_each(|elements| elements.retain(|(key, _)| key != index));
            }
            None => {
                self.values.remove(name);
                self.attributes.remove(name);
            }
        }
    }

    pub(super) fn refer(&mut self, name: &str, other: &str) {
        self.references.insert(name.to_owned(), other.to_owned());
    }

    pub(super) fn is_reference(&self, name: &str) -> bool {
        self.references.contains_key(name)
    }

    pub(super) fn spell(&mut self, name: &str, is_small: bool) {
        self.letters.insert(name.to_owned(), is_small);
    }

    pub(super) fn add_attribute(&mut self, name: &str, letter: char) {
        let letters = self.attributes.entry(name.to_owned()).or_default();
        if !letters.contains(letter) {
            letters.push(letter);
        }
    }

    pub(super) fn clear_attributes(&mut self, name: &str) {
        self.attributes.remove(name);
    }

    pub(super) fn has_attribute(&self, name: &str, letter: char) -> bool {
        self.attributes.get(self.target(name)).is_some_and(|letters| letters.contains(letter))
    }

    /// The attributes of a variable, as bash shows them.
    pub(super) fn attributes(&self, name: &str) -> String {
        let given = self.attributes.get(self.target(name)).map(String::as_str).unwrap_or_default();
        let is_array = self.get(name).is_some_and(|elements| elements.len() > 1);
        let has =
            |letter: &char| given.contains(*letter) || *letter == 'a' && is_array && !given.contains('A');
        ATTRIBUTES.chars().filter(has).collect()
    }

    /// How much a copy costs.
    pub(super) fn size(&self) -> usize {
        let elements = self.values.values().flatten().map(|(_, value)| value.len() / 8 + 1).sum::<usize>();
        elements
            + 2 * (self.values.len() + self.references.len() + self.letters.len() + self.attributes.len())
    }

    /// The name that a reference stands for.
    fn target<'n>(&'n self, name: &'n str) -> &'n str {
        let mut name = name;
        for _ in 0..MAX_HOPS {
            match self.references.get(name).filter(|next| !next.is_empty()) {
                Some(next) => name = next,
                None => break,
            }
        }
        name
    }

    /// The variable that a reference stands for, if it is not the variable itself.
    pub(super) fn referred<'n>(&'n self, name: &'n str) -> Option<&'n str> {
        Some(self.target(name)).filter(|target| *target != name)
    }

    fn spelled(&self, name: &str, value: String) -> String {
        match self.letters.get(name) {
            Some(true) => value.to_lowercase(),
            Some(false) => value.to_uppercase(),
            None => value,
        }
    }
}

pub(super) fn numbered(fields: Vec<String>) -> Elements {
    fields.into_iter().enumerate().map(|(at, field)| (at.to_string(), field)).collect()
}

/// Whether a text is the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
