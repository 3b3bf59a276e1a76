//! Names that a text defines: each must not cost what all others cost.

use super::{Worst, bounded, lengths, many, policy};

#[test]
fn names_that_a_text_defines_are_bounded() {
    let policy = policy();
    let mut worst = Worst::default();
    for length in lengths() {
        let half = length / 2;
        for (name, text) in [
            ("different variables", format!("{}echo $v1", many("v#=1;", *length))),
            ("different variables at once", format!("{}; echo $v1", many("v#=1 ", *length))),
            ("variables of variables", format!("v=1;{}echo $v1", many("v#=$v$v;", *length))),
            ("exported variables", format!("{}echo $v1", many("export v#=1;", *length))),
            ("variables that are read", format!("{}echo $v1", many("read v#;", *length))),
            ("variables of loops", format!("{}echo $v1", many("for v# in a; do :; done;", *length))),
            ("variables in subshells", format!("{}echo $v1", many("(v#=1;", *length))),
            ("functions", format!("{}f1", many("f#() { :; };", *length))),
            ("aliases", format!("{}a1", many("alias a#=b;", *length))),
            ("arrays", format!("{}echo ${{a[1]}}", many("a[#]=1;", *length))),
            ("a long value", format!("v={}; {}", "x".repeat(4000.min(half)), many("echo $v$v$v #;", half))),
        ] {
            let (millis, peak) = bounded(&policy, name, &text);
            worst.note(millis, peak, || format!("{name}, {} bytes", text.len()));
        }
    }
    let doubled: String = (1..200).map(|at| format!("v{at}=$v{}$v{};", at - 1, at - 1)).collect();
    let text = format!("v0=0123456789;{doubled} echo $v199");
    bounded(&policy, "values that double", &text);
    worst.print("defined");
}
