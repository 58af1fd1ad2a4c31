//! Making sure that valgrind is there: the one tool that no Rust toolchain brings.
//!
//! As root on a Debian it is installed by `apt-get`; otherwise the person is told what to do.

use crate::failure::Failure;
use crate::process::{answers, capture, run};
use std::process::Command;

pub fn ensure() -> Result<(), Failure> {
    if present() {
        return Ok(());
    }
    if !is_root() {
        return Err(Failure::saying(
            "valgrind is missing and only root can install it: run `apt-get install valgrind` as root",
        ));
    }
    println!("valgrind is missing: installing it with apt-get");
    install(&["update"])?;
    install(&["install", "--yes", "--no-install-recommends", "valgrind"])?;
    if present() {
        Ok(())
    } else {
        Err(Failure::saying("apt-get ended well, but `valgrind --version` still does not answer"))
    }
}

fn present() -> bool {
    answers(Command::new("valgrind").arg("--version"))
}

fn is_root() -> bool {
    capture(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn install(words: &[&str]) -> Result<(), Failure> {
    let mut command = Command::new("apt-get");
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    run(&mut command).map_err(|failure| {
        Failure::saying(format!(
            "valgrind could not be installed: {failure}; install it by hand, then run this again"
        ))
    })
}
