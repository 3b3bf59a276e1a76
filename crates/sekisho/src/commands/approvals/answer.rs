//! Answering a question from the command line; shared by `approve` and `deny`.

use std::io::{BufRead, BufReader, IsTerminal, Write};

use clap::ValueEnum;
use sekisho_gate::answer::{Behavior, RuleScope};
use sekisho_policy::DangerLevel;
use sekisho_server::wire::approval::{AnswerBody, AnswerResponse, ApprovalView, RememberBody, RememberRules};

use super::approval_view;
use super::approvals_client::{self, ApprovalsClient};
use super::status_text::{no_proposals_reason, outcome_text, why_not_in};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, StyledStdout};

/// Where a remembered rule applies.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ScopeArg {
    /// In this session
    Session,
    /// In this project, in its config file
    Project,
    /// Everywhere, in your own config
    Global,
}

impl From<ScopeArg> for RuleScope {
    fn from(name: ScopeArg) -> RuleScope {
        match name {
            ScopeArg::Session => RuleScope::Session,
            ScopeArg::Project => RuleScope::Project,
            ScopeArg::Global => RuleScope::Global,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct RememberArgs {
    /// Save a rule for calls like this one, so that they are not asked about again
    #[arg(long, value_enum, value_name = "SCOPE")]
    remember: Option<ScopeArg>,
    /// Number of the proposed rule, as `show` lists them
    #[arg(long, value_name = "N", requires = "remember", default_value_t = 1)]
    rule: usize,
}

impl RememberArgs {
    /// The request body for `--remember`.
    fn body(&self, question: &ApprovalView) -> Result<Option<RememberBody>, Failure> {
        let Some(scope) = self.remember else { return Ok(None) };
        if let Some(why) = why_not_in(question, scope.into()) {
            return Err(Failure::new(format!(
                "nothing was sent: it cannot be remembered there, because {why}"
            )));
        }
        let proposal = self.rule.checked_sub(1).and_then(|at| question.proposals.get(at));
        match proposal {
            Some(proposal) => {
                let rules = proposal.rules.clone();
                Ok(Some(RememberBody::Rules(RememberRules { scope: scope.into(), rules })))
            }
            None if question.proposals.is_empty() => {
                Err(Failure::new(format!("cannot remember a rule: {}", no_proposals_reason(question))))
            }
            None => Err(Failure::usage(format!(
                "there is no proposed rule {}; they are numbered 1 to {}",
                self.rule,
                question.proposals.len()
            ))),
        }
    }
}

/// An answer bound to exactly the question that was fetched.
pub(super) fn answer_body(
    question: &ApprovalView,
    behavior: Behavior,
    message: Option<String>,
    remembering: &RememberArgs,
) -> Result<AnswerBody, Failure> {
    Ok(AnswerBody {
        behavior,
        message,
        updated_input: None,
        interrupt: false,
        remember: remembering.body(question)?,
        digest: Some(question.digest),
    })
}

/// Sends an answer and prints the result.
pub(super) fn send_answer(
    inbox: &ApprovalsClient,
    question: &ApprovalView,
    answer: &AnswerBody,
) -> Result<Exit, Failure> {
    let mut out = terminal::stdout();
    match inbox.block_on(approvals_client::answer(&inbox.client, question.id, answer)) {
        Ok(taken) => {
            approval_view::write_answer_response(&mut out, &taken)?;
            Ok(if kept(answer, &taken) { Exit::Ok } else { Exit::Failure })
        }
        Err(error) if error.is_too_late() => {
            let now: ApprovalView =
                inbox.block_on(inbox.client.get(&format!("/api/approvals/{}", question.id)))?;
            Err(Failure::new(format!("nothing was changed: {}", outcome_text(&now))))
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether the rule to remember was saved.
fn kept(answer: &AnswerBody, taken: &AnswerResponse) -> bool {
    let remembered = taken.remembered.as_ref();
    answer.remember.is_none() || taken.again || remembered.is_some_and(|kept| kept.scope.is_some())
}

/// Asks on the terminal for confirmation of a dangerous call, after showing it.
pub(super) fn confirm_danger(
    inbox: &ApprovalsClient,
    question: &ApprovalView,
    sure: bool,
) -> Result<(), Failure> {
    if sure || question.shown.danger.level < DangerLevel::Danger {
        return Ok(());
    }
    let no_terminal = |_| {
        Failure::new("this call is dangerous, and there is no terminal to ask on; pass `--yes` to approve it")
    };
    let tty = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty");
    let mut tty = tty.map_err(no_terminal)?;
    let mut out: StyledStdout = terminal::stdout();
    if std::io::stdout().is_terminal() {
        approval_view::write_question(&mut out, question, &inbox.view(), Some(jiff::Timestamp::now()))?;
    }
    out.flush()?;
    // Ignore what was typed before the prompt.
    rustix::termios::tcflush(&tty, rustix::termios::QueueSelector::IFlush).map_err(std::io::Error::from)?;
    write!(tty, "\nThis is dangerous. Type `yes` to approve it: ")?;
    tty.flush()?;
    let mut answer = String::new();
    BufReader::new(tty).read_line(&mut answer)?;
    match answer.trim() {
        "yes" => Ok(()),
        _ => Err(Failure::new("not approved; the question is still open")),
    }
}
