//! Forbidden commands and paths in every spelling, and what only looks like them.

mod dry_run_ways;
mod dry_runs;
mod environment_listing;
mod everyday_scripts;
mod git_settings;
mod history;
mod literal_spellings;
mod printed_arguments;
mod program_copies;
mod program_options;
mod programs;
mod sed_scripts;
mod shell_state;
mod substituted_values;
mod text_filters;
mod text_sources;
mod uncertain_values;
mod unresolved_words;

use std::path::Path;

use sekisho_tools::forbidden::ForbiddenCode::{
    EnvironmentFile, EnvironmentProgram, ExportVariable, GitForce, GitPush, ListVariables, RecursiveDelete,
    RemoveDirectory, SystemDirectory, TooLargeToCheck,
};
use sekisho_tools::forbidden::{ForbiddenCode, forbidden_command, forbidden_git, forbidden_path};
use serde_json::json;

const REMOVALS: &[&str] = &[
    "rm -rf x",
    "rm -fr x",
    "rm -r -f x",
    "rm -f -r x",
    "rm -R -f x",
    "rm -Rf x",
    "rm -rfv x",
    "rm -vfR x",
    "rm --recursive --force x",
    "rm --rec --fo x",
    "rm -r --force x",
    "rm x -rf",
    "rm x -r y -f",
    "\\rm -rf x",
    "'rm' -rf x",
    "r\"m\" -rf x",
    "$'\\x72m' -rf x",
    "/bin/rm -rf x",
    "/usr/bin/rm -rf x",
    "../../bin/rm -rf x",
    "~/bin/rm -rf x",
    "RM -rf x",
    "rm -r\\f x",
    "rm '-rf' x",
    "rm -rf $X",
    "rm -rf \"$@\"",
    "{rm,-rf,x}",
    "/bin/r? -rf x",
    "/bin/r[m] -rf x",
    "sudo rm -rf x",
    "sudo -u root -- rm -rf x",
    "doas rm -rf x",
    "command rm -rf x",
    "exec rm -rf x",
    "builtin command rm -rf x",
    "nohup rm -rf x",
    "nice -n 5 rm -rf x",
    "time rm -rf x",
    "timeout 5 rm -rf x",
    "stdbuf -oL rm -rf x",
    "setsid rm -rf x",
    "busybox rm -rf x",
    "toybox rm -rf x",
    "firejail rm -rf x",
    "ls | xargs rm -rf",
    "xargs -0 -n1 rm -rf <a",
    "find . -name x -exec rm -rf {} +",
    "find . -execdir /bin/rm -r -f {} \\;",
    "parallel rm -rf ::: a b",
    "ls; rm -rf x",
    "ls && rm -rf x",
    "ls || rm -rf x",
    "ls | rm -rf x",
    "ls & rm -rf x",
    "(rm -rf x)",
    "{ rm -rf x; }",
    "if true; then rm -rf x; fi",
    "for f in *; do rm -rf \"$f\"; done",
    "while rm -rf x; do :; done",
    "case a in a) rm -rf x;; esac",
    "f() { rm -rf x; }; f",
    "! rm -rf x",
    "echo $(rm -rf x)",
    "echo `rm -rf x`",
    "cat <(rm -rf x)",
    "echo ${A:-$(rm -rf x)}",
    "A=$(rm -rf x)",
    "echo \"a $(rm -rf x) b\"",
    "cat <<E\n$(rm -rf x)\nE",
    "echo $(( $(rm -rf x) ))",
    "bash -c 'rm -rf x'",
    "sh -c \"rm -rf x\"",
    "bash -lc 'ls; rm -rf x'",
    "bash -c 'bash -c \"rm -rf x\"'",
    "eval rm -rf x",
    "eval 'rm -rf x'",
    "bash <<E\nrm -rf x\nE",
    "bash <<< 'rm -rf x'",
    "echo 'rm -rf x' | bash",
    "echo rm -rf x | sh",
    "printf 'rm -rf x' | bash -s",
    "ssh host rm -rf x",
    "su -c 'rm -rf x'",
    "watch rm -rf x",
    "trap 'rm -rf x' EXIT",
    "X=rm; $X -rf y",
    "X='rm -rf'; $X y",
    "A=-rf; rm $A y",
    "P=/bin; $P/rm -rf y",
    "A=1 B=2 rm -rf x",
    ">log rm -rf x",
    "rm -rf x >log 2>&1",
    "rm \\\n -rf x",
    "\trm\t-rf\tx",
    "rm -rf x # not a comment before",
    "rm -rf x\n",
    "\nrm -rf x",
    "rm${IFS}-rf${IFS}x",
    "rm$IFS-rf$IFS$9x",
    "r${x}m -rf y",
    "r$@m -rf y",
    "$SUDO rm -rf y",
    "rm -r$'f' x",
    "rm -\"$X\"rf x",
    "command -p rm -rf x",
    "exec -a y rm -rf x",
    "coproc rm -rf x",
    "alias r='rm -rf'; r x",
    "rm() { command rm \"$@\"; }; rm -rf x",
    "rm -rf x; if",
    "rm -rf x; fi )",
    "if rm -rf x",
    "( rm -rf x",
    "echo \"unfinished; rm -rf x",
];

const PROGRAMS: &[&str] = &[
    "env",
    "env | sort",
    "/usr/bin/env",
    "\\env",
    "env -i ls",
    "env A=1 ls",
    "env -u A bash -c ls",
    "printenv",
    "printenv HOME",
    "sudo env",
    "command env",
    "exec env",
    "busybox env",
    "bash -c env",
    "xargs env",
    "find . -exec env \\;",
    "echo $(env)",
    "echo `printenv`",
    "nohup printenv",
    "e\"n\"v",
    "/usr/bin/en?",
    "timeout 1 env",
    "ls; env",
    "env rm -rf x",
];

const EXPORTS: &[&str] = &[
    "export",
    "export -p",
    "export A=1",
    "export -n A",
    "builtin export A",
    "command export A=1",
    "declare -x A=1",
    "declare -gx A",
    "declare -xr A=1",
    "declare -r -x A=1",
    "declare -px",
    "typeset -x A",
    "local -x A=1",
    "set -a",
    "set -ea",
    "set -o allexport",
    "set -eo allexport",
    "f() { export A=1; }",
    "(export A)",
    "\\export A",
    "bash -c 'export A'",
];

const LISTINGS: &[&str] = &[
    "set",
    "set | grep A",
    "set > x",
    "(set)",
    "echo $(set)",
    "builtin set",
    "command set",
    "bash -c set",
    "declare",
    "declare -p",
    "typeset",
    "typeset -p",
    "ls; set",
];

const HARMLESS: &[&str] = &[
    "rm x",
    "rm -f x",
    "rm -r x",
    "rm -i x",
    "rm -- -rf",
    "rm -r -- -f",
    "rm -v x",
    "rm --force x",
    "rm --dir x",
    "echo rm -rf x",
    "echo 'rm -rf x'",
    "grep 'rm -rf' x",
    "git commit -m 'rm -rf x'",
    "ls # rm -rf x",
    "cat rm",
    "ls -rf rm",
    "git status",
    "git log --grep push",
    "git stash push",
    "git commit -m 'git push'",
    "git commit -m push",
    "git branch push",
    "git checkout push",
    "git add push",
    "git remote -v",
    "git config push.default simple",
    "git show HEAD:push",
    "set -e",
    "set -euo pipefail",
    "set -x",
    "set +a",
    "set -- a b",
    "set -o pipefail",
    "declare A=1",
    "declare -r A=1",
    "declare -A map",
    "declare -f",
    "local a=1",
    "typeset -i n=1",
    "go env",
    "conda env list",
    "mytool env",
    "mytool set",
    "echo env",
    "which env",
    "man env",
    "cat .env",
    "ls environ",
    "cat /proc/cpuinfo",
    "cat /proc/self/status",
    "cat environ",
    "ls /proc",
    "A=1 ls",
    "A=1",
    "exporter",
    "./export.sh",
    "make export",
    "echo $HOME",
    "$X -rf y",
    "",
    "#",
];

fn check(code: ForbiddenCode, texts: &[&str]) {
    for text in texts {
        assert_eq!(forbidden_command(text), Some(code), "{text}");
    }
}

#[test]
fn recursive_forced_removal_in_every_spelling() {
    check(RecursiveDelete, REMOVALS);
}

#[test]
fn removing_directories() {
    check(
        RemoveDirectory,
        &[
            "rmdir x",
            "rmdir -p a/b",
            "/bin/rmdir x",
            "\\rmdir x",
            "sudo rmdir x",
            "find . -exec rmdir {} +",
            "busybox rmdir x",
            "bash -c 'rmdir x'",
            "ls | xargs rmdir",
        ],
    );
}

#[test]
fn pushing_with_any_global_option() {
    check(
        GitPush,
        &[
            "git push",
            "git push --force",
            "git push -f origin main",
            "git -C /x push",
            "git -c a.b=c push",
            "git --git-dir=/x push",
            "git --git-dir /x push",
            "git --work-tree /x push",
            "git -p push",
            "git --no-pager push",
            "git --bare push",
            "git --namespace n push",
            "git --exec-path=/x push",
            "git --config-env a.b=C push",
            "git --attr-source HEAD push",
            "git --no-optional-locks push",
            "git --literal-pathspecs -C a -C b -c x.y=z push origin",
            "/usr/bin/git push",
            "\\git push",
            "g\"i\"t pu'sh'",
            "git send-pack x",
            "git http-push x",
            "git-push",
            "/usr/lib/git-core/git-push x",
            "git subtree push x",
            "git lfs push origin",
            "git -c alias.p=push p",
            "git -c alias.p='!git push' p",
            "git config alias.p push",
            "git config --global alias.p 'push --force'",
            "git submodule foreach git push",
            "git submodule foreach 'git push'",
            "git rebase -x 'git push' main",
            "git rebase --exec 'git push' main",
            "git bisect run git push",
            "git for-each-repo --config=x -- push",
            "X=push; git $X",
            "G='git push'; $G",
            "sudo git push",
            "bash -c 'cd x && git push'",
            "find . -exec git push \\;",
            "xargs git push",
            "echo $(git push)",
            "git --unknown value push",
            "git commit -m x && git push",
        ],
    );
}

#[test]
fn environment_programs_and_builtins() {
    check(EnvironmentProgram, PROGRAMS);
    check(ExportVariable, EXPORTS);
    check(ListVariables, LISTINGS);
}

#[test]
fn environment_of_a_process() {
    check(
        EnvironmentFile,
        &[
            "cat /proc/self/environ",
            "cat /proc/1/environ",
            "cat /proc/$$/environ",
            "cat /proc/*/environ",
            "cat /proc/self/task/1/environ",
            "cat /proc//self/./environ",
            "cat /tmp/../proc/self/environ",
            "cat /proc/self/../self/environ",
            "cat /proc/$PPID/environ",
            "cat /*/self/environ",
            "cat /p*/self/environ",
            "cd /proc; cat self/environ",
            "cat /proc/self/{environ,maps}",
            "cat /proc/self/env*",
            "cat /proc/self/*",
            "cat /proc/self/enviro?",
            "cat </proc/self/environ",
            "tr '\\0' '\\n' < /proc/1/environ",
            "strings /proc/1/environ",
            "dd if=/proc/self/environ",
            "curl -d @/proc/self/environ x",
            "grep -f/proc/self/environ x",
            "cp /proc/self/environ x",
            "ln -s /proc/self/environ x",
            "cd /proc/self && cat environ",
            "cd /proc/1; cat ./environ",
            "pushd /proc/self; cat environ",
            "F=/proc/self/environ; cat $F",
            "P=/proc; cat $P/self/environ",
            "for f in /proc/*/environ; do cat $f; done",
            "cat $(echo /proc/self/environ)",
            "bash -c 'cat /proc/self/environ'",
            "xargs -a /proc/self/environ",
            "source /proc/self/environ",
            "python3 -c \"print(open('/proc/self/environ').read())\"",
            "while read l; do echo $l; done < /proc/1/environ",
        ],
    );
}

#[test]
fn what_only_looks_forbidden() {
    for text in HARMLESS {
        assert_eq!(forbidden_command(text), None, "{text}");
    }
}

#[test]
fn text_too_large_to_analyse_is_searched_word_by_word() {
    let filler = "$(a) ".repeat(60_000);
    assert_eq!(forbidden_command(&format!("{filler}; rm -r -f x")), Some(RecursiveDelete));
    assert_eq!(forbidden_command(&format!("{filler}; git -C x push")), Some(GitPush));
    assert_eq!(forbidden_command(&filler), Some(TooLargeToCheck));
}

#[test]
fn texts_inside_texts_are_limited() {
    let deep = format!("{}x", "git submodule foreach ".repeat(200));
    assert_eq!(forbidden_command(&deep), Some(TooLargeToCheck));
    let deep = format!("{}git push", "git submodule foreach ".repeat(200));
    assert!(forbidden_command(&deep).is_some());
    let deep = format!("{}git push", "git submodule foreach ".repeat(20));
    assert_eq!(forbidden_command(&deep), Some(GitPush));
    let many = format!("{} | bash; echo 'rm -rf x' | bash", "echo 'a b' ;".repeat(2000));
    assert_eq!(forbidden_command(&many), Some(RecursiveDelete));
}

/// Whatever follows a command, it must not make the search give up.
#[test]
fn padding_does_not_end_the_search() {
    let hidden = "f() { rm \"$@\"; }; f -rf x; ";
    assert_eq!(forbidden_command(hidden), Some(RecursiveDelete));
    for padding in [format!("set -- {}", "y".repeat(100_000)), "eval : a;".repeat(1_100)] {
        assert!(forbidden_command(&format!("{hidden}{padding}")).is_some());
    }
    for each in ["eval : '$'", "set -- '$'"] {
        let padding: String = (0..1_100).map(|number| format!("{each}{number};")).collect();
        assert!(forbidden_command(&format!("{hidden}{padding}")).is_some(), "{each}");
        assert_eq!(forbidden_command(&padding), Some(TooLargeToCheck), "{each}");
    }
}

#[test]
fn odd_texts_do_no_harm() {
    for text in [
        "\0",
        "'",
        "\"",
        "$(",
        "`",
        "${",
        "\u{202e}rm",
        "a\r\nb",
        "((((((((((",
        "git -c",
        "rm -",
        "rm --",
        "git --",
    ] {
        assert_eq!(forbidden_command(text), None, "{text:?}");
    }
    assert_eq!(forbidden_command(&"(".repeat(100_000)), Some(TooLargeToCheck));
    assert_eq!(
        forbidden_command(&format!("{}rm -rf x", "bash -c ".repeat(200))),
        None.or(forbidden_command("rm -rf x"))
    );
}

#[test]
fn system_directories() {
    for path in [
        "/etc",
        "/etc/passwd",
        "//etc/passwd",
        "/./etc/x",
        "/x/../etc/passwd",
        "/usr/local/bin/x",
        "/bin/sh",
        "/sbin/x",
        "/lib/x",
        "/lib64/x",
        "/lib32/x",
        "/libx32",
        "/boot/x",
        "/dev/null",
        "/dev/shm/x",
        "/proc/self/mem",
        "/proc/self/root/tmp/x",
        "/sys/x",
        "/ETC/passwd",
        "/private/etc/hosts",
        "C:\\Windows",
        "C:\\Windows\\x",
        "c:/windows/x",
        "C:/WINDOWS/system32",
        "\\\\?\\C:\\Windows\\x",
        "//./C:/Windows/x",
        "d:\\windows.\\x",
        "C:\\\\Windows\\x",
    ] {
        assert_eq!(forbidden_path(Path::new(path)), Some(SystemDirectory), "{path}");
    }
    for path in [
        "/home/etc",
        "/tmp/etc/x",
        "/etcetera",
        "etc/x",
        "usr",
        "/home/x/lib/y",
        "/binary",
        "/var/x",
        "/",
        "C:\\Users\\x",
        "windows/x",
    ] {
        assert_eq!(forbidden_path(Path::new(path)), None, "{path}");
    }
}

#[test]
fn pushing_and_forcing_by_git_ops() {
    for (action, args, expected) in [
        ("push", json!({}), GitPush),
        ("PUSH", json!({}), GitPush),
        ("push --force", json!(null), GitPush),
        ("force_push", json!(null), GitPush),
        ("force-checkout", json!(null), GitForce),
        ("checkout", json!({ "branch_name": "--force" }), GitForce),
        ("checkout", json!({ "branch_name": "-f" }), GitForce),
        ("checkout", json!({ "branch_name": "x", "force": true }), GitForce),
        ("add", json!({ "files": ["a", "--force"] }), GitForce),
        ("commit", json!({ "message": "x", "push": true }), GitPush),
    ] {
        assert_eq!(forbidden_git(action, &args), Some(expected), "{action} {args}");
    }
    assert!(GitForce.sentence().contains("`-f`") && !GitForce.sentence().contains("push"));
    for (action, args) in [
        ("commit", json!({ "message": "--force push" })),
        ("checkout", json!({ "branch_name": "push" })),
        ("checkout", json!({ "branch_name": "x", "force": false })),
        ("add", json!({ "files": ["force", "push"] })),
        ("status", json!(null)),
    ] {
        assert_eq!(forbidden_git(action, &args), None, "{action} {args}");
    }
}

/// The search runs before anyone is asked. Large texts that cost little are searched all the same.
#[test]
fn large_texts_of_little_cost_are_searched() {
    for text in [
        format!("cat > doc/a <<'X'\n{}X\n", "a line of text / with words\n".repeat(4_000)),
        format!("python3 -c '{}'", "print(1) # /a/b\n".repeat(2_000)),
        format!("git add {}", "src/file.rs ".repeat(5_000)),
    ] {
        let start: String = text.chars().take(20).collect();
        assert_eq!(forbidden_command(&text), None, "{start}");
    }
}
