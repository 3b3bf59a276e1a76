//! Reads a script of `sed`.

use regex::Regex;

use super::super::super::shell_text::unescaped;
use super::super::basic_expressions::{class_length, compiled};

/// Longer scripts are not followed.
const MAX_SCRIPT: usize = 4096;

#[derive(Debug)]
pub(super) enum Address {
    Line(usize),
    /// `first~step`
    Step(usize, usize),
    Last,
    Expression(Pattern),
}

/// What ends a range.
#[derive(Debug)]
pub(super) enum RangeEnd {
    At(Address),
    /// `+count`
    Lines(usize),
    /// `~number`
    Multiple(usize),
}

#[derive(Debug)]
pub(super) enum Pattern {
    /// The one that was used before.
    Previous,
    Known(Regex),
    /// An expression that is not followed.
    Unknown,
}

#[derive(Debug)]
pub(super) struct Substitution {
    pub(super) pattern: Pattern,
    pub(super) text: String,
    pub(super) is_all: bool,
    pub(super) nth: usize,
    pub(super) prints: bool,
    pub(super) executes: bool,
    pub(super) file: Option<String>,
}

#[derive(Debug)]
pub(super) enum Command {
    /// `{`, and where it ends.
    Block(usize),
    BlockEnd,
    Label(String),
    /// `b`, `t`, `T`, and the label; the end of the script if it is empty.
    Branch(char, String),
    /// `a`, `i`, `c`
    Text(char, String),
    /// `e`, and the command; the line itself if there is none.
    Execute(Option<String>),
    Substitute(Box<Substitution>),
    Transliterate(Vec<char>, Vec<char>),
    /// `r`, `R`, `w`, `W`
    File(char, String),
    /// A command without arguments.
    Simple(char),
}

#[derive(Debug)]
pub(super) struct Instruction {
    pub(super) from: Option<Address>,
    pub(super) to: Option<RangeEnd>,
    pub(super) is_negated: bool,
    pub(super) command: Command,
}

/// The instructions of a script. `None` if it is none.
pub(super) fn instructions(script: &str, expressions: Expressions) -> Option<Vec<Instruction>> {
    if script.len() > MAX_SCRIPT {
        return None;
    }
    let mut reader = Reader { rest: script, expressions };
    let mut found: Vec<Instruction> = Vec::new();
    let mut open = Vec::new();
    loop {
        reader.rest = reader.rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
        if reader.rest.starts_with('#') {
            reader.line();
            continue;
        }
        if reader.rest.is_empty() {
            break;
        }
        let instruction = reader.instruction()?;
        match &instruction.command {
            Command::Block(_) => open.push(found.len()),
            Command::BlockEnd => {
                let (start, end) = (open.pop()?, found.len());
                if let Some(Command::Block(target)) = found.get_mut(start).map(|block| &mut block.command) {
                    *target = end;
                }
            }
            _ => {}
        }
        found.push(instruction);
    }
    open.is_empty().then_some(found)
}

/// How the expressions of a script are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expressions {
    Basic,
    Extended,
    /// They are not: reading them costs more than all the rest.
    Skipped,
}

struct Reader<'t> {
    rest: &'t str,
    expressions: Expressions,
}

impl Reader<'_> {
    fn instruction(&mut self) -> Option<Instruction> {
        let from = self.address();
        let mut to = None;
        self.blanks();
        if from.is_some() && self.take(',') {
            self.blanks();
            to = Some(match () {
                () if self.take('+') => RangeEnd::Lines(self.number()?),
                () if self.take('~') => RangeEnd::Multiple(self.number()?),
                () => RangeEnd::At(self.address()?),
            });
        }
        self.blanks();
        let mut is_negated = false;
        while self.take('!') {
            is_negated = true;
            self.blanks();
        }
        let command = self.command()?;
        Some(Instruction { from, to, is_negated, command })
    }

    fn take(&mut self, letter: char) -> bool {
        let rest = self.rest.strip_prefix(letter);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn number(&mut self) -> Option<usize> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        digits.parse().ok()
    }

    fn address(&mut self) -> Option<Address> {
        match self.rest.chars().next()? {
            '$' => {
                self.take('$');
                Some(Address::Last)
            }
            '0'..='9' => {
                let first = self.number()?;
                Some(if self.take('~') { Address::Step(first, self.number()?) } else { Address::Line(first) })
            }
            opening @ ('/' | '\\') => {
                self.take(opening);
                let delimiter = if opening == '/' { '/' } else { self.letter()? };
                let text = self.part(delimiter, true)?;
                let ignores_case = self.take('I');
                Some(Address::Expression(pattern(&text, self.expressions, ignores_case)))
            }
            _ => None,
        }
    }

    fn letter(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next();
        self.rest = letters.as_str();
        letter
    }

    fn command(&mut self) -> Option<Command> {
        let letter = self.letter()?;
        let command = match letter {
            '{' => return Some(Command::Block(0)),
            '}' => Command::BlockEnd,
            ':' => {
                self.blanks();
                return Some(Command::Label(self.name()));
            }
            'b' | 't' | 'T' => {
                self.blanks();
                return Some(Command::Branch(letter, self.name()));
            }
            'a' | 'i' | 'c' => return Some(Command::Text(letter, self.text())),
            'e' => {
                self.blanks();
                // `{e;}` and `e;` are the command `;` to sed, which runs nothing.
                let command = self.line().to_owned();
                return Some(Command::Execute(Some(command).filter(|command| !command.is_empty())));
            }
            'r' | 'R' | 'w' | 'W' => {
                self.blanks();
                return Some(Command::File(letter, self.line().to_owned()));
            }
            's' => Command::Substitute(Box::new(self.substitution()?)),
            'y' => {
                let delimiter = self.letter()?;
                let one = self.part(delimiter, false)?;
                let other = self.part(delimiter, false)?;
                Command::Transliterate(unescaped(&one).chars().collect(), unescaped(&other).chars().collect())
            }
            'q' | 'Q' | 'l' | 'L' => {
                self.blanks();
                self.number();
                Command::Simple(letter)
            }
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
                Command::Simple(letter)
            }
            _ => return None,
        };
        self.blanks();
        let is_ended = self.rest.is_empty() || self.rest.starts_with([';', '\n', '}', '#', '\r']);
        is_ended.then_some(command)
    }

    /// The rest of the line.
    fn line(&mut self) -> &str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    fn name(&mut self) -> String {
        let end = self.rest.find([';', '\n', ' ', '}']).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at_checked(end).unwrap_or_default();
        self.rest = rest;
        name.to_owned()
    }

    /// What `a`, `i` and `c` print: up to a line break that is not escaped.
    fn text(&mut self) -> String {
        self.blanks();
        if let Some(rest) = self.rest.strip_prefix('\\') {
            self.rest = rest.trim_start_matches([' ', '\t']).strip_prefix('\n').unwrap_or(rest);
        }
        let mut text = String::new();
        while let Some(letter) = self.letter() {
            match letter {
                '\n' => break,
                '\\' => text.extend(self.letter()),
                letter => text.push(letter),
            }
        }
        text + "\n"
    }

    fn substitution(&mut self) -> Option<Substitution> {
        let delimiter = self.letter()?;
        let expression = self.part(delimiter, true)?;
        let text = self.part(delimiter, false)?;
        let mut found = Substitution {
            pattern: Pattern::Unknown,
            text,
            is_all: false,
            nth: 1,
            prints: false,
            executes: false,
            file: None,
        };
        let (mut ignores_case, mut has_lines) = (false, false);
        while let Some(flag) = self.rest.chars().next() {
            match flag {
                'g' => found.is_all = true,
                'p' => found.prints = true,
                'e' => found.executes = true,
                'i' | 'I' => ignores_case = true,
                'm' | 'M' => has_lines = true,
                '1'..='9' => {
                    found.nth = self.number()?;
                    continue;
                }
                'w' => {
                    self.take('w');
                    self.blanks();
                    found.file = Some(self.line().to_owned());
                    break;
                }
                _ => break,
            }
            self.letter();
        }
        if !has_lines {
            found.pattern = pattern(&expression, self.expressions, ignores_case);
        }
        Some(found)
    }

    /// The text up to a delimiter that is not escaped. In a class of an expression it is an ordinary letter.
    fn part(&mut self, delimiter: char, is_expression: bool) -> Option<String> {
        let mut done = String::new();
        loop {
            if is_expression
                && delimiter != '['
                && let Some(length) = class_length(self.rest).filter(|_| self.rest.starts_with('['))
            {
                let (class, rest) = self.rest.split_at_checked(length)?;
                done.push_str(class);
                self.rest = rest;
                continue;
            }
            match self.letter()? {
                c if c == delimiter => return Some(done),
                '\\' => {
                    let next = self.letter()?;
                    if next != delimiter {
                        done.push('\\');
                    }
                    done.push(next);
                }
                c => done.push(c),
            }
        }
    }
}

fn pattern(text: &str, expressions: Expressions, ignores_case: bool) -> Pattern {
    if text.is_empty() {
        return Pattern::Previous;
    }
    if expressions == Expressions::Skipped {
        return Pattern::Unknown;
    }
    let is_extended = expressions == Expressions::Extended;
    compiled(text, is_extended, ignores_case).map_or(Pattern::Unknown, Pattern::Known)
}
