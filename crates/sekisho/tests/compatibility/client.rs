//! Requests that `@sekisho/client` sent to an earlier server get the same answers now.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::fixture_copy::{FixtureCopy, lines};
use super::response_compare::IdMapping;
use crate::serve::test_server::{LONG, TestServer, eventually};

struct Replay<'a> {
    copy: &'a FixtureCopy,
    server: &'a TestServer,
    names: IdMapping,
    /// The event kinds in the recording.
    kinds: Vec<Value>,
    /// The id of the last event that was read.
    last_event: String,
}

impl Replay<'_> {
    /// Sends a recorded request with the ids of this run. Returns the response after its head.
    fn send(&self, line: &Value) -> BufReader<TcpStream> {
        let address = format!("127.0.0.1:{}", self.server.port);
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let path = self.names.renamed(line["path"].as_str().unwrap());
        let mut head = format!(
            "{} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n",
            line["method"].as_str().unwrap()
        );
        if let Some(bearer) = self.copy.bearer(line["as"].as_str().unwrap()) {
            head.push_str(&format!("authorization: {bearer}\r\n"));
        }
        for (name, value) in line["headers"].as_object().unwrap() {
            let value = match name.as_str() {
                "last-event-id" => self.last_event.clone(),
                _ => value.as_str().unwrap().replace("{address}", &format!("http://{address}")),
            };
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let body = line.get("body").map(|body| self.names.renamed(&body.to_string())).unwrap_or_default();
        if !body.is_empty() {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        BufReader::new(stream)
    }

    /// Sends a recorded request, and compares the response with the recorded one.
    fn play(&mut self, line: &Value) -> Result<(), String> {
        self.names.learn_ids(&line["body"]);
        let mut answer = self.send(line);
        let (status, is_chunked) = head(&mut answer);
        if json!(status) != line["status"] {
            let mut said = String::new();
            let _ = answer.read_to_string(&mut said);
            return Err(format!("answered {status}: {said}"));
        }
        if let Some(events) = line["events"].as_array() {
            return self.listen(events, &mut answer);
        }
        let mut bytes = Vec::new();
        if is_chunked {
            while let Some(chunk) = chunk(&mut answer) {
                bytes.extend(chunk);
            }
        } else {
            answer.read_to_end(&mut bytes).unwrap();
        }
        let text = self.copy.moved_back(std::str::from_utf8(&bytes).unwrap());
        let response = serde_json::from_str(&text).ok().filter(|_| !line["answer"].is_string());
        self.names.compare(&line["answer"], &response.unwrap_or(Value::String(text)), "answer")
    }

    /// Reads as many events as were recorded. A server may send additional kinds now.
    fn listen(&mut self, recorded: &[Value], stream: &mut impl BufRead) -> Result<(), String> {
        let mut text = String::new();
        let mut recorded = recorded.iter();
        let Some(mut awaited) = recorded.next() else { return Ok(()) };
        loop {
            let Some((event, rest)) = text.split_once("\n\n") else {
                let chunk = chunk(stream).ok_or("the stream ended")?;
                text.push_str(std::str::from_utf8(&chunk).unwrap());
                continue;
            };
            let field =
                |name: &str| event.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            if let (Some(name), Some(data)) = (field("event"), field("data"))
                && self.kinds.iter().any(|kind| kind == name)
            {
                self.last_event = field("id").map_or_else(|| self.last_event.clone(), str::to_owned);
                let data: Value = serde_json::from_str(&self.copy.moved_back(data)).unwrap();
                self.names.compare(awaited, &json!({ "event": name, "data": data }), "event")?;
                let Some(next) = recorded.next() else { return Ok(()) };
                awaited = next;
            }
            text = rest.to_owned();
        }
    }
}

/// The status of a response, and whether its body is chunked.
fn head(answer: &mut impl BufRead) -> (u16, bool) {
    let (mut status, mut is_chunked) = (None, false);
    for line in answer.lines().map(Result::unwrap).take_while(|line| !line.is_empty()) {
        status = status.or_else(|| line.split(' ').nth(1)?.parse().ok());
        is_chunked |= line.eq_ignore_ascii_case("transfer-encoding: chunked");
    }
    (status.unwrap(), is_chunked)
}

/// The next chunk of a body; `None` at its end.
fn chunk(stream: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut size = String::new();
    stream.read_line(&mut size).unwrap();
    let size = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0)?;
    let mut bytes = vec![0; size + 2];
    stream.read_exact(&mut bytes).unwrap();
    bytes.truncate(size);
    Some(bytes)
}

#[test]
fn earlier_client_gets_the_same_answers() {
    let copy = FixtureCopy::sqlite();
    let server = copy.server();
    eventually("the overdue question did not expire", || {
        let (_, found) = copy.ask(&server, "agent", "GET /api/approvals?state=expired", None);
        found["approvals"].as_array()?.iter().find(|question| question["toolUseId"] == "overdue").map(drop)
    });
    let recorded = lines("client.jsonl");
    let events = recorded.iter().filter_map(|line| line["events"].as_array()).flatten();
    let mut replay = Replay {
        copy: &copy,
        server: &server,
        names: IdMapping::default(),
        kinds: events.map(|event| event["event"].clone()).collect(),
        last_event: String::new(),
    };
    for (number, line) in (1..).zip(&recorded) {
        let played = replay.play(line);
        assert!(
            played.is_ok(),
            "line {number}, {} {}: {}",
            line["method"],
            line["path"],
            played.unwrap_err()
        );
    }
    server.stop();
    copy.verify();
}
