//! `make`: the commands that its makefiles run, with their variables in place.

mod functions;
mod goals;
mod makefile;
mod text_functions;

use super::fields::{Field, is_known, unknown};
use super::filters::{LongNames, Options};
use super::shell::Shell;
use goals::Goals;
use makefile::Makefile;

const LETTERS: &str = "f:C:E:I:j::l::o:W:bmBdeikLnpqrRsStvw";
const NAMES: LongNames = &[
    ("file", 'f'),
    ("makefile", 'f'),
    ("directory", 'C'),
    ("eval", 'E'),
    ("include-dir", 'I'),
    ("jobs", 'j'),
    ("load-average", 'l'),
    ("max-load", 'l'),
    ("old-file", 'o'),
    ("assume-old", 'o'),
    ("what-if", 'W'),
    ("new-file", 'W'),
    ("assume-new", 'W'),
    ("always-make", 'B'),
    ("keep-going", 'k'),
    ("ignore-errors", 'i'),
    ("environment-overrides", 'e'),
    ("silent", 's'),
    ("quiet", 's'),
    ("no-print-directory", 's'),
    ("print-directory", 'w'),
    ("no-builtin-rules", 'r'),
    ("no-builtin-variables", 'R'),
    ("warn-undefined-variables", 's'),
    ("stop", 'S'),
    ("trace", 'd'),
    ("debug", 'd'),
    ("always-make", 'B'),
];
/// The files that are read without `-f`.
const DEFAULT_FILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
/// The variable that names files which are read before the others.
const FILES: &str = "MAKEFILES";
/// The shell, and its option for a command.
const SHELL: (&str, &str) = ("SHELL", ".SHELLFLAGS");

impl Shell<'_> {
    pub(super) fn make(&mut self, arguments: &[String]) {
        let Some((options, operands)) = Options::up_to_operand(arguments, LETTERS, NAMES, true) else {
            return self.end_unknown();
        };
        let mut text = String::new();
        let evaluated = options.letters.iter().filter(|(letter, _)| *letter == 'E');
        evaluated.for_each(|(_, part)| text.extend([part, "\n"]));
        let directory = options.value('C').map(|directory| format!("{directory}/")).unwrap_or_default();
        let files: Vec<String> = options
            .letters
            .iter()
            .filter(|(letter, _)| *letter == 'f')
            .map(|(_, path)| path.clone())
            .collect();
        let others = self.variables().text(FILES).map(str::to_owned).unwrap_or_default();
        for path in others.split_whitespace() {
            text += &self.read_file(&format!("{directory}{path}"));
            text.push('\n');
        }
        for path in &files {
            let is_input = matches!(path.as_str(), "-" | "/dev/stdin");
            text += &self.read_file(&if is_input { path.clone() } else { format!("{directory}{path}") });
            text.push('\n');
        }
        let mut are_open = !others.is_empty();
        if files.is_empty() {
            let known = DEFAULT_FILES.iter().find_map(|name| self.known_file(&format!("{directory}{name}")));
            are_open |= known.is_none();
            text += &known.unwrap_or_default();
        }
        are_open |= !is_known(&text);
        if self.spend(text.len()) {
            let given = operands.iter().filter_map(|word| word.split_once('='));
            let given = given
                .map(|(name, value)| (name.trim_end_matches([':', '+', '?']).to_owned(), value.to_owned()));
            let named = operands.iter().filter(|word| !word.contains('=')).cloned().collect();
            let files = DEFAULT_FILES.into_iter().map(str::to_owned).chain(files).collect();
            let goals = Goals { named, files, are_open };
            self.in_subshell(|shell| shell.makefile(&text, given.collect(), &goals));
        }
        self.end_unknown();
    }

    fn makefile(&mut self, text: &str, given: Vec<(String, String)>, goals: &Goals) {
        let mut makefile = Makefile::new(given, self);
        makefile.read(text);
        let recipes = makefile.recipes(goals);
        let shell = [SHELL.0, SHELL.1].map(|name| makefile.set_value(name));
        for recipe in recipes {
            match &shell {
                [None, None] => self.in_subshell(|shell| shell.run_text(&recipe)),
                [program, flags] => {
                    let program = program.as_deref().unwrap_or("/bin/sh");
                    let flags = flags.as_deref().unwrap_or("-c").split_whitespace();
                    let mut words: Vec<Field> = vec![Field::new(program)];
                    words.extend(flags.map(Field::new));
                    words.push(Field::new(recipe));
                    self.nested(|shell| shell.in_subshell(|shell| shell.invoke(words)));
                }
            }
        }
        self.print(&unknown());
    }
}
