//! Reads the events of an event stream from bytes, however they are split.

/// The longest line, and the most data of one event.
const MAX_EVENT: usize = 4 << 20;

/// Collects bytes into events. Only the data of an event counts: providers repeat its name in there.
#[derive(Debug, Default)]
pub(super) struct EventReader {
    line: Vec<u8>,
    data: Option<String>,
    /// Whether the last byte was a `\r`, so that a `\n` belongs to it.
    after_return: bool,
    has_line: bool,
}

/// A line or an event is longer than 4 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl EventReader {
    /// Takes bytes and adds the data of the events that they complete.
    pub(super) fn take(&mut self, bytes: &[u8], events: &mut Vec<String>) -> Result<(), TooLong> {
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\r' | b'\n')) {
            let piece = match piece {
                [b'\n'] if self.after_return => {
                    self.after_return = false;
                    continue;
                }
                piece => piece,
            };
            self.after_return = piece.last() == Some(&b'\r');
            match piece {
                [line @ .., b'\r' | b'\n'] => {
                    self.add(line)?;
                    events.extend(self.end_line()?);
                }
                line => self.add(line)?,
            }
        }
        Ok(())
    }

    /// The data of the last event, if the stream ended without the empty line after it. It may be cut.
    pub(super) fn finish(mut self) -> Result<Option<String>, TooLong> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        Ok(self.data)
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + bytes.len() > MAX_EVENT {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// Reads a whole line. An empty one ends an event.
    fn end_line(&mut self) -> Result<Option<String>, TooLong> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let is_first = !std::mem::replace(&mut self.has_line, true);
        let line = if is_first { line.strip_prefix('\u{feff}').unwrap_or(&line) } else { &line };
        if line.is_empty() {
            return Ok(self.data.take());
        }
        // Comments begin with a colon; names, ids and reconnection times do not matter here.
        let value = match line.split_once(':') {
            Some(("data", value)) => value.strip_prefix(' ').unwrap_or(value),
            None if line == "data" => "",
            _ => return Ok(None),
        };
        match &mut self.data {
            None => self.data = Some(value.to_owned()),
            Some(data) if data.len() + value.len() >= MAX_EVENT => return Err(TooLong),
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Result<(Vec<String>, Option<String>), TooLong> {
        let mut reader = EventReader::default();
        let mut events = Vec::new();
        for piece in pieces {
            reader.take(piece, &mut events)?;
        }
        Ok((events, reader.finish()?))
    }

    /// The events, whether the bytes come at once, one by one, or split into two at any place.
    #[track_caller]
    fn check(stream: &[u8], events: &[&str], last: Option<&str>) {
        let expected = Ok((events.iter().map(|&event| event.to_owned()).collect(), last.map(str::to_owned)));
        let single: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&single), expected, "byte by byte: {stream:?}");
        for place in 0..=stream.len() {
            let (head, tail) = stream.split_at(place);
            assert_eq!(read(&[head, tail]), expected, "split at {place}: {stream:?}");
        }
    }

    #[test]
    fn line_ends_and_fields() {
        check(b"", &[], None);
        check(b"data: a\n\ndata: b\n\n", &["a", "b"], None);
        check(b"data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"], None);
        check(b"data: a\r\rdata: b\r\r", &["a", "b"], None);
        check(b"data: a\r\n\ndata: b\n\r\n", &["a", "b"], None);
        check(b"\xef\xbb\xbfdata: a\n\n", &["a"], None);
        check(b"data: a\n\n\xef\xbb\xbfdata: b\n\n", &["a"], None);
        check(b": note\n\n:\n\ndata:a\n: note\n\n", &["a"], None);
        check(b"event: x\nid: 1\nretry: 5\ndata: a\nother\n\n", &["a"], None);
        check(b"event: x\n\n\n\n", &[], None);
        check(b"data: a\ndata:  b\ndata\n\n", &["a\n b\n"], None);
        check("data: 😀é\n\n".as_bytes(), &["😀é"], None);
        check(b"data: \xff\n\n", &["\u{fffd}"], None);
        check(b"<html>502</html>", &[], None);
    }

    #[test]
    fn last_event_needs_no_empty_line() {
        check(b"data: a\n\ndata: b\n", &["a"], Some("b"));
        check(b"data: a\n\ndata: b", &["a"], Some("b"));
        check(b"data: b\r", &[], Some("b"));
        check(b"data: a\n\nevent: x", &["a"], None);
    }

    #[test]
    fn lines_and_events_are_bounded() {
        let mut reader = EventReader::default();
        let piece = vec![b'x'; 1 << 20];
        let mut events = Vec::new();
        let results: Vec<_> = (0..5).map(|_| reader.take(&piece, &mut events)).collect();
        assert_eq!(results, [Ok(()), Ok(()), Ok(()), Ok(()), Err(TooLong)]);

        let mut reader = EventReader::default();
        let line = format!("data: {}\n", "x".repeat(1 << 20));
        let results: Vec<_> = (0..4).map(|_| reader.take(line.as_bytes(), &mut events)).collect();
        assert_eq!(results, [Ok(()), Ok(()), Ok(()), Err(TooLong)]);
    }
}
