//! Words that a build or test tool passes on to a script, a test runner or a compiler.

/// Whether a blank is followed by something other than a letter or digit. A runner that joins its words to a text splits
/// them there, and `a --config=x` becomes two words.
pub(super) fn may_hide_words(word: &str) -> bool {
    word.split(' ').skip(1).any(|part| !part.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// A path, perhaps with a line: `src/a.test.ts:12`. Which options may stand behind `--` is listed elsewhere.
pub(super) fn is_script_operand(word: &str) -> bool {
    let is_line = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let path = word.rsplit_once(':').filter(|(_, line)| is_line(line)).map_or(word, |(path, _)| path);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./+ ".contains(c);
    let climbs = path.split(['/', ' ']).any(|part| part == "..");
    path.chars().all(is_plain)
        && !path.starts_with(' ')
        && !path.contains("//")
        && !climbs
        && !may_hide_words(path)
        && !may_be_task(path)
}

/// Whether a script may pass the word on to a tool that takes a bare name for one of its tasks, and `NAME=value` for a
/// setting. `make` reads `./NAME` as `NAME`. The name of a test has blanks.
fn may_be_task(path: &str) -> bool {
    let mut name = path;
    while let Some(rest) = name.strip_prefix("./") {
        name = rest;
    }
    let is_here = matches!(name, "" | ".") && !path.is_empty();
    let has_ending = name.rsplit_once('.').is_some_and(|(_, ending)| !ending.is_empty());
    !is_here && !has_ending && !name.contains(['/', ' '])
}

/// Names with `::` between them, of a test or a lint: `tests::parses`, `clippy::all`. Clippy splits its words where they
/// contain `__CLIPPY_HACKERY__`.
pub(super) fn is_rust_path(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-:".contains(c))
        && !name.contains("CLIPPY_HACKERY")
}

/// Classes and methods: `FooTest`, `a.b.Foo*Test#method`, `!SlowTest,FooTest`.
pub(super) fn is_java_tests(filter: &str) -> bool {
    !filter.is_empty() && filter.chars().all(|c| c.is_ascii_alphanumeric() || "_.*#,!+-".contains(c))
}

/// A directory that unittest cannot take for the name of a module of Python's library.
pub(super) fn is_start_directory(path: &str) -> bool {
    matches!(path, "." | "tests" | "src") || path.starts_with("./")
}

/// `discover`, or a test of the project: `tests.test_a.TestB.test_c`. unittest imports any dotted name and calls what it
/// finds.
pub(super) fn is_unittest_target(name: &str) -> bool {
    let is_test = |part: &str| {
        (part.starts_with("test") || part.starts_with("Test"))
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let mut parts = name.split('.');
    name == "discover" || (parts.next() == Some("tests") && parts.all(is_test))
}

/// A file or directory of tests below the directory of the command: `spec/models/a_spec.rb:12`, `tests`, `src/a.test.ts`. Whoever
/// runs tests loads it, and shows what it cannot read.
pub(super) fn is_test_path(word: &str) -> bool {
    const SOURCES: [&str; 4] = [".rb", ".exs", ".dart", ".php"];
    let is_line = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (path, has_line) = match word.split_once(':') {
        Some((path, lines)) if lines.split(':').all(is_line) => (path, true),
        _ => (word, false),
    };
    is_below(path)
        && path.split('/').any(is_named_for_tests)
        && (!has_line || SOURCES.iter().any(|ending| path.ends_with(ending)))
}

/// `tests`, `a_spec.rb`, `a.test.ts`, `ATest.php`, `test_a.exs`; not `latest` or `inspect.rb`.
fn is_named_for_tests(name: &str) -> bool {
    const WORDS: [&str; 8] = ["test", "tests", "Test", "Tests", "spec", "specs", "Spec", "__tests__"];
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let camel = ["Test", "Tests", "Spec"].iter().any(|end| stem.ends_with(end));
    camel || stem.split(['_', '.', '-']).any(|part| WORDS.contains(&part)) || WORDS.contains(&name)
}

/// `FullyQualifiedName~Adds&Category!=Slow`
pub(super) fn is_test_filter(filter: &str) -> bool {
    filter.chars().all(|c| c.is_ascii_alphanumeric() || "_.~=!&|() -".contains(c))
}

/// `py311,lint`. Projects also have environments that publish.
pub(super) fn are_for_tests(list: &str) -> bool {
    const NAMES: [&str; 24] = [
        "py",
        "pypy",
        "test",
        "tests",
        "unit",
        "unittest",
        "lint",
        "flake",
        "ruff",
        "black",
        "isort",
        "mypy",
        "pyright",
        "pylint",
        "type",
        "types",
        "typing",
        "typecheck",
        "format",
        "fmt",
        "docs",
        "coverage",
        "cov",
        "check",
    ];
    let without_version = |part: &str| part.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let is_named = |part: &str| part.get(..without_version(part)).is_some_and(|name| NAMES.contains(&name));
    let is_version = |part: &str| !part.is_empty() && without_version(part) == 0;
    list.split(',').all(|environment| {
        let mut parts = environment.split(['-', '_']);
        parts.next().is_some_and(is_named) && parts.all(|part| is_named(part) || is_version(part))
    })
}

/// A directory or a project below the directory of the command: `.`, `src/App/App.csproj`. What begins with `/` may be a
/// switch.
pub(super) fn is_dotnet_project(word: &str) -> bool {
    const PROJECTS: [&str; 5] = [".csproj", ".fsproj", ".vbproj", ".sln", ".slnx"];
    let name = word.rsplit('/').next().unwrap_or_default();
    let is_directory = word == "." || !name.contains('.');
    is_below(word) && (is_directory || PROJECTS.iter().any(|ending| name.ends_with(ending)))
}

/// Names of letters, digits and `_.-` with slashes between them. None is hidden, an option, or the directory above.
fn is_below(path: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let names = path.strip_prefix("./").unwrap_or(path);
    let names = names.strip_suffix('/').unwrap_or(names);
    path == "."
        || names.split('/').all(|name| {
            name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && name.chars().all(is_plain)
        })
}

/// Endings of source files, with commas between them: `.js,.ts`.
pub(super) fn are_extensions(list: &str) -> bool {
    const ENDINGS: [&str; 11] =
        ["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "astro"];
    list.split(',').all(|ending| ENDINGS.contains(&ending.strip_prefix('.').unwrap_or(ending)))
}

/// Names, `and`, `or`, `not` and parentheses around them. Old versions of pytest evaluate the text as Python, where
/// parentheses behind a value call it.
pub(super) fn calls_nothing(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.:, ()".contains(c);
    let opens = |(at, _): (usize, &str)| {
        let before = text.get(..at).unwrap_or_default();
        let word = before.trim_end().rsplit([' ', '(']).next().unwrap_or_default();
        (before.is_empty() || before.ends_with([' ', '('])) && matches!(word, "" | "and" | "or" | "not")
    };
    text.chars().all(is_plain) && text.match_indices('(').all(opens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_scripts() {
        for harmful in [
            "",
            "deploy",
            "./deploy",
            "././deploy",
            "./deploy:12",
            "deploy.",
            "docs/../deploy",
            "..",
            "../x",
            "a --config=x",
            "a  -x",
            "a -x",
            "a /etc/x",
            "a ../x",
            " a",
            "a ",
            "src",
            "CC=x",
            "a//b",
        ] {
            assert!(!is_script_operand(harmful), "{harmful}");
        }
        for harmless in
            [".", "./", "src/", "src/a", "./src/", "./src/a", "a.ts", "./a.ts:12", "adds two numbers"]
        {
            assert!(is_script_operand(harmless), "{harmless}");
        }
    }

    #[test]
    fn tests_and_projects() {
        for harmful in [
            "",
            ".env",
            ".env:3",
            "spec/.env",
            "../spec",
            "spec/../x",
            "/w/spec",
            "-Ispec",
            "lib",
            "id_rsa_test:3",
            "spec/a.rb:",
            "spec/a b",
            "spec:x",
            "@test",
            "test//x",
            "lib/latest/deploy.rb",
            "scripts/inspect.rb",
            "lib/special_deploy.rb",
        ] {
            assert!(!is_test_path(harmful), "{harmful}");
        }
        for harmless in [
            "spec",
            "spec/",
            "./spec/a_spec.rb",
            "spec/a_spec.rb:12:40",
            "test/models/a_test.exs:3",
            "tests/Unit/ATest.php",
            "src/a.test.ts",
            "src/__tests__/a.ts",
            "app/ATest.php",
            "lib/a_test.dart",
        ] {
            assert!(is_test_path(harmless), "{harmless}");
        }
        for harmful in
            ["", "/t:Deploy", "-t:Deploy", "a.rsp", "@a.rsp", "../A.csproj", "a.proj", ".x", "A=b", "p:x"]
        {
            assert!(!is_dotnet_project(harmful), "{harmful}");
        }
        for harmless in [".", "src", "src/App/", "./src/App/App.csproj", "My.App.sln"] {
            assert!(is_dotnet_project(harmless), "{harmless}");
        }
    }

    #[test]
    fn filters_and_environments() {
        for harmful in ["\"a\";X=y;Z=\"b\"", "a,b", "a;X=y", "a%3bX=y", "a\\b"] {
            assert!(!is_test_filter(harmful), "{harmful}");
        }
        assert!(is_test_filter("FullyQualifiedName~Adds&(Category!=Slow|Name=a.b)"));
        for harmful in
            ["", "release", "py,publish", "ALL", "tests-deploy", "py3/../x", ",", "tests-", "3.12", "1-tests"]
        {
            assert!(!are_for_tests(harmful), "{harmful}");
        }
        for harmless in ["py311,lint", "tests", "tests-3.12", "pypy3", "py", "type_check"] {
            assert!(are_for_tests(harmless), "{harmless}");
        }
    }

    #[test]
    fn expressions_that_call() {
        for harmful in [
            "f()",
            "f ()",
            "a.f (x)",
            "not f(x)",
            "(a)(b)",
            "(a) (b)",
            "[0for x in y]",
            "'a'",
            "a=b",
            "{a}",
            "a/b",
            "@x",
            "a\\b",
            "not(a)",
            "or.not (a)",
        ] {
            assert!(!calls_nothing(harmful), "{harmful}");
        }
        for harmless in ["", "a and not b", "not (a or b)", "(a or (b and not c)) and d", "a.b", "test_x-1"] {
            assert!(calls_nothing(harmless), "{harmless}");
        }
    }

    #[test]
    fn names_of_tests_and_lints() {
        for harmful in ["", "-W", "a__CLIPPY_HACKERY__b", "a b", "a=b", "src/a.rs", "$x"] {
            assert!(!is_rust_path(harmful), "{harmful}");
        }
        for harmless in ["warnings", "clippy::all", "tests::parses_1", "dead-code", "4"] {
            assert!(is_rust_path(harmless), "{harmless}");
        }
        for harmful in ["", "a b", "${x}", "%regex[x]", "../x"] {
            assert!(!is_java_tests(harmful), "{harmful}");
        }
        assert!(is_java_tests("FooTest") && is_java_tests("a.Foo*Test#b,!Slow"));
        for harmful in ["", "json", "test", "http.server", "tests.a", "a/b", "/w/tests"] {
            assert!(!is_start_directory(harmful), "{harmful}");
        }
        for harmful in ["", "test.test_os", "tests.helper.main", "tests.", "timeit.main", "tests.test_a-b"] {
            assert!(!is_unittest_target(harmful), "{harmful}");
        }
        for harmless in ["discover", "tests", "tests.test_a", "tests.test_a.TestB.test_c"] {
            assert!(is_unittest_target(harmless), "{harmless}");
        }
        for harmful in ["", "env", "js,env", ".env", ".js,", "..js"] {
            assert!(!are_extensions(harmful), "{harmful}");
        }
        assert!(are_extensions(".js,.ts") && are_extensions("tsx"));
    }
}
