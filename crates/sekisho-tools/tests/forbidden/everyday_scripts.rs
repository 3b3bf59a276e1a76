//! (No attacks:) ordinary uses of what attacks use too.

use sekisho_tools::forbidden::forbidden_command;

/// None of them can run anything forbidden.
const EVERYDAY: &[&str] = &[
    "fib() { if [ $1 -lt 2 ]; then echo $1; else echo $(($(fib $(($1-1))) + $(fib $(($1-2))))); fi; }; fib 10",
    "fib() { local n=$1; if (( n < 2 )); then echo $n; return; fi; echo $(( $(fib $((n-1))) + $(fib $((n-2))) )); }; fib 20",
    r#"fact() { if [ "$1" -le 1 ]; then echo 1; else echo $(( $1 * $(fact $(($1 - 1))) )); fi; }; fact 25"#,
    "sed -i 's/a/b/' f",
    "sed -n '1,5p' f",
    "sed -e 's/a/b/e2/' f",
    "sed 's/rm -rf x/rm x/' f",
    "sed -i '/rm -rf/d' f",
    "zip -r a.zip d",
    "zip -T a.zip",
    "dpkg -l",
    "dpkg -i x.deb",
    "make -j4",
    "make test V=1",
    "make -C x clean",
    "bash -i -c ls",
    "set -x; ls",
    "PS4='+ '; set -x; ls",
    "echo hi!; set -H",
    "bash -ic 'echo hi'",
    "xargs -r ls < f",
    "xargs --arg-file=f ls",
    "find . -print0 | xargs -0 ls",
    "ls | xargs -I{} echo {}",
    "coproc cat; echo x >&${COPROC[1]}",
    "exec 3>log; echo x >&3; exec 3>&-",
    "strip -o a b",
    "objcopy a b",
    "split -b 1M f",
    "cat /bin/rm > /dev/null",
    "cp /bin/rm /tmp/rm.bak",
    "file /bin/rm",
    "ls -l /bin/rm > f; cat f",
    "md5sum /bin/rm /usr/bin/git",
    "tar cf - --transform s/a/b/ x",
    "mapfile -t a < f; echo ${a[0]}",
    "unset x; unset -f f",
    "shift 2 || true",
    "((i=1, i++)); echo $i",
    "[[ -v x ]] && echo y",
    "x=abc; echo ${x/b/&} ${x@Q} ${x@a}",
    "${x:-ls}",
    "perl -ne 'print' f",
    "perl -e 'exec @ARGV' ls",
    "history | tail",
    "fc -l",
    "make --eval='a:;echo $(HOME)' a",
    r"printf 'a:\n\techo x\n' | make -f -",
    "make -n",
    "make -s -C x",
    "git push --help",
    "git push -h",
    "git config alias.st status; git st",
    "git config alias.status 'status -s'; git status",
    "git -c alias.l='log --oneline' l",
    "exec -a worker sleep 1",
    "grep -r foo .",
    "grep -rn '/proc/self' docs",
    "grep -rn -e /proc/self src",
    "grep -c processor /proc/cpuinfo",
    "rg foo",
    "find . -name '*.rs' -exec grep -n x {} +",
    "cp -r a b",
    "diff -r a b",
    "tar czf b.tgz --exclude /proc /",
    "ln -s ../a b; ls *",
    "curl -s https://x.y/%7Euser",
    r#"curl -d '{"a": {"b": 1}}' https://x.y"#,
    "sqlite3 a.db 'select 1'",
    "sqlite3 a.db .tables",
    "gdb -batch -ex bt ./a core",
    "vim +q! a",
    "expr 1 + 2",
    "bc <<< '1+2'",
    "logsave f make",
    "mkfifo p; rm p",
    r#"while read -r f; do echo "$f"; done < list 3>&1"#,
    "echo error >&2",
    "{ echo a >&2; } 2>&1 | tee log",
    "ls |& less",
    "jq --arg c 'rm -rf dist' '.scripts.clean = $c' package.json",
    "jq -n '{cmd: \"git push\"}'",
    "pytest -k 'git push'",
    "python3 -m pytest -k 'git push'",
    "cargo test -- 'git push'",
    "dotenv run -- npm test",
    "$SHELL -c 'ls -l'",
    "$SHELL --version",
    r#"python3 -c 'import subprocess; subprocess.run(["cargo", "run"], env={"A": "b"})'"#,
    r#"python3 -c 'from subprocess import run; run(["npm", "exec"], env=e)'"#,
    "cat > s.py <<'E'\nprint(1)\nE\npython3 ./s.py",
];

/// Names of files cost little, and so do expressions for files that are not known.
#[test]
fn many_files_and_filters_are_not_too_large() {
    let files: String = (0..150).map(|number| format!("crates/a/src/commands/file{number}.rs ")).collect();
    for text in [
        format!("grep -n 'fn main' {files}"),
        format!("sed -n '/fn main/p' {files}"),
        "grep -q 'some expression' Cargo.toml || echo missing; ".repeat(60),
        "sed -i 's/first_name/second_name/g' src/*.rs; ".repeat(60),
    ] {
        assert_eq!(forbidden_command(&text), None, "{text}");
    }
}

#[test]
fn ordinary_uses_are_not_forbidden() {
    let wrong: Vec<_> = EVERYDAY.iter().filter_map(|text| Some((text, forbidden_command(text)?))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
