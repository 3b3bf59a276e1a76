//! Programs of other languages that list the whole environment: `print(os.environ)`, `keys %ENV`, `jq -n env`. Reading one
//! variable by its name is no listing, and neither is handing the environment to another program.

mod javascript;
mod jq;
mod python;
mod statements;

use super::argument_zero::is_loader;
use super::budget::Budget;
use super::resolved_arguments::Argument;
use statements::{MOST_PLACES, Statements, is_letter, occurrences};

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
        "jq" | "gojq" | "jaq" => texts().all(|text| budget.spend(cost(text))) && jq::lists(words),
        "make" | "gmake" => texts().any(prints_database),
        "npm" | "yarn" | "mise" | "php" | "systemctl" | "tmux" if prints_environment(name, words) => true,
        _ if is_loader(program) => texts().any(|text| text == "--list-diagnostics"),
        _ if !LANGUAGES.contains(&name) => false,
        "node" | "nodejs" | "bun" if prints_value(words, budget) => true,
        _ => texts().any(|text| lists_in(name, text, budget)),
    }
}

/// What reading a program costs. It is read several times if it names the environment, and once more for each place.
fn cost(program: &str) -> usize {
    let names = ["env", "ENV", "environ", "process", "__dict__", "vars(os)", "$_SERVER"];
    let counts = names.iter().map(|name| program.matches(*name).take(MOST_PLACES).count());
    match counts.max().unwrap_or_default() {
        0 => program.len() / 4,
        places => 2 * program.len() + places * program.len() / 4,
    }
}

/// Whether a program in a language lists the environment.
pub(super) fn lists_in(language: &str, program: &str, budget: &Budget) -> bool {
    if !LANGUAGES.contains(&language) || !budget.spend(cost(program)) {
        return false;
    }
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

/// Programs that print the environment by a command or an option of their own: `npm run env`, `php -i`.
fn prints_environment(name: &str, words: &[Argument]) -> bool {
    let texts = || words.iter().map(|word| word.text.as_str());
    let operands = || texts().filter(|text| !text.starts_with('-'));
    let starts_with = |first: &[&str], second: &str| {
        operands().next().is_some_and(|word| first.contains(&word)) && operands().nth(1) == Some(second)
    };
    match name {
        "npm" => starts_with(&["run", "run-script", "rum", "urn"], "env"),
        "yarn" => starts_with(&["run"], "env"),
        "mise" => operands().next().is_some_and(|word| matches!(word, "env" | "e")),
        "php" => {
            let mut options = texts().take_while(|text| text.starts_with('-') && *text != "--");
            options.any(|option| matches!(option, "-i" | "--info"))
        }
        "systemctl" => texts().any(|text| text == "show-environment"),
        "tmux" => {
            // Behind the command a name chooses one variable.
            let mut behind = texts().skip_while(|text| !matches!(*text, "show-environment" | "showenv"));
            let is_shown = behind.next().is_some();
            let mut is_target = false;
            let names = behind.filter(|text| {
                let is_value = std::mem::replace(&mut is_target, *text == "-t");
                !is_value && !text.starts_with('-')
            });
            is_shown && names.count() == 0
        }
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
fn prints_value(words: &[Argument], budget: &Budget) -> bool {
    words.windows(2).any(|pair| match pair {
        [option, text] => {
            let is_print = matches!(option.text.as_str(), "-p" | "-pe" | "--print");
            is_print
                && budget.spend(cost(&text.text))
                && javascript::lists(&javascript::with_shown_value(&text.text))
        }
        _ => false,
    })
}

fn perl(program: &str) -> bool {
    let names =
        ["%ENV", "%::ENV", "%main::ENV", "%{ENV}", "%{\"ENV\"}", "%{+ENV", "%$ENV", "%{*ENV", "%*ENV"];
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
    occurrences(program, "ENV").enumerate().any(|(number, (at, after))| {
        let reads_one = after.starts_with(['[', '.']);
        let lists = RUBY_METHODS.iter().any(|method| after.starts_with(method));
        if number < MOST_PLACES && is_ruby_copy(program, at, statements.before(at), after) {
            return false;
        }
        lists && !after.starts_with(".values_at") || !reads_one && statements.shows_before(at)
    })
}

/// Methods that start a program, and the names that they get their environment from.
const RUBY_STARTERS: [&str; 7] =
    ["system(", "spawn(", "exec(", "popen(", "capture2(", "capture2e(", "capture3("];

/// `env = ENV.to_h.merge("A" => "b"); system(env, "rake")`: a copy that only programs get.
fn is_ruby_copy(program: &str, at: usize, before: &str, after: &str) -> bool {
    let Some(rest) = after.strip_prefix(".to_h") else { return false };
    let rest = match rest.strip_prefix(".merge(") {
        Some(inner) => inner.split_once(')').map_or(inner, |(_, rest)| rest),
        None => rest,
    };
    let rest = rest.trim_start_matches([' ', '\t']);
    let is_given = |before: &str, after: &str| {
        after.trim_start().starts_with(',') && RUBY_STARTERS.iter().any(|start| before.ends_with(start))
    };
    if is_given(before.trim_end(), rest) {
        return true;
    }
    let name = before.trim_end().strip_suffix('=').map(str::trim).unwrap_or_default();
    let is_name = !name.is_empty() && name.chars().all(is_letter);
    let is_ended = rest.is_empty() || rest.starts_with([';', '\n']);
    is_name
        && is_ended
        && occurrences(program, name).all(|(place, after)| {
            let before = program.get(..place).unwrap_or_default().trim_end();
            let next = after.trim_start();
            let gets_value = place < at && next.starts_with('=') && !next.starts_with("==");
            gets_value || after.starts_with('[') || is_given(before, after)
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
