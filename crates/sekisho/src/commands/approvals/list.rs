use std::io::Write;

use jiff::Timestamp;
use sekisho_policy::DangerLevel;
use sekisho_server::wire::approval::{Question, QuestionState};

use super::id::short_id;
use super::inbox::{Inbox, Server, understood};
use super::page::{danger_style, state_style};
use super::words::left;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, Out, columns, cut, padded, said, style};

/// List the questions that wait for an answer
///
/// A line each, newest first: the end of its id, the time that is left, `!!` for danger and `!` for caution, the tool, the
/// agent, and what it is about.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// List those that have ended as well
    #[arg(long)]
    all: bool,
    /// How many at most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Print each question as a line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho approvals list
  sekisho approvals list --all -n 20
  sekisho approvals list --json | jq -r '.shown.message'";

/// No name is given more room than this.
const WIDEST: usize = 24;

pub(crate) fn run(args: &Args, server: Server) -> Result<Exit, Failure> {
    let inbox = Inbox::open(server)?;
    let found = inbox.list(!args.all, args.limit as usize)?;
    let mut out = terminal::stdout();
    if args.json {
        for question in found {
            serde_json::to_writer(&mut out, &question)?;
            writeln!(out)?;
        }
        return Ok(Exit::Ok);
    }
    let questions: Vec<Question> = found.into_iter().map(understood).collect::<Result<_, _>>()?;
    if questions.is_empty() {
        writeln!(out, "{}", if args.all { "no questions yet" } else { "no questions wait" })?;
        return Ok(Exit::Ok);
    }
    let table = Table::of(&questions, args.all);
    questions.iter().try_for_each(|question| table.line(&mut out, question))?;
    Ok(Exit::Ok)
}

struct Table {
    width: Option<usize>,
    now: Timestamp,
    /// Whether ended ones are among them.
    all: bool,
    tool: usize,
    agent: usize,
}

impl Table {
    fn of(questions: &[Question], all: bool) -> Table {
        let width = terminal::width();
        let most = width.map_or(WIDEST, |width| (width / 6).min(WIDEST));
        let widest = |text: &dyn Fn(&Question) -> String| {
            questions.iter().map(|question| columns(&text(question))).max().unwrap_or(0).min(most)
        };
        Table { width, now: Timestamp::now(), all, tool: widest(&tool), agent: widest(&agent) }
    }

    fn line(&self, out: &mut Out, question: &Question) -> Result<(), Failure> {
        let faint = style::FAINT;
        let (state, colour) = match question.state {
            QuestionState::Pending => (left(question, self.now), anstyle::Style::new()),
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
            Some(width) => cut(&about, width.saturating_sub(used).max(16)).into_owned(),
            None => about,
        };
        let strong = style::STRONG;
        Ok(writeln!(
            out,
            "{strong}{id}{strong:#}  {colour}{state}{colour:#} {care}{mark}{care:#} {names}  {about}"
        )?)
    }
}

fn tool(question: &Question) -> String {
    match &question.server_id {
        Some(server) => terminal::visible(&format!("{server}/{}", question.tool_name)).into_owned(),
        None => terminal::visible(&question.tool_name).into_owned(),
    }
}

fn agent(question: &Question) -> String {
    terminal::visible(question.agent_id.as_deref().unwrap_or("")).into_owned()
}

/// What it is about, without the tool, which has a column of its own.
fn about(question: &Question) -> String {
    let message = question.shown.message.replace(['\n', '\t'], " ");
    let own = message.strip_prefix(&format!("{}: ", tool(question))).unwrap_or(&message);
    said(own).into_owned()
}
