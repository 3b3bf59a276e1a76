//! Programs that run texts or copy files: shells, `xargs`, scripts, `tee`, `cp`.

use std::rc::Rc;

use super::super::command_escapes;
use super::super::environment_listing::lists_in;
use super::super::resolved_arguments::Argument;
use super::super::shell_options::is_shell;
use super::super::unresolved_words::quoted;
use super::super::{option_commands, program_text};
use super::fields::{Field, UNKNOWN, is_known, unknown, without_marks};
use super::filters::{Filter, LongNames, Options};
use super::seen_texts::Change;
use super::shell::{Shell, here, is_program_content, program_content};

impl Shell<'_> {
    /// `sh`, `bash` and others: a text, a file, or the input.
    pub(super) fn shell_program(&mut self, arguments: &[String]) {
        let mut words = arguments.iter();
        let (mut is_text, mut is_input, mut is_read_only) = (false, false, false);
        let (mut is_interactive, mut traces) = (false, false);
        let mut operand = None;
        while let Some(word) = words.next() {
            if matches!(word.as_str(), "--rcfile" | "--init-file") {
                let text = words.next().map(|path| self.read_file(path));
                self.run_script(&text.unwrap_or_default(), None, Vec::new());
            } else if word == "--" {
                operand = words.next().cloned();
                break;
            } else if let Some(letters) = word.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty())
            {
                if letters.starts_with('-') {
                    continue;
                }
                is_text |= letters.contains('c');
                is_input |= letters.contains('s');
                is_interactive |= letters.contains(['i', 'H']);
                traces |= letters.contains('x');
                is_read_only |= word.starts_with('-') && letters.contains('n');
                if letters.ends_with(['o', 'O']) {
                    words.next();
                }
            } else if word != "-" {
                operand = Some(word.clone());
                break;
            }
        }
        let mut rest: Vec<String> = words.cloned().collect();
        if is_input && !is_text {
            rest.splice(0..0, operand.take());
        }
        if is_read_only {
            // `bash -n` only reads.
            self.status = None;
            return;
        }
        let before = (self.expands_history, self.traces);
        self.expands_history |= is_interactive;
        self.traces |= traces;
        self.follow_trace();
        for text in self.files.start_files() {
            if self.spend(text.len() / 8) {
                self.aside(|shell| shell.run_text(&text));
            }
        }
        self.run_shell(operand, is_text, rest);
        (self.expands_history, self.traces) = before;
        self.status = None;
    }

    /// Follows what a shell is given: a text, the path of a file, or nothing; then it reads its input.
    fn run_shell(&mut self, operand: Option<String>, is_text: bool, rest: Vec<String>) {
        if let Some(path) = self.variables().text("BASH_ENV").map(str::to_owned) {
            let text = self.read_file(&path);
            self.run_script(&text, None, Vec::new());
        }
        match operand {
            Some(text) if is_text => {
                let program = rest.first().cloned();
                self.run_script(&text, program, rest.into_iter().skip(1).collect());
            }
            Some(path) if path.contains(UNKNOWN) => self.any_script(&rest),
            Some(path) => {
                let text = self.read_file(&path);
                self.follow_others(&path, |shell, text| {
                    shell.run_script(text, Some(path.clone()), rest.clone());
                });
                self.run_script(&text, Some(path), rest);
            }
            None => {
                let text = std::mem::take(&mut self.input);
                self.run_script(&text, None, rest);
            }
        }
    }

    /// A path that is not known may be that of any file that the text has written.
    fn any_script(&mut self, rest: &[String]) {
        self.run_script(&unknown(), None, rest.to_vec());
        for text in self.files.texts(MAX_OPERANDS) {
            if self.spend(text.len() / 8) {
                self.aside(|shell| shell.run_script(&text, None, rest.to_vec()));
            }
        }
    }

    /// Commands for the shell in the arguments of a program, in the files that it reads, and behind it.
    pub(super) fn inner_commands(&mut self, name: &str, rest: &[Field], arguments: &[String]) {
        let words: Vec<Argument> = arguments.iter().map(|word| Argument::literal(word)).collect();
        let program = Argument::literal(name);
        let mut found = option_commands::commands(&program, &words);
        let is_compiled = program_text::is_compiler(&program);
        let bare = |text: String| if is_compiled { program_text::without_comments(&text) } else { text };
        let texts: Vec<String> =
            arguments.iter().filter_map(|path| self.known_file(path)).map(bare).collect();
        let texts = || arguments.iter().chain(&texts);
        if matches!(name, "at" | "batch") {
            found.extend(texts().filter(|text| !arguments.contains(text)).cloned());
        }
        if name == "crontab" {
            // Five times, or `@daily`, stand before the command.
            let input = self.input.clone();
            let lines = texts().chain(std::iter::once(&input)).flat_map(|text| text.lines());
            let behind = |line: &str| {
                let fields = if line.starts_with('@') { 1 } else { 5 };
                line.split_whitespace().skip(fields).collect::<Vec<_>>().join(" ")
            };
            found.extend(lines.map(behind));
        }
        if let Some(escape) = command_escapes::escape(name) {
            found.extend(texts().flat_map(|text| escape.commands(text)));
        }
        if program_text::reads_files(&program) {
            found.extend(texts().flat_map(|text| program_text::called_texts(text, self.budget())));
        }
        let is_jq = matches!(name, "jq" | "gojq" | "jaq");
        let reads = |word: &String| word.starts_with('-') && word.contains('f');
        if is_jq && arguments.iter().any(reads) {
            texts()
                .skip(arguments.len())
                .for_each(|text| (self.note)(&format!("jq {}", quoted(text.trim()))));
        }
        for text in found {
            if self.spend(text.len() / 8) {
                self.aside(|shell| shell.run_text(&text));
            }
        }
        let shell = arguments.iter().position(|word| is_shell(&Argument::literal(word)));
        if let Some(inner) = shell.and_then(|at| rest.get(at..)) {
            self.aside(|shell| shell.nested(|shell| shell.invoke(inner.to_vec())));
        }
    }

    /// A file that the text has written, and its path: by its path, or by its name in a directory of `PATH`.
    pub(super) fn found_script(&self, program: &str) -> Option<(String, String)> {
        if program.contains('/') {
            return Some((program.to_owned(), self.known_file(program)?));
        }
        let directories = self.variables().text("PATH")?.split(':');
        directories.take(MAX_DIRECTORIES).find_map(|directory| {
            let found = |directory: &str| {
                let directory = if directory.is_empty() { "." } else { directory };
                let path = format!("{directory}/{program}");
                Some((path.clone(), self.known_file(&path)?))
            };
            found(directory).or_else(|| found(here(directory)?))
        })
    }

    /// Programs that read commands from their input, some of which are for the shell.
    pub(super) fn run_input(&mut self, name: &str) {
        let Some(escape) = command_escapes::escape(name) else { return };
        let commands = escape.commands(&self.input);
        let lists = |line: &&str| name == "gdb" && lists_in(name, line, self.budget());
        let shown = self.input.lines().find(lists).map(quoted);
        if commands.is_empty() && shown.is_none() || !self.spend(self.input.len() / 8) {
            return;
        }
        for text in commands {
            self.in_subshell(|shell| shell.run_text(&text));
        }
        if let Some(line) = shown {
            (self.note)(&format!("gdb -ex {line}"));
        }
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
            "paste" if operands.len() > 1 => {
                let text = self.pasted(arguments);
                self.print(&text.unwrap_or_else(unknown));
            }
            "cp" | "mv" | "ln" | "install" => self.copy(operands),
            "dd" => {
                let value =
                    |key: &str| arguments.iter().find_map(|word| word.strip_prefix(key).map(str::to_owned));
                let mut text = self.inputs(&value("if=").into_iter().collect::<Vec<_>>());
                let is_plain =
                    |word: &String| ["if=", "of=", "status="].iter().any(|key| word.starts_with(key));
                if !arguments.iter().all(is_plain) {
                    text = unknown();
                }
                match value("of=") {
                    Some(path) => self.write_file(&path, &text, false),
                    None => self.print(&text),
                }
            }
            "basename" | "realpath" | "readlink" => {
                let has_option = operands.len() < arguments.len();
                if name == "basename" && has_option || name == "readlink" && !has_option {
                    self.print(&unknown());
                    return true;
                }
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

    /// Programs that make files of any name: `ln -s x ./-rf; rm *`. What is in them is not followed, so only names count
    /// that a wildcard would make options.
    pub(super) fn created_names(&mut self, name: &str, arguments: &[String]) {
        if !CREATORS.contains(&name) {
            return;
        }
        let dashes = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
        for (at, word) in arguments.iter().enumerate().filter(|(at, _)| *at != dashes).take(MAX_OPERANDS) {
            let last = word.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            if last.starts_with('-') && (at > dashes || !word.starts_with('-')) {
                self.write_file(word, "", true);
            }
        }
    }

    /// `paste -d , a b`: the lines of files side by side.
    fn pasted(&mut self, arguments: &[String]) -> Option<String> {
        let names: LongNames = &[("delimiters", 'd')];
        let (options, paths) = Options::up_to_operand(arguments, "d:", names, true)?;
        let separators: Vec<char> = options.value('d').unwrap_or("\t").chars().collect();
        let separator = match separators.as_slice() {
            [] | ['\\', '0'] => String::new(),
            [one] => one.to_string(),
            _ => return None,
        };
        let texts: Vec<String> = paths.iter().map(|path| self.read_file(path)).collect();
        if !texts.iter().all(|text| is_known(text)) || !self.afford(texts.iter().map(String::len).sum()) {
            return None;
        }
        let count = texts.iter().map(|text| text.lines().count()).max()?;
        let mut lines: Vec<_> = texts.iter().map(|text| text.lines()).collect();
        let rows = (0..count).map(|_| {
            let row: Vec<&str> = lines.iter_mut().map(|lines| lines.next().unwrap_or_default()).collect();
            row.join(&separator) + "\n"
        });
        Some(rows.collect())
    }

    /// A program that is not followed may write what it has read to its output, and to each file that it names.
    pub(super) fn copy_program(&mut self, arguments: &[String]) {
        let is_short = arguments.len() <= MAX_OPERANDS;
        let values = arguments.iter().map(|word| word.rsplit('=').next().unwrap_or(word));
        let paths: Vec<String> = values.filter(|word| !word.starts_with('-')).map(str::to_owned).collect();
        let read = |shell: &mut Self, path: &str| match path.contains('/') || shell.known_file(path).is_some()
        {
            true => Some(shell.read_file(path)).filter(|text| is_program_content(text)),
            false => None,
        };
        let given = Some(self.input.clone()).filter(|text| is_program_content(text));
        let content = given.or_else(|| paths.iter().filter(|_| is_short).find_map(|path| read(self, path)));
        let Some(content) = content else { return };
        self.print(&content);
        let written = paths.iter().filter(|path| program_content(path).is_none());
        for path in written {
            if !self.spend(path.len() / 2) {
                return;
            }
            // `split` adds letters or digits to its prefix; compressed files lose their ending.
            let names = [path.clone(), format!("{path}aa"), format!("{path}00"), without_ending(path)];
            for name in names {
                if self.known_file(&name).is_none() {
                    self.write_file(&name, &content, false);
                }
            }
        }
    }

    /// Copies files, or links to them. The last operand may be a directory.
    fn copy(&mut self, operands: Vec<String>) {
        let last = operands.len().saturating_sub(1);
        // With `-t directory` the first one is the target.
        let targets = if last > 0 { vec![0, last] } else { Vec::new() };
        for at in targets {
            let target = operands.get(at).map(String::as_str).unwrap_or_default();
            for (_, source) in operands.iter().enumerate().filter(|(other, _)| *other != at) {
                if !self.spend((target.len() + source.len()) / 8) {
                    return;
                }
                let directory = target.rsplit_once('/').map_or("", |(directory, _)| directory);
                let beside = format!("{directory}/{source}");
                let text = match source.as_str() {
                    "/dev/stdin" => Some(self.input.clone()),
                    // A link starts from its own directory.
                    _ => self
                        .known_file(source)
                        .or_else(|| self.known_file(beside.trim_start_matches('/')))
                        .or_else(|| program_content(source)),
                };
                let Some(text) = text else { continue };
                let name = source.rsplit('/').next().unwrap_or_default();
                if at > 0 {
                    self.write_file(target, &text, false);
                }
                self.write_file(&format!("{target}/{name}"), &text, false);
            }
        }
    }

    /// The contents of files, or the input if there are none.
    fn inputs(&mut self, paths: &[String]) -> String {
        if paths.is_empty() {
            return std::mem::take(&mut self.input);
        }
        paths.iter().map(|path| self.read_file(path)).collect()
    }

    /// What a program that only changes text prints.
    pub(super) fn filtered(&mut self, name: &str, filter: Filter, arguments: &[String]) -> String {
        let Some(plan) = Self::all_known(arguments).then(|| filter(arguments)).flatten() else {
            self.copy_program(arguments);
            let input = std::mem::take(&mut self.input);
            self.keep_text(input.trim_end_matches('\n').to_owned());
            return unknown();
        };
        let plan = Rc::new(plan);
        let text = match &plan.given {
            Some(text) => text.clone(),
            None => {
                let others = arguments.iter().filter(|word| !plan.files.contains(word)).cloned();
                let words = std::iter::once(name.to_owned()).chain(others).collect();
                self.see_change(words, &Change::Filter(Rc::clone(&plan)));
                self.inputs(&plan.files)
            }
        };
        let setup = if text.is_empty() { 0 } else { plan.setup };
        if !is_known(&text) || !self.afford(text.len() * plan.cost / 8 + setup) {
            return unknown();
        }
        match (plan.change)(&text) {
            Some(changed) => without_marks(&changed),
            // Any part of a program may be the program.
            None if is_program_content(&text) => text,
            None => unknown(),
        }
    }
}

fn without_ending(path: &str) -> String {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem).to_owned()
}

/// Programs that make files and directories, besides those that are followed.
const CREATORS: [&str; 9] = ["cp", "git", "install", "link", "ln", "mkfifo", "mknod", "mv", "truncate"];
/// How many files of a copy are looked at.
const MAX_OPERANDS: usize = 32;
/// How many directories of `PATH` are looked at.
const MAX_DIRECTORIES: usize = 16;
