//! Programs that run texts or copy files: shells, `xargs`, scripts, `tee`, `cp`.

use super::fields::{Field, UNKNOWN, is_known, unknown};
use super::filters::Filter;
use super::shell::Shell;

/// How many commands one `xargs` is followed for.
const MAX_COMMANDS: usize = 64;

impl Shell<'_> {
    /// `sh`, `bash` and others: a text, a file, or the input.
    pub(super) fn shell_program(&mut self, arguments: &[String]) {
        let mut words = arguments.iter();
        let mut is_text = false;
        let mut operand = None;
        while let Some(word) = words.next() {
            if matches!(word.as_str(), "--rcfile" | "--init-file") {
                let text = words.next().map(|path| self.read_file(path));
                self.run_script(&text.unwrap_or_default(), None, Vec::new());
            } else if let Some(letters) = word.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty())
            {
                is_text |= !letters.starts_with('-') && letters.contains('c');
                if letters.ends_with(['o', 'O']) && !letters.starts_with('-') {
                    words.next();
                }
                if letters == "s" {
                    break;
                }
            } else if word != "-" {
                operand = Some(word.clone());
                break;
            }
        }
        let rest: Vec<String> = words.cloned().collect();
        match operand {
            Some(text) if is_text => {
                let program = rest.first().cloned();
                self.run_script(&text, program, rest.into_iter().skip(1).collect());
            }
            Some(path) => {
                let text = self.read_file(&path);
                self.run_script(&text, Some(path), rest);
            }
            None => {
                let text = std::mem::take(&mut self.input);
                self.run_script(&text, None, rest);
            }
        }
        self.status = None;
    }

    /// A file that the text has written is run: by a shell, or by the program that its first line names.
    pub(super) fn script_file(&mut self, path: &str, text: &str, arguments: &[Field]) {
        let line = text.strip_prefix("#!").and_then(|rest| rest.lines().next()).unwrap_or("/bin/sh").trim();
        let (interpreter, option) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let mut words: Vec<&str> = Vec::new();
        if interpreter.rsplit('/').next() == Some("env") {
            // It only looks up the program.
            let is_program = |word: &&str| !word.starts_with('-') && !word.contains('=');
            words.extend(
                option.trim_start_matches("-S").split_whitespace().skip_while(|word| !is_program(word)),
            );
        } else {
            words.push(interpreter);
            words.extend([option.trim()].iter().filter(|option| !option.is_empty()));
        }
        let mut fields: Vec<Field> = words.into_iter().map(Field::new).collect();
        fields.push(Field::new(path));
        fields.extend(arguments.iter().cloned());
        // The text itself was written by this command; other programs that run it are looked at elsewhere.
        self.nested(|shell| shell.invoke(fields));
    }

    /// `xargs`: the words of the input become arguments.
    pub(super) fn xargs(&mut self, arguments: &[String]) {
        let mut words = arguments.iter().peekable();
        let (mut place, mut most, mut end) = (None, MAX_WORDS, None);
        let mut input = None;
        while let Some(word) = words.next_if(|word| word.starts_with('-')) {
            let letter = word.chars().nth(1).unwrap_or_default();
            let inside = word.chars().skip(2).collect::<String>();
            let mut value =
                || if inside.is_empty() { words.next().cloned().unwrap_or_default() } else { inside.clone() };
            match letter {
                'I' => place = Some(value()),
                'i' => place = Some(if inside.is_empty() { "{}".into() } else { inside }),
                'n' | 'L' => most = value().parse().unwrap_or(MAX_WORDS).max(1),
                'd' => {
                    end = Some(super::super::shell_text::unescaped(&value()).chars().next().unwrap_or('\n'))
                }
                '0' => end = Some(UNKNOWN),
                'a' => input = Some(value()),
                'P' | 's' | 'E' => drop(value()),
                _ => {}
            }
        }
        let command: Vec<String> = words.cloned().collect();
        let command = if command.is_empty() { vec!["echo".to_owned()] } else { command };
        let text = match input {
            Some(path) => self.read_file(&path),
            None => std::mem::take(&mut self.input),
        };
        let place = place.filter(|place| !place.is_empty());
        let ends_lines = place.is_some() && end.is_none();
        let given: Vec<String> = match end {
            Some(end) => text.split(end).filter(|part| !part.is_empty()).map(str::to_owned).collect(),
            None if ends_lines => text.lines().map(|line| line.trim_start().to_owned()).collect(),
            None => text.split_whitespace().map(|word| word.replace(['\'', '"', '\\'], "")).collect(),
        };
        let chunks: Vec<&[String]> =
            given.chunks(if place.is_some() { 1 } else { most }).take(MAX_COMMANDS).collect();
        for chunk in chunks {
            let replaced = |word: &String| match &place {
                Some(place) => word.replace(place.as_str(), &chunk.concat()),
                None => word.clone(),
            };
            let mut fields: Vec<Field> = command.iter().map(|word| Field::new(replaced(word))).collect();
            if place.is_none() {
                fields.extend(chunk.iter().map(Field::new));
            }
            self.nested(|shell| shell.invoke(fields));
        }
        self.status = None;
    }

    /// Programs that make, copy or print files. False if it is none of them.
    pub(super) fn file_program(&mut self, name: &str, arguments: &[String]) -> bool {
        let is_option = |word: &&String| word.starts_with('-') && word.len() > 1;
        let dashes = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
        let before = arguments.iter().take(dashes).filter(|word| !is_option(word));
        let operands: Vec<String> = before.chain(arguments.iter().skip(dashes + 1)).cloned().collect();
        match name {
            "touch" | "mkdir" => operands.iter().for_each(|path| self.write_file(path, "", true)),
            "cat" => {
                let text = self.inputs(&operands);
                self.print(&text);
            }
            "tee" | "sponge" => {
                let appends = arguments.iter().any(|word| word == "-a" || word == "--append");
                let text = std::mem::take(&mut self.input);
                operands.iter().for_each(|path| self.write_file(path, &text, appends));
                if name == "tee" {
                    self.print(&text);
                }
            }
            "cp" | "mv" | "ln" | "install" => {
                let text = operands.iter().rev().nth(1).and_then(|path| self.known_file(path));
                if let (Some(text), Some(target)) = (text, operands.last()) {
                    self.write_file(target, &text, false);
                }
            }
            "dd" => {
                let value =
                    |key: &str| arguments.iter().find_map(|word| word.strip_prefix(key).map(str::to_owned));
                let text = self.inputs(&value("if=").into_iter().collect::<Vec<_>>());
                match value("of=") {
                    Some(path) => self.write_file(&path, &text, false),
                    None => self.print(&text),
                }
            }
            "basename" | "realpath" | "readlink" => {
                let path = operands.first().cloned().unwrap_or_default();
                let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                let text = if name == "basename" { last } else { &path };
                let suffix =
                    operands.get(1).filter(|_| name == "basename").map(String::as_str).unwrap_or_default();
                let text = text.strip_suffix(suffix).unwrap_or(text).to_owned();
                self.print(&format!("{text}\n"));
            }
            _ => return false,
        }
        true
    }

    /// The contents of files, or the input if there are none.
    fn inputs(&mut self, paths: &[String]) -> String {
        if paths.is_empty() {
            return std::mem::take(&mut self.input);
        }
        paths.iter().map(|path| self.read_file(path)).collect()
    }

    /// What a program that only changes text prints.
    pub(super) fn filtered(&mut self, filter: Filter, arguments: &[String]) -> String {
        let Some(plan) = Self::all_known(arguments).then(|| filter(arguments)).flatten() else {
            self.input.clear();
            return unknown();
        };
        let text = match plan.given {
            Some(text) => text,
            None => self.inputs(&plan.files),
        };
        if !is_known(&text) || !self.spend(text.len() * plan.cost / 8) {
            return unknown();
        }
        (plan.change)(&text).unwrap_or_else(unknown)
    }
}

/// How many words one command of `xargs` gets.
const MAX_WORDS: usize = 4096;
