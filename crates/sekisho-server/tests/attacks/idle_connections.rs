//! Ten thousand connections that send nothing, or half a request. The server runs in its own process, because
//! both ends in one process would need more open files than a process may have.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sekisho_gate::answer::Role;
use sekisho_server::Limits;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::harness::socket_server::{RawConnection, RawRequest, TestServer, limits};

const IDLE: usize = 10_000;
const MARK: &str = "serving ";

/// Raises the limit of open files to the maximum, and returns it.
fn raise_open_file_limit() -> usize {
    let now = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: now.maximum, maximum: now.maximum }).unwrap();
    now.maximum.map_or(usize::MAX, |most| usize::try_from(most).unwrap())
}

struct Server {
    process: Child,
    port: u16,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "the server under attack has its own open files")]
fn started() -> Server {
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "attacks::idle_connections::serves_until_stdin_closes", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut announced =
        lines.filter_map(|line| line.split_once(MARK).map(|(_, announced)| announced.to_owned()));
    let announced = announced.next().expect("the server starts");
    let (port, token) = announced.split_once(' ').unwrap();
    Server { process, port: port.parse().unwrap(), token: token.into() }
}

/// Not a test by itself: the server that is attacked below.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the other end of ten_thousand_idle_connections_keep_nobody_out"]
async fn serves_until_stdin_closes() {
    raise_open_file_limit();
    let test_server =
        TestServer::limited(Limits { head_timeout: Duration::from_secs(3600), ..limits() }).await;
    let token = test_server.token(Role::Viewer).await;
    println!("\n{MARK}{} {token}", test_server.port);
    tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_idle_connections_keep_nobody_out() {
    let many = IDLE.min(raise_open_file_limit().saturating_sub(1000));
    let server = started();
    let port = server.port;
    let begun = Instant::now();
    let mut idle = Vec::with_capacity(many);
    while idle.len() < many {
        let batch = (0..250.min(many - idle.len())).map(|_| TcpStream::connect(("127.0.0.1", port)));
        for (number, stream) in futures_util::future::join_all(batch).await.into_iter().enumerate() {
            let mut stream = stream.unwrap();
            if number % 2 == 0 {
                stream.write_all(b"POST /api/decide HTTP/1.1\r\nHost: ").await.unwrap();
            }
            idle.push(stream);
        }
    }
    println!("{many} idle connections after {:?}", begun.elapsed());
    let request = RawRequest::new("GET", "/api/session")
        .header("Host", &format!("127.0.0.1:{port}"))
        .bearer(&server.token);
    let mut slowest = Duration::ZERO;
    for _ in 0..50 {
        let asked = Instant::now();
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        assert_eq!(RawConnection(stream).ask(&request.bytes()).await.unwrap().status, 200);
        slowest = slowest.max(asked.elapsed());
    }
    let would_block = |error: std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
    let held = idle.iter().filter(|stream| stream.try_read(&mut [0]).is_err_and(would_block)).count();
    println!("{held} still held, the slowest of 50 others took {slowest:?}");
    assert_eq!(held, many, "no idle connection was closed to serve others");
}
