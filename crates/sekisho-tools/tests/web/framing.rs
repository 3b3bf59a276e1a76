//! Servers that do not end, lie about lengths, or do not speak HTTP.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::server_double::{PUBLIC, ServerDouble};
use super::web_fixture::{MAX_BODY, WebFixture};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";

/// Sends something again and again, until the client goes away.
fn forever(stream: &mut TcpStream, bytes: &[u8]) {
    while stream.write_all(bytes).is_ok() {}
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_body_is_cut_at_the_limit() {
    let fixture = WebFixture::new();
    for head in [format!("{OK}\r\n"), format!("{OK}Content-Length: 9000000000000\r\n\r\n")] {
        let server = ServerDouble::start(PUBLIC, move |_, stream| {
            drop(stream.write_all(head.as_bytes()));
            forever(stream, &[b'x'; 65536]);
        });
        let page = fixture.page(&server.url("/")).await;
        assert!(page["total_length"].as_u64().unwrap() <= MAX_BODY as u64, "{}", page["total_length"]);
        assert!(page["notes"][0].as_str().unwrap().contains("the rest was not read"), "{}", page["notes"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn compressed_bomb_is_cut_at_the_limit() {
    let fixture = WebFixture::new();
    let bomb = gzip(&vec![b'x'; 8 << 20]);
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    let head = format!("{OK}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", bomb.len());
    let server = ServerDouble::sending([head.as_bytes(), &bomb].concat());
    let page = fixture.page(&server.url("/")).await;
    assert_eq!(page["total_length"].as_u64(), Some(MAX_BODY as u64));
    assert!(page["notes"][0].as_str().unwrap().contains("the rest was not read"));
    // A bomb in a bomb is text to nobody.
    let twice = gzip(&bomb);
    let head = format!("{OK}Content-Encoding: gzip, gzip\r\nContent-Length: {}\r\n\r\n", twice.len());
    let server = ServerDouble::sending([head.as_bytes(), &twice].concat());
    let why = fixture.failure(&server.url("/")).await;
    assert!(why.contains("the encoding `gzip, gzip`"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_and_slow_servers_meet_the_time_limit() {
    let mut fixture = WebFixture::new();
    fixture.workshop.ctx.http_timeout = Duration::from_millis(200);
    let head = format!("{OK}Content-Length: 100\r\n\r\nhalf");
    // The server waits for the client to give up.
    let wait = |stream: &mut TcpStream| drop(std::io::Read::read(stream, &mut [0]));
    for start in [String::new(), "HTTP/1.1 200".to_owned(), OK.to_owned(), head] {
        let server = ServerDouble::start(PUBLIC, move |_, stream| {
            drop(stream.write_all(start.as_bytes()));
            wait(stream);
        });
        let why = fixture.failure(&server.url("/")).await;
        assert_eq!(why, "HTTP request failed: the time limit is over; raise `http_timeout_secs`");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn aborted_call_ends() {
    let fixture = WebFixture::new();
    let cancellation = fixture.workshop.ctx.cancellation.clone();
    let server = ServerDouble::start(PUBLIC, move |_, stream| {
        cancellation.cancel();
        drop(std::io::Read::read(stream, &mut [0]));
    });
    assert_eq!(fixture.failure(&server.url("/")).await, "HTTP request failed: it was aborted");
}

#[tokio::test(flavor = "multi_thread")]
async fn flood_before_the_body_is_cut() {
    let fixture = WebFixture::new();
    let floods: [(&str, &[u8]); 4] = [
        ("interim responses", b"HTTP/1.1 100 Continue\r\n\r\n"),
        ("early hints", b"HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n"),
        ("a reason", &[b'x'; 4096]),
        ("header fields", b"X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"),
    ];
    for (name, bytes) in floods {
        let server = ServerDouble::start(PUBLIC, move |_, stream| {
            if !bytes.starts_with(b"HTTP") {
                drop(stream.write_all(b"HTTP/1.1 200 "));
            }
            if bytes.starts_with(b"X-A") {
                drop(stream.write_all(b"OK\r\n"));
            }
            forever(stream, bytes);
        });
        let why = fixture.failure(&server.url("/")).await;
        assert!(why.starts_with("HTTP request failed: "), "{name}: {why}");
        assert!(!why.contains("time limit"), "{name}: {why}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn flood_inside_the_framing_is_cut() {
    let fixture = WebFixture::new();
    let head = format!("{OK}Transfer-Encoding: chunked\r\n\r\n");
    // Chunk extensions, and trailers, cost no bytes of the body.
    for (start, flood) in
        [("1", ";x=yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"), ("1\r\nx\r\n0\r\n", "X-A: aaaaaaaaaaaaaaaaaaaa\r\n")]
    {
        let head = head.clone();
        let server = ServerDouble::start(PUBLIC, move |_, stream| {
            drop(stream.write_all(format!("{head}{start}").as_bytes()));
            forever(stream, flood.as_bytes());
        });
        let why = fixture.failure(&server.url("/")).await;
        assert!(why.starts_with("Failed to read response body: "), "{start}: {why}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lies_about_the_length_are_errors() {
    let fixture = WebFixture::new();
    for (what, bytes) in [
        ("shorter than it says", format!("{OK}Content-Length: 100\r\n\r\nshort")),
        ("a chunk that is cut off", format!("{OK}Transfer-Encoding: chunked\r\n\r\nff\r\nshort")),
        (
            "a chunk size that is no number",
            format!("{OK}Transfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n0\r\n\r\n"),
        ),
        (
            "a chunk size that overflows",
            format!("{OK}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx"),
        ),
        ("no line end after a chunk", format!("{OK}Transfer-Encoding: chunked\r\n\r\n1\r\nxyz0\r\n\r\n")),
    ] {
        let why = fixture.failure(&ServerDouble::sending(bytes).url("/")).await;
        assert!(why.starts_with("Failed to read response body: "), "{what}: {why}");
    }
    for (what, bytes) in [
        ("a negative length", format!("{OK}Content-Length: -1\r\n\r\nx")),
        ("two lengths", format!("{OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy")),
        ("a length that is no number", format!("{OK}Content-Length: many\r\n\r\nx")),
    ] {
        let why = fixture.failure(&ServerDouble::sending(bytes).url("/")).await;
        assert!(why.starts_with("HTTP request failed: "), "{what}: {why}");
    }
    // What follows the announced length is not read.
    let server =
        ServerDouble::sending(format!("{OK}Content-Length: 5\r\n\r\nshortHTTP/1.1 200 OK\r\n\r\nmore"));
    assert_eq!(fixture.content(&server.url("/")).await, "short");
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_is_an_error() {
    let fixture = WebFixture::new();
    for bytes in [
        "",
        "\0\0\0\0",
        "<html>an answer of HTTP/0.9</html>",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nBad Name: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "SSH-2.0-OpenSSH_9.9\r\n",
    ] {
        let why = fixture.failure(&ServerDouble::sending(bytes).url("/")).await;
        assert!(why.starts_with("HTTP"), "{bytes:?}: {why}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_and_unknown_encodings_are_errors() {
    let fixture = WebFixture::new();
    for (encoding, body, words) in [
        ("gzip", b"not compressed at all".to_vec(), "the compressed body is damaged"),
        ("deflate", vec![0xff; 100], "the compressed body is damaged"),
        ("br", b"x".to_vec(), "the encoding `br`, although only gzip and deflate were offered"),
        ("zstd", b"x".to_vec(), "the encoding `zstd`"),
        ("\u{1b}[31m", b"x".to_vec(), "HTTP request failed"),
    ] {
        let head = format!("{OK}Content-Encoding: {encoding}\r\nContent-Length: {}\r\n\r\n", body.len());
        let why = fixture.failure(&ServerDouble::sending([head.as_bytes(), &body].concat()).url("/")).await;
        assert!(why.contains(words), "{encoding}: {why}");
        assert!(!why.contains('\u{1b}'), "{why:?}");
    }
    let body = gzip("compressed é".as_bytes());
    let head = format!("{OK}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
    let server = ServerDouble::sending([head.as_bytes(), &body].concat());
    assert_eq!(fixture.content(&server.url("/")).await, "compressed é");
    assert_eq!(fixture.page(&server.url("/")).await["notes"], serde_json::json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_and_cut_compressed_bodies_have_a_note() {
    let fixture = WebFixture::new();
    let whole = gzip("some text ".repeat(100).as_bytes());
    let mut wrong_checksum = whole.clone();
    let at = whole.len() - 8;
    wrong_checksum[at] ^= 1;
    let cut = whole[..whole.len() - 12].to_vec();
    let no_data = whole[..12].to_vec();
    for body in [wrong_checksum, cut, no_data] {
        let head = format!("{OK}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
        let page = fixture.page(&ServerDouble::sending([head.as_bytes(), &body].concat()).url("/")).await;
        assert!(page["notes"][0].as_str().unwrap().contains("damaged or cut off"), "{page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn data_behind_a_compressed_body_has_a_note() {
    let fixture = WebFixture::new();
    let (first, second) = (gzip(b"first"), gzip(b"second"));
    let note = "more data follows the end of the compressed response; it was not read";
    for (rest, expected) in [
        ([b"\0\0\0\0".as_slice(), &second].concat(), vec![note]),
        (b"rubbish".to_vec(), vec![note]),
        (b"\0\0\0\0".to_vec(), vec![]),
    ] {
        let body = [first.as_slice(), &rest].concat();
        let head = format!("{OK}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
        let page = fixture.page(&ServerDouble::sending([head.as_bytes(), &body].concat()).url("/")).await;
        assert_eq!(page["content"], "first", "{page}");
        assert_eq!(page["notes"], serde_json::json!(expected), "{page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn body_of_many_empty_parts_is_an_error() {
    let body = gzip(b"").repeat(20_000);
    let head = format!("{OK}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
    let server = ServerDouble::sending([head.as_bytes(), &body].concat());
    let why = WebFixture::new().failure(&server.url("/")).await;
    assert!(why.contains("it has more than 1000 parts"), "{why}");
}
