//! Whether an interactive bash would put parts of earlier commands into a text.
//!
//! An agent may type its commands into a shell that it keeps. There `echo !!` is another command than policy reads. Bash
//! replaces `!` line by line before it parses, also inside double quotes. Where it is not clear whether it would, it counts
//! as if it did.

/// Characters behind which a word begins.
const SEPARATORS: &str = " \t;&()|<>";
/// What may hold quotes of its own: behind it, nobody knows whether a later line begins inside quotes.
const NESTED: [&str; 8] = ["$(", "${", "<(", ">(", "((", "$[", "[", "`"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

/// A line as bash reads it when it looks for `!`.
struct ScannedLine {
    expands: bool,
    /// The quotes that are open at its end.
    end: Quote,
    /// Quotes inside it may mean something else.
    is_nested: bool,
    /// Positions behind `<<`, in characters.
    here: Vec<usize>,
}

/// The end of a here-document.
struct Delimiter {
    line: String,
    /// Tabs before it are left out.
    is_indented: bool,
}

/// Whether an interactive bash would replace a part of a text.
pub(super) fn expands_history(text: &str) -> bool {
    if !text.contains(['!', '^']) {
        return false;
    }
    let mut begins = vec![Quote::None];
    let mut is_nested = false;
    let mut lines = text.split(['\n', '\r']);
    while let Some(line) = lines.next() {
        let chars: Vec<char> = line.chars().collect();
        let scanned: Vec<ScannedLine> = begins.iter().map(|begin| scan(&chars, *begin)).collect();
        if scanned.iter().any(|scanned| scanned.expands) {
            return true;
        }
        is_nested |= scanned.iter().any(|scanned| scanned.is_nested);
        if let [only] = scanned.as_slice()
            && !is_nested
        {
            here_documents(line, &chars, only).iter().for_each(|delimiter| skip(&mut lines, delimiter));
        }
        begins = scanned.iter().map(|scanned| scanned.end).collect();
        if is_nested {
            begins.push(Quote::None);
        }
        begins.sort_unstable_by_key(|quote| *quote as u8);
        begins.dedup();
    }
    false
}

fn scan(chars: &[char], begin: Quote) -> ScannedLine {
    let mut line = ScannedLine { expands: false, end: begin, is_nested: false, here: Vec::new() };
    line.expands = begin != Quote::Single && chars.first() == Some(&'^');
    let mut has_escapes = false;
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        let before = at.checked_sub(1).and_then(|before| chars.get(before)).copied();
        let next = chars.get(at + 1).copied();
        match (line.end, *c) {
            (Quote::Single, '\'') => line.end = Quote::None,
            (Quote::Single, '\\') if has_escapes => at += 1,
            (Quote::Single, _) => {}
            (_, '\\') => at += 1,
            // A comment, also for what looks for `!`.
            (Quote::None, '#') if before.is_none_or(|c| SEPARATORS.contains(c)) => break,
            (Quote::None, '\'') => {
                line.end = Quote::Single;
                has_escapes = before == Some('$');
            }
            (Quote::None, '"') => line.end = Quote::Double,
            (Quote::Double, '"') => line.end = Quote::None,
            (quote, '!') => line.expands |= is_expanded(chars, at, quote),
            (_, '`') => line.is_nested = true,
            (_, '(' | '{') => line.is_nested |= matches!(before, Some('$' | '<' | '>')),
            (Quote::None, '<') if next == Some('<') => {
                let is_string = chars.get(at + 2) == Some(&'<');
                at += 1 + usize::from(is_string);
                line.here.extend((!is_string).then_some(at + 1));
            }
            _ => {}
        }
        at += 1;
    }
    line
}

/// Whether bash replaces a `!`, as far as the characters around it tell.
fn is_expanded(chars: &[char], at: usize, quote: Quote) -> bool {
    let before = |by: usize| at.checked_sub(by).and_then(|at| chars.get(at)).copied();
    let rest = chars.get(at + 1..).unwrap_or_default();
    let is_stopped = match rest.first() {
        None | Some(' ' | '\t' | '=' | '(') => true,
        Some('"') => quote == Quote::Double,
        Some(_) => false,
    };
    let is_kept = match before(1) {
        Some('[') => rest.contains(&']'),
        Some('$') => at > 1,
        Some('{') => before(2) == Some('$') && rest.contains(&'}'),
        _ => false,
    };
    !is_stopped && !is_kept
}

/// The here-documents that begin behind a line. None if they may begin later, or may be none.
fn here_documents(line: &str, chars: &[char], scanned: &ScannedLine) -> Vec<Delimiter> {
    let is_clear =
        scanned.end == Quote::None && !line.ends_with('\\') && !NESTED.iter().any(|part| line.contains(part));
    let found: Option<Vec<Delimiter>> = scanned.here.iter().map(|at| delimiter(chars.get(*at..)?)).collect();
    found.filter(|_| is_clear).unwrap_or_default()
}

/// The delimiter behind `<<`, without its quotes. `None` if it is computed.
fn delimiter(chars: &[char]) -> Option<Delimiter> {
    let is_indented = chars.first() == Some(&'-');
    let mut chars = chars.iter().copied().skip(usize::from(is_indented)).skip_while(|c| " \t".contains(*c));
    let mut line = String::new();
    while let Some(c) = chars.next() {
        match c {
            '$' | '`' => return None,
            '\\' => line.extend(chars.next()),
            '\'' | '"' => line.extend(chars.by_ref().take_while(|inside| *inside != c)),
            c if SEPARATORS.contains(c) => break,
            c => line.push(c),
        }
    }
    (!line.is_empty()).then_some(Delimiter { line, is_indented })
}

/// Leaves out the lines of a here-document: bash does not look for `!` in them.
fn skip<'t>(lines: &mut impl Iterator<Item = &'t str>, delimiter: &Delimiter) {
    let is_end = |line: &str| {
        let line = if delimiter.is_indented { line.trim_start_matches('\t') } else { line };
        line == delimiter.line
    };
    lines.find(|line| is_end(line));
}

#[cfg(test)]
mod tests {
    use super::expands_history;

    #[test]
    fn parts_of_earlier_commands_are_found() {
        for text in [
            "echo '; touch pwned #' !#:s/o '/o / '",
            "echo !!:s/o '/o / '",
            "echo !!",
            "!ls",
            "echo \"a!b\"",
            "echo hi!;",
            "echo \"it's\" !x",
            "echo a#!x",
            "^old^new",
            "ls\n^old^new",
            "ls # don't\n!!",
            "echo \"\\\"\" !x",
            "$!x",
            "(!x)",
            "[ !x",
            "echo \"$(echo '\"')\"\necho !!:s/a/b/",
            "cat <<E \\\n!!",
            "echo $((1<<E))\necho !!",
            "cat <<E '\n' !!",
            "cat <<E\nit's\nE\necho !!",
            "# <<E\necho !!",
            "cat <<<E\necho !!",
            "cat <<E | $(\n!!",
        ] {
            assert!(expands_history(text), "{text}");
        }
    }

    #[test]
    fn exclamation_marks_of_everyday_commands_stay() {
        for text in [
            "ls",
            "[[ ! -f x ]] && ls",
            "! grep -q x y",
            "if ! make; then exit 1; fi",
            "[ a != b ]",
            "npm start & kill $!",
            "npm start & PID=$!; wait $PID",
            "echo ${!x} \"${!x[@]}\"",
            "find . ! -name x",
            "find . \\! -name x",
            "ls [!a]*",
            "awk '!seen[$0]++' x",
            "node -e '\nif (!x) { y(`${z}`) }\n'",
            "git commit -m 'feat!: x'",
            "echo \"done!\"",
            "echo 'it'\\''s !x'",
            "echo $'it\\'s !x'",
            "make # now!now",
            "cat > x.sh <<'E'\n#!/bin/bash\n!x\nE\nls",
            "cat > x.sh <<-E\n#!/bin/sh\n\tE\nls",
            "grep '^x' y",
        ] {
            assert!(!expands_history(text), "{text}");
        }
    }
}
