//! HTTP requests, each on its own connection.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{TestCredential, PATIENCE, TestServer};

/// The response to a request.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

/// A caller that waits. Dropping it closes its connection.
pub(crate) struct PendingRequest(JoinHandle<HttpResponse>);

impl PendingRequest {
    /// The response it gets.
    pub(crate) async fn response(mut self) -> Value {
        let reply = timeout(PATIENCE, &mut self.0).await.expect("a response").unwrap();
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.body
    }

    pub(crate) fn waits(&self) -> bool {
        !self.0.is_finished()
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl TestServer {
    /// Asks whether a call may run, and waits for a human.
    pub(crate) fn ask(&self, who: &TestCredential, tool: &str, id: &str, input: Value) -> PendingRequest {
        let body = json!({
            "toolName": tool, "input": input, "toolUseId": id,
            "workspaceId": "ws-1", "conversationId": "conv-1", "cwd": self.root,
        });
        PendingRequest(tokio::spawn(request(
            self.head(who, "POST", "/api/can-use-tool"),
            Some(body),
            self.address,
        )))
    }

    /// Sends any request.
    pub(crate) async fn send(
        &self,
        who: &TestCredential,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> HttpResponse {
        request(self.head(who, method, path), body, self.address).await
    }

    /// Asks without waiting, and returns the id of the approval.
    pub(crate) async fn ask_without_waiting(&self, who: &TestCredential, id: &str, input: Value) -> String {
        let tool = if input.get("command").is_some() { "Bash" } else { "deploy" };
        let body = json!({ "toolName": tool, "input": input, "toolUseId": id });
        let reply = self.send(who, "POST", "/api/can-use-tool?wait=false", Some(body)).await;
        assert_eq!(reply.status, 202, "{reply:?}");
        reply.body["id"].as_str().unwrap().to_owned()
    }

    /// The head of every request.
    pub(crate) fn head(&self, who: &TestCredential, method: &str, path: &str) -> String {
        let (address, secret) = (self.address, &who.secret);
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nAuthorization: Bearer {secret}\r\n"
        )
    }
}

async fn request(head: String, body: Option<Value>, address: std::net::SocketAddr) -> HttpResponse {
    let body = body.map(|body| body.to_string()).unwrap_or_default();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let text = format!(
        "{head}Connection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("a response");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    HttpResponse { status, body: serde_json::from_str(body).unwrap_or(Value::Null) }
}
