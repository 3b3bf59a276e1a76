//! Reads a program's output until it ends, time is up or the caller cancels.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStderr, ChildStdout};
use tokio::task::JoinSet;
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;

use super::control_socket::{ControlSocket, Message};
use super::host_proxy::HostProxy;
use crate::output_limit::LimitedOutput;
use crate::sandbox::Network;
use crate::tool_context::{OutputSink, OutputStream};
use crate::tool_result::ProcessEnd;

/// How long output is still read after every process of the program has ended.
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// How the program ended, as far as the parent knows.
pub(super) enum Ending {
    Ended(ProcessEnd),
    TimedOut,
    Cancelled,
    Failed(String),
    Killed(String),
    NoReport,
}

pub(super) struct OutputPump<'n> {
    stdout: Stream<ChildStdout>,
    stderr: Stream<ChildStderr>,
    control: ControlSocket,
    network: &'n Network,
    /// Ends with the pump.
    proxy: JoinSet<io::Result<()>>,
}

struct Stream<R> {
    kind: OutputStream,
    pipe: Option<R>,
    output: LimitedOutput,
    buffer: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Stream<R> {
    fn new(kind: OutputStream, pipe: Option<R>, limit: usize) -> Stream<R> {
        Stream { kind, pipe, output: LimitedOutput::new(limit), buffer: vec![0; 16 << 10] }
    }

    /// Reads once. Waits forever at the end. Safe to cancel.
    async fn read(&mut self, sink: &dyn OutputSink) {
        let Some(pipe) = &mut self.pipe else { return std::future::pending().await };
        match pipe.read(&mut self.buffer).await {
            Ok(0) | Err(_) => self.pipe = None,
            Ok(count) => {
                let bytes = self.buffer.get(..count).unwrap_or_default();
                self.output.push(bytes);
                sink.write(self.kind, bytes);
            }
        }
    }
}

impl<'n> OutputPump<'n> {
    pub(super) fn new(
        helper: &mut Child,
        control: ControlSocket,
        limit: usize,
        network: &'n Network,
    ) -> OutputPump<'n> {
        OutputPump {
            stdout: Stream::new(OutputStream::Stdout, helper.stdout.take(), limit),
            stderr: Stream::new(OutputStream::Stderr, helper.stderr.take(), limit),
            control,
            network,
            proxy: JoinSet::new(),
        }
    }

    pub(super) async fn run(
        &mut self,
        deadline: Instant,
        cancellation: &CancellationToken,
        sink: &dyn OutputSink,
    ) -> Ending {
        let ending = loop {
            tokio::select! {
                biased;
                () = cancellation.cancelled() => return Ending::Cancelled,
                () = sleep_until(deadline.into()) => return Ending::TimedOut,
                message = self.control.next() => match message {
                    Message::Ended(end) => break Ending::Ended(end),
                    Message::Failed(why) => break Ending::Failed(why),
                    Message::Killed(why) => break Ending::Killed(why),
                    Message::Proxy(port) => self.serve_proxy(port),
                    Message::Closed => break Ending::NoReport,
                },
                () = self.stdout.read(sink) => {}
                () = self.stderr.read(sink) => {}
            }
        };
        let drained = deadline.min(Instant::now() + DRAIN_TIME);
        while self.stdout.pipe.is_some() || self.stderr.pipe.is_some() {
            tokio::select! {
                biased;
                () = cancellation.cancelled() => break,
                () = sleep_until(drained.into()) => break,
                () = self.stdout.read(sink) => {}
                () = self.stderr.read(sink) => {}
            }
        }
        ending
    }

    /// Serves the program's port. A program without hosts has none.
    fn serve_proxy(&mut self, port: OwnedFd) {
        if let Network::Hosts(hosts) = self.network {
            self.proxy.spawn(HostProxy::new(hosts).serve(port));
        }
    }

    /// The output. Closes the control socket.
    pub(super) fn into_output(self) -> (LimitedOutput, LimitedOutput) {
        (self.stdout.output, self.stderr.output)
    }
}
