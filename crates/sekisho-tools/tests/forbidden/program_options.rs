//! Forbidden commands in makefiles, in options of programs, and in arguments that a program of another language runs.

use sekisho_tools::forbidden::ForbiddenCode::RecursiveDelete;
use sekisho_tools::forbidden::forbidden_command;

/// Every one of them ran `rm -rf d` in bash, or would run it if the program is installed.
const REMOVALS: &[&str] = &[
    "echo > a; zip -q z.zip a -T -TT 'rm -rf d'",
    "echo > a; zip -qTT 'rm -rf d;:' -T z a",
    "echo > a; zip -q z a -T --unzip-command 'rm -rf d'",
    r#"c='rm -rf d;:'; echo > a; zip -q -T -TT "$c" z a"#,
    "dpkg --force-not-root --pre-invoke='rm -rf d' --root=$PWD --purge nosuch",
    "dpkg --pre-invoke='rm -rf d' -r nosuch",
    r"printf '.RECIPEPREFIX=>\na:\n>rm -rf d\n' | make -f -",
    r"printf '.RECIPEPREFIX = %%\na:\n%%@rm -rf d\n' > mk; make -f mk",
    r"make --eval '.RECIPEPREFIX=>' --eval $'a:\n>rm -rf d' a",
    "make --eval 'X=rm' --eval 'a:;$(X) -rf d' a",
    "make --eval='X=rm' --eval='a:;${X} -rf d' a",
    r"printf 'X=rm\na:\n\t$(X) -rf d\n' | make -f -",
    r"printf 'X=r\nY=m\na:\n\t$(X)$(Y) -rf d\n' | make -f -",
    r"printf 'X:=rm\nO=-rf\na: ; $(X) $(O) d\n' > Makefile; make",
    "make --eval='a:;$(X) -rf d' X=rm a",
    "X=rm make --eval='a:;$(X) -rf d' a",
    "make --eval='$(shell rm -rf d)' ",
    "make --eval='a:;$X -rf d' X=rm a",
    "make --eval='X=mr' --eval='a:;$(shell echo $(X) | rev) -rf d' a",
    "make --eval='X=xm' --eval='a:;$(subst x,r,$(X)) -rf d' a",
    "make --eval='a:;$(X:x=m) -rf d' X=rx a",
    "make --eval='X!=echo rm' --eval='a:;$(X) -rf d' a",
    r"make --eval='define X
rm -rf d
endef' --eval='a:;$(X)' a",
    "perl -e 'exec @ARGV' rm -rf d",
    "perl -e 'system @ARGV' rm -rf d",
    "perl -e 'system(@ARGV)' -- rm -rf d",
    "perl -e 'exec {$ARGV[0]} @ARGV' rm -rf d",
    "perl -e '$a=shift; exec $a, @ARGV' rm -rf d",
    r#"perl -e 'exec(join " ", @ARGV)' rm -rf d"#,
    "perl -e '`@ARGV`' rm -rf d",
    "perl -e 'print qx(@ARGV)' rm -rf d",
    "perl -we 'exec @ARGV' rm -rf d",
    "perl -Mstrict -e 'exec @ARGV' rm -rf d",
    "python3 -c 'import os,sys; os.execvp(sys.argv[1], sys.argv[1:])' rm -rf d",
    "python3 -c 'import subprocess,sys; subprocess.run(sys.argv[1:])' rm -rf d",
    "python3 -c 'import os,sys; os.system(sys.argv[1])' 'rm -rf d'",
    r#"node -e 'require("child_process").execSync(process.argv.slice(1).join(" "))' rm -rf d"#,
    r#"perl -e 'exec "rm", @ARGV' -- -rf d"#,
    r#"perl -e 'exec "rm", @ARGV' x -rf d"#,
    "awk 'BEGIN{system(ARGV[1])}' 'rm -rf d'",
    "awk -v c='rm -rf d' 'BEGIN{system(c)}'",
    "GIT_CONFIG_PARAMETERS=\"'alias.p'='!rm -rf d'\" git p",
    "git -c alias.a='!rm' -c alias.b='a -rf' b d",
    "sqlite3 :memory: '.shell rm -rf d'",
    "sqlite3 -cmd '.sy rm -rf d' :memory:",
    "sqlite3 :memory: <<< '.sh rm -rf d'",
    r"printf '.once |rm -rf d\nselect 1;\n' | sqlite3 :memory:",
    "sqlite3 :memory: '.output |rm -rf d'",
    "vim -es '+r!rm -rf d' +q",
    "logsave f rm -rf d",
    "logsave -a f sh -c 'rm -rf d'",
    "$(expr substr xrmx 2 2) -rf d",
    r"$(expr xrm : 'x\(.*\)') -rf d",
    r#"bc <<< 'print "rm -rf d"' | sh"#,
    "git -c x.y='rm -rf d' config x.y | sh",
    "mkfifo ./-rf; rm *",
    "ln -s x -- -rf; rm *",
    "install -d -- -rf; rm *",
    "truncate -s0 -- -rf; rm *",
    "git init ./-rf; rm *",
    "echo 'rm -rf d' | awk '{system($0)}'",
    "echo 'rm -rf d' | perl -ne 'system $_'",
    "echo 'rm -rf d' | perl -e 'system <>'",
    "echo 'rm -rf d' | perl -pe '`$_`'",
    "echo 'rm -rf d' | python3 -c 'import os; os.system(input())'",
];

#[test]
fn texts_that_other_programs_run_are_searched() {
    let missed: Vec<_> =
        REMOVALS.iter().filter(|text| forbidden_command(text) != Some(RecursiveDelete)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
