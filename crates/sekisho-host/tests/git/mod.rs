//! Git commands are allowed only if nothing in the repository is unknown. The repositories are made by git
//! itself, and every attack is run with git itself.

mod limits;
mod hostile;
mod git_judge;
mod leaks;
mod test_repositories;
mod ordinary;
mod pathspecs;
mod changed_files;
mod safe_rewrites;
mod traced;
mod tracked;
