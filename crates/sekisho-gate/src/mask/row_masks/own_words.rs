//! Words of a row that no secret may hide: who called, which tool, which programs run.

use std::collections::HashSet;

use serde_json::Value;

use super::secret_forms::is_plain;
use crate::mask::random_looking_value;
use crate::mask::shell_syntax;
use crate::mask::text_kind;

/// Where else in its row a secret is masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Nowhere: it names something that the row must show.
    Nowhere,
    /// In paths and other single words. In a sentence it may be an ordinary word.
    SingleWords,
    Everywhere,
}

/// The names that identify a row, and its programs.
#[derive(Default)]
pub(super) struct OwnWords {
    /// Tool, server, agent, credential, approver.
    names: Vec<String>,
    programs: HashSet<String>,
}

impl OwnWords {
    /// Adds a name that the caller did not choose.
    pub(super) fn add_name(&mut self, name: &str) {
        self.names.push(name.to_owned());
    }

    /// Adds the programs of a command.
    pub(super) fn add_programs(&mut self, command: &str, from: usize) {
        for word in shell_syntax::programs(command.as_bytes(), from) {
            let word = command.get(word).unwrap_or_default().replace(['\'', '"', '\\'], "");
            self.programs.extend(word.rsplit('/').next().map(str::to_owned));
            self.programs.insert(word);
        }
    }

    /// Whether a command names this as its program.
    pub(super) fn is_program(&self, word: &str) -> bool {
        self.programs.contains(word)
    }

    /// Adds the programs that a record lists, without these secrets.
    pub(super) fn add_listed(&mut self, body: &Value, secrets: &HashSet<String>) {
        let body = body.get("about").unwrap_or(body);
        let listed = body.get(text_kind::PROGRAMS).and_then(Value::as_array);
        let names = listed.into_iter().flatten().filter_map(Value::as_str);
        for name in names.filter(|name| !secrets.contains(*name)) {
            self.programs.extend(name.split_whitespace().map(str::to_owned));
        }
    }

    /// Where this form of a secret is masked. The caller chooses what looks like a secret, so nothing
    /// that could be a command, a program, a path or a host is masked elsewhere.
    pub(super) fn reach(&self, form: &str) -> Reach {
        let is_random = || random_looking_value::value(form.as_bytes());
        if form.starts_with('-')
            || self.programs.contains(form)
            || self.names.iter().any(|name| name.contains(form))
            || ((is_path(form) || is_host(form)) && !is_random())
        {
            return Reach::Nowhere;
        }
        // A word may continue on the next line.
        let is_command = form.replace("\\\n", "").contains(|sign: char| {
            sign.is_whitespace() || matches!(sign, ';' | '|' | '&' | '<' | '>' | '(' | ')' | '`')
        });
        if is_command || is_plain(form) || (form.contains('/') && !is_random()) {
            return Reach::SingleWords;
        }
        Reach::Everywhere
    }
}

fn is_path(text: &str) -> bool {
    ["/", "~", "./", "../"].iter().any(|start| text.starts_with(start)) || text.contains("://")
}

/// A host or a file name: `db.example.com`, `10.0.0.1:5432`, `x.sh`.
fn is_host(text: &str) -> bool {
    let (host, port) = text.split_once(':').unwrap_or((text, "0"));
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_address = host.split('.').all(|label| label.parse::<u8>().is_ok());
    host.contains('.')
        && host.split('.').all(is_label)
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && (is_address || (last.len() <= 10 && last.bytes().all(|byte| byte.is_ascii_lowercase())))
}

#[cfg(test)]
mod tests {
    use super::{OwnWords, Reach};

    #[test]
    fn only_values_that_name_nothing_are_masked_elsewhere() {
        let mut own = OwnWords::default();
        own.add_name("builder-two");
        own.add_programs("sudo x9evil1 a; B=1 /opt/y9evil2 b | 'z9evil'3", 0);
        for (form, reach) in [
            ("rm -rf x1y2z3", Reach::SingleWords),
            ("opensesame", Reach::SingleWords),
            ("hunter2x", Reach::Everywhere),
            ("pa$$w0rd", Reach::Everywhere),
            ("a9;shred", Reach::SingleWords),
            ("--force9", Reach::Nowhere),
            ("builder-two", Reach::Nowhere),
            ("builder", Reach::Nowhere),
            ("x9evil1", Reach::Nowhere),
            ("y9evil2", Reach::Nowhere),
            ("z9evil3", Reach::Nowhere),
            ("/tmp/3vil/x.py", Reach::Nowhere),
            ("~/work99", Reach::Nowhere),
            ("evil9.example.invalid", Reach::Nowhere),
            ("10.0.0.17:443", Reach::Nowhere),
            ("https://e9.example/x", Reach::Nowhere),
            ("ab1cd/ef2gh", Reach::SingleWords),
        ] {
            assert_eq!(own.reach(form), reach, "{form}");
        }
    }
}
