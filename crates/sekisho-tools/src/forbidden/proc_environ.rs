//! Paths to the environment of a process.

use super::budget::Budget;
use super::resolved_arguments::Argument;

/// What may precede a path inside a word: `if=/proc/…`, `@/proc/…`, `a:/proc/…`.
const BEFORE_PATH: [char; 9] = ['=', '@', ':', ',', '<', '"', '\'', '(', ' '];

/// Whether a word contains a path to `/proc/PID/environ`. In program text the path may start anywhere; otherwise it must
/// start where a path can start (see [`BEFORE_PATH`]).
pub(super) fn names_environment(argument: &Argument, is_program_text: bool, budget: &Budget) -> bool {
    let text = &argument.text;
    if !budget.spend(text.len() / 16) {
        return false;
    }
    let starts = text.match_indices('/').map(|(at, _)| at).filter(|at| {
        let before = text.get(..*at).unwrap_or_default();
        let is_short_option = before.len() == 2 && before.starts_with('-');
        is_program_text || before.is_empty() || is_short_option || before.ends_with(BEFORE_PATH)
    });
    let mut paths = starts.take_while(|_| !budget.is_spent()).filter_map(|at| text.get(at..));
    let found = paths.any(|path| {
        let found = path_at_start(path, is_program_text);
        // Looking for a line end is much cheaper than taking a path apart, and than looking for the end of a literal.
        let cost = match found {
            Some(path) if is_program_text => path.len(),
            Some(path) => path.len() / 4 + 1,
            None if is_program_text => LONGEST_PATH,
            None => LONGEST_PATH / 16,
        };
        budget.spend(cost) && found.is_some_and(is_environment)
    });
    // `f"/proc/{os.getpid()}/environ"`, `"/proc/self/" + "environ"`
    let names_both = |line: &str| {
        let behind = line.split_once("/proc/").map_or("", |(_, behind)| behind);
        ["/environ", "\"environ", "'environ"].iter().any(|name| behind.contains(name))
    };
    found
        || is_program_text && text.contains("/proc/") && text.lines().any(names_both)
        || text.contains("proc") && budget.spend(text.len() / 4) && is_relative(text)
}

/// The path that a text begins with. In program text it ends where the string literal ends, otherwise at the end of the
/// line. `None` if it is longer than the kernel accepts.
fn path_at_start(text: &str, is_program_text: bool) -> Option<&str> {
    let ends = |byte: &u8| match is_program_text {
        true => b"\"') ;\n`".contains(byte),
        false => *byte == b'\n',
    };
    match text.bytes().take(LONGEST_PATH).position(|byte| ends(&byte)) {
        Some(end) => text.get(..end),
        None => Some(text).filter(|text| text.len() < LONGEST_PATH),
    }
}

/// The length in bytes from which the kernel refuses a path.
const LONGEST_PATH: usize = 4096;

/// `proc/1/environ` in a path that is relative or begins with a link.
fn is_relative(text: &str) -> bool {
    let names = names(text);
    names.windows(3).any(|part| match part {
        ["proc", _, "environ"] => true,
        ["proc", process, file] => is_process(process) && !is_wild(file) && fits(file, "environ"),
        _ => false,
    })
}

/// Whether a word is a directory below `/proc`. `/dev/fd` is a link to one.
pub(super) fn is_below_proc(argument: &Argument) -> bool {
    let text = argument.text.as_str();
    text.starts_with('/')
        && match names(text).as_slice() {
            [dev, fd, ..] if fits(dev, "dev") && fits(fd, "fd") => true,
            [first, ..] => fits(first, "proc"),
            [] => false,
        }
}

/// Whether a word is the root directory.
pub(super) fn is_root(argument: &Argument) -> bool {
    argument.text.starts_with('/') && names(&argument.text).is_empty()
}

/// Whether a relative word is `proc` or below it, which is `/proc` behind `cd /`.
pub(super) fn is_proc_below_root(argument: &Argument) -> bool {
    let text = argument.text.as_str();
    !text.starts_with('/') && names(text).first().is_some_and(|first| fits(first, "proc"))
}

/// Whether a relative word may be such a file behind `cd /`: `[p]roc/self/environ`.
pub(super) fn names_environment_below_root(argument: &Argument) -> bool {
    match names(&argument.text).as_slice() {
        [_, .., file] => is_proc_below_root(argument) && !is_wild(file) && fits(file, "environ"),
        _ => false,
    }
}

/// Whether a word is `/proc`, or the directory of a process below it.
pub(super) fn is_process_directory(argument: &Argument) -> bool {
    argument.text.starts_with('/') && is_at_process(&argument.text)
}

/// Whether a word is the target of a link to such a directory. It may start from the link's own directory.
pub(super) fn may_link_to_process(argument: &Argument) -> bool {
    argument.text.starts_with("../../") && is_at_process(&argument.text) || is_process_directory(argument)
}

fn is_at_process(path: &str) -> bool {
    match names(path).as_slice() {
        [proc] => fits(proc, "proc"),
        [proc, process] | [proc, process, "task"] | [proc, process, "task", _] => {
            fits(proc, "proc") && is_process(process)
        }
        _ => false,
    }
}

/// Whether a word leads below `/proc` through a link to what is above it: `x/proc/self`, `x/proc/self/e*`.
pub(super) fn leads_to_process(argument: &Argument) -> bool {
    names(&argument.text).windows(2).any(|part| matches!(part, ["proc", process] if is_process(process)))
}

/// `self`, a number, or what may be one.
fn is_process(name: &str) -> bool {
    name.contains(['*', '?', '['])
        || matches!(name, "self" | "thread-self")
        || name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word is a path whose last name may be `environ`.
pub(super) fn ends_in_environment(argument: &Argument) -> bool {
    argument.text.to_lowercase().contains("env") && argument.may_end_in("environ")
}

fn is_environment(path: &str) -> bool {
    match names(path).as_slice() {
        // In `/dev/fd/../environ` the link to `/proc/self/fd` is followed first.
        [dev, .., file] if is_through_link(path) => fits(dev, "dev") && fits(file, "environ"),
        // `/proc/thread-self` is a link to a directory two levels below.
        ["environ"] | ["proc", "environ"] => path.contains("thread-self"),
        [proc, _, "environ"] if is_wild(proc) => true,
        [proc, _, file] | [proc, _, _, _, file] => fits(proc, "proc") && fits(file, "environ"),
        [proc, .., file] => *proc == "proc" && *file == "environ",
        _ => false,
    }
}

/// Whether a path goes into `/dev/fd` and out again with `..`.
fn is_through_link(path: &str) -> bool {
    let mut names = path.split('/').filter(|name| !matches!(*name, "" | "."));
    let is_link =
        names.next().is_some_and(|dev| fits(dev, "dev")) && names.next().is_some_and(|fd| fits(fd, "fd"));
    is_link && names.any(|name| name == "..")
}

fn names(path: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    names
}

/// Whether a name with wildcards may be this name. A pattern of wildcards only (`*`) matches `environ`, but not the name of
/// a directory.
fn fits(pattern: &str, name: &str) -> bool {
    (name == "environ" || !is_wild(pattern))
        && sekisho_policy::NameGlob::new(pattern).matches(name, sekisho_policy::LeadingDot::Wild)
}

fn is_wild(pattern: &str) -> bool {
    pattern.chars().all(|c| "*?".contains(c))
}
