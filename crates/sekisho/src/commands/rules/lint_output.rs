//! Prints lint findings.

use std::io::{self, Write};
use std::path::Path;

use sekisho_policy::lint::{CoveredCalls, Finding, FindingLevel, RuleLocation};

use crate::terminal::{rule_on_one_line, shorten_path, style, visible};

/// One finding: level, message, the rule and its position, and what to do.
pub(super) fn write_finding(out: &mut impl Write, finding: &Finding, home: Option<&Path>) -> io::Result<()> {
    let (style, word) = match finding.level {
        FindingLevel::Danger => (style::DENY, "danger"),
        FindingLevel::Warning => (style::CONFIRM, "warning"),
        FindingLevel::Info => (style::FAINT, "info"),
    };
    writeln!(out, "{style}{word:<8}{style:#} {}", visible(&finding.message))?;
    place(out, "rule", &finding.at, home)?;
    if let Some(other) = &finding.other {
        place(out, "other", other, home)?;
    }
    let faint = style::FAINT;
    if let Some(hint) = &finding.hint {
        writeln!(out, "{faint}{:<8}{faint:#} {}", "hint", visible(hint))?;
    }
    writeln!(out)
}

/// What a rule covers.
pub(super) fn write_covered(
    out: &mut impl Write,
    covered: &CoveredCalls,
    home: Option<&Path>,
) -> io::Result<()> {
    let faint = style::FAINT;
    place(out, "rule", &covered.at, home)?;
    writeln!(out, "{faint}{:<8}{faint:#} {}", "covers", visible(&covered.message))
}

fn place(out: &mut impl Write, label: &str, place: &RuleLocation, home: Option<&Path>) -> io::Result<()> {
    let faint = style::FAINT;
    let source = shorten_path(&place.source, home);
    writeln!(
        out,
        "{faint}{label:<8}{faint:#} {} {} {faint}{source}:{}{faint:#}",
        place.effect,
        rule_on_one_line(&place.rule),
        place.line
    )
}
