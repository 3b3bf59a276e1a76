//! Requests that can be parsed in two ways, with a second request hidden in what one parser takes for the
//! body. A proxy in front may parse the other way, so nothing after an ambiguous request is read.

use sekisho_gate::answer::Role;
use sekisho_gate::token_store::TokenStore;
use serde_json::json;

use super::TestServer;
use crate::harness::socket_server::RawResponse;

/// A server, its only token, and a request that would create a second one.
struct Target {
    server: TestServer,
    admin: String,
    hidden: Vec<u8>,
}

impl Target {
    async fn new() -> Target {
        let server = TestServer::new().await;
        let admin = server.token(Role::Admin).await;
        let body = json!({ "name": "smuggled", "role": "agent" });
        let hidden = server.request("POST", "/api/tokens").bearer(&admin).json(&body).bytes();
        Target { server, admin, hidden }
    }

    /// The head of a request up to the headers that say where its body ends.
    fn head(&self) -> String {
        let port = self.server.port;
        let admin = &self.admin;
        format!(
            "POST /api/decide HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {admin}\r\nContent-Type: application/json\r\n"
        )
    }

    /// All responses until the server closes the connection, with the hidden request after these bytes.
    async fn answers(&self, bytes: &[u8]) -> Vec<RawResponse> {
        let mut line = self.server.connect().await;
        let mut replies: Vec<RawResponse> =
            line.ask(&[bytes, &self.hidden].concat()).await.into_iter().collect();
        while let Some(reply) = line.answer().await {
            replies.push(reply);
        }
        replies
    }

    /// Checks that the bytes are rejected, the connection is closed, and the hidden request did nothing.
    async fn refuses(&self, what: &str, bytes: &[u8]) {
        let replies = self.answers(bytes).await;
        let statuses: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
        assert!([&[][..], &[400]].contains(&statuses.as_slice()), "{what:?} gave {statuses:?}");
        assert_eq!(self.server.ledger.tokens().await.unwrap().len(), 1, "{what:?} made a token");
    }

    /// Checks headers that say where the body ends, with a body that ends in two places.
    async fn refuses_headers(&self, headers: &str) {
        let bytes = format!("{}{headers}\r\n\r\n0\r\n\r\n", self.head());
        self.refuses(headers, bytes.as_bytes()).await;
    }
}

#[tokio::test]
async fn hidden_request_is_valid_by_itself() {
    let target = Target::new().await;
    let first = target.server.request("GET", "/healthz").bytes();
    let mut line = target.server.connect().await;
    assert_eq!(line.ask(&[first, target.hidden.clone()].concat()).await.unwrap().status, 200);
    assert_eq!(line.answer().await.unwrap().status, 201);
    assert_eq!(target.server.ledger.tokens().await.unwrap().len(), 2);
}

#[tokio::test]
async fn consecutive_valid_requests_are_answered() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let request =
        || server.request("POST", "/api/decide").bearer(&admin).header("Content-Type", "application/json");
    let body = "{\n  \"toolName\": \"Read\"\n}\n\n";
    let (begin, end) = body.split_at(10);
    let chunks =
        format!("a;name=\"value\"\r\n{begin}\r\n{:X}\r\n{end}\r\n0\r\nX-Trailer: y\r\n\r\n", end.len());
    let requests = [
        server.request("GET", "/healthz").bytes(),
        [request().header("Content-Length", &body.len().to_string()).bytes(), body.into()].concat(),
        [request().header("Transfer-Encoding", "Chunked").bytes(), chunks.into_bytes()].concat(),
        [b"\r\n".to_vec(), server.request("GET", "/healthz").header("Content-Length", "0").bytes()].concat(),
        [request().header("Content-Length", &body.len().to_string()).bytes(), body.into()].concat(),
    ]
    .concat();
    // All at once, and in pieces that end anywhere.
    for size in [requests.len(), 11] {
        let mut line = server.connect().await;
        for piece in requests.chunks(size) {
            line.say(piece).await.unwrap();
            tokio::task::yield_now().await;
        }
        for number in 0..5 {
            assert_eq!(line.answer().await.unwrap().status, 200, "{number} in pieces of {size}");
        }
    }
}

#[tokio::test]
async fn duplicate_or_malformed_length_is_rejected() {
    let target = Target::new().await;
    let all = 5 + target.hidden.len();
    for headers in [
        format!("Content-Length: 5\r\nContent-Length: {all}"),
        format!("Content-Length: {all}\r\nContent-Length: 5"),
        "Content-Length: 5\r\nContent-Length: 5".to_owned(),
        format!("Content-Length: 5, {all}"),
    ] {
        target.refuses_headers(&headers).await;
    }
    for length in ["+5", "5, 5", "5,5", "0x5", "-1", "5 5", "5;", "", "5.0", "\"5\"", "18446744073709551621"]
    {
        target.refuses_headers(&format!("Content-Length: {length}")).await;
    }
}

#[tokio::test]
async fn length_together_with_chunks_is_rejected() {
    let target = Target::new().await;
    for length in [0, 5, 5 + target.hidden.len()] {
        target.refuses_headers(&format!("Content-Length: {length}\r\nTransfer-Encoding: chunked")).await;
        target.refuses_headers(&format!("Transfer-Encoding: chunked\r\nContent-Length: {length}")).await;
    }
}

#[tokio::test]
async fn transfer_coding_other_than_chunked_is_rejected() {
    let target = Target::new().await;
    for coding in [
        "identity, chunked",
        "chunked, identity",
        "chunked, chunked",
        "gzip, chunked",
        "chunked, gzip",
        "gzip",
        "identity",
        "xchunked",
        "chunkedx",
        "chunked;q=1",
        "\"chunked\"",
        "x chunked",
        ",chunked",
        "\u{b}chunked",
        "",
        "identity\r\nTransfer-Encoding: chunked",
        "chunked\r\nTransfer-Encoding: identity",
        "chunked\r\nTransfer-Encoding: chunked",
    ] {
        target.refuses_headers(&format!("Transfer-Encoding: {coding}")).await;
    }
}

#[tokio::test]
async fn malformed_headers_are_rejected() {
    let target = Target::new().await;
    for headers in [
        "Transfer-Encoding : chunked",
        "Transfer-Encoding\t: chunked",
        "Content-Length : 5",
        " Transfer-Encoding: chunked",
        "X-Folded: a\r\n b\r\nContent-Length: 5",
        "X-Folded: a\r\n\tTransfer-Encoding: chunked",
        "Transfer-Encoding:\r\n chunked",
        "X-Nul: a\0b\r\nContent-Length: 5",
        "X-\0Nul: a\r\nContent-Length: 5",
        "Content-Length: 5\0",
        "X-Bare: a\rTransfer-Encoding: chunked",
        "Content-Length: 5\r",
        ": nameless\r\nContent-Length: 5",
        "no colon\r\nContent-Length: 5",
        "Content\u{2010}Length: 5",
    ] {
        target.refuses_headers(headers).await;
    }
}

#[tokio::test]
async fn bare_cr_or_lf_is_rejected() {
    let target = Target::new().await;
    let head = format!("{}Content-Length: 22\r\n\r\n", target.head());
    let body = "{\"toolName\": \"Read\"}\r\n";
    let lines: Vec<&str> = head.split_inclusive("\r\n").collect();
    for number in 0..lines.len() {
        for end in ["\n", "\r"] {
            let changed = format!("{}{end}", lines[number].trim_end());
            let bytes = [&lines[..number], &[&changed], &lines[number + 1..], &[body]].concat().concat();
            target.refuses(&format!("line {number} ends with {end:?}"), bytes.as_bytes()).await;
        }
    }
    let all = format!("{}{body}", head.replace("\r\n", "\n"));
    target.refuses("all of them end with LF", all.as_bytes()).await;
    target.refuses("an empty line of LF in front", format!("\n{head}{body}").as_bytes()).await;
    let hidden = format!("{}X-Hidden: a\nContent-Length: 0\r\n\r\n", target.head());
    target.refuses("a header behind LF", hidden.as_bytes()).await;
}

#[tokio::test]
async fn chunks_with_wrong_sizes_are_rejected() {
    let target = Target::new().await;
    let long = format!("0;{}\r\n\r\n", "x".repeat(20_000));
    for chunks in [
        "10000000000000000\r\n\r\n",
        "10000000000000005\r\nhello\r\n0\r\n\r\n",
        "ffffffffffffffff\r\nhello\r\n0\r\n\r\n",
        "fffffffffffffffe\r\nhello\r\n0\r\n\r\n",
        "+5\r\nhello\r\n0\r\n\r\n",
        "-5\r\nhello\r\n0\r\n\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n",
        "5_0\r\nhello\r\n0\r\n\r\n",
        " 5\r\nhello\r\n0\r\n\r\n",
        "\r\n0\r\n\r\n",
        ";x\r\n0\r\n\r\n",
        "5\nhello\r\n0\r\n\r\n",
        "5\rhello\r\n0\r\n\r\n",
        "5;x\nhello\r\n0\r\n\r\n",
        "5;x\rhello\r\n0\r\n\r\n",
        "5\r\nhello0\r\n\r\n",
        "5\r\nhello\n0\r\n\r\n",
        "5\r\nhello\r0\r\n\r\n",
        "5\r\nhelloworld\r\n0\r\n\r\n",
        "0\n\r\n",
        "0\r\n\n",
        "0\n\n",
        "0\r\nX-Trailer: a\n\r\n",
        "0\r\nX-Trailer: a\nb: c\r\n\r\n",
        &long,
    ] {
        let bytes = format!("{}Transfer-Encoding: chunked\r\n\r\n{chunks}", target.head());
        target.refuses(chunks, bytes.as_bytes()).await;
    }
}

#[tokio::test]
async fn chunk_size_with_too_many_digits_is_rejected() {
    let target = Target::new().await;
    // A size that is read too small hides where the request ends, and nothing after it is checked any more.
    let blind = "\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n";
    for zeros in [16, 254, 255, 256, 257, 300, 5000] {
        let size = format!("{}{:x}", "0".repeat(zeros), blind.len());
        let bytes =
            format!("{}Transfer-Encoding: chunked\r\n\r\n{size}\r\n{blind}\r\n0\r\n\r\n", target.head());
        target.refuses(&size, bytes.as_bytes()).await;
    }
}

#[tokio::test]
async fn trailers_are_not_headers() {
    let server = TestServer::new().await;
    let head = server.request("POST", "/api/decide").header("Content-Type", "application/json");
    let admin = server.token(Role::Admin).await;
    let body = "{\"toolName\": \"Read\"}";
    let chunks = format!("{:x}\r\n{body}\r\n0\r\nAuthorization: Bearer {admin}\r\n\r\n", body.len());
    let head = head.header("Origin", &server.origin()).header("Transfer-Encoding", "chunked");
    let reply = server.connect().await.ask(&[head.bytes(), chunks.into_bytes()].concat()).await;
    assert!(reply.is_none_or(|reply| reply.status == 401));
}

#[tokio::test]
async fn other_http_versions_are_rejected() {
    let target = Target::new().await;
    let host = format!("Host: 127.0.0.1:{}\r\n", target.server.port);
    for start in [
        format!("POST /api/decide HTTP/1.0\r\n{host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        format!("POST /api/decide HTTP/1.0\r\n{host}Connection: keep-alive\r\nContent-Length: 0\r\n\r\n"),
        format!("GET /healthz HTTP/1.0\r\n{host}Connection: keep-alive\r\n\r\n"),
        format!("GET /healthz HTTP/1.2\r\n{host}\r\n"),
        format!("GET /healthz HTTP/2.0\r\n{host}\r\n"),
        format!("GET /healthz HTTP/11\r\n{host}\r\n"),
        format!("GET /healthz http/1.1\r\n{host}\r\n"),
        format!("GET /healthz HTTP/1.1 x\r\n{host}\r\n"),
        "GET /healthz\r\n".into(),
        "GET /healthz\r\n\r\n".into(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into(),
    ] {
        target.refuses(&start, start.as_bytes()).await;
    }
}

#[tokio::test]
async fn http_2_upgrade_is_ignored() {
    let server = TestServer::new().await;
    let request = server.request("GET", "/healthz").header("Connection", "Upgrade, HTTP2-Settings");
    let request = request.header("Upgrade", "h2c").header("HTTP2-Settings", "AAMAAABkAARAAAAAAAIAAAAA");
    let reply = server.send(&request.header("Origin", &server.origin())).await;
    assert_ne!(reply.status, 101);
}
