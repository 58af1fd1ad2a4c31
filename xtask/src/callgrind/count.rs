//! One run under callgrind, and the number it leaves behind.

use crate::failure::Failure;
use crate::process::{display_command, expect_success};
use std::path::Path;
use std::process::{Command, Stdio};

/// The C library picks its string routines by processor. Without these features every x86-64
/// picks the same ones, and a count of one machine holds on the next.
const SAME_ROUTINES: &str =
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-EVEX,-AVX2,-AVX,-BMI2,-ERMS,-FSRM,-RTM,-MOVBE";

/// All instructions of `binary case iterations`, from start to exit.
pub(super) fn instructions(
    binary: &Path,
    folder: &Path,
    case: &str,
    iterations: u32,
) -> Result<u64, Failure> {
    let out = folder.join(format!("{case}.out"));
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--quiet"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(binary)
        .args([case, &iterations.to_string()])
        .env("GLIBC_TUNABLES", SAME_ROUTINES)
        .stdout(Stdio::null());
    let status = command.status().map_err(|error| {
        Failure::new(format!("`{}` could not be run: {error}", display_command(&command)))
    })?;
    expect_success(&command, status)?;
    let text = std::fs::read_to_string(&out)
        .map_err(|error| Failure::new(format!("cannot read `{}`: {error}", out.display())))?;
    total(&text).ok_or_else(|| Failure::new(format!("`{}` holds no total count", out.display())))
}

/// The first event of `summary:` (or, in older files, `totals:`) is the instructions read.
fn total(text: &str) -> Option<u64> {
    let counts_instructions = text.lines().any(|line| line.starts_with("events: Ir"));
    let line = ["summary: ", "totals: "]
        .iter()
        .find_map(|key| text.lines().find_map(|line| line.strip_prefix(key)))
        .filter(|_| counts_instructions)?;
    line.split_whitespace().next()?.parse().ok()
}

/// What one operation costs beyond the baseline, to a tenth; none if it costs nothing.
pub(super) fn per_operation(case: u64, baseline: u64, iterations: u32) -> Option<f64> {
    // A double holds every count below 2^53 exactly; callgrind would run for weeks to get there.
    let each = case.checked_sub(baseline)? as f64 / f64::from(iterations);
    let tenths = (each * 10.0).round() / 10.0;
    (tenths > 0.0).then_some(tenths)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends of a file that callgrind 3.19 wrote.
    const SAMPLE: &str = "\
# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 5840
cmd:  /bin/true
part: 1

desc: Timerange: Basic block 0 - 28934
desc: Trigger: Program termination

positions: line
events: Ir
summary: 126559


ob=(1) /usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
fl=(1) ???
fn=(0) 0x000000000001ab70
0 2
cfi=(2) ./elf/./elf/rtld.c
cfn=(2) _dl_start
calls=1 520
0 123885

totals: 126559
";

    #[test]
    fn the_total_of_a_captured_file_is_read() {
        assert_eq!(total(SAMPLE), Some(126_559));
    }

    #[test]
    fn an_old_file_with_totals_alone_is_read() {
        assert_eq!(total("events: Ir\nfn=(1)\n16 3\ntotals: 42\n"), Some(42));
    }

    #[test]
    fn a_file_without_total_or_of_other_events_is_not_guessed_at() {
        assert_eq!(total("events: Ir\nfn=(1)\n16 3\n"), None);
        assert_eq!(total("events: Dr\nsummary: 42\n"), None);
    }

    #[test]
    fn the_baseline_is_taken_off_before_dividing() {
        assert_eq!(per_operation(1_412_500, 1_000_000, 1_000), Some(412.5));
        assert_eq!(per_operation(1_000_000, 1_000_000, 1_000), None);
        assert_eq!(per_operation(900_000, 1_000_000, 1_000), None);
    }
}
