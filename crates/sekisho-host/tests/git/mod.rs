//! Git commands are let through only where nothing in the repository is unknown. Repositories are made by git itself, and
//! what is said to act is run by git itself.

mod bounded;
mod hostile;
mod judging;
mod leaks;
mod making;
mod ordinary;
mod pathspecs;
mod stat;
mod switched_off;
mod traced;
mod tracked;
