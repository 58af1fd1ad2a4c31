//! The variants of `cargo xtask bench gateway`: the released daemon behind `mcp wrap`, proxies of
//! others, and a byte pump, all in front of the same tool server.
//!
//! With `--pump COMMAND` this is the byte pump.

mod gateway;

use gateway::{BenchResult, Context, Runs, calls, memory, parked, pump, start};
use std::process::ExitCode;
use xtask::bench::gateway::{Figure, SUITE};
use xtask::bench::runs::{self, BenchOptions, target};
use xtask::options::{parse_options, value_name};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words.as_slice() {
        ["--pump", program] => pump::run(program),
        words => parse_options(words).and_then(|options| bench(&options)),
    };
    runs::exit_code(SUITE, ended)
}

fn bench(options: &BenchOptions<Figure>) -> BenchResult<()> {
    let scratch = tempfile::tempdir_in(target::<Figure>()?).context("a folder for the daemon")?;
    let scratch_path = scratch.path().canonicalize().context("a folder for the daemon")?;
    let mut runs = Runs::begin::<Figure>(options.extent(), &scratch_path)?;
    for figure in options.figures() {
        let folder = scratch_path.join(value_name(figure));
        std::fs::create_dir_all(&folder).context("a folder for the daemon")?;
        match figure {
            Figure::Call => calls::measure_latency(&mut runs, &folder)?,
            Figure::Cpu => calls::measure_cpu(&mut runs, &folder)?,
            Figure::InFlight => calls::measure_in_flight(&mut runs, &folder)?,
            Figure::Start => start::run(&mut runs, &folder)?,
            Figure::Idle => memory::run(&mut runs, &folder)?,
            Figure::Parked => parked::run(&mut runs, &folder)?,
        }
    }
    runs.end()
}
