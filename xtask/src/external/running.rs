//! Programs that run beside the checks, and end with the value that holds them.

use crate::failure::Failure;
use crate::process::display_command;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How long a line of another program may take. Node needs seconds to start on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Running {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    name: String,
}

impl Running {
    pub fn start(command: &mut Command) -> Result<Self, Failure> {
        let name = display_command(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let fail = |why: &str| Failure::new(format!("`{name}` could not be started: {why}"));
        let mut child = command.spawn().map_err(|error| fail(&error.to_string()))?;
        let output = child.stdout.take().ok_or_else(|| fail("it has no output"))?;
        let (sender, lines) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // Nobody listens any more: the program is about to end.
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        let input = child.stdin.take();
        Ok(Self { child, input, lines, name })
    }

    pub fn read_line(&self) -> Result<String, Failure> {
        self.lines.recv_timeout(PATIENCE).map_err(|_| {
            Failure::new(format!("`{}` said nothing for {PATIENCE:?}, or ended", self.name))
        })
    }

    pub fn write_line(&mut self, line: &str) -> Result<(), Failure> {
        let fail = |why: String| Failure::new(format!("`{}` reads nothing: {why}", self.name));
        let Some(input) = &mut self.input else { return Err(fail("its input is closed".into())) };
        writeln!(input, "{line}")
            .and_then(|()| input.flush())
            .map_err(|error| fail(error.to_string()))
    }

    /// Some programs wait for the end of their input before they start.
    pub fn close_input(&mut self) {
        drop(self.input.take());
    }

    /// What it prints until it ends, however it ends.
    pub fn read_to_end(self) -> Result<String, Failure> {
        let mut text = String::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => text.extend([&line, "\n"]),
                Err(RecvTimeoutError::Disconnected) => return Ok(text),
                Err(RecvTimeoutError::Timeout) => {
                    let said = format!("`{}` did not end; it said: {text}", self.name);
                    return Err(Failure::new(said));
                }
            }
        }
    }

    /// Closes its input, which asks it to end, and waits for that.
    pub fn finish(mut self) -> Result<(), Failure> {
        drop(self.input.take());
        let ended = self.child.wait();
        let ended = ended.map_err(|error| Failure::new(format!("`{}`: {error}", self.name)))?;
        match ended.success() {
            true => Ok(()),
            false => Err(Failure::new(format!("`{}` ended with {ended}", self.name))),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.child.kill();
        let _ended = self.child.wait();
    }
}
