//! Texts that cannot run anything forbidden, whatever runs them: one command of plain words, none of which matters to
//! the search. Short scripts contain hundreds of them.

/// Names that matter, besides those that begin with `git` or end with `sh`.
const WATCHED: [&str; 14] = [
    "rm", "rmdir", "env", "printenv", "export", "environ", "set", "setopt", "shopt", "declare", "typeset",
    "local", "ps", "proc",
];

/// Whether a text is such a command. In doubt it is not.
pub(super) fn is_inert(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,@+=%'\" \t".contains(c);
    // They are words of their own: `[ a = b ]`.
    let mut words = text.trim().split([' ', '\t']).filter(|word| !matches!(*word, "[" | "]" | "!"));
    words.all(|word| {
        // Quotes may be in the middle of a name.
        let bare = word.replace(['\'', '"'], "").to_ascii_lowercase();
        word.chars().all(is_plain)
            && !bare.contains("environ")
            && bare
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')
                .all(|part| !part.starts_with("git") && !part.ends_with("sh") && !WATCHED.contains(&part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_commands_are_inert() {
        for text in
            ["", "ls -l", "[ = configure ] --ensure", "! a 'b c'", "make -C sub all", "cp a/b /etc/x:y"]
        {
            assert!(is_inert(text), "{text}");
        }
        for text in [
            "rm -rf x",
            "/bin/rm x",
            "r''m x",
            "RM x",
            "x=rm",
            "git x",
            "bash x",
            "./x.sh",
            "set",
            "cat /proc/1/x",
            "cat x/environ",
            "echo $x",
            "a; b",
            "a\nb",
            "r?",
            "{a,b}",
            "a\\b",
            "<x",
            "ps e",
        ] {
            assert!(!is_inert(text), "{text}");
        }
    }
}
