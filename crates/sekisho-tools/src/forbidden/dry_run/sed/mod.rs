//! `sed`: what it prints, the files that it writes, and the commands that it runs.

mod machine;
mod script;

use super::fields::{is_known, unknown, without_marks};
use super::filters::{LongNames, Options};
use super::shell::Shell;
use machine::{Host, Machine};
use script::{Command, instructions};

/// What reading each character of a script costs.
const COMPILE_COST: usize = 48;
const LETTERS: &str = "e:f:nErsuzi::l:b";
const NAMES: LongNames = &[
    ("expression", 'e'),
    ("file", 'f'),
    ("quiet", 'n'),
    ("silent", 'n'),
    ("regexp-extended", 'E'),
    ("separate", 's'),
    ("unbuffered", 'u'),
    ("null-data", 'z'),
    ("zero-terminated", 'z'),
    ("in-place", 'i'),
    ("line-length", 'l'),
    ("posix", 'u'),
    ("debug", 'u'),
    ("follow-symlinks", 'u'),
];

/// The commands that a script runs, as far as they are written out in it.
pub(in super::super) fn commands_in(script: &str) -> Vec<String> {
    let found = instructions(script, true).into_iter().flatten();
    let commands = found.filter_map(|instruction| match instruction.command {
        Command::Execute(command) => command,
        Command::Substitute(substitution) if substitution.executes => {
            Some(substitution.text.replace(['\\', '&'], ""))
        }
        _ => None,
    });
    commands.collect()
}

impl Host for Shell<'_> {
    fn execute(&mut self, command: &str) -> String {
        self.captured(|shell| shell.in_subshell(|shell| shell.run_text(command)))
    }

    fn read(&mut self, path: &str) -> String {
        self.read_file(path)
    }

    fn write(&mut self, path: &str, text: &str) {
        self.write_file(path, text, true);
    }

    fn spend(&self, amount: usize) -> bool {
        Shell::spend(self, amount)
    }
}

impl Shell<'_> {
    pub(super) fn sed(&mut self, arguments: &[String]) {
        self.status = None;
        let read = Options::up_to_operand(arguments, LETTERS, NAMES, true);
        let Some((options, mut operands)) = read else { return self.end_unknown() };
        let mut script = String::new();
        for (letter, value) in &options.letters {
            match letter {
                'e' => script.push_str(value),
                'f' => script.push_str(&self.read_file(value)),
                _ => continue,
            }
            script.push('\n');
        }
        if !options.has('e') && !options.has('f') && !operands.is_empty() {
            script = operands.remove(0);
        }
        self.spend_for(&script);
        let is_extended = options.has('E') || options.has('r');
        let instructions = if is_known(&script) { instructions(&script, is_extended) } else { None };
        let Some(instructions) = instructions else { return self.end_unknown() };
        let flags = (options.has('n'), options.has('z'));
        if options.has('i') {
            for path in operands {
                if let Some(text) = self.known_file(&path) {
                    let changed = Machine::new(&instructions, &text, flags, self).run();
                    self.write_file(&path, &changed, false);
                } else {
                    Machine::new(&instructions, &unknown(), flags, self).run();
                }
            }
            return;
        }
        let text = match operands.is_empty() {
            true => std::mem::take(&mut self.input),
            false => operands.iter().map(|path| self.read_file(path)).collect(),
        };
        let printed = Machine::new(&instructions, &text, flags, self).run();
        let printed = if is_known(&printed) { without_marks(&printed) } else { unknown() };
        self.print(&printed);
    }

    fn spend_for(&self, script: &str) {
        Shell::spend(self, COMPILE_COST * script.len());
    }
}
