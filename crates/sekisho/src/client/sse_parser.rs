//! Parses server-sent events, as the HTML standard defines them.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SseEvent {
    pub(super) kind: String,
    pub(super) data: String,
}

/// Maximum size of an event, in bytes.
const LARGEST: usize = 64 << 20;

/// Parses events from bytes as they arrive.
#[derive(Debug, Default)]
pub(super) struct SseParser {
    line: Vec<u8>,
    after_return: bool,
    kind: String,
    data: String,
    some: bool,
    /// The last event id; sent when reconnecting.
    pub(super) last_event_id: Option<String>,
}

impl SseParser {
    /// Drops an incomplete event, but keeps the last id.
    pub(super) fn reset(&mut self) {
        *self = SseParser { last_event_id: self.last_event_id.take(), ..SseParser::default() };
    }

    /// Returns the events that `bytes` complete; `None` if an event is too large.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Option<Vec<SseEvent>> {
        let mut events = Vec::new();
        for byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, *byte == b'\r');
            match byte {
                // The second half of `\r\n`.
                b'\n' if after_return => {}
                b'\n' | b'\r' => events.extend(self.end_of_line()),
                byte => self.line.push(*byte),
            }
            if self.line.len() + self.data.len() > LARGEST {
                return None;
            }
        }
        Some(events)
    }

    fn end_of_line(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        if line.is_empty() {
            return self.end_of_event();
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.kind = value.to_owned(),
            "data" => {
                if std::mem::replace(&mut self.some, true) {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            "id" if !value.contains('\0') => self.last_event_id = Some(value.to_owned()),
            // Comments keep the connection alive. `retry` is ignored.
            _ => {}
        }
        None
    }

    fn end_of_event(&mut self) -> Option<SseEvent> {
        let (kind, data) = (std::mem::take(&mut self.kind), std::mem::take(&mut self.data));
        std::mem::take(&mut self.some).then_some(SseEvent { kind, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, data: &str) -> SseEvent {
        SseEvent { kind: kind.into(), data: data.into() }
    }

    #[test]
    fn events_are_parsed_in_pieces_of_any_size() {
        let text = ": hello\r\n\r\nid: 7\r\nevent: a\r\ndata: {\"x\":\r\ndata: 関}\r\n\r\ndata:b\n\nevent: c\n\nid: 8\rdata: d\r\r";
        let expected = vec![event("a", "{\"x\":\n関}"), event("", "b"), event("", "d")];
        for size in 1..text.len() {
            let mut reader = SseParser::default();
            let events: Vec<SseEvent> =
                text.as_bytes().chunks(size).flat_map(|piece| reader.feed(piece).unwrap()).collect();
            assert_eq!(events, expected, "in pieces of {size}");
            assert_eq!(reader.last_event_id.as_deref(), Some("8"));
        }
    }
}
