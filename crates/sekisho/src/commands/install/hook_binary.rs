//! Checks the hook program: it must exist, be executable, and not be replaceable by others.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::commands::serve::{FileOwnership, is_writable_by_others};
use crate::failure::Failure;
use crate::settings;

/// The given hook, or the one beside this program, with an absolute path, links resolved, and checked.
pub(crate) fn find_hook_binary(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = match named {
        Some(path) => path.to_path_buf(),
        None => settings::sibling_program("sekisho-hook")?,
    };
    let found = path.canonicalize().map_err(|_| {
        Failure::new(format!(
            "{}: the hook does not exist; install `sekisho-hook` beside `sekisho`, or give its path with `--hook`",
            path.display()
        ))
    })?;
    check_hook_binary(&found, rustix::process::geteuid().as_raw()).map_err(|(what, fix)| {
        Failure::new(format!("{}: {what}, so it is not installed; {fix}", found.display()))
    })?;
    Ok(found)
}

/// What is wrong with a hook, and what to do.
pub(crate) fn check_hook_binary(hook: &Path, me: u32) -> Result<(), (String, String)> {
    let again = "install `sekisho-hook` there, or run `sekisho install` again".to_owned();
    let metadata = hook.metadata().map_err(|_| ("the hook does not exist".to_owned(), again.clone()))?;
    if !metadata.is_file() {
        return Err(("the hook is not a file".to_owned(), again));
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(("the hook is not executable".to_owned(), format!("run `chmod +x {}`", hook.display())));
    }
    for path in [Some(hook), hook.parent()].into_iter().flatten() {
        if FileOwnership::look(path, None).is_some_and(|owned| is_writable_by_others(&owned, me)) {
            return Err((
                format!("others can write to {} and could replace the hook", path.display()),
                format!("run `chmod go-w {0}`, and make sure that you own {0}", path.display()),
            ));
        }
    }
    Ok(())
}
