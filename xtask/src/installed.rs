//! Making sure that a program is there which no Rust toolchain brings: valgrind, cvc5.
//!
//! As root on a Debian it is installed by `apt-get`; otherwise the person is told what to do.

use crate::failure::Failure;
use crate::process::{answers, capture, run};
use std::process::Command;

/// The program and its package have one name.
pub fn ensure(program: &str) -> Result<(), Failure> {
    ensure_that(program, || present(program))
}

/// A package that is there if something else about the machine says so.
pub fn ensure_that(program: &str, present: impl Fn() -> bool) -> Result<(), Failure> {
    if present() {
        return Ok(());
    }
    if !is_root() {
        return Err(Failure::saying(format!(
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
        Err(Failure::saying(sentence))
    }
}

fn present(program: &str) -> bool {
    answers(Command::new(program).arg("--version"))
}

fn is_root() -> bool {
    capture(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn install(program: &str, words: &[&str]) -> Result<(), Failure> {
    let mut command = Command::new("apt-get");
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    run(&mut command).map_err(|failure| {
        Failure::saying(format!(
            "{program} could not be installed: {failure}; install it by hand, then run this again"
        ))
    })
}
