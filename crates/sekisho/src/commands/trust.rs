use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_host::{PROJECT_CONFIG, TrustCandidate, TrustState, TrustStore, Workspace, diff};
use sekisho_policy::Effect;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, StyledStdout, rule_on_one_line, shorten_path, style, visible};

/// Trust a project's config file as it is now, so that its allow rules apply
///
/// A project file can always deny calls and ask for confirmation. Its allow rules apply only while the file
/// is byte for byte what you trusted; any change by someone else ends the trust. You see what you would trust
/// before you confirm.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only show what would be trusted, and what has changed since you last trusted it
    #[arg(long, conflicts_with_all = ["revoke", "yes"])]
    show: bool,
    /// Stop trusting the file
    #[arg(long, conflicts_with = "yes")]
    revoke: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    /// The project directory or its .sekisho/config.json [default: the current project]
    path: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho trust                  show what this project allows, and ask
  sekisho trust --show ~/work/other
  sekisho trust --revoke";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let workspace = match &args.path {
        None => settings.workspace(None)?,
        Some(path) => {
            let root = root_of(path);
            Workspace::find(Some(&root), None, &root)?
        }
    };
    let trust = TrustStore::at(&settings.locations.state);
    let home = settings.locations.home.as_deref();
    let mut out = terminal::stdout();
    if args.revoke {
        let path = workspace.config();
        let had = trust.revoke(&path)?;
        let result = if had { "is no longer trusted" } else { "was not trusted" };
        writeln!(out, "{} {result}", shorten_path(&path.to_string_lossy(), home))?;
        return Ok(Exit::Ok);
    }
    let proposal = trust.propose(&workspace)?;
    show(&mut out, &proposal, home)?;
    let trusted = matches!(proposal.state, TrustState::Trusted(_));
    if args.show || trusted {
        return Ok(if trusted || args.show { Exit::Ok } else { Exit::Failure });
    }
    if !args.yes
        && !terminal::prompt_yes_no(&mut out, "Trust it?", "check it with `--show`, then pass `--yes`")?
    {
        writeln!(out, "not trusted")?;
        return Ok(Exit::Failure);
    }
    trust.accept(&proposal, &settings.user, Timestamp::now())?;
    let strong = style::STRONG;
    writeln!(out, "{strong}trusted{strong:#}, as shown")?;
    Ok(Exit::Ok)
}

/// The project of a path: a directory, or the config file in it.
fn root_of(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
    if path.ends_with(PROJECT_CONFIG) {
        path.ancestors().nth(2).map(Path::to_path_buf).unwrap_or(path)
    } else {
        path
    }
}

/// Shows what would be trusted: the changes since it was last trusted, and every allow rule.
fn show(out: &mut StyledStdout, proposal: &TrustCandidate, home: Option<&Path>) -> Result<(), Failure> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    writeln!(out, "{strong}{}{strong:#}", shorten_path(&proposal.path.to_string_lossy(), home))?;
    let state = match &proposal.state {
        TrustState::Trusted(since) => format!("trusted by {} at {:.0}", visible(&since.by), since.at),
        TrustState::Changed(since) => {
            format!("changed since {} trusted it at {:.0}", visible(&since.by), since.at)
        }
        TrustState::Never => "never trusted".into(),
    };
    writeln!(out, "{faint}{state}{faint:#}")?;
    if let (TrustState::Changed(_), Some(last)) = (&proposal.state, &proposal.last) {
        writeln!(out)?;
        terminal::diff(out, &diff(last, &proposal.layer.text))?;
    }
    writeln!(out)?;
    let layer = &proposal.layer;
    let allows = layer.rules.iter().filter(|layer_rule| layer_rule.effect == Effect::Allow);
    let (colour, mut any) = (style::ALLOW, false);
    for layer_rule in allows {
        any = true;
        let text = layer.text.get(layer_rule.range.0 as usize..layer_rule.range.1 as usize).unwrap_or("");
        writeln!(
            out,
            "  {faint}{:>4}{faint:#}  {colour}allow{colour:#} {}",
            layer_rule.line,
            rule_on_one_line(text)
        )?;
    }
    if !any {
        writeln!(out, "  it has no allow rules, so all its rules apply without trust")?;
    }
    for finding in sekisho_policy::lint::lint(std::slice::from_ref(layer), Timestamp::now()) {
        if finding.level == sekisho_policy::lint::FindingLevel::Danger {
            let red = style::DENY;
            writeln!(out, "  {red}danger{red:#} line {}: {}", finding.at.line, visible(&finding.message))?;
        }
    }
    writeln!(out)?;
    Ok(())
}
