//! Git commands are allowed only if nothing in the repository is unknown. The repositories are made by git
//! itself, and every attack is run with git itself.

mod files_git_calls_changed;
mod git_judge;
mod hostile;
mod leaks;
mod limits;
mod ordinary;
mod pathspecs;
mod safe_rewrites;
mod test_repositories;
mod traced;
mod tracked;
