//! The view that suits the tool: a command with marked parts, a diff, a URL, or the JSON input.

use std::io::{self, Write};
use std::ops::Range;

use sekisho_gate::display::{DiffLine, DiffSign, FileChange, FileDiff, Form, Layout, MarkedPart, WebAddress};
use sekisho_policy::{DangerSpan, Decision};
use sekisho_server::wire::approval::ApprovalView;
use serde_json::Value;

use super::delegation_view;
use crate::commands::approvals::page_layout::{INDENT, PageLayout, write_indented};
use crate::input_fields::{field_name, scalar};
use crate::terminal::{
    DecisionUnderlines, columns, decision_sign, ensure_visible, ensure_visible_lines, padded, style, visible,
    wrap,
};

/// Maximum width of a part beside its reason.
const WIDEST: usize = 40;

pub(super) fn write_form(out: &mut impl Write, question: &ApprovalView, view: &PageLayout) -> io::Result<()> {
    match &question.shown.form {
        Form::Json => {
            writeln!(out, "{:INDENT$}{}", "", visible(&name(question)))?;
            match short_fields(question) {
                Some(fields) => write_fields(out, &fields, view),
                None => write_indented(out, &question.shown.json, view),
            }
        }
        Form::Command { text, parts } => command(out, (text, parts), &question.shown.danger_spans(), view),
        Form::Diff { files } => files.iter().try_for_each(|file| diff(out, file, view)),
        Form::Url { addresses } => addresses.iter().try_for_each(|address| url(out, address, view)),
        Form::Delegation { agent, parent, prompt, task, rows } => {
            delegation_view::write(out, (agent, parent), (prompt, task.as_deref()), rows, view)
        }
    }
}

/// The fields of an input without nested values, as visible text. None if anything of the input is not shown.
fn short_fields(question: &ApprovalView) -> Option<Vec<(String, String)>> {
    let fields = question.input.as_object().filter(|fields| question.shown.whole && !fields.is_empty())?;
    fields
        .iter()
        .map(|(name, value)| {
            let text = match value {
                Value::String(text) if text.contains('\n') => {
                    sekisho_gate::display::visible(text, Layout::Text).into_owned()
                }
                value => scalar(value)?,
            };
            Some((field_name(name), text))
        })
        .collect()
}

/// Names and values, one below the other.
fn write_fields(out: &mut impl Write, fields: &[(String, String)], view: &PageLayout) -> io::Result<()> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    let widest = fields.iter().map(|(name, _)| columns(name)).max().unwrap_or(0).min(WIDEST / 2);
    let indent = INDENT + widest + 2;
    for (name, value) in fields {
        let mut before = format!("{:INDENT$}{faint}{}{faint:#}  ", "", padded(name, widest));
        if columns(name) > widest {
            writeln!(out, "{:INDENT$}{faint}{name}{faint:#}", "")?;
            before = " ".repeat(indent);
        }
        for row in wrap::wrap_rows(value, view.text_width(indent)) {
            let part = wrap::expand_tabs(value.get(row).unwrap_or(""));
            writeln!(out, "{before}{strong}{part}{strong:#}")?;
            before = " ".repeat(indent);
        }
    }
    Ok(())
}

fn name(question: &ApprovalView) -> String {
    match &question.server_id {
        Some(server) => format!("{server}/{}", question.tool_name),
        None => question.tool_name.clone(),
    }
}

fn command(
    out: &mut impl Write,
    (text, parts): (&str, &[MarkedPart]),
    dangerous: &[DangerSpan],
    view: &PageLayout,
) -> io::Result<()> {
    // If this machine escapes more characters than the server did, the server's ranges no longer fit.
    let shown = ensure_visible_lines(text);
    let several = parts.len() > 1 || parts.iter().any(|part| !part.inner.is_empty());
    let mut marks = DecisionUnderlines::default();
    if several && shown == text {
        for part in parts {
            if let Some(range) = part.range {
                marks.add(range, strictest(part));
            }
        }
    }
    let dangerous = if shown == text { dangerous } else { &[] };
    for row in wrap::wrap_rows(&shown, view.text_width(INDENT)) {
        writeln!(out, "{:INDENT$}{}", "", with_dangerous_words(&shown, &row, dangerous))?;
        let under = marks.under(&shown, row);
        if !under.is_empty() {
            writeln!(out, "{:INDENT$}{under}", "")?;
        }
    }
    if several {
        writeln!(out)?;
        let widest = parts.iter().map(width_of).max().unwrap_or(0).min(WIDEST);
        let room = view.width.map_or(WIDEST, |width| (width / 2).saturating_sub(14).min(WIDEST));
        parts.iter().try_for_each(|part| write_part(out, part, (0, widest.min(room)), view))?;
    }
    Ok(())
}

/// A row of a command: bold, and the dangerous words in the colour of danger.
fn with_dangerous_words(text: &str, row: &Range<usize>, dangerous: &[DangerSpan]) -> String {
    let (strong, deny) = (style::STRONG, style::DENY);
    let mut line = String::new();
    let mut add = |style: anstyle::Style, from: usize, to: usize| {
        let piece = wrap::expand_tabs(text.get(from..to).unwrap_or(""));
        if !piece.is_empty() {
            line.push_str(&format!("{style}{piece}{style:#}"));
        }
    };
    let mut at = row.start;
    for span in dangerous {
        let (from, to) = ((span.start as usize).clamp(at, row.end), (span.end as usize).clamp(at, row.end));
        if from < to && text.is_char_boundary(from) && text.is_char_boundary(to) {
            add(strong, at, from);
            add(deny, from, to);
            at = to;
        }
    }
    add(strong, at, row.end);
    line
}

fn strictest(part: &MarkedPart) -> Decision {
    part.inner.iter().map(strictest).fold(part.decision, Decision::max)
}

fn width_of(part: &MarkedPart) -> usize {
    let own = columns(&ensure_visible(&part.text.replace('\n', " ")));
    part.inner.iter().map(|inner| width_of(inner) + 2).fold(own, usize::max)
}

/// One part: sign, decision, text and reason.
fn write_part(
    out: &mut impl Write,
    part: &MarkedPart,
    (depth, width): (usize, usize),
    view: &PageLayout,
) -> io::Result<()> {
    let (colour, sign) = decision_sign(part.decision);
    let faint = style::FAINT;
    let text = format!("{:depth$}{}", "", ensure_visible(&part.text.replace(['\n', '\t'], " ")));
    let head = format!("{colour}{sign} {:<7}{colour:#} {}", part.decision.name(), padded(&text, width));
    let indent = INDENT + 10 + width + 2;
    let mut before = format!("{:INDENT$}{head}  ", "");
    // The rule that allows a part does not matter for the answer.
    if part.decision == Decision::Allow {
        writeln!(out, "{}", before.trim_end())?;
    } else {
        for line in wrap::wrap_words(&ensure_visible(&part.why), view.text_width(indent)) {
            writeln!(out, "{before}{faint}{line}{faint:#}")?;
            before = " ".repeat(indent);
        }
    }
    part.inner.iter().try_for_each(|inner| write_part(out, inner, (depth + 2, width), view))
}

fn diff(out: &mut impl Write, file: &FileDiff, view: &PageLayout) -> io::Result<()> {
    let (strong, faint, added, removed) = (style::STRONG, style::FAINT, style::ADDED, style::REMOVED);
    let word = match file.change {
        FileChange::Created => "new file",
        FileChange::Changed => "changes",
        FileChange::Deleted => "DELETES",
        FileChange::Same => "no change",
        FileChange::Unknown => "the result is unknown:",
    };
    let path = below_home(&file.path, view);
    let moved = file.moved_to.as_deref().map(|to| format!(" → {}", below_home(to, view)));
    let counts = format!("{added}+{}{added:#} {removed}-{}{removed:#}", file.added, file.removed);
    let moved = moved.unwrap_or_default();
    writeln!(out, "{:INDENT$}{word} {strong}{path}{moved}{strong:#}  {counts}", "")?;
    for note in &file.notes {
        for line in wrap::wrap_words(&ensure_visible(note), view.text_width(INDENT)) {
            writeln!(out, "{:INDENT$}{faint}{line}{faint:#}", "")?;
        }
    }
    let last = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter_map(|line| line.new.max(line.old)).max();
    let digits = last.map_or(1, |last| last.to_string().len());
    for (index, hunk) in file.hunks.iter().enumerate() {
        if index > 0 {
            writeln!(out, "{:INDENT$}{faint}{:>digits$}{faint:#}", "", "⋮")?;
        }
        hunk.lines.iter().try_for_each(|line| diff_line(out, line, digits, view))?;
    }
    Ok(())
}

/// A path whose hidden characters are already escaped, with `~` for the home directory.
fn below_home(path: &str, view: &PageLayout) -> String {
    let home = view.home.as_deref().and_then(std::path::Path::to_str).unwrap_or("");
    match path.strip_prefix(home).filter(|below| !home.is_empty() && below.starts_with('/')) {
        Some(below) => format!("~{}", ensure_visible(below)),
        None => ensure_visible(path).into_owned(),
    }
}

fn diff_line(out: &mut impl Write, line: &DiffLine, digits: usize, view: &PageLayout) -> io::Result<()> {
    let (colour, sign) = match line.sign {
        DiffSign::Context => (anstyle::Style::new(), ' '),
        DiffSign::Added => (style::ADDED, '+'),
        DiffSign::Removed => (style::REMOVED, '-'),
    };
    let faint = style::FAINT;
    let number = line.new.or(line.old).map(|number| number.to_string()).unwrap_or_default();
    let text = ensure_visible_lines(&line.text);
    let indent = INDENT + digits + 3;
    let mut before = format!("{:INDENT$}{faint}{number:>digits$}{faint:#} {colour}{sign} ", "");
    for row in wrap::wrap_rows(&text, view.text_width(indent)) {
        let part = wrap::expand_tabs(text.get(row).unwrap_or(""));
        writeln!(out, "{before}{colour}{part}{colour:#}")?;
        before = " ".repeat(indent);
    }
    Ok(())
}

/// The range of the host in a URL: between scheme and path, after any user name.
fn host_range(url: &str, host: &str) -> Option<(usize, usize)> {
    let begin = url.find("://")? + 3;
    let rest = url.get(begin..)?;
    let authority = rest.get(..rest.find(['/', '?', '#']).unwrap_or(rest.len()))?;
    let at = begin + authority.rfind('@').map_or(0, |at| at + 1);
    url.get(at..)?.starts_with(host).then(|| (at, at + host.len()))
}

/// A URL with its host highlighted.
fn url(out: &mut impl Write, address: &WebAddress, view: &PageLayout) -> io::Result<()> {
    let (strong, deny) = (style::STRONG, style::DENY);
    let text = ensure_visible(&address.url);
    let host = address.host.as_deref().map(ensure_visible);
    let found = host.as_deref().and_then(|host| host_range(&text, host));
    for row in wrap::wrap_rows(&text, view.text_width(INDENT)) {
        // Highlight the part of this row that belongs to the host.
        let (from, to) = found.unwrap_or((row.start, row.start));
        let cut = |at: usize| at.clamp(row.start, row.end);
        let piece = |from: usize, to: usize| text.get(from..to).unwrap_or("");
        let (before, inside, after) =
            (piece(row.start, cut(from)), piece(cut(from), cut(to)), piece(cut(to), row.end));
        writeln!(out, "{:INDENT$}{before}{strong}{inside}{strong:#}{after}", "")?;
    }
    match host {
        Some(host) => writeln!(out, "{:INDENT$}leads to {strong}{host}{strong:#}", "")?,
        None => writeln!(out, "{:INDENT$}{deny}the host is unknown{deny:#}", "")?,
    }
    for note in &address.notes {
        for line in wrap::wrap_words(&ensure_visible(note), view.text_width(INDENT)) {
            writeln!(out, "{:INDENT$}{deny}{line}{deny:#}", "")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sekisho_policy::DangerSpan;

    use super::{host_range, with_dangerous_words};

    #[test]
    fn dangerous_words_have_the_colour_of_danger() {
        let text = "find 関 -delete; x | sh";
        let spans = [(9, 16), (20, 24)].map(|(start, end)| DangerSpan { start, end });
        let red = |word: &str| format!("\u{1b}[1m\u{1b}[31m{word}\u{1b}[0m");
        let bold = |word: &str| format!("\u{1b}[1m{word}\u{1b}[0m");
        assert_eq!(
            with_dangerous_words(text, &(0..text.len()), &spans),
            [bold("find 関 "), red("-delete"), bold("; x "), red("| sh")].concat()
        );
        // A word that is wrapped is marked on both rows; a range inside a character marks nothing.
        assert_eq!(with_dangerous_words(text, &(0..12), &spans), bold("find 関 ") + &red("-de"));
        assert_eq!(with_dangerous_words(text, &(12..18), &spans), red("lete") + &bold("; "));
        let inside = [DangerSpan { start: 6, end: 9 }];
        assert_eq!(with_dangerous_words(text, &(0..8), &inside), bold("find 関"));
    }

    #[test]
    fn host_is_found_in_url() {
        for (url, host, place) in [
            ("https://good.example/evil.example", "good.example", Some((8, 20))),
            ("https://good.example@evil.example/", "evil.example", Some((21, 33))),
            ("https://x.example?x.example", "x.example", Some((8, 17))),
            ("https://m\u{fc}nchen.de", "xn--mnchen-3ya.de", None),
            ("x.example", "x.example", None),
        ] {
            assert_eq!(host_range(url, host), place, "{url}");
        }
    }
}
