//! What to look for, as flags.

use jiff::Timestamp;
use sekisho_gate::ApprovalId;
use sekisho_gate::audit::Query;

use super::moment::Moment;
use crate::failure::Failure;

/// Everything given must fit.
#[derive(Debug, clap::Args)]
pub(crate) struct Filter {
    /// Not before: a time, a day, or an age such as `2h` or `3d`
    #[arg(long, value_name = "TIME")]
    from: Option<Moment>,
    /// Before: a time, a day, or an age
    #[arg(long, value_name = "TIME")]
    to: Option<Moment>,
    /// The tool, exactly
    #[arg(long)]
    tool: Option<String>,
    /// What was decided
    #[arg(long, value_parser = ["allow", "confirm", "deny"])]
    decision: Option<String>,
    /// What kind of thing happened
    #[arg(long, value_parser = KINDS)]
    kind: Option<String>,
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

/// As [`sekisho_gate::record::Kind`] names them.
const KINDS: [&str; 10] = [
    "verdict",
    "question",
    "outcome",
    "claim",
    "execution",
    "rules",
    "trust",
    "token",
    "upkeep",
    "checkpoint",
];

impl Filter {
    /// As the record takes it.
    pub(crate) fn query(&self, text: Option<&str>, now: Timestamp) -> Result<Query, Failure> {
        let (from, to) = span(self.from, self.to, now)?;
        Ok(Query {
            from,
            to,
            tool: self.tool.clone(),
            decision: self.decision.clone(),
            kind: self.kind.clone(),
            agent: self.agent.clone(),
            approver: self.approver.clone(),
            approval: self.approval,
            text: text.filter(|text| !text.is_empty()).map(Into::into),
            checkpoints: self.kind.as_deref() == Some("checkpoint"),
            ..Query::default()
        })
    }
}

/// Both ends of a span of time, in order.
pub(crate) fn span(
    from: Option<Moment>,
    to: Option<Moment>,
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
    use super::*;
    use sekisho_gate::record::Kind;

    #[test]
    fn every_kind_can_be_looked_for() {
        for kind in [
            Kind::Verdict,
            Kind::Question,
            Kind::Outcome,
            Kind::Claim,
            Kind::Execution,
            Kind::Rules,
            Kind::Trust,
            Kind::Token,
            Kind::Upkeep,
            Kind::Checkpoint,
        ] {
            assert!(KINDS.contains(&kind.name()), "{}", kind.name());
        }
    }
}
