//! Git's options, global and of subcommands.

use sekisho_shell::programs::ObstacleCode;

use crate::support::{harmful, reading};

const GIT_OPTIONS: &str = r#"git
git -c core.fsmonitor=./x status
git --no-pager -c core.pager=./x log
git -c alias.st=!x st
git -p log
git -c core.fsmonitor status
git -cdiff.external=./x diff
git --config-env=core.fsmonitor=X status
git --config-env core.fsmonitor=X status
git --git-dir x/.git status
git --git-dir=x status
git --work-tree . status
git --exec-path=./bin status
git --paginate diff
git -C $x status
git $x status
git status-evil
git difftool -x x HEAD
git diff --output=x
git diff --output x
git diff --outp=x
git show HEAD --output=x
git log -p --ext-diff -1
git show --ext-diff HEAD
git diff --textconv
git log --show-signature -1
git log --format=%G? -1
git log --format='%h %+GK'
git log --pretty=mine
git log --format=$x
git log --remerge-diff -1
git log --diff-merges=remerge
git diff --no-index a b
git diff --submodule=diff
git log -Oorder
git grep -O./x a
git grep -lO./x a
git grep --open=./x a
git grep --open-files-in-pager=./x a
git grep --textconv a
git grep --no-index a
git log $x
git log "$x"
git diff $(x)
git branch new
git branch -D x
git branch -v new
git branch -m a b
git branch --edit-description
git tag v1
git tag -d v1
git tag -a v1
git tag -v v1
git tag --format='%(signature)'
git remote update
git remote -v update
git remote show origin
git remote add x y
git config user.name
git config user.name x
git config --get a --unset a
git config --list
git config -e
git checkout -- .
git push
git stash
git log --stdin
git blame --contents x a
git describe --broken
git ls-files --recurse-submodules
git -c
git status --shor
git rev-parse --parseopt
./git status
git --unknown status"#;

#[test]
fn git_options() {
    for command in GIT_OPTIONS.lines() {
        harmful(command);
    }
    let directory = reading("git -C sub status");
    assert_eq!(directory.harmless.unwrap_err().code, ObstacleCode::Directory);
    assert_eq!(directory.directories, [2]);
    assert_eq!(harmful("git -C sub diff --output=x").code, ObstacleCode::Option);
    assert!(reading("git status").repository);
}
