use std::io::Write;

use jiff::Timestamp;
use sekisho_gate::token_store::{self, Token};
use sekisho_server::auth::TOKEN_CACHE_TTL;

use super::list::short_id;
use crate::commands::audit::blocking_store::BlockingStore;
use crate::commands::audit::local_operator;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, visible};

/// Revoke a token permanently
///
/// Everyone signed in with it is signed out at once.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Its name, its id, or the last characters of its id as shown by `sekisho token list`
    #[arg(value_name = "ID|NAME")]
    token: String,
}

const EXAMPLES: &str = "\
Examples:
  sekisho token revoke phone
  sekisho token revoke 3f9a0c12";

pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let (store, _) = BlockingStore::open_for_writing(&settings)?;
    let all = store.block_on_ledger(store.tokens().tokens())?;
    let token = find(&all, &args.token)?;
    let now = Timestamp::now();
    if !store.block_on_ledger(token_store::revoke(
        store.tokens(),
        token,
        Some(local_operator::local_operator(&settings)),
        now,
    ))? {
        return Err(Failure::new(format!(
            "token `{}` was revoked by someone else just now",
            visible(&token.name)
        )));
    }
    // By then every server of this database has read the token again.
    std::thread::sleep(TOKEN_CACHE_TTL.unsigned_abs());
    writeln!(terminal::stdout(), "revoked token `{}` ({})", visible(&token.name), token.role)?;
    Ok(Exit::Ok)
}

/// The token with this id, this end of an id, or this name, in that order. Fails if several match.
fn find<'a>(tokens: &'a [Token], meant: &str) -> Result<&'a Token, Failure> {
    let plain = meant.replace('-', "").to_lowercase();
    let by_id = |token: &&Token| {
        let id = token.id.0.simple().to_string();
        plain.len() >= 8 && id.ends_with(&plain)
    };
    let by_name = |token: &&Token| token.name == meant;
    let open = |token: &&Token| token.revoked_at.is_none();
    let mut found: Vec<&Token> = tokens.iter().filter(by_id).collect();
    if found.is_empty() {
        found = tokens.iter().filter(by_name).collect();
    }
    let shown = visible(meant);
    match found.iter().copied().filter(open).collect::<Vec<_>>().as_slice() {
        [one] => Ok(one),
        [] if found.is_empty() => {
            Err(Failure::new(format!("no token `{shown}`; `sekisho token list` lists all tokens")))
        }
        [] => Err(Failure::new(format!("token `{shown}` is already revoked"))),
        several => {
            let ids: Vec<String> = several
                .iter()
                .map(|token| format!("{} (`{}`)", short_id(token.id), visible(&token.name)))
                .collect();
            Err(Failure::new(format!("`{shown}` matches several tokens: {}; give an id", ids.join(", "))))
        }
    }
}
