//! In which directories the shell of a session may be.
//!
//! ACP does not say whether an agent starts a shell for each call or keeps one. If it keeps one, `cd .git` in one call
//! changes what `cat config` reads in the next. So the directories to which allowed commands may have led are remembered,
//! and a command is judged in each of them. Texts are only searched for `cd` and `pushd`: what a text does is judged by
//! policy, and a directory too many makes the judgement stricter. What a script does is not seen.

use std::borrow::Cow;
use std::path::Path;

use sekisho_policy::paths::{join, normalise_lexically};
use sekisho_policy::{PlannedCommand, planned_commands};

/// How many directories are remembered, and how long each may be, in bytes. After more, the directory is unknown.
const MOST: usize = 64;
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
            () if changes.is_empty() || targets(text).is_empty() => ShellCommand::Text(text.to_owned()),
            () if changes.iter().any(|change| change.matches('\'').count() > 2) => ShellCommand::Unknown,
            () => ShellCommand::Text(changes.concat() + text),
        }
    }
}

/// The directories besides that of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ShellDirectories {
    others: Vec<String>,
    is_unknown: bool,
}

impl ShellDirectories {
    /// Where a command may start: the directory of the session, and all others that exist. `None` if that is not known.
    pub(super) fn possible(&self, cwd: &str, command: &str) -> Option<Vec<String>> {
        let mut all = vec![cwd.to_owned()];
        let entered = anchor(command);
        if entered.is_some_and(|target| target.starts_with('/')) {
            return Some(all);
        }
        // Where it cannot go to its own directory first, it does nothing.
        let may_start = |other: &&String| Path::new(other).join(entered.unwrap_or(".")).is_dir();
        all.extend(self.others.iter().filter(may_start).cloned());
        (!self.is_unknown).then_some(all)
    }

    /// The directories in which a path in this command may lie.
    pub(super) fn within(&self, cwd: &str, command: &str) -> Vec<String> {
        let mut after = self.clone();
        after.run(cwd, &ShellCommand::Text(command.to_owned()));
        std::iter::once(cwd.to_owned()).chain(after.others).collect()
    }

    /// A command may run.
    pub(super) fn run(&mut self, cwd: &str, command: &ShellCommand) {
        match command {
            ShellCommand::Nothing => {}
            ShellCommand::Unknown => self.is_unknown = true,
            ShellCommand::Text(text) if hides_names(text) => self.is_unknown = true,
            ShellCommand::Text(text) => self.change(cwd, text),
        }
    }

    fn change(&mut self, cwd: &str, text: &str) {
        if self.others.len() > MANY {
            self.others.retain(|other| Path::new(other).is_dir());
        }
        let before: Vec<String> =
            std::iter::once(cwd.to_owned()).chain(self.others.iter().cloned()).collect();
        // In a chain, a change follows only those before it. Elsewhere, any of them may have failed.
        let is_chain = !without_joints(text).contains([';', '|', '&', '\n', '(', ')', '{', '}', '`']);
        let mut last = before;
        for target in targets(text) {
            let Some(target) = target else {
                self.is_unknown = true;
                return;
            };
            let next: Vec<String> = last
                .iter()
                .filter_map(|from| normalise_lexically(&join(Some(from), &target)?))
                .filter(|next| next.len() <= LONGEST)
                .collect();
            self.is_unknown |= next.len() < last.len();
            for directory in &next {
                if directory != cwd && !self.others.contains(directory) {
                    self.others.push(directory.clone());
                }
            }
            if is_chain {
                last = next;
            } else {
                last.extend(next);
                last.sort_unstable();
                last.dedup();
            }
            self.is_unknown |= self.others.len() > MOST;
            if self.is_unknown {
                return self.others.truncate(MOST);
            }
        }
    }
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

/// Whether a text spells characters by number, in which a `cd` could hide.
fn hides_names(text: &str) -> bool {
    text.split("$'").skip(1).any(|quoted| {
        let inside = quoted.split('\'').next().unwrap_or_default();
        inside
            .split('\\')
            .skip(1)
            .any(|escape| !escape.starts_with(['n', 'r', 't', '\\', '"']) && !escape.is_empty())
    })
}

/// Whether a path is what it seems to a shell.
fn is_plain(path: &str) -> bool {
    path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+@:,%=".contains(&byte) || !byte.is_ascii())
}

/// The directories to which a text may go, in the order of its commands; `None` for one that it does not tell.
fn targets(text: &str) -> Vec<Option<String>> {
    let plan = planned_commands(text);
    let mut found = Vec::new();
    for command in &plan.commands {
        match change_by(command) {
            Change::Nowhere => {}
            Change::To(target) => found.push(Some(target)),
            Change::Unknown => found.push(None),
        }
    }
    // With `CDPATH` a directory is looked for elsewhere, and with `autocd` its name alone is a command. Some variables are run.
    let is_run =
        |name: &str| matches!(name, "CDPATH" | "PROMPT_COMMAND" | "BASH_ENV" | "ENV" | "PS0" | "PS1" | "PS4");
    let is_unclear = plan.is_cut
        || plan
            .assignments
            .iter()
            .any(|(name, value)| is_run(name) || value.literal().is_some_and(|text| mentions_change(&text)))
        || text.contains("autocd");
    found.extend(is_unclear.then_some(None));
    found
}

/// Where a command takes the shell.
enum Change {
    /// Nowhere new: perhaps back to a directory before.
    Nowhere,
    To(String),
    Unknown,
}

fn change_by(command: &PlannedCommand) -> Change {
    let Some((name, arguments)) = command.words.split_first() else { return Change::Nowhere };
    let mut arguments = arguments.iter().map(|word| word.literal());
    let is_pushd = match name.literal().as_deref() {
        Some("cd") => false,
        Some("pushd") => true,
        // What it runs is listed, too.
        Some("eval") => {
            return if arguments.all(|text| text.is_some()) { Change::Nowhere } else { Change::Unknown };
        }
        // A definition of a command, or commands that are run later.
        Some("alias" | "trap" | "complete" | "bind") => {
            // What is computed may be anything.
            let may_change = |text: Option<Cow<'_, str>>| text.is_none_or(|text| mentions_change(&text));
            return if arguments.any(may_change) { Change::Unknown } else { Change::Nowhere };
        }
        Some(_) => return Change::Nowhere,
        None => return Change::Unknown,
    };
    let mut has_ended = false;
    for text in &mut arguments {
        match text.as_deref() {
            None | Some("") => return Change::Unknown,
            Some("-") => return Change::Nowhere,
            Some("--") if !has_ended => has_ended = true,
            Some(text) if is_pushd && is_rotation(text) => return Change::Nowhere,
            Some(text) if !has_ended && text.starts_with('-') => {}
            Some(text) => return Change::To(text.to_owned()),
        }
    }
    // `cd` alone goes home.
    if is_pushd { Change::Nowhere } else { Change::Unknown }
}

/// `+1`: one of the directories before.
fn is_rotation(text: &str) -> bool {
    let number = text.strip_prefix(['+', '-']).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text that is run later may change the directory.
fn mentions_change(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| matches!(word, "cd" | "pushd"))
}

#[cfg(test)]
mod tests {
    use super::{ShellCommand, ShellDirectories};

    /// Where the shell may be after some commands in `/p`, besides `/p`. `None` if that is not known.
    #[track_caller]
    fn check(commands: &[&str], expected: Option<&[&str]>) {
        let mut shell = ShellDirectories::default();
        for command in commands {
            shell.run("/p", &ShellCommand::Text((*command).to_owned()));
        }
        let expected = expected.map(|all| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>());
        assert_eq!((!shell.is_unknown).then_some(shell.others), expected, "{commands:?}");
    }

    #[test]
    fn changes_of_the_directory_are_found() {
        check(&["ls", "x=$(date); echo $x", "git -C /x log", "printf $'a\\n'"], Some(&[]));
        check(&["cd .git"], Some(&["/p/.git"]));
        check(&["cd -P -- '.g'it/", "pwd"], Some(&["/p/.git"]));
        check(&["c\\d /x", "cd y"], Some(&["/x", "/p/y", "/x/y"]));
        check(&["cd sub && cargo test 2>&1 && cd .."], Some(&["/p/sub"]));
        check(&["cd sub; make; cd .."], Some(&["/p/sub", "/"]));
        check(&["(cd sub && make) | tail", "cd -", "pushd +1", "popd"], Some(&["/p/sub"]));
        check(&["cd 2>/dev/null x", "cd -- +y"], Some(&["/p/x", "/p/+y", "/p/x/+y"]));
        check(&["# don't\ncd x", "ls # 5\" disk\ncd x"], Some(&["/p/x", "/p/x/x"]));
        check(&["cat <<E\nit's\nE\ncd x"], Some(&["/p/x"]));
        check(&["cd {.git,}"], Some(&["/p/.git"]));
        check(&["cd {,.git}"], Some(&["/p/.git"]));
        check(&["echo 'cd x'", "cat <<'E'\ncd x\nE", "# cd x"], Some(&[]));
        check(&["builtin cd x", "eval cd 'y'", "git commit -m 'fix cd'"], Some(&["/p/x", "/p/y", "/p/x/y"]));
    }

    #[test]
    fn directories_that_are_not_told_are_unknown() {
        for command in [
            "cd",
            "cd && ls",
            "cd ~",
            "cd $x",
            "cd \"$(pwd)\"",
            "cd *",
            "x=cd; $x y",
            "$'\\143d' x",
            "alias q='cd x'",
            "trap 'cd x' DEBUG",
            "eval \"$x\"",
            "CDPATH=/x cd y",
            "shopt -s autocd; .git",
        ] {
            check(&[command], None);
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
    }

    #[test]
    fn directory_of_the_command_itself_counts() {
        let starting_in =
            |directory: &str, text: &str| ShellCommand::starting_in([directory].into_iter(), text);
        assert_eq!(starting_in("sub", "ls"), ShellCommand::Text("ls".into()));
        assert_eq!(starting_in("it's", "cd x"), ShellCommand::Unknown);
        let mut shell = ShellDirectories::default();
        shell.run("/p", &starting_in("a b", "cd x"));
        assert_eq!(shell.others, ["/p/a b", "/p/x", "/p/a b/x"]);
    }

    #[test]
    fn number_of_directories_is_bounded() {
        let mut shell = ShellDirectories::default();
        for number in 0..100 {
            shell.run("/p", &ShellCommand::Text(format!("cd {number} && ls")));
        }
        assert!(shell.others.len() <= super::MOST);
    }

    #[test]
    fn only_directories_that_exist_count() {
        let place = tempfile::tempdir().unwrap();
        let cwd = place.path().to_str().unwrap();
        std::fs::create_dir(place.path().join("sub")).unwrap();
        let mut shell = ShellDirectories::default();
        shell.run(cwd, &ShellCommand::Text("cd sub; cd none".into()));
        assert_eq!(shell.possible(cwd, "ls"), Some(vec![cwd.to_owned(), format!("{cwd}/sub")]));
    }
}
