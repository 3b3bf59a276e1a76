use crate::exit::Exit;
use crate::failure::Failure;

/// Print a shell completion script
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

const EXAMPLES: &str = "\
Examples:
  sekisho completions bash > ~/.local/share/bash-completion/completions/sekisho
  sekisho completions zsh > ~/.zfunc/_sekisho
  sekisho completions fish > ~/.config/fish/completions/sekisho.fish";

/// `sekisho` is the complete command line.
pub(crate) fn run(args: &Args, mut sekisho: clap::Command) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut sekisho, "sekisho", &mut script);
    std::io::Write::write_all(&mut std::io::stdout(), &script)?;
    Ok(Exit::Ok)
}
