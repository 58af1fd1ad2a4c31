//! What any process between client and server costs: bytes in, bytes out.

use super::{BenchResult, Context};
use std::io::{Read, Write, stdin, stdout};
use std::process::{Command, Stdio};
use xtask::failure::Failure;

/// Starts a program and carries bytes between it and our own standard streams.
pub fn run(program: &str) -> BenchResult<()> {
    let mut command = Command::new(program);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context(program)?;
    let (mut to, mut from) = child
        .stdin
        .take()
        .zip(child.stdout.take())
        .ok_or_else(|| Failure::new("no standard streams"))?;
    // The program ends when its input does.
    std::thread::spawn(move || copy(&mut stdin().lock(), &mut to));
    copy(&mut from, &mut stdout().lock()).context("carrying bytes")?;
    child.wait().context(program).map(drop)
}

fn copy(from: &mut impl Read, to: &mut impl Write) -> std::io::Result<()> {
    let mut bytes = vec![0; 1 << 16];
    loop {
        match from.read(&mut bytes)? {
            0 => return Ok(()),
            length => {
                to.write_all(bytes.get(..length).unwrap_or_default())?;
                to.flush()?;
            }
        }
    }
}
