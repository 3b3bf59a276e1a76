//! The words of `ps`: options with one dash, with two, and without any, in one command.
//!
//! Without a dash, `e` shows the environment of every process. The same letter after a dash selects all processes, but
//! if any word does not parse, `ps` reads all of them again as if they had no dash. So only words that certainly parse
//! are accepted.

use super::arguments::is_literal;
use super::command_profile::{Obstacle, ObstacleCode};
use super::detail_code::Detail;
use crate::word::Word;

/// Letters after a dash.
const FLAGS: &str = "AadefFHjlLMNPTwyc";
/// Letters after a dash whose value is the next word: a list of numbers or names.
const LISTS: &str = "CGgpqstuU";
/// Letters without a dash.
const BARE: &str = "acfghjlmnrsuvwxTXZ";
const LONG: [&str; 7] =
    ["forest", "no-headers", "no-heading", "headers", "deselect", "version", "cumulative"];
/// Long options with a list or a number.
const LONG_VALUED: [&str; 14] = [
    "pid",
    "ppid",
    "user",
    "User",
    "group",
    "Group",
    "tty",
    "sid",
    "quick-pid",
    "cols",
    "columns",
    "width",
    "rows",
    "lines",
];
/// Columns. None of them shows the environment.
const FIELDS: &str = "pid ppid pgid pgrp sid sess tid lwp nlwp spid user uid ruser ruid euser euid group gid egid rgid comm ucmd \
                      ucomm cmd command args fname exe etime etimes time times cputime bsdtime start start_time lstart \
                      bsdstart stime stat state s f flags pcpu pmem %cpu %mem c cp rss rssize rsz vsz vsize sz size drs trs \
                      nice ni pri psr priority policy cls class tty tt tname wchan maj_flt min_flt majflt minflt pss uss \
                      thcount ppid cgroup";

/// Checks the words of a `ps` command.
pub(super) fn check_words(words: &[Word]) -> Result<(), Obstacle> {
    let refuse = |at: usize| Err(Obstacle::new(at, ObstacleCode::Option, Detail::ShowsEnvironment));
    let mut at = 1;
    while let Some(word) = words.get(at) {
        if !is_literal(word) {
            return refuse(at);
        }
        let next = words.get(at + 1).filter(|word| is_literal(word)).map(Word::prefix);
        let Some(taken) = taken(word.prefix(), next) else { return refuse(at) };
        at += taken;
    }
    Ok(())
}

/// The number of words that an option takes, if it is known.
fn taken(word: &str, next: Option<&str>) -> Option<usize> {
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        if value.is_none() && LONG.contains(&name) {
            return Some(1);
        }
        let (value, taken) = match value {
            Some(value) => (value, 1),
            None => (next?, 2),
        };
        let fits = match name {
            "format" => are_fields(value),
            "sort" => is_order(value),
            _ => LONG_VALUED.contains(&name) && is_list(value),
        };
        return fits.then_some(taken);
    }
    if let Some(letters) = word.strip_prefix('-') {
        return valued(letters, FLAGS, next);
    }
    if !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || c == ',') {
        return Some(1);
    }
    valued(word, BARE, next)
}

/// Letters without a value, of which the last may have one: a list, or columns.
fn valued(letters: &str, flags: &str, next: Option<&str>) -> Option<usize> {
    let last = letters.chars().last()?;
    let others = letters.strip_suffix(last)?;
    if !others.chars().all(|c| flags.contains(c)) {
        return None;
    }
    match last {
        _ if flags.contains(last) => Some(1),
        'o' | 'O' => are_fields(next?).then_some(2),
        'k' if flags == BARE => is_order(next?).then_some(2),
        'p' => is_list(next?).then_some(2),
        _ if flags == FLAGS && LISTS.contains(last) => is_list(next?).then_some(2),
        _ => None,
    }
}

/// `pid,cmd=` and similar. A header (`pid=NAME`) extends to the end.
fn are_fields(text: &str) -> bool {
    let is_field = |field: &str| {
        let (name, header) = field.split_once('=').map_or((field, ""), |(name, header)| (name, header));
        let name = name.split(':').next().unwrap_or_default();
        FIELDS.split_whitespace().any(|known| known == name)
            && header.chars().all(|c| c.is_ascii_alphanumeric())
    };
    !text.is_empty() && text.split([',', ' ']).all(is_field)
}

/// `-%cpu,+pid`
fn is_order(text: &str) -> bool {
    let bare = |field: &str| field.trim_start_matches(['-', '+']).to_owned();
    text.split(',').all(|field| are_fields(&bare(field)) && !field.contains('='))
}

fn is_list(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_,./".contains(c) || c == '-';
    !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::Span;

    fn lists(command: &str) -> bool {
        let span = Span { start: 0, end: 0 };
        let words: Vec<Word> = command.split(' ').map(|word| Word::new(span, word)).collect();
        check_words(&words).is_ok()
    }

    #[test]
    fn words_that_list_processes() {
        for command in [
            "ps",
            "ps aux",
            "ps auxww",
            "ps axf",
            "ps -ef",
            "ps -e -f",
            "ps -p 12",
            "ps -p 1,2 -o pid,ppid,cmd",
            "ps -eo pid,comm,%mem --sort=-%mem",
            "ps axo pid,cmd",
            "ps -C node -o pid=",
            "ps --ppid 1 --no-headers",
            "ps -u root",
            "ps 123",
            "ps aux --sort -rss",
        ] {
            assert!(lists(command), "{command}");
        }
    }

    #[test]
    fn words_that_may_show_the_environment() {
        for command in [
            "ps e",
            "ps auxe",
            "ps eww",
            "ps -aeux",
            "ps -axe",
            "ps -ex",
            "ps -efx",
            "ps -E",
            "ps -e -x",
            "ps -o environ",
            "ps -eo pid,environ",
            "ps -e -u",
            "ps -e -Z",
            "ps e1",
            "ps -p",
            "ps --foo",
            "ps -eu root,",
            "ps E",
            "ps ae",
        ] {
            // A list may end with a comma: `ps` then fails and prints nothing.
            assert!(!lists(command) || command.ends_with(','), "{command}");
        }
    }
}
