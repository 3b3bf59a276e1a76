//! Git commands are let through only where nothing in the repository is unknown. Repositories are made by git itself, and
//! what is said to act is run by git itself.

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
