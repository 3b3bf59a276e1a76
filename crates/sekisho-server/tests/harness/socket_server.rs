//! A server on real sockets, with everything behind it in memory, and clients that send exactly the given
//! bytes.

use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use sekisho_gate::ApprovalId;
use sekisho_gate::answer::Role;
use sekisho_gate::approval::Approval;
use sekisho_gate::audit::KeyRing;
use sekisho_gate::ledger::LedgerReader;
use sekisho_gate::token_store;
use sekisho_policy::LayerKind;
use sekisho_server::auth::{Issuer, NewToken, new_link, new_token};
use sekisho_server::serve::{Listener, serve};
use sekisho_server::{App, Limits, Settings, Warning};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::memory_ports::{MemoryPorts, settings};
use crate::transport::{Tcp, Transport};

/// Anything that takes longer than this hangs. No machine is this slow.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Repeats an attempt until it returns something.
pub(crate) async fn eventually<T>(what: &str, mut attempt: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = attempt().await {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A server over plain TCP.
pub(crate) type TestServer = TestServerOver<Tcp>;

/// A server and its ports.
pub(crate) struct TestServerOver<W> {
    pub(crate) app: App,
    pub(crate) ledger: MemoryLedger,
    pub(crate) clock: ManualClock,
    pub(crate) port: u16,
    pub(crate) socket: PathBuf,
    folder: tempfile::TempDir,
    stops: Vec<oneshot::Sender<()>>,
    serving: Vec<JoinHandle<std::io::Result<()>>>,
    wire: PhantomData<W>,
}

/// Limits that keep tests fast.
pub(crate) fn limits() -> Limits {
    Limits { requests: (10_000, 10_000), ..Limits::default() }
}

pub(crate) fn maker() -> Issuer {
    Issuer { name: "the test".into(), by: None }
}

impl<W: Transport> TestServerOver<W> {
    pub(crate) const SECURE: bool = W::SECURE;

    pub(crate) async fn new() -> Self {
        Self::with(limits(), |_| {}).await
    }

    pub(crate) async fn limited(limits: Limits) -> Self {
        Self::with(limits, |_| {}).await
    }

    pub(crate) async fn with(limits: Limits, change: impl FnOnce(&mut Settings)) -> Self {
        Self::with_gate(limits, sekisho_gate::Settings::default(), change).await
    }

    pub(crate) async fn with_gate(
        limits: Limits,
        gate: sekisho_gate::Settings,
        change: impl FnOnce(&mut Settings),
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("run/sekisho.sock");
        let (ledger, clock) = (MemoryLedger::new(), ManualClock::new());
        let mut settings = settings_of::<W>(port, &folder, limits);
        change(&mut settings);
        let app = app_with_gate(&ledger, &clock, gate, settings);
        let (stops, serving, wire) = (vec![], vec![], PhantomData);
        let mut server = TestServerOver { app, ledger, clock, port, socket, folder, stops, serving, wire };
        server.serve(W::listener(listener));
        let unix = Listener::unix(&server.socket).unwrap();
        server.serve(unix);
        server
    }

    pub(crate) fn serve(&mut self, listener: Listener) {
        let (stop, stopped) = oneshot::channel();
        let app = self.app.clone();
        let serving = tokio::spawn(async move { serve(app, listener, async { drop(stopped.await) }).await });
        self.stops.push(stop);
        self.serving.push(serving);
    }

    /// Stops all listeners and waits until they have ended.
    pub(crate) async fn stop(&mut self) {
        // The receiver may have ended already.
        self.stops.drain(..).for_each(|stop| stop.send(()).unwrap_or_default());
        for serving in self.serving.drain(..) {
            tokio::time::timeout(PATIENCE, serving).await.expect("it stops").unwrap().unwrap();
        }
    }

    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub(crate) fn origin(&self) -> String {
        format!("{}://127.0.0.1:{}", W::SCHEME, self.port)
    }

    /// A token of a role.
    pub(crate) async fn token(&self, role: Role) -> String {
        self.token_named(role.name(), role).await
    }

    pub(crate) async fn token_named(&self, name: &str, role: Role) -> String {
        let new =
            NewToken { name: name.into(), role, agent: None, vouches: false, roots: vec![], days: Some(30) };
        let made = new_token(new, maker(), self.clock_now()).unwrap();
        token_store::add(&self.ledger, made.stored, made.by).await.unwrap();
        made.secret.reveal()
    }

    /// A sign-in link of a role.
    pub(crate) async fn link(&self, role: Role) -> String {
        let made = new_link("phone".into(), role, maker(), self.clock_now(), Duration::from_secs(600));
        let made = made.unwrap();
        token_store::add_link(&self.ledger, made.stored, made.by).await.unwrap();
        made.secret.reveal()
    }

    pub(crate) fn clock_now(&self) -> jiff::Timestamp {
        use sekisho_gate::clock::Clock;
        self.clock.now()
    }

    pub(crate) fn advance(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// A connection.
    pub(crate) async fn connect(&self) -> RawConnection<W::Stream> {
        RawConnection(W::connect(self.port).await)
    }

    /// A connection on the Unix socket.
    pub(crate) async fn connect_unix(&self) -> RawConnection<UnixStream> {
        RawConnection(UnixStream::connect(&self.socket).await.unwrap())
    }

    /// A request with the server's `Host`, and nothing else.
    pub(crate) fn request(&self, method: &str, path: &str) -> RawRequest {
        RawRequest::new(method, path).header("Host", &format!("127.0.0.1:{}", self.port))
    }

    /// Sends a request on its own connection.
    pub(crate) async fn send(&self, raw_request: &RawRequest) -> RawResponse {
        self.connect().await.ask(&raw_request.bytes()).await.expect("a response")
    }

    /// Sends a request with a token.
    pub(crate) async fn call(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> RawResponse {
        let raw_request = self.request(method, path).bearer(token);
        let raw_request = body.map_or(raw_request.clone(), |body| raw_request.json(&body));
        self.send(&raw_request).await
    }

    /// Asks about a call that no rule matches, and waits in its own task.
    pub(crate) fn ask(&self, token: &str, id: &str) -> JoinHandle<Option<RawResponse>> {
        let raw_request = self.request("POST", "/api/can-use-tool").bearer(token).json(&question(id));
        let port = self.port;
        tokio::spawn(async move { RawConnection(W::connect(port).await).ask(&raw_request.bytes()).await })
    }

    /// Waits until this many approvals are open.
    pub(crate) async fn open(&self, many: usize) -> Vec<Approval> {
        eventually(&format!("{many} questions were never open at once"), async || {
            let open = self.ledger.pending(None, 1000).await.unwrap();
            (open.len() == many).then_some(open)
        })
        .await
    }

    pub(crate) async fn approval(&self, id: ApprovalId) -> Approval {
        self.ledger.approval(id).await.unwrap().unwrap()
    }
}

/// The request body for a call.
pub(crate) fn question(id: &str) -> Value {
    json!({ "toolName": "deploy", "input": { "to": id }, "toolUseId": id, "conversationId": "talk" })
}

fn settings_of<W: Transport>(port: u16, folder: &tempfile::TempDir, limits: Limits) -> Settings {
    let names = ["127.0.0.1", "localhost", "[::1]"];
    let origins = names.map(|name| format!("{}://{name}:{port}", W::SCHEME));
    let settings = settings(W::SCHEME, &format!("127.0.0.1:{port}"), folder.path(), limits);
    Settings {
        hosts: names.map(|name| format!("{name}:{port}")).to_vec(),
        origins: origins.to_vec(),
        secure: W::SECURE,
        projects: vec!["/work/project".into()],
        warnings: vec![Warning::Other { message: "this is a test".into() }],
        ..settings
    }
}

/// A server that asks about everything but `Read`.
fn app_with_gate(
    ledger: &MemoryLedger,
    clock: &ManualClock,
    gate: sekisho_gate::Settings,
    settings: Settings,
) -> App {
    let files = FixedFiles::new();
    let rules = json!({ "version": 1, "permissions": { "allow": [{ "tool": "Read" }] } });
    files.set(LayerKind::Global, rules.to_string());
    let backing = MemoryPorts::new(ledger, &files, Arc::new(clock.clone()));
    MemoryPorts { keys: Arc::new(KeyRing::none()), gate, ..backing }.start(settings).0
}

/// A request, written line by line.
#[derive(Clone)]
pub(crate) struct RawRequest {
    head: String,
    body: Vec<u8>,
}

impl RawRequest {
    pub(crate) fn new(method: &str, target: &str) -> RawRequest {
        RawRequest { head: format!("{method} {target} HTTP/1.1\r\n"), body: vec![] }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> RawRequest {
        self.head.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    pub(crate) fn bearer(self, token: &str) -> RawRequest {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    /// As the page of a signed-in browser.
    pub(crate) fn device(self, device: &DeviceCredential) -> RawRequest {
        self.header("Cookie", &device.cookie).header("X-Sekisho-Page", &device.page)
    }

    pub(crate) fn json(self, body: &Value) -> RawRequest {
        self.body("application/json", body.to_string().into_bytes())
    }

    pub(crate) fn body(self, kind: &str, body: Vec<u8>) -> RawRequest {
        let length = body.len().to_string();
        let raw_request = self.header("Content-Type", kind).header("Content-Length", &length);
        RawRequest { body, ..raw_request }
    }

    /// Requests a WebSocket upgrade.
    pub(crate) fn upgrade(self) -> RawRequest {
        self.header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{}\r\n", self.head).into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// A response of the server.
#[derive(Clone, Debug)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl RawResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{} {}", self.status, String::from_utf8_lossy(&self.body)))
    }

    /// The code of an error in our shape.
    pub(crate) fn code(&self) -> String {
        let body = self.json();
        assert!(!body["error"]["message"].as_str().unwrap().is_empty());
        body["error"]["code"].as_str().unwrap().to_owned()
    }

    /// The credential from a sign-in response.
    pub(crate) fn device(&self) -> DeviceCredential {
        let cookie = self.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        DeviceCredential { cookie, page: self.json()["pageKey"].as_str().unwrap().to_owned() }
    }
}

/// A browser's credential.
#[derive(Clone, Debug)]
pub(crate) struct DeviceCredential {
    /// The cookie, as the browser sends it back.
    pub(crate) cookie: String,
    /// The page's half.
    pub(crate) page: String,
}

impl DeviceCredential {
    /// Both halves as one token, which the browser never has.
    pub(crate) fn whole(&self) -> String {
        format!("{}{}", self.cookie.split_once('=').unwrap().1, self.page)
    }
}

/// A connection to a server.
pub(crate) struct RawConnection<S>(pub(crate) S);

impl<S: AsyncRead + AsyncWrite + Unpin> RawConnection<S> {
    /// Sends bytes and reads the response; `None` if the server closed the connection without one.
    pub(crate) async fn ask(&mut self, bytes: &[u8]) -> Option<RawResponse> {
        // The server may have closed the connection already; what it sent before can still be read.
        let _ = self.say(bytes).await;
        self.answer().await
    }

    /// Sends bytes. TLS buffers some of them until it is flushed.
    pub(crate) async fn say(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.write_all(bytes).await?;
        self.0.flush().await
    }

    /// Reads a response.
    pub(crate) async fn answer(&mut self) -> Option<RawResponse> {
        tokio::time::timeout(PATIENCE, self.read_answer()).await.expect("an answer in time")
    }

    async fn read_answer(&mut self) -> Option<RawResponse> {
        let mut reply = self.read_head().await?;
        if let Some(length) = reply.header("content-length").map(|length| length.parse().unwrap()) {
            reply.body = vec![0; length];
            self.0.read_exact(&mut reply.body).await.ok()?;
        } else if reply.header("transfer-encoding").is_some() {
            self.read_chunks(&mut reply.body).await?;
        }
        Some(reply)
    }

    /// Sends bytes and reads only the head of the response: some responses have no end.
    pub(crate) async fn ask_for_head(&mut self, bytes: &[u8]) -> RawResponse {
        self.say(bytes).await.unwrap();
        let head = tokio::time::timeout(PATIENCE, self.read_head()).await;
        head.expect("an answer in time").expect("a response")
    }

    async fn read_head(&mut self) -> Option<RawResponse> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.ok()?);
        }
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let status: u16 = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let pairs = lines.map(|line| line.split_once(": ").unwrap());
        let headers: Vec<_> = pairs.map(|(key, value)| (key.to_lowercase(), value.to_owned())).collect();
        Some(RawResponse { status, headers, body: vec![] })
    }

    async fn read_chunks(&mut self, body: &mut Vec<u8>) -> Option<()> {
        loop {
            let mut line = Vec::new();
            while !line.ends_with(b"\r\n") {
                line.push(self.0.read_u8().await.ok()?);
            }
            let size = usize::from_str_radix(std::str::from_utf8(&line).unwrap().trim(), 16).unwrap();
            let mut chunk = vec![0; size + 2];
            self.0.read_exact(&mut chunk).await.ok()?;
            body.extend_from_slice(&chunk[..size]);
            if size == 0 {
                return Some(());
            }
        }
    }

    /// Whether the server closes the connection without sending anything.
    pub(crate) async fn hangs_up(&mut self) -> bool {
        let mut byte = [0];
        let read = tokio::time::timeout(PATIENCE, self.0.read(&mut byte)).await;
        matches!(read, Ok(Ok(0) | Err(_)))
    }
}
