//! Hints of the server for people at a terminal: commands instead of routes.

/// What hints say about routes, and what a terminal shows instead.
const COMMANDS: [(&str, &str); 7] = [
    ("`GET /api/pipeline-runs/{id}`", "`sekisho pipeline status ID`"),
    ("`GET /api/runs/{id}`", "`sekisho runs show ID`"),
    ("`GET /api/session` lists the registered projects", "`sekisho serve --project DIR` registers a project"),
    ("`GET /api/tools`", "`sekisho tool list`"),
    ("`GET /api/trust` lists the registered projects; ", ""),
    ("`GET /api/trust`", "`sekisho trust --show`"),
    ("`DELETE /api/tokens/{id}`", "`sekisho token revoke ID`"),
];

/// The hint with commands instead of routes. None if it names a route that no command stands for.
pub(super) fn with_commands(hint: &str) -> Option<String> {
    let text = COMMANDS.iter().fold(hint.to_owned(), |text, (route, command)| text.replace(route, command));
    (!text.contains("/api/")).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(hint: &str, expected: Option<&str>) {
        assert_eq!(with_commands(hint).as_deref(), expected, "{hint}");
    }

    #[test]
    fn routes_become_commands() {
        check("wait until some are answered", Some("wait until some are answered"));
        check(
            "`GET /api/runs/{id}` lists the calls that wait",
            Some("`sekisho runs show ID` lists the calls that wait"),
        );
        check("`GET /api/tools` lists the tools", Some("`sekisho tool list` lists the tools"));
        check(
            "`GET /api/trust` lists the registered projects; `sekisho serve --project DIR` registers one",
            Some("`sekisho serve --project DIR` registers one"),
        );
        check("send it with `POST /api/new`", None);
    }

    /// The hints in the sources of the server that name a route. Those without a command are for programs only.
    #[test]
    fn every_hint_of_the_server_has_a_command() {
        let for_programs = ["GET /api/events", "POST /api/approvals/{id}/answer"];
        let mut folders =
            vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../sekisho-server/src"))];
        let mut found = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                    continue;
                }
                let source = std::fs::read_to_string(&entry).unwrap();
                for part in source.split("with_hint(").skip(1) {
                    let Some(text) =
                        part.trim_start().strip_prefix('"').and_then(|text| text.split_once('"'))
                    else {
                        continue;
                    };
                    let is_for_programs = for_programs.iter().any(|route| text.0.contains(route));
                    if text.0.contains("/api/") && !is_for_programs {
                        found += 1;
                        assert!(with_commands(text.0).is_some(), "{}: {}", entry.display(), text.0);
                    }
                }
            }
        }
        assert!(found >= 5, "only {found} hints were found");
    }
}
