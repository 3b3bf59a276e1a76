//! Programs of other languages that list the whole environment: `print(os.environ)`, `keys %ENV`, `jq -n env`. Reading one
//! variable by its name is no listing, and neither is handing the environment to another program.

mod javascript;
mod jq;
mod python;
mod statements;

use super::argument_zero::is_loader;
use super::budget::Budget;
use super::resolved_arguments::Argument;
use statements::{Statements, is_letter, occurrences};

/// Languages whose programs are searched.
const LANGUAGES: [&str; 22] = [
    "awk", "gawk", "mawk", "nawk", "perl", "python", "pypy", "ruby", "node", "nodejs", "deno", "bun", "php",
    "gdb", "Rscript", "R", "julia", "tclsh", "expect", "vi", "vim", "nvim",
];

/// Whether a program is run with a text that lists the environment.
pub(super) fn lists_environment(program: &Argument, words: &[Argument], budget: &Budget) -> bool {
    let name = program.text.rsplit('/').next().unwrap_or_default();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let texts = || words.iter().map(|word| word.text.as_str());
    match name {
        "compgen" => lists_exported(words),
        "cmake" => {
            words.first().is_some_and(|word| word.text == "-E") && texts().nth(1) == Some("environment")
        }
        "jq" | "gojq" | "jaq" => spend_all(words, budget) && jq::lists(words),
        "make" | "gmake" => texts().any(prints_database),
        _ if is_loader(program) => texts().any(|text| text == "--list-diagnostics"),
        _ if !LANGUAGES.contains(&name) || !spend_all(words, budget) => false,
        "node" | "nodejs" | "bun" if prints_value(words) => true,
        _ => texts().any(|text| lists_in(name, text)),
    }
}

/// Takes what reading the words costs. False if that is too much.
fn spend_all(words: &[Argument], budget: &Budget) -> bool {
    budget.spend(words.iter().map(|word| word.text.len()).sum::<usize>() / COST)
}

/// How many characters are read for one unit of work.
const COST: usize = 4;

/// Whether a program in a language lists the environment.
pub(super) fn lists_in(language: &str, program: &str) -> bool {
    match language {
        "awk" | "gawk" | "mawk" | "nawk" => {
            occurrences(program, "ENVIRON").any(|(_, after)| !after.trim_start().starts_with('['))
        }
        "perl" => perl(program),
        "python" | "pypy" => python::lists(program),
        "ruby" => ruby(program),
        "node" | "nodejs" | "deno" | "bun" => javascript::lists(program),
        "php" => php(program),
        "gdb" => {
            program.lines().any(shows_in_gdb)
                || program.lines().any(|line| is_python_in_gdb(line.trim())) && python::lists(program)
        }
        "Rscript" | "R" => program.contains("Sys.getenv()"),
        "julia" => {
            program.contains("ENV") && {
                let statements = Statements::new(program);
                occurrences(program, "ENV")
                    .any(|(at, after)| !after.starts_with('[') && statements.shows_before(at))
            }
        }
        "tclsh" | "expect" => [
            "parray env",
            "parray ::env",
            "array get env",
            "array get ::env",
            "array names env",
            "array names ::env",
        ]
        .iter()
        .any(|command| program.contains(command)),
        "vi" | "vim" | "nvim" => occurrences(program, "environ")
            .any(|(_, after)| after.strip_prefix("()").is_some_and(|after| !after.starts_with(['[', '.']))),
        _ => false,
    }
}

/// `make -p`, `make -qp`, `make --print-data-base`: with the rules, the variables of the environment are shown.
fn prints_database(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => long.starts_with("print-da") && "print-data-base".starts_with(long),
        None => {
            let letters = word.strip_prefix('-').unwrap_or_default();
            // Behind these letters a value follows.
            letters.split(|c: char| "CEfIjlOoW".contains(c)).next().is_some_and(|flags| flags.contains('p'))
        }
    }
}

/// `show environment`, in any abbreviation. With a name one variable is shown.
fn shows_in_gdb(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    matches!(words.as_slice(), [show, what] if show.len() > 2
        && "show".starts_with(show)
        && what.len() > 2
        && "environment".starts_with(what))
}

/// `python import os; print(os.environ)`, and the line before several lines of Python.
fn is_python_in_gdb(line: &str) -> bool {
    let command = line.split_whitespace().next().unwrap_or_default();
    matches!(command, "python" | "py" | "python-interactive" | "pi")
}

/// `node -p process`: the value of the text is shown, and the environment is part of it.
fn prints_value(words: &[Argument]) -> bool {
    words.windows(2).any(|pair| match pair {
        [option, text] => {
            let is_print = matches!(option.text.as_str(), "-p" | "-pe" | "--print");
            is_print && javascript::lists(&javascript::with_shown_value(&text.text))
        }
        _ => false,
    })
}

fn perl(program: &str) -> bool {
    let names = ["%ENV", "%::ENV", "%main::ENV", "%{ENV}", "%{\"ENV\"}", "%$ENV", "%{*ENV", "%*ENV"];
    let after = |at: usize, name: &str| program.get(at + name.len()..).unwrap_or_default().trim_start();
    let is_set = |after: &str| after.starts_with('=') && !after.starts_with("==");
    let lists = names.iter().any(|name| {
        program.match_indices(name).any(|(at, _)| {
            let after = after(at, name);
            !is_set(after) && !after.starts_with(['{', '['])
        })
    });
    // `*e = *ENV` makes `%e` another name of it.
    let globs = ["*ENV", "*::ENV", "*main::ENV"];
    lists
        || globs.iter().any(|name| {
            program.match_indices(name).any(|(at, _)| {
                let after = after(at, name);
                !is_set(after) && !after.starts_with(is_letter)
            })
        })
}

fn php(program: &str) -> bool {
    if program.contains("getenv()") || program.contains("phpinfo(") {
        return true;
    }
    let names = ["$_ENV", "$_SERVER"];
    if !names.iter().any(|name| program.contains(name)) {
        return false;
    }
    let statements = Statements::new(program);
    names.iter().any(|name| {
        program.match_indices(name).any(|(at, _)| {
            let after = program.get(at + name.len()..).unwrap_or_default();
            !after.trim_start().starts_with(['[', '=']) && statements.shows_before(at)
        })
    })
}

/// Methods that go through all variables.
const RUBY_METHODS: [&str; 17] = [
    ".each",
    ".to_",
    ".map",
    ".inspect",
    ".sort",
    ".keys",
    ".values",
    ".select",
    ".collect",
    ".reject",
    ".filter",
    ".entries",
    ".flat_map",
    ".sum",
    ".reduce",
    ".inject",
    ".find_all",
];

fn ruby(program: &str) -> bool {
    if !program.contains("ENV") {
        return false;
    }
    let statements = Statements::new(program);
    occurrences(program, "ENV").any(|(at, after)| {
        let reads_one = after.starts_with(['[', '.']);
        let lists = RUBY_METHODS.iter().any(|method| after.starts_with(method));
        lists && !after.starts_with(".values_at") || !reads_one && statements.shows_before(at)
    })
}

/// `compgen -e`, `compgen -A export`
fn lists_exported(words: &[Argument]) -> bool {
    // `-ge` with more words is rather a comparison.
    let is_comparison = |word: &Argument| word.text == "-ge" && words.len() > 1;
    if words.iter().any(is_comparison) {
        return false;
    }
    let mut words = words.iter().map(|word| word.text.as_str());
    while let Some(letters) = words.next().and_then(|word| word.strip_prefix('-')) {
        let Some(at) = letters.find(|c: char| "oAGWFCXPSV-".contains(c)) else {
            if letters.contains('e') {
                return true;
            }
            continue;
        };
        let (flags, option) = letters.split_at_checked(at).unwrap_or_default();
        let inside = option.get(1..).filter(|value| !value.is_empty());
        if flags.contains('e') {
            return true;
        }
        if option.starts_with('-') {
            return false;
        }
        let value = inside.or_else(|| words.next());
        if option.starts_with('A') && value == Some("export") {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests;
