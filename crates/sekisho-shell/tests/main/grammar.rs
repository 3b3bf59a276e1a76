//! The program grammar: which commands run, and how they are reached.

use crate::{check, render};

#[test]
fn lists_and_pipelines() {
    check("a && b || c; d & e\nf", "run a ⏐ run b ⏐ run c ⏐ run^ d ⏐ run e ⏐ run f");
    check("a | b |& c", "run^ a ⏐ run^ b ⏐ run^ c");
    check("! a | b; time -p c; time -- d", "run^ a ⏐ run^ b ⏐ run c ⏐ run d");
    check("a |\n# note\n\nb &&\nc", "run^ a ⏐ run^ b ⏐ run c");
    check("a &\\\n& b |\\\n| c", "run a ⏐ run b ⏐ run c");
    check("a #b; c\n#d\ne#f", "run a ⏐ run e#f");
    check("a | time b", "run^ a ⏐ run^ time b");
    check("", "");
    check(" \n # only a comment", "");
}

#[test]
fn compound_commands() {
    check("(cd x; a) && { b; c; }", "run^ cd x ⏐ run^ a ⏐ run b ⏐ run c");
    check("if a; then b; elif c; then d; else e; fi", "run a ⏐ run b ⏐ run c ⏐ run d ⏐ run e");
    check("while a; do b; done; until c\ndo d\ndone", "run a ⏐ run b ⏐ run c ⏐ run d");
    check(
        "for f in a *.b $(c); do d \"$f\"; done",
        "sub c ⏐ run d ⟨\"$f\"⟩ ⏐ set f=a ⏐ set f=⟨*⟩.b ⏐ set f=⟨$()⟩",
    );
    check(
        "for f; do a; done; for f do b; done; for f\nin x; { c; }",
        "run a ⏐ run b ⏐ run c ⏐ set f=⟨?⟩ ⏐ set f=⟨?⟩ ⏐ set f=x",
    );
    check("case $x in a | b) c;; (d) e;& *) f;;& g) ;; esac", "run c ⏐ run e ⏐ run f");
    check("case $(a) in $(b)) c; esac", "sub a ⏐ sub b ⏐ run c");
    check("{ (a) }; if (b) then c; fi", "run^ a ⏐ run^ b ⏐ run c");
    check("(a) > b 2>&1 | c", "run^ a ⏐ run^ c ⏐ to >b ⏐ to 2>&1");
    check("\"if\" a; \\{ b; if\\\n a; then b; fi", "run if a ⏐ run { b ⏐ run a ⏐ run b");
    check("A=1 if a", "run if a ⏐ tmp A=1");
}

#[test]
fn unsupported_constructs_are_opaque_but_searched() {
    check("f() { a; }; function g { b; }", "fun a ⏐ fun b ⏐ opaque function ⏐ opaque function");
    check("f ()\n( a )", "fun^ a ⏐ opaque function");
    check("select x in a; do b; done", "run b ⏐ set x=a ⏐ opaque construct");
    check("for ((i=0; i<$(a); i++)); do b; done", "sub a ⏐ run b ⏐ opaque arithmetic");
    check("coproc a", "run^ a ⏐ run^ a ⏐ opaque construct");
    check("$x a", "run ⟨$x⟩ a ⏐ opaque name");
    check("time", "opaque unparsed");
}

#[test]
fn conditionals() {
    check("[[ -f x && ! -d \"$y\" ]] && a", "run a");
    check("[[ ( $x == a* || b < c ) && -n $(d) ]]", "sub d");
    check("[[ 1 -lt 2 ]]; [[ $x =~ abc ]]", "");
    check("[[ $x -lt 2 ]]", "opaque conditional");
    check("[[ -v x ]]", "opaque conditional");
    check("[[ a =~ ^$ ]]", "run^ ⟨[⟩ a =~ ^⟨?⟩ ]] ⏐ opaque conditional");
}

#[test]
fn assignments() {
    check("A=1 B+='x y' cmd C=3", "run cmd C=3 ⏐ tmp A=1 ⏐ tmp B=‹x y›");
    check("A=$(a); B=", "sub a ⏐ set A=⟨$()⟩ ⏐ set B=‹›");
    check("export A=b", "run export A=b");
    check("\"A\"=1 x", "run A=1 x");
    check("1A=b", "run 1A=b");
    for text in ["a=(b c)", "a[0]=b", "a[$(c)]+=b", "declare -a x=(y)", "a+=(x $(y))"] {
        let script = sekisho_shell::analyse(text);
        assert!(
            script.opaque.iter().any(|opaque| opaque.kind == sekisho_shell::script::OpaqueKind::Array),
            "{text}"
        );
    }
}

#[test]
fn redirects() {
    check(
        "a >b 2>>c <d >|e &>f &>>g <>h",
        "run a ⏐ to >b ⏐ to 2>>c ⏐ to <d ⏐ to >|e ⏐ to &>f ⏐ to &>>g ⏐ to <>h",
    );
    check("a 2>&1 >&2 <&3 >&- 2>&1-", "run a ⏐ to 2>&1 ⏐ to >&2 ⏐ to <&3 ⏐ to >&- ⏐ to 2>&1-");
    check("a >&-b", "run a b ⏐ to >&-");
    // Bash expands this twice.
    check("a >&'$(b)'", "run a ⏐ run^ a ⏐ run^ a ⏐ run^ b ⏐ to >&$(b) ⏐ opaque redirect");
    check(">f; <g a", "run a ⏐ to >f ⏐ to <g");
    check("a2>f \"2\">g {}>h", "run a2 2 {} ⏐ to >f ⏐ to >g ⏐ to >h");
    check("a {fd}>f", "run a ⏐ to {fd}>f ⏐ set fd=⟨\"?\"⟩ ⏐ opaque redirect");
    check("a <<<\"$x y\" > $z", "run a ⏐ to <<<⟨\"$x\"⟩‹ y› ⏐ to >⟨$z⟩");
    check("a 99999999999999999999>f", "run a ⏐ to 99999999999999999999>f ⏐ opaque redirect");
}

#[test]
fn redirect_kinds() {
    use sekisho_shell::script::RedirectKind::*;
    let kinds = |text| {
        sekisho_shell::analyse(text).redirects.iter().map(|redirect| redirect.kind).collect::<Vec<_>>()
    };
    assert_eq!(
        kinds("a < b > c >& d >& 1 2>&- <<< e <> f"),
        [Read, Write, Write, Descriptor, Descriptor, HereString, Write]
    );
    assert_eq!(kinds("a >&$x <&$y {z}>w <&f"), [Other, Other, Other, Other]);
    assert_eq!(kinds("a <<b\nb"), [HereDocument]);
}

#[test]
fn here_documents() {
    check(
        "a <<E | b\n$x `c` $(d)\nE\ne",
        "run^ a ⏐ run^ b ⏐ sub c ⏐ sub d ⏐ run e ⏐ to <<⟨\"$x\"⟩‹ ›⟨\"$()\"⟩‹ ›⟨\"$()\"⟩‹\\n› ⏐ opaque redirect",
    );
    check("a <<E\n$(d)\nE", "run a ⏐ sub d ⏐ to <<⟨\"$()\"⟩‹\\n›");
    check("a <<'E'\n$(d) `e`\nE\nb", "run a ⏐ run b ⏐ to <<‹$(d) `e`\\n›");
    check("a <<-E\n\tx\n\tE\nb", "run a ⏐ run b ⏐ to <<-‹x\\n›");
    check("a <<E <<F\nx\nE\ny\nF\nb", "run a ⏐ run b ⏐ to <<‹x\\n› ⏐ to <<‹y\\n› ⏐ opaque redirect");
    check("a \"$(b <<'E'\n(it's)\nE\n)\"", "sub b ⏐ run a ⟨\"$()\"⟩ ⏐ to <<‹(it\\'s)\\n›");
    check("(a <<E)\nx\nE", "run^ a ⏐ to <<‹x\\n›");
    for text in [
        "a <<E\nx",
        "a <<$x\ny\n$x",
        "a $(b <<E)\nx\nE",
        "a <<E\nb\\\nE",
        "a $(b <<E\nE c)",
        "a <<E \"\n\"\nE",
        "a $(b <<E; c\nE\n)",
        "a $({ b; } <<E\nE\n)",
    ] {
        assert!(!sekisho_shell::analyse(text).opaque.is_empty(), "{text}");
    }
}

#[test]
fn shapes() {
    let shape = |text: &str| render::shape(&sekisho_shell::analyse(text));
    assert_eq!(shape("rg foo > /dev/null"), "‹rg foo› >/dev/null");
    assert_eq!(shape("a | b && c; d\ne & f;"), "‹a› | ‹b› && ‹c› ; ‹d› ; ‹e› & ‹f›");
    assert_eq!(shape("if a $(b); then (c) fi > d"), "if ‹a ⟨$()⟩› then ( ‹c› ) fi >d");
    assert_eq!(shape("A=1 a; B=2"), "‹a› ; B=2");
    assert_eq!(shape("for x in 1; do a; done"), "for in x=1 do ‹a› done");
}

#[test]
fn depth_counts_groups_and_substitutions() {
    let script = sekisho_shell::analyse("a; (b; $(c)); { d; }");
    let depths: Vec<u16> = script.commands.iter().map(|command| command.depth).collect();
    assert_eq!(depths, [0, 1, 2, 1, 1]);
}

#[test]
fn spans_match_the_text() {
    let text = "ls -l; A=1 cat \"x y\" >f `rm z`";
    let script = sekisho_shell::analyse(text);
    let slice = |span: sekisho_shell::word::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(slice(script.commands[0].span), "ls -l");
    assert_eq!(slice(script.commands[1].span), "`rm z`");
    assert_eq!(slice(script.commands[2].span), "A=1 cat \"x y\" >f `rm z`");
    assert_eq!(slice(script.commands[2].words[1].span), "\"x y\"");
    assert_eq!(slice(script.redirects[0].span), ">f");
    assert_eq!(slice(script.assignments[0].span), "A=1");
}
