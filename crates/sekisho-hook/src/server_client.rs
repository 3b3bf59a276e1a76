//! A client for the server's socket.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use serde::Serialize;
use serde_json::Value;

/// Maximum size of a response, in bytes.
const LARGEST: usize = 16 << 20;
/// A server that takes longer than this to accept a request, or to answer a request that waits for no human,
/// is stuck.
const PROMPT: Duration = Duration::from_secs(5);
/// How long to wait for a server that went away, and how often to retry.
const COMES_BACK: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_millis(200);
/// The status of a server that is shutting down or cannot reach its database.
const UNAVAILABLE: u16 = 503;

/// Why the server gave no answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ServerError {
    /// No server is running.
    NotRunning,
    /// It went away before it answered.
    Disconnected,
    /// No approver answered before the deadline.
    TimedOut,
    /// Anything else, with a message.
    Failed(String),
}

/// A request to the server's can-use-tool route.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CanUseToolRequest<'a> {
    pub(crate) tool_name: &'a str,
    pub(crate) input: &'a Value,
    pub(crate) tool_use_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) server_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run_id: Option<&'a str>,
    pub(crate) agent_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cwd: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) on_timeout: Option<&'a str>,
    /// A hook always asks, whatever the server is configured to do.
    pub(crate) always_ask: bool,
    /// Where the session began: rules of other projects must not loosen anything.
    pub(crate) project_root: Option<&'a str>,
}

/// The server's answer.
#[derive(Debug, PartialEq)]
pub(crate) enum CanUseToolResponse {
    /// It may run under this execution id, with this input if a human edited it.
    Allow { input: Option<Value>, execution: String },
    /// It may not run.
    Deny { reason: String, interrupt: bool },
}

/// Asks, and waits for a human until `until`. An approval outlives its server for a while, so a server that
/// went away is waited for too; asking again with the same id joins the open approval.
pub(crate) fn ask(
    socket: &Path,
    question: &CanUseToolRequest<'_>,
    until: Instant,
) -> Result<CanUseToolResponse, ServerError> {
    let body = serde_json::to_vec(question).map_err(|error| ServerError::Failed(error.to_string()))?;
    let mut lost: Option<Instant> = None;
    loop {
        let away = match post(socket, "/api/can-use-tool", &body, until) {
            Ok((UNAVAILABLE, body)) => parse_response(UNAVAILABLE, &body),
            Ok((status, body)) => return parse_response(status, &body),
            Err(ServerError::NotRunning) if lost.is_none() => return Err(ServerError::NotRunning),
            Err(ServerError::NotRunning | ServerError::Disconnected) => {
                Err(ServerError::Failed("the server stopped before it answered".into()))
            }
            Err(other) => return Err(other),
        };
        if lost.get_or_insert_with(Instant::now).elapsed() > COMES_BACK {
            return away;
        }
        if Instant::now() + AGAIN >= until {
            return Err(ServerError::TimedOut);
        }
        std::thread::sleep(AGAIN);
    }
}

fn parse_response(status: u16, body: &[u8]) -> Result<CanUseToolResponse, ServerError> {
    let response: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |field: &str| response.get(field).and_then(Value::as_str).map(str::to_owned);
    match (status, text("behavior").as_deref()) {
        (200, Some("allow")) => {
            let execution = text("executionId")
                .ok_or_else(|| ServerError::Failed("the server's allow has no execution id".into()))?;
            Ok(CanUseToolResponse::Allow { input: response.get("updatedInput").cloned(), execution })
        }
        (200, Some("deny")) => Ok(CanUseToolResponse::Deny {
            reason: text("message").unwrap_or_else(|| "it was denied".into()),
            interrupt: response.get("interrupt").and_then(Value::as_bool).unwrap_or(false),
        }),
        _ => {
            let message =
                response.pointer("/error/message").and_then(Value::as_str).unwrap_or("no reason was given");
            Err(ServerError::Failed(format!("the server answered {status}: {message}")))
        }
    }
}

/// Reports how a call ended that the server allowed.
pub(crate) fn report_execution(socket: &Path, execution: &str, ending: &Value) -> Result<(), ServerError> {
    let body = serde_json::to_vec(ending).map_err(|error| ServerError::Failed(error.to_string()))?;
    let path = format!("/api/executions/{execution}");
    match post(socket, &path, &body, Instant::now() + PROMPT)? {
        (204, _) => Ok(()),
        (status, _) => Err(ServerError::Failed(format!("the server answered {status}"))),
    }
}

fn post(socket: &Path, path: &str, body: &[u8], until: Instant) -> Result<(u16, Vec<u8>), ServerError> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => ServerError::TimedOut,
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => ServerError::Disconnected,
        _ => ServerError::Failed(format!("the server's socket: {error}")),
    };
    let mut stream = connect(socket).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::ConnectionRefused => ServerError::NotRunning,
        // The server's queue is full; retry for a while.
        ErrorKind::WouldBlock => ServerError::Disconnected,
        _ => ServerError::Failed(format!("{}: {error}", socket.display())),
    })?;
    stream.set_write_timeout(Some(PROMPT)).map_err(failed)?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let request = [head.as_bytes(), body].concat();
    stream.write_all(&request).map_err(failed)?;
    let mut answer = Vec::new();
    let mut piece = vec![0; 16 << 10];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ServerError::TimedOut);
        }
        stream.set_read_timeout(Some(left)).map_err(failed)?;
        let read = match stream.read(&mut piece) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read.map_err(failed)?,
        };
        answer.extend_from_slice(piece.get(..read).unwrap_or_default());
        if let Some(whole) = parse_http_response(&answer)? {
            return Ok(whole);
        }
        if read == 0 && answer.is_empty() {
            return Err(ServerError::Disconnected);
        }
        if read == 0 {
            return Err(ServerError::Failed("the server disconnected in the middle of its response".into()));
        }
        if answer.len() > LARGEST {
            return Err(ServerError::Failed(format!("the server's response is longer than {LARGEST} bytes")));
        }
    }
}

/// Connects without blocking: the queue of a stuck server never moves.
fn connect(socket: &Path) -> std::io::Result<UnixStream> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let end = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&end, &SocketAddrUnix::new(socket)?)?;
    let stream = UnixStream::from(end);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// The status and body of a response, once it has arrived whole.
fn parse_http_response(answer: &[u8]) -> Result<Option<(u16, Vec<u8>)>, ServerError> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Response::new(&mut headers);
    let read = head.parse(answer).map_err(|error| ServerError::Failed(format!("no HTTP: {error}")))?;
    let httparse::Status::Complete(start) = read else { return Ok(None) };
    let status = head.code.unwrap_or(0);
    let length = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let length =
        length.and_then(|header| std::str::from_utf8(header.value).ok()?.trim().parse::<usize>().ok());
    let length = match (length, status) {
        (Some(length), _) => length,
        (None, 204) => 0,
        (None, _) => return Err(ServerError::Failed("the server's response has no length".into())),
    };
    let body = answer.get(start..).unwrap_or_default();
    Ok(body.get(..length).map(|body| (status, body.to_vec())))
}
