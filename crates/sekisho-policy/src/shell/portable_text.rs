//! Shell text that every POSIX shell reads as bash does.
//!
//! Commands are analysed as bash reads them. What `sh` is differs between systems: dash reads `&>f`, `[[ a > b ]]`, `$'…'`,
//! `a+=b`, `10>f`, `[x[=a=]]` and braces in other ways, and has neither `time` nor `pushd`. So text for it is known only without
//! them.

/// Signs that shells read differently.
const SIGNS: [&str; 7] = ["[[", "&>", "|&", ";;", ";&", "+=", "(("];
/// Words that are part of the grammar, or change the directory, only in some shells.
const WORDS: [&str; 7] = ["builtin", "coproc", "function", "popd", "pushd", "select", "time"];

/// Whether every shell reads a text as bash does. It says no to much that is the same, too.
pub(super) fn is_portable(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " \n_-./:,@%+='\"&|;>[]*?$~!()\\".contains(c);
    // `>&2` is the same everywhere, `>&file` is not.
    let duplicates = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    text.chars().all(is_plain)
        && !SIGNS.iter().any(|sign| text.contains(sign))
        && text.split(">&").skip(1).all(duplicates)
        && text.split('>').all(|before| !has_long_number(before))
        && text.split('$').skip(1).all(names_variable)
        && text.split(|c: char| !c.is_ascii_alphanumeric()).all(|word| !WORDS.contains(&word))
        && brackets_and_tildes_are_words(text)
        && (!text.contains(['!', '(', ')', '\\']) || rarer_signs_are_portable(text))
}

/// Whether a backslash is only in quotes and escapes no line end, parentheses there or around commands, and `!` there, alone
/// or in `!=`.
fn rarer_signs_are_portable(text: &str) -> bool {
    let mut quote = None;
    let mut before = ';';
    let mut at_start = true;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let is_portable = match (quote, c) {
            (Some('"'), '\\') => letters.next().is_some_and(|next| next != '\n'),
            (Some('"'), '(') => before != '$',
            (Some(_), _) => true,
            (None, '\\') => false,
            (None, '(') => at_start,
            (None, '!') => " \n;&|(".contains(before) && matches!(letters.peek(), Some(' ' | '=')),
            (None, _) => true,
        };
        if !is_portable {
            return false;
        }
        match quote {
            Some(end) if c == end => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            _ => {}
        }
        at_start = quote.is_none()
            && (matches!(c, ';' | '&' | '|' | '\n' | '(') || at_start && matches!(c, ' ' | '!'));
        before = c;
    }
    true
}

/// Whether a text ends in a number of several digits, which only some shells take for a descriptor before `>`.
fn has_long_number(before: &str) -> bool {
    before.bytes().rev().take_while(u8::is_ascii_digit).nth(1).is_some()
}

/// `$NAME` or `$?`, but not `$_`, which is not the same everywhere.
fn names_variable(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '?')
}

/// Whether brackets are those of `[ a = b ]`, and `~` begins a word alone or as `~/`.
fn brackets_and_tildes_are_words(text: &str) -> bool {
    text.split([' ', '\n', ';', '&', '|', '>']).all(|word| {
        let rest = word.strip_prefix('~').unwrap_or(word);
        let is_home = rest.len() == word.len() || rest.is_empty() || rest.starts_with('/');
        is_home && !rest.contains('~') && (matches!(word, "[" | "]") || !word.contains(['[', ']']))
    })
}

#[cfg(test)]
mod tests {
    use super::is_portable;

    #[test]
    fn plain_commands_are_portable() {
        for text in [
            "ls -la",
            "git status && ls | head -5",
            "cargo test 2>&1 >/dev/null",
            "[ -f a ] || echo 'no'",
            "if [ -f a ]; then cat a; fi",
            "A=1 ls *.rs; pwd",
            "for f in *.txt; do wc -l \"$f\"; done",
            "ls ~ ~/x",
            "head -20 a",
            "echo $?",
            "! ls || echo \"$?\"",
            "(ls; pwd) | wc -l",
            "[ a != b ] && (ls)",
            "[ ! -f a ] || ls",
            "grep 'a\\.b(c)!' x",
            "grep \"a\\.b \\\"c\\\" (d)\" x",
        ] {
            assert!(is_portable(text), "{text}");
        }
    }

    #[test]
    fn what_shells_read_differently_is_not() {
        for text in [
            "echo a &>b",
            "echo a >&b",
            "[[ a > b ]]",
            "echo $'a'",
            "echo $_",
            "echo {a,b}",
            "a |& b",
            "cat <(ls)",
            "cat <<<a",
            "a+=b ls",
            "a[0]=b ls",
            "cat .[x[=e=]nv",
            "ls [ab]",
            "ls 10>/dev/null",
            "ls 2>x 12>&1",
            "ls ~+",
            "ls ~user",
            "a=b:~",
            "time A=a/b ls",
            "pushd x; ls",
            "builtin cd x",
            "echo \\a",
            "echo $(a)",
            "echo ${a}",
            "((ls); pwd)",
            "echo a(b)",
            "f() ls",
            "ls @(a|b)",
            "a=(b c)",
            "echo !x",
            "ls !(a)",
            "echo \"$(ls)\"",
            "echo \"a\\\nb\"",
            "echo a#",
            "ls `pwd`",
            "ls\t",
            "echo é",
        ] {
            assert!(!is_portable(text), "{text}");
        }
    }
}
