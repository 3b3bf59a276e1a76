//! Builtins that read the input: `read` and `mapfile`.

use super::fields::{Field, UNKNOWN, is_known, unknown};
use super::filters::Options;
use super::shell::Shell;
use super::variables::numbered;

/// How many lines `mapfile` keeps.
const MAX_LINES: usize = 256;

impl Shell<'_> {
    pub(super) fn read(&mut self, arguments: &[String]) {
        let (mut names, mut is_array, mut end, mut source) = (Vec::new(), false, '\n', None);
        let (mut is_raw, mut count) = (false, None);
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let Some(letters) = word.strip_prefix('-') else {
                names.push(word.clone());
                continue;
            };
            let option = letters.find(['d', 'u', 'p', 'n', 'N', 't', 'i']);
            let (flags, option) =
                letters.split_at_checked(option.unwrap_or(letters.len())).unwrap_or_default();
            is_array |= flags.contains('a');
            is_raw |= flags.contains('r');
            let mut inside = option.chars();
            let Some(letter) = inside.next() else { continue };
            let inside = inside.as_str();
            let next = if inside.is_empty() { words.next().map(String::as_str) } else { Some(inside) };
            let value = next.unwrap_or_default();
            match letter {
                'd' => end = value.chars().next().unwrap_or(UNKNOWN),
                'u' => source = value.parse::<u32>().ok(),
                'n' | 'N' => count = value.parse::<usize>().ok(),
                _ => {}
            }
        }
        let opened = source.and_then(|number| self.descriptors.remove(&number));
        let before = opened.map(|text| std::mem::replace(&mut self.input, text));
        let line = match count {
            Some(count) => self.letters(count, end),
            None => self.line(end),
        };
        let line = line.map(|line| if is_raw { line } else { line.replace('\\', "") });
        if let (Some(before), Some(number)) = (before, source) {
            let rest = std::mem::replace(&mut self.input, before);
            self.descriptors.insert(number, rest);
        }
        self.status = match &line {
            Some(line) => is_known(line).then_some(true),
            None => Some(false),
        };
        names.iter().for_each(|name| self.follow_subscript(name));
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

    /// `mapfile -t -O 1 -s 1 -n 2 -u 3 -d , -c 1 -C callback name`
    pub(super) fn mapfile(&mut self, arguments: &[String]) {
        let Some((options, operands)) = Options::up_to_operand(arguments, "d:n:O:s:tu:C:c:", &[], false)
        else {
            return;
        };
        let name = operands.first().cloned().unwrap_or_else(|| "MAPFILE".into());
        let number = |letter: char| options.value(letter).map(|text| text.trim().parse::<usize>());
        let numbers = ['n', 'O', 's', 'c'].map(|letter| number(letter).transpose());
        let [Ok(most), Ok(origin), Ok(skipped), Ok(quantum)] = numbers else {
            return self.variables_mut().set(&name, unknown());
        };
        let most = most.filter(|most| *most > 0).unwrap_or(MAX_LINES);
        let skipped = skipped.unwrap_or_default();
        let end = options.value('d').map_or('\n', |text| text.chars().next().unwrap_or(UNKNOWN));
        let source = options.value('u').and_then(|number| number.parse::<u32>().ok());
        let opened = source.and_then(|number| self.descriptors.remove(&number));
        let before = opened.map(|text| std::mem::replace(&mut self.input, text));
        let mut lines = Vec::new();
        while lines.len() < MAX_LINES.min(most.saturating_add(skipped)) {
            let has_end = self.input.contains(end);
            let Some(mut line) = self.line(end) else { break };
            if !options.has('t') && has_end {
                line.push(end);
            }
            lines.push(line);
        }
        if let (Some(before), Some(number)) = (before, source) {
            let rest = std::mem::replace(&mut self.input, before);
            self.descriptors.insert(number, rest);
        }
        let lines: Vec<String> = lines.into_iter().skip(skipped).collect();
        // With an origin, the elements before are kept.
        match origin {
            None => self.variables_mut().set_all(&name, numbered(lines.clone())),
            Some(origin) if self.spend(lines.len() * (lines.len() + origin.min(MAX_LINES))) => {
                for (at, line) in lines.iter().enumerate() {
                    let key = origin.saturating_add(at).to_string();
                    self.variables_mut().set_element(&name, &key, line.clone());
                }
            }
            Some(_) => {}
        }
        if let Some(callback) = options.value('C').map(str::to_owned) {
            self.call_back(&callback, &lines, origin.unwrap_or_default(), quantum.unwrap_or(1).max(1));
        }
    }

    /// Follows the callback of `mapfile`, with the index and the line as further arguments.
    fn call_back(&mut self, callback: &str, lines: &[String], origin: usize, quantum: usize) {
        for (at, line) in lines.iter().enumerate().filter(|(at, _)| (at + 1) % quantum == 0) {
            let words = [Field::new(origin.saturating_add(at).to_string()), Field::new(line.clone())];
            let words = super::fields::command_text(&words);
            self.run_text(&format!("{callback} {words}"));
        }
    }
}
