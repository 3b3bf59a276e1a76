//! Text that does not parse is still searched for names.

use sekisho_shell::script::OpaqueKind;

/// Asserts that `text` is opaque and `name` is among its commands.
#[track_caller]
fn finds(text: &str, name: &str) {
    let script = sekisho_shell::analyse(text);
    assert!(!script.opaque.is_empty(), "{text:?} is not opaque");
    let found =
        script.commands.iter().any(|command| command.words[0].literal().is_some_and(|word| word == name));
    assert!(found, "{name} is not found in {text:?}: {}", crate::render::render(&script));
}

#[test]
fn names_after_unparsable_text() {
    for text in [
        "ls ) ; rm x",
        "ls \"; rm x",
        "ls '; rm x",
        "fi; rm x",
        "if ls; rm x",
        "ls | | rm x",
        "ls ;; rm x",
        "ls `rm x",
        "ls $(rm x",
        "ls \"$(rm x",
        "case x in a) rm x",
        "((ls); rm x)",
        "echo $((ls); rm x)",
        "ls <(rm x",
        "ls ${ rm x; }",
        "ls @(a|b); rm x",
        "x=(a; rm x",
        "ls \"a\" ) ; A=1 >f r\\m x",
        "do rm x",
        "ls ) >&- rm x",
        "ls ) ; 2>&1 rm x",
        "ls ) ; <<-E rm x",
        "ls >&& rm x",
        "ls ) && $'\\x72m' x",
        "ls ) ; 'r'm x",
        "ls ( ; ! time rm x",
        "for x in a; rm x",
        "ls <<E\n$(rm x\nE",
        "a $(b <<E)\nx\nE\nrm x",
        "ls \"`rm x`",
        "ls \" \\`rm x\\` ",
        "[[ a =~ (b) ]] && rm x",
        "ls # ' \n ) ; rm x",
        "{ ls; ; rm x",
    ] {
        finds(text, "rm");
    }
}

#[test]
fn names_beyond_the_limits() {
    finds(&format!("{}; rm x", "$(".repeat(40)), "rm");
    finds(&format!("{} rm x", "{ ".repeat(40)), "rm");
    finds(&format!("echo {} ; rm x", "a".repeat(20_000)), "rm");
}

#[test]
fn hidden_characters() {
    for text in [
        "ls\r\nrm x",
        "ls\u{3000}; rm x",
        "ls \u{202e}; rm x",
        "\u{feff}; rm x",
        "ls \u{200b}; rm x",
        "ls\u{b}; rm x",
    ] {
        finds(text, "rm");
        let script = sekisho_shell::analyse(text);
        assert!(script.opaque.iter().any(|opaque| opaque.kind == OpaqueKind::HiddenCharacter), "{text:?}");
    }
    for text in ["echo é 漢字 ✔️ 🎉", "ls\t-l\nls"] {
        assert!(sekisho_shell::analyse(text).opaque.is_empty(), "{text:?}");
    }
}
