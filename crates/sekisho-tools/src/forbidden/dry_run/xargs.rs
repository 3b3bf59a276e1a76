//! `xargs`: the words of the input become arguments.

use super::super::shell_text::unescaped;
use super::fields::{Field, UNKNOWN, unknown};
use super::filters::{LongNames, Options};
use super::shell::Shell;

/// How many commands are followed.
const MAX_COMMANDS: usize = 64;
/// How many words one command gets.
const MAX_WORDS: usize = 4096;
const LETTERS: &str = "0a:d:E:e::I:i::L:l::n:P:prs:txo";
const NAMES: LongNames = &[
    ("null", '0'),
    ("arg-file", 'a'),
    ("delimiter", 'd'),
    ("eof", 'e'),
    ("replace", 'i'),
    ("max-lines", 'l'),
    ("max-args", 'n'),
    ("max-procs", 'P'),
    ("interactive", 'p'),
    ("no-run-if-empty", 'r'),
    ("max-chars", 's'),
    ("verbose", 't'),
    ("exit", 'x'),
    ("open-tty", 'o'),
];

/// How the input becomes arguments.
struct Division {
    /// `-I`: what each line takes the place of.
    place: Option<String>,
    /// How many words each command gets.
    most: usize,
    /// How many lines each command gets.
    most_lines: Option<usize>,
    separator: Option<char>,
    /// The word at which the input ends.
    end: Option<String>,
}

impl Division {
    fn new(options: &Options) -> Division {
        let place = options.letters.iter().rfind(|(letter, _)| matches!(letter, 'I' | 'i'));
        let place = place.map(|(_, text)| if text.is_empty() { "{}".to_owned() } else { text.clone() });
        let count = |letter: char| options.value(letter).map(|count| count.parse().unwrap_or(1).max(1));
        let separator = options.letters.iter().rfind(|(letter, _)| matches!(letter, '0' | 'd'));
        let separator = separator.map(|(letter, text)| match letter {
            '0' => UNKNOWN,
            _ => unescaped(text).chars().next().unwrap_or('\n'),
        });
        Division {
            place,
            most: count('n').unwrap_or(MAX_WORDS),
            most_lines: count('L').or(count('l')),
            separator,
            end: options.value('E').or(options.value('e')).map(str::to_owned),
        }
    }

    /// The arguments of each command.
    fn groups(&self, text: &str) -> Vec<Vec<String>> {
        let one = |line: &str| vec![line.to_owned()];
        let parts = |separator: char| text.split(separator).filter(|part| !part.is_empty());
        let groups: Vec<Vec<String>> = match (self.separator, self.most_lines) {
            (Some(separator), _) if self.place.is_some() => parts(separator).map(one).collect(),
            (Some(separator), _) => chunks(parts(separator).map(str::to_owned).collect(), self.most),
            (None, _) if self.place.is_some() => {
                text.lines().map(|line| one(&bare(line.trim_start()))).collect()
            }
            (None, Some(count)) => {
                let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
                lines.chunks(count).map(|lines| self.words(&lines.join(" "))).collect()
            }
            (None, None) => chunks(self.words(text), self.most),
        };
        groups.into_iter().take(MAX_COMMANDS).collect()
    }

    fn words(&self, text: &str) -> Vec<String> {
        let is_end = |word: &&str| self.end.as_deref().is_some_and(|end| !end.is_empty() && end == *word);
        split(text).iter().map(String::as_str).take_while(|word| !is_end(word)).map(str::to_owned).collect()
    }
}

fn chunks(words: Vec<String>, most: usize) -> Vec<Vec<String>> {
    words.chunks(most).map(<[String]>::to_vec).collect()
}

fn bare(text: &str) -> String {
    text.replace(['\'', '"', '\\'], "")
}

/// Words with quotes and backslashes.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut current, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => current.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                current.get_or_insert_default();
            }
            (None, '\\') => current.get_or_insert_default().extend(letters.next()),
            (None, c) if c.is_whitespace() => words.extend(current.take()),
            (None, c) => current.get_or_insert_default().push(c),
        }
    }
    words.extend(current);
    words
}

impl Shell<'_> {
    pub(super) fn xargs(&mut self, arguments: &[String]) {
        self.status = None;
        let read = Options::up_to_operand(arguments, LETTERS, NAMES, false);
        let Some((options, command)) = read else { return self.end_unknown() };
        let command = if command.is_empty() { vec!["echo".to_owned()] } else { command };
        let text = match options.value('a') {
            Some(path) => self.read_file(path),
            None => std::mem::take(&mut self.input),
        };
        if !self.spend(text.len() / 4) {
            return self.print(&unknown());
        }
        let division = Division::new(&options);
        let mut groups = if text == unknown() {
            let printed = self.printable.iter().take(MAX_COMMANDS).map(|text| split(text));
            std::iter::once(vec![text]).chain(printed).collect()
        } else {
            division.groups(&text)
        };
        // Without `-r` the command also runs without arguments.
        if groups.is_empty() && !options.has('r') && division.place.is_none() {
            groups.push(Vec::new());
        }
        for group in groups {
            let replaced = |word: &String| match &division.place {
                Some(place) => word.replace(place.as_str(), &group.concat()),
                None => word.clone(),
            };
            let mut fields: Vec<Field> = command.iter().map(|word| Field::new(replaced(word))).collect();
            if division.place.is_none() {
                fields.extend(group.iter().map(Field::new));
            }
            self.nested(|shell| shell.invoke(fields));
        }
        self.status = None;
    }
}
