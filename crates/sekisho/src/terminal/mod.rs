//! Terminal output.

mod decision_underlines;
pub(crate) mod wrap;

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::Path;

use sekisho_gate::display::Layout;
use unicode_width::UnicodeWidthChar;

pub(crate) use decision_underlines::{DecisionUnderlines, decision_sign};

use crate::failure::Failure;

/// Untrusted text on one line, with every hiding or disguising character escaped.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    sekisho_gate::display::visible(text, Layout::Line)
}

/// For text whose hiding characters were already escaped, as in the audit log and in questions: escapes are
/// not escaped again. Characters that still hide something are escaped.
pub(crate) fn ensure_visible(text: &str) -> Cow<'_, str> {
    said_as(text, Layout::Line)
}

/// Like [`ensure_visible`], for text of several lines.
pub(crate) fn ensure_visible_lines(text: &str) -> Cow<'_, str> {
    said_as(text, Layout::Text)
}

fn said_as(text: &str, layout: Layout) -> Cow<'_, str> {
    let shown = sekisho_gate::display::visible(text, layout);
    if shown.replace(r"\u{5c}u{", r"\u{") == text { Cow::Borrowed(text) } else { shown }
}

/// Colours. They are dropped if the output is not a terminal or `NO_COLOR` is set.
pub(crate) mod style {
    use anstyle::{AnsiColor, Style};
    use sekisho_policy::{Decision, Effect};

    pub(crate) const ALLOW: Style = AnsiColor::Green.on_default().bold();
    pub(crate) const CONFIRM: Style = AnsiColor::Yellow.on_default().bold();
    pub(crate) const DENY: Style = AnsiColor::Red.on_default().bold();
    pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
    pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
    pub(crate) const FAINT: Style = Style::new().dimmed();
    pub(crate) const STRONG: Style = Style::new().bold();

    pub(crate) fn of(decision: Decision) -> Style {
        match decision {
            Decision::Allow => ALLOW,
            Decision::Confirm => CONFIRM,
            Decision::Deny => DENY,
        }
    }

    pub(crate) fn of_effect(effect: Effect) -> Style {
        of(effect.into())
    }
}

/// Standard output, coloured where supported.
pub(crate) type StyledStdout = anstream::AutoStream<io::StdoutLock<'static>>;

pub(crate) fn stdout() -> StyledStdout {
    anstream::stdout().lock()
}

/// A path with `~` for the home directory.
pub(crate) fn shorten_path(path: &str, home: Option<&Path>) -> String {
    let below = home.and_then(|home| Path::new(path).strip_prefix(home).ok());
    let path = match below.and_then(Path::to_str) {
        Some("") => "~".into(),
        Some(below) => format!("~/{below}"),
        None => path.into(),
    };
    visible(&path).into_owned()
}

/// A rule's text on one line, escaped.
pub(crate) fn rule_on_one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// Writes a coloured line diff.
pub(crate) fn diff(out: &mut impl Write, diff: &str) -> io::Result<()> {
    for line in diff.lines() {
        let style = match line.chars().next() {
            Some('+') => style::ADDED,
            Some('-') => style::REMOVED,
            _ => style::FAINT,
        };
        writeln!(out, "{style}{}{style:#}", visible(line))?;
    }
    Ok(())
}

/// The terminal width in columns; `None` if standard output is not a terminal.
pub(crate) fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    Some(terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0).max(40)))
}

/// A text for standard error after a label of `indent` columns. If that is a terminal, it is wrapped at spaces
/// and further lines are indented like the first.
pub(crate) fn wrap_after_label(text: &str, indent: usize) -> String {
    let columns =
        || terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
    let width = io::stderr().is_terminal().then(columns);
    wrap_with_indent(text, indent, width)
}

/// The same for standard output.
pub(crate) fn wrap_on_stdout(text: &str, indent: usize) -> String {
    wrap_with_indent(text, indent, width())
}

/// A text wrapped at spaces to a terminal of this width, with further lines indented. Without a terminal it stays as
/// it is.
fn wrap_with_indent(text: &str, indent: usize, width: Option<usize>) -> String {
    let Some(width) = width else { return text.into() };
    // On a narrow terminal a deep indent would leave no room.
    let width = width.max(40);
    let indent = indent.min(width - 30);
    wrap::wrap_words(text, width - indent).join(&format!("\n{:indent$}", ""))
}

/// The width of a text in columns.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// A text cut to at most `width` columns, with a mark where it was cut.
pub(crate) fn truncate(text: &str, width: usize) -> Cow<'_, str> {
    if columns(text) <= width {
        return Cow::Borrowed(text);
    }
    let (mut short, mut used) = (String::new(), 1);
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        short.push(c);
    }
    Cow::Owned(short + "…")
}

/// A text padded to `width` columns.
pub(crate) fn padded(text: &str, width: usize) -> String {
    let text = truncate(text, width);
    let room = width.saturating_sub(columns(&text));
    format!("{text}{:room$}", "")
}

/// Whether there is a terminal to ask on.
pub(crate) fn can_ask() -> bool {
    std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty").is_ok()
}

/// Asks the person at the terminal. Uses the terminal itself, because standard input may come from another
/// program.
pub(crate) fn prompt_yes_no(out: &mut StyledStdout, question: &str, way_out: &str) -> Result<bool, Failure> {
    let no_terminal = |_| Failure::new(format!("there is no terminal to ask on; {way_out}"));
    let mut tty = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(no_terminal)?;
    out.flush()?;
    write!(tty, "{question} [y/N] ")?;
    tty.flush()?;
    let mut answer = String::new();
    BufReader::new(tty).read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_truncated_and_padded_by_columns() {
        assert_eq!(padded("関所", 6), "関所  ");
        assert_eq!(padded("関所の門", 6), "関所… ");
        assert_eq!(padded("abc", 3), "abc");
        assert_eq!(truncate("abcdef", 4), "abc…");
    }
}
