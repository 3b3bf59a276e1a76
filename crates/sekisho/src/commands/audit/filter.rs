//! Search filters as flags.

use jiff::Timestamp;
use sekisho_gate::ApprovalId;
use sekisho_gate::audit::{AuditQuery, MAX_PAGE_BYTES};
use sekisho_gate::record::RecordKind;

use super::time_format::TimeArg;
use crate::failure::Failure;

/// A record must match all filters.
#[derive(Debug, clap::Args)]
pub(crate) struct FilterArgs {
    /// Only records from this time on: a time, a day, or how long ago (`2h`, `3d`)
    #[arg(long, value_name = "TIME")]
    from: Option<TimeArg>,
    /// Only records before this time: a time, a day, or how long ago
    #[arg(long, value_name = "TIME")]
    to: Option<TimeArg>,
    /// Exact tool name
    #[arg(long)]
    tool: Option<String>,
    /// Decision
    #[arg(long, value_parser = ["allow", "confirm", "deny"])]
    decision: Option<String>,
    /// Kind of record: verdict, question, outcome, claim, execution, rules, trust, token, upkeep, checkpoint,
    /// or an extension's kind, such as `agent.run_started` (see docs/guide/audit.md)
    #[arg(long, value_parser = kind)]
    kind: Option<RecordKind>,
    /// Exact agent id
    #[arg(long)]
    agent: Option<String>,
    /// Name of the person who decided
    #[arg(long, value_name = "NAME")]
    approver: Option<String>,
    /// Question id
    #[arg(long, value_name = "ID")]
    approval: Option<ApprovalId>,
}

/// A built-in kind, or an extension's kind: `area.kind`.
fn kind(name: &str) -> Result<RecordKind, String> {
    RecordKind::try_from(name.to_owned())
}

impl FilterArgs {
    /// The query for the audit log.
    pub(crate) fn query(&self, text: Option<&str>, now: Timestamp) -> Result<AuditQuery, Failure> {
        let (from, to) = time_range(self.from, self.to, now)?;
        Ok(AuditQuery {
            from,
            to,
            tool: self.tool.clone(),
            decision: self.decision.clone(),
            kind: self.kind.as_ref().map(|kind| kind.name().to_owned()),
            agent: self.agent.clone(),
            approver: self.approver.clone(),
            approval: self.approval,
            text: text.filter(|text| !text.is_empty()).map(Into::into),
            checkpoints: self.kind == Some(RecordKind::Checkpoint),
            max_bytes: Some(MAX_PAGE_BYTES),
            ..AuditQuery::default()
        })
    }
}

/// Both ends of a time range, in order.
pub(crate) fn time_range(
    from: Option<TimeArg>,
    to: Option<TimeArg>,
    now: Timestamp,
) -> Result<(Option<Timestamp>, Option<Timestamp>), Failure> {
    let from = from.map(|from| from.resolve(now)).transpose()?;
    let to = to.map(|to| to.resolve(now)).transpose()?;
    if let (Some(from), Some(to)) = (from, to)
        && from >= to
    {
        return Err(Failure::usage(format!("`--from` ({from:.0}) is not before `--to` ({to:.0})")));
    }
    Ok((from, to))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[derive(clap::Parser)]
    struct Command {
        #[command(flatten)]
        filter: FilterArgs,
    }

    #[test]
    fn every_kind_is_accepted_and_named_in_the_help() {
        let help = Command::command().render_long_help().to_string();
        for own in RecordKind::BUILTIN {
            assert_eq!(kind(own.name()), Ok(own.clone()));
            assert!(help.contains(own.name()), "{}", own.name());
        }
        assert_eq!(kind("agent.run_started").map(String::from), Ok("agent.run_started".into()));
        for mistake in ["verdcit", "Agent Run", ""] {
            assert!(kind(mistake).unwrap_err().contains("verdict"), "{mistake}");
        }
    }
}
