//! Programs of other languages that list the whole environment: `print(os.environ)`, `keys %ENV`, `jq -n env`. Reading one
//! variable by its name is no listing, and neither is handing the environment to another program.

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
        "python" | "pypy" => python(program),
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
    if bare.contains("Deno.env.toObject") {
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

    #[test]
    fn listings_are_told_from_single_variables() {
        for (program, text, expected) in [
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
            ("node", "console.log(process.env.PORT)", false),
            ("node", "spawn('a', { env: process.env })", false),
            ("node", "const { PORT } = process.env; console.log(PORT)", false),
            ("node", "console.log('A' in process.env)", false),
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
        ] {
            let words = [Argument::literal(text)];
            assert_eq!(lists_environment(&Argument::literal(program), &words), expected, "{program} {text}");
        }
    }
}
