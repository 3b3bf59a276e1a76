//! The environment of programs.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::program::ProgramRequest;
use crate::sandbox::{Network, PROXY_PORT};

/// `PATH` if nothing else is given.
pub const SEARCH_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Keeps the absolute directories of a `PATH` that are outside these roots. A program that an agent has
/// written must not be found by the name of another.
pub fn search_path<'r>(path: &OsStr, roots: impl IntoIterator<Item = &'r Path> + Clone) -> OsString {
    let kept = std::env::split_paths(path).filter(|dir| {
        let real = dir.canonicalize().unwrap_or_else(|_| dir.clone());
        dir.is_absolute()
            && !roots.clone().into_iter().any(|root| real.starts_with(root) || dir.starts_with(root))
    });
    std::env::join_paths(kept).ok().filter(|path| !path.is_empty()).unwrap_or_else(|| SEARCH_PATH.into())
}

/// Variables that make programs use the proxy.
pub fn proxy_variables() -> [(OsString, OsString); 4] {
    let proxy = format!("http://127.0.0.1:{PROXY_PORT}");
    ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"]
        .map(|name| (name.into(), OsString::from(&proxy)))
}

/// All variables of a program. Nothing is inherited.
pub(super) fn variables(request: &ProgramRequest, temporary: &Path) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<(OsString, OsString)> = vec![
        ("PATH".into(), request.search_path.clone()),
        ("LANG".into(), "C.UTF-8".into()),
        ("TERM".into(), "dumb".into()),
    ];
    variables.extend(request.home.iter().map(|home| ("HOME".into(), home.into())));
    variables.push(("TMPDIR".into(), temporary.into()));
    if let Network::Hosts(_) = request.settings.network {
        variables.extend(proxy_variables());
    }
    variables.extend(request.environment.iter().cloned());
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_path_has_no_directory_of_the_workspace() {
        let keep = |path: &str| search_path(OsStr::new(path), [Path::new("/w/project"), Path::new("/w/out")]);
        assert_eq!(keep("/usr/bin:/w/project/bin:.:bin::/bin"), "/usr/bin:/bin");
        assert_eq!(keep("/w/out"), SEARCH_PATH);
        assert_eq!(keep(""), SEARCH_PATH);
    }
}
