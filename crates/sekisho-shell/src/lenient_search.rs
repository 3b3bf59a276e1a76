//! The search for command names in text that could not be parsed with certainty.
//!
//! Nothing found here can lead to an allow, because the text is already opaque. So it finds too much rather
//! than too little: every operator, parenthesis, brace, backtick and newline begins a new command. The text
//! is searched twice, once honouring quotes and once ignoring them, and everything that may precede a program
//! name is skipped.

use crate::hidden_characters::span;
use crate::script::{Command, CommandOrigin};
use crate::word::{Piece, Word};

/// Adds the commands that `text` may contain.
pub(crate) fn search_commands(text: &str, commands: &mut Vec<Command>) {
    for honour in [true, false] {
        if !honour && !text.contains(['\'', '"', '#', '\\']) {
            // Without quotes and comments both searches give the same result.
            return;
        }
        let mut search =
            Search { text, pos: 0, honour, stack: Vec::new(), target: false, words: Vec::new(), commands };
        while search.step() {}
        search.end_command();
    }
}

struct Search<'t, 'c> {
    text: &'t str,
    pos: usize,
    honour: bool,
    /// For each open `$(`: whether it is in double quotes.
    stack: Vec<bool>,
    /// The next word is the target of a redirect.
    target: bool,
    words: Vec<Word>,
    commands: &'c mut Vec<Command>,
}

/// Words that may precede a program name.
const BEFORE: [&str; 17] = [
    "if", "then", "elif", "else", "while", "until", "do", "time", "!", "{", "}", "coproc", "-p", "--",
    "function", "fi", "done",
];

impl Search<'_, '_> {
    fn at(&self, offset: usize) -> Option<u8> {
        self.text.as_bytes().get(self.pos + offset).copied()
    }

    /// Consumes one word or one separator.
    fn step(&mut self) -> bool {
        let Some(byte) = self.at(0) else { return false };
        match byte {
            b' ' | b'\t' => self.pos += 1,
            b'\\' if self.at(1) == Some(b'\n') => self.pos += 2,
            b'<' | b'>' => self.redirect(),
            b'#' if self.honour => {
                while self.at(0).is_some_and(|byte| byte != b'\n') {
                    self.pos += 1;
                }
            }
            _ if separates(byte) => {
                self.end_command();
                self.pos += 1;
            }
            _ => self.word(),
        }
        true
    }

    fn redirect(&mut self) {
        self.target = true;
        self.pos += 1;
        let second = self.at(0).filter(|byte| matches!(byte, b'<' | b'>' | b'&' | b'|'));
        self.pos += usize::from(second.is_some());
        match (second, self.at(0)) {
            (None, Some(b'(')) => self.end_command(),
            (Some(b'<'), Some(b'<' | b'-')) => self.pos += 1,
            // `>&-` has no target.
            (Some(b'&'), Some(b'-')) => {
                self.target = false;
                self.pos += 1;
            }
            _ => {}
        }
    }

    fn word(&mut self) {
        let start = self.pos;
        let mut word = LooseWord::default();
        let mut double = false;
        while let Some(byte) = self.at(0) {
            match byte {
                b' ' | b'\t' if !double => break,
                b'<' | b'>' if !double => break,
                b'`' => break,
                b')' if !double || self.stack.last() == Some(&true) => break,
                _ if !double && separates(byte) => break,
                b'$' if self.at(1) == Some(b'(') || self.runs_in_braces() => {
                    self.finish(start, word);
                    self.end_command();
                    self.stack.push(double);
                    self.pos += 2;
                    return;
                }
                b'\'' if self.honour && !double => self.single(&mut word),
                b'"' if self.honour => {
                    double = !double;
                    word.quoted = true;
                    self.pos += 1;
                }
                b'\'' | b'"' => self.pos += 1,
                b'\\' => self.backslash(&mut word),
                b'$' if self.at(1) == Some(b'\'') && !double => self.ansi(&mut word),
                b'$' | b'*' | b'?' | b'[' => {
                    word.dynamic(byte);
                    self.pos += 1;
                }
                _ => self.character(&mut word),
            }
        }
        self.finish(start, word);
        if self.at(0) == Some(b')') && self.stack.pop() == Some(true) {
            // Back inside the double quotes: text up to the quote, or another substitution, follows.
            self.end_command();
            self.pos += 1;
        }
    }

    /// `${ command; }` and `${| command; }`, which newer versions of bash run.
    fn runs_in_braces(&self) -> bool {
        self.at(1) == Some(b'{') && matches!(self.at(2), Some(b' ' | b'\t' | b'\n' | b'|'))
    }

    fn character(&mut self, word: &mut LooseWord) {
        let character = self.text.get(self.pos..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
        word.push(character);
        self.pos += character.len_utf8();
    }

    fn single(&mut self, word: &mut LooseWord) {
        word.quoted = true;
        let rest = self.text.get(self.pos + 1..).unwrap_or_default();
        match rest.split_once('\'') {
            Some((inside, _)) => {
                word.push_str(inside);
                self.pos += inside.len() + 2;
            }
            None => {
                // Do not look for the missing quote again.
                self.honour = false;
                self.pos += 1;
            }
        }
    }

    /// When quotes are ignored, a backslash may belong to an outer level and is only dropped.
    fn backslash(&mut self, word: &mut LooseWord) {
        self.pos += 1;
        match self.at(0) {
            _ if !self.honour => {}
            Some(b'\n') => self.pos += 1,
            Some(b'`') | None => {}
            Some(_) => self.character(word),
        }
    }

    /// `$'…'`, as far as it stands for ordinary characters.
    fn ansi(&mut self, word: &mut LooseWord) {
        self.pos += 2;
        while let Some(byte) = self.at(0) {
            match byte {
                b'\'' => {
                    self.pos += 1;
                    return;
                }
                b'\\' => self.ansi_escape(word),
                _ if separates(byte) && !self.honour => return,
                _ => self.character(word),
            }
        }
    }

    fn ansi_escape(&mut self, word: &mut LooseWord) {
        self.pos += 1;
        let (radix, digits) = match self.at(0) {
            Some(b'x') => (16, 2),
            Some(b'u') => (16, 4),
            Some(b'U') => (16, 8),
            Some(b'0'..=b'7') => (8, 3),
            Some(_) => return self.character(word),
            None => return,
        };
        self.pos += usize::from(radix == 16);
        let mut code: u32 = 0;
        for _ in 0..digits {
            let Some(digit) = self.at(0).and_then(|byte| char::from(byte).to_digit(radix)) else { break };
            code = code.saturating_mul(radix).saturating_add(digit);
            self.pos += 1;
        }
        match char::from_u32(code) {
            Some(character) => word.push(character),
            None => word.dynamic(b'$'),
        }
    }

    fn finish(&mut self, start: usize, word: LooseWord) {
        if word.pieces.is_empty() && word.text.is_empty() && !word.quoted {
            return;
        }
        if std::mem::take(&mut self.target) {
            return;
        }
        let mut pieces = word.pieces;
        if !word.text.is_empty() {
            pieces.push(Piece::Literal(word.text));
        }
        self.words.push(Word { span: span(start, self.pos), pieces });
    }

    fn end_command(&mut self) {
        self.target = false;
        let mut words = std::mem::take(&mut self.words);
        let skip = words.iter().take_while(|word| stands_before(word)).count();
        words.drain(..skip);
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return };
        let span = crate::word::Span { start: first.span.start, end: last.span.end };
        self.commands.push(Command {
            span,
            words,
            assignments: Vec::new(),
            redirects: Vec::new(),
            origin: CommandOrigin::Plain,
            depth: 0,
            keeps_directory: false,
        });
    }
}

#[derive(Default)]
struct LooseWord {
    pieces: Vec<Piece>,
    text: String,
    quoted: bool,
}

impl LooseWord {
    fn push(&mut self, character: char) {
        self.text.push(character);
    }

    fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn dynamic(&mut self, byte: u8) {
        if !self.text.is_empty() {
            self.pieces.push(Piece::Literal(std::mem::take(&mut self.text)));
        }
        let piece = match byte {
            b'$' => Piece::Unknown { quoted: false },
            _ => Piece::Glob(char::from(byte).to_string()),
        };
        if self.pieces.last() != Some(&piece) {
            self.pieces.push(piece);
        }
    }
}

fn separates(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')' | b'`')
}

/// Whether the word is a keyword, an assignment, or the descriptor of a redirect.
fn stands_before(word: &Word) -> bool {
    let prefix = word.prefix();
    let assigns = prefix.split_once('=').is_some_and(|(name, _)| {
        let name = name.split('[').next().unwrap_or_default().trim_end_matches('+');
        crate::cursor::is_name(name)
    });
    let digits = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
    assigns || word.literal().is_some_and(|text| digits || BEFORE.contains(&text.as_ref()))
}
