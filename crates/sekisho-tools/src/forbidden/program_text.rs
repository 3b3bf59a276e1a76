//! Commands inside programs of other languages: `perl -e`, `python -c`, awk, make.
//!
//! These programs are not parsed. The search reads their words and the texts in quotes, and finds a forbidden
//! command that is written out. A command that the program puts together is not found; the sandbox limits what
//! it can do.

use super::ForbiddenCode;
use super::budget::Budget;
use super::resolved_arguments::Argument;

/// Programs that run a program given as text, besides those that the program table marks. A version may
/// follow the name.
const INTERPRETERS: [&str; 24] = [
    "awk",
    "bun",
    "deno",
    "ed",
    "expect",
    "ex",
    "gawk",
    "gdb",
    "guile",
    "julia",
    "lua",
    "luajit",
    "m4",
    "make",
    "mawk",
    "nawk",
    "node",
    "osascript",
    "perl",
    "php",
    "python",
    "Rscript",
    "ruby",
    "tclsh",
];
/// Those of them that read a program from their input if they get only options.
const INPUT_READERS: [&str; 14] = [
    "bun", "deno", "guile", "julia", "lua", "luajit", "m4", "node", "perl", "php", "python", "Rscript",
    "ruby", "tclsh",
];
/// Options of these, in any bundle, whose value is the next word.
const VALUED: [(&str, &[&str]); 9] = [
    ("python", &["-W", "-X", "--check-hash-based-pycs"]),
    ("perl", &["-I"]),
    ("node", &["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"]),
    ("ruby", &["-I", "-r", "-C", "-E"]),
    ("lua", &["-l"]),
    ("php", &["-d", "-c"]),
    ("guile", &["-L", "-C"]),
    ("m4", &["-D", "-I", "-U"]),
    ("tclsh", &["-encoding"]),
];
/// Other programs that run a script by its name.
const SCRIPT_RUNNERS: [&str; 9] =
    ["bunx", "npx", "pipx", "poetry", "py.test", "pytest", "ts-node", "tsx", "uv"];
/// Names of functions that run a command.
const RUNNERS: [&str; 44] = [
    "call",
    "capture2",
    "capture2e",
    "capture3",
    "check_call",
    "check_output",
    "Command",
    "exec",
    "execFile",
    "execFileSync",
    "execl",
    "execle",
    "execlp",
    "execlpe",
    "execSync",
    "execute",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "getoutput",
    "getstatusoutput",
    "passthru",
    "pcntl_exec",
    "pipeline",
    "popen",
    "Popen",
    "popen2",
    "popen2e",
    "popen3",
    "posix_spawn",
    "posix_spawnp",
    "proc_open",
    "qx",
    "run",
    "sh",
    "shell",
    "shell_exec",
    "spawn",
    "spawnl",
    "spawnlp",
    "spawnSync",
    "spawnvp",
    "system",
];
/// Longest command that is looked at, in words.
const WINDOW: usize = 16;

/// Whether a program of this name evaluates text in another language.
pub(super) fn is_interpreter(program: &Argument) -> bool {
    has_name_of(program, &INTERPRETERS)
}

/// Compilers, and other programs that run what a file says without being given its name.
const FILE_READERS: [&str; 16] = [
    "c++", "cargo", "cc", "clang", "cython", "dub", "g++", "gcc", "ghc", "go", "javac", "make", "nim",
    "rustc", "tcc", "zig",
];

/// Whether a program may run what is written in a file that it is not given: a module, a source, a library.
pub(super) fn reads_files(program: &Argument) -> bool {
    runs_scripts(program)
        || has_name_of(program, &FILE_READERS)
        || program.text.contains('/') && program.text.ends_with(".out")
}

/// Whether a program reads a source and makes a program of it.
pub(super) fn is_compiler(program: &Argument) -> bool {
    has_name_of(program, &FILE_READERS) && !program.runs("make")
}

/// A source in C and its like without comments. What is in quotes is none.
pub(super) fn without_comments(source: &str) -> String {
    let mut kept = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' | '\'' => {
                let mut is_escaped = true;
                let end = rest.find(|next: char| {
                    let ends = !is_escaped && (next == c || next == '\n');
                    is_escaped = !is_escaped && next == '\\';
                    ends
                });
                let length = end.map_or(rest.len(), |end| end + 1);
                kept.push_str(rest.get(..length).unwrap_or_default());
                length
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            c => {
                kept.push(c);
                c.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    kept
}

/// The texts that the functions of a program run: `system("…")`, `execlp("rm", "rm", "-rf", …)`.
pub(super) fn called_texts(program: &str, budget: &Budget) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let all = literals(program);
    for (at, literal) in all.iter().enumerate().take_while(|_| budget.spend(1)) {
        let between = |c: char| c.is_whitespace() || matches!(c, '(' | '[' | '!' | '{' | '&');
        let before = program.get(..literal.start).unwrap_or_default().trim_end_matches(between);
        if literal.quote == '`' || !runs(before) {
            continue;
        }
        let text = |literal: &Literal| program.get(literal.start + 1..literal.end).unwrap_or_default();
        found.push(text(literal).to_owned());
        let list: Vec<&str> = all.iter().skip(at).take(WINDOW).map(text).collect();
        found.push(list.join(" "));
        // The first argument of `execlp` is its name.
        found.extend(list.get(1..).map(|list| list.join(" ")));
    }
    found
}

/// Whether a program runs a script that it is given.
pub(super) fn runs_scripts(program: &Argument) -> bool {
    is_interpreter(program) || SCRIPT_RUNNERS.iter().any(|name| program.runs(name))
}

/// The words of a command that may be programs in another language.
pub(super) fn program_words(arguments: &[Argument]) -> Vec<&Argument> {
    let Some((program, rest)) = arguments.split_first() else { return Vec::new() };
    // It cannot run commands.
    if ["jq", "gojq", "jaq"].iter().any(|name| program.runs(name)) {
        return Vec::new();
    }
    let subcommand = rest.iter().find(|word| !word.text.starts_with(['-', '+']));
    let is_test = program.runs("cargo")
        && subcommand.is_some_and(|word| ["test", "t", "bench", "nextest"].contains(&word.text.as_str()));
    // What follows chooses tests by their names.
    let end = if is_test { rest.iter().position(|word| word.text == "--") } else { None };
    let is_module = rest.first().is_some_and(|word| word.text == "-m")
        && rest.get(1).is_some_and(|word| word.text == "pytest");
    let is_pytest = program.runs("pytest") || is_module;
    let mut is_choice = false;
    let words = rest.iter().take(end.unwrap_or(rest.len()));
    let is_program = |word: &&Argument| {
        let is_chosen = std::mem::replace(&mut is_choice, is_pytest && word.text == "-k");
        !is_chosen
    };
    words.filter(is_program).collect()
}

/// Whether a word is a program, not the name of a file, and names a function that runs a command.
pub(super) fn names_runner(text: &str) -> bool {
    text.contains('`')
        || text.contains([' ', '(', '{', ';'])
            && text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| RUNNERS.contains(&word))
}

/// Whether a command reads its program from its input.
pub(super) fn reads_input(arguments: &[Argument]) -> bool {
    let Some((program, rest)) = arguments.split_first() else { return false };
    let names_input = |word: &Argument| {
        matches!(word.text.as_str(), "-" | "-f-" | "/dev/stdin" | "--file=-") || is_descriptor(&word.text)
    };
    is_interpreter(program) && rest.iter().any(names_input)
        || has_name_of(program, &INPUT_READERS) && has_only_options(program, rest)
}

/// `/dev/fd/0`, `/proc/self/fd/0`
fn is_descriptor(path: &str) -> bool {
    let number = path.strip_prefix("/dev/fd/").or(path.strip_prefix("/proc/self/fd/"));
    number.is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
}

/// Whether all words are options or their values.
fn has_only_options(program: &Argument, words: &[Argument]) -> bool {
    let valued = VALUED.iter().find(|(name, _)| has_name_of(program, &[*name]));
    let takes_value = |text: &str| {
        let is_it = |option: &&str| match option.strip_prefix('-') {
            Some(letter) if letter.len() == 1 => !text.starts_with("--") && text.ends_with(letter),
            _ => text == *option,
        };
        valued.is_some_and(|(_, options)| options.iter().any(is_it))
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !word.text.starts_with('-') {
            return false;
        }
        if takes_value(&word.text) {
            words.next();
        }
    }
    true
}

fn has_name_of(program: &Argument, names: &[&str]) -> bool {
    let name = program.text.rsplit('/').next().unwrap_or_default();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Searches a program's text. Shell texts in it are given to `text`.
pub(super) fn search(
    program: &str,
    budget: &Budget,
    check: &dyn Fn(&[Argument]) -> Option<ForbiddenCode>,
    text: &mut dyn FnMut(&str),
) -> Option<ForbiddenCode> {
    shell_texts(program, budget).iter().for_each(|inner| text(inner));
    let bare = bare_words(program);
    let found = bare.split([';', '|', '&']).find_map(|command| {
        let words: Vec<&str> = command.split_whitespace().collect();
        let arguments: Vec<Argument> = words.iter().copied().map(Argument::literal).collect();
        (0..words.len()).take_while(|_| !budget.is_spent()).find_map(|from| {
            let until = words.len().min(from + WINDOW);
            if !words.get(from).copied().is_some_and(is_program_name) {
                return None;
            }
            let code = arguments.get(from..until).and_then(check)?;
            let is_run = || from.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| runs(word));
            (is_unmistakable(code) || is_run()).then_some(code)
        })
    });
    found.or_else(|| lists(program, budget).iter().find_map(|list| search_list(list, budget, check)))
}

/// Searches a list of texts as a command and its arguments: `["git", "-c", "a=b", "push"]`.
fn search_list(
    list: &[&str],
    budget: &Budget,
    check: &dyn Fn(&[Argument]) -> Option<ForbiddenCode>,
) -> Option<ForbiddenCode> {
    (0..list.len()).find_map(|from| {
        let words =
            list.get(from..).filter(|words| words.first().is_some_and(|name| is_removal_or_git(name)))?;
        if !budget.spend(words.iter().map(|word| word.len() + 1).sum()) {
            return None;
        }
        let arguments: Vec<Argument> = words.iter().copied().map(Argument::literal).collect();
        check(&arguments).filter(|code| is_unmistakable(*code))
    })
}

/// Programs that are forbidden with some arguments. Those that always are need no list.
fn is_removal_or_git(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    name == "rm" || name == "git"
}

/// `env` and `set` are also names of variables and fields.
fn is_unmistakable(code: ForbiddenCode) -> bool {
    matches!(code, ForbiddenCode::RecursiveDelete | ForbiddenCode::GitPush | ForbiddenCode::RemoveDirectory)
}

/// A name, or a path with a directory. `s/rm` and `/rm` are parts of a regular expression.
fn is_program_name(word: &str) -> bool {
    match word.rsplit_once('/') {
        None => true,
        Some((directory, _)) => directory.len() > 1 && directory.starts_with(['/', '.', '~']),
    }
}

/// Whether a text ends in the name of a function that runs a command: `os.system`, `IO::popen`, `$this->exec`. Only the
/// name is read, so that each quote of a long text costs little.
fn runs(text: &str) -> bool {
    let name = text.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    RUNNERS.contains(&name)
}

/// The text with quotes, brackets and escapes as blanks.
fn bare_words(program: &str) -> String {
    let mut bare = String::with_capacity(program.len());
    let mut characters = program.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => {
                let is_blank = |(_, next): &(usize, char)| matches!(next, 'n' | 't' | 'r' | '\n');
                if characters.next_if(is_blank).is_some() {
                    bare.push(' ');
                }
            }
            '=' | ':' if is_behind_key(program, at) => {
                bare.truncate(bare.trim_end().len());
                bare.push_str("= ");
            }
            '\'' | '"' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | ',' | '=' | '@' | '+' | '!' => {
                bare.push(' ')
            }
            c => bare.push(c),
        }
    }
    // `rm => '-rf'`
    bare.replace(" >", " ")
}

/// Whether `=` or `:` at a place gives a value to a name that is also a command: `run(["npm"], env=e)`, `"env": {}`.
/// `exec env => 'x'` and `env == x` do not.
fn is_behind_key(program: &str, at: usize) -> bool {
    let (before, after) = program.split_at_checked(at).unwrap_or_default();
    let is_other = ["=>", "==", "::"].iter().any(|operator| after.starts_with(operator));
    let before = before.strip_suffix(' ').unwrap_or(before);
    let before = before.strip_suffix(['"', '\'']).unwrap_or(before);
    let name = before.strip_suffix("env").or(before.strip_suffix("set"));
    !is_other && name.is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The texts that a shell would get: arguments of functions that run commands, `` `…` ``, `qx{…}`, `%x(…)`,
/// `$(shell …)`, awk's `"…" | getline`, and the recipes of a makefile.
fn shell_texts(program: &str, budget: &Budget) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for literal in literals(program).into_iter().take_while(|_| !budget.is_spent()) {
        let is_between = |c: char| c.is_whitespace() || c == '(' || c == '[';
        let before = program.get(..literal.start).unwrap_or_default().trim_end_matches(is_between);
        let rest = program.get(literal.end..).unwrap_or_default();
        let after = rest.trim_start_matches(['\'', '"', '`', ' ', ')']);
        budget.spend(rest.len() - after.len());
        let is_read = after.strip_prefix('|').is_some_and(|rest| rest.trim_start().starts_with("getline"));
        let inner = program.get(literal.start + 1..literal.end).unwrap_or_default();
        if literal.quote == '`' || is_read || runs(before) {
            found.push(inner.to_owned());
        }
        // `open F, "command|"`, `open F, "-|", "command"`
        let is_pipe = inner.trim().ends_with('|') || inner.trim().starts_with('|');
        if is_pipe && before.rsplit([';', '\n']).next().is_some_and(opens) {
            let command = inner.trim().trim_matches(['|', '-']).to_owned();
            let words = rest.split([')', ';', '\n']).next().unwrap_or_default();
            let words = words.replace(['"', '\'', ','], " ");
            found.push(if command.is_empty() { words } else { command });
        }
    }
    // `exec qw/rm -rf x/`
    for (at, opening) in program.match_indices("qw") {
        let before = program.get(..at).unwrap_or_default().trim_end_matches([' ', '(', ',']);
        let list = program.get(at + opening.len()..).unwrap_or_default();
        let is_run = runs(before) || before.ends_with("-|\"") || before.ends_with("-|'");
        if is_run && budget.spend(list.len() / 8) {
            found.extend(delimited(list.trim_start()));
        }
    }
    for (opening, lengths) in [("qx", 2), ("%x", 2), ("$(shell", 7)] {
        for (at, _) in program.match_indices(opening) {
            let rest = program.get(at + lengths..).unwrap_or_default();
            let inner = if opening == "$(shell" { up_to(rest, ')') } else { delimited(rest.trim_start()) };
            if !budget.spend(inner.as_ref().map_or(rest.len(), String::len)) {
                return found;
            }
            found.extend(inner);
        }
    }
    let recipes = program.lines().filter_map(|line| line.strip_prefix('\t'));
    let recipes = recipes.map(|line| line.trim_start_matches(['@', '-', '+', ' ', '\t']));
    // A variable that make sets itself.
    found.extend(recipes.map(|line| line.replace("$(RM)", "rm -f").replace("${RM}", "rm -f")));
    found
}

/// The texts in quotes that follow each other with only separators between them.
fn lists<'p>(program: &'p str, budget: &Budget) -> Vec<Vec<&'p str>> {
    let mut found: Vec<Vec<&str>> = Vec::new();
    let mut end = 0;
    for literal in literals(program) {
        let text = program.get(literal.start + 1..literal.end).unwrap_or_default();
        let between = program.get(end..literal.start).unwrap_or_default();
        end = literal.end + 1;
        if !budget.spend(between.len() / 16) {
            return Vec::new();
        }
        match found.last_mut().filter(|_| is_separator(between)) {
            Some(list) => list.push(text),
            None => found.push(vec![text]),
        }
    }
    found
}

/// Whether a text consists of commas, opening brackets, blanks and comments.
fn is_separator(text: &str) -> bool {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '['));
        let (start, end) = match rest {
            "" => return true,
            _ if rest.starts_with('#') => ("#", "\n"),
            _ if rest.starts_with("//") => ("//", "\n"),
            _ if rest.starts_with("/*") => ("/*", "*/"),
            _ => return false,
        };
        let Some((_, behind)) = rest.get(start.len()..).and_then(|rest| rest.split_once(end)) else {
            return false;
        };
        rest = behind;
    }
}

/// The texts in quotes in a program.
pub(super) fn quoted_texts(program: &str) -> impl Iterator<Item = &str> {
    literals(program).into_iter().filter_map(move |literal| program.get(literal.start + 1..literal.end))
}

/// A text in quotes, by the places of its quotes.
struct Literal {
    quote: char,
    start: usize,
    end: usize,
}

fn literals(program: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let mut is_escaped = false;
    for (at, c) in program.char_indices() {
        match open {
            _ if is_escaped => is_escaped = false,
            _ if c == '\\' => is_escaped = true,
            None if matches!(c, '\'' | '"' | '`') => open = Some((c, at)),
            Some((quote, start)) if quote == c => {
                found.push(Literal { quote, start, end: at });
                open = None;
            }
            _ => {}
        }
    }
    found
}

/// Whether a statement opens a file or the input of a command.
fn opens(statement: &str) -> bool {
    statement.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "open")
}

/// The text between a delimiter and its counterpart.
fn delimited(text: &str) -> Option<String> {
    let first = text.chars().next().filter(char::is_ascii_punctuation)?;
    let closing = match first {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    up_to(text.get(first.len_utf8()..)?, closing)
}

fn up_to(text: &str, closing: char) -> Option<String> {
    text.split_once(closing).map(|(inner, _)| inner.to_owned())
}
