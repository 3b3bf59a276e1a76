//! Makes field names unique that are equal once they are masked.

use serde_json::{Map, Value};

/// Up to this many names are distinguished by quotes; further ones are numbered.
const QUOTES: usize = 4;

/// Distinguishes the names of one object. It continues counting from name to name, so many equal names
/// stay fast.
#[derive(Default)]
pub(super) struct UniqueNames {
    count: usize,
}

impl UniqueNames {
    /// The name with a suffix that makes it differ from earlier ones.
    pub(super) fn of(&mut self, mut name: String, others: &Map<String, Value>) -> String {
        for _ in 0..QUOTES {
            if !others.contains_key(&name) {
                return name;
            }
            name.push('\'');
        }
        let length = name.len();
        while others.contains_key(&name) {
            self.count += 1;
            name.truncate(length);
            name.push_str(&self.count.to_string());
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::UniqueNames;
    use serde_json::{Map, Value};

    #[test]
    fn equal_names_differ_and_stay_short() {
        let (mut unique, mut names) = (UniqueNames::default(), Map::new());
        names.insert("x''''2".into(), Value::Null);
        for _ in 0..5000 {
            let name = unique.of("x".into(), &names);
            assert!(name.len() < 12, "{name}");
            assert_eq!(names.insert(name, Value::Null), None);
        }
        assert!(names.contains_key("x''") && !names.contains_key("x'''''"));
    }
}
