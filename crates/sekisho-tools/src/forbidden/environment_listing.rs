//! Programs of other languages that list the whole environment: `print(os.environ)`, `keys %ENV`, `jq -n env`. Reading one
//! variable by its name is no listing, and neither is handing the environment to another program.

use super::argument_zero::is_loader;
use super::resolved_arguments::Argument;

/// Functions that show a value or go through it.
const SHOWING: [&str; 34] = [
    "print",
    "println",
    "printf",
    "pprint",
    "pp",
    "p",
    "puts",
    "say",
    "echo",
    "dump",
    "dumps",
    "Dumper",
    "repr",
    "str",
    "list",
    "sorted",
    "items",
    "write",
    "log",
    "info",
    "error",
    "table",
    "dir",
    "inspect",
    "stringify",
    "keys",
    "values",
    "entries",
    "print_r",
    "var_dump",
    "var_export",
    "json_encode",
    "show",
    "for",
];

/// Whether a program is run with a text that lists the environment.
pub(super) fn lists_environment(program: &Argument, words: &[Argument]) -> bool {
    let name = program.text.rsplit('/').next().unwrap_or_default();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let texts = || words.iter().map(|word| word.text.as_str());
    match name {
        "compgen" => lists_exported(words),
        "cmake" => {
            words.first().is_some_and(|word| word.text == "-E") && texts().nth(1) == Some("environment")
        }
        "jq" | "gojq" | "jaq" => filter(words).is_some_and(lists_in_jq),
        "make" | "gmake" => texts().any(prints_database),
        _ if is_loader(program) => texts().any(|text| text == "--list-diagnostics"),
        "node" | "nodejs" if prints_process(words) => true,
        _ => texts().any(|text| lists_in(name, text)),
    }
}

/// Whether a program in a language lists the environment.
pub(super) fn lists_in(language: &str, program: &str) -> bool {
    match language {
        "awk" | "gawk" | "mawk" | "nawk" => {
            occurrences(program, "ENVIRON").any(|(_, after)| !after.trim_start().starts_with('['))
        }
        "perl" => perl(program),
        "python" | "pypy" => python(program) || shows_module(program),
        "ruby" => ruby(program),
        "node" | "nodejs" | "deno" | "bun" => javascript(program),
        "php" => {
            program.contains("getenv()")
                || program.contains("phpinfo(")
                || ["$_ENV", "$_SERVER"].iter().any(|name| {
                    program.match_indices(name).any(|(at, _)| {
                        let after = program.get(at + name.len()..).unwrap_or_default();
                        !after.trim_start().starts_with(['[', '=']) && shows_before(program, at)
                    })
                })
        }
        "gdb" => program.lines().any(shows_in_gdb),
        "Rscript" | "R" => program.contains("Sys.getenv()"),
        "julia" => occurrences(program, "ENV")
            .any(|(at, after)| !after.starts_with('[') && shows_before(program, at)),
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

/// `node -p process`: the environment is part of it.
fn prints_process(words: &[Argument]) -> bool {
    words.windows(2).any(|pair| match pair {
        [option, text] => {
            let is_print = matches!(option.text.as_str(), "-p" | "-pe" | "--print");
            is_print && matches!(text.text.trim().trim_end_matches(';'), "process" | "globalThis.process")
        }
        _ => false,
    })
}

/// The places of a name that is no part of another, with the text behind it.
fn occurrences<'t>(program: &'t str, name: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    program.match_indices(name).filter_map(move |(at, _)| {
        let before = program.get(..at)?.chars().next_back();
        let after = program.get(at + name.len()..)?;
        let is_whole = !before.is_some_and(is_letter) && !after.starts_with(is_letter);
        is_whole.then_some((at, after))
    })
}

/// Whether a function around a place shows what it is given, or a loop goes through it.
fn shows_before(program: &str, at: usize) -> bool {
    let before = program.get(..at).unwrap_or_default();
    let start = before.rfind([';', '\n']).map_or(0, |end| end + 1);
    let statement = before.get(start..).unwrap_or_default();
    let mut words = statement.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| SHOWING.contains(&word))
}

/// Whether a name that gets a value in the statement around a place is shown elsewhere.
fn is_kept_and_shown(program: &str, at: usize) -> bool {
    let before = program.get(..at).unwrap_or_default();
    let start = before.rfind([';', '\n']).map_or(0, |end| end + 1);
    let statement = before.get(start..).unwrap_or_default();
    let Some((name, _)) = statement.split_once('=') else { return false };
    let name = name.split_whitespace().next_back().unwrap_or_default().trim_start_matches(['%', '@', '$']);
    if name.is_empty() || statement.contains('(') && statement.find('(') < statement.find('=') {
        return false;
    }
    occurrences(program, name).any(|(at, after)| !after.starts_with(['[', '{']) && shows_before(program, at))
}

fn perl(program: &str) -> bool {
    ["%ENV", "%::ENV", "%main::ENV", "%{ENV}", "%{\"ENV\"}", "%$ENV"].iter().any(|name| {
        program.match_indices(name).any(|(at, _)| {
            let after = program.get(at + name.len()..).unwrap_or_default().trim_start();
            let is_set = after.starts_with('=') && !after.starts_with("==");
            !is_set && !after.starts_with(['{', '['])
        })
    })
}

fn python(program: &str) -> bool {
    let names = ["environ", "environb"];
    names.iter().flat_map(|name| occurrences(program, name)).any(|(at, after)| {
        let after = after.trim_start();
        let reads_one = after.starts_with('[')
            || [".get(", ".pop(", ".setdefault(", ".update(", ".clear(", ".__contains__("]
                .iter()
                .any(|method| after.starts_with(method));
        let before = program.get(..at).unwrap_or_default().trim_end_matches("os.").trim_end();
        // `/proc/self/environ` is a path.
        let is_path = before.ends_with('/');
        let starts_loop = || {
            let statement = before.rsplit([';', '\n', '(', '[', '{']).next().unwrap_or_default();
            statement.split_whitespace().any(|word| word == "for")
        };
        // `'A' in os.environ`
        let asks = before.ends_with(" in") && !starts_loop();
        let imports = before.ends_with("import") || before.ends_with("import os");
        let is_passed = ["env=", "env =", "**", "environ="].iter().any(|end| before.ends_with(end))
            || before.ends_with("env=dict(")
            || before.ends_with("env={**");
        !(reads_one || asks || imports || is_passed || is_path)
            && (starts_loop() || shows_before(program, at) || is_kept_and_shown(program, at))
    })
}

/// `print(os.__dict__)`, `print(vars(os))`
fn shows_module(program: &str) -> bool {
    ["os.__dict__", "vars(os)"].iter().flat_map(|name| occurrences(program, name)).any(|(at, after)| {
        let reads_one =
            after.starts_with(['[', '.']) && !after.starts_with(".items") && !after.starts_with(".values");
        !reads_one && (shows_before(program, at) || is_kept_and_shown(program, at))
    })
}

fn ruby(program: &str) -> bool {
    occurrences(program, "ENV").any(|(at, after)| {
        let lists = [
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
        let reads_one = after.starts_with(['[', '.']);
        lists.iter().any(|method| after.starts_with(method)) && !after.starts_with(".values_at")
            || !reads_one && shows_before(program, at)
    })
}

fn javascript(program: &str) -> bool {
    let bare = program.replace("[\"env\"]", ".env").replace("['env']", ".env");
    if bare.contains("Deno.env.toObject") || shows_whole_process(&bare) || shows_taken_environment(&bare) {
        return true;
    }
    ["process.env", "Bun.env", "import.meta.env"].iter().any(|name| {
        occurrences(&bare, name).any(|(at, after)| {
            let reads_one = after.starts_with(['.', '[']) || after.starts_with("?.");
            let before = bare.get(..at).unwrap_or_default().trim_end();
            let statement = before.rsplit([';', '\n']).next().unwrap_or_default();
            // `'A' in process.env`
            let asks = before.ends_with(" in") && !statement.contains("for");
            let is_passed = before.ends_with("...")
                || before.ends_with("env:")
                || before.ends_with("}=")
                || before.ends_with("} =");
            let is_whole = bare.trim() == *name;
            !(reads_one || asks || is_passed)
                && (is_whole || shows_before(&bare, at) || is_kept_and_shown(&bare, at))
        })
    })
}

/// `console.log(process)`
fn shows_whole_process(program: &str) -> bool {
    let before = |at: usize| program.get(..at).unwrap_or_default();
    let is_argument = |(at, after): &(usize, &str)| {
        before(*at).trim_end().ends_with(['(', ',']) && after.trim_start().starts_with([')', ','])
    };
    // In a text it is a word like others.
    let is_text =
        |at: usize| ['"', '\'', '`'].into_iter().any(|quote| before(at).matches(quote).count() % 2 == 1);
    let mut places = occurrences(program, "process").filter(is_argument).take(MOST_PLACES);
    places.any(|(at, _)| shows_before(program, at) && !is_text(at))
}

/// `const {env} = process; console.log(env)`
fn shows_taken_environment(program: &str) -> bool {
    let ends = program.match_indices('}').map(|(end, _)| end);
    let mut taken = ends.filter_map(|end| Some((end, taken_environment(program, end)?))).take(MOST_NAMES);
    let shows = |(end, name): (usize, &str)| {
        let mut uses = occurrences(program, name).filter(|(at, _)| *at > end).take(MOST_PLACES);
        uses.any(|(at, after)| !after.starts_with(['.', '[', '?', ':']) && shows_before(program, at))
    };
    taken.any(shows)
}

/// The name that the environment gets from `{…} = process`, by the place of the closing brace.
fn taken_environment(program: &str, end: usize) -> Option<&str> {
    let rest = program.get(end + 1..)?.trim_start();
    let source = rest.strip_prefix('=').or(rest.strip_prefix("from"))?.trim_start();
    let source = source.trim_start_matches("require(").trim_start_matches(['"', '\'']);
    let after = source.trim_start_matches("node:").strip_prefix("process")?;
    if after.starts_with(|c: char| c.is_alphanumeric() || ".[_".contains(c)) {
        return None;
    }
    let mut fields = program.get(..end)?.rsplit('{').next()?.split(',');
    fields.find_map(|field| match field.trim().strip_prefix("env")?.trim() {
        "" => Some("env"),
        rest => rest.strip_prefix(':').or(rest.strip_prefix("as ")).map(str::trim),
    })
}

/// How many places of a name are looked at.
const MOST_PLACES: usize = 64;
/// How many names.
const MOST_NAMES: usize = 16;

/// The filter among the arguments of `jq`.
fn filter(words: &[Argument]) -> Option<&str> {
    let mut words = words.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => {
                words.nth(1);
            }
            "--indent" | "-L" => {
                words.next();
            }
            "-f" | "--from-file" => return None,
            option if option.starts_with('-') && option.len() > 1 => {}
            filter => return Some(filter),
        }
    }
    None
}

fn lists_in_jq(filter: &str) -> bool {
    // What is in strings is no program.
    let bare: String = filter.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
    let variable = bare.match_indices("$ENV").any(|(at, name)| {
        let after = bare.get(at + name.len()..).unwrap_or_default();
        !after.starts_with(['.', '[']) && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    });
    let function = occurrences(&bare, "env").any(|(at, after)| {
        let before = bare.get(..at).unwrap_or_default();
        let after = after.trim_start();
        let is_field = before.ends_with(['.', '$', '@', '"', ':']) && !before.ends_with("::");
        let is_key = before.trim_end().ends_with(['{', ','])
            && after.starts_with([':', ',', '}'])
            && before.contains('{');
        // `env.HOME`, `env["HOME"]`, `env | .HOME`
        let reads_one = after.starts_with(['.', '[']) || after.starts_with("| .") || after.starts_with("|.");
        !is_field && !is_key && !after.starts_with(':') && !reads_one
    });
    variable || function
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
mod tests {
    use super::*;

    #[track_caller]
    fn check(rows: &[(&str, &str, bool)]) {
        for (program, text, expected) in rows {
            let words = [Argument::literal(text)];
            assert_eq!(lists_environment(&Argument::literal(program), &words), *expected, "{program} {text}");
        }
    }

    #[test]
    fn listings_of_scripts_are_told_from_single_variables() {
        check(&[
            ("python3", "import os; print(os.environ)", true),
            ("python3", "import os; print(dict(os.environ))", true),
            ("python3", "import os,json; print(json.dumps(dict(os.environ)))", true),
            ("python3", "import os\nfor k, v in os.environ.items(): print(k, v)", true),
            ("python3", "import os; [print(k) for k in os.environ]", true),
            ("python3", "from os import environ as e; print(e)", false),
            ("python3", "from os import environ; print(environ)", true),
            ("python3", "import os; e = dict(os.environ); print(e)", true),
            ("python3", "import os; print(os.environ[\"HOME\"])", false),
            ("python3", "import os; print(os.environ.get(\"HOME\"))", false),
            ("python3", "import os; print('A' in os.environ)", false),
            ("python3", "import os; e = os.environ.copy(); e['A'] = '1'; run(x, env=e)", false),
            ("python3", "import os; print(run(x, env=os.environ))", false),
            ("python3", "import os; run(x, env={**os.environ, 'A': '1'})", false),
            ("node", "console.log(process.env)", true),
            ("node", "console.log(JSON.stringify(process.env))", true),
            ("node", "for (const k in process.env) console.log(k)", true),
            ("node", "process.env", true),
            ("node", "const e = process.env; console.log(e)", true),
            ("node", "console.log(process)", true),
            ("node", "const {env}=process; console.log(env)", true),
            ("node", "const { env: e } = require('process'); for (const k in e) console.log(k)", true),
            ("node", "import {env} from 'node:process'; console.log(JSON.stringify(env))", true),
            ("node", "const {env} = process; console.log(env.PORT)", false),
            ("node", "const { argv } = process; console.log(argv)", false),
            ("node", "console.log('done', 'the process')", false),
            ("node", "console.log(process.argv)", false),
            ("node", "process", false),
            ("python3", "import os; print(os.__dict__)", true),
            ("python3", "import os; print(vars(os))", true),
            ("python3", "print(os.__dict__['sep'])", false),
            ("node", "console.log(process.env.PORT)", false),
            ("node", "spawn('a', { env: process.env })", false),
            ("node", "const { PORT } = process.env; console.log(PORT)", false),
            ("node", "console.log('A' in process.env)", false),
        ]);
    }

    #[test]
    fn listings_of_programs_are_told_from_single_variables() {
        check(&[
            ("gdb", "show env", true),
            ("gdb", "show environment", true),
            ("gdb", "show environment HOME", false),
            ("make", "-p", true),
            ("gmake", "-qp", true),
            ("make", "-pf", true),
            ("make", "--print-data-base", true),
            ("make", "--print-directory", false),
            ("make", "-j4", false),
            ("make", "-Cp", false),
            ("/lib64/ld-linux-x86-64.so.2", "--list-diagnostics", true),
            ("ld.so", "--list", false),
            ("perl", "print \"$_=$ENV{$_}\\n\" for keys %ENV", true),
            ("perl", "print %ENV", true),
            ("perl", "print $ENV{HOME}", false),
            ("perl", "%ENV = (); exec @ARGV", false),
            ("ruby", "puts ENV.to_a", true),
            ("ruby", "p ENV", true),
            ("ruby", "ENV.each { |k, v| puts k }", true),
            ("ruby", "puts ENV[\"HOME\"]", false),
            ("ruby", "puts ENV.fetch(\"HOME\")", false),
            ("awk", "BEGIN{for(k in ENVIRON)print k}", true),
            ("awk", "BEGIN{print ENVIRON[\"HOME\"]}", false),
            ("php", "print_r(getenv());", true),
            ("php", "print_r($_ENV);", true),
            ("php", "echo getenv('HOME');", false),
            ("jq", "env", true),
            ("jq", "$ENV", true),
            ("jq", "env|to_entries[]", true),
            ("jq", "$ENV.HOME", false),
            ("jq", "env.HOME", false),
            ("jq", ".env", false),
            ("jq", "{env: .a}", false),
            ("jq", "{env}", false),
            ("jq", ".a[$env]", false),
            ("jq", ".[\"env\"]", false),
            ("compgen", "-e", true),
            ("compgen", "-W", false),
        ]);
    }
}
