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
    "make -p",
    r#"while read -r f; do echo "$f"; done < list 3>&1"#,
    "echo error >&2",
    "{ echo a >&2; } 2>&1 | tee log",
    "ls |& less",
];

#[test]
fn ordinary_uses_are_not_forbidden() {
    let wrong: Vec<_> = EVERYDAY.iter().filter_map(|text| Some((text, forbidden_command(text)?))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
