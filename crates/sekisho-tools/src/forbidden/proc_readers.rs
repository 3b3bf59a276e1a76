//! Programs that read whole directories: `grep -r x /proc/self` reads the environment of a process without naming it.
//!
//! What `--include` and `-name` leave out is not followed: an option may as well be the value of another.

use super::proc_environ::is_process_directory;
use super::resolved_arguments::Argument;

/// Programs that search for an expression, and whose option `-r` makes them read directories.
const SEARCHERS: [&str; 6] = ["grep", "egrep", "fgrep", "zgrep", "zegrep", "zfgrep"];
/// Those that always do.
const TREE_SEARCHERS: [&str; 8] = ["rgrep", "rg", "rga", "ag", "ack", "ack-grep", "ugrep", "ug"];
/// Other programs that read directories with one of these letters; without letters always.
const COPIERS: [(&str, &str); 8] = [
    ("cp", "rRa"),
    ("diff", "r"),
    ("zip", "r"),
    ("rsync", "ra"),
    ("scp", "r"),
    ("tar", ""),
    ("bsdtar", ""),
    ("gtar", ""),
];
/// Letters of searchers that have a value in every one of them that has the option.
const VALUES: &str = "efmABCdDgtjM";
/// Long options whose value is the next word.
const LONG_VALUES: [&str; 12] = [
    "--after-context",
    "--before-context",
    "--context",
    "--directories",
    "--exclude",
    "--exclude-dir",
    "--exclude-from",
    "--file",
    "--glob",
    "--include",
    "--max-count",
    "--regexp",
];
/// Actions of `find` that run a command.
const ACTIONS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

/// Whether a command reads all files of a process's directory.
pub(super) fn reads_process(arguments: &[Argument]) -> bool {
    reads_directories(arguments) && operands(arguments).into_iter().any(is_process_directory)
        || finds_process_files(arguments) && runs_command(arguments)
}

/// Whether a command reads all files of a directory, be it the one that it runs in.
pub(super) fn reads_directories(arguments: &[Argument]) -> bool {
    let Some((program, rest)) = arguments.split_first() else { return false };
    let is_any = |names: &[&str]| names.iter().any(|name| program.runs(name));
    let has =
        |letters: &str| rest.iter().any(|word| has_flag(&word.text, letters) || is_recursion(&word.text));
    let copies = |(name, letters): &(&str, &str)| program.runs(name) && (letters.is_empty() || has(letters));
    is_any(&TREE_SEARCHERS)
        || is_any(&SEARCHERS) && rest.iter().any(|word| is_recursion(&word.text) || recurses(&word.text))
        || is_git_grep(arguments)
        || COPIERS.iter().any(copies)
}

/// Whether `find` shows the files of a process: `find /proc/self -type f | xargs cat`.
pub(super) fn finds_process_files(arguments: &[Argument]) -> bool {
    let Some((program, rest)) = arguments.split_first() else { return false };
    if !program.runs("find") {
        return false;
    }
    let is_flag = |word: &&Argument| matches!(word.text.as_str(), "-H" | "-L" | "-P" | "-O2" | "-O3");
    let is_root = |word: &&Argument| !word.text.starts_with(['-', '(', '!']);
    let mut roots = rest.iter().skip_while(is_flag).take_while(is_root);
    roots.any(is_process_directory)
}

fn runs_command(arguments: &[Argument]) -> bool {
    arguments.iter().any(|word| ACTIONS.contains(&word.text.as_str()))
}

/// The letters of short options.
fn letters(word: &str) -> &str {
    word.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default()
}

fn has_flag(word: &str, flags: &str) -> bool {
    letters(word).contains(|c: char| flags.contains(c))
}

/// Whether a searcher has the option `-r` or `-R`. Behind a letter that has a value, the value follows.
fn recurses(word: &str) -> bool {
    let before_value = letters(word).split(|c: char| VALUES.contains(c)).next();
    before_value.is_some_and(|flags| flags.contains(['r', 'R']))
}

/// `--recursive` and what means the same, in any abbreviation that is not another option.
fn is_recursion(word: &str) -> bool {
    let is_abbreviated = |full: &str| word.len() > 4 && full.starts_with(word);
    ["--recursive", "--dereference-recursive", "--archive"].into_iter().any(is_abbreviated)
        || matches!(word, "recurse" | "-drecurse" | "--directories=recurse")
}

fn is_git_grep(arguments: &[Argument]) -> bool {
    matches!(arguments, [program, subcommand, ..] if program.runs("git") && subcommand.text == "grep")
}

/// The words that may name files: neither options nor their values, nor the expression of a searcher.
fn operands(arguments: &[Argument]) -> Vec<&Argument> {
    let Some((program, rest)) = arguments.split_first() else { return Vec::new() };
    let is_searcher = SEARCHERS.iter().chain(&TREE_SEARCHERS).any(|name| program.runs(name));
    let is_git = is_git_grep(arguments);
    // Some values are optional in these, so that it is not known where the expression is.
    let is_vague = ["ag", "ack", "ack-grep"].iter().any(|name| program.runs(name));
    let mut is_given = !is_searcher && !is_git || is_vague;
    let mut found: Vec<&Argument> = Vec::new();
    let mut words = rest.iter().skip(usize::from(is_git));
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if text == "--" {
            found.extend(words);
            break;
        }
        let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            found.push(word);
            continue;
        };
        if letters.starts_with('-') {
            is_given |= text.starts_with("--reg") || text == "--file" || text.starts_with("--file=");
            if LONG_VALUES.contains(&text) && (is_searcher || is_git || text.starts_with("--exclude")) {
                words.next();
            }
        } else if is_searcher || is_git {
            let value = letters.find(|c: char| VALUES.contains(c)).and_then(|at| letters.get(at..));
            is_given |= value.is_some_and(|value| value.starts_with(['e', 'f']));
            if value.is_some_and(|value| value.len() == 1) {
                words.next();
            }
        } else if leaves_next_out(program, text) {
            words.next();
        }
    }
    if !is_given && !found.is_empty() {
        found.remove(0);
    }
    found
}

/// Options whose value is what a program leaves out.
fn leaves_next_out(program: &Argument, option: &str) -> bool {
    let names: &[&str] = match option {
        "-x" => &["diff", "zip"],
        "-X" => &["diff", "tar", "gtar", "bsdtar"],
        _ => return false,
    };
    names.iter().any(|name| program.runs(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_processes_are_told_from_others() {
        for (text, expected) in [
            ("grep -r x /proc/self", true),
            ("grep -rs x /proc/self/ -h --include=env*", true),
            ("grep x -R /proc", true),
            ("grep -re x /proc/1", true),
            ("grep -rT x /proc/1", true),
            ("ag -A x /proc/self", true),
            ("rsync -a -x /proc/self d", true),
            ("grep -d recurse x /proc/self", true),
            ("grep --recursive x /proc/thread-self", true),
            ("rg x /proc/self/task", true),
            ("git grep --no-index x /proc/self", true),
            ("cp -dR /proc/self d", true),
            ("tar cf - /proc/self", true),
            ("find /proc/self -type f -exec cat {} +", true),
            ("grep x /proc/self", false),
            ("grep -r x .", false),
            ("grep -r /proc/self src", false),
            ("grep -rne /proc/self src", false),
            ("grep -r x /proc/cpuinfo", false),
            ("grep -r x /proc/sys/net", false),
            ("grep -r --exclude-dir /proc x /", false),
            ("tar czf b --exclude /proc /", false),
            ("find /proc/self/fd -exec ls {} +", false),
            ("find . -exec cat {} +", false),
            ("ls /proc/self", false),
        ] {
            let words: Vec<Argument> = text.split(' ').map(Argument::literal).collect();
            assert_eq!(reads_process(&words), expected, "{text}");
        }
    }
}
