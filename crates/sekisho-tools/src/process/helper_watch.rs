//! Watches a helper that was started in the foreground of a terminal.

use std::io;
use std::os::unix::net::UnixStream;

use tokio::task::JoinSet;

use super::control_socket::{ControlSocket, Message};
use super::host_proxy::HostProxy;
use super::program::ProgramError;
use crate::sandbox::Network;
use crate::tool_result::ProcessEnd;

/// Waits for the end of a program whose helper has the other end of this socket, and serves its proxy.
/// Dropping the future kills the program.
pub async fn watch_helper(control: UnixStream, network: &Network) -> Result<ProcessEnd, ProgramError> {
    let not_started = |error: io::Error| ProgramError::NotStarted(error.to_string().to_lowercase());
    let mut control = ControlSocket::new(control).map_err(not_started)?;
    let mut proxy = JoinSet::new();
    loop {
        match (control.next().await, network) {
            (Message::Ended(end), _) => return Ok(end),
            (Message::Failed(why), _) => return Err(ProgramError::NotStarted(why)),
            (Message::Killed(why), _) => return Err(ProgramError::Killed(why)),
            (Message::Closed, _) => return Err(ProgramError::NoReport),
            (Message::Proxy(port), Network::Hosts(hosts)) => {
                proxy.spawn(HostProxy::new(hosts).serve(port));
            }
            // A program without hosts has no proxy.
            (Message::Proxy(_), Network::Off) => {}
        }
    }
}
