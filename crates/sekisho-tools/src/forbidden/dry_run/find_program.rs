//! `find -exec`: the commands that it runs for files whose names are not known.

use super::fields::{Field, unknown};
use super::shell::Shell;

/// Actions that run the words behind them.
const ACTIONS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

impl Shell<'_> {
    pub(super) fn find_commands(&mut self, arguments: &[String]) {
        let mut rest = arguments;
        while let Some(at) = rest.iter().position(|word| ACTIONS.contains(&word.as_str())) {
            let words = rest.get(at + 1..).unwrap_or_default();
            let end = words.iter().position(|word| matches!(word.as_str(), ";" | "+")).unwrap_or(words.len());
            let (command, behind) = words.split_at_checked(end).unwrap_or_default();
            let fields = command.iter().map(|word| Field::new(word.replace("{}", &unknown()))).collect();
            self.nested(|shell| shell.in_subshell(|shell| shell.invoke(fields)));
            rest = behind;
        }
    }
}
