//! Runs a program as a coding agent runs its hook: the event on its input, the answer on its output.

use crate::bench::runs::BenchResult;
use crate::failure::Failure;
use crate::process::display_command;
use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

/// What it printed. An unsuccessful end is a failure.
pub(super) fn run_with_input(command: &mut Command, input: &[u8]) -> BenchResult<Vec<u8>> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = command.spawn().and_then(|mut child| {
        let stdin = child.stdin.take();
        match stdin.map_or(Ok(()), |mut stdin| stdin.write_all(input)) {
            // A program that reads nothing may have ended already.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
            _ => child.wait_with_output(),
        }
    });
    let fail = |why: &str| Failure::new(format!("`{}`: {why}", display_command(command)));
    let output = output.map_err(|error| fail(&error.to_string()))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(fail(String::from_utf8_lossy(&output.stderr).trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_is_written_and_the_output_is_returned() {
        assert_eq!(run_with_input(&mut Command::new("cat"), b"event").unwrap(), b"event");
    }

    #[test]
    fn a_program_that_reads_nothing_is_no_failure_and_one_that_fails_is() {
        assert_eq!(run_with_input(&mut Command::new("true"), &[b'x'; 1 << 20]).unwrap(), b"");
        let failure = run_with_input(Command::new("sh").args(["-c", "echo no >&2; exit 2"]), b"");
        assert!(failure.unwrap_err().message.ends_with(": no"));
    }
}
