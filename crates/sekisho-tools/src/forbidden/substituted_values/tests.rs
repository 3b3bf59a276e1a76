use super::*;

fn check(text: &str, expected: &str) {
    let found = with_values(text, &Budget::default());
    let is_found = found.iter().any(|text| text.replace(['\'', '"'], "").ends_with(expected));
    assert!(is_found, "{text}: {found:?}");
}

#[test]
fn values_are_put_in_place() {
    check("a=(-rf); rm \"${a[@]}\" x", "rm -rf x");
    check("c=(git -C .); c+=(push); \"${c[@]}\"", "git -C . push");
    check("o=\"-r\"; o=\"$o -f\"; rm $o x", "rm -r -f x");
    check("x=rm; y=\"$x -rf z\"; $y", "rm -rf z");
    check("set -- -r; set -- \"$@\" -f; rm \"$@\" x", "rm -r -f x");
    check("a=(m r); ${a[1]}${a[0]} -rf x", "rm -rf x");
    check("v=xm; ${v/x/r} -rf x", "rm -rf x");
    check("printf -v v '\\x72m'; $v -rf x", "rm -rf x");
    check("read a b <<< 'r m'; $a$b -rf x", "rm -rf x");
    check("cat <<E\nit's\nE\na=(rm); \"${a[@]}\" -rf x", "rm -rf x");
}

#[test]
fn quoted_values_stay_one_word_and_run_nothing() {
    let found = with_values("m='a; rm -rf x'; git commit -m \"$m\"; echo $m", &Budget::default());
    assert_eq!(found, ["m='a; rm -rf x'; git commit -m \"\"'a; rm -rf x'\"\"; echo 'a;' 'rm' '-rf' 'x'"]);
}

#[test]
fn other_texts_stay() {
    for text in [
        "echo $HOME",
        "a=1",
        "echo '$a' a=1",
        "x=(1; echo $y",
        "rm \"$@\"",
        "é=1 $é",
        "a=\\",
        "$",
        "${",
        "a=($",
        "a=$(b) $a",
        "${a[",
        "a=1; ${a[}",
        "set -- $",
        "read $ <<< ",
        "printf -v $",
    ] {
        assert_eq!(with_values(text, &Budget::default()), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn growing_values_end() {
    let budget = Budget::default();
    with_values(&format!("a=xxxxxxxx; {}$a", "a=$a$a; ".repeat(64)), &budget);
    assert!(budget.is_spent());
}

#[test]
fn nested_expansions_end() {
    let nested = |count: usize| format!("a=1; {}1{}", "${b:-".repeat(count), "}".repeat(count));
    assert!(with_values(&nested(8), &Budget::default()).iter().any(|text| text.ends_with("'1'")));
    for text in [nested(20_000), format!("a=1; {}", "${b:-".repeat(20_000)), "a=($a ".repeat(20_000)] {
        with_values(&text, &Budget::default());
    }
}
