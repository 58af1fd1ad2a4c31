//! `cargo xtask`: see `cargo xtask --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match xtask::args::run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            if let Some(tally) = failure.tally {
                println!("{tally}");
            }
            ExitCode::FAILURE
        }
    }
}
