use std::io::Write;

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::token_store::Token;
use serde_json::{Value, json};

use crate::commands::audit::blocking_store::BlockingStore;
use crate::commands::audit::time_format::TimeFormatter;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, padded, style, visible};

/// List every token: role, last use, and whether it is still valid
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho token list
  sekisho token list --json | jq '.[] | select(.state == \"expired\") | .name'";

pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let store = BlockingStore::open_for_reading(&settings)?;
    let tokens = store.block_on_ledger(store.tokens().tokens())?;
    let now = Timestamp::now();
    let mut out = terminal::stdout();
    if args.json {
        let all: Vec<Value> = tokens.iter().map(|token| as_json(token, now)).collect();
        serde_json::to_writer_pretty(&mut out, &all)?;
        writeln!(out)?;
        return Ok(Exit::Ok);
    }
    if tokens.is_empty() {
        writeln!(
            out,
            "no tokens yet; `sekisho token create` creates one, `sekisho token link` signs in a browser"
        )?;
        return Ok(Exit::Ok);
    }
    let clock = TimeFormatter::of_stdout();
    let time = |at: Option<Timestamp>| at.map_or_else(|| "never".to_owned(), |at| clock.minute(at));
    let rows: Vec<[String; 7]> = tokens
        .iter()
        .map(|token| {
            [
                short_id(token.id),
                visible(&token.name).into_owned(),
                token.role.to_string(),
                token.kind.name().to_owned(),
                time(Some(token.created_at)),
                time(token.last_used_at),
                state_text(token, now).to_owned(),
            ]
        })
        .collect();
    let heads = ["id", "name", "role", "kind", "created", "last used", "state"].map(str::to_owned);
    let mut widths = [0; 7];
    for row in std::iter::once(&heads).chain(&rows) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = terminal::columns(cell).max(*width);
        }
    }
    let line = |row: &[String; 7]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| padded(cell, width)).collect();
        cells.join("  ").trim_end().to_owned()
    };
    let faint = style::FAINT;
    writeln!(out, "{faint}{}{faint:#}", line(&heads))?;
    for (row, token) in rows.iter().zip(&tokens) {
        let style = if token.is_valid_at(now) { anstyle::Style::new() } else { faint };
        writeln!(out, "{style}{}{style:#}", line(row))?;
    }
    Ok(Exit::Ok)
}

/// The end of an id. Ids begin with the time, which tokens created together share.
pub(super) fn short_id(id: TokenId) -> String {
    let id = id.0.simple().to_string();
    id.get(24..).unwrap_or(&id).to_owned()
}

/// The state in the table. JSON keeps the name `counts` for a valid token.
fn state_text(token: &Token, now: Timestamp) -> &'static str {
    if token.is_valid_at(now) { "active" } else { state(token, now) }
}

fn state(token: &Token, now: Timestamp) -> &'static str {
    match token {
        token if token.revoked_at.is_some() => "revoked",
        token if !token.is_valid_at(now) => "expired",
        _ => "counts",
    }
}

fn as_json(token: &Token, now: Timestamp) -> Value {
    json!({
        "id": token.id,
        "name": token.name,
        "role": token.role,
        "kind": token.kind,
        "agent": token.agent,
        "vouches": token.vouches_for_server,
        "roots": token.roots,
        "createdAt": token.created_at,
        "createdBy": token.created_by,
        "expiresAt": token.expires_at,
        "revokedAt": token.revoked_at,
        "lastUsedAt": token.last_used_at,
        "state": state(token, now),
    })
}
