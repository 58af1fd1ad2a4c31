//! One check over the socket, beside the write and the way there and back.

use super::bare::Bare;
use super::daemon::Daemon;
use super::{BenchResult, Context, Runs, world};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use xtask::bench::log::Log;
use xtask::bench::rounds::Variant;
use xtask::bench::server::{BARE, CHECK, Figure};
use xtask::clock::Stopwatch;
use xtask::failure::Failure;

/// About what one decision adds to the ledger, with its hash and what is sealed.
pub const RECORD: usize = 1024;

pub fn run(runs: &mut Runs, folder: &Path) -> BenchResult<()> {
    let (daemon, bare) = (Daemon::start(folder)?, Bare::start(folder)?);
    let mut log = Log::in_folder(folder)?;
    let mut echo = UnixStream::connect(bare.echo()).context("connecting")?;
    let mut agent = UnixStream::connect(daemon.agents()).context("connecting")?;
    let (record, mut number) = (vec![b'x'; RECORD], 0);
    let mut variants = [
        Variant::with_own_timer(BARE, 1, || {
            let request = world::check(0, 0);
            let mut heard = vec![0; request.len()];
            let watch = Stopwatch::start();
            echo.write_all(&request).context("sending")?;
            echo.read_exact(&mut heard).context("reading")?;
            log.append(&record)?;
            Ok(watch.elapsed())
        }),
        Variant::with_own_timer(CHECK, 1, || {
            number += 1;
            let request = world::check(0, number);
            let watch = Stopwatch::start();
            let answer = exchange(&mut agent, &request)?;
            let took = watch.elapsed();
            let operation = super::line::field(&answer, "operation_id")?.to_owned();
            exchange(&mut agent, &world::finished(0, &operation))?;
            Ok(took)
        }),
    ];
    runs.figure(Figure::Check, &mut variants).map(drop)
}

/// A request and its answer, which is short enough to come at once.
fn exchange(stream: &mut UnixStream, request: &[u8]) -> BenchResult<String> {
    stream.write_all(request).context("sending")?;
    let mut bytes = vec![0; 8192];
    let many = stream.read(&mut bytes).context("reading")?;
    let text = String::from_utf8_lossy(bytes.get(..many).unwrap_or_default()).into_owned();
    match text.starts_with("HTTP/1.1 200") && text.ends_with('}') {
        true => Ok(text),
        false => Err(Failure::new(format!("refused: {text}"))),
    }
}
