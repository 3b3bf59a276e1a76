//! Commands for the shell among those of other programs: `.shell` of sqlite3, `!` of gdb, ed and vim.

/// Programs in whose commands `!` is followed by a command for the shell.
const BANG: [&str; 12] =
    ["ed", "ex", "gvim", "nvim", "red", "rvim", "vi", "view", "vim", "vim.basic", "vim.tiny", "vimdiff"];
/// Commands of sqlite3 that run one. They may be abbreviated.
const DOT: [&str; 2] = ["shell", "system"];

/// Commands of gdb and lldb that run one.
const GDB: [&str; 5] = ["shell", "!", "make", "platform shell", "pipe"];
/// Commands of tmux that run one. Its format runs `#(command)`.
const TMUX: [&str; 12] = [
    "run-shell",
    "run",
    "if-shell",
    "if",
    "new-window",
    "neww",
    "new-session",
    "new",
    "split-window",
    "splitw",
    "respawn-pane",
    "pipe-pane",
];

/// Settings of ssh whose value is a command.
const SSH: [&str; 3] = ["ProxyCommand", "LocalCommand", "KnownHostsCommand"];

/// How a program marks a command for the shell among its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Escape {
    Dot,
    Bang,
    /// gdb: `shell command`, and `!`.
    Debugger,
    /// tmux: `run-shell 'command'`.
    Multiplexer,
    /// ssh: `ProxyCommand command`, `Match exec "command"`.
    Secure,
}

/// The mark of a program. `None` if its commands are not searched.
pub(super) fn escape(program: &str) -> Option<Escape> {
    match program.rsplit('/').next().unwrap_or_default() {
        "sqlite3" | "sqlite" => Some(Escape::Dot),
        "gdb" | "lldb" | "cgdb" => Some(Escape::Debugger),
        "ssh" | "scp" | "sftp" => Some(Escape::Secure),
        "tmux" => Some(Escape::Multiplexer),
        name => BANG.contains(&name).then_some(Escape::Bang),
    }
}

impl Escape {
    /// The commands for the shell in a text that the program reads as its own commands.
    pub(super) fn commands(self, text: &str) -> Vec<String> {
        let found = text.lines().filter_map(|line| match self {
            Escape::Dot => behind_dot(line),
            Escape::Bang => behind_bang(line),
            Escape::Debugger => behind_name(line, &GDB).or_else(|| behind_bang(line)),
            Escape::Multiplexer => behind_name(line, &TMUX),
            Escape::Secure => behind_name(line, &SSH).or_else(|| behind_exec(line)),
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

/// `shell command`, `run-shell -b 'command'`: quotes and options are left out.
fn behind_name<'l>(line: &'l str, names: &[&str]) -> Option<&'l str> {
    let line = line.trim();
    let behind = |name: &&str| line.strip_prefix(name).filter(|rest| rest.starts_with([' ', '"', '\'']));
    let rest = names.iter().find_map(behind)?.trim_start();
    let words = rest.trim_start_matches(['-', ' ']);
    let rest = if rest.starts_with('-') { words.split_once(' ').map_or("", |(_, rest)| rest) } else { rest };
    Some(rest.trim().trim_matches(['\'', '"']))
}

/// `Match host a exec "command"`
fn behind_exec(line: &str) -> Option<&str> {
    let (_, command) = line.trim().strip_prefix("Match ")?.split_once("exec ")?;
    Some(command.trim_matches(['"', ' ']))
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
            ("gdb", "shell x y", &["x y"]),
            ("gdb", "info shell", &[]),
            ("tmux", "run-shell 'x y'", &["x y"]),
            ("tmux", "run -b \"x\"", &["x"]),
            ("ssh", "Host *\n ProxyCommand x y\nMatch all exec \"z\"", &["x y", "z"]),
            ("tmux", "set -g status off", &[]),
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
