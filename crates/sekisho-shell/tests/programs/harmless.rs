//! Commands that are harmless, and commands that only look harmless.

use sekisho_shell::programs::BuiltinList::{Full, Seed};
use sekisho_shell::programs::ObstacleCode;

use crate::support::{harmful, harmless, inner, profile};

const THE_SHORT_LIST: &str = r#"pwd
pwd -P
ls
ls -la
ls --color=never -I target src
ls --human src
cat -n a.txt
cat -- -x
head -20 a
head -n5 a
head -c 200 a
tail -5 a
tail -n +3 a
tail -c100 a
wc -l a b
wc --lines a
stat -c %s a
stat --format='%n %s' a
grep -rnE 'foo|bar' src
grep -n -- -x a
grep -A3 -B3 foo a
grep -3 foo a
grep --include='*.rs' -r x .
grep -e '->' a
grep -n '->' a
rg -n foo src
rg --files -g '*.rs'
rg -uu foo
rg -tmd -e a -e b
rg --no-heading -C3 x
rg -A 3 x
rg --type-list
find
find .
find . -name '*.rs' -type f
find src tests -maxdepth 2 -not -path './.git/*'
find . ! -name a -o -print0
find . \( -name a -o -name b \) -newer c -newermt 2020-01-01
find . -size +1k -printf '%p\n'
find . -mtime -1 -ls
sort -u a
sort -t, -k1,1 -nr a b
sort --unique --key=2 a
sort --rev a
sort -c a
uname -a
uname --all
whoami
date
date +%F
date -u +%FT%TZ
date -d '2 days ago' '+%F'
date -Iseconds
date --iso-8601=date
date --rfc-3339=date
date -r a.txt
date --date=@0 +%s
file a
file -b --mime-type a
file -i a b
git status
git status -sb
git status --porcelain=v1 -uno
git --no-pager status
git -P log -1
git --no-optional-locks status
git diff
git diff --cached --stat
git diff HEAD~1 -- src/main.rs
git diff -U10 a
git diff --word-diff=color
git diff -M50% -w
git diff --diff-merges=first-parent
git diff --submodule=short
git diff -S foo
git log -1
git log --oneline -n 20
git log --format='%h %s' -5
git log --pretty=format:%an
git log --since='2 weeks ago' --author me
git log -L1,5:a.rs
git log --graph --all --decorate=short
git log -p -1 --stat -- a
git log -S foo -G bar
git log --follow -- a
git show HEAD:README.md
git show --stat HEAD
git rev-parse --short HEAD
git rev-parse --show-toplevel
git rev-parse --abbrev-ref HEAD
git ls-files --others --exclude-standard
git ls-files -z -s src
git grep -nE 'a|b' -- src
git grep -i -l foo
git grep -C3 -e foo
git -c core.fsmonitor=false status
git -c color.ui=never -c core.quotePath=off diff
/usr/bin/git status
/bin/ls -la
cat
sort
head"#;

#[test]
fn the_short_list() {
    for command in THE_SHORT_LIST.lines() {
        harmless(command, Seed);
    }
}

const THE_LONGER_LIST: &str = r#"echo
echo -n hello
echo -e 'a\n' --anything $x *
printf '%s\n' a
printf -- x
true
true x
:
: -x
false
test -f a
[ -f a ]
[ -n "$x" ]
[ "$x" = y ]
[ ! -d a ]
[ "$a" -gt 3 ]
[ -f a -a -f b ]
[ -z "$x" -o "$x" = 1 ]
test a
[ ]
tr -d '\n'
tr a-z A-Z
cut -d: -f1 a
cut -d ' ' -f 2-
uniq -c
uniq -c a
nl -ba a
which git
which -a git cargo
basename a/b .rs
dirname a/b
realpath -s a
readlink -f a
du -sh .
du -h --max-depth=1 src
df -h
diff a b
diff -u a b
diff -ru --color=never a b
diff -U3 a b
cmp -s a b
column -t -s, a
seq 1 10
seq -5
sed -n 1,5p a
sed -n '/a/,/b/p' a
sed -n -e 1p -e 3p a
sed 's/a/b/g' a
sed -E 's/(a)/b/' a
sed -n '$=' a
sed --quiet --expression=5p a
sed -ne 5p a
git branch
git branch -a
git branch -vv
git branch --list 'a*'
git branch --show-current
git branch --sort=-committerdate
git branch --merged main
git blame a
git blame -L 1,5 a
git remote
git remote -v
git tag
git tag -l 'v*'
git tag -n3
git tag --list --sort=-v:refname
git describe
git describe --tags --always --dirty
git config --get user.name
git config --global --get user.email
git config --get-all remote.origin.fetch
git config --get-regexp remote
git config user.name
git config --global user.email
git config --list
git config -l --show-origin
git config get user.name
git config list
git branch --sort -committerdate
git branch --format '%(refname:short)'
git --version
git rev-list --count HEAD
git rev-list -3 HEAD
git ls-tree -r --name-only HEAD
git cat-file -p HEAD
git merge-base main HEAD
git shortlog -sn HEAD
git stash list
git worktree list --porcelain
git reflog
git reflog -5
git reflog show HEAD
git -c user.name=a -c commit.gpgsign=false log
sleep 5
sleep 0.5
id -u
nproc
hostname
md5sum a
sha256sum a b
tac a
comm -12 a b
paste -d, a b
xxd -l 16 a
hexdump -C a
od -c a
jq . a
jq -r '.a[] | select(.b)' a
arch
uptime -p
node --version
python3 --version
sed 's/[a-z]/x/' a
printf '%(%F)T\n'
printf '%5.2f\\n' 3"#;

#[test]
fn the_longer_list() {
    for command in THE_LONGER_LIST.lines() {
        harmless(command, Full);
    }
}

const FIND_ACTIONS: &str = r#"find . -delete
find . -name a '-delete'
find . -name a -exec rm {} +
find . -execdir rm {} \;
find . -ok rm {} \;
find . -fprint x
find . -fprint0 x
find . -fls x
find . -fprintf x '%p'
find -files0-from names
find . -newerXX a
find . -unknown
find . --delete
find $x -name a
find . -name a $x
find . -name a $(x)
find . -name $x -print
find "$x"
find -D exec .
find . -d*
find . -exec
find . -name a -exec grep -l a {} + -exec touch x \;
find . -exec echo "$(x)" -exec touch x ';' -exec echo \;
find . -exec echo "$x" -delete -exec echo \;
find . -exec echo ";$x" -delete \;"#;

#[test]
fn find_actions() {
    for command in FIND_ACTIONS.lines() {
        harmful(command);
    }
    // A computed word that may be `;` leaves the end of the command open.
    for command in ["find . -exec echo \"$x\" -delete -exec echo \\;", "find . -exec echo \"$(x)\" \\;"] {
        assert_eq!(harmful(command).code, ObstacleCode::MayBeOption, "{command}");
        assert!(inner(command).contains(&"unknown".to_owned()), "{command}");
    }
    assert_eq!(harmful("find . -exec grep \"a$x\" {} +").code, ObstacleCode::Executes);
    assert_eq!(harmful("find . -exec grep x {} +").code, ObstacleCode::Executes);
    assert_eq!(harmful("find . -exec grep x {} + -delete").code, ObstacleCode::Option);
}

const OPTIONS_THAT_WRITE_OR_EXECUTE: &str = r#"sort -o x a
sort a -o x
sort -uo x a
sort -ox a
sort --output x a
sort --output=x a
sort --o=x a
sort --compress-program=./x a
sort --comp ./x a
sort -S 1b -T . a
sort -T . a
sort --files0-from=x
rg --pre ./x foo
rg foo . --pre=./x
rg --pre-glob '*' foo
rg -z foo a
rg -lz foo a
rg --search-zip foo
rg --hostname-bin=./x foo
rg --p ./x foo
file -C -m magic
file -Cm magic
file --comp -m magic
file --compile
file -p a
file --preserve-date a
file -z a
file -S -z a
file -f names
file -m magic a
date -s 2020-01-01
date --set 2020-01-01
date --se=2020-01-01
date -u 010112002020
date -us 2020-01-01
date 0101
date -f a
date *
tail -f a
tail -qf a
tail -n0 -F a
tail --follow=name a
tail --fol a
wc --files0-from=x
diff -l a b
diff --paginate a b
diff --pag a b
uniq a b
uniq -c a b
uniq *
uniq $x
printf -v x y
printf -vx y
printf '%n' PATH
printf $x
printf "$x" a
sed -i s/a/b/ a
sed -ni 1p a
sed -n -i.bak 1p a
sed --in-place 1p a
sed --in 1p a
sed -f script a
sed 's/a/b/e' a
sed 'w x' a
sed -n -e 1p -e 'w x' a
sed -n $x a
sed -e 1p --expression=e a
sed -s -n 1p -e 'r x' a
sed 's/[]/a/;s/b/]/;s/e;/x/p' a
sed '/[^]]/p' a
printf '\\%n' PATH
printf 'a%(%n)x' PATH
printf '%y' a
rg -L foo
rg --follow foo
grep -R foo .
grep --dereference-recursive foo .
find -L . -name a
find -H . -name a
find . -follow
sleep 61
sleep 1h
sleep 1 60
sleep "$x"
sleep infinity
hostname evil
hostname -F a
md5sum -c a
xxd a b
xxd -r a
hexdump -f a b
jq -f a b
jq 'import "a" as a; .' b
jq 'include "a"; .' b
jq -n env
jq -n '$ENV.A'
jq --arg a . 'env' b
jq "$x" a
git --version x
node --version x
python3 --version x.py
node -v -e x
cargo --version
rustc --version
go version"#;

#[test]
fn options_that_write_or_execute() {
    for command in OPTIONS_THAT_WRITE_OR_EXECUTE.lines() {
        harmful(command);
    }
}

const TESTS_THAT_EVALUATE: &str = r#"test -v 'a[$(x)]'
[ -v a ]
[ -R a ]
[ ! -v a ]
[ "$x" a ]
[ $x ]
[ -f $x ]
[ -f * ]
[ a
[ a = b -o -v c ]
[ "$x" -a "$y" -a c = d ]
[ a b c d e ]
test \( -v a \)
[ -f a ] b
[ -n a -v b ]"#;

#[test]
fn tests_that_evaluate() {
    for command in TESTS_THAT_EVALUATE.lines() {
        harmful(command);
    }
}

#[test]
fn words_that_may_be_options() {
    // Programs without a harmful option accept any word.
    for command in [
        "cat $x",
        "ls $(x)",
        "head -n $(x) a",
        "wc -l \"$f\"",
        "grep -n foo $(x)",
        "head -$(x)1 a",
        "stat -c %s $(x)",
    ] {
        harmless(command, Seed);
    }
    for command in [
        "find \"$HOME\" -name a",
        "find $HOME/src -name a",
        "find \"$PWD\" -name a",
        "rg foo \"$HOME\"",
        "rg foo ./$x/a\"\"",
    ] {
        let profile = profile(command);
        assert_eq!(profile.harmless.is_ok(), !command.contains("./$x"), "{command}");
    }
    for command in [
        "rg foo $x",
        "sort \"$x\"",
        "rg foo$x",
        "find $PWD -name a",
        "sort -k $x a",
        "sort --key=$x a",
        "sort -$x",
        "sort -*",
        "file \"$(x)\"",
    ] {
        harmful(command);
    }
    // A value stays a value when it is quoted.
    harmless("sort -k \"$x\" a", Seed);
    harmless("rg -e \"$x\" src", Seed);
    harmless("sort --key=\"$x\" a", Seed);
    harmless("rg -- \"$x\" src", Seed);
    // Globs need a fact.
    assert_eq!(profile("rg foo *").option_globs, [2]);
    assert_eq!(profile("find . -name *").option_globs, [3]);
    assert_eq!(profile("sort src/*").option_globs, [0_usize; 0]);
    assert_eq!(profile("grep -rn foo . --include=*.rs").option_globs, [0_usize; 0]);
    assert_eq!(profile("grep -l foo *").option_globs, [3], "a file called -r makes it search");
    assert_eq!(profile("wc -l *").option_globs, [2], "a file called --files0-from=x makes it open others");
    assert_eq!(profile("wc -l -- *").option_globs, [0_usize; 0]);
    assert_eq!(profile("wc -l \"$f\"").option_words, [2]);
    assert_eq!(profile("cat *").option_globs, [0_usize; 0], "no option of cat does harm");
    harmless("rg foo *", Seed);
    harmless("sort -- *", Seed);
}

const LOOK_ALIKES_AND_STRANGERS: &str = r#"./ls
bin/ls
~/ls
lsof
headless
date.sh
ls.1
ls-la
git-status
$x
$HOME/ls
/usr/bin/../bin/ls
"#;

#[test]
fn unknown_and_lookalike_programs() {
    for command in LOOK_ALIKES_AND_STRANGERS.lines() {
        harmful(command);
    }
    assert_eq!(profile("/usr/bin/../bin/rm x").program.as_deref(), Some("rm"));
    assert_eq!(profile("$HOME/bin/rm x").program.as_deref(), Some("rm"));
    assert!(profile("python3.12 x").program_text);
    assert!(profile("mkfs.ext4 /dev/sda").danger.is_some());
}

const SHELL_BUILTINS: &str = r#"export A=b
declare -i n=1
read 'a[$(x)]'
read PATH
read https_proxy
read histchars
read auto_resume
read npm_config_registry
read ps4
read _
read -a x
mapfile -C x y
eval x
source x
. x
set -x
alias a=b
hash -p x y
enable -f x y
history -w x
unset x
let x=1"#;

#[test]
fn shell_builtins() {
    for command in SHELL_BUILTINS.lines() {
        harmful(command);
        assert!(profile(command).changes_shell, "{command}");
    }
    let read = profile("read -r line rest");
    assert_eq!((read.harmless, read.assigns), (Ok(()), vec!["line".to_owned(), "rest".to_owned()]));
    assert!(profile("command -v git").harmless.is_ok());
}

#[test]
fn setting_or_evaluating_changes_the_shell() {
    for command in [
        "printf -v x y",
        "printf '%n' PATH",
        "printf -v 'a[$(rm x)]' y",
        "test -v a",
        "[ -v a ]",
        "[ -R a ]",
        "test -n b -a -v 'a[$(rm x)]'",
        "[ $x ]",
    ] {
        assert!(profile(command).changes_shell, "{command}");
        let hidden = inner(command).contains(&"Bash: : a[$(rm x)]".to_owned());
        assert_eq!(hidden, command.contains("rm x"), "{command}");
    }
    for command in ["printf '%s' 'a[$(rm x)]'", "test -f a", "[ \"$x\" = y ]", "[ -e * ]"] {
        assert!(!profile(command).changes_shell, "{command}");
        assert!(inner(command).is_empty(), "{command}");
    }
}
