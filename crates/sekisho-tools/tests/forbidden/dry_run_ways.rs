//! Ways past the dry run: what switched it off, ended it early, took the wrong branch, or made it follow something wrongly.

use sekisho_tools::forbidden::ForbiddenCode::{
    EnvironmentFile, EnvironmentProgram, RecursiveDelete, RemoveDirectory, TooLargeToCheck,
};
use sekisho_tools::forbidden::forbidden_command;

/// Every one of them removed a directory in bash.
const REMOVALS: &[&str] = &[
    "# \u{e000}\n$(rev <<< mr) -rf doc/x",
    ": '\u{e001}'; $(rev <<< mr) -rf doc/x",
    "for i in {1..60}; do for j in {1..60}; do for k in {1..60}; do :; done; done; done; $(rev <<< mr) -rf doc/x",
    "eval eval eval eval eval eval eval eval eval eval eval eval eval '$(rev <<< mr) -rf doc/x'",
    "f() { if [ $1 = 0 ]; then $(rev <<< mr) -rf doc/x; else f $(($1-1)); fi; }; f 13",
    "f() { if [ $1 = 0 ]; then $(rev <<< mr) -rf doc/x; else f $(($1-1)); fi; }; f 40",
    "return; $(rev <<< mr) -rf doc/x",
    "break; $(rev <<< mr) -rf doc/x",
    "continue; $(rev <<< mr) -rf doc/x",
    "exit & $(rev <<< mr) -rf doc/x",
    "coproc exit; $(rev <<< mr) -rf doc/x",
    "c=mr; c=sl & $(rev <<< $c) -rf doc/x",
    "c=mr; for i in 1; do for j in 1; do break 2; done; c=sl; done; $(rev <<< $c) -rf doc/x",
    "c=mr; for i in 1 2; do for j in 1; do continue 2; done; c=sl; done; $(rev <<< $c) -rf doc/x",
    "c=mr; f() { return 1; }; f && c=sl; $(rev <<< $c) -rf doc/x",
    "c=mr; (exit 1) && c=sl; $(rev <<< $c) -rf doc/x",
    "c=mr; shopt -q extglob && c=sl; $(rev <<< $c) -rf doc/x",
    "c=mr; shift 5 && c=sl; $(rev <<< $c) -rf doc/x",
    "c=mr; printf %d z 2>/dev/null && c=sl; $(rev <<< $c) -rf doc/x",
    "c=mr; local z=1 2>/dev/null && c=sl; $(rev <<< $c) -rf doc/x",
    "c=mr; declare -p nosuch 2>/dev/null && c=sl; $(rev <<< $c) -rf doc/x",
    "c=mr; alias nosuch 2>/dev/null && c=sl; $(rev <<< $c) -rf doc/x",
    "c=mr; sleep q 2>/dev/null && c=sl; $(rev <<< $c) -rf doc/x",
    "c=mr; chmod 700 nosuch 2>/dev/null && c=sl; $(rev <<< $c) -rf doc/x",
    "c=mr; echo > /dev/full && c=sl; $(rev <<< $c) -rf doc/x",
    "c=mr; : < nosuch && c=sl; $(rev <<< $c) -rf doc/x",
    "if false; then :; fi && $(rev <<< mr) -rf doc/x",
    "false; case x in y) :;; esac && $(rev <<< mr) -rf doc/x",
    "false; for i in; do :; done && $(rev <<< mr) -rf doc/x",
    "c=mr; return 1 && c=sl; $(rev <<< $c) -rf doc/x",
    "set -o pipefail; c=mr; false | true && c=sl; $(rev <<< $c) -rf doc/x",
    "case r in '*') c=sl;; *) c=mr;; esac; $(rev <<< $c) -rf doc/x",
    r"case r in \*) c=sl;; *) c=mr;; esac; $(rev <<< $c) -rf doc/x",
    "case r in [[:alpha:]]) c=mr;; *) c=sl;; esac; $(rev <<< $c) -rf doc/x",
    "shopt -s extglob\ncase r in @(r|s)) c=mr;; *) c=sl;; esac; $(rev <<< $c) -rf doc/x",
    "shopt -s nocasematch; case R in r) c=mr;; *) c=sl;; esac; $(rev <<< $c) -rf doc/x",
    "p='*'; [[ ab == a$p ]] && c=mr || c=sl; $(rev <<< $c) -rf doc/x",
    "[[ 010 -eq 8 ]] && c=mr || c=sl; $(rev <<< $c) -rf doc/x",
    "[[ ']]' ]]; $(rev <<< mr) -rf doc/x",
    r#"[[ "]]" ]] && $(rev <<< mr) -rf doc/x"#,
    "shopt -s nocasematch; [[ a == A ]] && c=mr || c=sl; $(rev <<< $c) -rf doc/x",
    ": rm; $_ -rf doc/x",
    ": mr; $(rev <<< $_) -rf doc/x",
    r"x='\x72m'; ${x@E} -rf doc/x",
    r"x='\162m'; ${x@P} -rf doc/x",
    r#"a[1]=m; a[0]=r; printf -v c %s "${a[@]}"; $c -rf doc/x"#,
    r#"a=(x m); a=r; printf -v c %s "${a[@]}"; $c -rf doc/x"#,
    "x=m; ${x/#/r} -rf doc/x",
    "x=r; ${x/%/m} -rf doc/x",
    "x=r1m; ${x//[[:digit:]]/} -rf doc/x",
    "a=({a..z}); ${a[2**4+1]}${a[3*4]} -rf doc/x",
    "a=({a..z}); n=m12; m12=12; ${a[17]}${a[n]} -rf doc/x",
    "a=({a..z}); ${a[OPTIND+16]}${a[OPTIND+11]} -rf doc/x",
    "a=({a..z}); true; ${a[$?+17]}${a[$?+12]} -rf doc/x",
    "a=({a..z}); false; i=$?; ${a[i+16]}${a[i+11]} -rf doc/x",
    "a=({a..z}); ((i=1,i<<=4,i|=1)); ${a[i]}${a[12]} -rf doc/x",
    "a=({a..z}); ${a[10#17]}${a[64#c]} -rf doc/x",
    "c=$(printf %s {r..m..5}); $c -rf doc/x",
    "x=; set -- ${x}{r,m}; $1$2 -rf doc/x",
    r"read c <<< 'r\m'; $c -rf doc/x",
    "read -n2 c <<< mrdirx; $(rev <<< $c) -rf doc/x",
    "{ read -n1 a; read -n1 b; } <<< mrx; $b$a -rf doc/x",
    "read -N2 c <<< mrq; $(rev <<< $c) -rf doc/x",
    r"mapfile -t -s 1 <<< $'ls\nmr'; $(rev <<< ${MAPFILE[0]}) -rf doc/x",
    "mapfile -d, -t a <<< 'm,r,z'; ${a[1]}${a[0]} -rf doc/x",
    "f() { $(rev <<< mr) -rf doc/x; }; mapfile -c1 -C f <<< x",
    r#"for ((i=0;i<114;i++)); do :; done; printf -v c "\\$(printf %o $i)"; ${c}m -rf doc/x"#,
    r#"for i in {1..114}; do :; done; printf -v c "\\$(printf %o $i)"; ${c}m -rf doc/x"#,
    r#"while (( ++i < 114 )); do :; done; printf -v c "\\$(printf %o $i)"; ${c}m -rf doc/x"#,
    "exec -a foo $(rev <<< mr) -rf doc/x",
    "(exec -l $(rev <<< mr) -rf doc/x)",
    "eval -- c=mr; $(rev <<< $c) -rf doc/x",
    "c=$(rev <<< mr); trap '$c -rf doc/x' EXIT",
    "c=$(rev <<< mr); trap '$c -rf doc/x' USR1; kill -USR1 $$; :",
    "rev <<< 'x/cod fr- mr' > doc/s; BASH_ENV=doc/s bash -c :",
    "exec 3<<< 'x/cod fr- mr'; rev <&3- | sh",
    "exec 3<<< 'x/cod fr- mr'; rev /proc/self/fd/3 | sh",
    "exec {fd}<<< 'x/cod fr- mr' {fe}<<< z; rev <&$fd | sh",
    "exec {fe}<<< z; exec {fd}<<< 'x/cod fr- mr'; exec {fg}<<< y; rev <&$fd | sh",
    "rev <<< 'x/cod fr- mr' > doc/s; mkdir d; mv doc/s d; sh d/s",
    "rev <<< 'x/cod fr- mr' > doc/s; mkdir d; cp -t d doc/s; sh d/s",
    "rev <<< 'x/cod fr- mr' > doc/s; chmod +x doc/s; PATH=doc:$PATH; s",
    "rev <<< 'x/cod fr- mr' > doc/s; PATH=$PATH:doc; . s",
    "rev <<< 'x/cod fr- mr' > doc/s; ln -s s doc/t; sh doc/t",
    "echo mr > doc/s; $(<doc/s rev) -rf doc/x",
    "$((echo mr)|(rev)) -rf doc/x",
    "echo '$2$1 -rf doc/x' | bash -s -- m r",
    "bash -es m r <<< '$2$1 -rf doc/x'",
    r#"printf '\\%lo' 114 >doc/q; printf -v c "$(cat doc/q)"; ${c}m -rf doc/x"#,
    r"$(head -n -1 <<< $'mr\nz' | rev) -rf doc/x",
    "sqlite3 :memory: <<< '.shell rm -rf doc/x'",
    "sed -n '1e' <<< 'rm -rf doc/x'",
    "/bin/echo 'x/cod fr- mr' | rev | sh",
    r"/usr/bin/printf '\x72\x6d -rf doc/x' | sh",
    "timeout 9 rev <<< 'x/cod fr- mr' | sh",
    "stdbuf -o0 rev <<< 'x/cod fr- mr' | sh",
    "nice -n1 rev <<< 'x/cod fr- mr' | sh",
    r"printf '%s\n' 'x/cod fr- mr' | rev > doc/s && timeout 5 sh doc/s",
    r"printf '%s\n' 'x/cod fr- mr' | rev > doc/s && nice -n 3 sh doc/s",
    r"printf '%s\n' 'x/cod fr- mr' | rev > doc/s && setsid -w sh doc/s",
    r"cd doc; printf '%s\n' 'x/cod fr- mr' | rev > s; cd -; bash doc/s",
    r"pushd doc; printf '%s\n' 'x/cod fr- mr' | rev > s; popd; bash doc/s",
    r#"install -m755 /dev/stdin doc/s <<< "$(rev <<< 'x/cod fr- mr')"; doc/s"#,
    "while read -n1 ch; do c=$ch$c; done <<< mr; $c -rf doc/x",
    "while IFS= read -r -n1 ch; do o=$ch$o; done <<< 'x/cod fr- mr'; $o",
    "f() { $(rev <<< mr) -rf doc/x; }; trap f DEBUG; :",
    "$BASH -c '$(rev <<< mr) -rf doc/x'",
    "/proc/self/exe -c 'rm -rf doc/x'",
    "/proc/$$/exe -c '$(rev <<< mr) -rf doc/x'",
];

#[test]
fn nothing_before_a_command_keeps_it_from_being_found() {
    let missed: Vec<_> =
        REMOVALS.iter().filter(|text| forbidden_command(text) != Some(RecursiveDelete)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Values are followed by what they cost, not by their length.
#[test]
fn long_values_are_followed() {
    let text = format!("x={}mr; y=${{x//a/}}; $(rev <<< $y) -rf doc/x", "a".repeat(5_000));
    assert_eq!(forbidden_command(&text), Some(RecursiveDelete));
}

/// Something is left that nobody has looked at.
#[test]
fn text_that_is_nested_too_deep_is_refused() {
    for text in [
        format!("{}:{}; $(rev <<< mr) -rf doc/x", "{ ".repeat(25), "; }".repeat(25)),
        format!("{}'$(rev <<< mr) -rf doc/x'", "eval ".repeat(40)),
        format!(": {}a{}; $(rev <<< mr) -rf doc/x", "$(echo ".repeat(40), ")".repeat(40)),
    ] {
        assert_eq!(forbidden_command(&text), Some(TooLargeToCheck), "{text}");
    }
    // A function that calls itself if some condition holds ends somewhere.
    let text = "walk() { for f in \"$1\"/*; do if [ -d \"$f\" ]; then walk \"$f\"; else wc -l \"$f\"; fi; done; }; walk .";
    assert_eq!(forbidden_command(text), None);
}

#[test]
fn other_programs_that_show_or_run_are_known() {
    for (code, text) in [
        (EnvironmentFile, "ps -p $$ e"),
        (EnvironmentFile, "ps -ww -p $$ e"),
        (EnvironmentFile, "ps p $$ eww"),
        (EnvironmentFile, "ps -o pid,args e"),
        (EnvironmentFile, "cat $(echo /proc/self/environ)"),
        (EnvironmentFile, "grep -a . /proc/self/environ"),
        (EnvironmentFile, "grep -e x /proc/self/environ"),
        (EnvironmentProgram, "i386 env"),
        (EnvironmentProgram, "linux64 printenv HOME"),
        (RemoveDirectory, "x86_64 rmdir doc/x"),
        (RecursiveDelete, "sqlite3 :memory: <<< '.shell rm -rf doc/x'"),
        (RecursiveDelete, "/proc/self/exe -c 'rm -rf doc/x'"),
    ] {
        assert_eq!(forbidden_command(text), Some(code), "{text}");
    }
    for text in ["ps aux", "ps -ef", "ps -o etime -p 1", "ps -C node", "ps --sort size -e", "i386 make"] {
        assert_eq!(forbidden_command(text), None, "{text}");
    }
}

/// They were all forbidden once.
#[test]
fn everyday_work_is_not_forbidden() {
    let wrong: Vec<_> = EVERYDAY.iter().filter_map(|text| Some((text, forbidden_command(text)?))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const EVERYDAY: &[&str] = &[
    "declare -a arr=(1 2 3)",
    "declare -A m=([a]=1 [b]=2); echo ${m[a]}",
    "declare -ra C=(x y)",
    "typeset -a a=(1 2); echo ${a[0]}",
    "find . -name '*.tmp' -print0 | xargs -0 rm -f",
    "find . -name '*.tmp' -print | xargs rm -f",
    "find src -name '*.rej' -newer a | xargs rm -f",
    "grep -rl TODO build | xargs rm -f",
    "grep -rlZ TODO build | xargs -0 rm -f",
    "ls -tr *.log | head -n 5 | xargs rm -f",
    "sort -r list | xargs rm -f",
    "cat list | xargs -r rm -f",
    "find . -name '*.o' | xargs -r rm -f",
    "docker ps -aq --filter status=exited | xargs -r docker rm -f",
    "comm -13 <(sort a) <(sort -r b) | xargs rm -f",
    r#"sh -c 'echo "usage: rm -rf DIR"'"#,
    r#"bash -c "printf '%s\n' 'git push'""#,
    r#"bash -ec 'grep -rn "git push" docs'"#,
    r#"log() { echo "[$(date)] $*"; }; log would run rm -rf build"#,
    r#"log() { printf '%s\n' "$*" >&2; }; log 'git push skipped'"#,
    r#"warn() { echo "WARN: $1"; }; warn 'do not rm -rf'"#,
    r#"die() { echo "$1" >&2; exit 1; }; [ -d build ] || die 'run rm -rf build first'"#,
    r#"retry() { for i in 1 2 3; do "$@" && return; done; }; retry curl -f x; echo 'then git push'"#,
    r#"run() { echo "+ $*"; "$@"; }; run git add -A; run git commit -m 'stop git push'"#,
    "opts=-r; rm $opts build; opts=-f; tail $opts log",
    r#"if [ -n "$R" ]; then flag=-r; else flag=-f; fi; rm $flag b"#,
    "echo 'rm -rf x' > t; bash -n t",
    "echo -n 'git push' | sha256sum | cut -d' ' -f1 | xargs echo",
    r#"printf '%s' "$HOME"; echo /proc/1/environ is private"#,
    "grep -rn '/proc/self/environ' src",
    "rg -n 'proc/.*/environ' crates",
    "ls /proc/1; echo environ",
    r#"f() { git commit -m "$1"; }; f 'Do not rm -rf x'"#,
    "$(which python3) -m venv env",
];

/// What costs much is charged before it is done: the search ends soon, and says so if something is left.
#[test]
#[expect(clippy::disallowed_methods, reason = "an environment variable selects the long form")]
fn costly_steps_are_charged() {
    let scale = if std::env::var("SEKISHO_PROOF_CASES").is_ok() { 4 } else { 1 };
    let rounds = |step: &str| {
        format!("for i in {{1..{0}}}; do for j in {{1..{0}}}; do {step}; done; done", 15 * scale)
    };
    for text in [
        format!("printf '%*s' '{}'", "*".repeat(25_000 * scale)),
        rounds(&format!("sed '{}' <<< a", "s/./x/;".repeat(60))),
        format!("declare -n {}; {}", "a=b ".repeat(500 * scale), rounds("(a=1)")),
        format!("set -- {}; f() {{ :; }}; {}", "a ".repeat(500 * scale), rounds("f")),
        rounds(&format!(": <<'E'\n{}\nE\n", "x".repeat(5_000 * scale))),
        format!("read -a a <<< '{}'; {}", "x ".repeat(500 * scale), rounds("a[0]=1")),
        "{a ".repeat(2_500 * scale),
        format!("cp {} d", "a/b ".repeat(625 * scale)),
        format!("grep {}", "a ".repeat(2_500 * scale)),
        format!("a=b; $a {}", "<<${".repeat(1_750 * scale)),
        format!("a=b; $a {}", "<< ".repeat(2_250 * scale)),
        format!("x=$(echo {}; {})", "a".repeat(17_500 * scale), "echo a; ".repeat(750 * scale)),
        format!("python3 <<'E'\nx = {{{}}}\nE\n", "\"a\":\"b\",".repeat(750 * scale)),
        format!("cat {}", "=/a".repeat(325 * scale)),
        format!("vim {}", "+a ".repeat(1_250 * scale)),
        format!("sed {}", "s/[a-z]*[a-z]*/b/ ".repeat(125 * scale)),
    ] {
        assert!(matches!(forbidden_command(&text), None | Some(TooLargeToCheck)), "{text}");
    }
}

/// What is printed or searched for is not opened, unless something else opens what was printed.
#[test]
fn printed_paths_of_environments_are_found_where_they_are_opened() {
    let missed: Vec<&&str> = [
        "echo /proc/self/environ | xargs cat",
        "printf '%s' /proc/self/environ | xargs -I{} cat {}",
        "cat $(echo /proc/self/environ)",
        "f=$(echo /proc/self/environ); cat $f",
        "echo /proc/self/environ | while read f; do cat \"$f\"; done",
        "echo /proc/self/environ > f; cat $(cat f)",
        "xargs cat <<< /proc/self/environ",
        "f() { cat \"$1\"; }; f $(echo /proc/self/environ)",
        "grep '' /proc/self/environ",
        "grep -T x /proc/self/environ",
        "grep -m 1 x /proc/self/environ",
        "rg -T x y /proc/self/environ",
        "ag -A x /proc/self/environ",
    ]
    .iter()
    .filter(|text| forbidden_command(text) != Some(EnvironmentFile))
    .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
