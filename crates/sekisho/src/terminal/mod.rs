//! How things look on a terminal.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use sekisho_gate::display::Layout;

/// Foreign text on one line, with every character that would hide or disguise some of it written out.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    sekisho_gate::display::visible(text, Layout::Line)
}

/// Colours. They are dropped where the output is no terminal or `NO_COLOR` is set.
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

/// Standard output, in colour where that makes sense.
pub(crate) type Out = anstream::AutoStream<io::StdoutLock<'static>>;

/// Standard output, for one command.
pub(crate) fn stdout() -> Out {
    anstream::stdout().lock()
}

/// A file's name, short: `~` for the home directory.
pub(crate) fn short(path: &str, home: Option<&Path>) -> String {
    let below = home.and_then(|home| Path::new(path).strip_prefix(home).ok());
    let path = match below.and_then(Path::to_str) {
        Some("") => "~".into(),
        Some(below) => format!("~/{below}"),
        None => path.into(),
    };
    visible(&path).into_owned()
}

/// A rule's text on one line, safe to show.
pub(crate) fn rule(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// A line diff in colours.
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
