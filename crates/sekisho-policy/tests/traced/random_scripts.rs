//! Random scripts, reproducible by seed.

use std::collections::HashSet;

use super::script_fragments::{ASSIGNMENTS, FRAMES, JOINTS, PROGRAMS, REDIRECTS, SPLINTERS, WORDS};
use super::script_judge::Judge;

/// Longer scripts prove no more than shorter ones and take longer to run.
const MAX_SCRIPT_LENGTH: usize = 400;

/// A splitmix64 generator: small, with a sequence that never changes.
pub(crate) struct RandomSource(u64);

impl RandomSource {
    pub(crate) fn new(seed: u64) -> RandomSource {
        RandomSource(seed)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((bits ^ (bits >> 31)) >> 1).unwrap() % bound.max(1)
    }

    /// True once in `times`.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn one<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from.get(self.below(from.len())).expect("there is something to choose from")
    }
}

/// Distinct random scripts that are all allowed.
pub(crate) fn allowed_scripts(
    judge: &Judge<'_>,
    commands: &[String],
    source: &mut RandomSource,
    count: usize,
) -> Vec<String> {
    let mut found = Vec::with_capacity(count);
    let mut seen = HashSet::new();
    let everyday: Vec<&str> = commands.iter().filter(|text| judge.allows(text)).map(String::as_str).collect();
    let all: Vec<&str> = commands.iter().map(String::as_str).collect();
    for _ in 0..count.saturating_mul(2000) {
        if found.len() == count {
            return found;
        }
        let script = match source.below(4) {
            0 => damaged(source, &everyday, &all),
            // Two allowed commands make a longer one that may be allowed.
            1 if found.len() > 20 => grown(source, &found),
            _ => composed(source, 2),
        };
        if script.len() <= MAX_SCRIPT_LENGTH
            && !script.contains('\0')
            && seen.insert(script.clone())
            && judge.allows(&script)
        {
            found.push(script);
        }
    }
    panic!("only {} of {count} random scripts are allowed: the generator has lost touch", found.len())
}

/// A script from fragments.
fn composed(source: &mut RandomSource, depth: usize) -> String {
    let mut script = part(source, depth);
    while source.once_in(3) {
        script.push_str(source.one(JOINTS));
        script.push_str(&part(source, depth));
    }
    script
}

fn part(source: &mut RandomSource, depth: usize) -> String {
    if depth == 0 || !source.once_in(3) {
        return simple(source);
    }
    framed(source, |source| part(source, depth - 1))
}

fn framed(source: &mut RandomSource, mut inner: impl FnMut(&mut RandomSource) -> String) -> String {
    let frame = source.one(FRAMES);
    let mut script = String::new();
    let mut pieces = frame.split('%');
    script.push_str(pieces.next().unwrap_or(""));
    for piece in pieces {
        // `%s` is printf's own.
        script.push_str(&if piece.starts_with("s\\n") { "%".into() } else { inner(source) });
        script.push_str(piece);
    }
    script
}

fn simple(source: &mut RandomSource) -> String {
    let (program, options) = PROGRAMS.get(source.below(PROGRAMS.len())).expect("an index below the length");
    let options: Vec<&str> = options.split(' ').collect();
    let mut script = String::new();
    if source.once_in(12) {
        script.push_str(source.one(ASSIGNMENTS));
        script.push(' ');
    }
    script.push_str(program);
    for _ in 0..source.below(4) {
        script.push(' ');
        script.push_str(&if source.once_in(2) {
            option(source, &options)
        } else {
            source.one(WORDS).to_owned()
        });
    }
    if source.once_in(6) {
        script.push(' ');
        script.push_str(source.one(REDIRECTS));
    }
    script
}

/// An option, sometimes in another spelling.
fn option(source: &mut RandomSource, options: &[&str]) -> String {
    let option = source.one(options);
    match source.below(12) {
        0 => format!("\"{option}\""),
        1 => format!("'{option}'"),
        2 if option.len() > 4 && option.is_ascii() => option.chars().take(option.len() - 1).collect(),
        3 => format!("{option}{}", source.one(options).trim_start_matches('-')),
        4 => format!("{option}={}", source.one(WORDS)),
        5 => format!("{option}{}", source.one(WORDS)),
        _ => option.to_owned(),
    }
}

/// A damaged command, or the head of one with the tail of another.
fn damaged(source: &mut RandomSource, everyday: &[&str], all: &[&str]) -> String {
    let pool = if source.once_in(4) { all } else { everyday };
    let mut text: Vec<char> = source.one(pool).chars().collect();
    if source.once_in(4) {
        let other: Vec<char> = source.one(all).chars().collect();
        text.truncate(source.below(text.len() + 1));
        text.extend(other.iter().skip(source.below(other.len() + 1)));
    }
    for _ in 0..=source.below(3) {
        let at = source.below(text.len() + 1);
        match source.below(5) {
            0 => {
                let end = (at + 1 + source.below(3)).min(text.len());
                text.drain(at..end);
            }
            1 => {
                let end = (at + 1 + source.below(6)).min(text.len());
                let again: Vec<char> = text.iter().copied().skip(at).take(end - at).collect();
                text.splice(at..at, again);
            }
            2 => {
                text.splice(at..at, source.one(WORDS).chars());
            }
            _ => {
                text.splice(at..at, source.one(SPLINTERS).chars());
            }
        }
    }
    text.into_iter().collect()
}

/// Combines scripts that are allowed by themselves.
fn grown(source: &mut RandomSource, found: &[String]) -> String {
    let any = |source: &mut RandomSource| found.get(source.below(found.len())).cloned().unwrap_or_default();
    if source.once_in(2) {
        let first = any(source);
        format!("{first}{}{}", source.one(JOINTS), any(source))
    } else {
        framed(source, any)
    }
}
