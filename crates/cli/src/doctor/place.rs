//! The folder and the disk below it.

use super::Findings;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const MIB: u64 = 1 << 20;
/// Below this nothing can be written soon.
const SCARCE: u64 = 64 * MIB;
/// Below this it is time to make room.
const LITTLE: u64 = 1_024 * MIB;

pub(super) fn folder(findings: &mut Findings, folder: &Path) {
    let shown = folder.display();
    let Ok(found) = std::fs::metadata(folder) else {
        let text = format!("there is none at {shown}");
        return findings.warn("folder", text, "`countersign serve` makes it");
    };
    let us = rustix::process::geteuid().as_raw();
    if !found.is_dir() {
        return findings.problem("folder", format!("{shown} is none"), "move away what is there");
    }
    match (found.uid() == us, found.mode() & 0o077) {
        (true, 0) => findings.fine("folder", format!("{shown} is yours alone")),
        (true, _) => {
            let text = format!("others can look into {shown}");
            findings.problem("folder", text, format!("chmod 700 {shown}"));
        }
        (false, _) => {
            let text = format!("{shown} belongs to somebody else, user {}", found.uid());
            findings.problem("folder", text, "run this as the user that runs the daemon");
        }
    }
    for name in ["countersign.db", "operator.token"] {
        kept(findings, &folder.join(name));
    }
    disk(findings, folder);
}

/// A file that nobody else may read.
fn kept(findings: &mut Findings, file: &Path) {
    let Ok(found) = std::fs::symlink_metadata(file) else { return };
    let shown = file.display();
    if found.is_symlink() {
        let text = format!("{shown} is a link to somewhere else");
        findings.warn("files", text, "keep the file itself in the folder");
    } else if found.mode() & 0o077 != 0 {
        let text = format!("others can read {shown}");
        findings.problem("files", text, format!("chmod 600 {shown}"));
    }
}

fn disk(findings: &mut Findings, folder: &Path) {
    let Ok(found) = rustix::fs::statvfs(folder) else {
        let text = "nobody can tell how much room there is";
        return findings.warn("disk", text, "look with `df`");
    };
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let text = format!("{} MiB are free", free / MIB);
    match free {
        free if free < SCARCE => {
            findings.problem("disk", text, "make room: what cannot be recorded is not allowed");
        }
        free if free < LITTLE => findings.warn("disk", text, "make room"),
        _ => findings.fine("disk", text),
    }
}
