//! What programs may print that are not followed: `date +rm`, `yes rm`, `awk 'BEGIN{print "rm"}'`. What is run in place of
//! their output may be any of these texts.

use super::super::unresolved_words::is_dangerous;
use super::fields::{Field, UNKNOWN, command_text, is_known, readable, unmarked};
use super::shell::{Shell, program_content};

/// How many texts are kept.
const MAX_TEXTS: usize = 32;
/// Longer ones are not kept.
const MAX_LENGTH: usize = 1024;
/// Functions of other languages that print.
const PRINTERS: [&str; 8] = ["print", "printf", "echo", "puts", "log", "write", "say", "put"];

/// The texts that a program may print, as far as its arguments contain them.
fn texts(program: &str, arguments: &[String]) -> Vec<String> {
    let operands = || arguments.iter().filter(|word| !word.starts_with('-')).cloned();
    let behind = |options: &[&str]| -> Vec<String> {
        let inside = arguments
            .iter()
            .filter_map(|word| options.iter().find_map(|option| word.strip_prefix(&format!("{option}="))));
        let next = arguments.windows(2).filter_map(|pair| match pair {
            [option, value] if options.contains(&option.as_str()) => Some(value.as_str()),
            _ => None,
        });
        inside.chain(next).map(|text| text.trim_end_matches("\\n").to_owned()).collect()
    };
    match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "date" => arguments.iter().filter_map(|word| word.strip_prefix('+')).map(str::to_owned).collect(),
        "yes" | "expr" | "shuf" | "compgen" | "seq" => operands().collect(),
        "basename" | "dirname" => operands()
            .flat_map(|path| path.split(['/', '.']).map(str::to_owned).collect::<Vec<_>>())
            .collect(),
        "stat" => behind(&["-c", "--format", "--printf"]),
        // `$(find /usr/bin -name rmdir)`
        "find" if operands().any(|path| path == "/" || path.contains("bin")) => {
            behind(&["-printf", "-name", "-iname"])
        }
        "find" => behind(&["-printf"]),
        // `r=$(ls /usr/bin | grep '^rmdir$')`
        "grep" | "egrep" | "fgrep" => whole_lines(arguments),
        // `git -c x.y=text config x.y`
        "git" if arguments.iter().any(|word| word == "config") => {
            let values = arguments.iter().filter_map(|word| word.split_once('=')).map(|(_, value)| value);
            operands().chain(values.map(str::to_owned)).collect()
        }
        "git" => behind(&["--format", "--pretty"]),
        "awk" | "gawk" | "mawk" | "nawk" | "perl" | "python" | "ruby" | "node" | "php" | "lua" => {
            arguments.iter().flat_map(|program| printed_literals(program)).collect()
        }
        "jq" | "gojq" | "jaq" => arguments.iter().flat_map(|program| double_quoted(program)).collect(),
        _ => Vec::new(),
    }
}

/// What `grep` prints if it looks for whole lines.
fn whole_lines(arguments: &[String]) -> Vec<String> {
    let is_short = |word: &String| word.starts_with('-') && !word.starts_with("--");
    let compares =
        arguments.iter().any(|word| word == "--line-regexp" || is_short(word) && word.contains('x'));
    let expression = arguments
        .iter()
        .find(|word| !word.starts_with('-'))
        .filter(|expression| compares || expression.starts_with('^') && expression.ends_with('$'));
    expression.into_iter().map(|expression| expression.trim_matches(['^', '$']).to_owned()).collect()
}

/// The texts in double quotes: a program of `jq` prints them without a function, and so it does those of its input.
fn double_quoted(text: &str) -> Vec<String> {
    let mut found: Vec<String> = text.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    if found.len() > 1 {
        found.push(found.join(" "));
    }
    found
}

/// The texts in quotes behind the name of a function that prints, and all of them together.
fn printed_literals(program: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = program;
    let mut is_printed = false;
    while let Some(at) = rest.find(['"', '\'']) {
        let (before, after) = rest.split_at(at);
        let before = before.trim_end_matches([' ', '(', '+', '.', ',']);
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        // `print "a" + "b"`
        is_printed = PRINTERS.contains(&name) || is_printed && before.is_empty();
        let quote = after.get(..1).unwrap_or_default();
        let Some((inside, next)) = after.get(1..).and_then(|inner| inner.split_once(quote)) else { break };
        if is_printed {
            found.push(inside.to_owned());
        }
        rest = next;
    }
    if found.len() > 1 {
        found.push(found.concat());
    }
    found
}

impl Shell<'_> {
    /// Keeps what a program may print.
    pub(super) fn keep_printable(&mut self, program: &str, arguments: &[String]) {
        texts(program, arguments).into_iter().for_each(|text| self.keep_text(text));
        // `$(ls /usr/bin/printenv)`
        let programs = arguments.iter().filter(|path| path.contains('/') && program_content(path).is_some());
        programs.for_each(|path| self.keep_text(path.clone()));
        if matches!(program, "jq" | "gojq" | "jaq") {
            let files = arguments.iter().filter_map(|path| self.known_file(path)).collect::<String>();
            let values = double_quoted(&self.input).into_iter().chain(double_quoted(&files)).take(MAX_TEXTS);
            values.for_each(|text| self.keep_text(text));
        }
        // `bc <<< 'print "rm"'`, `dc <<< '[rm]p'`
        let quotes = match program {
            "bc" => ['"', '"'],
            "dc" => ['[', ']'],
            _ => return,
        };
        if self.spend(self.input.len() / 8) {
            let printed: Vec<String> =
                self.input.split(quotes).skip(1).step_by(2).take(MAX_TEXTS).map(str::to_owned).collect();
            self.keep_text(printed.concat());
            printed.into_iter().for_each(|text| self.keep_text(text));
        }
    }

    /// Keeps the elements of an array: an index that is not known may name any of them.
    pub(super) fn keep_elements(&mut self, name: &str) {
        let elements = self.variables().get(name).map(Vec::as_slice).unwrap_or_default();
        let values: Vec<String> = elements.iter().take(MAX_TEXTS).map(|(_, value)| value.clone()).collect();
        values.into_iter().for_each(|value| self.keep_text(value));
    }

    pub(super) fn keep_text(&mut self, text: String) {
        let is_short = !text.is_empty() && text.len() <= MAX_LENGTH && self.printable.len() < MAX_TEXTS;
        if is_short && is_known(&text) && !self.printable.contains(&text) && self.spend(text.len() / 8) {
            self.printable.push(text);
        }
    }

    /// Shows a command to the search with each text that may be printed in place of what is not known.
    pub(super) fn note_filled(&mut self, fields: &[Field]) {
        if self.printable.is_empty() || !fields.iter().any(|field| field.text.contains(UNKNOWN)) {
            return;
        }
        let Some((program, rest)) = fields.split_first() else { return };
        let is_option_taker = matches!(program.text.as_str(), "rm" | "git" | "set");
        if !program.text.contains(UNKNOWN) && !is_option_taker {
            return;
        }
        for text in self.printable.clone() {
            let whole = if program.text.contains(UNKNOWN) {
                let program = unmarked(&program.text).replace(UNKNOWN, &text);
                format!("{program} {}", command_text(rest))
            } else {
                let words = fields.iter().map(|field| unmarked(&field.text).replace(UNKNOWN, &text));
                words.collect::<Vec<_>>().join(" ")
            };
            self.note_printed(&whole);
        }
    }

    /// Shows a text that is run to the search, with each text that may be printed in place of what is not known.
    pub(super) fn note_filled_text(&mut self, text: &str) {
        if text.contains(UNKNOWN) {
            for printed in self.printable.clone() {
                self.note_printed(&readable(&text.replace(UNKNOWN, &printed)));
            }
        }
    }

    fn note_printed(&mut self, text: &str) {
        let is_set = text.starts_with("set -");
        if self.spend(text.len() / 8) && (is_set || is_dangerous(text)) {
            (self.note)(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_texts_are_found_in_arguments() {
        for (command, expected) in [
            ("date +rm", &["rm"][..]),
            ("yes a b", &["a", "b"]),
            ("stat -c x y", &["x"]),
            ("stat --format=x y", &["x"]),
            ("find a -printf x", &["x"]),
            ("git -c a.b=x config a.b", &["a.b", "a.b=x", "config", "x"]),
            ("basename -s .sh rm.sh", &["rm", "sh", "", "sh"]),
            ("awk BEGIN{print\"rm\"}", &["rm"]),
            ("awk $1==\"env\"{print$2}", &[]),
            ("python3 print('r'+'m')", &["r", "m", "rm"]),
            ("ls rm", &[]),
            ("find /bin -name rm", &["rm"]),
            ("find a -name rm", &[]),
            ("grep ^rm$", &["rm"]),
            ("grep -x rm", &["rm"]),
            ("grep rm", &[]),
            ("jq \"rm\"", &["rm"]),
        ] {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            let found = texts(&words[0], &words[1..]);
            let mut found: Vec<&str> = found.iter().map(String::as_str).collect();
            found.sort_unstable();
            let mut expected = expected.to_vec();
            expected.sort_unstable();
            assert_eq!(found, expected, "{command}");
        }
    }
}
