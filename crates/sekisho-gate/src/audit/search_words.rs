//! Text to search for in the audit log: its words, in any order, ignoring case.

use super::chain_row::ChainRow;

/// The words of a search. A record contains all of them, in its sentence or its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchWords(Vec<SearchWord>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct SearchWord {
    plain: String,
    /// As it is written inside a string of a JSON body, if that differs.
    in_json: Option<String>,
}

impl SearchWords {
    /// The words of a text, separated by blanks.
    pub fn new(text: &str) -> SearchWords {
        let word = |word: &str| {
            let plain = word.to_lowercase();
            let written = serde_json::Value::from(plain.as_str()).to_string();
            let inside = written.get(1..written.len().saturating_sub(1)).unwrap_or_default();
            let in_json = (inside != plain).then(|| inside.to_owned());
            SearchWord { plain, in_json }
        };
        SearchWords(text.split_whitespace().map(word).collect())
    }

    /// Whether a record contains every word.
    pub fn are_in(&self, row: &ChainRow) -> bool {
        self.0.iter().all(|word| {
            contains(&row.text, &word.plain)
                || contains(&row.body, word.in_json.as_ref().unwrap_or(&word.plain))
        })
    }
}

/// Whether a text contains a word in lower case, ignoring case. ASCII is compared without a copy.
fn contains(text: &str, word: &str) -> bool {
    if word.is_ascii() {
        let word = word.as_bytes();
        return word.is_empty()
            || text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    }
    text.to_lowercase().contains(word)
}

#[cfg(test)]
mod tests {
    use super::super::{Mac, WriterId};
    use super::*;

    #[test]
    fn every_word_must_be_found() {
        let row = ChainRow {
            writer: WriterId(uuid::Uuid::nil()),
            seq: 1,
            key: 1,
            at_us: 0,
            kind: "verdict".into(),
            call: None,
            approval: None,
            execution: None,
            tool: None,
            server: None,
            agent: None,
            credential: None,
            decision: None,
            approver: None,
            text: "no rule matches".into(),
            body: r#"{"message":"Bash: npm run test -- -t \"Größe 関所\""}"#.into(),
            previous: Mac::ZERO,
            code: Mac::ZERO,
        };
        for (text, found) in [
            ("npm run test", true),
            ("test NPM", true),
            ("rule npm", true),
            ("npm publish", false),
            ("\"Größe 関所\"", true),
            ("gRÖSSE", false),
            ("größe", true),
            ("", true),
        ] {
            assert_eq!(SearchWords::new(text).are_in(&row), found, "{text}");
        }
    }
}
