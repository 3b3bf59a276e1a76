//! Comments and documentation in programs in Python, which are not run.

/// Names with which a program can read its own text or documentation, or that of another.
const READERS: [&str; 9] =
    ["__doc__", "getdoc", "__file__", "argv", "inspect", "linecache", "__dict__", "co_consts", "stdin"];

/// Modules with which a program can neither start another nor find another module.
const HARMLESS_MODULES: [&str; 22] = [
    "argparse",
    "base64",
    "collections",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "fractions",
    "functools",
    "hashlib",
    "itertools",
    "json",
    "math",
    "pathlib",
    "random",
    "re",
    "statistics",
    "string",
    "sys",
    "textwrap",
    "time",
    "typing",
];
/// Names with which a program runs texts, or reaches other modules.
const REACHING: [&str; 34] = [
    "breakpoint",
    "builtins",
    "compile",
    "delattr",
    "eval",
    "exec",
    "getattr",
    "globals",
    "help",
    "locals",
    "modules",
    "object",
    "os",
    "setattr",
    "setprofile",
    "settrace",
    "system",
    "vars",
    "cr_frame",
    "f_back",
    "f_builtins",
    "f_globals",
    "ForwardRef",
    "get_type_hints",
    "gi_frame",
    "importlib",
    "make_dataclass",
    "tb_frame",
    "asyncio",
    "multiprocessing",
    "popen",
    "posix",
    "pty",
    "subprocess",
];

/// Whether a program runs no other one: it imports harmless modules, and names nothing by which it would reach others. In
/// doubt it does.
pub(super) fn runs_nothing(program: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let is_harmless = |module: &str| {
        let name = module.trim().split([' ', '\t']).next().unwrap_or_default();
        HARMLESS_MODULES.contains(&name)
    };
    let statements = program.split(['\n', ';']).map(str::trim);
    let imports =
        statements.filter(|statement| statement.split(|c: char| !is_letter(c)).any(|word| word == "import"));
    let is_import = |statement: &str| match statement.strip_prefix("import ") {
        Some(modules) => modules.split(',').all(is_harmless),
        None => statement.strip_prefix("from ").is_some_and(is_harmless),
    };
    let reaches = |word: &str| {
        // `__import__`, `pathlib._os`
        word.starts_with('_') && word != "_" && word != "__name__" && word != "__main__"
            || REACHING.contains(&word)
    };
    // Other letters may stand for ASCII ones in names.
    program.is_ascii()
        && imports.into_iter().all(is_import)
        && !program.split(|c: char| !is_letter(c)).any(reaches)
}

/// Whether a program may use its comments or its documentation.
pub(super) fn may_be_used(program: &str) -> bool {
    READERS.iter().any(|name| program.contains(name))
}

/// The program without comments, and without texts that are statements of their own. In doubt something is kept.
pub(super) fn without_comments(program: &str) -> String {
    let mut kept = String::with_capacity(program.len());
    let mut rest = program;
    let (mut brackets, mut is_start) = (0_usize, true);
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => {
                let Some(length) = literal_length(rest, c) else { break };
                let after = rest.get(length..).unwrap_or_default().trim_start_matches([' ', '\t']);
                let is_statement = is_start && brackets == 0 && (after.is_empty() || after.starts_with('\n'));
                if !is_statement {
                    kept.push_str(rest.get(..length).unwrap_or_default());
                }
                is_start = false;
                length
            }
            '\\' => {
                // The next line goes on with this one.
                let length = 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
                kept.push_str(rest.get(..length).unwrap_or_default());
                is_start = false;
                length
            }
            c => {
                match c {
                    '(' | '[' | '{' => brackets += 1,
                    ')' | ']' | '}' => brackets = brackets.saturating_sub(1),
                    _ => {}
                }
                is_start = c == '\n' || is_start && matches!(c, ' ' | '\t');
                kept.push(c);
                c.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    kept.push_str(rest);
    kept
}

/// The length of a text in quotes. `None` if it does not end.
fn literal_length(rest: &str, quote: char) -> Option<usize> {
    let triple = quote.to_string().repeat(3);
    let is_long = rest.starts_with(&triple);
    let opening = if is_long { triple.len() } else { 1 };
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(opening) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' if !is_long => return None,
            _ if is_long && rest.get(at..).is_some_and(|rest| rest.starts_with(&triple)) => {
                return Some(at + triple.len());
            }
            c if !is_long && c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_run_is_left_out() {
        for (program, expected) in [
            ("# a\nb # c\n", "\nb \n"),
            ("\"\"\"a\nb\"\"\"\nc", "\nc"),
            ("def f():\n    'a'\n    b", "def f():\n    \n    b"),
            ("f('# a')", "f('# a')"),
            ("f(\n'a'\n)", "f(\n'a'\n)"),
            ("f = \\\n'a'\n", "f = \\\n'a'\n"),
            ("'a'.b()\n", "'a'.b()\n"),
            ("'a', 'b'\n", "'a', 'b'\n"),
            ("x = '''a\n# b'''\n", "x = '''a\n# b'''\n"),
            ("'a\\'b' # c", "'a\\'b' "),
            ("'a\n# b", "'a\n# b"),
            ("'a'; b('c')", "'a'; b('c')"),
        ] {
            assert_eq!(without_comments(program), expected, "{program}");
        }
        assert!(may_be_used("os.system(__doc__)"));
        assert!(!may_be_used("import os"));
    }
}
