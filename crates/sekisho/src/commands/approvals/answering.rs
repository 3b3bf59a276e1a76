//! What answering one question from the command line has in common.

use std::io::{BufRead, BufReader, IsTerminal, Write};

use clap::ValueEnum;
use sekisho_gate::answer::{Behavior, Scope};
use sekisho_policy::DangerLevel;
use sekisho_server::wire::approval::{AnswerBody, AnswerTaken, Question, RememberBody, RememberRules};

use super::inbox::{self, Inbox};
use super::page;
use super::words::{ended, why_none, why_not_in};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, Out};

/// Where a remembered rule applies.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ScopeName {
    /// In this session
    Session,
    /// In this project, in its config file
    Project,
    /// Everywhere, in your own config
    Global,
}

impl From<ScopeName> for Scope {
    fn from(name: ScopeName) -> Scope {
        match name {
            ScopeName::Session => Scope::Session,
            ScopeName::Project => Scope::Project,
            ScopeName::Global => Scope::Global,
        }
    }
}

/// What to remember.
#[derive(Debug, clap::Args)]
pub(super) struct Remembering {
    /// Keep a rule, so that the same is not asked again
    #[arg(long, value_enum, value_name = "SCOPE")]
    remember: Option<ScopeName>,
    /// Which of the proposed rules, as `show` numbers them
    #[arg(long, value_name = "N", requires = "remember", default_value_t = 1)]
    rule: usize,
}

impl Remembering {
    /// What goes with the answer.
    fn body(&self, question: &Question) -> Result<Option<RememberBody>, Failure> {
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
                Err(Failure::new(format!("nothing can be remembered: {}", why_none(question))))
            }
            None => Err(Failure::usage(format!(
                "there is no proposal {}; they are numbered 1 to {}",
                self.rule,
                question.proposals.len()
            ))),
        }
    }
}

/// An answer to exactly what was fetched.
pub(super) fn body(
    question: &Question,
    behavior: Behavior,
    message: Option<String>,
    remembering: &Remembering,
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

/// Sends an answer and says what came of it.
pub(super) fn give(inbox: &Inbox, question: &Question, answer: &AnswerBody) -> Result<Exit, Failure> {
    let mut out = terminal::stdout();
    match inbox.block_on(inbox::answer(&inbox.client, question.id, answer)) {
        Ok(taken) => {
            page::taken(&mut out, &taken)?;
            Ok(if kept(answer, &taken) { Exit::Ok } else { Exit::Failure })
        }
        Err(error) if error.is_too_late() => {
            let now: Question =
                inbox.block_on(inbox.client.get(&format!("/api/approvals/{}", question.id)))?;
            Err(Failure::new(format!("nothing was changed: {}", ended(&now))))
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether what was to be remembered was kept.
fn kept(answer: &AnswerBody, taken: &AnswerTaken) -> bool {
    let remembered = taken.remembered.as_ref();
    answer.remember.is_none() || taken.again || remembered.is_some_and(|kept| kept.scope.is_some())
}

/// Has a person say yes to something dangerous, having seen it.
pub(super) fn make_sure(inbox: &Inbox, question: &Question, sure: bool) -> Result<(), Failure> {
    if sure || question.shown.danger.level < DangerLevel::Danger {
        return Ok(());
    }
    let no_terminal =
        |_| Failure::new("this one is dangerous, and there is no terminal to ask on; say `--yes`");
    let tty = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty");
    let mut tty = tty.map_err(no_terminal)?;
    let mut out: Out = terminal::stdout();
    if std::io::stdout().is_terminal() {
        page::question(&mut out, question, &inbox.view(), Some(jiff::Timestamp::now()))?;
    }
    out.flush()?;
    // What was typed before it was asked is no answer.
    rustix::termios::tcflush(&tty, rustix::termios::QueueSelector::IFlush).map_err(std::io::Error::from)?;
    write!(tty, "\nThis is dangerous. Type `yes` to approve it: ")?;
    tty.flush()?;
    let mut answer = String::new();
    BufReader::new(tty).read_line(&mut answer)?;
    match answer.trim() {
        "yes" => Ok(()),
        _ => Err(Failure::new("not approved; the question still waits")),
    }
}
