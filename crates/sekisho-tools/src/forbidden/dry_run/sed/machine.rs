//! Runs a script of `sed` on an input.

use regex::{Captures, Regex};

use super::super::fields::{UNKNOWN, is_known, unknown};
use super::script::{Address, Command, Instruction, Pattern, RangeEnd, Substitution};

/// How many instructions are followed.
const MAX_STEPS: usize = 8192;
/// Longer lines are not followed.
const MAX_LINE: usize = 16 << 10;

/// What a script does besides printing.
pub(super) trait Host {
    /// Runs a command and returns what it prints.
    fn execute(&mut self, command: &str) -> String;
    fn read(&mut self, path: &str) -> String;
    fn write(&mut self, path: &str, text: &str);
    /// False if the work is too much.
    fn spend(&self, amount: usize) -> bool;
}

pub(super) struct Machine<'m> {
    instructions: &'m [Instruction],
    host: &'m mut dyn Host,
    lines: Vec<&'m str>,
    is_quiet: bool,
    /// The line that is looked at.
    number: usize,
    space: String,
    hold: String,
    output: String,
    /// What `a` and `r` print at the end of a line.
    appended: String,
    previous: Option<&'m Regex>,
    /// Where the range of an instruction ends, while it is open.
    ranges: Vec<Option<Option<usize>>>,
    has_replaced: bool,
    steps: usize,
    /// Something was done that is not known.
    is_unknown: bool,
}

/// What follows an instruction.
enum Next {
    Step,
    Jump(usize),
    /// The next line; whether this one is printed.
    Line(bool),
    /// `D`: once more without a new line.
    Again,
    Quit(bool),
}

impl<'m> Machine<'m> {
    pub(super) fn new(
        instructions: &'m [Instruction],
        input: &'m str,
        (is_quiet, is_whole): (bool, bool),
        host: &'m mut dyn Host,
    ) -> Machine<'m> {
        let lines = if is_whole { vec![input] } else { input.lines().collect() };
        Machine {
            instructions,
            host,
            lines,
            is_quiet,
            number: 0,
            space: String::new(),
            hold: String::new(),
            output: String::new(),
            appended: String::new(),
            previous: None,
            ranges: instructions.iter().map(|_| None).collect(),
            has_replaced: false,
            steps: 0,
            is_unknown: false,
        }
    }

    /// What the script prints.
    pub(super) fn run(mut self) -> String {
        while self.next_line() {
            loop {
                match self.cycle() {
                    Next::Again => continue,
                    Next::Quit(prints) => {
                        self.end_line(prints);
                        return self.printed();
                    }
                    Next::Line(prints) => self.end_line(prints),
                    Next::Step | Next::Jump(_) => self.end_line(true),
                }
                break;
            }
        }
        self.printed()
    }

    fn printed(self) -> String {
        if self.is_unknown { unknown() } else { self.output }
    }

    fn next_line(&mut self) -> bool {
        let Some(line) = self.lines.get(self.number) else { return false };
        self.number += 1;
        self.space = (*line).to_owned();
        self.has_replaced = false;
        true
    }

    fn end_line(&mut self, prints: bool) {
        if prints && !self.is_quiet {
            self.print_space();
        }
        self.output.push_str(&std::mem::take(&mut self.appended));
    }

    fn print_space(&mut self) {
        self.output.push_str(&self.space);
        self.output.push('\n');
    }

    fn cycle(&mut self) -> Next {
        let mut at = 0;
        while let Some(instruction) = self.instructions.get(at) {
            self.steps += 1;
            if self.steps > MAX_STEPS || !self.host.spend(self.space.len() / 8 + 8) {
                self.is_unknown = true;
                return Next::Quit(false);
            }
            if self.space.len() > MAX_LINE {
                self.space = unknown();
            }
            let is_meant = self.is_meant(instruction, at).map(|meant| meant != instruction.is_negated);
            let next = match is_meant {
                Some(false) => match instruction.command {
                    Command::Block(end) => Next::Jump(end),
                    _ => Next::Step,
                },
                Some(true) => self.step(&instruction.command),
                None => self.possible_step(&instruction.command),
            };
            match next {
                Next::Step => at += 1,
                Next::Jump(to) => at = to,
                next => return next,
            }
        }
        Next::Step
    }

    /// An instruction that may be for this line: what it runs is followed, but nothing is known behind it.
    fn possible_step(&mut self, command: &'m Command) -> Next {
        self.is_unknown = true;
        let before = self.space.clone();
        match command {
            Command::Execute(_) | Command::Substitute(_) => drop(self.step(command)),
            Command::Transliterate(..) | Command::Simple('g' | 'G' | 'x' | 'N' | 'D' | 'z') => {
                self.space = unknown();
            }
            Command::File('w' | 'W', path) => self.write(path, &unknown()),
            _ => {}
        }
        if is_known(&before) && before != self.space {
            self.hold = unknown();
        }
        Next::Step
    }

    /// Whether an instruction is for this line. `None` if that is not known.
    fn is_meant(&mut self, instruction: &'m Instruction, at: usize) -> Option<bool> {
        let Some(from) = &instruction.from else { return Some(true) };
        let Some(to) = &instruction.to else { return self.fits(from) };
        let number = self.number;
        if let Some(Some(open)) = self.ranges.get(at).copied() {
            let is_end = match (open, to) {
                (Some(last), _) => number >= last,
                (None, RangeEnd::At(address)) => self.fits(address)?,
                (None, _) => true,
            };
            if is_end {
                *self.ranges.get_mut(at)? = None;
            }
            // A line behind the end is not meant.
            return Some(open.is_none_or(|last| number <= last));
        }
        let is_first = matches!(from, Address::Line(0)) && number == 1;
        if !is_first && !self.fits(from)? {
            return Some(false);
        }
        let last = match to {
            RangeEnd::At(Address::Line(last)) => Some(*last),
            RangeEnd::Lines(count) => Some(number + count),
            RangeEnd::Multiple(step) => Some(number.next_multiple_of((*step).max(1))),
            RangeEnd::At(_) => None,
        };
        let ends_here = match to {
            RangeEnd::At(address) if is_first => self.fits(address)?,
            _ => last.is_some_and(|last| last <= number),
        };
        if !ends_here {
            *self.ranges.get_mut(at)? = Some(last);
        }
        Some(true)
    }

    fn fits(&mut self, address: &'m Address) -> Option<bool> {
        match address {
            // What was read may be any number of lines.
            _ if self.lines.iter().take(self.number).any(|line| line.contains(UNKNOWN)) => None,
            Address::Line(number) => Some(self.number == *number),
            Address::Step(first, 0) => Some(self.number == *first),
            Address::Step(first, step) => {
                Some(self.number >= *first && (self.number - first).is_multiple_of(*step))
            }
            Address::Last => Some(self.number == self.lines.len()),
            Address::Expression(pattern) => {
                let found = self.pattern(pattern)?;
                is_known(&self.space).then(|| found.is_match(&self.space))
            }
        }
    }

    fn pattern(&mut self, pattern: &'m Pattern) -> Option<&'m Regex> {
        let found = match pattern {
            Pattern::Previous => self.previous,
            Pattern::Known(found) => Some(found),
            Pattern::Unknown => None,
        };
        self.previous = found;
        found
    }

    fn step(&mut self, command: &'m Command) -> Next {
        match command {
            Command::Block(_) | Command::BlockEnd | Command::Label(_) => {}
            Command::Branch(letter, label) => {
                let jumps = match letter {
                    'b' => true,
                    't' => std::mem::take(&mut self.has_replaced),
                    _ => !std::mem::take(&mut self.has_replaced),
                };
                if jumps {
                    let is_label =
                        |step: &Instruction| matches!(&step.command, Command::Label(name) if name == label);
                    let target = self.instructions.iter().position(is_label);
                    return Next::Jump(target.unwrap_or(self.instructions.len()));
                }
            }
            Command::Text('a', text) => self.appended.push_str(text),
            Command::Text('i', text) => self.output.push_str(text),
            Command::Text(_, text) => {
                self.output.push_str(text);
                return Next::Line(false);
            }
            Command::Execute(Some(command)) => {
                let printed = self.host.execute(command);
                self.output.push_str(&printed);
            }
            Command::Execute(None) => self.execute_space(),
            Command::Substitute(substitution) => self.substitute(substitution),
            Command::Transliterate(from, to) => {
                let change =
                    |c: char| from.iter().position(|known| *known == c).and_then(|at| to.get(at)).copied();
                self.space = self.space.chars().map(|c| change(c).unwrap_or(c)).collect();
            }
            Command::File(letter, path) => self.file(*letter, path),
            Command::Simple(letter) => return self.simple(*letter),
        }
        Next::Step
    }

    fn simple(&mut self, letter: char) -> Next {
        let is_last = self.number >= self.lines.len();
        let (first, rest) = self
            .space
            .split_once('\n')
            .map_or((self.space.as_str(), None), |(first, rest)| (first, Some(rest)));
        match letter {
            '=' => self.output.push_str(&format!("{}\n", self.number)),
            'd' => return Next::Line(false),
            'D' => match rest.map(str::to_owned) {
                Some(rest) => {
                    self.space = rest;
                    return Next::Again;
                }
                None => return Next::Line(false),
            },
            'g' => self.space = self.hold.clone(),
            'G' => self.space = format!("{}\n{}", self.space, self.hold),
            'h' => self.hold = self.space.clone(),
            'H' => self.hold = format!("{}\n{}", self.hold, self.space),
            'x' => std::mem::swap(&mut self.space, &mut self.hold),
            'n' if is_last => return Next::Quit(true),
            'n' => {
                self.end_line(true);
                self.next_line();
            }
            'N' if is_last => return Next::Quit(true),
            'N' => {
                let before = std::mem::take(&mut self.space);
                self.output.push_str(&std::mem::take(&mut self.appended));
                let has_replaced = self.has_replaced;
                self.next_line();
                self.has_replaced = has_replaced;
                self.space = format!("{before}\n{}", self.space);
            }
            'p' => self.print_space(),
            'P' => {
                let first = format!("{first}\n");
                self.output.push_str(&first);
            }
            'q' => return Next::Quit(true),
            'Q' => return Next::Quit(false),
            'z' => self.space.clear(),
            // `l` shows escapes, `F` the name of a file.
            _ => self.is_unknown = true,
        }
        Next::Step
    }

    fn execute_space(&mut self) {
        let printed = self.host.execute(&self.space.clone());
        self.space = printed.trim_end_matches('\n').to_owned();
    }

    fn file(&mut self, letter: char, path: &str) {
        match letter {
            'r' => {
                let text = self.host.read(path);
                self.appended.push_str(&text);
            }
            'R' => self.appended.push_str(&unknown()),
            letter => {
                let first = self.space.lines().next().unwrap_or_default();
                let text = if letter == 'W' { first } else { &self.space };
                self.write(path, &format!("{text}\n"));
            }
        }
    }

    fn write(&mut self, path: &str, text: &str) {
        match path {
            "/dev/stdout" => self.output.push_str(text),
            path => self.host.write(path, text),
        }
    }

    fn substitute(&mut self, substitution: &'m Substitution) {
        let pattern = self.pattern(&substitution.pattern);
        let Some(pattern) = pattern.filter(|_| is_known(&self.space)) else {
            // It may replace all of the line.
            self.is_unknown = true;
            self.space = replacement(&substitution.text, None);
            return self.end_substitution(substitution);
        };
        let (mut count, mut any) = (0, false);
        let change = |found: &Captures<'_>| {
            count += 1;
            let is_meant = count == substitution.nth || substitution.is_all && count > substitution.nth;
            any |= is_meant;
            let whole = found.get(0).map_or("", |whole| whole.as_str());
            if is_meant { replacement(&substitution.text, Some(found)) } else { whole.to_owned() }
        };
        let changed = pattern.replace_all(&self.space, change).into_owned();
        if any {
            self.space = changed;
            self.has_replaced = true;
            self.end_substitution(substitution);
        }
    }

    fn end_substitution(&mut self, substitution: &'m Substitution) {
        if substitution.executes {
            self.execute_space();
        }
        if substitution.prints {
            self.print_space();
        }
        if let Some(path) = &substitution.file {
            self.write(path, &format!("{}\n", self.space));
        }
    }
}

/// The letters of what is replaced become small or large: all that follow, or only the next.
#[derive(Clone, Copy)]
enum Case {
    Kept,
    Small,
    Large,
}

impl Case {
    fn applied(self, text: &str) -> String {
        match self {
            Case::Kept => text.to_owned(),
            Case::Small => text.to_lowercase(),
            Case::Large => text.to_uppercase(),
        }
    }
}

/// `&`, `\1`, `\n`, escapes, and `\L`, `\U`, `\l`, `\u`, `\E` for the letters behind them. Without a match, what it
/// would insert is unknown.
fn replacement(text: &str, found: Option<&Captures<'_>>) -> String {
    let group = |at: usize| match found {
        Some(found) => found.get(at).map_or("", |part| part.as_str()).to_owned(),
        None => unknown(),
    };
    let mut done = String::new();
    let (mut case, mut next_case) = (Case::Kept, Case::Kept);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        let part = match c {
            '&' => group(0),
            '\\' => {
                let next = rest.chars().nth(1).unwrap_or('\\');
                length = (length + next.len_utf8()).min(rest.len());
                match next {
                    '0'..='9' => group(usize::try_from(u32::from(next) - u32::from('0')).unwrap_or_default()),
                    'n' => "\n".to_owned(),
                    't' => "\t".to_owned(),
                    'x' | 'o' | 'd' => {
                        let (count, radix) = match next {
                            'x' => (2, 16),
                            'o' => (3, 8),
                            _ => (3, 10),
                        };
                        let (letter, used) = coded(rest.get(2..).unwrap_or_default(), count, radix);
                        length = used + 2;
                        letter
                    }
                    'L' | 'U' | 'E' => {
                        case = match next {
                            'L' => Case::Small,
                            'U' => Case::Large,
                            _ => Case::Kept,
                        };
                        String::new()
                    }
                    'l' | 'u' => {
                        next_case = if next == 'l' { Case::Small } else { Case::Large };
                        String::new()
                    }
                    'c' | 'f' | 'a' | 'v' | 'r' => unknown(),
                    next => next.to_string(),
                }
            }
            c => c.to_string(),
        };
        let part = case.applied(&part);
        let mut letters = part.chars();
        if let Some(first) = letters.next() {
            done.push_str(&std::mem::replace(&mut next_case, Case::Kept).applied(&first.to_string()));
            done.push_str(letters.as_str());
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    done
}

/// The letter that digits name, and how many there are.
fn coded(text: &str, most: usize, radix: u32) -> (String, usize) {
    let used = text.chars().take(most).take_while(|c| c.is_digit(radix)).count();
    let code = u32::from_str_radix(text.get(..used).unwrap_or_default(), radix).ok();
    (code.and_then(char::from_u32).map_or_else(unknown, String::from), used)
}

#[cfg(test)]
mod tests {
    use super::super::script::{Expressions, instructions};
    use super::*;

    #[derive(Default)]
    struct Commands(Vec<String>);

    impl Host for Commands {
        fn execute(&mut self, command: &str) -> String {
            self.0.push(command.to_owned());
            unknown()
        }

        fn read(&mut self, _: &str) -> String {
            unknown()
        }

        fn write(&mut self, _: &str, _: &str) {}

        fn spend(&self, _: usize) -> bool {
            true
        }
    }

    fn run(script: &str, input: &str, is_quiet: bool) -> (String, Vec<String>) {
        let instructions = instructions(script, Expressions::Basic).expect(script);
        let mut host = Commands::default();
        let printed = Machine::new(&instructions, input, (is_quiet, false), &mut host).run();
        (printed, host.0)
    }

    /// The results are those of GNU sed.
    #[test]
    fn scripts_print_as_sed_does() {
        for (script, input, expected) in [
            ("N;s/\\n//", "r\nm\n", "rm\n"),
            (":a;N;$!ba;s/\\n/+/g", "a\nb\nc\n", "a+b+c\n"),
            ("1!G;h;$!d", "a\nb\n", "b\na\n"),
            ("2q", "a\nb\nc\n", "a\nb\n"),
            ("/a/,/c/d", "a\nb\nc\nd\n", "d\n"),
            ("2,3!d", "a\nb\nc\nd\n", "b\nc\n"),
            ("1,+1d", "a\nb\nc\n", "c\n"),
            ("0~2d", "a\nb\nc\n", "a\nc\n"),
            ("s/a/b/;ta;s/$/x/;:a", "a\nc\n", "b\ncx\n"),
            ("a x", "a\n", "a\nx\n"),
            ("i\\\nx", "a\n", "x\na\n"),
            ("c\\rm", "a\n", "rm\n"),
            ("$!{h;d};x;G", "a\nb\n", "a\nb\n"),
            ("s/[/]/x/", "a/b\n", "axb\n"),
            ("s,a\\,b,x,", "a,b\n", "x\n"),
            ("s/./\\u&/;s/b/\\x72/", "ab\n", "Ar\n"),
            ("s//x/", "a\n", "\0"),
            ("/a/s//x/", "a\n", "x\n"),
            ("s/a/b/w /dev/stdout", "a\n", "b\nb\n"),
            ("y/ab/rm/", "ab\n", "rm\n"),
            ("=", "a\n", "1\na\n"),
            ("n;d", "a\nb\nc\n", "a\nc\n"),
            ("l", "a\n", "\0"),
        ] {
            assert_eq!(run(script, input, false).0, expected, "{script}");
        }
        assert_eq!(run("2p", "a\nb\n", true).0, "b\n");
    }

    #[test]
    fn commands_are_run() {
        for (script, input, expected) in [
            ("e ls", "a\n", "ls"),
            ("s/a/ls/e", "a\n", "ls"),
            ("s/a/l/;s/$/s/;e", "a\n", "ls"),
            ("s/a/ls/e", "\0", "ls"),
            ("/x/s/.*/ls/;/x/e", "\0", "ls"),
            ("/x/{e ls\n}", "\0", "ls"),
            ("s/\\(a\\)\\1/ls/e", "aa\n", "ls"),
        ] {
            assert!(run(script, input, false).1.iter().any(|command| command == expected), "{script}");
        }
        assert!(run("/x/e ls", "a\n", false).1.is_empty());
    }

    #[test]
    fn odd_scripts_are_none() {
        for script in ["s", "s/a", "{", "}", "k", "1,", "s/a/b/;;p k", "y/a", "\\", "/a"] {
            assert!(instructions(script, Expressions::Basic).is_none(), "{script}");
        }
    }
}
