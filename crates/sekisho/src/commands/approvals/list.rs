use std::io::Write;

use jiff::Timestamp;
use sekisho_policy::DangerLevel;
use sekisho_server::wire::approval::{ApprovalStatus, ApprovalView};

use super::approval_ref::short_id;
use super::approval_view::{danger_style, state_style};
use super::approvals_client::{ApprovalsClient, ServerArgs, parse_question};
use super::question_title::{call_summary, tool_name};
use super::status_text::time_left;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input_fields::truncate_fields;
use crate::terminal::{self, StyledStdout, columns, padded, style};

/// List open questions
///
/// One line each, newest first: the last characters of the id, the time left, `!!` for danger and `!` for
/// caution, the tool, the agent, and what the call does.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Also list questions that have ended
    #[arg(long)]
    all: bool,
    /// Maximum number of questions
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Print each question as one line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho approvals list
  sekisho approvals list --all -n 20
  sekisho approvals list --json | jq -r '.shown.message'";

/// Maximum width of a name.
const WIDEST: usize = 24;

pub(crate) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let inbox = ApprovalsClient::open(server)?;
    let found = inbox.list(!args.all, args.limit as usize)?;
    let mut out = terminal::stdout();
    if args.json {
        for question in found {
            serde_json::to_writer(&mut out, &question)?;
            writeln!(out)?;
        }
        return Ok(Exit::Ok);
    }
    let questions: Vec<ApprovalView> = found.into_iter().map(parse_question).collect::<Result<_, _>>()?;
    if questions.is_empty() {
        writeln!(out, "{}", if args.all { "no questions yet" } else { "no open questions" })?;
        return Ok(Exit::Ok);
    }
    let table = Table::of(&questions, args.all);
    questions.iter().try_for_each(|question| table.line(&mut out, question))?;
    Ok(Exit::Ok)
}

struct Table {
    width: Option<usize>,
    now: Timestamp,
    /// Whether ended questions are listed too.
    all: bool,
    tool: usize,
    agent: usize,
}

impl Table {
    fn of(questions: &[ApprovalView], all: bool) -> Table {
        let width = terminal::width();
        let most = width.map_or(WIDEST, |width| (width / 6).min(WIDEST));
        let widest = |text: &dyn Fn(&ApprovalView) -> String| {
            questions.iter().map(|question| columns(&text(question))).max().unwrap_or(0).min(most)
        };
        Table { width, now: Timestamp::now(), all, tool: widest(&tool), agent: widest(&agent) }
    }

    fn line(&self, out: &mut StyledStdout, question: &ApprovalView) -> Result<(), Failure> {
        let faint = style::FAINT;
        let (state, colour) = match question.state {
            ApprovalStatus::Pending => (time_left(question, self.now), anstyle::Style::new()),
            ended => (ended.name().to_owned(), state_style(ended)),
        };
        let state = padded(&state, if self.all { 8 } else { 6 });
        let (level, care) = (question.shown.danger.level, danger_style(question.shown.danger.level));
        let mark = match level {
            DangerLevel::None => "  ",
            DangerLevel::Caution => "! ",
            DangerLevel::Danger => "!!",
        };
        let mut names = padded(&tool(question), self.tool);
        if self.agent > 0 {
            names = format!("{names}  {faint}{}{faint:#}", padded(&agent(question), self.agent));
        }
        let id = short_id(question.id);
        let used = id.len() + columns(&state) + self.tool + self.agent + 12;
        let about = about(question);
        let about = match self.width {
            Some(width) => truncate_fields(&about, width.saturating_sub(used).max(16)).into_owned(),
            None => about,
        };
        let strong = style::STRONG;
        Ok(writeln!(
            out,
            "{strong}{id}{strong:#}  {colour}{state}{colour:#} {care}{mark}{care:#} {names}  {about}"
        )?)
    }
}

fn tool(question: &ApprovalView) -> String {
    tool_name(&question.tool_name, question.server_id.as_deref())
}

fn agent(question: &ApprovalView) -> String {
    terminal::visible(question.agent_id.as_deref().unwrap_or("")).into_owned()
}

/// What the call does, without the tool, which has a column of its own.
fn about(question: &ApprovalView) -> String {
    match question.shown.message == tool(question) {
        true => String::new(),
        false => call_summary(&tool(question), &question.shown.message, &question.input),
    }
}
