//! A text as bare words, for texts too large to be parsed like bash.

use memchr::memmem;

/// A text as bare words.
pub(crate) struct RawText<'t> {
    /// As given.
    source: &'t str,
    /// Without quotes, backslashes and line continuations, and with blanks folded.
    plain: String,
    words: Vec<RawWord>,
}

/// A word of `plain`.
#[derive(Clone, Copy)]
struct RawWord {
    start: u32,
    end: u32,
    /// The number of characters before it that may separate commands.
    command: u32,
}

/// The largest distance in words of a rule's last word, if characters come between that may separate commands
/// or may have been quoted. If there are none, any number of options may come between.
const WINDOW: usize = 64;

/// Whether a word ends before this byte.
fn divides(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(byte, b';' | b'&' | b'|' | b'(' | b')' | b'`' | b'{' | b'}' | b'<' | b'>')
}

/// Whether a program name may begin after this byte: `/bin/rm`, `x=rm`, `$(rm`.
fn precedes_name(byte: u8) -> bool {
    divides(byte) || matches!(byte, b'/' | b'=' | b'$' | b',' | b':' | b'!' | b'"' | b'\'')
}

impl<'t> RawText<'t> {
    pub(super) fn new(source: &'t str) -> RawText<'t> {
        let mut plain = String::with_capacity(source.len());
        let mut rest = source;
        while let Some(at) = rest.find(['\'', '"', '\\', ' ', '\t']) {
            let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
            plain.push_str(before);
            let blank = from.starts_with([' ', '\t']);
            // `r$'m'`
            if from.starts_with(['\'', '"']) && plain.ends_with('$') {
                plain.pop();
            }
            if blank && !plain.ends_with(' ') {
                plain.push(' ');
            }
            rest = from.strip_prefix("\\\n").or_else(|| from.get(1..)).unwrap_or_default();
        }
        plain.push_str(rest);
        let words = words_of(&plain);
        RawText { source, plain, words }
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().filter_map(|word| self.plain.get(word.start as usize..word.end as usize))
    }

    /// Calls `visit` with every text that may name a program, once per occurrence.
    pub(crate) fn each_name(&self, mut visit: impl FnMut(&str)) {
        for word in self.words() {
            visit(word);
            // `-crm x` was `-c'rm x'`.
            let behind =
                word.strip_prefix('-').into_iter().flat_map(|rest| (1..4).filter_map(|at| rest.get(at..)));
            behind.filter(|name| !name.is_empty()).for_each(&mut visit);
            let names = word.split(|c: char| u8::try_from(c).is_ok_and(precedes_name));
            names.filter(|name| name.len() < word.len() && !name.is_empty()).for_each(&mut visit);
        }
    }

    /// Whether the words of a rule occur in the text, in order and near each other.
    pub(crate) fn has_words(&self, rule: &[Box<str>]) -> bool {
        let Some((program, rest)) = rule.split_first() else { return false };
        // For each word of the rule: the last position of the program from which all words up to it were
        // found.
        let mut from: Vec<Option<usize>> = vec![None; rest.len()];
        let mut latest = None;
        let command = |at: usize| self.words.get(at).map(|word| word.command);
        for (at, word) in self.words().enumerate() {
            for number in (0..rest.len()).rev() {
                let before = if number == 0 { latest } else { from.get(number - 1).copied().flatten() };
                let near = before.filter(|start| at - start <= WINDOW || command(*start) == command(at));
                if let (Some(start), Some(expected), Some(slot)) =
                    (near, rest.get(number), from.get_mut(number))
                    && **expected == *word
                {
                    *slot = Some(start);
                }
            }
            if names(word, program) {
                latest = Some(at);
            }
            let found = if rest.is_empty() { latest } else { from.last().copied().flatten() };
            if found.is_some() {
                return true;
            }
        }
        false
    }

    /// Whether a glob may match somewhere in the text. If it determines how the command begins or ends, it
    /// must match at a word boundary.
    pub(crate) fn matches(&self, glob: &str) -> bool {
        stands_in(glob, self.source) || stands_in(glob, &self.plain)
    }
}

fn words_of(plain: &str) -> Vec<RawWord> {
    let mut words = Vec::new();
    let mut begun: Option<RawWord> = None;
    let mut command = 0;
    for (at, byte) in plain.bytes().chain([b'\n']).enumerate() {
        let place = u32::try_from(at).unwrap_or(u32::MAX);
        if !divides(byte) {
            begun.get_or_insert(RawWord { start: place, end: place, command });
            continue;
        }
        command += u32::from(!matches!(byte, b' ' | b'\t'));
        words.extend(begun.take().map(|word| RawWord { end: place, ..word }));
    }
    words
}

/// Whether a word may name a program.
fn names(word: &str, program: &str) -> bool {
    let edge = |before: &str| before.bytes().next_back().is_none_or(precedes_name);
    let option = |before: &str| before.starts_with('-') && before.len() <= 4;
    word.strip_suffix(program).is_some_and(|before| edge(before) || option(before))
        || word.split(|c: char| u8::try_from(c).is_ok_and(precedes_name)).any(|name| name == program)
}

fn stands_in(glob: &str, text: &str) -> bool {
    let text = text.as_bytes();
    let mut pieces = glob.split(['*', '?']).map(str::as_bytes).filter(|piece| !piece.is_empty()).peekable();
    let mut begins = !glob.starts_with(['*', '?']);
    let ends = !glob.ends_with(['*', '?']);
    let mut from = 0;
    while let Some(piece) = pieces.next() {
        let last = pieces.peek().is_none() && ends;
        let rest = text.get(from..).unwrap_or_default();
        let edge = |at: Option<usize>| at.and_then(|at| text.get(at)).is_none_or(|byte| precedes_name(*byte));
        let mut places = memmem::find_iter(rest, piece).map(|at| from + at);
        let fits = |at: &usize| {
            (!begins || at.checked_sub(1).is_none() || edge(at.checked_sub(1)))
                && (!last || edge(Some(at + piece.len())))
        };
        let Some(at) = places.find(fits) else { return false };
        from = at + piece.len();
        begins = false;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::RawText;

    #[track_caller]
    fn words(text: &str, rule: &str, expected: bool) {
        let rule: Vec<Box<str>> = rule.split(' ').map(Into::into).collect();
        assert_eq!(RawText::new(text).has_words(&rule), expected, "{rule:?} in {text}");
    }

    #[test]
    fn rule_words_are_found_in_any_spelling() {
        for text in [
            "ls; rm x",
            "/bin/rm x",
            "\\rm x",
            "'r'm x",
            "r\\\nm x",
            "a=$(rm x)",
            "bash -c 'rm x'",
            "sudo -u a rm",
            "x|rm",
            "{rm,x}",
            "env A=rm",
            "su -c'rm x'",
            "r$'m' x",
        ] {
            words(text, "rm", true);
        }
        for text in ["farm x", "rmdir x", "a.rm.b", "rm-x"] {
            words(text, "rm", false);
        }
        words("git push", "git push", true);
        words("git -C d push", "git push", true);
        words("git -c \"a;b\" push", "git push", true);
        words("push git", "git push", false);
        words(&format!("git {}push", "-c a.b=c ".repeat(5000)), "git push", true);
        words(&format!("git {}; push", "x ".repeat(100)), "git push", false);
        words(&format!("git {}$(x) push", "x ".repeat(50)), "git push", true);
        words(&format!("git {}git push", "x ".repeat(100)), "git push", true);
        words("npm run build", "npm run deploy", false);
        words("", "rm", false);
    }

    #[test]
    fn globs_match_at_word_boundaries() {
        for (text, glob, expected) in [
            ("ls; rm -rf x", "rm -rf*", true),
            ("ls; rm   -rf x", "rm -rf*", true),
            ("farm -rf x", "rm -rf*", false),
            ("a curl x | sh b", "curl*|*sh", true),
            ("a curl x | shx", "curl*|*sh", false),
            ("a xcurl x | sh curl x | sh", "curl*|*sh", true),
            ("a b", "*", true),
            ("", "*", true),
            ("rmdir", "rm", false),
            ("rmdir; rm", "rm", true),
            ("x 'rm' y", "rm y", true),
            ("日本 rm", "*本*rm", true),
        ] {
            assert_eq!(RawText::new(text).matches(glob), expected, "{glob} in {text}");
        }
    }
}
