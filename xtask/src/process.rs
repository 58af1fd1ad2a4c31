//! Runs other programs and reports how they ended.
//!
//! A program prints to the terminal, or its output is captured, or both.

use crate::failure::Failure;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

/// `cargo` with these arguments, in the root of the workspace.
pub fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root).args(arguments);
    command
}

/// Runs it on this terminal; an unsuccessful exit is a failure.
pub fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    expect_success(command, status)
}

/// Runs it and returns its output; its errors go to this terminal.
pub fn capture(command: &mut Command) -> Result<String, Failure> {
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|error| not_started(command, &error))?;
    expect_success(command, output.status)?;
    String::from_utf8(output.stdout).map_err(|_| {
        Failure::new(format!("`{}` printed text that is not UTF-8", display_command(command)))
    })
}

/// Whether it can be started and exits successfully; prints nothing.
pub fn can_run(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Runs it without its output. How it ends is for the caller to judge.
pub fn run_quietly(command: &mut Command) -> Result<ExitStatus, Failure> {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().map_err(|error| not_started(command, &error))
}

/// Runs it, prints every line at once, and returns all of them: first its output, then its errors.
pub fn run_and_capture(command: &mut Command) -> Result<(ExitStatus, String), Failure> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| not_started(command, &error))?;
    let out = child.stdout.take().map(|pipe| thread::spawn(|| copy_lines(pipe, std::io::stdout())));
    let err = child.stderr.take().map(|pipe| thread::spawn(|| copy_lines(pipe, std::io::stderr())));
    let status = child.wait().map_err(|error| not_started(command, &error))?;
    let kept = [out, err]
        .into_iter()
        .flatten()
        .filter_map(|reader| reader.join().ok())
        .collect::<Vec<_>>()
        .concat();
    Ok((status, kept))
}

pub fn expect_success(command: &Command, status: ExitStatus) -> Result<(), Failure> {
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("`{}` ended with {status}", display_command(command))))
}

/// The command as one would type it.
pub fn display_command(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("`{}` could not be run: {error}", display_command(command)))
}

fn copy_lines(from: impl Read, mut to: impl Write) -> String {
    let mut kept = String::new();
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).into_owned();
        // A closed terminal must not stop the reading: the child would block on a full pipe.
        let _closed = writeln!(to, "{line}");
        kept.push_str(&line);
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_errors_are_both_kept() {
        let (status, kept) =
            run_and_capture(Command::new("sh").args(["-c", "echo out; echo err >&2"])).unwrap();
        assert!(status.success());
        assert_eq!(kept, "out\nerr\n");
    }

    #[test]
    fn a_failed_program_is_named_with_its_exit_code() {
        let failure = run(Command::new("sh").args(["-c", "exit 7"])).unwrap_err();
        assert_eq!(failure.message, "`sh -c exit 7` ended with exit status: 7");
    }

    #[test]
    fn a_missing_program_does_not_answer() {
        assert!(!can_run(&mut Command::new("no-such-program-anywhere")));
        assert!(can_run(&mut Command::new("true")));
    }
}
