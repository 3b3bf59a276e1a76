//! `history` and `fc -s`.

use super::history::MAX_EVENTS;
use super::shell::Shell;

impl Shell<'_> {
    /// Keeps the lines of a text that uses the history.
    pub(super) fn keep_events(&mut self, text: &str) {
        if text.contains("fc") || text.contains("history") {
            self.events.extend(text.lines().take(MAX_EVENTS).map(str::to_owned));
        }
    }

    /// `history -s words`, `history -r file`
    pub(super) fn history(&mut self, arguments: &[String]) {
        let Some((option, rest)) = arguments.split_first() else { return };
        match option.as_str() {
            "-s" => self.events.push(rest.join(" ")),
            "-r" | "-n" => {
                let path = rest.first().cloned();
                let path = path.or_else(|| self.variables().text("HISTFILE").map(str::to_owned));
                let text = path.map(|path| self.read_file(&path)).unwrap_or_default();
                self.events.extend(text.lines().take(MAX_EVENTS).map(str::to_owned));
            }
            _ => {}
        }
    }

    /// `fc -s old=new command`: any command of the text may be meant.
    pub(super) fn fix_command(&mut self, arguments: &[String]) {
        let runs = arguments.iter().any(|word| word.starts_with('-') && word.contains(['s', 'e']));
        if !runs {
            return;
        }
        let operands: Vec<&String> = arguments.iter().filter(|word| !word.starts_with('-')).collect();
        let (changes, names): (Vec<&String>, Vec<&String>) =
            operands.into_iter().partition(|word| word.contains('='));
        let is_number = |name: &str| name.chars().all(|c| c.is_ascii_digit());
        let name = names.first().filter(|name| !is_number(name)).map(|name| name.as_str());
        let events: Vec<String> = self.events.iter().rev().take(MAX_EVENTS).cloned().collect();
        for event in events {
            // A command that repeats itself ends nowhere.
            if event.contains("fc ") || !name.is_none_or(|name| event.starts_with(name)) {
                continue;
            }
            let changed = changes.iter().filter_map(|change| change.split_once('='));
            let event = changed.fold(event, |event, (old, new)| event.replace(old, new));
            self.in_subshell(|shell| shell.run_text(&event));
        }
    }
}
