//! Tests of a value that is not visible from outside: how much was reread.

use super::*;

fn work(text: &str) -> (usize, Script) {
    let mut out = ParseOutput { work_limit: usize::MAX, left: usize::MAX, ..ParseOutput::default() };
    let mut parser = Parser {
        cur: Cursor::new(text, 0),
        out: &mut out,
        fixed: None,
        place: CommandOrigin::Plain,
        depth: 0,
        keeps_directory: true,
        parens: 0,
        pending: Vec::new(),
    };
    let _ = parser.program();
    (out.work, out.script)
}

#[test]
fn only_backticks_and_here_documents_are_reread() {
    assert_eq!(work("a $(b \"$(c ${x:-$(d)})\") <(e) [[ x ]]").0, 0);
    assert_eq!(work("a `b c`").0, 3);
}

#[test]
fn nested_rereading_stays_within_the_limit() {
    // Each level doubles the backslashes, so depth is bounded by the logarithm of the length.
    let mut nested = "a".to_owned();
    for _ in 0..8 {
        nested = format!("b `{}`", nested.replace('\\', "\\\\").replace('`', "\\`"));
    }
    assert!(work(&nested).0 <= WORK_PER_BYTE * nested.len());
    let mut here = "a".to_owned();
    for level in 0..30 {
        here = format!("$(b <<E{level}\n{here}\nE{level}\n)");
    }
    let text = format!("c {here}");
    assert!(work(&text).0 <= WORK_PER_BYTE * text.len());
    assert!(!analyse(&text).commands.is_empty());
}

#[test]
fn every_substitution_has_its_own_items() {
    let text = "a | b \"$(c | d `e; f`)\" <(g)";
    let script = analyse(text);
    let shapes: Vec<&[ScriptItem]> = script.substitutions.iter().map(|one| one.shape.as_slice()).collect();
    let names = |shape: &[ScriptItem]| {
        let commands = shape.iter().filter_map(|item| match item {
            ScriptItem::Command(at) => script.commands[*at].words[0].literal(),
            _ => None,
        });
        commands.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shapes.iter().map(|shape| names(shape)).collect::<Vec<_>>(), ["e f", "c d", "g"]);
    assert_eq!(names(&script.items), "a b");
    let span = script.substitutions[1].span;
    assert_eq!(text.get(span.start as usize..span.end as usize), Some("(c | d `e; f`)"));
}
