//! Properties of any words.

use std::sync::LazyLock;

use proptest::prelude::*;
use sekisho_shell::programs::{ProgramTable, files, names, profile_command};
use sekisho_shell::word::{Piece, Span, Word};

use crate::support::{self, words};

static WHOLE: LazyLock<ProgramTable> = LazyLock::new(|| {
    let all: Vec<(&str, &str)> = files().collect();
    support::table(&all).unwrap_or_default()
});

const SPAN: Span = Span { start: 0, end: 0 };

fn piece() -> impl Strategy<Value = Piece> {
    let fragment = prop_oneof![
        Just("-".to_owned()),
        Just("--".to_owned()),
        Just("=".to_owned()),
        Just("{}".to_owned()),
        Just(";".to_owned()),
        Just("exec".to_owned()),
        prop::sample::select(vec![
            "status", "log", "run", "compose", "remote", "stash", "push", "install", "exec", "-C"
        ])
        .prop_map(str::to_owned),
        "[-+a-zA-Z=%é/]{0,6}",
        ".{0,4}",
    ];
    prop_oneof![
        6 => fragment.prop_map(Piece::Literal),
        1 => Just(Piece::Glob("*".to_owned())),
        1 => any::<bool>().prop_map(|quoted| Piece::Variable { name: "x".to_owned(), quoted }),
        1 => any::<bool>().prop_map(|quoted| Piece::Substitution { quoted }),
        1 => any::<bool>().prop_map(|quoted| Piece::Unknown { quoted }),
        1 => Just(Piece::Process),
        1 => Just(Piece::Tilde(String::new())),
    ]
}

fn word() -> impl Strategy<Value = Word> {
    prop::collection::vec(piece(), 0..3).prop_map(|pieces| Word { span: SPAN, pieces })
}

fn command() -> impl Strategy<Value = Vec<Word>> {
    let mut known: Vec<&str> = names().collect();
    known.sort_unstable();
    let program = prop::sample::select(known).prop_map(|name| Word::new(SPAN, name));
    (program, prop::collection::vec(word(), 0..8)).prop_map(|(program, rest)| {
        let mut words = vec![program];
        words.extend(rest);
        words
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn profiling_never_panics(command in command(), first in word()) {
        let _ = profile_command(&command);
        let _ = profile_command(&[first]);
    }

    /// Parsing part by part, as the embedded table does, gives the same result as parsing as a whole.
    #[test]
    fn table_parses_the_same_in_parts_and_whole(command in command()) {
        prop_assert_eq!(profile_command(&command), WHOLE.read(&command));
    }

    /// At any position, unless it is after `--` or in the position of a value.
    #[test]
    fn an_unknown_option_is_never_harmless(command in command(), at in 0_usize..8) {
        const NO_OPTIONS: [&str; 10] =
            ["echo", "true", "false", ":", "test", "[", "exit", "break", "continue", "expr"];
        prop_assume!(!NO_OPTIONS.contains(&command[0].prefix()));
        let mut command = command;
        let at = (at + 1).min(command.len());
        // An option before it could take it as its value; an operand or `--` could end the options.
        command.retain(|word| !word.prefix().starts_with(['-', '+']) && word.literal().is_some());
        prop_assume!(!command.is_empty());
        let at = if at > command.len() { command.len() } else { 1 };
        command.insert(at, Word::new(SPAN, "--no-such-option-anywhere"));
        if profile_command(&command).harmless.is_ok() {
            // Only programs that read options before operands treat it as an operand.
            prop_assert!(at > 1, "{command:?}");
        }
    }

    /// More words never turn an obstacle of an earlier option into `Ok`.
    #[test]
    fn harmful_options_stay_harmful(tail in prop::collection::vec(word(), 0..5)) {
        for start in ["sort -o x", "find . -delete", "git diff --output=x", "rg --pre x", "date -s x", "sed -i 1p", "file -C"] {
            let mut command = words(start);
            command.extend(tail.iter().cloned());
            prop_assert!(profile_command(&command).harmless.is_err(), "{command:?}");
        }
    }

    /// A word that could be anything is harmless only if the table says that no option does harm.
    #[test]
    fn computed_words_do_not_bypass_options(quoted in any::<bool>(), at in 1_usize..4) {
        for start in ["sort a b", "find . -print", "git diff HEAD", "rg foo src", "date +%F", "file a b", "git log -1"] {
            let mut command = words(start);
            let at = at.min(command.len());
            command.insert(at, Word { span: SPAN, pieces: vec![Piece::Unknown { quoted }] });
            prop_assert!(profile_command(&command).harmless.is_err(), "{command:?}");
        }
    }
}

#[test]
fn how_a_word_begins() {
    let with = |pieces: Vec<Piece>| {
        let mut command = words("rg foo");
        command.push(Word { span: SPAN, pieces });
        profile_command(&command).harmless.is_ok()
    };
    let literal = |text: &str| Piece::Literal(text.to_owned());
    let variable = || Piece::Variable { name: "x".to_owned(), quoted: true };
    assert!(with(vec![Piece::Tilde(String::new()), literal("/src")]));
    assert!(with(vec![Piece::Process]));
    assert!(with(vec![literal("src/"), variable()]));
    assert!(!with(vec![variable(), literal("/src")]));
    assert!(!with(vec![literal(""), variable()]));
}
