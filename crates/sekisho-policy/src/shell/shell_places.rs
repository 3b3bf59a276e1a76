//! Where a shell that is kept may be after a text.

use sekisho_shell::Budget;

use super::execution_plan::{ExecutionPlan, Step};
use super::shell_effect::{Effect, effect, runs_here};
use super::working_directories::WorkingDirectories;

/// Where a shell is during a text and after it, if it began in one of some directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShellPlaces {
    /// Where it began or one of these directories, and nowhere else. Absolute, perhaps with `..` in it.
    Known(Vec<String>),
    /// Perhaps in another directory.
    Unknown,
    /// Perhaps in another directory, and what `cd` does may have changed.
    Changed,
}

/// Where a shell may be during a text and after it. It begins in one of the `starts`.
pub fn shell_places(text: &str, starts: &[String], home: Option<&str>) -> ShellPlaces {
    let mut budget = Budget::default();
    let mut places: Vec<String> = Vec::new();
    let mut is_known = true;
    for start in starts {
        let (plan, end) = ExecutionPlan::followed(budget, text, Some(start), home);
        if plan.budget.is_spent() {
            return ShellPlaces::Changed;
        }
        match effect(&plan) {
            Effect::Follows => {}
            Effect::Leads => is_known = false,
            Effect::Changes => return ShellPlaces::Changed,
        }
        let own = plan.steps.iter().filter(|step| step.parent.is_none_or(|parent| runs_here(&plan, parent)));
        let passed = own.map(Step::redirect_directories);
        for directory in passed.chain([&end]).flat_map(WorkingDirectories::iter) {
            match directory {
                None => is_known = false,
                Some(directory) if directory == start || places.iter().any(|place| place == directory) => {}
                Some(directory) => places.push(directory.to_owned()),
            }
        }
        budget = plan.budget;
    }
    if is_known { ShellPlaces::Known(places) } else { ShellPlaces::Unknown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> ShellPlaces {
        shell_places(text, &["/p".to_owned()], Some("/home/u"))
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let ShellPlaces::Known(mut found) = places(text) else { panic!("{text}: {:?}", places(text)) };
        found.push("/p".to_owned());
        found.sort_unstable();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn known_changes_are_followed() {
        for text in [
            "ls",
            "x=$(date); echo $x",
            "git -C /x log",
            "printf $'a\\n'",
            "echo 'cd x'",
            "cat <<'E'\ncd x\nE",
            "# cd x",
            "git commit -m 'fix cd'",
            "MSG='cd to x'; git commit -m \"$MSG\"",
            "grep -rn autocd .",
            "ENV=prod npm test",
            "HOME=/tmp npm test",
            "export PATH=\"$HOME/bin:$PATH\"",
            "\"$VIRTUAL_ENV/bin/python\" x.py",
            "set -euo pipefail; shopt -s nullglob",
            "printf '%s\\n' $x",
            "cat x | while read -r line; do echo $line; done",
            "f() { ls; }; f",
            "set -Eeuo pipefail; set -o vi",
            "shopt -s inherit_errexit expand_aliases",
            "read -r -p \"Go $USER?\" x",
            "trap \"kill $PID\" EXIT",
            "trap cleanup EXIT ERR; trap 'kill $PID' INT",
            "npm start & PID=$!; wait $PID",
            "bash --version",
            "bash -o vi x.sh",
            "alias ll='ls -l'",
            "exec npm test",
            "sh <<'E'\nls\nE",
            "echo ls | bash",
            "find . -execdir ls {} +",
            "ssh host 'cd x && ls'",
            "docker exec -it x bash",
        ] {
            check(text, &["/p"]);
        }
        check("trap 'cd /; rm -rf x' EXIT", &["/", "/p"]);
        check("cd .git", &["/p", "/p/.git"]);
        check("c\\d /x", &["/p", "/x"]);
        check("cd -- '.g'it/", &["/p", "/p/.git"]);
        check("cd sub && cargo test 2>&1", &["/p", "/p/sub"]);
        check("(cd sub && make) | tail", &["/p", "/p/sub"]);
        check("builtin cd x", &["/p", "/p/x"]);
        check("eval cd 'y'", &["/p", "/p/y"]);
        check("cat <<E\nit's\nE\ncd x", &["/p", "/p/x"]);
        check("cd ~ && ls", &["/home/u", "/p"]);
        check("cd $PWD/src && ls", &["/p", "/p/src"]);
        check("cd sub && cd .. && ls", &["/p", "/p/sub", "/p/sub/.."]);
        check("cd src && cd - && cd .git", &["/p", "/p/.git", "/p/src"]);
    }

    #[test]
    fn changes_that_are_not_told_lead_anywhere() {
        for text in [
            "cd $x",
            "cd \"$(pwd)\"",
            "cd *",
            "x=$(a); $x y",
            "for i in 1 2 3; do cd ..; done",
            "cd \"$d\"",
            "d=x; cd $d",
            "$'\\143d' x",
            "cd +1",
            "x='cd y'; $x/hooks",
            "ls\rcd .git",
            "noglob cd .git",
            "pushd +1",
            "pushd -n none",
            "cd -P lnk/..",
            "CDPATH=/x cd y",
            "for i in 1 2; do eval cd a; done",
            "for i in 1 2; do eval 'cd a'; done",
            "for i in 1 2; do time cd a; done",
            "for i in 1 2; do command eval cd a; done",
            "for i in 1 2; do source /dev/stdin <<<'cd a'; done",
            "for i in 1 2; do . <(echo cd a); done",
        ] {
            assert_eq!(places(text), ShellPlaces::Unknown, "{text}");
        }
    }

    #[test]
    fn what_changes_later_commands_is_told() {
        for text in [
            "alias q='cd x'",
            "alias cd=ls",
            "trap 'cd x' DEBUG",
            "eval \"$x\"",
            "CDPATH=/x; ls",
            "f() { cd ..; }; f; f",
            "ls() { c\\d x; }",
            "alias ls='c\\d x'",
            "alias e=eval",
            "alias g='$C .git'",
            "trap '$C .git' INT",
            "trap -- 'cd x' DEBUG",
            "mapfile -C '$C .git;:' -c 1 x",
            "bash --rcfile x",
            "BASH_ALIASES[ls]='cd x'",
            "function\tcd { :; }",
            "c\\d() { :; }",
            "function a cd { :; }",
            "readarray -t CDPATH",
            "printf -vCDPATH .git",
            "read -raCDPATH",
            "declare -n d=CDPATH",
            "CDPATH=x :",
            "unset PWD",
            "shopt -s -- cdable_vars",
            "bash",
            "/bin/bash -i",
            "HOME=x bash --norc",
            "bash -s",
            "sudo -i",
            "su - user",
            "export CDPATH=.git",
            "declare OLDPWD=.git",
            "read CDPATH",
            "printf -v CDPATH .git",
            "export $(cat .env)",
            "shopt -s autocd",
            "shopt -s auto''cd",
            "shopt -s cdable_vars",
            "set -P",
            "set -o physical",
            "setopt AUTO_CD",
            "chdir x",
            "env -C .git bash",
            "exec env -C .git bash",
            "cd() { :; }",
            "function cd { :; }",
            "enable -n cd",
        ] {
            assert_eq!(places(text), ShellPlaces::Changed, "{text}");
        }
    }

    #[test]
    fn everyday_texts_move_nothing() {
        for text in [
            "for f in *; do echo $f; done",
            "for i in 1 2; do eval ls; done",
            "for i in 1 2; do time ./bench; done",
            "for i in 1 2; do command cargo build; done",
            "for f in *.sh; do bash -n $f; done",
            "bash -eo pipefail x.sh",
            "ls *.sh | xargs -n1 bash",
            "find . -name '*.sh' -exec bash -n {} \\;",
            "sudo -u postgres psql",
            "sudo -n true",
            "[[ -d x ]] && echo \"HOME=$HOME\"",
            "docker run --rm -e HOME=$HOME -v ${PWD}:/x img",
            "HOME=/tmp npm test && ((x == 1))",
            "for ((i = 0; i < 3; i++)); do ls; done",
            "trap 'rm -f \"$tmp\"; exit $rc' INT",
            "alias g='git -C $PWD'",
            "git() { command git \"$@\"; }",
        ] {
            check(text, &["/p"]);
        }
    }

    #[test]
    fn computed_names_in_later_texts_are_told() {
        for text in [
            "ls() { $C .git; }",
            "ls() { \"$@\"; }",
            "ls() { command \"$@\"; }",
            "ls() { builtin \"$1\" \"$2\"; }",
            "ls() { eval '$C .git'; }",
            "ls() { . \"$1\"; }",
            "ls() { c${E}d .git; }",
            "alias ls='c${E}d .git'",
            "alias ls='A=1 $C .git'",
            "alias ls='if $C .git; then :; fi'",
            "alias ls='time $C .git'",
            "alias ls='>/dev/null $C .git'",
            "alias ls='A=1'",
            "alias ls='CDPATH=.git'",
            "trap 'A=1 $C .git' INT",
        ] {
            assert_eq!(places(text), ShellPlaces::Changed, "{text}");
        }
    }

    #[test]
    fn arithmetic_that_sets_variables_is_told() {
        for text in [
            "((HOME=5)); cd",
            "echo $((HOME=5))",
            "echo $((\"HOME\" = 5))",
            "[[ HOME=5 -eq 5 ]]",
            "x=HOME=5; echo $((x))",
            "declare -i n; n=HOME=5",
            "echo ${PATH:HOME=5:1}",
            "echo ${x[HOME=5]}",
            "test -v 'x[HOME=5]'",
            "printf -v 'x[HOME=5]' y",
            "read 'x[HOME=5]'",
            "exec {HOME}</dev/null",
            "histchars='%^#'",
        ] {
            assert_eq!(places(text), ShellPlaces::Changed, "{text}");
        }
    }

    #[test]
    fn shells_that_read_what_follows_are_told() {
        for text in [
            "env -C .git bash -eo pipefail",
            "env -C .git bash -xeo pipefail",
            "env -C .git bash $NOPE",
            "env -C .git bash -norc",
            "timeout 9 env -C .git bash",
            "xargs -a /dev/null env -C .git bash",
            "bash -c 'cd .git; bash'",
            "bash 3</dev/null",
            "script -q /dev/null",
            "sudo -u bob -i",
        ] {
            assert_eq!(places(text), ShellPlaces::Changed, "{text}");
        }
    }
}
