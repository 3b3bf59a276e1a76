//! What to look for, as flags.

use jiff::Timestamp;
use sekisho_gate::ApprovalId;
use sekisho_gate::audit::AuditQuery;
use sekisho_gate::record::RecordKind;

use super::time_format::TimeArg;
use crate::failure::Failure;

/// Everything given must fit.
#[derive(Debug, clap::Args)]
pub(crate) struct FilterArgs {
    /// Not before: a time, a day, or an age such as `2h` or `3d`
    #[arg(long, value_name = "TIME")]
    from: Option<TimeArg>,
    /// Before: a time, a day, or an age
    #[arg(long, value_name = "TIME")]
    to: Option<TimeArg>,
    /// The tool, exactly
    #[arg(long)]
    tool: Option<String>,
    /// What was decided
    #[arg(long, value_parser = ["allow", "confirm", "deny"])]
    decision: Option<String>,
    /// What kind of thing happened: verdict, question, outcome, claim, execution, rules, trust, token, upkeep, checkpoint,
    /// or another part's, such as `agent.run_started`
    #[arg(long, value_parser = kind)]
    kind: Option<RecordKind>,
    /// The agent, exactly
    #[arg(long)]
    agent: Option<String>,
    /// Who decided, by name
    #[arg(long, value_name = "NAME")]
    approver: Option<String>,
    /// The question
    #[arg(long, value_name = "ID")]
    approval: Option<ApprovalId>,
}

/// One of the gate's own kinds, or that of a part: `area.kind`.
fn kind(name: &str) -> Result<RecordKind, String> {
    RecordKind::try_from(name.to_owned())
}

impl FilterArgs {
    /// As the record takes it.
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
            ..AuditQuery::default()
        })
    }
}

/// Both ends of a span of time, in order.
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
    fn every_kind_can_be_looked_for_and_is_named_in_the_help() {
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
