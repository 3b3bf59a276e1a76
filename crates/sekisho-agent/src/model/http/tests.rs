//! Connections that break while they wait for another request.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// Reads a request whose body is `{}`. False at the end of the connection.
async fn receive(stream: &mut TcpStream) -> bool {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"{}") {
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return false;
        }
    }
    true
}

/// A client of a server that treats its first connection in a special way, and answers on all others.
async fn client(is_first_closed_at_once: bool) -> HttpClient {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = BaseUrl::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move {
        for number in 1.. {
            let (mut stream, _) = listener.accept().await.unwrap();
            while receive(&mut stream).await {
                let body = number.to_string();
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
                stream.write_all([head, body].concat().as_bytes()).await.unwrap();
                if number == 1 {
                    // A second request is read, but not answered.
                    let _ = !is_first_closed_at_once && receive(&mut stream).await;
                    break;
                }
            }
        }
    });
    HttpClient::new(base, Timeouts::default(), None)
}

async fn post(client: &HttpClient) -> String {
    let mut response = client.post("/", &[], &Bytes::from_static(b"{}")).await.unwrap();
    let text = response.text(100).await;
    response.keep_connection();
    text
}

/// Waits until a connection can be used again.
async fn until_idle(client: &HttpClient) {
    for _ in 0..1000 {
        if !client.idle.lock().unwrap().is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("no connection waits for another request");
}

#[tokio::test]
async fn connections_that_broke_are_replaced() {
    for is_first_closed_at_once in [false, true] {
        let client = client(is_first_closed_at_once).await;
        assert_eq!(post(&client).await, "1");
        if !is_first_closed_at_once {
            until_idle(&client).await;
        }
        assert_eq!(post(&client).await, "2", "closed at once: {is_first_closed_at_once}");
        until_idle(&client).await;
        assert_eq!(post(&client).await, "2", "the second connection is used again");
    }
}
