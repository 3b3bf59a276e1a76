//! Commands for the shell among those of other programs: `.shell` of sqlite3, `!` of gdb, ed and vim.

/// Programs in whose commands `!` is followed by a command for the shell.
const BANG: [&str; 13] = [
    "ed",
    "ex",
    "gdb",
    "gvim",
    "nvim",
    "red",
    "rvim",
    "vi",
    "view",
    "vim",
    "vim.basic",
    "vim.tiny",
    "vimdiff",
];
/// Commands of sqlite3 that run one. They may be abbreviated.
const DOT: [&str; 2] = ["shell", "system"];

/// How a program marks a command for the shell among its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    Dot,
    Bang,
}

/// The mark of a program. `None` if its commands are not searched.
pub(super) fn escape(program: &str) -> Option<Escape> {
    match program.rsplit('/').next().unwrap_or_default() {
        "sqlite3" | "sqlite" => Some(Escape::Dot),
        name => BANG.contains(&name).then_some(Escape::Bang),
    }
}

impl Escape {
    /// The commands for the shell in a text that the program reads as its own commands.
    pub(super) fn commands(self, text: &str) -> Vec<String> {
        let found = text.lines().filter_map(|line| match self {
            Escape::Dot => behind_dot(line),
            Escape::Bang => behind_bang(line),
        });
        found.filter(|command| !command.is_empty()).map(str::to_owned).collect()
    }
}

/// `.sh command`, `.once |command`, `.import "|command" t`
fn behind_dot(line: &str) -> Option<&str> {
    let line = line.trim().strip_prefix('.')?;
    let (name, rest) = line.split_once(char::is_whitespace)?;
    // `.s` is `.save`.
    if name.len() > 1 && DOT.iter().any(|full| full.starts_with(name)) {
        return Some(rest.trim());
    }
    let (before, command) = rest.split_once('|')?;
    match before.chars().next_back().filter(|c| matches!(c, '"' | '\'')) {
        Some(quote) => command.split(quote).next(),
        None => Some(command.trim()),
    }
}

/// `!command`, `r!command`, `:%!command`
fn behind_bang(line: &str) -> Option<&str> {
    let (_, command) = line.split_once('!')?;
    Some(command.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_for_the_shell_are_found() {
        for (program, text, expected) in [
            ("sqlite3", ".shell rm x\nselect 1;\n.sy y", &["rm x", "y"][..]),
            ("/usr/bin/sqlite3", ".sh x", &["x"]),
            ("sqlite3", ".once |x y", &["x y"]),
            ("sqlite3", ".import \"|x\" t", &["x"]),
            ("sqlite3", ".s x", &[]),
            ("sqlite3", "select 1 || 2", &[]),
            ("sqlite3", ".tables", &[]),
            ("gdb", "!x", &["x"]),
            ("vim", "r!x", &["x"]),
            ("vim", ":%!x y", &["x y"]),
            ("vim", "q!", &[]),
            ("ls", "!x", &[]),
        ] {
            let found = escape(program).map(|escape| escape.commands(text)).unwrap_or_default();
            assert_eq!(found, expected, "{program} {text}");
        }
    }
}
