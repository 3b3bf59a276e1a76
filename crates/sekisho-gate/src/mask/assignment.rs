//! Values assigned to a secret's name: `FOO_TOKEN=…`, `"api_key": "…"`, `--password …`, `token: …`,
//! `<password>…</password>`.
//!
//! The more certain the form, the less is required of the value. After `NAME=` or in quotes, any value
//! counts. After a bare colon, as in prose and type annotations, the value must be alone on its line or
//! look generated.

use std::ops::Range;

use super::base64_decode;
use super::byte_scan::{at, before, blanks, is_visible, mixed, part, quote, run, starts};
use super::connection_string;
use super::default_value;
use super::detection::Detection;
use super::function_calls;
use super::nearby_value;
use super::non_secret;
use super::prose;
use super::random_looking_value;
use super::secret_name::{self, NameHint};
use super::setting_command;
use super::shell_value;
use super::shell_words;
use super::text_table;
use super::tuple_assignment;
use super::value_after_blank;
use super::value_before_name;
use super::value_end;
use super::value_in_block;

/// The maximum length of a name, in bytes.
const REACH: usize = 64;
/// A quote that does not close within this many bytes does not count as one.
const QUOTED: usize = 4096;
/// No word of prose or code is longer. Also limits how far the checks that rule a value out look ahead, so
/// that the same text is not scanned repeatedly.
const MAX_LENGTH: usize = 256;

/// The colon of Chinese and Japanese text.
const WIDE_COLON: &[u8] = "：".as_bytes();

/// Particles that join a name to its value in Japanese, Korean and Chinese.
const PARTICLES: &[&str] = &["は", "が", "는", "은", "是", "为", "為"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum AssignmentForm {
    /// `NAME=value`, `"name": value`.
    Sure,
    /// `--name value`
    Flag,
    /// `name: value`, `name = value`
    Loose,
    /// `name value`
    Near,
}

pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Detection {
    value(bytes, hit).map_or(Detection::NOTHING, Detection::Secret)
}

fn value(bytes: &[u8], hit: Range<usize>) -> Option<Range<usize>> {
    let named = name_around(bytes, &hit)?;
    let named = default_value::short_name(bytes, &named).unwrap_or(named);
    let name = part(bytes, named.start, named.end);
    let hint = hint_in_context(bytes, &named, name);
    // The URL detector handles the user part of a URL.
    if hint == NameHint::Nothing || part(bytes, 0, named.start).ends_with(b"://") {
        return None;
    }
    if hint == NameHint::Secret
        && let Some(found) = elsewhere(bytes, &named)
    {
        return found;
    }
    let (form, from) = separator(bytes, &named).or_else(|| near(bytes, &named, hint))?;
    let (form, from) =
        nearby_value::typed(bytes, from).map_or((form, from), |value| (AssignmentForm::Sure, value));
    let (form, from) = match function_calls::converted(bytes, from) {
        Some(text) if hint == NameHint::Secret => (AssignmentForm::Sure, text),
        _ => (form, from),
    };
    if starts(bytes, from, b"${") {
        return default_value::expansion(bytes, from).and_then(|range| real(bytes, range, 0));
    }
    if quote(bytes, from).is_some() {
        return quoted(bytes, &named, hint, form, from);
    }
    if connection_string::starts_here(bytes, name, from, None) {
        return None;
    }
    let from = if starts(bytes, from, b"<%=") { blanks(bytes, from + 3) } else { from };
    let from = inside(bytes, hint, form, listed(bytes, form, from));
    let bare = from..shell_value::bare_end(bytes, from);
    if let Some(found) = wider(bytes, &named, hint, form, &bare) {
        return found;
    }
    let range = from..line_word(bytes, &named, form, bare);
    if hint == NameHint::Secret
        && let Some(default) = default_value::after(bytes, &range)
    {
        return real(bytes, default, 0);
    }
    if names(bytes, &range) || is_code(bytes, form, &range) || is_cut_off(bytes, &range) {
        return None;
    }
    let word = part(bytes, range.start, range.end);
    let doubtful = word == name
        || (form == AssignmentForm::Loose && passes_on(name, word))
        || is_caption(bytes, &named, from)
        || is_called(bytes, range.end)
        || !fits(bytes, form, &named, word, range.end)
        || (form == AssignmentForm::Loose && non_secret::translation(word) && is_shown(bytes, from, word))
        || !weighs(bytes, hint, form, (name, &range));
    if doubtful && word.len() <= MAX_LENGTH {
        return None;
    }
    real(bytes, range, 0)
}

/// The value, if it does not end where a shell word would. `Some(None)` if it is not secret.
fn wider(
    bytes: &[u8],
    named: &Range<usize>,
    hint: NameHint,
    form: AssignmentForm,
    bare: &Range<usize>,
) -> Option<Option<Range<usize>>> {
    let is_joined = matches!(form, AssignmentForm::Sure | AssignmentForm::Loose)
        || (form == AssignmentForm::Near && nearby_value::is_announced(bytes, named));
    if hint != NameHint::Secret || !is_joined || matches!(at(bytes, bare.end), 0 | b'\n' | b'\r') {
        return None;
    }
    let end = value_end::around(bytes, named, bare.start).filter(|end| *end > bare.end)?;
    let range = bare.start..end;
    if names(bytes, &range) || is_caption(bytes, named, bare.start) {
        return None;
    }
    Some(real(bytes, range, 0))
}

/// The value, if only its position links it to the name. `Some(None)` if that position holds no secret.
fn elsewhere(bytes: &[u8], named: &Range<usize>) -> Option<Option<Range<usize>>> {
    if part(bytes, 0, named.start).ends_with(b"${") && matches!(at(bytes, named.end), b':' | b'-') {
        return Some(default_value::in_braces(bytes, named).and_then(|range| real(bytes, range, 0)));
    }
    if before(bytes, named.start) == b'<' && at(bytes, named.end) == b'>' {
        let from = nearby_value::marked(bytes, named.end + 1);
        let end = run(bytes, from, QUOTED, |byte| !matches!(byte, b'<' | b'\n' | b']'));
        let closes = starts(bytes, end, b"</") || starts(bytes, end, b"]]>");
        return Some(real(bytes, from..end, b'<').filter(|_| closes));
    }
    if let Some(range) = tuple_assignment::value(bytes, named) {
        return Some(range.and_then(|range| real(bytes, range, b'\'')));
    }
    if let Some(range) = setting_command::value(bytes, named)
        .or_else(|| setting_command::labelled(bytes, named))
        .or_else(|| nearby_value::escaped(bytes, named.end))
        .or_else(|| nearby_value::block(bytes, named))
        .or_else(|| nearby_value::long_text(bytes, named))
        .or_else(|| value_before_name::value(bytes, named))
        .or_else(|| value_in_block::value(bytes, named))
        .or_else(|| default_value::value(bytes, named))
        .or_else(|| text_table::cell(bytes, named))
        .or_else(|| nearby_value::braced(bytes, named))
        .or_else(|| prose::value(bytes, named))
    {
        return Some(real(bytes, range, 0));
    }
    function_calls::setter(bytes, named).map(|range| real(bytes, range, b'\''))
}

/// The value in quotes.
fn quoted(
    bytes: &[u8],
    named: &Range<usize>,
    hint: NameHint,
    form: AssignmentForm,
    from: usize,
) -> Option<Range<usize>> {
    let (mark, open) = quote(bytes, from)?;
    let name = part(bytes, named.start, named.end);
    if nearby_value::is_placeholder(bytes, open, mark) || non_secret::opens_reference(bytes, open) {
        return None;
    }
    let braces = run(bytes, open, QUOTED, |byte| byte != b'}' && byte != mark && byte != b'\n');
    let is_expansion = starts(bytes, open, b"${") && quote(bytes, braces + 1).is_some();
    if mark != b'\'' && at(bytes, braces) == b'}' && is_expansion {
        return default_value::expansion(bytes, open).and_then(|range| real(bytes, range, 0));
    }
    let close = shell_value::closing_quote(bytes, open, mark, open - from - 1);
    let is_word = matches!(form, AssignmentForm::Sure | AssignmentForm::Flag) && at(bytes, close) == mark;
    if is_word && let Some(end) = shell_words::joined(bytes, close + 1) {
        return real(bytes, from..end, 0).filter(|range| weighs(bytes, hint, form, (name, range)));
    }
    if connection_string::starts_here(bytes, name, open, Some(mark)) {
        return None;
    }
    let range = open..nearby_value::joined(bytes, close, mark);
    let is_far = form == AssignmentForm::Near
        && !random_looking_value::value(part(bytes, open, close))
        && !nearby_value::is_announced(bytes, named)
        && !value_after_blank::is_statement(bytes, named, &(open..close))
        && !value_after_blank::is_stated(bytes, named, &(open..close));
    let text = part(bytes, open, close);
    let is_label = is_shown(bytes, from, text) && non_secret::label(text);
    let is_piece =
        nearby_value::is_continued(bytes, range.end) && !is_unlike_prose(text) && text.len() <= MAX_LENGTH;
    if is_far || is_label || is_piece || names(bytes, &range) {
        return None;
    }
    real(bytes, range, mark).filter(|range| weighs(bytes, hint, form, (name, range)))
}

/// Skips the parenthesis of an array with one element: `passwd=(value)`.
fn listed(bytes: &[u8], form: AssignmentForm, from: usize) -> usize {
    let end = run(bytes, from + 1, MAX_LENGTH, |byte| byte.is_ascii_alphanumeric());
    let is_list = form == AssignmentForm::Sure && at(bytes, from) == b'(' && at(bytes, end) == b')';
    if is_list && is_unlike_prose(part(bytes, from + 1, end)) { from + 1 } else { from }
}

/// Skips what precedes the secret in a bare value: `pass:` of OpenSSL, the user of `AUTH=user:secret`.
fn inside(bytes: &[u8], hint: NameHint, form: AssignmentForm, from: usize) -> usize {
    if form == AssignmentForm::Flag && starts(bytes, from, b"pass:") {
        return from + 5;
    }
    let user = run(bytes, from, 32, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@')
    });
    let is_pair = user > from && at(bytes, user) == b':' && at(bytes, user + 1).is_ascii_graphic();
    if hint == NameHint::Likely && is_pair { user + 1 } else { from }
}

/// What the name suggests in its context. `key` alone is the key of a map, unless it is a flag or a URL
/// parameter.
fn hint_in_context(bytes: &[u8], named: &Range<usize>, name: &[u8]) -> NameHint {
    match secret_name::name_hint(name) {
        // The authentication scheme (such as `Bearer`) must stay readable; the header detector knows where it
        // ends.
        _ if name.to_ascii_lowercase().ends_with(b"authorization") => NameHint::Nothing,
        NameHint::Nothing
            if name.eq_ignore_ascii_case(b"key")
                && matches!(before(bytes, named.start), b'-' | b'?' | b'&') =>
        {
            NameHint::Generated
        }
        NameHint::Nothing if value_after_blank::is_key(bytes, named) => NameHint::Generated,
        NameHint::Nothing if name == b"PWD" && nearby_value::is_in_connection(bytes, named) => {
            NameHint::Secret
        }
        NameHint::Secret if nearby_value::is_reference(bytes, named) => NameHint::Nothing,
        NameHint::Secret
            if name == b"secret" && is_flag(bytes, named) && nearby_value::is_stored(bytes, named) =>
        {
            NameHint::Nothing
        }
        NameHint::Nothing | NameHint::Generated if follows(bytes, named, name) => NameHint::Secret,
        hint => hint,
    }
}

/// `api key`, `secret key`: a name of two words.
fn follows(bytes: &[u8], named: &Range<usize>, name: &[u8]) -> bool {
    let left = part(bytes, named.start.saturating_sub(REACH), named.start);
    let [left @ .., b' '] = left else { return false };
    let length = left.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let previous = part(left, left.len() - length, left.len());
    secret_name::two_words(previous, name)
}

/// Whether the value confirms what the name only suggests.
fn weighs(bytes: &[u8], hint: NameHint, form: AssignmentForm, (name, range): (&[u8], &Range<usize>)) -> bool {
    let word = part(bytes, range.start, range.end);
    let signs = |byte: &u8| matches!(byte, b':' | b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'*');
    match hint {
        NameHint::Secret => true,
        NameHint::Digits => (3..=8).contains(&word.len()) && word.iter().all(u8::is_ascii_digit),
        NameHint::Likely if form == AssignmentForm::Sure || form == AssignmentForm::Flag => {
            let is_pair = before(bytes, range.start) == b':';
            word.len() >= 4
                && (is_pair
                    || (word.len() >= 6 && (mixed(word) || word.iter().any(signs)))
                    || base64_decode::is_pair(word))
                && !non_secret::address(word)
        }
        NameHint::Issued => random_looking_value::value(word) || random_looking_value::is_uuid(word),
        NameHint::Service => !secret_name::repeats(name, word),
        NameHint::Unusual => random_looking_value::unusual(word),
        NameHint::Likely | NameHint::Generated => random_looking_value::value(word),
        NameHint::Nothing => false,
    }
}

/// `password is hunter2`, `token 4fb…`, `login me password hunter2`: nothing joins name and value, so
/// either the value must look like a secret or the words before must announce one.
fn near(bytes: &[u8], named: &Range<usize>, hint: NameHint) -> Option<(AssignmentForm, usize)> {
    let flag = is_flag(bytes, named);
    let from = blanks(bytes, named.end);
    let particle = PARTICLES.iter().find(|particle| starts(bytes, named.end, particle.as_bytes()));
    if hint == NameHint::Secret
        && let Some(particle) = particle
    {
        let from = blanks(bytes, named.end + particle.len());
        let word = part(bytes, from, run(bytes, from, REACH, |byte| byte.is_ascii_graphic()));
        return is_unlike_prose(word).then_some((AssignmentForm::Loose, from));
    }
    let is_key = hint == NameHint::Generated && value_after_blank::is_key(bytes, named);
    if (hint != NameHint::Secret && !is_key) || flag || from == named.end {
        return None;
    }
    let verb = run(bytes, from, 4, |byte| byte.is_ascii_alphabetic());
    let is_verb = matches!(part(bytes, from, verb), b"is" | b"was" | b"are") && at(bytes, verb) == b' ';
    if is_verb {
        return Some((AssignmentForm::Loose, blanks(bytes, verb)));
    }
    // The number of the encoding, as routers write it: `secret 9 …`.
    let is_kind = at(bytes, from).is_ascii_digit()
        && at(bytes, from + 1) == b' '
        && nearby_value::is_announced(bytes, named);
    Some((AssignmentForm::Near, if is_kind { blanks(bytes, from + 1) } else { from }))
}

/// `password: "Wachtwoord"`: whether this could be a UI label that is just the word for "password" in some
/// language.
fn is_shown(bytes: &[u8], from: usize, value: &[u8]) -> bool {
    let sign = part(bytes, from.saturating_sub(4), from).trim_ascii_end();
    let is_member = sign.ends_with(b":") || sign.ends_with(b"=>");
    let shown = value.first().is_some_and(|first| first.is_ascii_uppercase() || *first >= 0x80)
        || value.contains(&b' ');
    is_member && shown && value.len() <= REACH
}

/// Whether a bare value is a code expression: after ` = `, or as an argument.
fn is_code(bytes: &[u8], form: AssignmentForm, range: &Range<usize>) -> bool {
    let sign = part(bytes, range.start.saturating_sub(8), range.start).trim_ascii_end();
    let is_argument = at(bytes, range.end) == b')'
        || (at(bytes, range.end) == b',' && at(bytes, range.end + 1).is_ascii_whitespace());
    let is_place = match form {
        AssignmentForm::Loose => sign.ends_with(b"="),
        AssignmentForm::Sure => is_argument,
        AssignmentForm::Flag | AssignmentForm::Near => false,
    };
    is_place && non_secret::expression(part(bytes, range.start, range.end))
}

/// `self.password = password`, `user.token = new_token`: whether code passes on a value under its own
/// name.
fn passes_on(name: &[u8], word: &[u8]) -> bool {
    let own = name.rsplit(|byte| *byte == b'.').next().unwrap_or(name);
    let is_owned = [&b"self."[..], b"this.", b"cls."].iter().any(|owner| name.starts_with(owner));
    let is_name = word.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    own.len() < name.len()
        && is_name
        && (is_owned || word == own || (secret_name::several(word) && secret_name::secret(word)))
}

/// `auth.password.confirm=Repeat the password`: whether the rest of the line is a UI text.
fn is_caption(bytes: &[u8], named: &Range<usize>, from: usize) -> bool {
    let is_key = part(bytes, named.start, named.end).contains(&b'.')
        && matches!(before(bytes, named.start), 0 | b'\n');
    let line = part(bytes, from, run(bytes, from, REACH, |byte| !matches!(byte, b'\n' | b'\r')));
    let opens = line.first().is_some_and(|first| first.is_ascii_uppercase() || *first >= 0x80);
    is_key && opens && line.contains(&b' ') && non_secret::label(line)
}

/// `PASSWORD :'name'`: whether this is a psql variable.
fn is_variable(bytes: &[u8], colon_end: usize) -> bool {
    let Some((mark, open)) = quote(bytes, colon_end) else { return false };
    let end = run(bytes, open, REACH, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    before(bytes, colon_end) == b':' && end > open && at(bytes, end) == mark
}

/// `has_secure_token :auth_token`: whether this is a symbol of Ruby.
fn is_symbol(bytes: &[u8], colon_end: usize) -> bool {
    let end = run(bytes, colon_end, REACH, |byte| byte.is_ascii_lowercase() || byte == b'_');
    let ends = matches!(at(bytes, end), 0 | b'\n' | b'\r' | b',' | b')' | b' ' | b'"' | b'\'');
    before(bytes, colon_end) == b':' && end > colon_end && ends
}

/// The end of a value that is alone on its line, as in YAML. Shell redirection signs have no meaning
/// there.
fn line_word(bytes: &[u8], named: &Range<usize>, form: AssignmentForm, range: Range<usize>) -> usize {
    let plain = |byte: u8| {
        is_visible(byte)
            && !matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b';' | b'|' | b'&' | b'$' | b'/' | b'(')
    };
    let end = run(bytes, range.end, MAX_LENGTH, plain);
    let text = part(bytes, range.start, end);
    let is_type = text.contains(&b'<') && text.contains(&b'>');
    let sign = part(bytes, named.end, range.start).trim_ascii();
    let is_ended = matches!(at(bytes, end), 0 | b' ' | b'\n' | b'\r');
    let is_word = is_ended
        && end > range.end
        && mixed(text)
        && !is_type
        && !matches!(text.last(), Some(b',' | b'{' | b'}'));
    if form == AssignmentForm::Loose && sign == b":" && is_word && alone(bytes, named, end) {
        end
    } else {
        range.end
    }
}

/// `sk-...`: whether dots replace the rest of a key.
fn is_cut_off(bytes: &[u8], range: &Range<usize>) -> bool {
    let end = run(bytes, range.end, 3, |byte| byte == b'.');
    end == range.end + 3 && non_secret::placeholder(part(bytes, range.start, end))
}

fn real(bytes: &[u8], range: Range<usize>, mark: u8) -> Option<Range<usize>> {
    let value = part(bytes, range.start, range.end);
    (non_secret::has_content(value) && !non_secret::value(value, mark)).then_some(range)
}

/// Whether the value is in fact the next name, as in `--pass token: …`. Taking it as the value would
/// leave the value after it unmasked.
fn names(bytes: &[u8], range: &Range<usize>) -> bool {
    let word = part(bytes, range.start, range.end);
    let name = word.strip_suffix(b":").or_else(|| word.strip_suffix(b"=")).unwrap_or(word);
    let joint = blanks(bytes, quote(bytes, range.end).map_or(range.end, |(_, end)| end));
    let sign = run(bytes, joint, 1, |byte| matches!(byte, b':' | b'='));
    // `--pass secret :remote:`
    let is_next_word = joint > range.end && at(bytes, sign).is_ascii_alphanumeric();
    let is_signed = name.len() < word.len() || (sign > joint && !is_next_word);
    let is_followed = !matches!(at(bytes, blanks(bytes, sign)), 0 | b'\n' | b'\r');
    name.len() <= REACH && is_signed && is_followed && secret_name::secret(name)
}

/// The whole name around the key, without the dashes of a flag.
fn name_around(bytes: &[u8], hit: &Range<usize>) -> Option<Range<usize>> {
    let named = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let named_before = |byte: u8| named(byte) || byte >= 0x80;
    let left = part(bytes, hit.start.saturating_sub(REACH), hit.start);
    let back = left.iter().rev().take_while(|byte| named_before(**byte)).count();
    let start = run(bytes, hit.start - back, back, |byte| matches!(byte, b'-' | b'.'));
    let end = run(bytes, hit.end, REACH, named);
    (end - hit.end < REACH).then_some(start..end)
}

/// Whether the name is preceded by dashes that start a word. Dashes that follow a mask belong to the masked
/// text instead.
fn is_flag(bytes: &[u8], named: &Range<usize>) -> bool {
    let left = part(bytes, named.start.saturating_sub(3), named.start);
    let dashes = left.iter().rev().take_while(|byte| **byte == b'-').count();
    dashes > 0 && before(bytes, named.start - dashes) != b']'
}

/// How name and value are joined, and where the value starts.
fn separator(bytes: &[u8], named: &Range<usize>) -> Option<(AssignmentForm, usize)> {
    let flag = is_flag(bytes, named);
    let closed = quote(bytes, named.end).map(|(_, end)| end);
    let joint = blanks(bytes, closed.unwrap_or(named.end));
    if flag && at(bytes, joint) == b',' && closed.is_some() {
        let from = blanks(bytes, joint + 1);
        return quote(bytes, from).map(|_| (AssignmentForm::Sure, from));
    }
    // `-password:value`, `arr[password]=value`
    if flag && at(bytes, named.end) == b':' && at(bytes, named.end + 1).is_ascii_alphanumeric() {
        return Some((AssignmentForm::Flag, named.end + 1));
    }
    if before(bytes, named.start) == b'[' && starts(bytes, named.end, b"]=") {
        return Some((AssignmentForm::Sure, named.end + 2));
    }
    if flag && at(bytes, named.end) != b'=' {
        let has_value = joint > named.end && !nearby_value::is_prompted(bytes, named);
        return has_value.then_some((AssignmentForm::Flag, joint));
    }
    if let Some(from) = nearby_value::value(bytes, named) {
        return Some((AssignmentForm::Sure, from));
    }
    if starts(bytes, joint, WIDE_COLON) {
        return Some((AssignmentForm::Sure, blanks(bytes, joint + WIDE_COLON.len())));
    }
    let sign = run(bytes, joint, 3, |byte| matches!(byte, b'=' | b':' | b'>' | b'?' | b'+'));
    let is_output = part(bytes, joint, sign) == b"::" && part(bytes, 0, named.start).ends_with(b" name=");
    if is_output {
        return Some((AssignmentForm::Sure, sign));
    }
    // Base64 in LDIF.
    if part(bytes, joint, sign) == b"::"
        && matches!(before(bytes, named.start), 0 | b'\n')
        && at(bytes, sign) == b' '
    {
        return Some((AssignmentForm::Loose, blanks(bytes, sign)));
    }
    if !matches!(part(bytes, joint, sign), b"=" | b":" | b":=" | b"=>" | b"==" | b"===" | b"?=" | b"+=") {
        return None;
    }
    let is_address = part(bytes, joint, sign) == b":" && starts(bytes, sign, b"//");
    let is_package = part(bytes, joint, sign) == b"==" && joint == named.end && is_version(bytes, sign);
    if is_address || is_package {
        return None;
    }
    if joint > named.end && closed.is_none() && (is_variable(bytes, sign) || is_symbol(bytes, sign)) {
        return None;
    }
    let from = blanks(bytes, sign);
    let tight = joint == named.end && from == sign && at(bytes, joint) == b'=';
    let is_quoted = closed.is_some() && at(bytes, named.end) != b'`';
    // The quote around the name closes, so there is no value.
    if joint == named.end
        && quote(bytes, from).is_some()
        && at(bytes, from) == before(bytes, named.start)
        && (from == sign || matches!(at(bytes, from + 1), b')' | b',' | b' ' | b'\n' | 0))
    {
        return None;
    }
    let header = quote(bytes, named.start.saturating_sub(1)).is_some()
        && at(bytes, joint) == b':'
        && before(bytes, named.start) != b'`'
        && !nearby_value::is_message(bytes, named, from);
    Some((if tight || is_quoted || header { AssignmentForm::Sure } else { AssignmentForm::Loose }, from))
}

/// `tiktoken==0.7.0`: whether the version of a package follows.
fn is_version(bytes: &[u8], from: usize) -> bool {
    let end = run(bytes, from, REACH, |byte| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'*' | b'+')
    });
    let text = part(bytes, from, end);
    let is_ended =
        !is_visible(at(bytes, end)) || matches!(at(bytes, end), b'"' | b'\'' | b',' | b';' | b'\\');
    let opens = text.split(|byte| *byte == b'.').next().unwrap_or_default();
    let is_number = !opens.is_empty() && opens.len() <= 4 && opens.iter().all(u8::is_ascii_digit);
    is_ended && is_number && text.len() <= 24 && text.contains(&b'.')
}

fn fits(bytes: &[u8], form: AssignmentForm, named: &Range<usize>, word: &[u8], end: usize) -> bool {
    match form {
        AssignmentForm::Sure => word.len() > 3 || !word.iter().all(u8::is_ascii_digit),
        // `--pass 2` counts the passes of an encoder.
        AssignmentForm::Flag => {
            word.first() != Some(&b'-')
                && !non_secret::prose(word)
                && !is_source(word)
                && !matches!(word, [digit] if digit.is_ascii_digit())
        }
        AssignmentForm::Loose => {
            is_unlike_prose(word)
                || random_looking_value::scrambled(word)
                || alone(bytes, named, end)
                || value_after_blank::is_paired(bytes, named, &(end - word.len()..end))
        }
        AssignmentForm::Near => {
            random_looking_value::value(word)
                || nearby_value::is_announced(bytes, named)
                || value_after_blank::is_stated(bytes, named, &(end - word.len()..end))
                || (alone(bytes, named, end)
                    && (is_unlike_prose(word) || nearby_value::is_in_settings(bytes, named)))
        }
    }
}

fn is_unlike_prose(word: &[u8]) -> bool {
    word.len() >= 6 && mixed(word)
}

/// Whether this names a source from which OpenSSL and others can read a password.
fn is_source(word: &[u8]) -> bool {
    word.len() <= MAX_LENGTH
        && ["env:", "file:", "fd:"].iter().any(|source| word.starts_with(source.as_bytes()))
}

/// Whether this is the name of a function. Text that `bare_end` did not include may precede the parenthesis.
fn is_called(bytes: &[u8], end: usize) -> bool {
    at(bytes, run(bytes, end, MAX_LENGTH, |byte| matches!(byte, b',' | b']' | b'.'))) == b'('
}

/// Whether name and value are all that is on the line, as in YAML.
fn alone(bytes: &[u8], named: &Range<usize>, end: usize) -> bool {
    let left = part(bytes, named.start.saturating_sub(REACH), named.start);
    let indent = left.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'-')).count();
    let starts_line = matches!(before(bytes, named.start - indent), 0 | b'\n');
    starts_line && matches!(at(bytes, blanks(bytes, end)), 0 | b'\n' | b'\r' | b'#' | b';')
}
