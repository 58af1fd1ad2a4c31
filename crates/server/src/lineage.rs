//! Whether a process is the daemon's own child, or runs in a sandbox: then it is not the operator.
//!
//! A tool server that the daemon started runs as the daemon's user, so the kernel's user id does not
//! tell it from the operator. Two things do, and a process cannot shed either by itself as long as the
//! daemon lives: the processes above it, and the mark that a sandbox leaves. A server that detaches
//! from its parents keeps the mark, because it was started in one.
//!
//! See docs/decisions/0094-servers-are-not-the-operator.md.

use crate::limits;
use std::fs;
use std::path::Path;

/// What the kernel tells about a process on the operator's plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lineage {
    Unsuspicious,
    StartedByDaemon,
    /// It cannot gain rights any more, and the daemon can.
    Sandboxed,
    /// It has ended, or the kernel does not tell.
    Unknown,
}

pub(crate) fn find_lineage(pid: i32) -> Lineage {
    let own = std::process::id().cast_signed();
    if pid == own {
        return Lineage::Unsuspicious;
    }
    match (is_sandboxed(pid), is_sandboxed(own)) {
        (Some(true), Some(false)) => return Lineage::Sandboxed,
        (None, _) => return Lineage::Unknown,
        _ => {}
    }
    // A parent can end between two looks, and then the process has another one.
    let mut looks = (0..limits::LINEAGE_LOOKS).filter_map(|_| is_below(pid, own));
    match looks.next() {
        Some(true) => Lineage::StartedByDaemon,
        Some(false) => Lineage::Unsuspicious,
        // Where processes of other users are hidden, the way up cannot be seen to its end.
        None if !Path::new("/proc/1").exists() => Lineage::Unsuspicious,
        None => Lineage::Unknown,
    }
}

/// None if a process on the way up is gone.
fn is_below(pid: i32, ancestor: i32) -> Option<bool> {
    let mut at = pid;
    for _ in 0..limits::MAX_LINEAGE {
        match find_parent(at)? {
            parent if parent == ancestor => return Some(true),
            0 => return Some(false),
            parent => at = parent,
        }
    }
    None
}

fn find_parent(pid: i32) -> Option<i32> {
    read_status(pid, "PPid:")?.parse().ok()
}

fn is_sandboxed(pid: i32) -> Option<bool> {
    Some(read_status(pid, "NoNewPrivs:")? == "1")
}

fn read_status(pid: i32, name: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(value.trim().to_owned())
}

/// The process of our own user that holds this socket.
pub(crate) fn find_holder(inode: u64) -> Option<i32> {
    let wanted = format!("socket:[{inode}]");
    let processes = fs::read_dir("/proc").ok()?.flatten();
    processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok()).find(|pid| {
        let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let mut links = files.filter_map(|file| fs::read_link(file.path()).ok());
        links.any(|link| link.to_str() == Some(wanted.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_child_is_ours_and_so_is_its_child() {
        let mut child = Command::new("sh")
            .args(["-c", "sleep 60 & echo $!; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        let grandchild: i32 = line.trim().parse().unwrap();
        assert_eq!(find_lineage(child.id().cast_signed()), Lineage::StartedByDaemon);
        assert_eq!(find_lineage(grandchild), Lineage::StartedByDaemon);
        Command::new("kill").arg(grandchild.to_string()).status().unwrap();
        child.wait().unwrap();
        assert_eq!(find_lineage(grandchild), Lineage::Unknown, "it has ended");
    }

    #[test]
    fn we_ourselves_and_what_started_us_are_not() {
        let own = std::process::id().cast_signed();
        assert_eq!(find_lineage(own), Lineage::Unsuspicious);
        assert_eq!(find_lineage(find_parent(own).unwrap()), Lineage::Unsuspicious);
    }

    #[test]
    fn the_holder_of_a_connection_is_found() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let ours = listener.local_addr().unwrap();
        let stream = std::net::TcpStream::connect(ours).unwrap();
        let found = crate::peer_user::find_end(stream.local_addr().unwrap(), ours).unwrap();
        assert_eq!(find_holder(found.inode), Some(std::process::id().cast_signed()));
    }
}
