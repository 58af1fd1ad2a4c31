//! The programs that pack. They are named before a long build, not after it.

use crate::failure::{Failure, judge};
use crate::process::{can_run, capture, run};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A program, what it is for, and the Debian package that has it.
const TOOLS: [(&str, &str, &str); 5] = [
    ("tar", "writes the archive", "tar"),
    ("gzip", "compresses it", "gzip"),
    ("dpkg-deb", "writes the Debian package", "dpkg"),
    ("sha256sum", "computes the checksums", "coreutils"),
    ("md5sum", "computes those inside the Debian package", "coreutils"),
];

pub(super) fn check_tools() -> Result<(), Failure> {
    let missing = TOOLS.iter().filter(|(tool, ..)| !can_run(Command::new(tool).arg("--version")));
    let missing: Vec<String> = missing.map(describe_missing).collect();
    judge(&missing, "").map(drop)
}

fn describe_missing((tool, purpose, package): &(&str, &str, &str)) -> String {
    format!("`{tool}` is missing, which {purpose}: install your system's package `{package}`")
}

/// Compresses without the name and time that `gzip` would add.
pub(super) fn compress(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("`gzip` failed: {error}"));
    let mut command = Command::new("gzip");
    command.args(["--best", "--no-name"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let stdin = child.stdin.take();
    // Two pipes: one thread would block once both are full.
    let output = std::thread::scope(|scope| {
        let writer = scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(bytes)));
        let output = child.wait_with_output();
        let written = writer.join().unwrap_or(None).unwrap_or(Ok(()));
        written.and(output)
    });
    let output = output.map_err(failed)?;
    crate::process::expect_success(&command, output.status)?;
    Ok(output.stdout)
}

/// The time of the commit, in seconds since 1970; 0 where git does not know it.
pub(super) fn commit_time(root: &Path) -> u64 {
    let mut command = Command::new("git");
    command.current_dir(root).args(["log", "-1", "--format=%ct"]);
    capture(&mut command).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// Packs one folder of `staging`, with nothing of this machine: no owner, one time, one order.
pub(super) fn write_tar(
    staging: &Path,
    folder: &str,
    time: u64,
    archive: &Path,
) -> Result<(), Failure> {
    let mut command = Command::new("tar");
    command.arg("--create").arg("--file").arg(archive).arg("--directory").arg(staging);
    command.args(["--use-compress-program", "gzip --best --no-name"]);
    command.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"]);
    command.arg(format!("--mtime=@{time}")).arg(folder);
    run(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_is_named_with_its_package() {
        let text = describe_missing(&("dpkg-deb", "writes the Debian package", "dpkg"));
        assert!(text.contains("`dpkg-deb` is missing"), "{text}");
        assert!(text.contains("package `dpkg`"), "{text}");
    }

    #[test]
    fn compressed_bytes_have_no_time_and_no_name() {
        let bytes = vec![b'x'; 500_000];
        let compressed = compress(&bytes).unwrap();
        assert_eq!(compressed[..2], [0x1f, 0x8b]);
        assert_eq!(compressed[3..8], [0, 0, 0, 0, 0], "flags and time");
        assert!(compressed.len() < bytes.len() / 100);
    }
}
