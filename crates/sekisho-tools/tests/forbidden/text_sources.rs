//! Forbidden commands in texts that another part of the command runs.

use sekisho_tools::forbidden::ForbiddenCode::{GitPush, RecursiveDelete};
use sekisho_tools::forbidden::forbidden_command;

/// The command is in the text, and something else in it runs it.
#[test]
fn texts_that_a_shell_runs_are_searched() {
    let mut missed = Vec::new();
    for text in [
        "cat <<X | sh\nrm -rf doc/x\nX\n",
        "bash <(echo rm -rf doc/x)",
        "echo 'rm -rf doc/x' > doc/s; . doc/s",
        "echo 'rm -rf doc/x' > doc/s; bash doc/s",
        "cat > doc/s <<'X'\nrm -rf doc/x\nX\nsource doc/s",
        "echo 'rm -rf doc/x' > doc/s; BASH_ENV=doc/s bash -c :",
        "f() { rm \"$@\"; }; f -rf doc/x",
        "bash -c '\"$@\"' _ rm -rf doc/x",
        "bash -c '$0 -rf doc/x' rm",
        "bash -c 'rm $*' _ -rf doc/x",
        "set rm -rf doc/x; \"$@\"",
        "set -- -rf; rm $1 doc/x",
        "declare a='rm -rf doc/x'; $a",
        "a=rm; a+=' -rf'; $a doc/x",
        "printf -v c 'rm -rf doc/x'; $c",
        "read -r c <<< 'rm -rf doc/x'; eval \"$c\"",
        "${x:-rm} -rf doc/x",
        "eval ${x:-rm -rf doc/x}",
        "[[ 'a[$(rm -rf doc/x)]' -eq 0 ]]",
        "x='a[$(rm -rf doc/x)]'; echo $((x))",
        "PS4='$(rm -rf doc/x)'; set -x; :",
        "compgen -C 'rm -rf doc/x'",
        "x='a[`rm -rf doc/x`]'; echo $((x))",
        "s='$(rm -rf doc/x)'; [[ -v \"a[$s]\" ]]",
        "[[ -v 'a[b[0]+$(rm -rf doc/x)]' ]]",
        "echo 'rm -rf doc/x' > doc/a.md; mv doc/a.md doc/s.sh; bash doc/s.sh",
        "f=s.sh; echo 'rm -rf doc/x' > $f; bash s.sh",
        "echo 'rm -rf doc/x' > doc/s; cd doc; . ./s",
        "echo 'rm -rf doc/x' > doc/s; bash doc/?",
        "cat > a.md <<'X'\nrm -rf doc/x\nX\n. /dev/stdin < a.md",
        "cat > a.md <<'X'\nrm -rf doc/x\nX\nBASH_ENV=a.md bash b.sh",
        "sed -i '1i rm -rf doc/x' *.sh; bash b.sh",
        "bash b.sh rm -rf doc/x",
        "xargs -0 sh -c <<< 'rm -rf doc/x'",
        "xargs -dn -r rm <<< '-rf doc/x'",
        "hash -p /bin/rm foo; foo -rf doc/x",
        "xargs -I% sh -c % <<< 'rm -rf doc/x'",
        "xargs rm <<< '-rf doc/x'",
        "echo rm -rf doc/x | xargs -L1 nice",
        "EDITOR='rm -rf doc/x;:' git config -e -f doc/cfg",
        "git -c protocol.ext.allow=always ls-remote 'ext::rm -rf doc/x'",
    ] {
        if forbidden_command(text) != Some(RecursiveDelete) {
            missed.push(text);
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    assert_eq!(forbidden_command("V=push git --config-env=alias.z=V z"), Some(GitPush));
}

#[test]
fn texts_that_nothing_runs_may_say_anything() {
    for text in [
        "echo 'rm -rf doc/x'",
        "grep -rf patterns \"$1\"; rm doc/x",
        "bash -c 'echo $1' _ x",
        "f() { ls \"$@\"; }; f -rf doc",
        "cat > doc/s <<'X'\nrm -rf doc/x\nX\n",
        "echo ${x:-rm}",
        "[[ 'a' == b ]] && echo '$(x)'",
        "find . -name '*.rs' | xargs grep -rf patterns",
        // Other scripts than what is written
        "echo 'rm -rf x' > a.md; bash b.sh",
        "git commit -m 'do not rm -rf x'; bash b.sh",
        "cat >> README.md <<'E'\n## Cleaning\n    rm -rf node_modules\nE\nsource .venv/bin/activate && python -m build",
        "cat > docs/ops.md <<'E'\nTo list variables: `env | sort`.\nE\nbash scripts/build-docs.sh",
        "cat > NOTES.md <<'E'\n- never `git push --force`\nE\nsh ./test.sh",
        "cat > scripts/clean.sh <<'E'\n#!/bin/sh\nrm -rf build\nE\nchmod +x scripts/clean.sh\nbash scripts/build.sh",
        // Code in texts that nothing evaluates
        "git commit -m 'use `export` [ci]'",
        "gh pr create --body \"$(cat <<'E'\n- `rm -rf x` is gone\n- [ ] npm ci\nE\n)\"",
        "cat > a.py <<'E'\n\"\"\"Like `rm -rf x`.\"\"\"\na = b[0]\nE\nls",
        // What `xargs` runs is one command with its own words
        "xargs -r sed -n '/rm -rf/p' < f",
        "rg -l 'rm -rf' scripts | xargs -r sed -n '/rm -rf/p'",
        "printf '%s\\n' 'do not rm -rf' | xargs -I{} echo 'hint: {}'",
    ] {
        assert_eq!(forbidden_command(text), None, "{text}");
    }
}
