//! Words: quoting and everything that expands.

use crate::check;

#[test]
fn quotes_are_removed() {
    check(r#"\rm "a b" 'c d' e\ f"#, "run rm ‹a b› ‹c d› ‹e f›");
    check(r#"r''m 'x'"y"\z "" ''"#, "run rm xyz ‹› ‹›");
    check(r#"echo "\$x \"q\" \` \\ \a""#, r#"run echo ‹$x \"q\" ` \\ \\a›"#);
    check("l\\\ns -\\\nl", "run ls -l");
    check("a,\\\né\\\nü \"x\\\né\"", "run a,éü xé");
    check("echo 'a\\\nb'", r"run echo ‹a\\\nb›");
    check("echo \"a\\\nb\"", "run echo ab");
    check("echo ls\\", "run^ echo ls ⏐ run^ echo ls ⏐ opaque unparsed");
}

#[test]
fn ansi_quotes_are_decoded() {
    check(r"$'\x72m' $'\162\155' $'\u0072' $'a\tb' $'it\'s'", r"run rm rm r ‹a\tb› it's");
    check(r"echo $'\e[0m'", "run echo [0m ⏐ run^ echo e[0m ⏐ run^ echo e[0m ⏐ opaque hidden");
    for text in [
        r"echo $'\0'",
        r"echo $'\xff'",
        r"echo $'\cA'",
        r"echo $'\u00e9'",
        r"echo $'\x{41}'",
        r"echo $'\r'",
        r"echo $'\q'",
    ] {
        assert!(!sekisho_shell::analyse(text).opaque.is_empty(), "{text}");
    }
    check("echo \"$'a'\" $\"b c\"", "run echo $'a' ‹b c› ⏐ opaque expansion");
}

#[test]
fn expansions_are_marked() {
    check("echo $x \"$x\" ${x} a$x\"b\"", "run echo ⟨$x⟩ ⟨\"$x\"⟩ ⟨$x⟩ a⟨$x⟩b");
    check("echo $1 \"$@\" \"$*\" $# $? $ a$ $/", "run echo ⟨?⟩ ⟨?⟩ ⟨\"?\"⟩ ⟨\"$#\"⟩ ⟨\"$?\"⟩ $ a$ $/");
    check("echo ${#x} \"${x:-y}\" ${x%%.*} ${x##*/} ${x/a/b}", "run echo ⟨?⟩ ⟨\"?\"⟩ ⟨?⟩ ⟨?⟩ ⟨?⟩");
    check("echo \"${x:-$@}\"", "run echo ⟨?⟩");
    check("echo ${x:=y}", "run echo ⟨?⟩ ⏐ set x=⟨?⟩ ⏐ opaque expansion");
    for text in
        ["${x@P}", "${!x}", "${x:1}", "${x[0]}", "${x[@]}", "${x:-`a`}", "${x:-'a'}", "${@:1}", "${#x[@]}"]
    {
        let script = sekisho_shell::analyse(&format!("echo {text}"));
        assert!(
            script.opaque.iter().any(|opaque| opaque.kind == sekisho_shell::script::OpaqueKind::Expansion),
            "{text}"
        );
    }
    check("echo \"${a[@]}\"", "run echo ⟨?⟩ ⏐ opaque expansion");
    check("echo ${x:-$(rm y)}", "sub rm y ⏐ run echo ⟨?⟩");
}

#[test]
fn what_zsh_reads_otherwise_is_opaque() {
    for text in [
        "$x[1]",
        "\"$x[1]\"",
        "$?[1]",
        "$@[1]",
        "$#x",
        "$x:h",
        "\"$x:h\"",
        "$x:text",
        "$x:gs/a/b/",
        "$x:F:3:h",
        "\"$x:Fa3ah\"",
        "$x:W:/:h",
        "$xé",
        "\"$x名\"",
        "$\"x\"",
        "$#$x",
        "$#1",
        "$x:&",
        "$=x",
        "$~x",
        "\"$^x\"",
        "$+x[1]",
        "\"$=\"",
        "$^'a'",
        "\"$é\"a",
        "{a,$}b",
        "a } b",
        "a}",
        "$x\\\n:h",
        "10>f",
        "<1-9>f",
        "<a <b",
        "x | cat <a",
        "x | cat <<<a",
        "x | while read a; do b; done <c",
    ] {
        assert!(!sekisho_shell::analyse(&format!("echo {text}")).opaque.is_empty(), "{text}");
    }
}

#[test]
fn what_zsh_reads_alike_is_not_opaque() {
    for text in [
        "$x:",
        "\"$x: a\"",
        "$x:/a",
        "\"$x:8\"",
        "$x:$y",
        "$x:\"h\"",
        "\"$x:F\"",
        "\"$x:gx\"",
        "\"$x…\"",
        "\"$x。\"",
        "\"$#\"",
        "${x}:h",
        "${x}_[1]",
        "'$x[1]'",
        "$(x):h",
        "'^a$' \"a$\"",
        "2>f",
        "<a-b >f",
        "x | cat >a",
        "<a | cat",
        "a | b 2>&1",
    ] {
        assert!(sekisho_shell::analyse(&format!("echo {text}")).opaque.is_empty(), "{text}");
    }
}

#[test]
fn what_zsh_expands_otherwise_is_unknown() {
    check("a==b ls =x a=b = == a==b", "run ls ⟨?⟩x a=b = == a==b ⏐ tmp a=⟨?⟩b");
    check("ls ''~ $x~/a a''~ x\"$y\"~ =''a {,b}=c", "run ls ⟨?⟩ ⟨$x⟩⟨?⟩/a a~ x⟨\"$y\"⟩~ ⟨?⟩a ⟨?⟩");
    check("x=$y~/a x=a:''~", "set x=⟨$y⟩⟨?⟩/a ⏐ set x=a:⟨?⟩");
    check("ls {$x} {a..$x} {_..e} '{a..c}' {}$x", "run ls ⟨?⟩ ⟨?⟩ ⟨?⟩ {a..c} {}⟨$x⟩");
}

#[test]
fn substitutions_are_commands() {
    check(
        "a $(b `c \\`d\\``) <(e) > >(f)",
        "sub d ⏐ sub c ⟨$()⟩ ⏐ sub b ⟨$()⟩ ⏐ sub e ⏐ sub f ⏐ run a ⟨$()⟩ ⟨()⟩ ⏐ to >⟨()⟩",
    );
    check("a \"$(b \"$(c 'd)')\")\"", "sub c d) ⏐ sub b ⟨\"$()\"⟩ ⏐ run a ⟨\"$()\"⟩");
    check("a $\\\n(b) x<(c)", "sub b ⏐ sub c ⏐ run a ⟨$()⟩ x⟨()⟩");
    check("a $(case x in x) b;; esac)", "sub b ⏐ run a ⟨$()⟩");
    check("a $() <() b", "run a ⟨$()⟩ ⟨?⟩ b");
    check("a $(# )\nb)", "sub b ⏐ run a ⟨$()⟩");
}

#[test]
fn arithmetic_is_known_only_without_names() {
    check("echo $((1 + 2 * (3 - 1))) $[1<<2]", "run echo 5 ⟨?⟩");
    check("echo $((x))", "run echo ⟨?⟩ ⏐ opaque arithmetic");
    check("echo \"$((a[$(rm y)]))\"", "sub rm y ⏐ run echo ⟨\"?\"⟩ ⏐ opaque arithmetic");
    check("((i++))", "opaque arithmetic");
    check("((1 < 2)) && a", "run a");
}

#[test]
fn patterns_are_marked() {
    check("ls *.rs a?b [a-z]* [[:alpha:]]x", "run ls ⟨*⟩.rs a⟨?⟩b ⟨[a-z]⟩⟨*⟩ ⟨[[:alpha:]]⟩x");
    check("[ -f x ] && ls a[ ]b '*' \\*", "run [ -f x ] ⏐ run ls a[ ]b * *");
    check("ls [$x] [\"a\"]", "run ls ⟨[⟩⟨$x⟩] ⟨[⟩a]");
    check("l? /bin/[r]m", "run l⟨?⟩ /bin/⟨[r]⟩m ⏐ opaque name");
}

#[test]
fn braces_are_expanded() {
    check("ls {a,b}.{c,d} x{,y} {1..3}", "run ls a.c a.d b.c b.d x xy 1 2 3");
    check("ls {} {a} a{b}c @{u} {{.Names}} {a,b", "run ls {} {a} a{b}c @{u} {{.Names}} {a,b");
    check("ls {a,b a,b}", "run ls {a,b a,b} ⏐ opaque construct");
    check("ls *.{rs,toml} ~/{a,b} {'a,b',c}", "run ls ⟨*⟩.rs ⟨*⟩.toml ⟨~⟩/a ⟨~⟩/b a,b c");
    check(
        "ls {a,} ''{,c} {$x,b} {~,b} {a,b}} p{1},2} {01..03} {1..99} k={a,b}",
        "run ls a ⟨?⟩ ⟨?⟩ ⟨?⟩ ⟨?⟩ p⟨?⟩ ⟨?⟩ ⟨?⟩ k=⟨?⟩ ⏐ opaque construct ⏐ opaque construct",
    );
    check("{rm,x}", "run rm x ⏐ opaque name");
    check("a={b,c}", "set a={b,c}");
    check("ls > {a,b}", "run ls ⏐ to >⟨?⟩");
}

#[test]
fn tildes_are_marked_where_they_expand() {
    check("ls ~ ~/a ~root/b ~+ a~ \\~ '~'", "run ls ⟨~⟩ ⟨~⟩/a ⟨~root⟩/b ⟨~+⟩ a~ ~ ~");
    check("ls k=~/a k=a:~ --k=~ ~\"x\" ~$x", "run ls k=⟨~⟩/a k=a:⟨~⟩ --k=~ ⟨?⟩x ⟨?⟩⟨$x⟩");
    check("PATH=~/bin:~x ls > ~/f", "run ls ⏐ to >⟨~⟩/f ⏐ tmp PATH=⟨~⟩/bin:⟨~x⟩");
}
