//! Running other programs, and saying plainly how they ended.
//!
//! Three ways: let the program speak for itself, keep what it prints, or both.

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

/// Runs it with our own terminal; an unsuccessful end is a failure.
pub fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    expect_success(command, status)
}

/// Runs it and returns what it printed; its errors go to our terminal.
pub fn capture(command: &mut Command) -> Result<String, Failure> {
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|error| not_started(command, &error))?;
    expect_success(command, output.status)?;
    String::from_utf8(output.stdout).map_err(|_| {
        Failure::saying(format!("`{}` printed text that is not UTF-8", shown(command)))
    })
}

/// Whether it can be started and ends well; prints nothing.
pub fn answers(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Runs it, shows every line at once, and keeps them too: first its output, then its errors.
pub fn relay(command: &mut Command) -> Result<(ExitStatus, String), Failure> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| not_started(command, &error))?;
    let out = child.stdout.take().map(|pipe| thread::spawn(|| pass_on(pipe, std::io::stdout())));
    let err = child.stderr.take().map(|pipe| thread::spawn(|| pass_on(pipe, std::io::stderr())));
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
    Err(Failure::saying(format!("`{}` ended with {status}", shown(command))))
}

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    Failure::saying(format!("`{}` could not be run: {error}", shown(command)))
}

fn pass_on(from: impl Read, mut to: impl Write) -> String {
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
            relay(Command::new("sh").args(["-c", "echo out; echo err >&2"])).unwrap();
        assert!(status.success());
        assert_eq!(kept, "out\nerr\n");
    }

    #[test]
    fn a_failed_program_is_named_with_its_exit_code() {
        let failure = run(Command::new("sh").args(["-c", "exit 7"])).unwrap_err();
        assert_eq!(failure.sentence, "`sh -c exit 7` ended with exit status: 7");
    }

    #[test]
    fn a_missing_program_does_not_answer() {
        assert!(!answers(&mut Command::new("no-such-program-anywhere")));
        assert!(answers(&mut Command::new("true")));
    }
}
