//! How busy the machine is right now, found out by small experiments.
//!
//! A byte sent to another thread and back shows how long a woken thread waits for a processor;
//! a short spin shows whether somebody took ours away. Where the disk is measured too, so are
//! some appends, each with a sync.

use super::statistics::quantile;
use crate::clock::Stopwatch;
use crate::failure::Failure;
use std::fs::File;
use std::io::{Read, Write, pipe};
use std::path::Path;
use std::thread;
use std::time::Duration;

const PINGS: usize = 2_000;
const SPIN: Duration = Duration::from_millis(20);
/// A quiet machine answers within microseconds; a busy one makes the slowest wait for a tick.
const PING_QUIET: Duration = Duration::from_millis(1);
const GAP_QUIET: Duration = Duration::from_millis(1);
const SYNCS: usize = 60;
/// A disk that takes this many times as long as it once did is used by somebody else.
const SYNC_QUIET: f64 = 2.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MachineLoad {
    Quiet,
    Contended,
}

/// The measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadMeasurement {
    /// Of all pings, 99 in 100 took at most this long.
    pub ping_p99: Duration,
    /// The longest time between two looks at the clock while doing nothing else.
    pub longest_gap: Duration,
    /// How many times as long as at best a sync takes now; 1 where nobody asked the disk.
    pub syncs: f64,
}

impl LoadMeasurement {
    pub fn load(&self) -> MachineLoad {
        if self.ping_p99 > PING_QUIET || self.longest_gap > GAP_QUIET || self.syncs > SYNC_QUIET {
            MachineLoad::Contended
        } else {
            MachineLoad::Quiet
        }
    }
}

pub fn probe() -> Result<LoadMeasurement, Failure> {
    let pings = pings(PINGS)
        .map_err(|error| Failure::new(format!("the load probe has no pipe: {error}")))?;
    let p99 = quantile(&pings, 0.99).unwrap_or(f64::INFINITY);
    // Too long for a Duration is contended anyway.
    let ping_p99 = Duration::try_from_secs_f64(p99).unwrap_or(Duration::MAX);
    Ok(LoadMeasurement { ping_p99, longest_gap: longest_gap(SPIN), syncs: 1.0 })
}

/// A file on the disk that is measured.
pub struct Disk {
    file: File,
    /// The quickest median so far, in seconds.
    best: f64,
}

impl Disk {
    pub fn in_folder(folder: &Path) -> Result<Self, Failure> {
        let file = File::create(folder.join("load-probe"))
            .map_err(|error| Failure::new(format!("the load probe has no file: {error}")))?;
        Ok(Self { file, best: f64::INFINITY })
    }

    pub fn probe(&mut self) -> Result<LoadMeasurement, Failure> {
        let mut took = Vec::with_capacity(SYNCS);
        for _ in 0..SYNCS {
            let watch = Stopwatch::start();
            self.file
                .write_all(&[b'w'; 400])
                .and_then(|()| self.file.sync_data())
                .map_err(|error| Failure::new(format!("the load probe cannot write: {error}")))?;
            took.push(watch.elapsed().as_secs_f64());
        }
        let now = quantile(&took, 0.5).unwrap_or(f64::INFINITY);
        self.best = self.best.min(now);
        Ok(LoadMeasurement { syncs: now / self.best, ..probe()? })
    }
}

/// Seconds of each round trip of one byte between two threads.
fn pings(count: usize) -> std::io::Result<Vec<f64>> {
    let (mut there_reads, mut here_writes) = pipe()?;
    let (mut here_reads, mut there_writes) = pipe()?;
    let there = thread::spawn(move || {
        let mut byte = [0];
        while there_reads.read_exact(&mut byte).is_ok() && there_writes.write_all(&byte).is_ok() {}
    });
    let mut took = Vec::with_capacity(count);
    for _ in 0..count {
        let watch = Stopwatch::start();
        here_writes.write_all(&[1])?;
        here_reads.read_exact(&mut [0])?;
        took.push(watch.elapsed().as_secs_f64());
    }
    drop(here_writes);
    // The other side ends when its pipe closes; how it ended changes no measurement.
    let _ended = there.join();
    Ok(took)
}

fn longest_gap(spin: Duration) -> Duration {
    let watch = Stopwatch::start();
    let mut before = Duration::ZERO;
    let mut longest = Duration::ZERO;
    while before < spin {
        let now = watch.elapsed();
        longest = longest.max(now.saturating_sub(before));
        before = now;
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: LoadMeasurement = LoadMeasurement {
        ping_p99: Duration::from_micros(30),
        longest_gap: Duration::from_micros(30),
        syncs: 1.0,
    };

    #[test]
    fn a_slow_ping_a_long_gap_or_a_busy_disk_is_contended() {
        let tick = Duration::from_millis(4);
        assert_eq!(QUIET.load(), MachineLoad::Quiet);
        assert_eq!(LoadMeasurement { ping_p99: tick, ..QUIET }.load(), MachineLoad::Contended);
        assert_eq!(LoadMeasurement { longest_gap: tick, ..QUIET }.load(), MachineLoad::Contended);
        assert_eq!(LoadMeasurement { syncs: 2.1, ..QUIET }.load(), MachineLoad::Contended);
    }

    #[test]
    fn every_ping_comes_back() {
        assert_eq!(pings(50).unwrap().len(), 50);
    }

    #[test]
    fn the_probe_measures_something() {
        let load = probe().unwrap();
        assert!(load.ping_p99 > Duration::ZERO);
        assert!(load.longest_gap > Duration::ZERO);
    }
}
