//! Programs that are started under another name, and do what the name says: `exec -a git-push git` pushes.

use super::resolved_arguments::Argument;
use super::unresolved_words::quoted_words;

/// Options of the dynamic loader whose value is the next word.
const LOADER_VALUES: [&str; 7] = [
    "--argv0",
    "--audit",
    "--glibc-hwcaps-mask",
    "--glibc-hwcaps-prepend",
    "--inhibit-rpath",
    "--library-path",
    "--preload",
];

/// What a program does that is started under another name, as shell texts.
pub(super) fn commands(arguments: &[Argument]) -> Vec<String> {
    let Some((name, rest)) = renamed(arguments) else { return Vec::new() };
    let rest = quoted_words(rest.iter().map(|word| word.text.as_str()));
    let last = name.rsplit('/').next().unwrap_or_default();
    let mut found = vec![format!("{} {rest}", quoted_words([name]))];
    // Git takes what follows for the subcommand.
    found.extend(last.strip_prefix("git-").map(|name| format!("git {} {rest}", quoted_words([name]))));
    found
}

/// Whether a program is the dynamic loader, which runs the program that it is given.
pub(super) fn is_loader(program: &Argument) -> bool {
    let name = program.text.rsplit('/').next().unwrap_or_default();
    name.starts_with("ld.so")
        || name.starts_with("ld-") && (name.contains(".so") || name.contains(['*', '?']))
}

/// The name that a program is given, and its arguments.
fn renamed(arguments: &[Argument]) -> Option<(&str, &[Argument])> {
    let (program, rest) = arguments.split_first()?;
    let (name, at) = match program.text.as_str() {
        "exec" => given_to_exec(rest)?,
        _ if is_loader(program) => given_to_loader(rest)?,
        _ => return None,
    };
    // In a reading without it the program is missing.
    Some((name, rest.get(at + 1..).unwrap_or_default()))
}

/// The name in `exec -a NAME PROGRAM`, and the place of the program.
fn given_to_exec(words: &[Argument]) -> Option<(&str, usize)> {
    let (mut name, mut at) = (None, 0);
    let option = |at: usize| words.get(at)?.text.strip_prefix('-').filter(|letters| !letters.is_empty());
    while let Some(letters) = option(at) {
        at += 1;
        if letters == "-" {
            break;
        }
        let Some((_, inside)) = letters.split_once('a') else { continue };
        name = Some(inside);
        if inside.is_empty() {
            name = words.get(at).map(|word| word.text.as_str());
            at += 1;
        }
    }
    Some((name?, at))
}

/// The name in `ld.so --argv0 NAME PROGRAM`, and the place of the program.
fn given_to_loader(words: &[Argument]) -> Option<(&str, usize)> {
    let (mut name, mut at) = (None, 0);
    let option =
        |at: usize| words.get(at).map(|word| word.text.as_str()).filter(|text| text.starts_with("--"));
    while let Some(option) = option(at) {
        at += 1;
        if let Some(inside) = option.strip_prefix("--argv0=") {
            name = Some(inside);
        } else if LOADER_VALUES.contains(&option) {
            name = words.get(at).map(|word| word.text.as_str()).filter(|_| option == "--argv0").or(name);
            at += 1;
        }
    }
    Some((name?, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_are_found() {
        for (text, expected) in [
            ("exec -a git-push git o", Some("'git-push' 'o'")),
            ("exec -cla n git", Some("'n' ")),
            ("exec -l -an git o", Some("'n' 'o'")),
            ("exec git push", None),
            ("exec -- -a", None),
            ("/lib64/ld-linux-x86-64.so.2 --argv0 n /bin/git o", Some("'n' 'o'")),
            ("ld.so --preload x --argv0=n --list /bin/git o", Some("'n' 'o'")),
            ("/lib/ld-2.31.so /bin/git --argv0 n", None),
            ("nice -a n git", None),
        ] {
            let words: Vec<Argument> = text.split(' ').map(Argument::literal).collect();
            assert_eq!(commands(&words).first().map(String::as_str), expected, "{text}");
        }
        let words: Vec<Argument> =
            ["exec", "-a", "/x/git-subtree", "git", "push"].map(Argument::literal).to_vec();
        assert_eq!(commands(&words).last().map(String::as_str), Some("git 'subtree' 'push'"));
    }
}
