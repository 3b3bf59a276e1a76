//! The gate as its callers see it.

mod answering;
mod fail_closed;
mod feed;
mod joining;
mod machine;
mod passage;
mod peers;
mod races;
mod time;
mod world;
