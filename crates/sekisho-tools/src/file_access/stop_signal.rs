//! When a tool that reads must stop: it was cancelled, or its time is up.

use std::fs::File;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;

/// The time limit of a tool that reads, if the context has no earlier deadline.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Why a tool stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// Nobody waits for the result any more.
    Cancelled,
    /// Its time is up.
    OutOfTime,
}

/// Says when to stop.
#[derive(Clone, Debug)]
pub(crate) struct StopSignal {
    cancellation: CancellationToken,
    deadline: Instant,
}

impl StopSignal {
    /// The signal of a context.
    pub(crate) fn of(ctx: &ToolContext) -> StopSignal {
        let deadline = Instant::now() + ctx.time_left(TIME_LIMIT);
        StopSignal { cancellation: ctx.cancellation.child_token(), deadline }
    }

    /// A signal that does not stop anything.
    #[cfg(test)]
    pub(crate) fn never() -> StopSignal {
        let deadline = Instant::now() + Duration::from_secs(3600);
        StopSignal { cancellation: CancellationToken::new(), deadline }
    }

    /// A signal whose time is up.
    #[cfg(test)]
    pub(crate) fn expired() -> StopSignal {
        StopSignal { cancellation: CancellationToken::new(), deadline: Instant::now() }
    }

    pub(crate) fn reason(&self) -> Option<StopReason> {
        if self.cancellation.is_cancelled() {
            return Some(StopReason::Cancelled);
        }
        (Instant::now() >= self.deadline).then_some(StopReason::OutOfTime)
    }
}

/// Runs work on a thread that may wait for the disk. Dropping the future stops the work.
pub(crate) async fn run_stoppable(
    ctx: &ToolContext,
    work: impl FnOnce(&ToolContext, &StopSignal) -> ToolResult + Send + 'static,
) -> ToolResult {
    let (ctx, stop) = (ctx.clone(), StopSignal::of(ctx));
    let _stops_when_dropped = stop.cancellation.clone().drop_guard();
    let done = tokio::task::spawn_blocking(move || work(&ctx, &stop));
    done.await.unwrap_or_else(|error| ToolResult::error(format!("The tool failed: {error}")))
}

/// A file whose next read fails once the signal says stop.
pub(crate) struct StoppableReader<'a> {
    pub(crate) file: &'a File,
    pub(crate) stop: &'a StopSignal,
}

impl Read for StoppableReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.stop.reason() {
            Some(_) => Err(io::Error::other("stopped")),
            None => self.file.read(buffer),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn file_cannot_be_read_after_the_signal() {
        let cancellation = CancellationToken::new();
        let deadline = Instant::now() + Duration::from_secs(3600);
        let stop = StopSignal { cancellation: cancellation.clone(), deadline };
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"abcdef").unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        let mut reader = StoppableReader { file: &file, stop: &stop };
        let mut bytes = [0; 2];
        assert_eq!((reader.read(&mut bytes).unwrap(), &bytes), (2, b"ab"));
        cancellation.cancel();
        assert_eq!(reader.read(&mut bytes).unwrap_err().to_string(), "stopped");
        let late = StopSignal::expired();
        assert_eq!(
            (stop.reason(), late.reason()),
            (Some(StopReason::Cancelled), Some(StopReason::OutOfTime))
        );
    }
}
