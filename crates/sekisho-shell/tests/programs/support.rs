//! Builds words for tests without a shell parser.

use sekisho_shell::programs::{
    BuiltinList, CommandProfile, InnerCommand, Obstacle, ProgramTable, TableError, profile_command,
};
use sekisho_shell::word::{Piece, Span, Word};

const SPAN: Span = Span { start: 0, end: 0 };

/// A table from the texts of its files, given as (file name, text).
pub(crate) fn table(files: &[(&str, &str)]) -> Result<ProgramTable, TableError> {
    let mut readers = Vec::new();
    for (file, text) in files {
        let reader = toml::Deserializer::parse(text);
        let error = |e: toml::de::Error| TableError {
            file: (*file).to_owned(),
            location: "text".to_owned(),
            what: e.to_string(),
        };
        readers.push((*file, reader.map_err(error)?));
    }
    ProgramTable::parse(readers)
}

/// Splits a simple command at blanks; quotes keep a word together. `$name` and `"$name"` become variables,
/// `$(…)` without blanks a substitution, an unquoted `*` a glob.
pub(crate) fn words(command: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut started, mut quote) = (false, None);
    let mut letters = command.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, ' ') => {
                if started {
                    words.push(Word { span: SPAN, pieces: std::mem::take(&mut pieces) });
                }
                started = false;
                continue;
            }
            (None, '\'' | '"') => quote = Some(letter),
            (Some(q), _) if q == letter => quote = None,
            (None, '\\') => push(&mut pieces, letters.next().unwrap_or('\\')),
            (None, '*' | '?') => pieces.push(Piece::Glob(letter.to_string())),
            (None | Some('"'), '$') if letters.peek() == Some(&'(') => {
                letters.by_ref().find(|c| *c == ')');
                pieces.push(Piece::Substitution { quoted: quote.is_some() });
            }
            (None | Some('"'), '$') if letters.peek().is_some_and(char::is_ascii_alphabetic) => {
                let mut name = String::new();
                while let Some(c) = letters.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    name.push(c);
                }
                pieces.push(Piece::Variable { name, quoted: quote.is_some() });
            }
            _ => push(&mut pieces, letter),
        }
        started = true;
    }
    if started {
        words.push(Word { span: SPAN, pieces });
    }
    words
}

fn push(pieces: &mut Vec<Piece>, letter: char) {
    if let Some(Piece::Literal(text)) = pieces.last_mut() {
        text.push(letter);
    } else {
        pieces.push(Piece::Literal(letter.to_string()));
    }
}

pub(crate) fn profile(command: &str) -> CommandProfile {
    profile_command(&words(command))
}

/// Asserts that the command is harmless and on this list or a shorter one.
pub(crate) fn harmless(command: &str, list: BuiltinList) {
    let profile = profile(command);
    assert_eq!(profile.harmless, Ok(()), "{command}");
    assert!(profile.builtin.is_some_and(|found| found <= list), "{command}: {:?}", profile.builtin);
    assert!(profile.inner_commands.is_empty(), "{command}");
    assert!(!profile.program_text && !profile.changes_shell, "{command}");
}

/// Asserts that the command is not harmless, and returns why.
pub(crate) fn harmful(command: &str) -> Obstacle {
    let harmless = profile(command).harmless;
    assert!(harmless.is_err(), "taken for harmless: {command}");
    harmless.err().unwrap_or_else(|| unreachable!())
}

/// The inner commands as text: `argv: a b`, `sh: text`, `input`, `unknown`.
pub(crate) fn inner(command: &str) -> Vec<String> {
    let text = |words: &[Word]| {
        words
            .iter()
            .map(|word| word.literal().map_or("…".to_owned(), |w| w.into_owned()))
            .collect::<Vec<_>>()
            .join(" ")
    };
    profile(command)
        .inner_commands
        .iter()
        .map(|inner| match inner {
            InnerCommand::Argv(words) => format!("argv: {}", text(words)),
            InnerCommand::Text { words, shell } => format!("{shell:?}: {}", text(words)),
            InnerCommand::Input { shell } => format!("input: {shell:?}"),
            InnerCommand::BangLines => "bang lines".to_owned(),
            InnerCommand::Unknown { .. } => "unknown".to_owned(),
        })
        .collect()
}
