//! Secrets in arguments of listed programs, under a short flag or without a flag.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::byte_scan::{at, before, has, part, quote, run, starts_any_case};
use super::command_word_cache::CommandWordCache;
use super::detection::Detection;
use super::http_header::pairs;
use super::non_secret;
use super::program_rule::{Program, SecretPart, SecretPosition, SecretRule};
use super::program_table::PROGRAMS;
use super::random_looking_value;
use super::secret_name;
use super::shell_words::bare;

/// `mysql -psecret`, `sshpass -p secret`, `docker login -p secret`
pub(super) fn password(bytes: &[u8], hit: Range<usize>, commands: &mut CommandWordCache) -> Detection {
    let Some((name, end)) = program_word(bytes, &hit) else { return Detection::NOTHING };
    let Some(program) = named(name) else { return Detection::NOTHING };
    let words = commands.words(bytes, end);
    let new = commands.new_words(program, &words);
    let text = |index: usize| words.ranges.get(index).map(|word| part(bytes, word.start, word.end));
    let mut found = Vec::new();
    for rule in program.rules.iter().filter(|rule| is_local(rule)) {
        for index in &new {
            let Some(word) = text(*index) else { continue };
            found.extend(
                beside(program, rule, *index, word, text(index + 1))
                    .and_then(|(place, range)| cut(rule, place, text(place)?, range)),
            );
        }
    }
    if program.rules.iter().any(|rule| !is_local(rule)) {
        let texts: Vec<&[u8]> = (0..words.ranges.len()).filter_map(text).collect();
        let others = program.rules.iter().filter(|rule| !is_local(rule));
        found.extend(others.flat_map(|rule| by_rule(program, rule, &texts)));
    }
    let found = found
        .into_iter()
        .filter_map(|(index, range)| {
            let start = words.ranges.get(index)?.start;
            Some(bare(bytes, start + range.start..start + range.end))
        })
        .filter(|value| is_secret(bytes, value))
        .collect();
    Detection::Secrets(found)
}

/// `curl -b name=secret`
pub(super) fn cookie(bytes: &[u8], hit: Range<usize>, commands: &mut CommandWordCache) -> Detection {
    let Some((b"curl", end)) = program_word(bytes, &hit) else { return Detection::NOTHING };
    let words = commands.words(bytes, end).ranges;
    let value = words
        .iter()
        .zip(words.iter().skip(1))
        .find(|(flag, _)| part(bytes, flag.start, flag.end) == b"-b")
        .and_then(|(_, value)| pairs(bytes, value.start));
    value.map_or(Detection::NOTHING, Detection::Secret)
}

/// The program with this name, with or without a path.
pub(super) fn named(name: &[u8]) -> Option<&'static Program> {
    let base = name.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or(name);
    let lower = base.to_ascii_lowercase();
    let stem = lower.strip_suffix(b".exe").unwrap_or(&lower);
    BY_NAME.get(stem).copied()
}

static BY_NAME: LazyLock<HashMap<Vec<u8>, &'static Program>> = LazyLock::new(|| {
    let mut programs = HashMap::new();
    for program in PROGRAMS {
        programs.entry(program.name.to_ascii_lowercase().into_bytes()).or_insert(program);
    }
    programs
});

/// The whole word around the hit, if it can be a program, and its end.
pub(super) fn program_word<'t>(bytes: &'t [u8], hit: &Range<usize>) -> Option<(&'t [u8], usize)> {
    let left = before(bytes, hit.start);
    let left = if is_recipe(bytes, hit.start) { b'\t' } else { left };
    if left.is_ascii_alphanumeric()
        || matches!(left, b'-' | b'_' | b'.' | b'$' | b'@' | b':' | b'=')
        || left >= 0x80
    {
        return None;
    }
    let end =
        run(bytes, hit.end, 32, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let follows = at(bytes, end);
    let stands = matches!(follows, b' ' | b'\t') || quote(bytes, end).is_some() || follows == b'\\';
    stands.then(|| (part(bytes, hit.start, end), end))
}

/// `\t@mysql`, `\t-mysql`: whether the characters before the program are those of a makefile recipe.
fn is_recipe(bytes: &[u8], start: usize) -> bool {
    let left = part(bytes, start.saturating_sub(4), start);
    let signs = left.iter().rev().take_while(|byte| matches!(byte, b'@' | b'-' | b'+')).count();
    signs > 0 && before(bytes, start - signs) == b'\t'
}

/// Which words contain a secret, and which part of them.
pub(super) fn secrets(program: &Program, words: &[&[u8]]) -> Vec<(usize, Range<usize>)> {
    program.rules.iter().flat_map(|rule| by_rule(program, rule, words)).collect()
}

fn by_rule(program: &Program, rule: &SecretRule, words: &[&[u8]]) -> Vec<(usize, Range<usize>)> {
    let Some(from) = after(rule, words) else { return Vec::new() };
    let places = places(program, rule, words, from).into_iter();
    places.filter_map(|(index, range)| cut(rule, index, words.get(index)?, range)).collect()
}

/// The secret part of a range of a word.
fn cut(rule: &SecretRule, index: usize, word: &[u8], range: Range<usize>) -> Option<(usize, Range<usize>)> {
    let inner = secret_part(&rule.part, word.get(range.clone()).unwrap_or_default())?;
    Some((index, range.start + inner.start..range.start + inner.end))
}

/// Whether the rule looks only at a word and the next one.
fn is_local(rule: &SecretRule) -> bool {
    rule.after.is_empty()
        && matches!(rule.place, SecretPosition::Flag(_) | SecretPosition::Apart(_) | SecretPosition::Glued(_))
}

/// The value that a flag in this word takes, here or in the next word.
fn beside(
    program: &Program,
    rule: &SecretRule,
    index: usize,
    word: &[u8],
    next: Option<&[u8]>,
) -> Option<(usize, Range<usize>)> {
    let start = match &rule.place {
        SecretPosition::Flag(flags) => under(program, flags, word, true)?,
        SecretPosition::Apart(flags) => under(program, flags, word, false)?,
        SecretPosition::Glued(flags) => {
            // Programs of Windows accept `/P:` and `/p:`.
            let flag = flags.iter().find(|flag| {
                word.starts_with(flag.as_bytes()) || (flag.starts_with('/') && starts_any_case(word, 0, flag))
            })?;
            return (word.len() > flag.len()).then_some((index, flag.len()..word.len()));
        }
        SecretPosition::Next
        | SecretPosition::Word(_)
        | SecretPosition::Adjacent(_)
        | SecretPosition::Words
        | SecretPosition::Last
        | SecretPosition::Named
        | SecretPosition::Pair(_) => return None,
    };
    match start {
        0 => next.map(|next| (index + 1, 0..next.len())),
        start => Some((index, start..word.len())),
    }
}

/// Where the words that the rule requires end.
fn after(rule: &SecretRule, words: &[&[u8]]) -> Option<usize> {
    let mut from = 0;
    for wanted in rule.after {
        from += words.iter().skip(from).position(|word| is_wanted(word, wanted))? + 1;
    }
    Some(from)
}

fn is_wanted(word: &[u8], wanted: &str) -> bool {
    if let Some(letter) = wanted.strip_prefix("-?") {
        let bundle = word.strip_prefix(b"-").unwrap_or_default();
        return bundle.len() <= 6 && letter.bytes().all(|letter| bundle.contains(&letter));
    }
    if let Some(end) = wanted.strip_prefix('*') {
        return word.len().checked_sub(end.len()).is_some_and(|at| starts_any_case(word, at, end));
    }
    match wanted.strip_suffix('*') {
        Some(prefix) => starts_any_case(word, 0, prefix),
        None => word.eq_ignore_ascii_case(wanted.as_bytes()),
    }
}

fn places(program: &Program, rule: &SecretRule, words: &[&[u8]], from: usize) -> Vec<(usize, Range<usize>)> {
    let later = || words.iter().enumerate().skip(from);
    let is_value = |index: usize| {
        let flag = index.checked_sub(1).and_then(|flag| words.get(flag));
        flag.is_some_and(|flag| program.valued.iter().any(|valued| *flag == valued.as_bytes()))
    };
    let plain = || {
        let words = later().filter(|(index, word)| !is_flag(program, word) && !is_value(*index));
        words.map(|(index, word)| (index, 0..word.len()))
    };
    let next = |index: usize| words.get(index + 1).map(|word| (index + 1, 0..word.len()));
    match &rule.place {
        SecretPosition::Flag(_) | SecretPosition::Apart(_) | SecretPosition::Glued(_) => later()
            .filter_map(|(index, word)| beside(program, rule, index, word, words.get(index + 1).copied()))
            .collect(),
        SecretPosition::Next => later()
            .take(1)
            .filter(|(_, word)| !is_flag(program, word))
            .map(|(i, word)| (i, 0..word.len()))
            .collect(),
        SecretPosition::Word(count) => plain().nth(count.saturating_sub(1)).into_iter().collect(),
        SecretPosition::Adjacent(count) => later()
            .take_while(|(_, word)| !is_flag(program, word))
            .nth(count.saturating_sub(1))
            .map(|(index, word)| (index, 0..word.len()))
            .into_iter()
            .collect(),
        SecretPosition::Words => plain().collect(),
        SecretPosition::Last => plain().next_back().into_iter().collect(),
        SecretPosition::Named => later()
            .filter(|(_, word)| !word.starts_with(b"-") && !word.contains(&b'=') && secret_name::secret(word))
            .filter_map(|(index, _)| next(index))
            .collect(),
        SecretPosition::Pair(flags) => later()
            .filter(|(index, word)| {
                let name = words.get(index + 1).copied().unwrap_or_default();
                let is_short = name.eq_ignore_ascii_case(b"pw") || name.eq_ignore_ascii_case(b"pass");
                flags.iter().any(|flag| **word == flag.as_bytes()) && (is_short || secret_name::secret(name))
            })
            .filter_map(|(index, _)| next(index + 1))
            .collect(),
    }
}

/// Where the value of the flag starts in this word; 0 if it is the next word.
fn under(program: &Program, flags: &[&str], word: &[u8], glues: bool) -> Option<usize> {
    flags.iter().find_map(|flag| {
        let name = flag.as_bytes();
        if word == name {
            return Some(0);
        }
        if let Some(rest) = word.strip_prefix(name)
            && rest.first() == Some(&b'=')
        {
            return Some(name.len() + 1);
        }
        let [b'-', letter] = name else { return None };
        if *letter == b'-' {
            return None;
        }
        if glues && word.starts_with(name) && !is_long_flag(word) {
            return Some(name.len());
        }
        let (last, switches) = word.strip_prefix(b"-")?.split_last()?;
        (last == letter && switches.iter().all(|switch| program.switches.as_bytes().contains(switch)))
            .then_some(0)
    })
}

/// `-password` is a flag of its own, not `-p` with a value.
fn is_long_flag(word: &[u8]) -> bool {
    word.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'-') && secret_name::secret(word)
}

fn is_flag(program: &Program, word: &[u8]) -> bool {
    word.starts_with(b"-") || (word.starts_with(b"/") && program.switches.contains('/'))
}

fn secret_part(place: &SecretPart, text: &[u8]) -> Option<Range<usize>> {
    let whole = 0..text.len();
    match place {
        SecretPart::Past(b'=') if is_public(text) => None,
        SecretPart::Whole => (!text.starts_with(b"-")).then_some(whole),
        SecretPart::Past(sign) => {
            let masked =
                if text.starts_with(b"[masked:") { text.iter().position(|byte| *byte == b']')? } else { 0 };
            let user = masked + text.iter().skip(masked).take_while(|byte| *byte != sign).count();
            if has(text, "://") || text.get(user + 1) == Some(&b'@') {
                return None;
            }
            let fills = [&b""[..], b"x", b"X", b"api_token", b"x-oauth-basic", b"unused"];
            // A token as the user, and a meaningless password.
            if fills.contains(&part(text, user + 1, text.len()))
                && random_looking_value::value(part(text, 0, user))
            {
                return Some(0..user);
            }
            (user < text.len()).then_some(user + 1..text.len())
        }
        SecretPart::PastLast(sign) => {
            let start = text.iter().rposition(|byte| byte == sign)? + 1;
            (start < text.len()).then_some(start..text.len())
        }
        SecretPart::Prefixed(prefix) => starts_any_case(text, 0, prefix).then_some(prefix.len()..text.len()),
        SecretPart::Userinfo => {
            let start = text.iter().position(|byte| *byte == b':')? + 1;
            let end = text.iter().rposition(|byte| *byte == b'@')?;
            (start < end).then_some(start..end)
        }
        SecretPart::Member(opens, prefix) => {
            let mut start = starts_any_case(text, 0, opens).then_some(opens.len())?;
            for member in part(text, start, text.len()).split(|byte| *byte == b',') {
                if starts_any_case(member, 0, prefix) && member.len() > prefix.len() {
                    return Some(start + prefix.len()..start + member.len());
                }
                start += member.len() + 1;
            }
            None
        }
        SecretPart::Slashed => {
            let start = text.iter().position(|byte| *byte == b'/')? + 1;
            let end = text.iter().position(|byte| *byte == b'@').unwrap_or(text.len());
            let is_path = matches!(text.first(), Some(b'.' | b'@' | b'~'))
                || (!text.contains(&b'@') && non_secret::script(text));
            (start > 1 && start < end && !is_path).then_some(start..end)
        }
    }
}

/// Names of values beside a secret that are not secret themselves.
const PUBLIC: &[&str] = &[
    "username",
    "user",
    "user_name",
    "login",
    "email",
    "host",
    "hostname",
    "port",
    "region",
    "database",
    "dbname",
    "environment",
    "ttl",
];

/// `username=app`: a value that is not secret.
fn is_public(pair: &[u8]) -> bool {
    let name = part(pair, 0, run(pair, 0, 32, |byte| byte != b'='));
    PUBLIC.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

fn is_secret(bytes: &[u8], value: &Range<usize>) -> bool {
    let text = part(bytes, value.start, value.end);
    let mark = if before(bytes, value.start) == b'\'' { b'\'' } else { 0 };
    // `aws … --secret-string file://secret.json`
    let is_file = starts_any_case(text, 0, "file://") || starts_any_case(text, 0, "fileb://");
    !text.is_empty()
        && !is_file
        && !non_secret::reference(text, mark)
        && !non_secret::placeholder(text)
        && !non_secret::prose(text)
}
