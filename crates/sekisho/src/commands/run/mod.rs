//! `sekisho run`: the built-in agent in the terminal.

mod active_calls;
mod ctrl_c;
mod default_agent;
mod model_choice;
mod result_summary;
mod run_args;
mod run_end;
mod run_header;
mod run_output;
mod run_printer;
mod run_server;
mod run_start;
mod run_update;
mod session;
mod status_line;
mod text_flow;

use std::io::{IsTerminal, Read};

use crate::commands::approvals::{Answering, QuestionScreen, ScreenInput};
use crate::commands::server_connection::ServerConnection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;
use run_output::RunOutput;
use run_server::RunServer;
use run_start::Started;
use session::Session;

pub(crate) use run_args::Args;

/// The key help, for `?`.
const HELP: &[&str] = &[
    "a  approve the call, once; a dangerous call needs A, then Enter",
    "d  deny the call; the model reads the reason",
    "e  edit the input first; the change is shown before anything is sent",
    "r  remember the answer: choose a rule and where it applies, then a or d",
    "i  show the complete input as JSON",
    "s  skip the question; it stays open",
    "q  leave; the run waits (Ctrl-C twice leaves at any time)",
];

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    let message = message(&args.message)?;
    let json = args.json;
    let Started { connection, mut server, run, header, is_new } = run_start::start(args, message)?;
    let is_embedded = server.as_ref().is_some_and(RunServer::is_embedded);
    let ended = connection.block_on(async {
        let (output, input) = output(&connection, json)?;
        let width = terminal::width();
        let mut session = Session::new(&connection.client, server.as_mut(), run, output, width);
        if is_new {
            session.hide_message();
        }
        if !json {
            session.note(&header)?;
        }
        let end = session.follow(input).await?;
        let (lines, exit) = run_end::ending(&end, run, is_embedded);
        // In JSON, the last event says it.
        let lines = if json && exit == Exit::Ok { Vec::new() } else { lines };
        session.end(&lines)?;
        Ok::<_, Failure>(exit)
    });
    // Connections end before the server does.
    drop(connection);
    drop(server);
    ended
}

/// The message of the command line, or of standard input.
fn message(words: &[String]) -> Result<Option<String>, Failure> {
    let text = match words {
        [] => return Ok(None),
        [one] if one == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
        words => words.join(" "),
    };
    match text.trim().is_empty() {
        true => Err(Failure::usage("the message is empty; say what the agent is to do")),
        false => Ok(Some(text)),
    }
}

/// Where the run is shown, and the keys of the terminal if it asks there.
fn output(connection: &ServerConnection, json: bool) -> Result<(RunOutput, Option<ScreenInput>), Failure> {
    if json {
        return Ok((RunOutput::Json, None));
    }
    if !std::io::stdout().is_terminal() || !terminal::can_ask() {
        return Ok((RunOutput::Plain, None));
    }
    let answering = Answering {
        client: connection.client.clone(),
        editor: connection.editor.clone(),
        home: connection.settings.locations.home.clone(),
        bell: false,
        help: HELP,
    };
    let (screen, input) = QuestionScreen::acquire(answering)?;
    Ok((RunOutput::Terminal(Box::new(screen)), Some(input)))
}
