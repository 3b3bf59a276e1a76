//! Attacks on the network.

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};

use crate::check;

fn socket(family: i32, kind: i32, protocol: i32) -> io::Result<()> {
    check(i64::from(unsafe { libc::socket(family, kind, protocol) }))
}

pub(crate) fn attack(words: &[&str]) -> Option<io::Result<()>> {
    Some(match words {
        ["tcp", address] => TcpStream::connect(address).and_then(|mut stream| stream.write_all(b"secret")),
        ["tcp_listen"] => TcpListener::bind("127.0.0.1:0").map(drop),
        ["udp", address] => {
            UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.send_to(b"secret", address).map(drop))
        }
        ["unix", path] => UnixStream::connect(path).and_then(|mut stream| stream.write_all(b"secret")),
        ["unix_datagram", path] => {
            UnixDatagram::unbound().and_then(|socket| socket.send_to(b"secret", path).map(drop))
        }
        ["datagram_pair", path] => {
            UnixDatagram::pair().and_then(|(socket, _)| socket.send_to(b"secret", path).map(drop))
        }
        ["unix_listen", path] => UnixListener::bind(path).map(drop),
        ["abstract", name] => {
            let address = SocketAddr::from_abstract_name(name);
            address.and_then(|address| UnixStream::connect_addr(&address)).map(drop)
        }
        ["ask_proxy", target] => ask_proxy(target),
        ["socket_pair"] => UnixStream::pair().map(drop),
        ["tcp6"] => socket(libc::AF_INET6, libc::SOCK_STREAM, 0),
        ["netlink"] => socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE),
        ["raw"] => socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP),
        ["ping"] => socket(libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_ICMP),
        ["packet"] => socket(libc::AF_PACKET, libc::SOCK_RAW, 0),
        ["vsock"] => socket(libc::AF_VSOCK, libc::SOCK_STREAM, 0),
        ["alg"] => socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0),
        ["sctp"] => socket(libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_SCTP),
        ["mptcp"] => socket(libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_MPTCP),
        ["high_bits_socket"] => check(unsafe {
            // The kernel ignores the upper half of these arguments, so a filter must too.
            libc::syscall(
                libc::SYS_socket,
                libc::AF_INET as i64 | 1 << 40,
                libc::SOCK_STREAM as i64 | 1 << 40,
                0,
            )
        }),
        _ => return None,
    })
}

/// Works if the proxy inside the namespace connects. Otherwise its answer is the error.
fn ask_proxy(target: &str) -> io::Result<()> {
    use std::io::Read;

    let mut stream = TcpStream::connect("127.0.0.1:3128")?;
    stream.write_all(format!("CONNECT {target} HTTP/1.1\r\n\r\n").as_bytes())?;
    let mut answer = [0; 1024];
    let count = stream.read(&mut answer)?;
    let answer = String::from_utf8_lossy(answer.get(..count).unwrap_or_default()).replace("\r\n", " ");
    if answer.starts_with("HTTP/1.1 200") { Ok(()) } else { Err(io::Error::other(answer.trim().to_owned())) }
}
