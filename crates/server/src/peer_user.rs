//! Whose program is at the other end of a connection within this machine: what the kernel lists.

use std::fs;
use std::net::{IpAddr, SocketAddr};

/// The other end of a connection, as the kernel lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListedEnd {
    pub(crate) uid: u32,
    pub(crate) inode: u64,
}

/// The other end; none if the kernel does not list it.
pub(crate) fn find_end(peer: SocketAddr, ours: SocketAddr) -> Option<ListedEnd> {
    let table = match peer.ip() {
        IpAddr::V4(_) => "/proc/net/tcp",
        IpAddr::V6(_) => "/proc/net/tcp6",
    };
    find(&fs::read_to_string(table).ok()?, peer, ours)
}

/// Columns: number, this end, the other end, state, queues, timer, retries, user, timeout, inode.
fn find(table: &str, peer: SocketAddr, ours: SocketAddr) -> Option<ListedEnd> {
    let (peer, ours) = (format_address(peer), format_address(ours));
    table.lines().skip(1).find_map(|line| {
        let mut columns = line.split_ascii_whitespace().skip(1);
        let ends = (columns.next()?, columns.next()?);
        if ends != (peer.as_str(), ours.as_str()) {
            return None;
        }
        let uid = columns.nth(4)?.parse().ok()?;
        Some(ListedEnd { uid, inode: columns.nth(1)?.parse().ok()? })
    })
}

/// As the kernel writes an address: words of the machine's own order, in capital hex digits.
fn format_address(address: SocketAddr) -> String {
    let bytes = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let (words, _) = bytes.as_chunks::<4>();
    let ip: String =
        words.iter().map(|word| format!("{:08X}", u32::from_ne_bytes(*word))).collect();
    format!("{ip}:{:04X}", address.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn our_own_connection_is_ours() {
        for at in ["127.0.0.1:0", "[::1]:0"] {
            // Not every machine has the newer one.
            let Ok(listener) = TcpListener::bind(at) else { continue };
            let ours = listener.local_addr().unwrap();
            let stream = TcpStream::connect(ours).unwrap();
            let peer = stream.local_addr().unwrap();
            let (_held, _) = listener.accept().unwrap();
            let uid = find_end(peer, ours).map(|end| end.uid);
            assert_eq!(uid, Some(rustix::process::geteuid().as_raw()), "{at}");
        }
    }

    #[test]
    fn the_ends_are_told_apart_and_nobody_is_guessed() {
        let table = "head\n   0: 0100007F:D431 0100007F:1E61 01 0:0 0:0 0 1001 0 99\n";
        let (peer, ours) = ("127.0.0.1:54321".parse().unwrap(), "127.0.0.1:7777".parse().unwrap());
        let on_a_little_one = cfg!(target_endian = "little");
        assert_eq!(
            find(table, peer, ours),
            on_a_little_one.then_some(ListedEnd { uid: 1001, inode: 99 })
        );
        assert_eq!(find(table, ours, peer), None);
        assert_eq!(find("", peer, ours), None);
    }
}
