//! The hook as a file: is it there, can it be started, could somebody else put another in its place.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::commands::serve::{FileOwnership, is_writable_by_others};
use crate::failure::Failure;
use crate::settings;

/// The hook that was named, or the one beside this program: absolute, free of links, and fit to be called.
pub(crate) fn find_hook_binary(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = match named {
        Some(path) => path.to_path_buf(),
        None => settings::sibling_program("sekisho-hook")?,
    };
    let found = path.canonicalize().map_err(|_| {
        Failure::new(format!(
            "{}: the hook is not there; install `sekisho-hook` beside `sekisho`, or name it with `--hook`",
            path.display()
        ))
    })?;
    check_hook_binary(&found, rustix::process::geteuid().as_raw()).map_err(|(what, fix)| {
        Failure::new(format!("{}: {what}, so it is not installed; {fix}", found.display()))
    })?;
    Ok(found)
}

/// What is wrong with a hook, and the way out.
pub(crate) fn check_hook_binary(hook: &Path, me: u32) -> Result<(), (String, String)> {
    let again = "install `sekisho-hook` there, or run `sekisho install` with one that is there".to_owned();
    let metadata = hook.metadata().map_err(|_| ("the hook is not there".to_owned(), again.clone()))?;
    if !metadata.is_file() {
        return Err(("the hook is not a file".to_owned(), again));
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(("the hook cannot be executed".to_owned(), format!("`chmod +x {}`", hook.display())));
    }
    for path in [Some(hook), hook.parent()].into_iter().flatten() {
        if FileOwnership::look(path, None).is_some_and(|owned| is_writable_by_others(&owned, me)) {
            return Err((
                format!("others may write {}, and so put another hook in its place", path.display()),
                format!("`chmod go-w {0}`, and see that {0} is yours", path.display()),
            ));
        }
    }
    Ok(())
}
