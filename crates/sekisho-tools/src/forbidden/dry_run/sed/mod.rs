//! `sed`: what it prints, the files that it writes, and the commands that it runs.

mod machine;
mod script;

use super::fields::{UNKNOWN, is_known, unknown, without_marks};
use super::filters::{LongNames, Options};
use super::seen_texts::Change;
use super::shell::Shell;
use machine::{Host, Machine};
use script::{Command, Expressions, Instruction, instructions};

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
    let found = instructions(script, Expressions::Skipped).into_iter().flatten();
    let commands = found.filter_map(|instruction| match instruction.command {
        Command::Execute(command) => command,
        Command::Substitute(substitution) if substitution.executes => {
            Some(substitution.text.replace(['\\', '&'], ""))
        }
        _ => None,
    });
    commands.collect()
}

/// Whether an instruction runs and writes nothing, and prints nothing besides the line.
fn only_changes_lines(instruction: &Instruction) -> bool {
    match &instruction.command {
        Command::Substitute(substitution) => !substitution.executes && substitution.file.is_none(),
        Command::Block(_) | Command::BlockEnd => true,
        Command::Simple(letter) => matches!(letter, 'd' | 'p' | 'P' | 'q' | 'Q'),
        _ => false,
    }
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
        if !options.has('i') {
            let others = arguments.iter().filter(|word| !operands.contains(word)).cloned();
            let arguments: Vec<String> = others.collect();
            let words = std::iter::once("sed".to_owned()).chain(arguments.iter().cloned()).collect();
            self.see_change(words, &Change::Sed(arguments));
        }
        let is_extended = options.has('E') || options.has('r');
        let flags = (options.has('n'), options.has('z'));
        if options.has('i') {
            let known: Vec<String> = operands.iter().filter_map(|path| self.known_file(path)).collect();
            let found = self.sed_instructions(&script, is_extended, &known.join("\n"));
            let Some(instructions) = found else { return self.end_unknown() };
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
        let text: String = match operands.is_empty() {
            true => std::mem::take(&mut self.input),
            false => operands.iter().map(|path| self.read_file(path)).collect(),
        };
        let found = self.sed_instructions(&script, is_extended, &text);
        let Some(instructions) = found else { return self.end_unknown() };
        let printed = Machine::new(&instructions, &text, flags, self).run();
        let printed = if is_known(&printed) { without_marks(&printed) } else { unknown() };
        self.print(&printed);
    }

    /// The instructions of a script for an input. Its expressions are read only if that makes a difference: a script that
    /// only changes lines which are not known prints what is not known.
    fn sed_instructions(&self, script: &str, is_extended: bool, input: &str) -> Option<Vec<Instruction>> {
        Shell::spend(self, script.len());
        if !is_known(script) {
            return None;
        }
        let outline = instructions(script, Expressions::Skipped)?;
        if input.lines().all(|line| line.contains(UNKNOWN)) && outline.iter().all(only_changes_lines) {
            return Some(outline);
        }
        Shell::spend(self, COMPILE_COST * script.len());
        let expressions = if is_extended { Expressions::Extended } else { Expressions::Basic };
        instructions(script, expressions)
    }
}
