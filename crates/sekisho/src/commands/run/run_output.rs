//! Where a run is shown: on a terminal that also asks, as plain text, or as JSON.

use std::io::{self, Write};

use serde_json::Value;

use super::run_printer::Piece;
use crate::commands::approvals::QuestionScreen;
use crate::failure::Failure;
use crate::terminal;

/// Where a run is shown.
pub(super) enum RunOutput {
    /// A terminal, where questions are asked too.
    Terminal(Box<QuestionScreen>),
    /// The model's text on standard output, everything else on standard error.
    Plain,
    /// The events on standard output, one a line; notes on standard error.
    Json,
}

impl RunOutput {
    pub(super) fn screen(&mut self) -> Option<&mut QuestionScreen> {
        match self {
            RunOutput::Terminal(screen) => Some(screen.as_mut()),
            RunOutput::Plain | RunOutput::Json => None,
        }
    }

    /// Writes what the printer made of an event. In JSON, the event itself was written.
    pub(super) fn write(&mut self, pieces: &[Piece]) -> Result<(), Failure> {
        match self {
            RunOutput::Terminal(screen) => {
                for piece in pieces {
                    let (Piece::Text(text) | Piece::Note(text)) = piece;
                    write!(screen.out, "{text}")?;
                }
                screen.out.flush()?;
            }
            RunOutput::Plain => {
                let (mut out, mut err) = (terminal::stdout(), anstream::stderr().lock());
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => write!(out, "{text}").and_then(|()| out.flush())?,
                        Piece::Note(text) => write!(err, "{text}")?,
                    }
                }
            }
            RunOutput::Json => {}
        }
        Ok(())
    }

    /// Writes a note that is no event, also beside JSON.
    pub(super) fn write_note(&mut self, pieces: &[Piece]) -> Result<(), Failure> {
        if let RunOutput::Json = self {
            let mut err = anstream::stderr().lock();
            for piece in pieces {
                let (Piece::Text(text) | Piece::Note(text)) = piece;
                write!(err, "{}", text.trim_start_matches('\n'))?;
            }
            return Ok(());
        }
        self.write(pieces)
    }

    /// Writes an event, if events are wanted.
    pub(super) fn write_event(&mut self, event: &Value) -> Result<(), Failure> {
        if let RunOutput::Json = self {
            let mut out = io::stdout().lock();
            serde_json::to_writer(&mut out, event)?;
            writeln!(out).and_then(|()| out.flush())?;
        }
        Ok(())
    }
}
