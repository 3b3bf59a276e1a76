//! `sed` and `grep`, as far as they replace, choose and print lines.

use regex::{Captures, Regex, RegexBuilder};

use super::filter_plan::{Options, Plan};

/// How large a compiled expression may be, in bytes.
const MAX_SIZE: usize = 64 << 10;
/// Longer texts are not followed: an expression may look at each place several times.
const MAX_TEXT: usize = 16 << 10;
/// Longer scripts are not followed.
const MAX_SCRIPT: usize = 512;

enum Edit {
    Replace { pattern: Regex, text: String, is_all: bool, nth: usize },
    Transliterate(Vec<char>, Vec<char>),
    Print,
    Delete,
}

/// An edit, and the line that it is for.
type Addressed = (Option<usize>, Edit);

pub(super) fn sed(arguments: &[String]) -> Option<Plan> {
    let options = Options::read(arguments, "e:nErsu")?;
    let mut operands = options.operands.clone();
    let mut scripts: Vec<String> = options
        .letters
        .iter()
        .filter(|(letter, _)| *letter == 'e')
        .map(|(_, script)| script.clone())
        .collect();
    if scripts.is_empty() {
        if operands.is_empty() {
            return None;
        }
        scripts.push(operands.remove(0));
    }
    let is_extended = options.has('E') || options.has('r');
    let is_quiet = options.has('n');
    let mut edits: Vec<Addressed> = Vec::new();
    for script in &scripts {
        let mut rest = script.trim_start_matches([';', ' ', '\n']);
        while !rest.is_empty() {
            let (edit, after) = edit(rest, is_extended).filter(|_| script.len() <= MAX_SCRIPT)?;
            edits.push(edit);
            rest = after.trim_start();
            rest = if rest.is_empty() {
                rest
            } else {
                rest.strip_prefix([';', '\n'])?.trim_start_matches([';', ' ', '\n'])
            };
        }
    }
    let cost = 8 * (edits.len() + 1);
    let plan = Plan::new(operands, move |text| {
        if text.len() > MAX_TEXT {
            return None;
        }
        let mut done = String::new();
        for (at, line) in text.split_inclusive('\n').enumerate() {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            done.push_str(&edited(line, at + 1, end, (edits.as_slice(), is_quiet)));
        }
        Some(done)
    })?;
    Some(Plan { cost, ..plan })
}

fn edited(line: &str, number: usize, end: &str, (edits, is_quiet): (&[Addressed], bool)) -> String {
    let mut line = line.to_owned();
    let mut printed = String::new();
    for (_, edit) in edits.iter().filter(|(address, _)| address.is_none_or(|at| at == number)) {
        match edit {
            Edit::Replace { pattern, text, is_all, nth } => {
                let mut count = 0;
                let change = |found: &Captures<'_>| {
                    count += 1;
                    let whole = found.get(0).map_or("", |whole| whole.as_str());
                    let is_meant = count == *nth || *is_all && count > *nth;
                    if is_meant { replacement(text, found) } else { whole.to_owned() }
                };
                line = pattern.replace_all(&line, change).into_owned();
            }
            Edit::Transliterate(from, to) => {
                let change =
                    |c: char| from.iter().position(|known| *known == c).and_then(|at| to.get(at)).copied();
                line = line.chars().map(|c| change(c).unwrap_or(c)).collect();
            }
            Edit::Print => printed.extend([line.as_str(), end]),
            Edit::Delete => return printed,
        }
    }
    if is_quiet { printed } else { printed + &line + end }
}

/// `&`, `\1`, `\n`, and `\L`, `\U`, `\E` for the letters behind them.
fn replacement(text: &str, found: &Captures<'_>) -> String {
    let mut done = String::new();
    let mut is_small = None;
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        let part = match c {
            '&' => found.get(0).map_or("", |part| part.as_str()).to_owned(),
            '\\' => match letters.next() {
                Some(digit @ '0'..='9') => {
                    let group = digit.to_digit(10).and_then(|digit| found.get(usize::try_from(digit).ok()?));
                    group.map_or("", |part| part.as_str()).to_owned()
                }
                Some('n') => "\n".into(),
                Some('t') => "\t".into(),
                Some(case @ ('L' | 'U' | 'E')) => {
                    is_small = if case == 'E' { None } else { Some(case == 'L') };
                    String::new()
                }
                other => other.map(String::from).unwrap_or_default(),
            },
            c => c.to_string(),
        };
        done.push_str(&match is_small {
            Some(true) => part.to_lowercase(),
            Some(false) => part.to_uppercase(),
            None => part,
        });
    }
    done
}

/// The first edit of a script, and what follows it. `None` if it is not followed.
fn edit(script: &str, is_extended: bool) -> Option<(Addressed, &str)> {
    let digits = script.find(|c: char| !c.is_ascii_digit())?;
    let address = script.get(..digits)?.parse().ok();
    let command = script.get(digits..)?;
    let letter = command.chars().next()?;
    let rest = command.get(1..)?;
    match letter {
        'p' => return Some(((address, Edit::Print), rest)),
        'd' => return Some(((address, Edit::Delete), rest)),
        's' | 'y' => {}
        _ => return None,
    }
    let delimiter = rest.chars().next()?;
    let rest = rest.get(delimiter.len_utf8()..)?;
    let (one, rest) = part(rest, delimiter)?;
    let (other, rest) = part(rest, delimiter)?;
    if letter == 'y' {
        return Some(((address, Edit::Transliterate(one.chars().collect(), other.chars().collect())), rest));
    }
    let end = rest.find([';', '\n', ' ', '}']).unwrap_or(rest.len());
    let flags = rest.get(..end)?;
    if flags.contains(|c: char| !c.is_ascii_digit() && !"gIi".contains(c)) {
        return None;
    }
    // Other escapes, as `\x72` and `\l`, are not followed.
    let is_followed = |c: char| !c.is_ascii_alphabetic() || "ntLUE".contains(c);
    if !escapes(&other).all(is_followed) {
        return None;
    }
    let pattern = compiled(&one, is_extended, flags.contains(['i', 'I']))?;
    let digits: String = flags.chars().filter(char::is_ascii_digit).collect();
    let nth = digits.parse().unwrap_or(1);
    let edit = Edit::Replace { pattern, text: other, is_all: flags.contains('g'), nth };
    Some(((address, edit), rest.get(end..)?))
}

/// The characters behind backslashes.
fn escapes(text: &str) -> impl Iterator<Item = char> {
    let mut letters = text.chars();
    std::iter::from_fn(move || letters.by_ref().find(|c| *c == '\\').and_then(|_| letters.next()))
}

/// The text up to a delimiter that is not escaped, and what follows it.
fn part(text: &str, delimiter: char) -> Option<(String, &str)> {
    let mut done = String::new();
    let mut letters = text.char_indices();
    while let Some((at, c)) = letters.next() {
        match c {
            c if c == delimiter => return Some((done, text.get(at + c.len_utf8()..)?)),
            '\\' => {
                let (_, next) = letters.next()?;
                if next != delimiter {
                    done.push('\\');
                }
                done.push(next);
            }
            c => done.push(c),
        }
    }
    None
}

/// A pattern of sed or grep as an expression.
fn compiled(pattern: &str, is_extended: bool, ignores_case: bool) -> Option<Regex> {
    let mut expression = String::new();
    let mut letters = pattern.chars();
    let is_special = |c: char| "(){}+?|".contains(c);
    while let Some(c) = letters.next() {
        match c {
            '\\' => match letters.next()? {
                next if is_special(next) && !is_extended => expression.push(next),
                'w' => expression.push_str("[0-9A-Za-z_]"),
                'W' => expression.push_str("[^0-9A-Za-z_]"),
                's' => expression.push_str("[ \\t\\n\\r]"),
                'S' => expression.push_str("[^ \\t\\n\\r]"),
                next @ ('b' | 'n' | 't') => expression.extend(['\\', next]),
                // Others mean something else to sed.
                next if next.is_alphanumeric() || "<>`'".contains(next) => return None,
                next => expression.extend(['\\', next]),
            },
            c if is_special(c) && !is_extended => expression.extend(['\\', c]),
            c => expression.push(c),
        }
    }
    RegexBuilder::new(&expression).size_limit(MAX_SIZE).case_insensitive(ignores_case).build().ok()
}

pub(super) fn grep(arguments: &[String]) -> Option<Plan> {
    let options = Options::read(arguments, "viEoe:haF")?;
    let mut files = options.operands.clone();
    let pattern = match options.value('e') {
        Some(pattern) => pattern.to_owned(),
        None if files.is_empty() => return None,
        None => files.remove(0),
    };
    let has_choice = pattern.contains('|');
    let pattern = if options.has('F') { regex::escape(&pattern) } else { pattern };
    let pattern = compiled(&pattern, options.has('E') || options.has('F'), options.has('i'))?;
    let (is_negated, shows_parts) = (options.has('v'), options.has('o'));
    if shows_parts && has_choice {
        // The longest alternative is taken, not the first.
        return None;
    }
    let plan = Plan::new(files, move |text| {
        if text.len() > MAX_TEXT {
            return None;
        }
        let mut done = String::new();
        for line in text.lines() {
            if shows_parts {
                pattern.find_iter(line).for_each(|part| done.extend([part.as_str(), "\n"]));
            } else if pattern.is_match(line) != is_negated {
                done.extend([line, "\n"]);
            }
        }
        Some(done)
    })?;
    Some(Plan { cost: 16, ..plan })
}
