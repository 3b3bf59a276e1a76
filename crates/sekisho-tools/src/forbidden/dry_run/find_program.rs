//! `find -exec`: the commands that it runs for files whose names are not known.

use super::fields::{Field, unknown};
use super::shell::{Shell, program_content};

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

    /// `find /bin -name rm -exec {} -rf x \;`: the program is what is found, or is copied.
    fn note_found(&mut self, arguments: &[String], command: &[String]) {
        if !arguments.iter().any(|path| path == "/" || path.contains("bin")) {
            return;
        }
        let names = arguments.windows(2).filter_map(|pair| match pair {
            [test, name] if matches!(test.as_str(), "-name" | "-iname") => Some(name),
            _ => None,
        });
        for name in names {
            // The directory is one of those of programs, whichever that is.
            let path = format!("/bin/{name}");
            let fields: Vec<Field> =
                command.iter().map(|word| Field::new(word.replace("{}", &path))).collect();
            if command.iter().any(|word| word.contains("{}")) && program_content(&path).is_some() {
                self.nested(|shell| shell.in_subshell(|shell| shell.invoke(fields)));
            }
        }
    }
}
