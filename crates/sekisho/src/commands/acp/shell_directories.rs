//! In which directories the shell of a session may be.
//!
//! ACP does not say whether an agent starts a shell for each call or keeps one. If it keeps one, `cd .git` in one call
//! changes what `cat config` reads in the next. So the directories to which allowed commands may have led are remembered,
//! and a command is judged in each of them. Policy tells where a text may lead. What a script does is not seen.

use std::path::Path;

use sekisho_policy::paths::normalise_lexically;
use sekisho_policy::{ShellPlaces, shell_places};

/// How many directories are remembered, and how long each may be, in bytes. After more, the directory is unknown.
const MOST: usize = 16;
/// With more, those that do not exist are forgotten when the next command runs: they were not entered.
const MANY: usize = 8;
const LONGEST: usize = 1024;

/// What a call may run in the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ShellCommand {
    Nothing,
    Text(String),
    /// A command that the call does not tell.
    Unknown,
}

impl ShellCommand {
    /// A command that may start in other directories than that of the session.
    pub(super) fn starting_in<'a>(directories: impl Iterator<Item = &'a str>, text: &str) -> ShellCommand {
        let changes: Vec<String> = directories.map(|directory| format!("cd '{directory}'\n")).collect();
        match () {
            () if changes.is_empty() => ShellCommand::Text(text.to_owned()),
            () if changes.iter().any(|change| change.matches('\'').count() > 2) => ShellCommand::Unknown,
            () => ShellCommand::Text(changes.concat() + text),
        }
    }
}

/// How much is known about a shell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Knowledge {
    #[default]
    Places,
    /// It may be anywhere.
    Nothing,
    /// It may be anywhere, and its `cd` may do something else.
    NotEvenCd,
}

/// The directories besides that of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ShellDirectories {
    others: Vec<String>,
    knowledge: Knowledge,
}

impl ShellDirectories {
    /// Where a command may start: the directory of the session, and the others. `None` if that is not known.
    pub(super) fn possible(&self, cwd: &str, command: &str) -> Option<Vec<String>> {
        if self.knowledge == Knowledge::NotEvenCd {
            return None;
        }
        let mut all = vec![cwd.to_owned()];
        let entered = anchor(command);
        if entered.is_some_and(|target| target.starts_with('/')) {
            return Some(all);
        }
        // Where it cannot go to its own directory first, it does nothing.
        let may_start =
            |other: &&String| entered.is_none_or(|target| Path::new(other.as_str()).join(target).is_dir());
        all.extend(self.others.iter().filter(may_start).cloned());
        (self.knowledge == Knowledge::Places).then_some(all)
    }

    /// The directories in which a path in this command may lie.
    pub(super) fn within(&self, cwd: &str, command: &str) -> Vec<String> {
        let mut after = self.clone();
        after.run(cwd, &ShellCommand::Text(command.to_owned()));
        std::iter::once(cwd.to_owned()).chain(after.others).collect()
    }

    /// A command may run. Returns whether it may take the shell to another directory.
    pub(super) fn run(&mut self, cwd: &str, command: &ShellCommand) -> bool {
        let before = self.clone();
        match command {
            ShellCommand::Nothing => {}
            ShellCommand::Unknown => self.know(Knowledge::Nothing),
            ShellCommand::Text(text) => self.follow(cwd, text),
        }
        *self != before
    }

    fn follow(&mut self, cwd: &str, text: &str) {
        if self.others.len() > MANY {
            self.others.retain(|other| Path::new(other).is_dir());
        }
        let starts: Vec<String> =
            std::iter::once(cwd.to_owned()).chain(self.others.iter().cloned()).collect();
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        match shell_places(text, &starts, home.as_deref().and_then(Path::to_str)) {
            ShellPlaces::Known(places) => {
                places.into_iter().flat_map(meanings).for_each(|place| self.add(cwd, place));
            }
            ShellPlaces::Unknown => self.know(Knowledge::Nothing),
            ShellPlaces::Changed => self.know(Knowledge::NotEvenCd),
        }
    }

    /// The shell may be in this directory.
    pub(super) fn add(&mut self, cwd: &str, place: String) {
        if place == cwd || self.others.contains(&place) {
            return;
        }
        if self.others.len() < MOST && place.len() <= LONGEST {
            self.others.push(place);
        } else {
            self.know(Knowledge::Nothing);
        }
    }

    fn know(&mut self, knowledge: Knowledge) {
        self.knowledge = self.knowledge.max(knowledge);
    }
}

/// The directories that a path with `..` may mean: a shell takes the word before it away, also if that is a link.
fn meanings(path: String) -> Vec<String> {
    if !path.split('/').any(|part| part == "..") {
        return vec![path];
    }
    let real = |path: &str| std::fs::canonicalize(path).ok()?.to_str().map(str::to_owned);
    let Some(plain) = normalise_lexically(&path) else { return vec![path] };
    let linked = real(&path).filter(|linked| real(&plain).as_ref() != Some(linked));
    std::iter::once(plain).chain(linked).collect()
}

/// A text without what joins the commands of a chain, and without copies of a stream.
fn without_joints(text: &str) -> String {
    text.replace("&&", " ").replace(">&", " ")
}

/// The directory that a text enters first, if everything else in it runs only after that.
fn anchor(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once("&&")?;
    let mut words = first.split_whitespace();
    let (Some("cd"), Some(target), None) = (words.next(), words.next(), words.next()) else { return None };
    let rest = without_joints(rest);
    let is_first = is_plain(target)
        && !target.starts_with('-')
        && !first.contains('\n')
        && !rest.contains("||")
        && !rest.contains([';', '&', '\n']);
    is_first.then_some(target)
}

/// Whether a path is what it seems to a shell.
fn is_plain(path: &str) -> bool {
    path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+@:,%=".contains(&byte) || !byte.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::{Knowledge, ShellCommand, ShellDirectories};

    fn text(text: &str) -> ShellCommand {
        ShellCommand::Text(text.to_owned())
    }

    /// Where the shell may be after some commands in `/p`, besides `/p`.
    #[track_caller]
    fn check(commands: &[&str], expected: &[&str]) {
        let mut shell = ShellDirectories::default();
        for command in commands {
            shell.run("/p", &text(command));
        }
        assert_eq!(shell.knowledge, Knowledge::Places, "{commands:?}");
        assert_eq!(shell.others, expected, "{commands:?}");
    }

    #[test]
    fn changes_of_the_directory_are_found() {
        check(&["ls", "echo $HOME", "grep -rn autocd ."], &[]);
        check(&["cd .git"], &["/p/.git"]);
        check(&["c\\d /x", "cd y"], &["/x", "/p/y", "/x/y"]);
        check(&["cd src && cargo test 2>&1", "ls"], &["/p/src"]);
        check(&["cd src && cd .. && ls", "cd src/../docs"], &["/p/src", "/p/docs", "/p/src/docs"]);
        check(&["# don't\ncd x", "ls # 5\" disk\ncd x"], &["/p/x", "/p/x/x"]);
    }

    #[test]
    fn whatever_follows_a_way_back_is_found() {
        for command in [
            "cd src && cd - && cd .git",
            "pushd src && popd && cd .git",
            "! cd none && cd .git",
            "cd src && ls && cd - && cd .git && ls",
            "eval $'cd none\\ncd .git'",
            "cd {.git,}",
            "cd {,.git}",
        ] {
            let mut shell = ShellDirectories::default();
            shell.run("/p", &text(command));
            let is_found = shell.others.contains(&"/p/.git".to_owned());
            assert!(is_found || shell.possible("/p", "ls").is_none(), "{command}: {shell:?}");
        }
    }

    #[test]
    fn directories_that_are_not_told_are_unknown() {
        for command in
            ["cd $x", "cd \"$(pwd)\"", "cd *", "shopt -s autocd; .git", "for i in 1 2; do cd ..; done"]
        {
            let mut shell = ShellDirectories::default();
            assert!(shell.run("/p", &text(command)), "{command}");
            assert_eq!(shell.possible("/p", "ls"), None, "{command}");
        }
        let mut shell = ShellDirectories::default();
        shell.run("/p", &ShellCommand::Unknown);
        assert_eq!(shell.possible("/p", "ls"), None);
        // A command that begins with its own directory runs there, or not at all.
        assert_eq!(shell.possible("/p", "cd /p/x && make 2>&1 | tail"), Some(vec!["/p".to_owned()]));
        for command in [
            "cd x && make",
            "cd /x; make",
            "cd /x && a || b",
            "cd /x && a; b",
            "cd /x >y && a",
            "cd /x\na && b",
        ] {
            assert_eq!(shell.possible("/p", command), None, "{command}");
        }
        // Unless `cd` may be something else.
        shell.run("/p", &text("cd() { :; }"));
        assert_eq!(shell.possible("/p", "cd /p/x && make"), None);
    }

    #[test]
    fn directory_of_the_command_itself_counts() {
        let starting_in =
            |directory: &str, text: &str| ShellCommand::starting_in([directory].into_iter(), text);
        assert_eq!(starting_in("it's", "cd x"), ShellCommand::Unknown);
        let mut shell = ShellDirectories::default();
        shell.run("/p", &starting_in("a b", "cd x"));
        assert_eq!(shell.others, ["/p/a b", "/p/a b/x", "/p/x"]);
    }

    #[test]
    fn number_of_directories_is_bounded() {
        let mut shell = ShellDirectories::default();
        for number in 0..100 {
            shell.run("/p", &text(&format!("cd {number} && ls")));
        }
        assert!(shell.others.len() <= super::MOST);
    }

    #[test]
    fn way_up_from_a_link_leads_to_both_sides() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("p")).unwrap();
        std::fs::create_dir_all(root.join("far/away")).unwrap();
        std::os::unix::fs::symlink(root.join("far/away"), root.join("p/link")).unwrap();
        let (root, mut shell) = (root.to_str().unwrap(), ShellDirectories::default());
        shell.run(&format!("{root}/p"), &text("cd link/.."));
        assert_eq!(shell.others, [format!("{root}/far")]);
    }

    #[test]
    fn directories_that_were_not_entered_are_forgotten() {
        let place = tempfile::tempdir().unwrap();
        let cwd = place.path().to_str().unwrap();
        std::fs::create_dir(place.path().join("sub")).unwrap();
        let mut shell = ShellDirectories::default();
        shell.run(cwd, &text("cd /sub-that-is-not-there"));
        shell.run(cwd, &text(&format!("cd {cwd}/sub")));
        for number in 0..super::MANY - 1 {
            shell.run(cwd, &text(&format!("cd {cwd}/none{number}")));
        }
        assert!(shell.others.len() > super::MANY);
        shell.run(cwd, &text("ls"));
        assert_eq!(shell.possible(cwd, "ls"), Some(vec![cwd.to_owned(), format!("{cwd}/sub")]));
    }
}
