use super::*;

/// The commands that are shown for a text.
fn shown(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    DryRuns::default().follow(text, &Budget::default(), &mut |text| found.push(text.to_owned()));
    found
}

fn check(text: &str, expected: &str) {
    let found = shown(text);
    assert!(found.iter().any(|found| found == expected), "{text}: {found:?}");
}

#[test]
fn computed_words_are_shown() {
    for text in ["for i in r f; do o=\"$o$i\"; done; rm -${o#x} x", "f() { \"$1\" -rf x; }; f rm"] {
        assert!(!shown(text).is_empty(), "{text}");
    }
    check("a=(rm -rf); \"${a[@]}\" x", "'rm' '-rf' 'x'");
    check("$(echo cm0= | base64 -d) -rf x", "'rm' '-rf' 'x'");
    check("echo x | xargs rm -rf", "'rm' '-rf' 'x'");
    check("touch -- -rf; rm *", "'rm' '-rf' *");
    check("set -- -r -f; while getopts rf o; do s=$s$o; done; rm -${s#x} x", "'rm' '-rf' 'x'");
}

/// What is not known stays so.
#[test]
fn unknown_texts_are_not_guessed() {
    for text in [
        "cat f | base64 -d | sh",
        "$(curl a) x",
        "rm $(cat list)",
        "while read -r f; do rm \"$f\"; done < list",
        "if [ -f rm ]; then a=ls; else a=cat; fi; $a -rf x",
        "f() { rm -rf \"$1\"; }",
    ] {
        assert_eq!(shown(text), Vec::<String>::new(), "{text}");
    }
}

/// Dry runs end, and leave most of the budget to the rest of the search.
#[test]
fn dry_runs_end() {
    for text in [
        "while true; do a=$a$a; echo $a; done".to_owned(),
        "f() { f; f; }; f".to_owned(),
        "a=xxxxxxxx; ".to_owned() + &"a=$a$a; ".repeat(64) + "$a",
        "$(".repeat(20_000),
        "for i in {1..99}; do ".repeat(20) + "echo $i" + &"; done".repeat(20),
        "eval \"$x\"; ".repeat(20_000),
        ":(){ :|:& };:".to_owned(),
        "alias a='b '; alias b='a '; a b".to_owned(),
        "x() { echo \"$1$1\"; }; y=$(x $(x $(x $(x a)))); ".repeat(2_000),
        format!("echo '{}' | sed 's/a*a*a*b//g'", "a".repeat(60_000)),
        "a".repeat(1 << 20),
        "echo a | ".repeat(50_000),
    ] {
        let budget = Budget::default();
        DryRuns::default().follow(&text, &budget, &mut |_| ());
        assert!(!budget.is_spent());
    }
}
