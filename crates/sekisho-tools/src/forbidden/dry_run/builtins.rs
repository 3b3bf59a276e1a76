//! Builtins that set values, print, or run texts.

use super::super::unresolved_words::quoted;
use super::fields::{is_known, unknown};
use super::printf_format::{echoed, formatted};
use super::shell::{Flow, Shell};
use super::variables::POSITIONAL;

/// Builtins that take assignments as words.
pub(super) const DECLARATIONS: [&str; 5] = ["declare", "typeset", "local", "readonly", "export"];

impl Shell<'_> {
    /// Follows a builtin. False if there is none of this name.
    pub(super) fn builtin(&mut self, name: &str, arguments: &[String]) -> bool {
        // Others may fail.
        self.status = None;
        match name {
            ":" | "true" => self.status = Some(true),
            "false" => self.status = Some(false),
            "exec" | "chmod" | "sleep" => {}
            "echo" => self.print(&echoed(arguments)),
            "printf" => self.printf(arguments),
            "read" => self.read(arguments),
            "mapfile" | "readarray" => self.mapfile(arguments),
            "set" => self.set(arguments),
            "shift" => self.shift(arguments),
            "getopts" => self.getopts(arguments),
            "unset" => self.unset(arguments),
            "alias" => {
                for (name, value) in arguments.iter().filter_map(|word| word.split_once('=')) {
                    self.environment_mut().aliases.insert(name.to_owned(), value.to_owned());
                }
            }
            "unalias" => arguments.iter().for_each(|name| drop(self.environment_mut().aliases.remove(name))),
            "eval" => {
                let words = arguments.strip_prefix(&["--".to_owned()]).unwrap_or(arguments);
                self.run_text(&words.join(" "));
            }
            "." | "source" => self.source(arguments),
            "let" => {
                let values: Vec<Option<i64>> = arguments.iter().map(|sum| self.arithmetic(sum)).collect();
                self.status = values.last().copied().flatten().map(|value| value != 0);
            }
            "test" | "[" => {
                self.follow_names(arguments);
                let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
                let words = words.strip_suffix(&["]"]).unwrap_or(&words);
                self.status = compared(words);
            }
            "compgen" => self.compgen(arguments),
            "history" => self.history(arguments),
            "fc" => self.fix_command(arguments),
            "command" | "type" | "which" | "whereis" => return self.looked_up(name, arguments),
            _ => return self.state_builtin(name, arguments),
        }
        true
    }

    /// Builtins that change what the shell does next. False if there is none of this name.
    fn state_builtin(&mut self, name: &str, arguments: &[String]) -> bool {
        match name {
            "shopt" => {
                let is_set = arguments.iter().any(|word| word.starts_with('-') && word.contains('s'));
                self.ignores_case |= is_set && arguments.iter().any(|word| word == "nocasematch");
                if arguments.iter().any(|word| word == "patsub_replacement") {
                    self.keeps_ampersands = !is_set;
                }
            }
            "hash" if arguments.iter().any(|word| word.starts_with('-') && word.contains('p')) => {
                let mut words = arguments.iter().filter(|word| !word.starts_with('-'));
                let path = words.next().cloned().unwrap_or_default();
                words.for_each(|name| {
                    self.environment_mut().aliases.insert(name.clone(), path.clone());
                });
            }
            "trap" => {
                let text = arguments.iter().find(|word| !word.starts_with('-')).cloned().unwrap_or_default();
                self.in_subshell(|shell| shell.run_text(&text));
                self.traps.push(text);
            }
            "cd" | "pushd" | "popd" => {
                let target = arguments.iter().find(|word| !word.starts_with('-'));
                let goes_back = name == "popd" || arguments.iter().any(|word| word == "-");
                let directory = match target {
                    _ if goes_back => self.environment.previous_directory.clone(),
                    Some(target) => self.path(target),
                    None => self.path(&unknown()),
                };
                let environment = self.environment_mut();
                environment.previous_directory = std::mem::replace(&mut environment.directory, directory);
            }
            "break" | "continue" if self.loops > 0 => {
                let count = arguments.first().map_or(Some(1), |count| count.parse::<usize>().ok());
                let count = count.unwrap_or(1).clamp(1, self.loops);
                self.flow = if name == "break" { Flow::Break(count) } else { Flow::Continue(count) };
            }
            "return" if self.callers > 0 => {
                self.end_with(arguments);
                self.flow = Flow::Return;
            }
            "exit" => {
                self.end_with(arguments);
                self.flow = Flow::Exit;
            }
            // They do nothing where there is nothing to leave.
            "break" | "continue" | "return" => {}
            _ => return false,
        }
        true
    }

    /// More than there are, or a negative number, changes nothing.
    fn shift(&mut self, arguments: &[String]) {
        let arguments = arguments.strip_prefix(&["--".to_owned()]).unwrap_or(arguments);
        let positional = self.variables().positional();
        match arguments.first().map_or(Ok(1), |count| count.trim().parse::<i64>()) {
            Ok(count) => {
                let count = usize::try_from(count).ok().filter(|count| *count <= positional.len());
                if let Some(count) = count {
                    self.variables_mut().set_positional(positional.into_iter().skip(count).collect());
                }
                self.status = Some(count.is_some());
            }
            Err(_) if arguments.first().is_some_and(|count| is_known(count)) => self.status = Some(false),
            Err(_) => {
                let positional = positional.iter().map(|_| unknown()).collect();
                self.variables_mut().set_positional(positional);
            }
        }
    }

    /// With `-f` functions, with `-v` variables, with `-n` references; otherwise a function only if there is no such
    /// variable.
    fn unset(&mut self, arguments: &[String]) {
        let is_option = |word: &&String| word.starts_with('-') && word.len() > 1;
        let options: String = arguments.iter().take_while(is_option).map(String::as_str).collect();
        for name in arguments.iter().skip_while(is_option) {
            self.follow_subscript(name);
            let base = name.split('[').next().unwrap_or_default();
            if options.contains('f') || !options.contains(['v', 'n']) && self.variables().get(base).is_none()
            {
                self.environment_mut().functions.remove(name);
            } else if !is_known(name) {
                self.is_open = true;
            } else if !self.variables().has_attribute(base, 'r') {
                let key = name.strip_suffix(']').and_then(|name| name.split_once('['));
                let key = key.and_then(|(base, index)| Some((base.to_owned(), self.key(index, base)?)));
                match key {
                    Some((_, key)) if matches!(key.as_str(), "@" | "*") => self.variables_mut().remove(base),
                    Some((base, key)) => self.variables_mut().remove(&format!("{base}[{key}]")),
                    None => self.variables_mut().remove(name),
                }
            }
        }
    }

    /// The status that `return` and `exit` name.
    fn end_with(&mut self, arguments: &[String]) {
        self.status = match arguments.first().map(String::as_str) {
            Some("0") => Some(true),
            Some("1") => Some(false),
            _ => None,
        };
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
        let text = if self.afford(size / 8) { formatted(format, values) } else { unknown() };
        let text = if self.afford(text.len() / 8) { text } else { unknown() };
        match variable {
            Some(name) => {
                self.follow_subscript(&name);
                self.variables_mut().set(&name, text);
            }
            None => self.print(&text),
        }
    }

    /// `[ -v name[…] ]`
    pub(super) fn follow_names(&mut self, words: &[String]) {
        let named =
            words.windows(2).filter(|pair| matches!(pair, [option, _] if option == "-v" || option == "-R"));
        named.filter_map(|pair| pair.get(1)).for_each(|name| self.follow_subscript(name));
    }

    fn set(&mut self, arguments: &[String]) {
        let is_trace = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('x');
        if arguments.iter().any(|word| is_trace(word) || word == "xtrace") {
            self.traces = true;
            self.follow_trace();
        }
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
        self.status = Some(true);
    }

    pub(super) fn declare(&mut self, words: &[String]) {
        let (Some(command), rest) = (words.first(), words.get(1..).unwrap_or_default()) else { return };
        // `declare $(printf -- -x) A=1`
        let computed = |shell: &mut Self, word: &String| match word.starts_with(['$', '`']) {
            true => {
                Some(shell.text(word)).filter(|text| text.starts_with(['-', '+'])).map(|text| quoted(&text))
            }
            false => None,
        };
        let rest: Vec<String> =
            rest.iter().map(|word| computed(self, word).unwrap_or_else(|| word.clone())).collect();
        let is_option = |word: &&String| word.trim_start_matches(['"', '\'']).starts_with(['-', '+']);
        let (options, names): (Vec<&String>, Vec<&String>) = rest.iter().partition(is_option);
        let text: String = options.iter().map(|word| self.text(word)).collect();
        let is_computed = options.iter().any(|word| word.contains(['$', '`', '\'']));
        // A text that was computed is seen only here.
        if is_computed || command == "export" || text.contains('x') {
            (self.note)(&format!("{command} {text} x"));
        } else if names.is_empty() {
            (self.note)(&format!("{command} {text}"));
        }
        for word in names {
            let is_plain = word.split('=').next().is_some_and(|name| !name.contains(['$', '"', '\'', '`']));
            let word = if is_plain { word.clone() } else { self.declared(word) };
            let name = word.split(['=', '+', '[']).next().unwrap_or_default().to_owned();
            if command == "local" {
                let old = self.variables().get(&name).cloned();
                self.locals.push((name.clone(), old));
                self.variables_mut().clear_attributes(&name);
            }
            if text.contains(['l', 'u']) {
                self.variables_mut().spell(&name, text.contains('l'));
            }
            if text.contains('n') {
                let other = word.split_once('=').map(|(_, other)| self.text(other)).unwrap_or_default();
                self.variables_mut().refer(&name, &other);
            } else if word.contains('=') {
                if text.contains('i') {
                    self.variables_mut().add_attribute(&name, 'i');
                }
                self.assign(&word);
            }
            let given = text.chars().filter(|letter| "aAilrtux".contains(*letter));
            let given = given.chain((command == "readonly").then_some('r')).collect::<String>();
            given.chars().for_each(|letter| self.variables_mut().add_attribute(&name, letter));
        }
        // `local` fails outside a function, and some names are read-only.
        self.status = None;
    }

    /// `declare "$name=value"`: the word as an assignment.
    fn declared(&mut self, word: &str) -> String {
        let text = self.text(word);
        match text.split_once('=') {
            Some((name, value)) => format!("{name}={}", quoted(value)),
            None => text,
        }
    }

    fn source(&mut self, arguments: &[String]) {
        let arguments = arguments.strip_prefix(&["--".to_owned()]).unwrap_or(arguments);
        let Some((path, rest)) = arguments.split_first() else { return };
        let text = match self.found_script(path) {
            Some((_, text)) => text,
            None => self.read_file(path),
        };
        self.follow_others(path, |shell, text| shell.run_text(text));
        let outer = (!rest.is_empty()).then(|| self.variables_mut().set_positional(rest.to_vec()));
        self.callers += 1;
        self.run_text(&text);
        self.callers -= 1;
        if let Some(outer) = outer {
            self.variables_mut().set_all(POSITIONAL, outer);
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
}

/// The place in a bundle of options that `getopts` has reached.
const BUNDLE_PLACE: &str = "getopts place";

/// Longer tests are not followed.
const MAX_TEST_WORDS: usize = 6;

/// What `test` says, if that is known.
pub(super) fn compared(words: &[&str]) -> Option<bool> {
    if words.len() > MAX_TEST_WORDS || words.iter().any(|word| !is_known(word)) {
        return None;
    }
    let numbers =
        |one: &str, other: &str| Some((one.trim().parse::<i64>().ok()?, other.trim().parse::<i64>().ok()?));
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
