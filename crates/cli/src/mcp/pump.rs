//! Carries bytes between a client on stdio and the daemon.

use countersign_client::UpgradedStream;
use countersign_console::{Exit, Failure};
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns when the daemon has closed its side. It does so after the client has closed its own.
pub(super) fn pump(stream: UpgradedStream) -> Result<Exit, Failure> {
    let UpgradedStream { mut reader, mut writer } = stream;
    let has_client_ended = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&has_client_ended);
    std::thread::spawn(move || {
        let _broken = copy(&mut io::stdin().lock(), &mut writer);
        ended.store(true, Ordering::SeqCst);
        let _gone = writer.shutdown(Shutdown::Write);
    });
    // A client that does not read any more has ended.
    let _closed = copy(&mut reader, &mut io::stdout().lock());
    match has_client_ended.load(Ordering::SeqCst) {
        true => Ok(Exit::Allowed),
        false => Err(Failure::new("the daemon has ended the connection", "start the client again")),
    }
}

/// Passes on what is there at once, because somebody waits for every line.
pub(super) fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut chunk = vec![0; 1 << 16];
    loop {
        let length = match from.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(chunk.get(..length).unwrap_or_default())?;
        to.flush()?;
    }
}
