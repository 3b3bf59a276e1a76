//! Attacks on the sandbox, as root and as an ordinary user, with every isolation that works here.

mod endings;
mod files;
mod inheritance;
mod kernel;
mod links;
mod mounts;
mod network;
mod processes;
mod secrets;
mod streams;
mod tool_settings;
mod usability;
