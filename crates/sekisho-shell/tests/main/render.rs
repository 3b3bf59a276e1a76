//! Renders a script as short text, so that cases are readable data.

use sekisho_shell::script::{Command, CommandOrigin, OpaqueKind, Script, ScriptItem};
use sekisho_shell::word::{Piece, Word};

/// Commands, redirects, assignments and opaque parts, separated by ` ⏐ `.
///
/// `run ls` is a command of the text, `sub ls` one in a substitution, `fun ls` one in a function; `^` marks
/// those whose `cd` would not last. `to >f` is a redirect, `set a=b` an assignment (`tmp a=b` before a
/// command), `opaque x` an opaque part. Words are rendered by [`word`].
pub(crate) fn render(script: &Script) -> String {
    let mut parts: Vec<String> = script.commands.iter().map(command).collect();
    for redirect in &script.redirects {
        parts.push(format!("to {}{}", redirect.operator, word(&redirect.target)));
    }
    for assignment in &script.assignments {
        let kind = if assignment.temporary { "tmp" } else { "set" };
        parts.push(format!("{kind} {}={}", assignment.name, word(&assignment.value)));
    }
    parts.extend(script.opaque.iter().map(|opaque| format!("opaque {}", kind(opaque.kind))));
    parts.join(" ⏐ ")
}

fn command(command: &Command) -> String {
    let place = match command.origin {
        CommandOrigin::Plain => "run",
        CommandOrigin::Substitution => "sub",
        CommandOrigin::Function => "fun",
        CommandOrigin::Wrapped => "wrapped",
    };
    let lasting =
        if command.keeps_directory || command.origin == CommandOrigin::Substitution { "" } else { "^" };
    format!("{place}{lasting} {}", words(&command.words))
}

/// Words separated by blanks.
pub(crate) fn words(words: &[Word]) -> String {
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Plain text stands for itself, in `‹›` if it is empty or contains blanks. `⟨*⟩` is a pattern, `⟨~x⟩` a
/// tilde, `⟨$x⟩` a variable, `⟨$()⟩` a substitution, `⟨()⟩` a process substitution, `⟨?⟩` unknown; `⟨"$x"⟩`
/// etc. if quoted.
pub(crate) fn word(word: &Word) -> String {
    if word.pieces.is_empty() {
        return "‹›".to_owned();
    }
    word.pieces.iter().map(piece).collect()
}

fn piece(piece: &Piece) -> String {
    let marked = |quoted: bool, text: String| {
        if quoted { format!("⟨\"{text}\"⟩") } else { format!("⟨{text}⟩") }
    };
    match piece {
        Piece::Literal(text) if text.contains([' ', '\n', '\t']) => format!("‹{}›", text.escape_debug()),
        Piece::Literal(text) => text.clone(),
        Piece::Glob(text) => marked(false, text.clone()),
        Piece::Tilde(name) => marked(false, format!("~{name}")),
        Piece::Variable { name, quoted } => marked(*quoted, format!("${name}")),
        Piece::Substitution { quoted } => marked(*quoted, "$()".to_owned()),
        Piece::Process => marked(false, "()".to_owned()),
        Piece::Unknown { quoted } => marked(*quoted, "?".to_owned()),
    }
}

/// The items, separated by blanks.
pub(crate) fn shape(script: &Script) -> String {
    let element = |shape: &ScriptItem| match shape {
        ScriptItem::Command(index) => format!("‹{}›", words(&script.commands[*index].words)),
        ScriptItem::Redirect(index) => {
            let redirect = &script.redirects[*index];
            format!("{}{}", redirect.operator, word(&redirect.target))
        }
        ScriptItem::Assignment(index) => {
            let assignment = &script.assignments[*index];
            format!("{}={}", assignment.name, word(&assignment.value))
        }
        ScriptItem::Operator(operator) => (*operator).to_owned(),
    };
    script.items.iter().map(element).collect::<Vec<_>>().join(" ")
}

fn kind(why: OpaqueKind) -> &'static str {
    match why {
        OpaqueKind::TooLong => "too-long",
        OpaqueKind::TooDeep => "too-deep",
        OpaqueKind::HiddenCharacter => "hidden",
        OpaqueKind::Unparsed => "unparsed",
        OpaqueKind::ComputedName => "name",
        OpaqueKind::Expansion => "expansion",
        OpaqueKind::Arithmetic => "arithmetic",
        OpaqueKind::Function => "function",
        OpaqueKind::Array => "array",
        OpaqueKind::Conditional => "conditional",
        OpaqueKind::Construct => "construct",
        OpaqueKind::Redirect => "redirect",
    }
}
