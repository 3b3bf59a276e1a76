//! Files that say what a service runs by itself after a push, often with access to secrets.

/// Directories, by the end of their path, in which every file is such a file.
const DIRECTORIES: &[&str] = &[
    "/.github/workflows/",
    "/.github/actions/",
    "/.gitea/workflows/",
    "/.forgejo/workflows/",
    "/.circleci/",
    "/.buildkite/",
];
/// Names of such files.
const NAMES: &[&str] = &[
    ".gitlab-ci.yml",
    ".travis.yml",
    ".drone.yml",
    ".woodpecker.yml",
    ".cirrus.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "buildspec.yml",
    "cloudbuild.yaml",
    "cloudbuild.yml",
    "jenkinsfile",
];

/// Whether a path, which is absolute and normalised, is such a file.
pub(crate) fn is_automation_file(path: &str) -> bool {
    // On some systems the case of a name does not matter.
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or_default();
    NAMES.contains(&name) || DIRECTORIES.iter().any(|directory| path.contains(directory))
}

#[cfg(test)]
mod tests {
    use super::is_automation_file;

    #[test]
    fn automation_files_are_known_by_their_path() {
        for path in
            ["/w/.github/workflows/ci.yml", "/w/a/.GitHub/Workflows/x", "/w/.gitlab-ci.yml", "/w/Jenkinsfile"]
        {
            assert!(is_automation_file(path), "{path}");
        }
        for path in ["/w/.github/CODEOWNERS", "/w/workflows/ci.yml", "/w/docs/jenkinsfile.md"] {
            assert!(!is_automation_file(path), "{path}");
        }
    }
}
