//! The pipe on which inner processes tell the supervisor what happened.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;

use rustix::process::WaitStatus;

use crate::failure::Failure;

/// What happened to the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// It exited with this code.
    Exited(i32),
    /// This signal ended it.
    Signalled(i32),
    /// It was not started, for this reason.
    Failed(String),
    /// It had started, and its result does not count, for this reason: the sandbox ended, or settings were changed.
    Killed(String),
}

/// What the processes inside the sandbox reported. Read after all of them have ended.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// How it ended, or why it was not started.
    pub(crate) report: Option<Report>,
    /// The program had started, or was about to.
    pub(crate) has_started: bool,
}

/// Written just before the program starts.
const STARTED: &str = "started";

impl Report {
    /// The report for a process that was waited for.
    pub(crate) fn of(status: WaitStatus) -> Report {
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Report::Exited(code),
            (None, Some(signal)) => Report::Signalled(signal),
            (None, None) => Report::Failed("it ended in an unknown way".into()),
        }
    }

    /// One line, not longer than the parent reads.
    pub(crate) fn line(&self) -> String {
        match self {
            Report::Exited(code) => format!("exited {code}\n"),
            Report::Signalled(signal) => format!("signalled {signal}\n"),
            Report::Failed(why) => format!("failed {}\n", one_short_line(why)),
            Report::Killed(why) => format!("killed {}\n", one_short_line(why)),
        }
    }

    fn parse(line: &str) -> Option<Report> {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "exited" => rest.parse().ok().map(Report::Exited),
            "signalled" => rest.parse().ok().map(Report::Signalled),
            "failed" => Some(Report::Failed(rest.to_owned())),
            _ => None,
        }
    }
}

/// The longest reason, in bytes. The parent reads lines of 8 KiB.
const LONGEST_REASON: usize = 6 << 10;

fn one_short_line(why: &str) -> String {
    let mut line = why.replace('\n', " ");
    if line.len() > LONGEST_REASON {
        line.truncate(line.floor_char_boundary(LONGEST_REASON));
        line.push('…');
    }
    line
}

/// The writing end of the pipe. It is closed in the program itself (close-on-exec).
pub(crate) struct ReportWriter(File);

impl ReportWriter {
    pub(crate) fn new(pipe: OwnedFd) -> ReportWriter {
        ReportWriter(File::from(pipe))
    }

    /// Writes a report. Without a supervisor there is nobody to tell.
    pub(crate) fn write(&mut self, report: &Report) {
        let _ = self.0.write_all(report.line().as_bytes());
    }

    /// Says that the program starts now.
    pub(crate) fn start(&mut self) {
        let _ = self.0.write_all(format!("{STARTED}\n").as_bytes());
    }

    pub(crate) fn fail(&mut self, failure: &Failure) {
        self.write(&Report::Failed(failure.to_string()));
    }

    pub(crate) fn pipe(&self) -> &File {
        &self.0
    }
}

/// Reads what was written. Call it after all writers have ended.
pub(crate) fn read(pipe: OwnedFd) -> Told {
    let mut text = String::new();
    if File::from(pipe).take(64 << 10).read_to_string(&mut text).is_err() {
        return Told::default();
    }
    let has_started = text.lines().any(|line| line == STARTED);
    Told { report: text.lines().find_map(Report::parse), has_started }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_one_line_that_the_parent_reads() {
        for why in ["é".repeat(20_000), "x\n".repeat(20_000), "x".repeat(LONGEST_REASON + 1)] {
            for report in [Report::Failed(why.clone()), Report::Killed(why)] {
                let line = report.line();
                assert!(line.len() < 8 << 10 && line.ends_with("…\n") && line.matches('\n').count() == 1);
            }
        }
        assert_eq!(Report::Killed("why\nnot".into()).line(), "killed why not\n");
    }
}
