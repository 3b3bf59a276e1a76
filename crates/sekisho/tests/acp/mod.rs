//! `sekisho acp`, with a test as the editor and as the agent.

mod acp_session;
mod agent_process;
mod attacks;
mod exhaustion;
mod permission;
mod transparency;
mod unasked_calls;
mod unclear_calls;
mod withdrawal;
