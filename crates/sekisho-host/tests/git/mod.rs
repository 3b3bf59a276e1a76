//! Git commands are let through only where nothing in the repository is unknown. Repositories are made by git itself, and
//! what is said to act is run by git itself.

mod changed_files;
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
