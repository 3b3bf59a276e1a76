//! The demo: with a server, and once more beside one.

mod demo_command;
mod serve_with_demo;
mod demo_process;
