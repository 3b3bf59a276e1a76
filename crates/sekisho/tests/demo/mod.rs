//! The demo: with a server, and as a command.

mod demo_command;
mod demo_process;
mod serve_with_demo;
