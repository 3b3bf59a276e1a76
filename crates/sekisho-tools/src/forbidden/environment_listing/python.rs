//! Python programs that show `os.environ`.

use super::statements::{Parts, Statements, any_place, is_letter, occurrences};

/// Methods that read or change single variables.
const METHODS: [&str; 6] = [".get(", ".pop(", ".setdefault(", ".update(", ".clear(", ".__contains__("];
/// How the environment of another program is given.
const ARGUMENTS: [&str; 3] = ["env=", "env =", "environ="];

/// Whether a program shows the whole environment.
pub(super) fn lists(program: &str) -> bool {
    shows_environment(program) || shows_module(program)
}

fn shows_environment(program: &str) -> bool {
    if !program.contains("environ") {
        return false;
    }
    let statements = Statements::new(program);
    let loops = Parts::new(program, &[';', '\n', '(', '[', '{'], &["for"]);
    let uses_whole = |(at, after): &(usize, &str)| {
        let after = after.trim_start();
        let reads_one = after.starts_with('[') || METHODS.iter().any(|method| after.starts_with(method));
        let before = before(program, *at);
        // `/proc/self/environ` is a path.
        let is_path = before.ends_with('/');
        // `'A' in os.environ`
        let asks = before.ends_with(" in") && !loops.has_before(*at);
        let imports = before.ends_with("import") && !after.starts_with("as ");
        !(reads_one || is_path || asks || imports)
    };
    let shows = |(at, after): (usize, &str)| {
        if let Some(name) = after.trim_start().strip_prefix("as ") {
            // `from os import environ as e`
            let name = name.trim_start().split(|c: char| !is_letter(c)).next().unwrap_or_default();
            return statements.shows(name);
        }
        let start = before(program, at).len();
        !statements.is_passed(start, &ARGUMENTS)
            && (loops.has_before(at) || statements.shows_before(at) || statements.is_kept_and_shown(at))
    };
    let names = ["environ", "environb"];
    any_place(names.iter().flat_map(|name| occurrences(program, name)).filter(uses_whole), shows)
}

/// What is before the whole expression: `os.` is a part of it.
fn before(program: &str, at: usize) -> &str {
    let before = program.get(..at).unwrap_or_default();
    before.strip_suffix("os.").unwrap_or(before).trim_end()
}

/// `print(os.__dict__)`, `print(vars(os))`
fn shows_module(program: &str) -> bool {
    let names = ["os.__dict__", "vars(os)"];
    if !names.iter().any(|name| program.contains(name)) {
        return false;
    }
    let statements = Statements::new(program);
    let uses_whole = |(_, after): &(usize, &str)| {
        !after.starts_with(['[', '.']) || after.starts_with(".items") || after.starts_with(".values")
    };
    let shows = |(at, _): (usize, &str)| statements.shows_before(at) || statements.is_kept_and_shown(at);
    any_place(names.iter().flat_map(|name| occurrences(program, name)).filter(uses_whole), shows)
}
