//! `compgen`: the commands, functions and words that it evaluates.

use super::fields::{Field, unknown};
use super::filters::Options;
use super::shell::Shell;

/// What may be completed and is forbidden.
const PROGRAMS: [&str; 6] = ["rm", "rmdir", "env", "printenv", "export", "git-push"];
/// Letters of the options of `compgen` and `complete`.
const LETTERS: &str = "abcdefgjksuvo:A:G:W:F:C:X:P:S:V:DEIpr";

impl Shell<'_> {
    pub(super) fn compgen(&mut self, arguments: &[String]) {
        self.status = None;
        let Some((options, operands)) = Options::up_to_operand(arguments, LETTERS, &[], true) else {
            return self.print(&unknown());
        };
        let prefix = operands.first().map(String::as_str).unwrap_or_default();
        if let Some(command) = options.value('C') {
            // It gets the name of a command, the word and the one before.
            let text = format!("{command} '' '{prefix}' ''");
            self.in_subshell(|shell| shell.run_text(&text));
        }
        if let Some(function) = options.value('F') {
            let words = [function, "", prefix, ""].map(Field::new);
            self.nested(|shell| shell.in_subshell(|shell| shell.invoke(words.to_vec())));
        }
        match options.value('W') {
            Some(words) if options.letters.len() == 1 => {
                let words = self.fields(&super::parser::words(words));
                for field in words.into_iter().filter(|field| field.text.starts_with(prefix)) {
                    self.print(&format!("{}\n", field.text));
                }
            }
            Some(words) => {
                drop(self.fields(&super::parser::words(words)));
                self.print(&unknown());
            }
            None => {
                // Names of programs and builtins.
                let names = PROGRAMS.iter().filter(|name| name.starts_with(prefix) && !prefix.is_empty());
                names.for_each(|name| self.keep_text((*name).to_owned()));
                self.print(&unknown());
            }
        }
    }
}
