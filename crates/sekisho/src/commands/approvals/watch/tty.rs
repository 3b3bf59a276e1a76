//! The terminal in raw mode. It is always restored.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::termios::{
    InputModes, LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr,
    tcsetattr,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::keys::{KeyDecoder, KeyPress};
use crate::failure::Failure;

/// The terminal in raw mode. Dropping it restores the previous mode.
pub(super) struct RawTerminal {
    file: File,
    before: Termios,
    /// Set while an editor uses the terminal: the reader must not read.
    lent: Arc<AtomicBool>,
    reading: Arc<AtomicBool>,
}

impl RawTerminal {
    /// Takes over the terminal. Returns it with a channel of key presses, which closes when the terminal is
    /// gone.
    pub(super) fn acquire() -> Result<(RawTerminal, UnboundedReceiver<KeyPress>), Failure> {
        let no_terminal = |error: io::Error| {
            Failure::new(format!("cannot open the terminal: {}", error.to_string().to_lowercase()))
        };
        let open = || File::options().read(true).write(true).open("/dev/tty").map_err(no_terminal);
        let file = open()?;
        let before = tcgetattr(&file).map_err(|error| no_terminal(error.into()))?;
        let (lent, reading) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let tty = RawTerminal { file, before, lent: Arc::clone(&lent), reading: Arc::clone(&reading) };
        tty.set()?;
        let (sender, keys) = unbounded_channel();
        let reader = KeyReader { file: open()?, lent, reading, sender };
        thread::Builder::new().name("keys".into()).spawn(move || reader.run())?;
        Ok((tty, keys))
    }

    /// Single keys without echo; no key sends a signal. Output processing stays on.
    fn set(&self) -> io::Result<()> {
        let mut modes = self.before.clone();
        modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        modes.input_modes -= InputModes::IXON;
        // A read times out after a tenth of a second, so that the reader can be paused.
        modes.special_codes[SpecialCodeIndex::VMIN] = 0;
        modes.special_codes[SpecialCodeIndex::VTIME] = 1;
        tcsetattr(&self.file, OptionalActions::Flush, &modes)?;
        Ok(())
    }

    /// Discards what was typed and not read yet.
    pub(super) fn discard_input(&self) {
        // If this fails, the timestamp of each key still protects against early keys.
        let _ = tcflush(&self.file, QueueSelector::IFlush);
    }

    /// Rings the bell. Writes to the terminal directly: the output stream drops control characters where
    /// colours are off.
    pub(super) fn ring(&self) {
        // A bell that cannot ring is no reason to stop.
        let _ = (&self.file).write_all(b"\x07");
    }

    /// Restores the previous terminal mode while `borrow` runs.
    pub(super) fn with_normal_mode<T>(&self, borrow: impl FnOnce() -> T) -> io::Result<T> {
        self.lent.store(true, Ordering::SeqCst);
        let since = Instant::now();
        while self.reading.load(Ordering::SeqCst) && since.elapsed() < Duration::from_secs(2) {
            thread::sleep(Duration::from_millis(5));
        }
        tcsetattr(&self.file, OptionalActions::Drain, &self.before)?;
        let result = borrow();
        let set = self.set();
        self.lent.store(false, Ordering::SeqCst);
        set.map(|()| result)
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        // There is nobody left to report an error to.
        let _ = tcsetattr(&self.file, OptionalActions::Flush, &self.before);
    }
}

/// Reads keys on a thread of its own: not every platform can poll a terminal.
struct KeyReader {
    file: File,
    lent: Arc<AtomicBool>,
    reading: Arc<AtomicBool>,
    sender: UnboundedSender<KeyPress>,
}

/// This many immediate empty reads in a row mean that the terminal is gone.
const DEAD: u32 = 20;

impl KeyReader {
    fn run(mut self) {
        let mut decoder = KeyDecoder::default();
        let (mut bytes, mut empty) = ([0u8; 1024], 0);
        while empty < DEAD && !self.sender.is_closed() {
            // Set before checking `lent`: either the lender sees us reading, or we see that the terminal is
            // lent.
            self.reading.store(true, Ordering::SeqCst);
            if self.lent.load(Ordering::SeqCst) {
                self.reading.store(false, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(20));
                continue;
            }
            let began = Instant::now();
            let read = self.file.read(&mut bytes);
            self.reading.store(false, Ordering::SeqCst);
            let count = match read {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            let at_once = began.elapsed() < Duration::from_millis(20);
            empty = if count == 0 && at_once { empty + 1 } else { 0 };
            for press in decoder.feed(bytes.get(..count).unwrap_or_default(), Instant::now()) {
                if self.sender.send(press).is_err() {
                    return;
                }
            }
        }
    }
}
