//! The gate as its callers see it.

mod answering;
mod feed;
mod fail_closed;
mod joining;
mod machine;
mod passage;
mod peers;
mod races;
mod time;
mod world;
