//! Ensures that a program is installed which no Rust toolchain brings: valgrind, cvc5.
//!
//! As root on Debian it is installed with `apt-get`; otherwise the error says what to do.

use crate::failure::Failure;
use crate::process::{can_run, capture, run};
use std::process::Command;

/// The program and its package have one name.
pub fn ensure_program(program: &str) -> Result<(), Failure> {
    ensure_package(program, || is_installed(program))
}

/// Installs a package unless `present` says that it is there.
pub fn ensure_package(program: &str, present: impl Fn() -> bool) -> Result<(), Failure> {
    if present() {
        return Ok(());
    }
    if !is_root() {
        return Err(Failure::new(format!(
            "{program} is missing and only root can install it: run `apt-get install {program}` as root"
        )));
    }
    println!("{program} is missing: installing it with apt-get");
    install(program, &["update"])?;
    install(program, &["install", "--yes", "--no-install-recommends", program])?;
    if present() {
        Ok(())
    } else {
        let sentence = format!("apt-get ended well, but {program} still does not answer");
        Err(Failure::new(sentence))
    }
}

fn is_installed(program: &str) -> bool {
    can_run(Command::new(program).arg("--version"))
}

fn is_root() -> bool {
    capture(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn install(program: &str, words: &[&str]) -> Result<(), Failure> {
    let mut command = Command::new("apt-get");
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    run(&mut command).map_err(|failure| {
        Failure::new(format!(
            "{program} could not be installed: {failure}; install it by hand, then run this again"
        ))
    })
}
