//! What `printf` and `echo` print.

use super::super::shell_text::unescaped;
use super::arithmetic::number;
use super::fields::{UNKNOWN, unknown};

/// Longer widths are not followed.
const MAX_WIDTH: usize = 1 << 16;
/// Longer texts are not kept.
const MAX_PRINTED: usize = 1 << 17;
/// How often a format is used for further arguments.
const MAX_ROUNDS: usize = 4096;

/// The text that `printf` prints.
pub(super) fn formatted(format: &str, arguments: &[String]) -> String {
    let mut printed = String::new();
    let mut arguments = arguments.iter();
    for _ in 0..MAX_ROUNDS {
        let left = arguments.len();
        let is_ended = format_once(format, &mut arguments, &mut printed);
        if printed.len() > MAX_PRINTED {
            return unknown();
        }
        if is_ended || arguments.len() == 0 || arguments.len() == left {
            break;
        }
    }
    printed
}

/// Whether `\c` ended the output.
fn format_once<'a>(
    format: &str,
    arguments: &mut impl Iterator<Item = &'a String>,
    printed: &mut String,
) -> bool {
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        printed.push_str(&unescaped(before));
        if let Some(after) = after.strip_prefix('%') {
            printed.push('%');
            rest = after;
            continue;
        }
        if let Some(after) = after.strip_prefix('(') {
            // `%(…)T` prints the time, in a format that may be only text.
            let (time, left) = after.split_once(")T").unwrap_or(("%", ""));
            printed.push_str(&if time.is_empty() || time.contains('%') {
                unknown()
            } else {
                time.to_owned()
            });
            rest = left;
            continue;
        }
        // `%ld` is `%d`.
        let is_conversion = |c: char| c.is_ascii_alphabetic() && !"hlLjzt".contains(c);
        let Some(end) = after.find(is_conversion) else {
            rest = after;
            continue;
        };
        let (options, conversion) = after.split_at_checked(end).unwrap_or_default();
        let mut letters = conversion.chars();
        let letter = letters.next().unwrap_or('s');
        let mut widths = String::new();
        for c in options.trim_end_matches(['h', 'l', 'L', 'j', 'z', 't']).chars() {
            match c {
                '*' => {
                    let width = arguments.next().and_then(|width| width.parse::<i32>().ok());
                    widths.push_str(&width.unwrap_or_default().to_string());
                }
                c => widths.push(c),
            }
        }
        let argument = arguments.next().map_or("", String::as_str);
        let (text, is_ended) = converted(letter, argument);
        printed.push_str(&padded(&text, &widths));
        if is_ended {
            return true;
        }
        rest = letters.as_str();
    }
    printed.push_str(&unescaped(rest));
    false
}

fn converted(letter: char, argument: &str) -> (String, bool) {
    let value = || match argument.strip_prefix(['\'', '"']) {
        Some(letter) => letter.chars().next().map(|c| i64::from(u32::from(c))),
        None if argument.is_empty() => Some(0),
        None => number(argument),
    };
    let shown = |show: &dyn Fn(i64) -> String| {
        if argument.contains(UNKNOWN) { unknown() } else { value().map_or_else(|| "0".into(), show) }
    };
    let text = match letter {
        'd' | 'i' | 'u' => shown(&|number| number.to_string()),
        'x' => shown(&|number| format!("{number:x}")),
        'X' => shown(&|number| format!("{number:X}")),
        'o' => shown(&|number| format!("{number:o}")),
        _ if argument.contains(UNKNOWN) => unknown(),
        'c' => argument.chars().take(1).collect(),
        'b' => return escaped(argument),
        's' | 'q' => argument.to_owned(),
        _ => unknown(),
    };
    (text, false)
}

fn padded(text: &str, options: &str) -> String {
    let (width, precision) = options.split_once('.').map_or((options, None), |(width, of)| (width, Some(of)));
    let kept = precision.map(|precision| precision.parse().unwrap_or(0)).filter(|_| !text.contains(UNKNOWN));
    let text: String = text.chars().take(kept.unwrap_or(usize::MAX)).collect();
    let digits = width.trim_start_matches(['-', '+', ' ', '#', '0', '\'']);
    let width_wanted = digits.parse::<usize>().unwrap_or(0);
    if width_wanted > MAX_WIDTH || text.contains(UNKNOWN) && width_wanted > 0 {
        return unknown();
    }
    let missing = width_wanted.saturating_sub(text.chars().count());
    let (is_left, is_zero) = (width.starts_with('-'), width.starts_with('0'));
    match (is_left, is_zero) {
        (true, _) => text + &" ".repeat(missing),
        (false, true) => "0".repeat(missing) + &text,
        (false, false) => " ".repeat(missing) + &text,
    }
}

/// The text that `echo` prints.
pub(super) fn echoed(arguments: &[String]) -> String {
    let is_option = |word: &&String| {
        word.strip_prefix('-')
            .is_some_and(|letters| !letters.is_empty() && letters.chars().all(|c| "neE".contains(c)))
    };
    let options: String = arguments.iter().take_while(is_option).map(String::as_str).collect();
    let count = arguments.iter().take_while(is_option).count();
    let text = arguments.get(count..).unwrap_or_default().join(" ");
    let last = options.chars().rfind(|c| "eE".contains(*c));
    let (mut text, is_ended) = if last == Some('e') { escaped(&text) } else { (text, false) };
    if !options.contains('n') && !is_ended {
        text.push('\n');
    }
    text
}

/// The text with its escapes resolved, and whether `\c` ended it. An octal number may begin with a zero more.
fn escaped(text: &str) -> (String, bool) {
    let (text, is_ended) = text.split_once("\\c").map_or((text, false), |(text, _)| (text, true));
    let mut plain = text.to_owned();
    for digit in '0'..='7' {
        plain = plain.replace(&format!("\\0{digit}"), &format!("\\{digit}"));
    }
    (unescaped(&plain), is_ended)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results are those of bash.
    #[test]
    fn printf_prints_as_bash_does() {
        for (words, expected) in [
            (&["rm"][..], "rm"),
            (&["%s ", "rm", "-rf", "x"], "rm -rf x "),
            (&["%s -rf x", "rm"], "rm -rf x"),
            (&["%b", "\\162m"], "rm"),
            (&["%b", "\\0162m\\cx"], "rm"),
            (&["%s%%%s", "a"], "a%"),
            (&["%o", "114"], "162"),
            (&["%d", "'r"], "114"),
            (&["%.2s", "rmx"], "rm"),
            (&["%5s|%-4s|%03d", "a", "b", "7"], "    a|b   |007"),
            (&["%*s", "3", "a"], "  a"),
            (&["%c%c", "rx", "mx"], "rm"),
            (&["\\x72m\\n"], "rm\n"),
            (&["%"], ""),
        ] {
            let arguments: Vec<String> = words.iter().skip(1).map(ToString::to_string).collect();
            assert_eq!(formatted(words[0], &arguments), expected, "{words:?}");
        }
        formatted("%s", &vec![String::new(); 100_000]);
    }

    #[test]
    fn echo_prints_as_bash_does() {
        for (words, expected) in [
            (&["a", "b"][..], "a b\n"),
            (&["-n", "a"], "a"),
            (&["-ne", "\\x72m"], "rm"),
            (&["-e", "a\\cb"], "a"),
            (&["-x", "a"], "-x a\n"),
            (&["\\x72"], "\\x72\n"),
            (&["-e", "\\0162"], "r\n"),
            (&[], "\n"),
        ] {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            assert_eq!(echoed(&words), expected, "{words:?}");
        }
    }
}
