//! What processes use, as the kernel counts it.

use super::runs::{BenchResult, Context};
use crate::failure::Failure;
use std::fs;
use std::time::Duration;

/// The kernel counts time for other programs in hundredths of a second, on every machine.
const TICK: Duration = Duration::from_millis(10);

/// What a process holds in memory now.
pub fn memory(process: u32) -> BenchResult<u64> {
    status(process, "VmRSS:")
}

/// The most that it ever held.
pub fn most_memory(process: u32) -> BenchResult<u64> {
    status(process, "VmHWM:")
}

fn status(process: u32, name: &str) -> BenchResult<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).context("memory in use")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.map(|kib| kib << 10).ok_or_else(|| Failure::new(format!("no {name}")))
}

/// The time that these processes and all that they started have spent on processors.
pub fn cpu_time(processes: &[u32]) -> BenchResult<Duration> {
    let all = all_processes()?;
    let mut wanted = processes.to_vec();
    let mut at = 0;
    while let Some(parent) = wanted.get(at).copied() {
        wanted.extend(all.iter().filter(|one| one.parent == parent).map(|one| one.id));
        at += 1;
    }
    let of_wanted = all.iter().filter(|one| wanted.contains(&one.id));
    let ticks: u32 = of_wanted.map(|one| one.ticks).sum();
    Ok(TICK * ticks)
}

struct Counted {
    id: u32,
    parent: u32,
    ticks: u32,
}

fn all_processes() -> BenchResult<Vec<Counted>> {
    let folders = fs::read_dir("/proc").context("the processes")?;
    let ids = folders.flatten().filter_map(|folder| folder.file_name().to_str()?.parse().ok());
    // One that has ended meanwhile has no file.
    Ok(ids
        .filter_map(|id| parse_stat(id, &fs::read_to_string(format!("/proc/{id}/stat")).ok()?))
        .collect())
}

/// The name in parentheses may have anything in it; the numbers stand after the last one.
fn parse_stat(id: u32, stat: &str) -> Option<Counted> {
    let (_, numbers) = stat.rsplit_once(") ")?;
    let numbers: Vec<&str> = numbers.split(' ').collect();
    let number = |at: usize| numbers.get(at)?.parse::<u32>().ok();
    Some(Counted { id, parent: number(1)?, ticks: number(11)? + number(12)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_counted_whatever_its_name() {
        let stat = "42 (a) S) (b) S 7 42 42 0 -1 4194560 1 0 0 0 31 11 0 0 20 0 1 0 5 6 7";
        let counted = parse_stat(42, stat).unwrap();
        assert_eq!((counted.id, counted.parent, counted.ticks), (42, 7, 42));
    }

    #[test]
    fn this_process_holds_memory_and_has_run() {
        let this = std::process::id();
        assert!(memory(this).unwrap() > 0);
        assert!(most_memory(this).unwrap() >= memory(this).unwrap() / 2);
        assert!(cpu_time(&[this]).is_ok());
    }
}
