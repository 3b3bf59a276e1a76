//! Finds the commands that check a project.
//!
//! What a project's files say is only ever chosen from the names in this file: no text of a project becomes part of a
//! command. For each check the first of these has its command, if it knows one: the Makefile, because it is written for
//! the project as a whole, then Cargo.toml, package.json, pyproject.toml and go.mod, which know one language each.

use std::path::Path;

use serde_json::Value;

use crate::contained_read::{ReadError, ReadRoot};
use crate::project_check::ProjectCheck;

/// The largest project file that is read, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Makefiles, in the order in which make looks for them.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// The files that are looked at, for messages.
const FILES: [&str; 5] = ["Makefile", "Cargo.toml", "package.json", "pyproject.toml", "go.mod"];

/// A file of the project that knows commands.
struct Source {
    file: &'static str,
    commands: Vec<(ProjectCheck, String)>,
}

/// The commands of a project.
pub(super) struct ProjectCommands {
    sources: Vec<Source>,
}

impl ProjectCommands {
    /// Reads the files of a project. What cannot be read has no commands.
    pub(super) fn find(root: &Path) -> ProjectCommands {
        let Ok(root) = ReadRoot::open(root) else { return ProjectCommands { sources: Vec::new() } };
        let read = |file: &str| root.read(Path::new(file), MAX_FILE);
        let text = |file: &str| Some(String::from_utf8_lossy(&read(file).ok()?).into_owned());
        let exists = |file: &str| root.contains(Path::new(file));
        let mut sources = Vec::new();
        let mut add = |file, commands: Option<Vec<(ProjectCheck, String)>>| {
            sources.extend(commands.map(|commands| Source { file, commands }));
        };
        // Make reads the first that exists. If that one cannot be read here, no target is known.
        let makefile = MAKEFILES.into_iter().find(|file| read(file) != Err(ReadError::Missing));
        if let Some(file) = makefile {
            add(file, Some(make_commands(&text(file).unwrap_or_default())));
        }
        add("Cargo.toml", text("Cargo.toml").map(|_| cargo_commands()));
        add(
            "package.json",
            text("package.json").map(|text| script_commands(&text, package_manager(&exists))),
        );
        add(
            "pyproject.toml",
            text("pyproject.toml").map(|text| python_commands(&text, python_runner(&exists))),
        );
        add("go.mod", text("go.mod").map(|_| go_commands()));
        ProjectCommands { sources }
    }

    /// The command of a check.
    pub(super) fn command(&self, check: ProjectCheck) -> Option<&str> {
        let mut all = self.sources.iter().flat_map(|source| &source.commands);
        all.find(|(known, _)| *known == check).map(|(_, command)| command.as_str())
    }

    /// Why there is no command for a check, and what to do.
    pub(super) fn why_none(&self, check: ProjectCheck) -> String {
        let name = check.name();
        let files: Vec<&str> = self.sources.iter().map(|source| source.file).collect();
        let looked = match files.is_empty() {
            true => format!("the project has no {}", FILES.join(", ")),
            false => format!("{} has none", files.join(", ")),
        };
        format!(
            "No command found for '{name}': {looked}. An administrator can set `checks.{name}` in `tool_config.self_eval`."
        )
    }
}

fn owned(commands: &[(ProjectCheck, &str)]) -> Vec<(ProjectCheck, String)> {
    commands.iter().map(|(check, command)| (*check, (*command).to_owned())).collect()
}

fn cargo_commands() -> Vec<(ProjectCheck, String)> {
    owned(&[
        (ProjectCheck::Build, "cargo build"),
        (ProjectCheck::Lint, "cargo clippy"),
        (ProjectCheck::TypeCheck, "cargo check"),
        (ProjectCheck::Test, "cargo test"),
    ])
}

/// Building is how Go checks types.
fn go_commands() -> Vec<(ProjectCheck, String)> {
    owned(&[
        (ProjectCheck::Build, "go build ./..."),
        (ProjectCheck::Lint, "go vet ./..."),
        (ProjectCheck::TypeCheck, "go build ./..."),
        (ProjectCheck::Test, "go test ./..."),
    ])
}

/// The names under which scripts and targets do a check, the usual one first.
const NAMES: [(ProjectCheck, &[&str]); 4] = [
    (ProjectCheck::Build, &["build"]),
    (ProjectCheck::Lint, &["lint"]),
    (
        ProjectCheck::TypeCheck,
        &["type_check", "type-check", "typecheck", "check-types", "check:types", "tsc"],
    ),
    (ProjectCheck::Test, &["test"]),
];

/// A script named `check` checks types in many JavaScript projects. In a makefile it runs the tests.
const CHECK_SCRIPT: &str = "check";

/// `make NAME` for every check that has a target.
fn make_commands(text: &str) -> Vec<(ProjectCheck, String)> {
    let targets: Vec<&str> = text.lines().flat_map(targets).collect();
    let found = NAMES.iter().filter_map(|(check, names)| {
        let name = names.iter().find(|name| targets.contains(*name))?;
        Some((*check, format!("make {name}")))
    });
    found.collect()
}

/// The targets of a line of a makefile. Lines of recipes and assignments have none.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let rule = line.split_once(':').filter(|(before, after)| {
        !line.starts_with(['\t', ' ', '#', '.']) && !after.starts_with('=') && !before.contains('=')
    });
    // `name::` is a rule, `name ::=` and `name :=` are assignments.
    let rule = rule.filter(|(_, after)| !after.trim_start_matches(':').starts_with('='));
    rule.into_iter().flat_map(|(names, _)| names.split_whitespace())
}

/// The package manager, by the lock file.
fn package_manager(exists: &dyn Fn(&str) -> bool) -> &'static str {
    let locks =
        [("bun.lock", "bun"), ("bun.lockb", "bun"), ("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn")];
    locks.iter().find(|(file, _)| exists(file)).map_or("npm", |(_, manager)| manager)
}

/// `MANAGER run NAME` for every check that has a script.
fn script_commands(text: &str, manager: &str) -> Vec<(ProjectCheck, String)> {
    let package: Value = serde_json::from_str(text).unwrap_or_default();
    let has = |name: &str| {
        package.pointer("/scripts").and_then(|scripts| scripts.get(name)).is_some_and(Value::is_string)
    };
    let found = NAMES.iter().filter_map(|(check, names)| {
        let more = (*check == ProjectCheck::TypeCheck).then_some(CHECK_SCRIPT);
        let name = names.iter().copied().chain(more).find(|name| has(name))?;
        Some((*check, format!("{manager} run {name}")))
    });
    found.collect()
}

/// What starts the programs of a Python project, by the lock file.
fn python_runner(exists: &dyn Fn(&str) -> bool) -> &'static str {
    let locks = [("uv.lock", "uv run "), ("poetry.lock", "poetry run "), ("pdm.lock", "pdm run ")];
    locks.iter().find(|(file, _)| exists(file)).map_or("", |(_, runner)| runner)
}

/// The programs that a Python project has settings for.
fn python_commands(text: &str, runner: &str) -> Vec<(ProjectCheck, String)> {
    const PROGRAMS: [(ProjectCheck, &str, &str); 6] = [
        (ProjectCheck::Build, "build-system", "python -m build --no-isolation"),
        (ProjectCheck::Lint, "tool.ruff", "ruff check ."),
        (ProjectCheck::Lint, "tool.pylint", "pylint --recursive=y ."),
        (ProjectCheck::TypeCheck, "tool.mypy", "mypy ."),
        (ProjectCheck::TypeCheck, "tool.pyright", "pyright"),
        (ProjectCheck::Test, "tool.pytest", "python -m pytest"),
    ];
    let has = |table: &str| {
        let named = |line: &str| line.trim().trim_start_matches('[').split([']', ' ']).next() == Some(table);
        let below = |line: &str| {
            let name = line.trim().trim_start_matches('[');
            name.strip_prefix(table).is_some_and(|rest| rest.starts_with('.'))
        };
        text.lines().filter(|line| line.trim_start().starts_with('[')).any(|line| named(line) || below(line))
    };
    let found = PROGRAMS.iter().filter(|(_, table, _)| has(table));
    found.map(|(check, _, command)| (*check, format!("{runner}{command}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands of a project with these files: build, lint, type check and test.
    #[track_caller]
    fn check(files: &[(&str, &str)], expected: [&str; 4]) {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let found = ProjectCommands::find(dir.path());
        let commands = ProjectCheck::ALL.map(|check| found.command(check).unwrap_or_default().to_owned());
        assert_eq!(commands, expected, "{files:?}");
    }

    #[test]
    fn commands_are_found_by_the_projects_files() {
        check(&[], ["", "", "", ""]);
        check(&[("Cargo.toml", "")], ["cargo build", "cargo clippy", "cargo check", "cargo test"]);
        check(&[("go.mod", "")], ["go build ./...", "go vet ./...", "go build ./...", "go test ./..."]);
        let scripts = r#"{ "scripts": { "build": "x", "lint": "y", "check": "z", "test": "t" } }"#;
        let run = |manager: &str, lock: Option<&'static str>| {
            let mut files = vec![("package.json", scripts)];
            files.extend(lock.map(|lock| (lock, "")));
            let commands = ["build", "lint", "check", "test"].map(|name| format!("{manager} run {name}"));
            check(&files, commands.each_ref().map(String::as_str));
        };
        run("npm", None);
        run("npm", Some("package-lock.json"));
        run("pnpm", Some("pnpm-lock.yaml"));
        run("yarn", Some("yarn.lock"));
        run("bun", Some("bun.lock"));
        run("bun", Some("bun.lockb"));
        check(
            &[(
                "pyproject.toml",
                "[build-system]\n[tool.ruff.lint]\n[tool.mypy]\n[tool.pytest.ini_options]\n",
            )],
            ["python -m build --no-isolation", "ruff check .", "mypy .", "python -m pytest"],
        );
        check(
            &[("pyproject.toml", "[project]\n[tool.pyright]\n[[tool.pylint.x]]\n"), ("uv.lock", "")],
            ["", "uv run pylint --recursive=y .", "uv run pyright", ""],
        );
        check(
            &[("Makefile", "build lint: x\n\tcargo\n.PHONY: test\ntest := 3\ntype-check::\n")],
            ["make build", "make lint", "make type-check", ""],
        );
        check(&[("Makefile", "check: a\nlint ::= 3\n\ttest: x\n# build: y\n")], ["", "", "", ""]);
    }

    #[test]
    fn first_file_that_knows_a_check_wins() {
        let scripts = r#"{ "scripts": { "lint": "x", "test": "t" } }"#;
        check(&[("Makefile", "test:\n"), ("package.json", scripts)], ["", "npm run lint", "", "make test"]);
        check(
            &[("Cargo.toml", ""), ("package.json", scripts)],
            ["cargo build", "cargo clippy", "cargo check", "cargo test"],
        );
        check(
            &[("package.json", scripts), ("go.mod", "")],
            ["go build ./...", "npm run lint", "go build ./...", "npm run test"],
        );
    }

    #[test]
    fn text_of_a_project_is_never_part_of_a_command() {
        let hostile = r#"{ "packageManager": "sh -c id;", "scripts": {
            "build; touch /tmp/x": "a", "build": "touch /tmp/x", "lint && id": "b", "test": ["id"], "": "c" } }"#;
        check(&[("package.json", hostile)], ["npm run build", "", "", ""]);
        check(&[("package.json", "{ \"scripts\": [\"build\"] }")], ["", "", "", ""]);
        check(&[("package.json", "not json")], ["", "", "", ""]);
        check(&[("Makefile", "build;id: x\n$(shell id): y\nlint`id`:\n")], ["", "", "", ""]);
        check(&[("pyproject.toml", "[tool.ruff;id]\n[tool.mypyx]\n")], ["", "", "", ""]);
    }

    #[test]
    fn links_and_large_files_are_not_read() {
        let elsewhere = tempfile::tempdir().unwrap();
        std::fs::write(elsewhere.path().join("Cargo.toml"), "").unwrap();
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path().join("Cargo.toml"), dir.path().join("Cargo.toml"))
            .unwrap();
        std::fs::write(dir.path().join("go.mod"), " ".repeat(2 << 20)).unwrap();
        let found = ProjectCommands::find(dir.path());
        assert_eq!(found.command(ProjectCheck::Build), None);
        assert!(
            found
                .why_none(ProjectCheck::Build)
                .starts_with("No command found for 'build': the project has no ")
        );
    }

    /// Make would read it, whatever another makefile says.
    #[test]
    fn makefile_behind_an_unreadable_one_does_not_count() {
        let elsewhere = tempfile::tempdir().unwrap();
        let outside = elsewhere.path().join("other.mk");
        std::fs::write(&outside, "build:\n\tid\n").unwrap();
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("Makefile"), "build:\nlint:\n").unwrap();
        let command = |check| ProjectCommands::find(dir.path()).command(check).map(str::to_owned);
        assert_eq!(command(ProjectCheck::Build).as_deref(), Some("make build"));
        let first = dir.path().join("GNUmakefile");
        std::os::unix::fs::symlink(&outside, &first).unwrap();
        assert_eq!((command(ProjectCheck::Build), command(ProjectCheck::Lint)), (None, None));
        std::fs::remove_file(&first).unwrap();
        std::fs::create_dir(&first).unwrap();
        assert_eq!(command(ProjectCheck::Build), None);
        let why = ProjectCommands::find(dir.path()).why_none(ProjectCheck::Build);
        assert!(why.contains("GNUmakefile has none"), "{why}");
        // Other programs do not read it.
        std::fs::write(dir.path().join("Cargo.toml"), "").unwrap();
        assert_eq!(command(ProjectCheck::Build).as_deref(), Some("cargo build"));
    }
}
