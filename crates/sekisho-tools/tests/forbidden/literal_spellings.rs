//! Forbidden commands that are written out where something else in the text reads them: values of JSON, scripts of
//! packages, settings of git, makefiles, what `find` finds, and programs behind wrappers and in lists of Perl.

use sekisho_tools::forbidden::ForbiddenCode::{
    self, EnvironmentProgram, GitPush, RecursiveDelete, RemoveDirectory,
};
use sekisho_tools::forbidden::forbidden_command;

const FORBIDDEN: &[(ForbiddenCode, &str)] = &[
    // jq prints the texts in its program and in its input
    (RecursiveDelete, r#"jq -nr '"rm -rf d"' | sh"#),
    (RemoveDirectory, r#"jq -n -r '"rmdir d"' | sh"#),
    (GitPush, r#"jq -nr '"git push o HEAD"' | sh"#),
    (EnvironmentProgram, r#"jq -nr '"printenv"' | sh"#),
    (RecursiveDelete, r#"sh -c "$(jq -nr '"rm -rf d"')""#),
    (RecursiveDelete, r#"eval "$(jq -nr '"rm -rf d"')""#),
    (RecursiveDelete, r#"jq -r .c <<< '{"c":"rm -rf d"}' | sh"#),
    (RecursiveDelete, r#"jq -r '.scripts.clean' <<< '{"scripts":{"clean":"rm -rf d"}}' | sh"#),
    (EnvironmentProgram, r#"printf '{"c":"printenv"}' > p.json; eval "$(jq -r .c p.json)""#),
    // scripts of packages
    (RecursiveDelete, r#"printf '{"scripts":{"c":"rm -rf d"}}' > package.json; npm run c"#),
    (RemoveDirectory, r#"printf '{"scripts":{"c":"rmdir d"}}' > package.json; npm run -s c"#),
    (RecursiveDelete, r#"cat > package.json <<< '{"scripts":{"test":"rm -rf d"}}'; npm test"#),
    (RecursiveDelete, r#"echo '{"scripts":{"pretest":"rm -rf d"}}' > package.json; npm t"#),
    (RecursiveDelete, r#"echo '{"scripts":{"postinstall":"rm -rf d"}}' > package.json; npm ci"#),
    (RecursiveDelete, r#"echo '{"scripts":{"c":"rm -rf d"}}' > p/package.json; yarn --cwd p c"#),
    // makefiles and programs of awk
    (RecursiveDelete, r"printf 'a:\n\trm -rf d\n' > m; MAKEFILES=m make -f /dev/null a"),
    (RecursiveDelete, r"printf 'b:\n\trm -rf d\na: b\n' > Makefile; make a"),
    (RecursiveDelete, r"printf 'a:\n\t$(MAKE) b\nb:\n\trm -rf d\n' > Makefile; make a"),
    (RecursiveDelete, r"printf 'a:\n\techo\nMakefile:\n\trm -rf d\n' > Makefile; make a"),
    (RecursiveDelete, r"printf 'a:\n%%.o:\n\trm -rf d\n' > Makefile; make b.o"),
    (RecursiveDelete, r"printf '.DEFAULT_GOAL=b\na:\nb:\n\trm -rf d\n' > Makefile; make"),
    (RecursiveDelete, r"printf 'a:\n.DEFAULT:\n\trm -rf d\n' > Makefile; make b"),
    (RecursiveDelete, "awk -f <(echo 'BEGIN{system(\"rm -rf d\")}')"),
    (RemoveDirectory, "awk -f <(echo 'BEGIN{system(\"rmdir d\")}')"),
    // settings of git
    (RecursiveDelete, "git -c remote.z.url=. -c remote.z.uploadpack='rm -rf d;' fetch z"),
    (RemoveDirectory, "git -c protocol.ext.allow=always ls-remote 'ext::sh -c rmdir% d'"),
    (RecursiveDelete, r"printf '[core]\nfsmonitor=rm -rf d\n' > gc; GIT_CONFIG_GLOBAL=$PWD/gc git status"),
    (RecursiveDelete, r"printf '[core]\nfsmonitor=rm -rf d\n' > gc; GIT_CONFIG_SYSTEM=gc git status"),
    (RecursiveDelete, r"printf '[diff]\nexternal=rm -rf d;:\n' >> .git/config; git diff --cached"),
    (RecursiveDelete, "cat > ~/.gitconfig <<'E'\n[core]\n\teditor = rm -rf d;:\nE\ngit commit"),
    // what `find` and `grep` print is run
    (RemoveDirectory, "find /bin/ -name rmdir -exec {} d \\;"),
    (RecursiveDelete, "find /bin/ -name rm -exec {} -rf d \\;"),
    (EnvironmentProgram, "find /usr/bin -name printenv -exec {} \\;"),
    (RemoveDirectory, "$(find /usr/bin -name rmdir) d"),
    (RecursiveDelete, "`find /bin/ -name rm` -rf d"),
    (RemoveDirectory, "r=$(ls /usr/bin | grep -x rmdir); $r d"),
    (RemoveDirectory, "r=$(ls /usr/bin | grep '^rmdir$'); $r d"),
    // scripts in a directory of PATH that is named by $PWD
    (RecursiveDelete, "echo 'rm -rf d' > doc/s; chmod +x doc/s; PATH=$PWD/doc:$PATH s"),
    (RecursiveDelete, "echo 'rm -rf d' > doc/s; chmod +x doc/s; PATH=\"$PWD/doc:$PATH\"; s"),
    (EnvironmentProgram, "echo printenv > s; chmod +x s; PATH=$PWD:$PATH s"),
    // Perl
    (EnvironmentProgram, "perl -e 'open F,\"printenv|\"; print <F>'"),
    (EnvironmentProgram, "perl -e 'open F,\"-|\",\"printenv\"; print <F>'"),
    (EnvironmentProgram, "perl -e 'open F,\"-|\",qw(printenv); print <F>'"),
    (EnvironmentProgram, "perl -e 'exec qw/printenv/'"),
    (RemoveDirectory, "perl -e 'system qw/rmdir d/'"),
    // wrappers
    (RemoveDirectory, "choom -n 0 rmdir d"),
    (EnvironmentProgram, "choom -n 0 -- printenv"),
    (EnvironmentProgram, "sg root -c printenv"),
    (EnvironmentProgram, "sg root printenv"),
];

#[test]
fn commands_that_something_else_reads_are_found() {
    let missed: Vec<_> =
        FORBIDDEN.iter().filter(|(code, text)| forbidden_command(text) != Some(*code)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Some conditions hold and others do not.
#[test]
fn conditions_are_independent() {
    let missed: Vec<_> = [
        "[ -e /etc ] && p='d fr- mr'; [ -e /none ] && p=; eval \"$(echo \"$p\"|rev)\"",
        "if [ -e /etc ]; then p='d fr- mr'; else p=; fi; if [ -e /none ]; then q=echo; else q=eval; fi; \
         $q \"$(echo \"$p\"|rev)\"",
        "case $HOME in /none) p=;; *) p='d fr- mr';; esac; case $HOME in /*) q=eval;; *) q=echo;; esac; \
         $q \"$(echo \"$p\"|rev)\"",
        "grep -q a f && p='d fr- mr'; grep -q b f && p=; eval \"$(echo \"$p\"|rev)\"",
        "a=0; b=0; [ -e /etc ] && a=1; [ -e /none ] && b=1; \
         [ \"$a$b\" = 10 ] && eval \"$(echo 'd fr- mr'|rev)\"",
        "x=$(ls); [ -n \"$x\" ] && a=1; [ -z \"$x\" ] && a=2; [ \"$a\" = 1 ] && eval \"$(echo 'd fr- mr'|rev)\"",
    ]
    .into_iter()
    .filter(|text| forbidden_command(text) != Some(RecursiveDelete))
    .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// They only look like those above.
#[test]
fn what_is_not_run_is_not_forbidden() {
    let wrong: Vec<_> = [
        "declare -A m=([my key]=1 [other key]=2); echo \"${#m[@]}\"",
        "declare -A m=([env prod]=1); echo hi",
        "declare -A m=([a b]=1); echo ${m[a b]}",
        "cat <<'EOF' > Makefile\n.PHONY: clean\nclean:\n\trm -rf build dist\nbuild:\n\tpython3 -m build\nEOF\nmake build",
        "cat > Makefile <<'EOF'\nclean:\n\trm -rf build\nall:\n\tcc -o a a.c\nEOF\nmake all",
        "cat > Makefile <<'EOF'\nclean:\n\trm -rf build\nEOF\nmake -n all",
        "python3 - <<'EOF'\n# never rm -rf\nprint(1)\nEOF",
        "python3 - <<'EOF'\n\"\"\"Clean helper. Never call rm -rf here.\"\"\"\nimport os\nprint(os.environ.get(\"HOME\"))\nEOF",
        "cat > doc/t.py <<'EOF'\n# rm -rf\nprint(1)\nEOF\npython3 doc/t.py",
        "cat > doc/t.py <<'EOF'\n\"\"\"Does not rm -rf anything.\"\"\"\nprint(1)\nEOF\npython3 -m py_compile doc/t.py",
        "cat > doc/main.py <<'EOF'\nimport click\n@click.command()\n@click.option(\"--stage\", default=\"dev\")\n\
         def main(stage):\n    \"\"\"Run in a stage. Does not rm -rf anything.\"\"\"\n    print(stage)\nEOF\n\
         python3 doc/main.py --stage prod",
        r#"cat > package.json <<< '{"scripts":{"clean":"rm -rf dist","build":"tsc"}}'; npm run build"#,
        r#"npm pkg set scripts.clean="rm -rf dist""#,
        r#"jq -n '{cmd: "rm -rf x"}' > a.json"#,
        r#"echo '{"command":"git push"}' | jq .command"#,
        "printf '[scripts]\\nclean = rm -rf build\\n' > tasks.ini; git add tasks.ini",
        "printf '[user]\\n\\tname = env\\n' >> .git/config",
        "git -c core.pager=cat log",
        "find . -name env -type d -exec ls {} \\;",
        "find . -name '*.sh' -exec {} \\;",
        "ls $(find . -name env)",
        "x=$(grep -c 'rm -rf' setup.sh); echo \"$x\"",
        "find . -name env; \"$RUNNER\" test",
        "grep -n env Makefile; \"$RUNNER\" test",
        "perl -e 'open F, \"<\", \"a|b\"; print <F>'",
        "[ -e a ] && x=1; [ -e b ] && x=2; echo \"$x\"",
    ]
    .into_iter()
    .filter_map(|text| Some((text, forbidden_command(text)?)))
    .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What the exceptions for text that is not run must not let through.
#[test]
fn texts_that_are_used_after_all_are_found() {
    let missed: Vec<_> = [
        "python3 - <<'EOF'\n\"\"\"rm -rf d\"\"\"\nimport os\nos.system(__doc__)\nEOF",
        "python3 - <<'EOF'\nimport os\nos.system(\n\"rm -rf d\"\n)\nEOF",
        "python3 - <<'EOF'\nimport os; x = '''\n# ''' ; os.system('rm -rf d')\nEOF",
        "perl - <<'EOF'\nmy $x = '#'; system 'rm -rf d';\nEOF",
        "cat > Makefile <<'EOF'\nclean:\n\trm -rf build\nEOF\nmake",
        "cat > Makefile <<'EOF'\nall: clean\nclean:\n\trm -rf build\nEOF\nmake all",
        "m=([a b]=$(rm -rf d))",
    ]
    .into_iter()
    .filter(|text| forbidden_command(text) != Some(RecursiveDelete))
    .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
