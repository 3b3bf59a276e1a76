use super::*;

/// The search runs before anyone is asked, so a text cannot make it take long.
#[test]
#[expect(clippy::disallowed_methods, reason = "an environment variable selects the long form")]
fn text_that_costs_too_much_is_refused() {
    // Texts that are refused spend the whole budget, so a part of it is enough here.
    let shares = if std::env::var("SEKISHO_PROOF_CASES").is_ok() { 1 } else { 8 };
    for text in [
        format!("python3 -c '{}'", "/a".repeat(14_000)),
        format!("git rebase {}", "a ".repeat(20_000)),
        format!("git submodule {}", "a ".repeat(20_000)),
        format!("git {}", "alias.a ".repeat(12_000)),
        format!("foo {}", "rm ".repeat(30_000)),
        format!("xargs {}", "x | xargs y | echo a b ".repeat(4_000)),
        format!("echo $1; {}", "f a; ls $1; ".repeat(8_000)),
        format!("perl -e '{} }}'", "qx{".repeat(20_000)),
        format!("a={}; : {}", "x".repeat(40_000), "$a".repeat(20_000)),
        format!("a={}; {}", "x".repeat(50_000), "$a;".repeat(12_000)),
        (10..5_000).map(|number| format!("exec {number}>f{number};")).collect(),
        format!("set -H\n: a\n{}", "!! !!\n".repeat(17)),
        format!("x {} '{}'", "node ".repeat(150), "process.env.A;".repeat(2_000)),
        (0..4_000).fold("a=autocorrect;".to_owned(), |text, number| text + &format!("git ab{number};")),
    ] {
        let start: String = text.chars().take(20).collect();
        assert_eq!(within(&text, &Budget::share(shares)), Some(ForbiddenCode::TooLargeToCheck), "{start}");
    }
}
