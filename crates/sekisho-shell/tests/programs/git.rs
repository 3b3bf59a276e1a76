//! Git's options, both global and of subcommands.

use sekisho_shell::programs::ObstacleCode;

use crate::support::{harmful, profile};

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
git config user.name x
git config core.fsmonitor 'touch x' --get
git config core.fsmonitor 'touch x' --get-all
git config --global alias.ls '!x' --get
git config --file f core.pager ./x --get
git config unset x --get
git config --get unset x
git config remove-section x --get
git config rename-section a b --get
git config edit --get
git config edit
git config --get-regexp edit
git config set a.b c
git config "$x"
git config a.b $x
git config user
git config --get a b c
git config get --url=x a
git branch --list --format '%(signature)'
git branch --sort=signature
git branch --sort signature:grade
git tag -l --sort=signature
git tag -l --sort=-signature:key
git tag -l --format '%(signature:grade)'
git log --diff-merges remerge
git rev-list --format=%G? HEAD
git rev-list --stdin
git shortlog --group=format:%G?
git cat-file --textconv HEAD:a
git cat-file --filters HEAD:a
git cat-file --batch
git stash list --format=%G?
git reflog expire --all
git reflog main
git reflog --show-signature
git worktree add x
git worktree list --expire=now
git config --get a --unset a
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
    let directory = profile("git -C sub status");
    assert_eq!(directory.harmless.unwrap_err().code, ObstacleCode::Directory);
    assert_eq!(directory.directories, [2]);
    assert_eq!(harmful("git -C sub diff --output=x").code, ObstacleCode::Option);
    assert!(profile("git status").repository);
}
