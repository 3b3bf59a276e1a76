//! `find -exec`: the commands that it runs for files whose names are not known.

use super::super::unresolved_words::is_dangerous;
use super::fields::{Field, command_text, unknown};
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
            self.note_found(arguments, command);
            let fields = command.iter().map(|word| Field::new(word.replace("{}", &unknown()))).collect();
            self.nested(|shell| shell.in_subshell(|shell| shell.invoke(fields)));
            rest = behind;
        }
    }

    /// `find /bin -name rm -exec {} -rf x \;`: the program is what is found.
    fn note_found(&mut self, arguments: &[String], command: &[String]) {
        let Some((_, words)) = command.split_first().filter(|(program, _)| program.ends_with("{}")) else {
            return;
        };
        let names = arguments.windows(2).filter_map(|pair| match pair {
            [test, name] if matches!(test.as_str(), "-name" | "-iname") => Some(name),
            _ => None,
        });
        let rest: Vec<Field> = words.iter().map(Field::new).collect();
        for name in names {
            let text = format!("{} {}", Field::new(name).word(), command_text(&rest));
            if self.spend(text.len() / 8) && is_dangerous(&text) {
                (self.note)(&text);
            }
        }
    }
}
