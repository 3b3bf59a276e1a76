//! The command line: parses arguments, runs the command, prints its error.

use std::io::Write;

use clap::{CommandFactory, Parser, Subcommand};

use crate::commands::{
    acp, agents, approvals, audit, check, completions, db, demo, doctor, hook, install, man, pipeline, rules,
    run, runs, sandbox, schema, serve, status, token, tool, trust, uninstall,
};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, style};

/// The checkpoint between AI agents and the tools they call.
///
/// Every tool call is decided before it runs: allowed, denied, or put to a human. The rules are in config
/// files; `check` shows what they decide about a call, and why. Without a command, sekisho runs the server,
/// where agents ask and people answer.
#[derive(Debug, Parser)]
#[command(name = "sekisho", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho                                   start the server; the first start prints a sign-in link
  sekisho install claude-code               make an agent ask before it acts
  sekisho run 'Fix the failing test'        run the built-in agent in this project
  sekisho check bash 'git push --force'     may this command run, and why?
  sekisho rules add allow --tool bash --command 'cargo test'
  sekisho rules list                        every rule and the file it is in
  sekisho trust                             let this project's own rules allow calls
  sekisho audit search --decision deny      what was denied, and why

Exit codes: 0 allowed or done, 1 failure, 2 denied, 3 needs confirmation, 64 wrong usage (`sekisho sandbox` and `sekisho acp`: see their help).";

#[derive(Debug, Subcommand)]
enum Command {
    Serve(Box<serve::Args>),
    Demo(demo::Args),
    Check(check::Args),
    Rules(Box<rules::Args>),
    Trust(trust::Args),
    Approvals(Box<approvals::Args>),
    Token(token::Args),
    Audit(Box<audit::Args>),
    Run(Box<run::Args>),
    Agents(Box<agents::Args>),
    Runs(runs::Args),
    Pipeline(pipeline::Args),
    Tool(tool::Args),
    Sandbox(sandbox::Args),
    Db(db::Args),
    Install(install::Args),
    Uninstall(uninstall::Args),
    Status(status::Args),
    Hook(hook::Args),
    Acp(acp::Args),
    Doctor(doctor::Args),
    Completions(completions::Args),
    Man(man::Args),
    Schema(schema::Args),
}

/// Runs the command that the command line names.
pub(crate) fn run() -> Exit {
    let outcome = match Cli::try_parse() {
        Ok(Cli { command: Some(command) }) => dispatch(command),
        Ok(Cli { command: None }) => serve::run(serve::Args::default()),
        Err(error) => {
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Ok };
            error.print().map(|()| exit).map_err(Failure::from)
        }
    };
    outcome.unwrap_or_else(|failure| {
        print_failure(&failure);
        failure.exit
    })
}

fn dispatch(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Serve(args) => serve::run(*args),
        Command::Demo(args) => demo::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Rules(args) => rules::run(*args),
        Command::Trust(args) => trust::run(&args),
        Command::Approvals(args) => approvals::run(*args),
        Command::Token(args) => token::run(args),
        Command::Audit(args) => audit::run(*args),
        Command::Run(args) => run::run(*args),
        Command::Agents(args) => agents::run(*args),
        Command::Runs(args) => runs::run(args),
        Command::Pipeline(args) => pipeline::run(args),
        Command::Tool(args) => tool::run(args),
        Command::Sandbox(args) => sandbox::run(args),
        Command::Db(args) => db::run(&args),
        Command::Install(args) => install::run(&args),
        Command::Uninstall(args) => uninstall::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Hook(args) => hook::run(&args),
        Command::Acp(args) => acp::run(args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::Man(args) => man::run(&args, Cli::command()),
        Command::Schema(args) => schema::run(&args),
    }
}

fn print_failure(failure: &Failure) {
    let mut out = anstream::stderr();
    // If stderr cannot be written either, only the exit code reports the failure.
    let _ = terminal::diff(&mut out, &failure.shown);
    let red = style::DENY;
    for line in failure.message.lines() {
        let _ = writeln!(out, "{red}error{red:#}: {}", terminal::visible(line));
    }
}
