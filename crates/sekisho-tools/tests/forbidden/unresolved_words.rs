//! Forbidden commands whose words are computed, or that have another name.

use sekisho_tools::forbidden::ForbiddenCode::{
    EnvironmentProgram, GitPush, RecursiveDelete, RemoveDirectory,
};
use sekisho_tools::forbidden::{ForbiddenCode, forbidden_command};

const REMOVALS: &[&str] = &[
    "echo 'rm -rf doc/x' > doc/s; chmod +x doc/s; doc/s",
    "echo 'rm -rf doc/x' > doc/s; chmod 755 doc/s; ./doc/s",
    "printf '#!/bin/sh\\nrm -rf doc/x\\n' > doc/s; chmod +x doc/s; doc/s",
    "cat > doc/s <<'X'\nrm -rf doc/x\nX\nchmod +x doc/s; doc/s",
    "echo 'rm -rf doc/x' > doc/s; eval \"$(cat doc/s)\"",
    "echo 'rm -rf doc/x' > doc/s; eval \"$(<doc/s)\"",
    "echo 'rm -rf doc/x' > doc/s; $(<doc/s)",
    "echo 'rm -rf doc/x' > doc/s; `cat doc/s`",
    "echo 'rm -rf doc/x' > doc/s; bash -c \"$(cat doc/s)\"",
    "echo 'rm -rf doc/x' > doc/s; mapfile -t a < doc/s; ${a[0]}",
    "echo 'rm -rf doc/x' > doc/s; read -r c < doc/s; $c",
    "echo 'rm -rf doc/x' > doc/s; while read -r c; do $c; done < doc/s",
    "echo '-rf doc/x' > doc/s; rm $(cat doc/s)",
    "a[0]=rm; a[1]=-rf; \"${a[@]}\" doc/x",
    "f() { while getopts rf o; do rm -r$o doc/x; done; }; f -f",
    "f() { rm \"${BASH_ARGV[@]}\"; }; shopt -s extdebug; f doc/x -rf",
    "bash -c 'for c do rm $c doc/x; done' _ -rf",
    "printf -v c '%s ' rm -rf doc/x; $c",
    "printf -v c '%s -rf doc/x' rm; $c",
    "printf -v c 'rm %s doc/x' -rf; $c",
    "printf -v 'a[0]' 'rm -rf doc/x'; ${a[0]}",
    "printf '%s' 'rm -rf doc/x' | { read -r c; $c; }",
    "echo 'rm -rf doc/x' | while read -r c; do $c; done",
    "echo rm -rf doc/x | { read a b; $a $b; }",
    "read -r c < <(echo rm -rf doc/x); $c",
    "c=$(echo rm -rf doc/x); $c",
    "$(echo rm -rf doc/x)",
    "$(printf 'rm %s doc/x' -rf)",
    "`echo rm` -rf doc/x",
    "$(printf rm) -rf doc/x",
    "rm $(echo -rf) doc/x",
    "rm -r$(echo f) doc/x",
    "${x[0]:-rm} -rf doc/x",
    "${@:-rm} -rf doc/x",
    "${x:-$'rm'} -rf doc/x",
    "a=xrm; ${a#x} -rf doc/x",
    "a=RM; ${a,,} -rf doc/x",
    "a='rm -rf doc/x'; b=a; ${!b}",
    "a='rm -rf doc/x'; declare -n b=a; $b",
    "declare -n b=a; b='rm -rf doc/x'; $a",
    "a='rm -rf doc/x'; bash <<< $a",
    "x='a[$(rm -rf doc/x)]'; echo ${y[x]}",
    "x='a[$(rm -rf doc/x)]'; echo $[x]",
    "declare -i n; n='a[$(rm -rf doc/x)]'",
    "x=\"a[\\$(rm -rf doc/x)]\"; echo $((x))",
    "x=a[\\$\\(rm\\ -rf\\ doc/x\\)]; echo $((x))",
    "x=\"\\$(rm -rf doc/x)\"; echo ${x@P}",
    "PS1='$(rm -rf doc/x)' bash --norc -i <<< exit",
    "PS0='$(rm -rf doc/x)' bash --norc -i <<< :",
    "shopt -s expand_aliases\nalias a='rm ' b='-rf doc/x'\na b",
    "BASH_ALIASES[z]='rm -rf doc/x'; shopt -s expand_aliases\nz",
    "BASH_CMDS[z]=/bin/rm; z -rf doc/x",
    "hash -p/bin/rm z; z -rf doc/x",
    "hash -d z; hash -p /bin/rm -- z; z -rf doc/x",
    "hash -rp /bin/rm z; z -rf doc/x",
    "command_not_found_handle() { rm \"$@\"; }; -rf doc/x",
    "ln -s /bin/rm doc/z; doc/z -rf doc/x",
    "cp /bin/rm doc/z; doc/z -rf doc/x",
    "cp /bin/rm doc/z; cd doc; ./z -rf x",
    "cp /bin/rm doc/z; doc//z -rf doc/x",
    "install -m755 -D /bin/rm doc/z; ./doc/../doc/z -rf doc/x",
    "install -m 755 /bin/rm doc/z; doc/z -rf doc/x",
    "dd if=/bin/rm of=doc/z; chmod +x doc/z; doc/z -rf doc/x",
    "cat /bin/rm > doc/z; chmod +x doc/z; doc/z -rf doc/x",
    "cat < /bin/rm > doc/z; chmod +x doc/z; cd doc; ./z -rf x",
    "tee doc/z < /bin/rm > /dev/null; chmod +x doc/z; doc/z -rf doc/x",
    "rsync /bin/rm doc/z; doc/z -rf doc/x",
    "tar cf - --transform s/rm/z/ /bin/rm | tar xf - -C doc; doc/bin/z -rf doc/x",
    "rm -R --interactive=never doc/x",
    "printf 'a:\\n\\t$(RM)r doc/x\\n' | make -f -",
    "echo f | xargs -I{} rm -r{} doc/x",
    "GIT_EXTERNAL_DIFF='rm -rf doc/x;:' git diff --no-index --ext-diff doc/a /etc/hostname",
    "TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=rm\\ -rf\\ doc/x' tar cf /dev/null doc/a",
    "c='rm -rf doc/x' awk 'BEGIN{system(ENVIRON[\"c\"])}'",
    "echo rm -rf doc/x | awk '{system($0)}'",
    "printf 'x:\\n\\trm -rf doc/x\\n' > doc/mk; make -f doc/mk",
    "perl -e 'system @ARGV' rm -rf doc/x",
    "bash --rcfile <(echo rm -rf doc/x) -i -c :",
    "IFS=,; a=rm,-rf,doc/x; $a",
];

fn check(code: ForbiddenCode, texts: &[&str]) {
    let missed: Vec<_> = texts.iter().filter(|text| forbidden_command(text) != Some(code)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Every one of them removed a directory in bash.
#[test]
fn words_that_the_text_computes_are_searched() {
    check(RecursiveDelete, REMOVALS);
    check(
        GitPush,
        &[
            "git $(echo push) origin main",
            "`echo git` push",
            "c=push; git ${c#x}",
            "echo 'git push' > doc/s; chmod +x doc/s; ./doc/s",
        ],
    );
    check(RemoveDirectory, &["$(echo rmdir) x", "read -r c <<< rmdir; $c x"]);
    check(EnvironmentProgram, &["$(echo env)", "c=$(printf printenv); $c"]);
}

/// However many texts there are, none is left out, and the search ends.
#[test]
fn many_texts_do_not_hide_one() {
    let many = |count: usize| (0..count).map(|at| format!("echo a{at}; ")).collect::<String>();
    for hidden in ["$(echo rm -rf x)", "rm $(echo -rf) x"] {
        assert_eq!(forbidden_command(&format!("{}{hidden}", many(300))), Some(RecursiveDelete), "{hidden}");
        assert!(forbidden_command(&format!("{}{hidden}", many(8_000))).is_some(), "{hidden}");
    }
    for text in [
        "$(echo rm$x); ".repeat(4_000),
        format!("x='{}'; echo $((x))", "$(".repeat(40_000)),
        format!("x='{})'; echo $((x))", "$(".repeat(40_000)),
        "/a b;chmod c;".repeat(8_000),
        "python3 a > b;".repeat(8_000),
        (0..8_000).map(|at| format!("foo{at} rm{at};")).collect(),
    ] {
        // It may be refused as too large.
        forbidden_command(&text);
    }
}

/// Substitutions, variables and scripts of everyday work.
#[test]
fn everyday_substitutions_are_not_forbidden() {
    for text in [
        "git commit -m \"$(cat <<'EOF'\nStop using rm -rf before git push\n\nIt removed too much.\nEOF\n)\"",
        "git commit -m \"$(printf 'Fix %s' push)\"",
        "rm -f $(grep -rl TODO build)",
        "rm $(git ls-files --deleted)",
        "x=$(mktemp -d); rm -r \"$x\"",
        "for f in $(find . -name '*.o'); do rm -f \"$f\"; done",
        "echo \"never run rm -rf here\"",
        "echo \"then git push\"; git log --oneline $(git merge-base HEAD main)..HEAD",
        "echo \"git push is left to you\"; git status",
        "while read -r f; do rm \"$f\"; done < list.txt",
        "d=$(pwd); echo \"rm -rf is forbidden\" >> notes.md; ls \"$d\"",
        "cat > run.sh <<'EOF'\n#!/bin/sh\ncargo test\nEOF\nchmod +x run.sh; ./run.sh",
        "cat > x.py <<'EOF'\nimport subprocess\nsubprocess.run(['ls', '-rf'])\nEOF\npython3 x.py",
        "cp target/debug/tool doc/tool; doc/tool -rf x",
        "a=(src tests); ls \"${a[@]}\"",
        "mapfile -t files < <(git ls-files); wc -l \"${files[@]}\"",
        "printf '%s\\n' rm -rf; ls $(pwd)",
        "awk '{print $1}' list | xargs -I{} cp -r {} out",
        "python3 -c 'import os; os.system(\"ls\")'",
        "PS1='$ ' bash --norc -c 'ls'",
        "version=$(sed -n 's/^version = //p' Cargo.toml); git tag \"v$version\"",
        "TARGET=build; tar -rf a.tar $TARGET; rm a.tar",
    ] {
        assert_eq!(forbidden_command(text), None, "{text}");
    }
}
