//! A server on loopback that sends exact bytes.

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// What stands for the public internet.
pub(crate) const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
/// What stands for this machine.
pub(crate) const PRIVATE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Answers a request, given its head, by writing to the connection.
type Handler = dyn Fn(&str, &mut TcpStream) + Send + Sync;

/// A server. Its threads end when clients go away.
#[derive(Clone)]
pub(crate) struct ServerDouble {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
}

impl ServerDouble {
    pub(crate) fn start(
        ip: IpAddr,
        handler: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static,
    ) -> ServerDouble {
        let listener = TcpListener::bind((ip, 0)).unwrap();
        let double = ServerDouble {
            address: listener.local_addr().unwrap(),
            requests: Arc::default(),
            connections: Arc::default(),
        };
        let (handler, made): (Arc<Handler>, _) = (Arc::new(handler), double.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                made.connections.fetch_add(1, Ordering::SeqCst);
                let (handler, made) = (Arc::clone(&handler), made.clone());
                thread::spawn(move || made.serve(stream, &*handler));
            }
        });
        double
    }

    /// A server that sends the same bytes to everybody.
    pub(crate) fn sending(bytes: impl Into<Vec<u8>>) -> ServerDouble {
        let bytes = bytes.into();
        ServerDouble::start(PUBLIC, move |_, stream| drop(stream.write_all(&bytes)))
    }

    /// A server with a page.
    pub(crate) fn with_page(content_type: &str, body: impl AsRef<[u8]>) -> ServerDouble {
        ServerDouble::sending(response(content_type, body))
    }

    fn serve(&self, mut stream: TcpStream, handler: &Handler) {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            match stream.read(&mut byte) {
                Ok(1) => head.push(byte[0]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => return,
            }
        }
        let head = String::from_utf8(head).unwrap();
        self.requests.lock().unwrap().push(head.clone());
        handler(&head, &mut stream);
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The URL under another name.
    pub(crate) fn url_at(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.address.port())
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// How many connections were made.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// A complete response.
pub(crate) fn response(content_type: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A redirect.
pub(crate) fn redirect(location: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n").into_bytes()
}
