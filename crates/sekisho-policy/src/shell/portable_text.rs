//! Shell text that every POSIX shell reads as bash does.
//!
//! Commands are analysed as bash reads them. What `sh` is differs between systems: dash reads `&>f`, `[[ a > b ]]`, `$'…'`,
//! `a+=b` and braces in other ways, so text for it is known only without them.

/// Whether every shell reads a text as bash does. It says no to much that is the same, too.
pub(super) fn is_portable(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " \n_-./:,@%+='\"&|;>[]*?".contains(c);
    let differs = ["[[", "&>", "|&", ";;", ";&", "+=", "]="];
    // `>&2` is the same everywhere, `>&file` is not.
    let duplicates = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    text.chars().all(is_plain)
        && !differs.iter().any(|sign| text.contains(sign))
        && text.split(">&").skip(1).all(duplicates)
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
            "A=1 ls *.rs; pwd",
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
            "echo {a,b}",
            "a |& b",
            "cat <(ls)",
            "cat <<<a",
            "a+=b ls",
            "a[0]=b ls",
            "ls ~",
            "echo \\a",
            "echo $A",
            "(ls)",
            "! ls",
            "echo a#",
            "ls `pwd`",
            "ls\t",
            "echo é",
        ] {
            assert!(!is_portable(text), "{text}");
        }
    }
}
