//! Ways to the network with the network off.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

use crate::sandbox_fixture::arenas;

#[test]
fn nothing_leaves() {
    for arena in arenas() {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let (tcp_address, udp_address) =
            (tcp.local_addr().unwrap().to_string(), udp.local_addr().unwrap().to_string());
        let stream_path = arena.inside().join("stream");
        let datagram_path = arena.inside().join("datagram");
        let _stream = UnixListener::bind(&stream_path).unwrap();
        let _datagram = UnixDatagram::bind(&datagram_path).unwrap();
        for path in [&stream_path, &datagram_path] {
            std::os::unix::fs::chown(path, arena.user, arena.user).unwrap();
        }
        let name = format!("sekisho-{}-{tcp_address}", std::process::id());
        let _hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        for attack in [
            &["tcp", &tcp_address][..],
            &["udp", &udp_address],
            &["unix", "I/stream"],
            &["unix_datagram", "I/datagram"],
            &["datagram_pair", "I/datagram"],
            &["abstract", &name],
            &["tcp_listen"],
            &["unix_listen", "I/listening"],
            &["tcp6"],
            &["netlink"],
            &["mptcp"],
            &["high_bits_socket"],
        ] {
            assert_eq!(arena.attack_freely(attack), "done", "{attack:?} is not an attack");
            let said = arena.attack(attack);
            assert!(said.starts_with("denied"), "{}, {attack:?}: {said}", arena.name());
            let _ = std::fs::remove_file(arena.inside().join("listening"));
        }
        for attack in ["raw", "ping", "packet", "vsock", "alg", "sctp"] {
            let said = arena.attack(&[attack]);
            assert!(said.contains("Operation not permitted"), "{}, {attack}: {said}", arena.name());
        }
        udp.set_nonblocking(true).unwrap();
        // One datagram is from the attack without a sandbox.
        assert!(udp.recv(&mut [0; 16]).is_ok() && udp.recv(&mut [0; 16]).is_err());
    }
}

#[test]
fn socket_pairs_still_work() {
    for arena in arenas() {
        assert_eq!(arena.attack(&["socket_pair"]), "done", "{}", arena.name());
    }
}

#[test]
fn bash_has_no_network_either() {
    for arena in arenas() {
        let output = arena.bash("exec 3<>/dev/tcp/127.0.0.1/1");
        assert!(String::from_utf8_lossy(&output.stderr).contains("Operation not permitted"), "{output:?}");
    }
}
