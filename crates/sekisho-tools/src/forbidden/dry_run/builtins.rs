//! Builtins that set values, print, or run texts.

use super::fields::{UNKNOWN, is_known, unknown};
use super::printf_format::{echoed, formatted};
use super::shell::{Flow, Shell};
use super::variables::numbered;

/// Builtins that take assignments as words.
pub(super) const DECLARATIONS: [&str; 5] = ["declare", "typeset", "local", "readonly", "export"];
/// How many lines `mapfile` keeps.
const MAX_LINES: usize = 256;

impl Shell<'_> {
    /// Follows a builtin. False if there is none of this name.
    pub(super) fn builtin(&mut self, name: &str, arguments: &[String]) -> bool {
        self.status = Some(true);
        match name {
            ":" | "true" | "exec" | "chmod" | "sleep" | "shopt" => {}
            "false" => self.status = Some(false),
            "echo" => self.print(&echoed(arguments)),
            "printf" => self.printf(arguments),
            "read" => self.read(arguments),
            "mapfile" | "readarray" => self.mapfile(arguments),
            "set" => self.set(arguments),
            "shift" => {
                let count = arguments.first().and_then(|count| count.parse().ok()).unwrap_or(1);
                let kept = self.variables().positional().into_iter().skip(count).collect();
                self.variables_mut().set_positional(kept);
            }
            "getopts" => self.getopts(arguments),
            "unset" => arguments.iter().for_each(|name| {
                self.environment_mut().functions.remove(name);
                self.variables_mut().remove(name);
            }),
            "alias" => {
                for (name, value) in arguments.iter().filter_map(|word| word.split_once('=')) {
                    self.environment_mut().aliases.insert(name.to_owned(), value.to_owned());
                }
            }
            "unalias" => arguments.iter().for_each(|name| drop(self.environment_mut().aliases.remove(name))),
            "eval" => self.run_text(&arguments.join(" ")),
            "." | "source" => self.source(arguments),
            "cd" | "pushd" => {
                let target = arguments.iter().find(|word| !word.starts_with('-'));
                let target = target.cloned().unwrap_or_else(unknown);
                let directory = self.path(&target);
                self.environment_mut().directory = directory;
                self.status = None;
            }
            "let" => {
                let values: Vec<Option<i64>> = arguments.iter().map(|sum| self.arithmetic(sum)).collect();
                self.status = values.last().copied().flatten().map(|value| value != 0);
            }
            "test" | "[" => {
                let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
                let words = words.strip_suffix(&["]"]).unwrap_or(&words);
                self.status = compared(words);
            }
            "command" | "type" | "which" | "whereis" => return self.looked_up(name, arguments),
            "break" => self.flow = Flow::Break,
            "continue" => self.flow = Flow::Continue,
            "return" => self.flow = Flow::Return,
            "exit" => self.flow = Flow::Exit,
            _ => return false,
        }
        true
    }

    fn printf(&mut self, arguments: &[String]) {
        let mut rest = arguments;
        let mut variable = None;
        if let [option, name, others @ ..] = rest
            && option == "-v"
        {
            variable = Some(name.clone());
            rest = others;
        }
        rest = rest.strip_prefix(&["--".to_owned()]).unwrap_or(rest);
        let Some((format, values)) = rest.split_first() else { return };
        let size = format.len() * (values.len() + 1) + values.iter().map(String::len).sum::<usize>();
        let text = if self.spend(size / 8) { formatted(format, values) } else { unknown() };
        match variable {
            Some(name) => self.variables_mut().set(&name, text),
            None => self.print(&text),
        }
    }

    fn read(&mut self, arguments: &[String]) {
        let (mut names, mut is_array, mut end, mut source) = (Vec::new(), false, '\n', None);
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let Some(letters) = word.strip_prefix('-') else {
                names.push(word.clone());
                continue;
            };
            let Some((_, inside)) = letters.split_once(['d', 'u', 'p', 'n', 'N', 't', 'i']) else {
                is_array |= letters.contains('a');
                continue;
            };
            let next = if inside.is_empty() { words.next().map(String::as_str) } else { Some(inside) };
            let value = next.unwrap_or_default();
            if letters.contains('d') {
                end = value.chars().next().unwrap_or(UNKNOWN);
            } else if letters.contains('u') {
                source = value.parse::<u32>().ok();
            }
        }
        let opened = source.and_then(|number| self.descriptors.get(&number).cloned());
        let before = opened.map(|text| std::mem::replace(&mut self.input, text));
        let line = self.line(end);
        if let (Some(before), Some(number)) = (before, source) {
            let rest = std::mem::replace(&mut self.input, before);
            self.descriptors.insert(number, rest);
        }
        self.status = match &line {
            Some(line) => is_known(line).then_some(true),
            None => Some(false),
        };
        if names.is_empty() {
            names.push("REPLY".into());
        }
        self.store_read(&names, is_array, &line.unwrap_or_default());
    }

    fn store_read(&mut self, names: &[String], is_array: bool, line: &str) {
        let separators = self.variables().text("IFS").unwrap_or(" \t\n").to_owned();
        let is_separator = |c: char| separators.contains(c);
        if is_array {
            let parts = line.split(is_separator).filter(|part| !part.is_empty());
            let parts: Vec<String> = parts.map(str::to_owned).collect();
            if let Some(name) = names.first() {
                self.variables_mut().set_all(name, numbered(parts));
            }
            return;
        }
        let mut rest = line.trim_matches(|c: char| c.is_whitespace() && is_separator(c));
        for (at, name) in names.iter().enumerate() {
            if at + 1 == names.len() {
                self.variables_mut().set(name, rest.to_owned());
                break;
            }
            let (part, after) = rest.split_once(is_separator).unwrap_or((rest, ""));
            let part = part.to_owned();
            rest = after.trim_start_matches(|c: char| c.is_whitespace() && is_separator(c));
            self.variables_mut().set(name, part);
        }
    }

    fn mapfile(&mut self, arguments: &[String]) {
        let name = arguments.iter().rfind(|word| !word.starts_with('-'));
        let name = name.cloned().unwrap_or_else(|| "MAPFILE".into());
        let mut lines = Vec::new();
        while let Some(line) = self.line('\n').filter(|_| lines.len() < MAX_LINES) {
            lines.push(line);
        }
        self.variables_mut().set_all(&name, numbered(lines));
    }

    fn set(&mut self, arguments: &[String]) {
        let is_option = |word: &&String| word.starts_with(['-', '+']) && word.as_str() != "--";
        let mut count = arguments.iter().take_while(is_option).count();
        // `set -o pipefail`
        if count > 0 && arguments.get(count - 1).is_some_and(|word| word.ends_with('o')) {
            count += 1;
        }
        let rest = arguments.get(count..).unwrap_or_default();
        let has_end = rest.first().is_some_and(|word| word == "--");
        if has_end || !rest.is_empty() {
            self.variables_mut().set_positional(rest.iter().skip(usize::from(has_end)).cloned().collect());
        }
    }

    /// `getopts letters name [arguments]`. The place is kept in `OPTIND` and, inside a bundle, in a variable of its own.
    fn getopts(&mut self, arguments: &[String]) {
        let [letters, name, given @ ..] = arguments else { return };
        let given = if given.is_empty() { self.variables().positional() } else { given.to_vec() };
        let number = |name: &str| self.variables().text(name).and_then(|text| text.parse::<usize>().ok());
        let mut index = number("OPTIND").unwrap_or(1).max(1);
        let mut place = number(BUNDLE_PLACE).unwrap_or(1).max(1);
        let word = given.get(index - 1).cloned().unwrap_or_default();
        let letter = word.strip_prefix('-').and_then(|_| word.chars().nth(place));
        let Some(letter) = letter.filter(|_| word != "--") else {
            self.variables_mut().set(name, "?".into());
            self.status = Some(false);
            return;
        };
        let takes_value = letters.split_once(letter).is_some_and(|(_, rest)| rest.starts_with(':'));
        let is_last = word.chars().count() <= place + 1;
        place += 1;
        if takes_value {
            let inside: String = word.chars().skip(place).collect();
            let next = given.get(index).cloned().unwrap_or_default();
            let value = if is_last { next } else { inside };
            self.variables_mut().set("OPTARG", value);
        }
        if is_last || takes_value {
            index += 1 + usize::from(takes_value && is_last);
            place = 1;
        }
        let found = if letters.contains(letter) { letter } else { '?' };
        self.variables_mut().set(name, found.to_string());
        self.variables_mut().set("OPTIND", index.to_string());
        self.variables_mut().set(BUNDLE_PLACE, place.to_string());
    }

    pub(super) fn declare(&mut self, words: &[String]) {
        let (Some(command), rest) = (words.first(), words.get(1..).unwrap_or_default()) else { return };
        let is_option = |word: &&String| word.trim_start_matches(['"', '\'']).starts_with(['-', '+']);
        let (options, names): (Vec<&String>, Vec<&String>) = rest.iter().partition(is_option);
        let text: String = options.iter().map(|word| self.text(word)).collect();
        if options.iter().any(|word| word.contains(['$', '`'])) {
            (self.note)(&format!("{command} {text} x"));
        }
        for word in names {
            let is_plain = word.split('=').next().is_some_and(|name| !name.contains(['$', '"', '\'', '`']));
            let word = if is_plain { word.clone() } else { self.declared(word) };
            let name = word.split(['=', '+', '[']).next().unwrap_or_default().to_owned();
            if command == "local" {
                let old = self.variables().get(&name).cloned();
                self.locals.push((name.clone(), old));
            }
            if text.contains(['l', 'u']) {
                self.variables_mut().spell(&name, text.contains('l'));
            }
            if text.contains('n') {
                let other = word.split_once('=').map(|(_, other)| self.text(other)).unwrap_or_default();
                self.variables_mut().refer(&name, &other);
            } else if word.contains('=') {
                self.assign(&word);
            }
        }
        self.status = Some(true);
    }

    /// `declare "$name=value"`: the word as an assignment.
    fn declared(&mut self, word: &str) -> String {
        let text = self.text(word);
        match text.split_once('=') {
            Some((name, value)) => format!("{name}={}", super::super::unresolved_words::quoted(value)),
            None => text,
        }
    }

    fn source(&mut self, arguments: &[String]) {
        let arguments = arguments.strip_prefix(&["--".to_owned()]).unwrap_or(arguments);
        let Some((path, rest)) = arguments.split_first() else { return };
        let text = self.read_file(path);
        let outer = self.variables().positional();
        if !rest.is_empty() {
            self.variables_mut().set_positional(rest.to_vec());
        }
        self.run_text(&text);
        if !rest.is_empty() {
            self.variables_mut().set_positional(outer);
        }
        if self.flow == Flow::Return {
            self.flow = Flow::Next;
        }
    }

    /// `command -v rm`, `type -P rm`, `which rm`: any path of the program stands for it.
    fn looked_up(&mut self, name: &str, arguments: &[String]) -> bool {
        let is_option = |word: &&String| word.starts_with('-');
        let options: String = arguments.iter().take_while(is_option).map(String::as_str).collect();
        let names = arguments.iter().skip_while(is_option);
        let names: Vec<&String> = names.collect();
        if name == "command" && !options.contains(['v', 'V']) {
            // `command -p rm`
            if options == "-p" || options == "--" {
                let fields = names.iter().map(|name| super::fields::Field::new((*name).clone())).collect();
                self.nested(|shell| shell.invoke(fields));
                return true;
            }
            return false;
        }
        for program in names {
            let path = if program.contains('/') { program.clone() } else { format!("/usr/bin/{program}") };
            match name {
                "whereis" => self.print(&format!("{program}: {path}\n")),
                "type" if !options.contains(['p', 'P']) => self.print(&format!("{program} is {path}\n")),
                _ => self.print(&format!("{path}\n")),
            }
        }
        self.status = None;
        true
    }

    /// `[[ … ]]`
    pub(super) fn condition(&mut self, text: &str) -> Option<bool> {
        if text.contains("&&") || text.contains("||") || text.contains(['(', '<', '>', '~', '*', '?', '[']) {
            // Substitutions in it are followed.
            self.document(text);
            return None;
        }
        let words: Vec<String> = super::parser::words(text).iter().map(|word| self.text(word)).collect();
        compared(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

/// The place in a bundle of options that `getopts` has reached.
const BUNDLE_PLACE: &str = "getopts place";

/// Longer tests are not followed.
const MAX_TEST_WORDS: usize = 6;

/// What `test` says, if that is known.
fn compared(words: &[&str]) -> Option<bool> {
    if words.len() > MAX_TEST_WORDS || words.iter().any(|word| !is_known(word)) {
        return None;
    }
    let numbers = |one: &str, other: &str| Some((one.parse::<i64>().ok()?, other.parse::<i64>().ok()?));
    Some(match words {
        [] => false,
        ["!", rest @ ..] => !compared(rest)?,
        [text] => !text.is_empty(),
        ["-n", text] => !text.is_empty(),
        ["-z", text] => text.is_empty(),
        [one, "=" | "==", other] => one == other,
        [one, "!=", other] => one != other,
        [one, operator, other] => {
            let (one, other) = numbers(one, other)?;
            match *operator {
                "-eq" => one == other,
                "-ne" => one != other,
                "-lt" => one < other,
                "-le" => one <= other,
                "-gt" => one > other,
                "-ge" => one >= other,
                _ => return None,
            }
        }
        _ => return None,
    })
}
