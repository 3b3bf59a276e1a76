//! Hostile input: no panic, no overflow, no more work than the length allows.

use sekisho_shell::{analyse, normalise};

use crate::differential::Random;

const PARTS: [&str; 48] = [
    "$(", "`", "\\`", "\"", "'", "\\", "${", "$((", "))", "}", "{", "(", ")", "((", "[[", "]]", "[", "]",
    "<<a", "<<-'b'", "\n", "a", "b", " ", ";", "&", "|", "<", ">", "<(", ">&", "&>", "$'", "$\"", "~", "=",
    ":", "x=(", "a[", "#", "case ", " in ", "esac", "if ", "{a,", "{1..9}", "é", "\u{0}",
];

#[test]
fn soup_of_syntax() {
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let length = random.below(30);
        let text: String = (0..length).map(|_| PARTS[random.below(PARTS.len())]).collect();
        well_formed(&text);
    }
}

#[test]
fn soup_of_characters() {
    let mut random = Random::new(8);
    for case in 0..20_000 {
        let length = random.below(60);
        let limit = if case % 2 == 0 { 0x7f } else { 0x2ff };
        let text: String = (0..length).filter_map(|_| char::from_u32(random.below(limit) as u32)).collect();
        well_formed(&text);
    }
}

/// Checks the properties of every text.
fn well_formed(text: &str) {
    let script = analyse(text);
    let spans = script
        .commands
        .iter()
        .map(|command| command.span)
        .chain(script.opaque.iter().map(|opaque| opaque.span));
    for span in spans {
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{span:?} in {text:?}");
    }
    assert!(script.commands.iter().all(|command| !command.words.is_empty()));
    let words = script.commands.iter().flat_map(|command| &command.words);
    for word in words {
        use sekisho_shell::word::Piece::Literal;
        assert!(
            !word.pieces.windows(2).any(|pair| matches!(pair, [Literal(_), Literal(_)])),
            "{word:?} in {text:?}"
        );
        assert!(!word.pieces.contains(&Literal(String::new())), "{word:?} in {text:?}");
    }
    let once = normalise(text);
    assert_eq!(normalise(&once), once, "in {text:?}");
}

/// Ten thousand bytes of each part, closed and unclosed: all give a result, and none grows out of proportion.
#[test]
fn repeated_syntax() {
    for part in PARTS {
        for filler in ["", "a", " ", ";a ", "\n"] {
            let unit = format!("{part}{filler}");
            let text = unit.repeat(10_000 / unit.len());
            let script = analyse(&text);
            let found =
                script.commands.len() + script.redirects.len() + script.opaque.len() + script.items.len();
            assert!(found <= 8 * text.len(), "{found} parts from {} bytes of {unit:?}", text.len());
            normalise(&text);
        }
    }
}
